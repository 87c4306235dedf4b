"""The output formats of the host: tables for reading and for papers, lines for other programs."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from numbers import Integral, Real
from typing import Any, TextIO

from irmx.declare.described import OutputFormat, PrintedRows, html_table
from irmx.hookspecs import hookimpl
from irmx.text import INVISIBLE, visible


class Table(OutputFormat):
    """A table for reading: on a terminal, texts and the names of columns are folded between words until it fits; numbers never are."""

    NAME = "table"
    SHORT_DESC = "a table for reading, as wide as the terminal if possible"
    FOR_READING = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        from rich import box
        from rich.cells import cell_len
        from rich.console import Console
        from rich.table import Table

        console = Console(file=out, markup=False, highlight=False, emoji=False)
        of_numbers, footer = rows.of_numbers(), rows.line(rows.footer)
        cells = list(zip(*rows.texts(), strict=True)) or [()] * len(rows.names)
        names = [visible(name) if "(" in name else visible(name).replace("_", " ") for name in rows.names]
        whole = [
            max(map(cell_len, (*of_column, total, name, " ")))
            for name, of_column, total in zip(names, cells, footer, strict=True)
        ]
        numbers = [max(map(cell_len, (*of_column, total, " "))) for of_column, total in zip(cells, footer, strict=True)]
        heads = [max(_longest(name), width) for name, width in zip(names, numbers, strict=True)]
        least = [
            head
            if is_number
            else max(
                _longest(name), *(min(cell_len(cell), max(_FOLDED, _longest(cell))) for cell in (*of_column, total))
            )
            for head, is_number, name, of_column, total in zip(heads, of_numbers, names, cells, footer, strict=True)
        ]
        room = console.width - 2 * len(names) - 1 if out.isatty() else sum(whole)
        widths = _narrowed(_narrowed(whole, heads, room), least, room)  # the names of columns are folded first
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_footer=bool(rows.footer))
        for raw, name, total, is_number, width in zip(rows.names, names, footer, of_numbers, widths, strict=True):
            shown = visible(raw) if cell_len(visible(raw)) <= width else _folded(name, width)
            table.add_column(shown, total, justify="right" if is_number else "left", overflow="fold", width=width)
        for line in zip(*cells, strict=True):
            table.add_row(*(_folded(cell, width) for cell, width in zip(line, widths, strict=True)))
        console.size = (sum(widths) + 2 * len(widths) + 1, console.height)
        console.print(table)


_FOLDED = 12
"""The width down to which a text is folded that has several pieces."""


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


def _narrowed(widths: list[int], least: list[int], room: int) -> list[int]:
    """Return widths that together fit into the room, if no minimum forbids it: the widest column is narrowed first.

    >>> _narrowed([10, 40, 20], [10, 6, 6], 40), _narrowed([10, 40, 20], [10, 6, 6], 1)
    ([10, 15, 15], [10, 6, 6])
    """
    widths = list(widths)
    while sum(widths) > room and any(w > s for w, s in zip(widths, least, strict=True)):
        widest = max((i for i in range(len(widths)) if widths[i] > least[i]), key=lambda i: widths[i])
        widths[widest] -= 1
    return widths


# -- lines for other programs ----------------------------------------------------------------------

_BEGINS_A_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def in_spreadsheet(text: str) -> str:
    r"""Return a text as the cell of a spreadsheet, which takes it for data: after an apostrophe if it begins like a formula.

    OWASP advises so for texts that begin with ``=``, ``+``, ``-`` or ``@``, also in full width. Numbers stay numbers; control
    characters are escaped.

    >>> print(in_spreadsheet("=1+1"), in_spreadsheet("-0.25"), in_spreadsheet("bm25"), in_spreadsheet("-rm3"))
    '=1+1 -0.25 bm25 '-rm3
    """
    shown = visible(text)
    return f"'{shown}" if _BEGINS_A_FORMULA.match(shown) and not _NUMBER.fullmatch(shown) else shown


class Tsv(OutputFormat):
    r"""Tab-separated lines; a tab or another control character in a cell is written as ``\t``."""

    NAME = "tsv"
    SHORT_DESC = "tab-separated lines"

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the names, if there is to be a header, and one line per row."""
        for line in [list(map(visible, rows.names))] * rows.header + rows.texts(exact=True):
            print(*line, sep="\t", file=out)


