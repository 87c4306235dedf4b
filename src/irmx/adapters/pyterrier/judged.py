"""Judgments with all their columns as PyTerrier takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from irmx.adapters.pyterrier.document_columns import dataset_id_of
from irmx.data.judgments import Judgments
from irmx.data.reading import read_qrels
from irmx.declare.columns import BASE
from irmx.errors import DataError

_IDS = [c.name for c in BASE if c.table == "qrels" and c.dtype == "str"]


def qrels(source: Any, columns: str | Sequence[str] = ()) -> pd.DataFrame:
    """Return qrels of any kind as a table for ``pt.Experiment``, with the columns that measures read.

    Several rows of one document, such as one for each subtopic, stand in the order of their grades: a measure that keeps
    only the last of them, as those of ir_measures do, then sees the largest grade.

    Parameters
    ----------
    source : str, Path, dataset, DataFrame, dict of dict, or iterable of namedtuples
        A file, an ir_datasets id, a dataset of PyTerrier or ir_datasets, or anything that :func:`irmx.read_qrels` takes.
    columns : str or sequence of str
        Columns wanted from the documents of a dataset; see :func:`irmx.collections.judgments`.

    Returns
    -------
    pandas.DataFrame
        With ``qid``, ``docno``, ``label`` and all further columns; dates are seconds since 1970.

    Raises
    ------
    irmx.DataError
        If it cannot be read, or a column cannot be obtained.

    Examples
    --------
    >>> import pandas as pd, pyterrier as pt
    >>> rows = [("q", "d1", 2, "s1"), ("q", "d1", 1, "s2"), ("q", "d2", 1, "s1")]
    >>> given = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "subtopic_id"])
    >>> print(pt.irmx.qrels(given).to_string())
      qid docno  label iteration
    0   q    d1      1        s2
    1   q    d2      1        s1
    2   q    d1      2        s1
    """
    columns = [columns] if isinstance(columns, str) else columns
    dataset_id = None if isinstance(source, str) and not source.startswith("irds:") else dataset_id_of(source)
    found = read_qrels(source if dataset_id is None else dataset_id, columns)
    for name in columns:
        if name not in found.columns:
            _refuse(found, name)
    frame = pd.DataFrame({name: _values(found, name) for name in found.columns})
    grades = frame["relevance"]
    if len(frame) and (grades == np.floor(grades)).all():
        frame["relevance"] = grades.astype(np.int64)
    topics = frame["query_id"].map({str(topic): i for i, topic in enumerate(found.topics)})
    frame = frame.iloc[np.lexsort((frame["relevance"], topics))].reset_index(drop=True)
    renamed: pd.DataFrame = pt.model.from_ir_measures(frame)
    return renamed


def _refuse(found: Judgments, column: str) -> None:
    """Raise because there is no such column."""
    if found.source.dataset_id:
        from irmx.adapters.ir_datasets.judgments_of import refuse_not_given

        refuse_not_given(found.source.dataset_id, column)
    raise DataError(f"The qrels lack the column {column!r}. They have: {', '.join(found.columns)}.")


def _values(found: Judgments, name: str) -> Any:
    """Return a column over the rows in the order given; ids as texts."""
    topic, row, doc = found.rows_in_order()
    if name == "query_id":
        return [str(found.topics[i]) for i in topic.tolist()]
    if name == "doc_id":
        docs = ["", *found.docs]
        return [docs[i] for i in (doc + 1).tolist()]
    labels = found.labels(name) if name in _IDS else None
    if labels is None:
        values = found.row_grade if name == "relevance" else found.column(name)
        assert values is not None  # the name is one of found.columns
        return values[row]
    return [str(labels[1][i]) if i >= 0 else "" for i in labels[0][row].tolist()]
