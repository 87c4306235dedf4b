"""The host's own formats, fields and commands, registered through the hooks that plugins use."""

from __future__ import annotations

from irmx.adapters.ir_datasets.fields import FIELDS, Field
from irmx.adapters.ir_datasets.format import IrDatasets
from irmx.data.formats.base import Format
from irmx.data.formats.table import Csv, Jsonl, Parquet, Tsv
from irmx.data.formats.trec import Trec
from irmx.declare.command import Command
from irmx.hookspecs import hookimpl


@hookimpl
def irmx_formats() -> list[Format]:
    return [Trec(), Csv(), Tsv(), Jsonl(), Parquet(), IrDatasets()]


@hookimpl
def irmx_fields() -> tuple[Field, ...]:
    return FIELDS


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command("eval", "irmx.cli.eval:evaluate"),
        Command("measures", "irmx.cli.measures:measures"),
        Command("plugins", "irmx.cli.plugins:plugins"),
        Command("datasets", "irmx.cli.datasets:datasets"),
        Command("explain", "irmx.cli.explain:explain"),
        Command("sweep", "irmx.cli.sweep:sweep"),
        Command("cite", "irmx.cli.cite:cite"),
        Command("demo", "irmx.cli.demo:demo"),
        Command("new-plugin", "irmx.cli.new_plugin:new_plugin"),
    ]
