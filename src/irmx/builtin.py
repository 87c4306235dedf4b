"""The host's own formats, commands and reports, registered through the hooks that plugins use."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from irmx.cli.command import Command
from irmx.collections.fields import FIELDS, Field
from irmx.formats.base import Format
from irmx.formats.table import Csv, Jsonl, Parquet, Tsv
from irmx.formats.trec import Trec
from irmx.hookspecs import hookimpl
from irmx.reports.base import Report
from irmx.reports.jsonl import JsonlReport
from irmx.reports.table import TableReport
from irmx.reports.tsv import TsvReport

_COMMANDS = ("eval", "measures", "plugins", "datasets", "explain", "sweep", "cite", "demo", "new-plugin")


@hookimpl
def irmx_formats() -> list[Format]:
    return [Trec(), Csv(), Tsv(), Jsonl(), Parquet()]


@hookimpl
def irmx_fields() -> tuple[Field, ...]:
    return FIELDS


@hookimpl
def irmx_reports() -> list[Report]:
    return [TsvReport(), JsonlReport(), TableReport()]


@hookimpl
def irmx_commands() -> list[Command]:
    return [Command(name, _loader(name)) for name in _COMMANDS]


def _loader(name: str) -> Callable[[], Callable[..., Any]]:
    module = name.replace("-", "_")
    return lambda: getattr(import_module(f"irmx.cli.{module}"), module if module != "eval" else "evaluate")
