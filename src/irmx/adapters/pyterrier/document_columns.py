"""Transformers that give the results of a pipeline a column which a measure reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyterrier as pt

from irmx.adapters.ir_datasets.fields import Field
from irmx.adapters.pyterrier.document_values import Computed, Known, dataset_id_of, is_missing, look_up, of_documents
from irmx.data.dates import check_dates
from irmx.errors import DataError, UsageError

Missing = Literal["raise", "empty"]


class DocumentColumn(pt.Transformer):
    """Adds a column of documents to results; the rows and their order stay. Made by :func:`column`.

    Needs the column ``docno``; replaces a column of the same name.

    Parameters
    ----------
    column : str
        The name of the column.
    source : dict, Series, DataFrame, callable, str or dataset
        What gives its values; see :func:`column`.
    default : number or str, optional
        The value of documents without one.
    missing : {"raise", "empty"}
        What to do with documents without one where there is no default.
    """

    def __init__(self, column: str, source: Any, default: Any = None, missing: Missing = "raise") -> None:
        if missing not in ("raise", "empty"):
            raise UsageError(f"The parameter 'missing' must be 'raise' or 'empty'. Got {missing!r} instead.")
        if default is not None and missing == "empty":
            raise UsageError(
                "Documents without a value have the default, or stay empty; 'default' and 'missing' were given."
            )
        self.column, self.source, self.default, self.missing = column, source, default, missing
        self._look_up = look_up(column, source)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results with the column.

        Raises
        ------
        irmx.DataError
            Where a document has no value, unless there is a default or it may be empty.
        """
        pt.validate.columns(inp, includes=["docno"])
        docs = inp["docno"].astype(str).tolist()
        distinct = list(dict.fromkeys(docs))
        found = self._look_up(distinct) if distinct else {}
        known = {doc: found[doc] for doc in distinct if doc in found and not is_missing(found[doc])}
        if self.default is None and self.missing == "raise":
            self._refuse([doc for doc in distinct if doc not in known], len(distinct))
        values = pd.Series([known.get(doc, self.default) for doc in docs], index=inp.index)
        return inp.assign(**{self.column: values})

    def _refuse(self, lacking: list[str], total: int) -> None:
        if lacking:
            raise DataError(
                f"{len(lacking)} of {total} retrieved documents have no {self.column!r}, such as {lacking[0]!r}. Give them "
                "one, or say what they have instead with default=...; missing='empty' leaves it empty."
            )

    def __repr__(self) -> str:
        return f"irmx.column({self.column!r})"


def column(name: str, source: Any, *, default: Any = None, missing: Missing = "raise") -> DocumentColumn:
    """Return a transformer that adds a column of documents to results.

    Parameters
    ----------
    name : str
        The name of the column, such as ``vertical`` or ``dwell``; the column vocabulary says what it must hold.
    source : dict, Series, DataFrame, callable, str or dataset
        Its value by ``docno``; a DataFrame of documents with the columns ``docno`` and ``name``; a function of the docno;
        or a dataset of PyTerrier or ir_datasets, or its id, of whose documents a declared field gives the column.
    default : number or str, optional
        The value of documents without one.
    missing : {"raise", "empty"}
        What to do with documents without a value where there is no default: refuse them, or leave it empty.

    Returns
    -------
    pyterrier.Transformer
        To stand in a pipeline after the retriever. It pickles if ``source`` does.

    Raises
    ------
    irmx.UsageError
        Where the source is of no such kind.
    irmx.DataError
        Where it gives a document two values, or cannot give the column at all; when results come, where one of their
        documents has no value.

    Examples
    --------
    >>> import pyterrier as pt
    >>> results = pt.new.ranked_documents([[2.0, 1.0]], docno=[["d1", "d2"]])
    >>> print(pt.irmx.column("dwell", {"d1": 12.5, "d2": 40.0})(results)[["docno", "dwell"]].to_string())
      docno  dwell
    0    d1   12.5
    1    d2   40.0
    """
    return DocumentColumn(name, source, default, missing)


