"""Datasets by id: those of ir_datasets, of plugins, and of packages that register theirs with ir_datasets."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from irmx.adapters.ir_datasets import plugin_datasets
from irmx.adapters.ir_datasets.plugin_datasets import failure
from irmx.data.reading import as_table
from irmx.data.table import Table
from irmx.errors import DataError, PluginWarning
from irmx.ragged import short_repr
from irmx.registry import registry
from irmx.text import suggest

if TYPE_CHECKING:
    import pyarrow as pa

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
