"""Collections through ir_datasets, in both directions: ids to qrels, and plugins' datasets to ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irmx.errors import DataError, suggest

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Dataset:
    """A dataset to register with ir_datasets; a plugin returns instances from ``irmx_datasets``.

    Attributes
    ----------
    NAME : str
        The ir_datasets id.
    load : callable
        Returns the ``ir_datasets.Dataset``; called when the id is first used.
    """

    NAME: str
    load: Callable[[], Any]


def dataset(dataset_id: str) -> Any:
    """Return a dataset of ir_datasets by id, those of plugins included.

    Raises
    ------
    irmx.errors.DataError
        Where no dataset has the id; names the nearest.
    """
    import ir_datasets

    from irmx.plugins import registry

    offered = registry().datasets()
    if dataset_id in offered and dataset_id not in ir_datasets.registry:
        ir_datasets.registry.register(dataset_id, offered[dataset_id].load())
    try:
        return ir_datasets.load(dataset_id)
    except KeyError:
        known = [*offered, *map(str, ir_datasets.registry)]
        raise DataError(
            f"{dataset_id!r} is neither a file nor a dataset id of ir_datasets.{suggest(dataset_id, known)}"
        ) from None


def qrels_table(dataset_id: str) -> pa.Table:
    """Return the qrels of a dataset as a table with all their fields."""
    from irmx.tables import as_table

    found = dataset(dataset_id)
    if not found.has_qrels():
        raise DataError(f"The dataset {dataset_id!r} has no qrels. Name a part of it that does, or a qrels file.")
    try:
        return as_table("qrels", found.qrels_iter())
    except (OSError, RuntimeError) as error:
        raise DataError(
            f"The qrels of {dataset_id!r} could not be had: {error}. Is the network there, or the file already downloaded?"
        ) from error
