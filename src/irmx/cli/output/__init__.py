"""The host's output formats."""

from __future__ import annotations

from irmx.cli.output.jsonl import JsonlReport
from irmx.cli.output.table import TableReport
from irmx.cli.output.tsv import TsvReport
from irmx.declare.output_format import Report
from irmx.hookspecs import hookimpl


@hookimpl
def irmx_reports() -> list[Report]:
    return [TsvReport(), JsonlReport(), TableReport()]
