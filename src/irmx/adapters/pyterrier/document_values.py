"""Where the values of a column come from: a mapping, a table of documents, a function, or the documents of a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from irmx.errors import DataError, UsageError

LookUp = Callable[[Sequence[str]], Mapping[str, Any]]
"""Returns what is known of different documents."""


@dataclass(frozen=True)
class Known:
    """Values that are at hand."""

    values: Mapping[str, Any]

    def __call__(self, docs: Sequence[str]) -> Mapping[str, Any]:
        return self.values


@dataclass(frozen=True)
class Computed:
    """Values that a function gives for one document."""

    function: Callable[[str], Any]

    def __call__(self, docs: Sequence[str]) -> Mapping[str, Any]:
        return {doc: self.function(doc) for doc in docs}


@dataclass(frozen=True)
class Fields:
    """Values that a declared field of the documents of a dataset gives; see :class:`irmx.Field`."""

    dataset_id: str
    column: str

    def __post_init__(self) -> None:
        from irmx.adapters.ir_datasets.judgments_of import refuse_not_given

        refuse_not_given(self.dataset_id, self.column)

    def __call__(self, docs: Sequence[str]) -> Mapping[str, Any]:
        from irmx.adapters.ir_datasets.judgments_of import values_in_documents

        found = values_in_documents(self.dataset_id, self.column, docs, of="retrieved")
        return {doc: value.value for doc, value in found.items()}


def look_up(column: str, source: Any, field: str | None = None) -> LookUp:
    """Return the function that looks documents up in a source of any kind; a table may call the column otherwise."""
    if isinstance(source, pd.DataFrame):
        return Known(of_documents(column, source, field or column))
    if field is not None:
        what = "dataset" if dataset_id_of(source) is not None else type(source).__name__
        raise UsageError(f"The parameter 'field' names a column of a DataFrame of documents; the source is a {what}.")
    if isinstance(source, pd.Series):
        return Known(_by_document(column, source.index.tolist(), source.tolist()))
    if isinstance(source, Mapping):
        return Known({str(doc): value for doc, value in source.items()})
    dataset_id = dataset_id_of(source)
    if dataset_id is not None:
        return Fields(dataset_id, column)
    if callable(source):
        return Computed(source)
    raise UsageError(
        f"The {column!r} of documents is given by a dict, a Series by docno, a DataFrame with the columns docno and {column}, "
        f"a function of the docno, or a dataset of ir_datasets. Got {type(source).__name__} instead."
    )


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
