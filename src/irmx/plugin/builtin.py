"""The host's own formats, registered through the hooks that plugins use."""

from __future__ import annotations

from irmx.adapters.ir_datasets.format import IrDatasets
from irmx.data.formats.base import Format
from irmx.data.formats.table import Csv, Jsonl, Parquet, Tsv
from irmx.data.formats.trec import Trec
from irmx.hookspecs import hookimpl


@hookimpl
def irmx_formats() -> list[Format]:
    return [Trec(), Csv(), Tsv(), Jsonl(), Parquet(), IrDatasets()]
