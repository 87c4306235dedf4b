"""A table for reading on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from irmx.declare.output_format import OutputFormat, PrintedRows, visible

_UNLIMITED = 10_000
"""The width of a table that goes to a file."""
_FOLDED = 12
"""The minimum width of a column of measures or of several words; ids and names of runs are not folded."""


class Table(OutputFormat):
    """A table that fits the terminal: texts and column names are folded, numbers never.

    If that is not enough, the table is transposed: the column names are on the left, and every row becomes a column.
    """

    NAME = "table"
    SHORT_DESC = "a table for reading, as wide as the terminal"
    WIDE = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        from rich import box
        from rich.console import Console
        from rich.table import Table

        console = Console(file=out, markup=False, highlight=False, emoji=False)
        room = console.width if out.isatty() else _UNLIMITED
        shown = _columns(rows, room)
        widths = [column.most for column in shown]
        for least in ([column.unfolded for column in shown], [column.least for column in shown]):  # names fold first
            widths = _fitted(widths, least, room - _size([0] * len(shown)))
        table = Table(
            box=box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
            show_header=any(c.name for c in shown),
            show_footer=bool(rows.footer),
        )
        for column, width in zip(shown, widths, strict=True):
            name = column.name if len(column.name) <= width else column.name.replace("_", " ")
            table.add_column(
                name, column.footer, justify="left" if column.left else "right", overflow="fold", width=width
            )
        for cells in zip(*(column.cells for column in shown), strict=True):
            table.add_row(*cells)
        console.size = (max(_size(widths), 1), console.height)
        console.print(table)


class _Column:
    """A column of the printed table; its name may be folded between words, and so may cells that are not numbers."""

    def __init__(
        self, name: str, cells: Sequence[str], folds: Sequence[bool], left: bool = False, footer: str = ""
    ) -> None:
        from rich.cells import cell_len

        self.name, self.cells, self.left, self.footer = name, cells, left, footer
        widths = [cell_len(cell) for cell in cells]
        self.most = max([cell_len(name), cell_len(footer), *widths])
        fixed = [
            min(w, _FOLDED) if f and set(cell) & set("( ") else w
            for cell, w, f in zip(cells, widths, folds, strict=True)
        ]
        parts = [] if "(" in name else name.split("_")  # the name of a measure may be folded anywhere
        folded = max([cell_len(footer), *map(cell_len, parts), 1])
        self.unfolded, self.least = max([folded, *widths]), max([folded, *fixed])


def _columns(rows: PrintedRows, room: int) -> list[_Column]:
    """Return the columns; transposed if they do not fit into the room and their transpose does."""
    names, lines, numbers = [visible(name) for name in rows.names], rows.texts(), rows.of_numbers()
    cells = list(zip(*lines, strict=True)) or [()] * len(names)
    footer = rows.line(rows.footer)
    upright = [
        _Column(name, of_name, [not n] * len(of_name), not n, total)
        for name, of_name, n, total in zip(names, cells, numbers, footer, strict=True)
    ]
    if rows.footer or not lines or _size([c.least for c in upright]) <= room:
        return upright
    turned = [_Column("", names, [False] * len(names), True)]
    turned += [_Column("", line, [not n for n in numbers]) for line in lines]
    return turned if _size([c.least for c in turned]) <= room else upright


def _size(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * len(widths) + 1  # a space on the right, and the border


def _fitted(widths: list[int], least: Sequence[int], room: int) -> list[int]:
    """Return widths that together fit into the room: the widest column is narrowed first, none below its minimum.

    >>> _fitted([10, 40, 20], [10, 6, 6], 40), _fitted([10, 40, 20], [10, 6, 6], 1)
    ([10, 15, 15], [10, 6, 6])
    """
    while sum(widths) > room and any(w > s for w, s in zip(widths, least, strict=True)):
        widest = max((i for i in range(len(widths)) if widths[i] > least[i]), key=lambda i: widths[i])
        widths[widest] -= 1
    return widths