class Csv(OutputFormat):
    r"""Comma-separated lines under a header; cells with commas or quotes are quoted, a line break is written as ``\n``."""

    NAME = "csv"
    SHORT_DESC = "comma-separated lines under a header"

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the names and one line per row."""
        csv.writer(out, lineterminator="\n").writerows([map(visible, rows.names), *rows.texts(exact=True)])


class Jsonl(OutputFormat):
    """One JSON object per row, with the cells that the row has; lists and dicts are kept as they are."""

    NAME = "jsonl"
    SHORT_DESC = "one JSON object per line, numbers in full precision"

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write one object per row; NaN and infinity, which JSON lacks, become null."""
        for record in rows.records:
            cells = {name: _plain(record[name]) for name in rows.names if name in record}
            text = json.dumps(cells, ensure_ascii=False)
            print(INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text), file=out)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, list, tuple, dict)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    return str(value)


# -- markup --------------------------------------------------------------------------------

_IN_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
             "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}", "-": "-{}",
             **{character: f"\\{character}" for character in "&%$#_{}"},
             **{character: f"{{{character}}}" for character in "[*"}}  # fmt: skip
"""A line break of a tabular takes a ``[`` or ``*`` that follows it for its own; in braces they are the next row's. Two hyphens
would be a dash, and not every encoding of fonts has ``\\textquotedbl``."""

_IN_MARKDOWN = re.compile(r"[\\|<&*`~\[]|(?<![^\W_])_|_(?![^\W_])")
"""What is special in a cell; underscores inside of words are not."""

_LINKED = re.compile(r"(?<!\w)@(?=\w)|#(?=\d)|\bGH(?=-\d)|\bwww(?=\.)|:(?=//)")
"""What GitHub makes a link of, and of some tells a person; a comment in the middle keeps it a text."""


def in_latex(text: str) -> str:
    r"""Return a text escaped for LaTeX.

    >>> print(in_latex("AS_RBP & 50%"))
    AS\_RBP \& 50\%
    >>> print(in_latex("bm25--rm3"))
    bm25-{}-rm3
    """
    return re.sub(r'[\\~^<>|"&%$#_{}\[*]|-(?=-)', lambda found: _IN_LATEX[found[0]], visible(text))


def in_markdown(text: str) -> str:
    r"""Return a text escaped for a cell of a Markdown table.

    >>> print(in_markdown("a|b <i> *c* _d_ max_hop"))
    a\|b \<i> \*c\* \_d\_ max_hop
    >>> print(in_markdown("@ann nDCG@10"))
    @<!-- -->ann nDCG@10
    """
    escaped = _IN_MARKDOWN.sub(lambda found: f"\\{found[0]}", visible(text))
    return _LINKED.sub(lambda found: f"{found[0]}<!-- -->", escaped)


COLUMN = 229.0
"""The narrowest column of the usual classes of papers, in points: article has 229.5, acmart 241, IEEEtran 252."""

LONG = 45
"""A table of more rows is a ``longtable``, which goes on over pages."""

_POINTS = {
    character: points
    for points, characters in (
        (3.0, "!',.:;[]`fijl"), (3.5, "-"), (4.0, "()Irst"), (4.5, "cez"), (5.0, '"$*/0123456789?\\ago{}'), (5.5, "JSbdhknpquvxy"),
        (6.5, "FLZ^~"), (7.0, "EP"), (7.5, "ABCHNRTUVXYw"), (8.0, "&+<=>@DGKOQ_"), (8.5, "#%m"), (9.5, "M"),
    )
    for character in characters
}  # fmt: skip
"""How wide characters are in Computer Modern of 10 points, the wider of its two encodings; others have at most 10.5."""


def latex_width(texts: Iterable[str], size: float = 0.93, separation: float = 8.0) -> float:
    """Return how wide a column of a table is, in points; by default in small type with little space between columns."""
    return size * max((sum(_POINTS.get(one, 10.5) for one in text) for text in texts), default=0) + separation


