"""Printing of rows of named cells, and the options that commands have for it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TextIO, cast

from irmx.cli.click_command import Option
from irmx.declare.described import OutputFormat, PrintedRows
from irmx.errors import IrmxError, PluginError, UsageError, failure_of
from irmx.registry import registry
from irmx.text import plural, suggest


def output_format_named(name: str) -> OutputFormat:
    """Return an output format."""
    known = registry().output_formats()
    if name not in known:
        raise UsageError(f"There is no output format {name!r}.{suggest(name, known)} Known: {', '.join(known)}.")
    output_format: OutputFormat = known[name]
    return output_format


FormatOption = Annotated[
    str,
    Option(
        "-o",
        "--output-format",
        check=lambda name: output_format_named(name).NAME,
        complete=lambda: [(name, one.SHORT_DESC) for name, one in registry().output_formats().items()],
        help="Output format: table, tsv, csv, jsonl, markdown, latex, html, or one of a plugin.",
    ),
]
"""The option ``-o`` of every command that prints rows; an unknown format is refused before anything is computed."""


def picture_option(*names: str, help: str) -> Option:
    """Return an option of a command for the file of a picture, which is checked before anything is computed.

    Parameters
    ----------
    *names : str
        The names of the option, such as ``"--plot"``.
    help : str
        What is drawn.

    Examples
    --------
    >>> import irmx
    >>> from pathlib import Path
    >>> from typing import Annotated
    >>> PlotOption = Annotated[Path | None, irmx.toolkit.picture_option("--plot", help="Also draw the values: FILE.svg, .png or .pdf.")]
    """
    from irmx.adapters.pictures import picture_file

    return Option(*names, metavar="FILE", check=picture_file, help=help)


WidthOption = Annotated[
    float | None,
    Option(
        "--width",
        metavar="INCHES",
        help="The width of pictures, with text of 8 pt: 3.35 for a column of a paper, 7 for a page.",
    ),
]
"""The option ``--width`` of every command that draws."""


PlacesOption = Annotated[int, Option("-p", "--places", min=-1, max=100, help="Decimal places; -1 for all.")]
"""The option ``-p`` of every command that prints floats."""


def print_rows(
    rows: Any,
    output_format: str = "table",
    *,
    places: int = 4,
    columns: Sequence[str] | None = None,
    header: bool = True,
    footer: Mapping[str, Any] | None = None,
    file: TextIO | None = None,
) -> None:
    """Print rows of named cells.

    Parameters
    ----------
    rows : DataFrame, or iterable of dict of str to object
        The rows. A cell is a string, a number, None, True or False, a list of strings, or a dict of strings. A missing value
        of a DataFrame, such as NaN, is printed as None, and so are NaT and NA anywhere.
    output_format : str
        ``table``, ``tsv``, ``csv``, ``jsonl``, ``markdown``, ``latex``, ``html``, or the output format of a plugin.
    places : int
        The decimal places of floats; -1 for all. ``jsonl`` always has full precision.
    columns : sequence of str, optional
        The columns to print, in order; by default all, in the order in which they first appear.
    header : bool
        Whether ``tsv`` begins with a line of column names.
    footer : dict of str to object, optional
        Cells below the rows, such as a sum, in formats for reading.
    file : text file, optional
        Where to print; by default standard output.

    Raises
    ------
    irmx.UsageError
        For an unknown output format, or where rows are none.

    Examples
    --------
    >>> rows = [{"measure": "AP", "value": 2 / 3}, {"measure": "RR", "value": None}]
    >>> print_rows(rows, "csv")
    measure,value
    AP,0.6667
    RR,
    >>> print_rows(rows, "markdown", places=2)
    | measure | value |
    | --- | ---: |
    | AP | 0.67 |
    | RR |  |
    """
    to_print = PrintedRows.of(rows, columns, places=places, header=header, footer=footer or {})
    _write(output_format_named(output_format), to_print, sys.stdout if file is None else file)


def _write(writer: OutputFormat, rows: PrintedRows, file: TextIO) -> None:
    """Write rows; a format of a plugin that fails, or writes nothing of them, is named."""
    if type(writer).__module__.startswith("irmx."):
        writer.write(rows, file)
        return
    name = f"The output format {writer.NAME} of the plugin {registry().source_of(writer)}"
    watched = _Watched(file)
    try:
        writer.write(rows, cast(TextIO, watched))
    except (IrmxError, OSError, UnicodeEncodeError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit among them, which would end irmx without a word
        raise failure_of(name, cast(Exception, error), module=type(writer).__module__) from error
    if rows.records and not watched.used:
        raise PluginError(f"{name} wrote none of {plural(len(rows.records), 'row')}.")


class _Watched:
    """A file that remembers whether anything was written to it."""

    def __init__(self, file: TextIO) -> None:
        self._file, self.used = file, False

    def __getattr__(self, name: str) -> Any:
        self.used = self.used or name in ("write", "writelines", "buffer", "fileno")
        return getattr(self._file, name)
