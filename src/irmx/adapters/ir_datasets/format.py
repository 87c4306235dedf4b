"""Ids of ir_datasets in the place of files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from irmx.data.formats import Format
from irmx.data.judgments import Judgments
from irmx.declare.columns import TableName
from irmx.errors import UsageError


class IrDatasets(Format):
    """Qrels of a dataset of ir_datasets, by its id."""

    NAME = "irds"
    SHORT_DESC = "the qrels of a dataset of ir_datasets, by its id: ID, or irds:ID"
    EXAMPLES = ("vaswani", "irds:disks45/nocr/trec-robust-2004")
    TABLES: ClassVar[tuple[TableName, ...]] = ("qrels",)
    IDS = True

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """No file is a dataset."""
        return False

    def read(self, table: TableName, path: Path, content: bytes) -> Any:
        """Refuse to read a file."""
        raise UsageError(f"irds: stands before the id of a dataset, whose qrels are read. Got {path} as a {table}.")

    def judgments(self, dataset_id: str, columns: Sequence[str]) -> Judgments:
        """Return the qrels of a dataset, with columns that fields of its documents give."""
        from irmx.adapters.ir_datasets.judgments_of import judgments_with

        return judgments_with(dataset_id, columns)
