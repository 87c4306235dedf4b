"""A table for reading on a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, TextIO

from irmx.declare.output_format import OutputFormat, PrintedRows
from irmx.errors import visible

if TYPE_CHECKING:
    from rich.console import Console

_UNLIMITED = 10_000
"""The width of a table that goes to a file."""
_FOLDED = 12
"""The minimum width of a column of measures or of several words, if its words are not longer; ids are not folded."""


class Table(OutputFormat):
    """A table that fits the terminal: texts and column names are folded between words, numbers never.

    If that is not enough, the table is transposed: the column names are on the left, and every row becomes a column. If that
    is too wide, too, the table is printed in parts, each with some of the columns, after the texts that every row begins with.
    """

    NAME = "table"
    SHORT_DESC = "a table for reading, as wide as the terminal"
    WIDE = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        from rich.console import Console

        console = Console(file=out, markup=False, highlight=False, emoji=False)
        room = console.width if out.isatty() else _UNLIMITED
        for part in _parts(_columns(rows, room), room):
            _print(part, room, bool(rows.footer), console)


class _Column:
    """A column of the printed table; its name may be folded between words, and so may cells that are not numbers."""

    def __init__(
        self, name: str, cells: Sequence[str], folds: Sequence[bool], left: bool = False, footer: str = ""
    ) -> None:
        from rich.cells import cell_len

        self.name, self.cells, self.left, self.footer = name, cells, left, footer
        widths = [cell_len(cell) for cell in cells]
        self.most = max([cell_len(name), cell_len(footer), *widths, 1])
        least = [
            max(min(w, _FOLDED), _longest(cell)) if f else w for cell, w, f in zip(cells, widths, folds, strict=True)
        ]
        folded = max(cell_len(footer), _longest(_words(name)), 1)
        self.unfolded, self.least = max([folded, *widths]), max([folded, *least])


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


def _parts(columns: list[_Column], room: int) -> list[list[_Column]]:
    """Return the columns in parts that fit into the room, each after the columns of texts on the left."""
    texts = list(takewhile(lambda column: column.left, columns))
    parts = [texts]
    for column in columns[len(texts) :]:
        if len(parts[-1]) > len(texts) and _size([c.least for c in [*parts[-1], column]]) > room:
            parts.append(texts)
        parts[-1] = [*parts[-1], column]
    return parts


def _print(columns: list[_Column], room: int, footer: bool, console: Console) -> None:
    """Print columns as one table."""
    from rich import box
    from rich.table import Table

    widths = [column.most for column in columns]
    for least in ([column.unfolded for column in columns], [column.least for column in columns]):  # names fold first
        widths = _fitted(widths, least, room - _size([0] * len(columns)))
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_header=any(column.name for column in columns),
        show_footer=footer,
    )
    for column, width in zip(columns, widths, strict=True):
        name = column.name if len(column.name) <= width else _folded(_words(column.name), width)
        table.add_column(name, column.footer, justify="left" if column.left else "right", overflow="fold", width=width)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*(_folded(cell, width) for cell, width in zip(cells, widths, strict=True)))
    console.size = (max(_size(widths), 1), console.height)
    console.print(table)


def _words(name: str) -> str:
    """Return the name of a column as words; that of a measure, in which ``_`` has its own meaning, stays as it is."""
    return name if "(" in name else name.replace("_", " ")


def _pieces(text: str) -> list[str]:
    """Return the pieces between which a text may be folded.

    >>> _pieces("MP(model=GL_AD_LID,rescale='recall') difference")
    ['MP', '(model=', 'GL_AD_LID,', 'rescale=', "'recall') ", 'difference']
    """
    return [piece for piece in re.split(r"(?<=[ ,=|])|(?=\()", text) if piece]


def _longest(text: str) -> int:
    from rich.cells import cell_len

    return max((cell_len(piece.rstrip()) for piece in _pieces(text)), default=0)


def _folded(text: str, width: int) -> str:
    r"""Return a text with line ends between its pieces, so that no line is wider than a width if no piece is.

    >>> _folded("MP(model=GL_AD_ID) difference", 12)
    'MP(model=\nGL_AD_ID)\ndifference'
    """
    from rich.cells import cell_len

    lines = [""]
    for piece in _pieces(text) if cell_len(text) > width else [text]:
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines) if len(lines) > 1 else text


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
