"""Datasets by id: those of ir_datasets, of plugins, and of packages that register theirs with ir_datasets."""

from __future__ import annotations

import contextlib
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from irmx.adapters.ir_datasets import plugin_datasets
from irmx.adapters.ir_datasets.fields import Field, declared, is_declared
from irmx.adapters.ir_datasets.plugin_datasets import failure
from irmx.data.cells import encoded, from_ints
from irmx.data.judgments import Judgments
from irmx.data.reading import as_table
from irmx.data.table import Source, Table
from irmx.declare.columns import REQUIRED, canonical_names
from irmx.errors import DataError, PluginError, PluginWarning
from irmx.ragged import short_repr
from irmx.registry import registry
from irmx.text import suggest

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx.adapters.ir_datasets.lookup import Value


# -- datasets by id --------------------------------------------------------------------------------------------------


ELSEWHERE = {"longeval-": "ir_datasets_longeval"}
"""Prefixes of ids that another package registers, and its module, whose function ``register`` takes the id."""


@dataclass(frozen=True)
class Dataset:
    """A dataset to register with ir_datasets; a plugin returns instances from ``irmx_datasets``.

    Attributes
    ----------
    NAME : str
        The ir_datasets id.
    load : callable
        Returns the ``ir_datasets.Dataset``; called when the id is first used. It declares classes and downloads nothing.
    """

    NAME: str
    load: Callable[[], Any]

    __repr__ = short_repr


def dataset(dataset_id: str) -> Any:
    """Return a dataset of ir_datasets by id, those of plugins included.

    Raises
    ------
    irmx.errors.DataError
        If no dataset has the id; the message suggests the closest.
    """
    import ir_datasets

    offered = registry().datasets()
    if dataset_id in offered:
        if not plugin_datasets.is_taken(dataset_id):
            return plugin_datasets.load(dataset_id)
        source = registry().source_of(offered[dataset_id])
        warnings.warn(
            f"{source} claims the dataset {dataset_id!r}, which ir_datasets already has: the one of ir_datasets is used.",
            PluginWarning,
            stacklevel=2,
        )
    if dataset_id not in ir_datasets.registry:
        _register_elsewhere(dataset_id)
    try:
        return ir_datasets.load(dataset_id)
    except KeyError:
        known = [*offered, *map(str, ir_datasets.registry)]
        raise DataError(
            f"{dataset_id!r} is neither a file nor a dataset id of ir_datasets.{suggest(dataset_id, known)}"
        ) from None


def _register_elsewhere(dataset_id: str) -> None:
    """Let another package register a dataset, if it is one of its datasets."""
    for start, module in ELSEWHERE.items():
        if not dataset_id.startswith(start):
            continue
        try:
            import_module(module).register(dataset_id)
        except ImportError as error:
            raise DataError(
                f"{dataset_id!r} is a dataset of the package {module.replace('_', '-')}, which cannot be imported ({error}). "
                f"To get it: python -m pip install {module.replace('_', '-')}."
            ) from None
        except Exception as error:
            raise DataError(
                f"The package {module.replace('_', '-')} could not register {dataset_id!r}: {failure(error)}"
            ) from error


def qrels_table(dataset_id: str) -> pa.Table:
    """Return the qrels of a dataset as a table with all their fields."""
    return qrels_rows(dataset_id).arrow()


def qrels_rows(dataset_id: str) -> Table:
    """Return the qrels of a dataset with all their fields, as irmx reads them."""
    found = dataset(dataset_id)
    if not found.has_qrels():
        raise DataError(f"The dataset {dataset_id!r} has no qrels. Name a subset of it that does, or a qrels file.")
    try:
        return as_table("qrels", found.qrels_iter())
    except (OSError, RuntimeError) as error:
        raise DataError(
            f"The qrels of {dataset_id!r} cannot be read: {failure(error)} Is the network reachable, or the file already "
            "downloaded?"
        ) from error


# -- qrels of datasets with columns from the fields of their documents -----------------------------------------------


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
    from irmx.adapters.ir_datasets.lookup import values_of

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


# -- what datasets have ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listed:
    """A dataset with qrels, as its declarations describe it."""

    NAME: str
    source: str
    qrels: tuple[str, ...]
    columns: dict[str, str] = field(default_factory=dict)


def listed() -> tuple[list[Listed], dict[str, str]]:
    """Return all datasets with qrels, and the ids of those that cannot be inspected, with the reason.

    Only declarations are read: nothing is downloaded, and no file of a dataset is opened.
    """
    import ir_datasets

    offered = {n: d for n, d in registry().datasets().items() if not plugin_datasets.is_taken(n)}
    found, failed = [], {}
    fields = registry().fields()
    for dataset_id in dict.fromkeys([*ir_datasets.registry, *offered]):
        try:
            with _quiet():
                dataset = (
                    plugin_datasets.load(dataset_id) if dataset_id in offered else ir_datasets.registry[dataset_id]
                )
            if not hasattr(dataset, "deprecated") and dataset.has_qrels():
                found.append(described(dataset_id, dataset, offered.get(dataset_id), fields))
        except Exception as error:
            failed[dataset_id] = f"{type(error).__name__}: {error}"
    return sorted(found, key=lambda one: one.NAME), failed


def described(dataset_id: str, dataset: Any, offer: Dataset | None, fields: list[Field]) -> Listed:
    """Return what the declarations of one dataset say.

    Of the fields that the classes of ir_datasets itself have, only ``subtopic_id`` is a column of the vocabulary:
    ``iteration`` is the second column of a TREC file, 0 nearly everywhere, and ``length`` is not in words.
    """
    kind = _of(dataset.qrels_cls)
    names = ["subtopic_id"] if kind.__module__.partition(".")[0] == "ir_datasets" else list(kind._fields)
    own = canonical_names("qrels", [name for name in names if name in kind._fields])
    columns = {name: "qrels" for name in own if name not in REQUIRED["qrels"]}
    of_documents = _of(dataset.docs_cls)._fields if dataset.has_docs() else ()
    for one in sorted((f for f in fields if f.covers(dataset_id)), key=lambda f: -len(f.NAME)):
        if one.field in of_documents:
            columns.setdefault(one.column, one.field)
    source = "ir_datasets" if offer is None else registry().source_of(offer)
    return Listed(dataset_id, source, tuple(kind._fields), columns)


def _of(declaration: Callable[[], Any]) -> Any:
    """Return what a method of a dataset returns, without the tidying of old files that ir_datasets puts before it."""
    return inspect.unwrap(declaration)()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep ir_datasets from warning about every id that has been renamed."""
    name = "IR_DATASETS_SKIP_DEPRECATED_WARNING"
    before = os.environ.get(name)
    os.environ[name] = "true"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
