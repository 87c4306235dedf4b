"""PyTerrier: its measures and columns for pipelines; :mod:`irmx.pt` has the public names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyterrier as pt

from irmx.adapters.ir_datasets import Field, Parsed
from irmx.data.judgments import Judgments
from irmx.data.reading import read_qrels
from irmx.data.table import check_dates
from irmx.declare.columns import BASE
from irmx.errors import DataError, UsageError

# -- transformers that give the results of a pipeline a column which a measure reads ---------------------------------


Missing = Literal["raise", "empty"]


class DocumentColumn(pt.Transformer):
    """Adds a column of documents to results; the rows and their order stay. Made by :func:`column`, with its parameters.

    Needs the column ``docno``; replaces a column of the same name.
    """

    def __init__(
        self,
        column: str,
        source: Any,
        field: str | None = None,
        form: str | Callable[[Any], Parsed] | None = None,
        default: Any = None,
        missing: Missing = "raise",
    ) -> None:
        if missing not in ("raise", "empty"):
            raise UsageError(f"The parameter 'missing' must be 'raise' or 'empty'. Got {missing!r} instead.")
        if default is not None and missing == "empty":
            raise UsageError(
                "Documents without a value have the default, or stay empty; 'default' and 'missing' were given."
            )
        self.column, self.source, self.default, self.missing = column, source, default, missing
        self._written = None if form is None else Field("documents", field or column, field or column, form)
        self._known: Mapping[str, Any] | None = None
        self._dataset_id: str | None = None
        if isinstance(source, pd.DataFrame):
            self._known = of_documents(column, source, field or column)
        elif isinstance(source, pd.Series):
            self._known = _by_document(column, source.index.tolist(), source.tolist())
        elif isinstance(source, Mapping):
            self._known = {str(doc): value for doc, value in source.items()}
        else:
            self._dataset_id = dataset_id_of(source)
        if field is not None and not isinstance(source, pd.DataFrame):
            what = type(source).__name__ if self._dataset_id is None else "dataset"
            raise UsageError(
                f"The parameter 'field' names a column of a DataFrame of documents; the source is a {what}."
            )
        if self._dataset_id is not None:
            from irmx.adapters.ir_datasets import refuse_not_given

            if form is not None:
                raise UsageError(
                    "The parameter 'form' goes with values that are given; the fields of a dataset have declared forms."
                )
            refuse_not_given(self._dataset_id, column)
        elif self._known is None and not callable(source):
            raise UsageError(
                f"The {column!r} of documents is given by a dict, a Series by docno, a DataFrame with the columns docno and "
                f"{column}, a function of the docno, or a dataset of ir_datasets. Got {type(source).__name__} instead."
            )
        if self._known is not None and self._written is not None:
            self._known = _values(self._written, self._known)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results with the column.

        Raises
        ------
        irmx.DataError
            If a document has no value, unless there is a default or it may be empty.
        """
        pt.validate.columns(inp, includes=["docno"])
        docs = inp["docno"].astype(str).tolist()
        distinct = list(dict.fromkeys(docs))
        found = self._look_up(distinct) if distinct else {}
        known = {doc: found[doc] for doc in distinct if doc in found and not is_missing(found[doc])}
        lacking = [doc for doc in distinct if doc not in known]
        if lacking and self.default is None and self.missing == "raise":
            raise DataError(
                f"{len(lacking)} of {len(distinct)} retrieved documents have no {self.column!r}, such as {lacking[0]!r}. Give "
                "them one, or say what they have instead with default=...; missing='empty' leaves it empty."
            )
        values = pd.Series([known.get(doc, self.default) for doc in docs], index=inp.index)
        return inp.assign(**{self.column: values})

    def _look_up(self, docs: Sequence[str]) -> Mapping[str, Any]:
        """Return what is known of documents."""
        if self._known is not None:
            return self._known
        if self._dataset_id is not None:
            from irmx.adapters.ir_datasets import values_in_documents

            found = values_in_documents(self._dataset_id, self.column, docs, of="retrieved")
            return {doc: value.value for doc, value in found.items()}
        computed = {doc: self.source(doc) for doc in docs}
        return computed if self._written is None else _values(self._written, computed)

    def __repr__(self) -> str:
        return f"irmx.column({self.column!r})"


