"""A table for reading on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from irmx.declare.output_format import Layout, Report, Result

UNLIMITED = 10_000
"""Width for a table that goes to a file."""


class TableReport(Report):
    """A row a run, or a row a topic with ``-q``; a column a measure."""

    NAME = "table"
    DESCRIPTION = "a table to read: a row a run (with -q a row a topic), a column a measure"

    def write(self, results: Iterable[Result], layout: Layout, out: TextIO) -> None:
        """Write one table when all results are there."""
        from rich import box
        from rich.cells import cell_len
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
        names = [*keys, *measures]
        least = [max((cell_len(row[i]) for row in cells), default=1) for i in range(len(names))]
        console = Console(file=out, markup=False, highlight=False, emoji=False)
        around = 3 * len(names) + 1  # padding, borders
        room = console.width - around if out.isatty() else UNLIMITED
        widths = fitted_widths(
            [max(cell_len(name), width) for name, width in zip(names, least, strict=True)], least, room
        )
        table = Table(box=box.SIMPLE_HEAD)
        for i, (name, width) in enumerate(zip(names, widths, strict=True)):
            table.add_column(name, justify="left" if i < len(keys) else "right", overflow="fold", width=width)
        for row in cells:
            table.add_row(*row)
        console.size = (sum(widths) + around, console.height)
        console.print(table)


def fitted_widths(widths: list[int], least: list[int], room: int) -> list[int]:
    """Return the widths of the columns of a printed table that together need at most the room, the widest narrowed first.

    Names of measures may be folded, numbers and names of runs may not: no column gets less than its least.

    Parameters
    ----------
    widths, least : list of int
        What every column needs to be whole, and at least, in characters.
    room : int
        What all columns have together.

    Examples
    --------
    >>> fitted_widths([10, 40, 20], [10, 6, 6], 40), fitted_widths([10, 40, 20], [10, 6, 6], 1)
    ([10, 15, 15], [10, 6, 6])
    """
    widths = list(widths)
    while sum(widths) > room and any(w > s for w, s in zip(widths, least, strict=True)):
        widest = max((i for i in range(len(widths)) if widths[i] > least[i]), key=lambda i: widths[i])
        widths[widest] -= 1
    return widths
