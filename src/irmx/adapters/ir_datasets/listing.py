"""What datasets have, read from their declarations: the classes of their qrels and documents, and the table of fields."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from irmx.adapters.ir_datasets import plugin_datasets
from irmx.adapters.ir_datasets.datasets import Dataset
from irmx.adapters.ir_datasets.fields import Field
from irmx.declare.columns import REQUIRED, canonical_names
from irmx.registry import registry


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