def column(
    name: str,
    source: Any,
    *,
    field: str | None = None,
    form: str | Callable[[Any], Parsed] | None = None,
    default: Any = None,
    missing: Missing = "raise",
) -> DocumentColumn:
    """Return a transformer that adds a column of documents to results.

    Parameters
    ----------
    name : str
        The name of the column; :func:`irmx.toolkit.vocabulary` says what it must hold.
    source : dict, Series, DataFrame, callable, str or dataset
        Its value by ``docno``; a DataFrame of documents with the columns ``docno`` and ``name``; a function of the docno;
        or a dataset of PyTerrier or ir_datasets, or its id, of whose documents a declared field gives the column. These
        documents are looked up as they are retrieved, each once, and what they give is kept in the cache.
    field : str, optional
        The column of a DataFrame that has the values, where it is not called ``name``.
    form : str or callable, optional
        How values are written that are not yet what the column holds. ``"date"``: ISO texts, dates of Python, or seconds
        since 1970, of which it makes seconds since 1970; or what :class:`irmx.Field` takes. Fields of a dataset are
        declared with their forms.
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
        If the source is of no such kind.
    irmx.DataError
        If it gives a document two values, one not of the form, or cannot give the column at all: years and days as
        numbers (1914, 19140728) and milliseconds are no seconds since 1970. When results come, where one of their
        documents has no value.

    Warns
    -----
    irmx.DataWarning
        Counts the documents of a dataset that have no value, and those whose value was found by a rule.

    Examples
    --------
    >>> import pandas as pd, pyterrier as pt
    >>> results = pt.new.ranked_documents([[2.0, 1.0]], docno=[["d1", "d2"]])
    >>> print(pt.irmx.column("clicks", {"d1": 12, "d2": 40})(results)[["docno", "clicks"]].to_string())
      docno  clicks
    0    d1      12
    1    d2      40
    >>> pt.irmx.column("genre", {"d2": "essay"}, default="report")(results)["genre"].tolist()
    ['report', 'essay']
    >>> documents = pd.DataFrame({"docno": ["d1", "d2"], "date": ["2024-05-01T12:00:00Z", "2024-05-02"]})
    >>> pt.irmx.column("published", documents, field="date", form="date")(results)["published"].tolist()
    [1714564800.0, 1714608000.0]
    """
    return DocumentColumn(name, source, field, form, default, missing)


def of_documents(column: str, documents: pd.DataFrame, field: str) -> dict[str, Any]:
    """Return a field of a table of documents by document."""
    name = "docno" if "docno" in documents.columns else "doc_id"
    for needed in (name, field):
        if needed not in documents.columns:
            raise DataError(
                f"The table of documents lacks the column {'docno' if needed == name else field!r}. It has: "
                f"{', '.join(map(str, documents.columns)) or 'none'}."
            )
    return _by_document(column, documents[name].tolist(), documents[field].tolist())


def _by_document(column: str, docs: list[Any], values: list[Any]) -> dict[str, Any]:
    """Return values by document; a document may stand twice with one value, but not with two."""
    pairs = list(dict.fromkeys((str(doc), None if is_missing(v) else v) for doc, v in zip(docs, values, strict=True)))
    often = Counter(doc for doc, _ in pairs).most_common(1)
    if often and often[0][1] > 1:
        doc = often[0][0]
        raise DataError(f"The document {doc!r} has more than one {column!r}: {[v for d, v in pairs if d == doc]}.")
    return dict(pairs)


def dataset_id_of(source: Any) -> str | None:
    """Return the id of a dataset of PyTerrier or ir_datasets, or of its name; None if it is no such thing."""
    if isinstance(source, str):
        return source.removeprefix("irds:")
    if hasattr(source, "irds_ref"):
        source = source.irds_ref()
    named = getattr(source, "dataset_id", None)
    return str(named()) if callable(named) else None


def is_missing(value: Any) -> bool:
    """Tell whether a value is none: None, NaN, NaT or an empty text."""
    return value is None or value is pd.NaT or value != value or (isinstance(value, str) and not value)


def _values(field: Field, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return what values by document say, None if there is none."""
    written = {doc: None if is_missing(value) else value for doc, value in written.items()}
    if field.form == "date":
        numbers = {doc: float(value) for doc, value in written.items() if isinstance(value, Real)}
        docs = list(numbers)
        check_dates(np.array(list(numbers.values())), repr(field.field), lambda i: f"the document {docs[i]!r}")
    values = {}
    for doc, value in written.items():
        try:
            values[doc] = None if value is None else field.value(value)[0]
        except ValueError as error:
            raise DataError(
                f"The {field.field!r} of the document {doc!r} is {value!r}, which is not of the form {field.form}: {error}."
            ) from None
    return values


# -- judgments with all their columns as PyTerrier takes them --------------------------------------------------------


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
    frame = pd.DataFrame({name: _values_of(found, name) for name in found.columns})
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
        from irmx.adapters.ir_datasets import refuse_not_given

        refuse_not_given(found.source.dataset_id, column)
    raise DataError(f"The qrels lack the column {column!r}. They have: {', '.join(found.columns)}.")


def _values_of(found: Judgments, name: str) -> Any:
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
