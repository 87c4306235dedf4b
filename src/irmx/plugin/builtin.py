"""The host's own formats, registered through the hooks that plugins use."""

from __future__ import annotations

from irmx.adapters.ir_datasets.datasets import IrDatasets
from irmx.data.formats import Format
from irmx.data.parquet import Parquet
from irmx.data.text_formats import Csv, Jsonl, Trec, Tsv
from irmx.hookspecs import hookimpl


@hookimpl
def irmx_formats() -> list[Format]:
    return [Trec(), Csv(), Tsv(), Jsonl(), Parquet(), IrDatasets()]