def vertical(source: Any, *, default: str | None = None, missing: Missing = "raise") -> DocumentColumn:
    """Return a transformer that adds the column ``vertical``, which measures of aggregated search read.

    Parameters
    ----------
    source : dict, Series, DataFrame, callable, str or dataset
        The vertical by ``docno``; see :func:`column`.
    default : str, optional
        The vertical of documents without one; that of the general web is ``"web"``.
    missing : {"raise", "empty"}
        What to do with them where there is no default.

    Returns
    -------
    pyterrier.Transformer
        See :func:`column`, also for what is raised.

    Examples
    --------
    >>> import pyterrier as pt
    >>> results = pt.new.ranked_documents([[2.0, 1.0]], docno=[["d1", "d2"]])
    >>> pt.irmx.vertical({"d2": "image"}, default="web")(results)["vertical"].tolist()
    ['web', 'image']
    """
    return column("vertical", source, default=default, missing=missing)


def document_dates(
    source: Any, *, field: str | None = None, default: float | None = None, missing: Missing = "raise"
) -> DocumentColumn:
    """Return a transformer that adds the dates of documents as the column ``timestamp``, in seconds since 1970.

    Parameters
    ----------
    source : dict, Series, DataFrame, callable, str or dataset
        A dataset of PyTerrier or ir_datasets, or its id: the dates are looked up in the documents retrieved, each once,
        and kept in the cache. Else see :func:`column`; then a date is an ISO text, a date of Python, or seconds since 1970.
    field : str, optional
        The column of a DataFrame that has the dates; by itself ``timestamp``, or ``date`` where there is none.
    default : float, optional
        The timestamp of documents without a date, in seconds.
    missing : {"raise", "empty"}
        What to do with them where there is no default.

    Returns
    -------
    pyterrier.Transformer
        See :func:`column`.

    Raises
    ------
    irmx.DataError
        Where no field of the documents is known to be their date, or one cannot be read: years and days as numbers
        (1914, 19140728) and milliseconds are no seconds since 1970.

    Warns
    -----
    irmx.DataWarning
        Counts the documents of a dataset that have no date, and those whose date was had by a rule.

    Examples
    --------
    >>> import pandas as pd, pyterrier as pt
    >>> results = pt.new.ranked_documents([[2.0, 1.0]], docno=[["d1", "d2"]])
    >>> documents = pd.DataFrame({"docno": ["d1", "d2"], "date": ["2024-05-01T12:00:00Z", "2024-05-02"]})
    >>> pt.irmx.document_dates(documents)(results)["timestamp"].tolist()
    [1714564800.0, 1714608000.0]
    """
    if isinstance(source, pd.DataFrame):
        named = field or ("timestamp" if "timestamp" in source.columns else "date")
        source = _dated(named, of_documents("timestamp", source, named))
    elif field is not None:
        what = "dataset" if dataset_id_of(source) is not None else type(source).__name__
        raise UsageError(f"The parameter 'field' names a column of a DataFrame of documents; the source is a {what}.")
    else:
        given = look_up("timestamp", source)
        if isinstance(given, Known):
            source = _dated("timestamp", given.values)
        elif isinstance(given, Computed):
            source = partial(_seconds_by, given.function)
    return column("timestamp", source, default=default, missing=missing)


def _seconds_by(function: Callable[[str], Any], doc: str) -> Any:
    """Return the date that a function gives for a document, as seconds."""
    return _dated("timestamp", {doc: function(doc)})[doc]


def _dated(field: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return dates as seconds."""
    numbers = {doc: float(value) for doc, value in values.items() if isinstance(value, Real) and not is_missing(value)}
    docs = list(numbers)
    check_dates(np.array(list(numbers.values())), repr(field), lambda i: f"the document {docs[i]!r}")
    return {doc: _seconds(field, doc, value) for doc, value in values.items()}


def _seconds(field: str, doc: str, value: Any) -> Any:
    """Return a date as seconds; None where there is none."""
    if is_missing(value):
        return None
    try:
        if isinstance(value, Real):
            return Field("documents", "timestamp", field, "seconds").value(float(value))[0]
        return Field("documents", "timestamp", field, "iso").value(value)[0]
    except ValueError as error:
        raise DataError(f"The {field!r} of the document {doc!r} is {value!r}, which is no date: {error}.") from None
