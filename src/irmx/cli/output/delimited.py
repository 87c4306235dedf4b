"""Lines of cells separated by tabs or commas."""

from __future__ import annotations

import csv
from typing import TextIO

from irmx.declare.output_format import OutputFormat, PrintedRows
from irmx.errors import visible


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
