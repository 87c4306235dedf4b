"""A table for reading on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from irmx.reports.base import Layout, Report, Result


class TableReport(Report):
    """A row a run, or a row a topic with ``-q``; a column a measure."""

    NAME = "table"
    DESCRIPTION = "a table to read: a row a run (with -q a row a topic), a column a measure"

    def write(self, results: Iterable[Result], layout: Layout, out: TextIO) -> None:
        """Write one table when all results are there."""
        from rich import box
        from rich.console import Console
        from rich.table import Table

        rows: dict[tuple[str, str], dict[str, str]] = {}
        for r in results:
            rows.setdefault((r.run, r.query_id), {})[str(r.measure)] = layout.number(r.value)
        measures = [str(m) for m in layout.measures]
        keys = (["run"] if layout.several_runs or not layout.by_query else []) + (["topic"] if layout.by_query else [])
        cells = [
            [c for c, k in ((run, "run"), (topic, "topic")) if k in keys] + [values.get(m, "") for m in measures]
            for (run, topic), values in rows.items()
        ]
        table = Table(box=box.SIMPLE_HEAD)
        for i, name in enumerate([*keys, *measures]):
            table.add_column(name, justify="left" if i < len(keys) else "right", overflow="fold", no_wrap=i < len(keys))
        for row in cells:
            table.add_row(*row)
        width = None if out.isatty() else 10_000
        Console(file=out, width=width, markup=False, highlight=False, emoji=False).print(table)
