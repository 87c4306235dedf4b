"""The host's output formats, and the one place that prints rows in them."""

from __future__ import annotations

from irmx.cli.output.delimited import Csv, Spreadsheet, Tsv
from irmx.cli.output.jsonl import Jsonl
from irmx.cli.output.markup import Html, Latex, Markdown
from irmx.cli.output.table import Table
from irmx.declare.output_format import OutputFormat
from irmx.hookspecs import hookimpl


@hookimpl
def irmx_output_formats() -> list[OutputFormat]:
    return [Table(), Tsv(), Csv(), Jsonl(), Markdown(), Latex(), Html(), Spreadsheet()]
