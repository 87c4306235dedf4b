"""How correlations are printed: marks, and matrices that fit a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from irmx.ragged import Floats
from irmx_study.result import Titled

COEFFICIENTS = {
    "tau": "Kendall's tau-b", "tau_ap_a": "tau_AP,a", "tau_ap_b": "tau_AP,b", "tau_ap": "tau_AP", "rbo": "RBO",
    "spearman": "Spearman's rho", "pearson": "Pearson's r",
}  # fmt: skip
"""What the columns are called in a text."""

DIRECTED = ("tau_ap_a", "tau_ap")
"""The coefficients that depend on which of two views is the reference."""

MARKED = "a tau of at least .90, the customary bar for measures that rank systems alike; of at least .97"
"""What the marks of taus mean."""

_MARKS = ((0.97, "**"), (0.90, "*"))

_WIDTH = 80
"""The width that a matrix should fit: wider names of columns become numbers, wider names of rows a legend."""


def matrix_tables(measures: Sequence[str], values: Floats, coefficient: str, places: int) -> list[Titled]:
    """Return the values of a coefficient of all views with all others; only below the diagonal, if it has no direction.

    The columns have the names of the views if the table then fits 80 columns, and their numbers otherwise. If that is still
    too wide, the rows have numbers, too, and a second table tells which is which.
    """
    directed, count = coefficient in DIRECTED, len(measures)
    rows, columns = (range(count), range(count)) if directed else (range(1, count), range(count - 1))
    shown = [(r, c) for r in rows for c in columns if (c != r if directed else c < r)]
    in_cells = cells([float(values[at]) for at in shown], places, coefficient == "tau")
    texts = dict(zip(shown, in_cells, strict=True))
    title = COEFFICIENTS[coefficient] + (", row as the reference" if directed else "")
    numbers = [str(place + 1) for place in range(count)]
    named = [f"{number:>{len(numbers[-1])}}  {measure}" for number, measure in zip(numbers, measures, strict=True)]
    width = len(in_cells[0])
    by_name = _table_width(measures, [max(width, len(measures[c])) for c in columns]) <= _WIDTH
    by_number = _table_width(named, [width for _ in columns]) <= _WIDTH
    heads = measures if by_name else numbers
    labels = measures if by_name else named if by_number else numbers
    table = [{"": labels[r], **{heads[c]: texts.get((r, c), "") for c in columns}} for r in rows]
    if by_number and not by_name and not directed:  # every number needs its name
        table.insert(0, {"": labels[0], **{heads[c]: "" for c in columns}})
    tables: list[Titled] = [(title, table)]
    if not by_name and not by_number:
        legend = [{"number": number, "measure": name} for number, name in zip(numbers, measures, strict=True)]
        tables.append(("measures", legend))
    return tables


def _table_width(labels: Sequence[str], columns: Sequence[int]) -> int:
    """Return the width of a table on a terminal."""
    return max(map(len, labels)) + sum(columns) + 2 * (len(columns) + 1) + 1


def cells(values: list[float], places: int, marks: bool = False) -> list[str]:
    """Return numbers as texts of the same width, with marks; NaN is no number.

    >>> cells([0.95, -0.5, float("nan")], 2, marks=True)
    [' 0.95* ', '-0.50  ', '       ']
    """
    numbers = [
        "" if value != value else repr(float(value)) if places == -1 else f"{value:.{places}f}" for value in values
    ]
    width = max(map(len, numbers), default=0)
    return [
        f"{text:>{width}}{f'{marked(value):<2}' if marks else ''}" for text, value in zip(numbers, values, strict=True)
    ]


def marked(tau: float) -> str:
    """Return the mark of a tau.

    >>> [marked(tau) for tau in (0.89, 0.9, 0.98)]
    ['', '*', '**']
    """
    return next((mark for bar, mark in _MARKS if tau >= bar), "")
