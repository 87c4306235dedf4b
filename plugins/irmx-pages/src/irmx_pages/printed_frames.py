"""Tables printed as ``irmx eval`` prints its results: as text to read, tab-separated lines, or JSON Lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from irmx import UsageError, fitted_widths

if TYPE_CHECKING:
    import pandas as pd

FORMS = ("table", "tsv", "jsonl")
P_VALUES = ("p_value",)
"""The columns of p-values. None is 0: one that is too small for the places is printed as, for instance, ``<0.0001``."""
_UNLIMITED = 10_000
_FOLDED = 12
"""The least width of a column of texts."""


def check_form(form: str) -> None:
    """Raise where there is no such output format."""
    if form not in FORMS:
        raise UsageError(f"There is no output format {form!r} here. Known: {', '.join(FORMS)}.")


def print_frame(frame: pd.DataFrame, form: str, places: int) -> None:
    """Print a table; what is not defined is empty, in JSON null.

    On a terminal that is too narrow, texts and the names of columns are folded, never a number; where that does not do,
    the names of the columns stand on the left, and every row is a column.

    Parameters
    ----------
    frame : DataFrame
        The table.
    form : {"table", "tsv", "jsonl"}
        ``jsonl`` has full precision.
    places : int
        Decimal places of what is no whole number; -1 for all. A p-value that they would show as 0 is printed as below the
        smallest number that they can show.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"measure": ["AP", "RR"], "agreement": [0.5, 2 / 3], "p_value": [float("nan"), 0.25]})
    >>> print_frame(frame, "tsv", 3)
    measure	agreement	p_value
    AP	0.500
    RR	0.667	0.250
    >>> print_frame(frame.assign(p_value=[0.4, 1e-6]), "tsv", 3)
    measure	agreement	p_value
    AP	0.500	0.400
    RR	0.667	<0.001
    >>> print_frame(frame[1:], "jsonl", 3)
    {"measure": "RR", "agreement": 0.6666666666666666, "p_value": 0.25}
    """
    records = frame.to_dict("records")
    if form == "jsonl":
        for record in records:
            defined = {k: None if v != v else v for k, v in record.items()}
            print(json.dumps(defined, ensure_ascii=False))
        return
    columns = {
        str(name): [_text(record[name], places, name in P_VALUES) for record in records] for name in frame.columns
    }
    if form == "tsv":
        for row in (list(columns), *zip(*columns.values(), strict=True)):
            print(*row, sep="\t")
        return
    _print_table(columns, [bool(records) and isinstance(records[0][name], str) for name in frame.columns])


def _text(value: Any, places: int, is_p_value: bool = False) -> str:
    if isinstance(value, float):
        if value != value:
            return ""
        if places == -1:
            return repr(value)
        text = f"{value:.{places}f}"
        return f"<{10.0**-places:.{places}f}" if is_p_value and float(text) == 0 else text
    return str(value)


def _print_table(columns: dict[str, list[str]], is_text: list[bool]) -> None:
    """Print columns with their names above them, or, where they do not fit the terminal but their rows do, beside them."""
    import sys

    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(markup=False, highlight=False, emoji=False)
    room = console.width if sys.stdout.isatty() else _UNLIMITED
    upright = [_Column(n, v, [f] * len(v), f) for (n, v), f in zip(columns.items(), is_text, strict=True)]
    rows = [_Column("", list(row), is_text) for row in zip(*columns.values(), strict=True)]
    turned = [_Column("", list(columns), [False] * len(columns), True), *rows]
    shown = turned if _size([c.least for c in upright]) > room >= _size([c.least for c in turned]) else upright
    around = _size([0] * len(shown))
    widths = fitted_widths([c.most for c in shown], [c.least for c in shown], room - around)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_header=shown is upright)
    for column, width in zip(shown, widths, strict=True):
        name = column.name if len(column.name) <= width else column.name.replace("_", " ")
        table.add_column(name, justify="left" if column.left else "right", overflow="fold", width=width)
    for cells in zip(*(column.cells for column in shown), strict=True):
        table.add_row(*cells)
    console.size = (_size(widths), console.height)
    console.print(table)


class _Column:
    """A column of a printed table: its name may be folded between words, and some of its cells, but no number."""

    def __init__(self, name: str, cells: list[str], folds: list[bool], left: bool = False) -> None:
        self.name, self.cells, self.left = name, cells, left
        self.most = max(map(len, [name, *cells]))
        fixed = [min(len(cell), _FOLDED) if f else len(cell) for cell, f in zip(cells, folds, strict=True)]
        self.least = max([*map(len, name.split("_")), *fixed])


def _size(widths: list[int]) -> int:
    return sum(widths) + 2 * len(widths) + 1  # a space on the right, and the border