def latex_blocks(first: float, widths: Sequence[float], column: float | None = None) -> tuple[bool, list[list[int]]]:
    """Return whether a table is wider than a column, and which of its columns stand beside each other on a page, after a first one.

    >>> latex_blocks(80, [60, 60]), latex_blocks(80, [180, 180, 180])
    ((False, [[0, 1]]), (True, [[0, 1], [2]]))
    """
    column = COLUMN if column is None else column
    page = 2 * column + 10 if column < 300 else column  # a wide column is the whole page
    blocks: list[list[int]] = [[]]
    for i, width in enumerate(widths):
        if blocks[-1] and first + sum(widths[j] for j in blocks[-1]) + width > page:
            blocks.append([])
        blocks[-1].append(i)
    return first + sum(widths) > column, blocks


def latex_tabular(
    columns: str, head: Sequence[str], rows: Sequence[str], foot: Sequence[str] = (), top: str = ""
) -> list[str]:
    """Return the lines of a ``tabular`` with the rules of booktabs; of many rows a ``longtable``, whose head is repeated, below its caption."""
    head = [r"\toprule", *head, r"\midrule"]
    if len(rows) <= LONG:
        body = [*head, *rows, *foot, r"\bottomrule"]
        return [rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"]
    above = [top + r" \\"] if top else []
    repeated = [*above, *head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot"]
    return [rf"\begin{{longtable}}{{{columns}}}", *repeated, *rows, *foot, r"\end{longtable}"]


class Latex(OutputFormat):
    """A LaTeX ``tabular`` with the rules of the package ``booktabs``; one that is wider than a column of two is a ``table*``.

    One that is wider than a page goes on below, with the first columns that tell its rows apart.
    """

    NAME = "latex"
    SHORT_DESC = "a LaTeX tabular, with the rules of the package booktabs"
    FOR_READING = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        plain = [list(rows.names), *rows.texts(), *([rows.line(rows.footer)] if rows.footer else [])]
        columns = list(zip(*plain, strict=True))
        names = list(takewhile(lambda i: not rows.of_numbers()[i], range(len(columns))))
        keys = next((i + 1 for i in names if len(set(zip(*columns[: i + 1], strict=True))) == len(plain)), 1)
        widths = list(map(latex_width, columns))
        if sum(latex_width(texts, 1.0, 12.0) for texts in columns) <= COLUMN:
            print(*self._tabular(rows, range(len(columns))), sep="\n", file=out)
            return
        long = len(rows.records) > LONG  # which stands in no table
        lines = ["{" if long else r"\begin{table*}", r"\centering", r"\small", r"\setlength{\tabcolsep}{4pt}"]
        for number, block in enumerate(latex_blocks(sum(widths[:keys]), widths[keys:])[1]):
            lines += [r"\par\medskip"] * (number > 0)
            lines += self._tabular(rows, [*range(keys), *(i + keys for i in block)])
        print(*lines, "}" if long else r"\end{table*}", sep="\n", file=out)

    def _tabular(self, rows: PrintedRows, chosen: Iterable[int]) -> list[str]:
        """Return the lines of a tabular with some of the columns."""
        places, numbers = list(chosen), rows.of_numbers()
        cells = [[in_latex(name) for name in rows.names], *rows.texts(in_latex)]
        head, *body = (" & ".join(line[i] for i in places) + r" \\" for line in cells)
        footer = rows.line(rows.footer, in_latex) if rows.footer else []
        foot = [r"\midrule", " & ".join(footer[i] for i in places) + r" \\"] if footer else []
        return latex_tabular("".join("r" if numbers[i] else "l" for i in places), [head], body, foot)


class Markdown(OutputFormat):
    """A table in GitHub's Markdown."""

    NAME = "markdown"
    SHORT_DESC = "a Markdown table"
    FOR_READING = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        under = ["---:" if numbers else "---" for numbers in rows.of_numbers()]
        foot = [rows.line(rows.footer, in_markdown)] if rows.footer else []
        for line in [[in_markdown(name) for name in rows.names], under, *rows.texts(in_markdown), *foot]:
            print(f"| {' | '.join(line)} |", file=out)


class Html(OutputFormat):
    """A table in HTML; what is special in HTML is shown as text."""

    NAME = "html"
    SHORT_DESC = "a table in HTML"
    FOR_READING = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        print(html_table(rows), file=out)


@hookimpl
def irmx_output_formats() -> list[OutputFormat]:
    return [Table(), Tsv(), Csv(), Jsonl(), Markdown(), Latex(), Html()]
