"""Qrels of datasets with columns from the fields of their documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from irmx.adapters.ir_datasets.datasets import dataset, qrels_rows
from irmx.adapters.ir_datasets.fields import Field, declared, is_declared
from irmx.adapters.ir_datasets.lookup import values_of
from irmx.data.cells import encoded, from_ints
from irmx.data.judgments import Judgments
from irmx.data.table import Source, Table
from irmx.declare.columns import canonical_names
from irmx.errors import DataError, PluginError
from irmx.registry import registry

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx.adapters.ir_datasets.lookup import Value


def judgments(dataset_id: str, columns: Sequence[str] = ()) -> Judgments:
    """Return the qrels of a dataset with extra columns from the fields of its documents.

    Only judged documents are looked up, and each only once, because the values are kept in a cache.

    Parameters
    ----------
    dataset_id : str
        An id of ir_datasets, or of a dataset of a plugin.
    columns : sequence of str
        The extra columns; for each, a plugin declares an :class:`irmx.Field`.

    Returns
    -------
    Judgments
        With the columns; a value is missing where the document has none.

    Raises
    ------
    irmx.DataError
        If there is no such dataset, it has no qrels, or neither they nor a declared field of its documents provide a column;
        raised before anything is looked up or downloaded. Also if the documents cannot be obtained.

    Warns
    -----
    irmx.DataWarning
        Counts the documents that have no value for a column, and those whose value was derived by a rule.

    Examples
    --------
    >>> import irmx
    >>> irmx.collections.judgments("vaswani", columns=["published"])
    Traceback (most recent call last):
    ...
    irmx.errors.DataError: 'vaswani' has no 'published': ...; its documents have the fields doc_id, text, and none ...
    """
    the_dataset = dataset(dataset_id)
    present = _qrels_columns(the_dataset)
    for column in columns:
        if column not in present:
            _given_by(dataset_id, the_dataset, column)
    return _judged(dataset_id, columns)


def judgments_with(dataset_id: str, columns: Iterable[str]) -> Judgments:
    """Return the qrels of a dataset, with columns from its documents if all of the columns can be obtained.

    If one of them cannot, nothing is looked up, because the columns are needed together.
    """
    the_dataset = dataset(dataset_id)
    present = _qrels_columns(the_dataset)
    lacking = [c for c in columns if c not in present]
    fields = [declared(dataset_id, c) for c in lacking]
    can = the_dataset.has_docs() and all(f is not None and f.field in the_dataset.docs_cls()._fields for f in fields)
    return _judged(dataset_id, lacking if can else ())


class DatasetSource(Source):
    """A dataset that qrels came from."""

    def how_to_get(self, column: str) -> str:
        """Return a sentence on how the qrels get a column, empty if no field of any documents gives it."""
        if not is_declared(column):
            return ""
        try:
            field = _given_by(self.dataset_id, dataset(self.dataset_id), column)
        except DataError as error:
            return f" {error}"
        return (
            f" The field {field.field!r} of the documents of {self.dataset_id!r} gives it: "
            f"irmx.collections.judgments({self.dataset_id!r}, columns=[{column!r}])."
        )


def _qrels_columns(found: Any) -> list[str]:
    """Return the columns that the qrels of a dataset have."""
    return canonical_names("qrels", list(found.qrels_cls()._fields)) if found.has_qrels() else []


def _given_by(dataset_id: str, found: Any, column: str) -> Field:
    """Return the field of its documents that gives a column of a dataset."""
    lacks = f"{dataset_id!r} has no {column!r}: its qrels have the columns {', '.join(_qrels_columns(found)) or 'none'}"
    if not found.has_docs():
        raise DataError(f"{lacks}, and there are no documents that might give it.")
    fields = found.docs_cls()._fields
    field = declared(dataset_id, column)
    if field is None or field.field not in fields:
        why = f"none of them is declared as {column!r}" if field is None else f"not the declared one, {field.field!r}"
        raise DataError(
            f"{lacks}; its documents have the fields {', '.join(fields)}, and {why}. A plugin declares a field with the hook "
            "irmx_fields."
        )
    return field


def _judged(dataset_id: str, columns: Iterable[str]) -> Judgments:
    """Return the judgments, with columns that can be obtained."""
    try:
        table = qrels_rows(dataset_id)
        table.source = DatasetSource(dataset_id=dataset_id)
        for column in columns:
            if column not in table:
                table = table.with_column(column, _column(dataset_id, column, table))
        found = Judgments.from_table(table)
    except DataError as error:
        raise error if dataset_id in str(error) else error.at(dataset_id) from None
    if not len(found):
        raise DataError(f"The qrels {dataset_id} are empty.")
    return found


def values_in_documents(dataset_id: str, column: str, doc_ids: Sequence[str], of: str = "judged") -> dict[str, Value]:
    """Return what different documents of a dataset give for a column; ``of`` says which documents they are."""
    found = dataset(dataset_id)
    field = _given_by(dataset_id, found, column)
    return values_of(dataset_id, found, field, registry().source_of(field), doc_ids, of)


def refuse_not_given(dataset_id: str, column: str) -> None:
    """Raise if no field of the documents of a dataset gives a column."""
    _given_by(dataset_id, dataset(dataset_id), column)


def _column(dataset_id: str, column: str, table: Table) -> pa.Array:
    """Return a column over the rows of qrels."""
    import pyarrow as pa

    code, distinct_ids = encoded(table.ids("doc_id", empty=True))
    doc_ids = distinct_ids.to_pylist()
    values = values_in_documents(dataset_id, column, [d for d in doc_ids if d])
    distinct = [values[d].value if d in values else None for d in doc_ids]
    texts = [v for v in distinct if isinstance(v, str)]
    if texts and any(isinstance(v, float) for v in distinct):
        raise PluginError(f"The field of {dataset_id!r} for {column!r} gives numbers and texts, such as {texts[0]!r}.")
    of_documents = pa.array(distinct, pa.large_string() if texts else pa.float64())
    return of_documents.take(from_ints(code))
