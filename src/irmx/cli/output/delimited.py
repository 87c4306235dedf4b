"""Lines of cells separated by tabs or commas."""

from __future__ import annotations

import csv
import re
from typing import TextIO

from irmx.declare.output_format import OutputFormat, PrintedRows
from irmx.errors import visible

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
        for line in [list(map(visible, rows.names))] * rows.header + rows.texts():
            print(*line, sep="\t", file=out)


class Csv(OutputFormat):
    r"""Comma-separated lines under a header; cells with commas or quotes are quoted, a line break is written as ``\n``."""

    NAME = "csv"
    SHORT_DESC = "comma-separated lines under a header"

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the names and one line per row."""
        csv.writer(out, lineterminator="\n").writerows([map(visible, rows.names), *rows.texts()])


class Spreadsheet(OutputFormat):
    """Comma-separated lines for Excel and the like, which would compute a run that is called ``=1+1``.

    Every cell is quoted, so that a semicolon or a tab in a name begins no cell, whatever separates the cells where it is opened.
    """

    NAME = "spreadsheet"
    SHORT_DESC = "csv to open in a spreadsheet, where no name is taken for a formula"
    WIDE = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the names and one line per row."""
        lines = [map(in_spreadsheet, rows.names), *rows.texts(in_spreadsheet)]
        csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(lines)
