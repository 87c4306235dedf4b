"""An agreement as tables for reading: one coefficient of all measures with all others, or all coefficients with a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irmx_study.correlation.agreement_of_measures import Agreement
from irmx_study.correlation.coefficients import COEFFICIENTS, DIRECTED

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80
"""The width that a matrix should fit: wider names of columns become numbers, wider names of rows a legend."""

PAIRS_SHOWN = 28
"""The stability of all pairs of up to 8 measures is shown below the matrix."""

MARKS = ((0.97, "**"), (0.90, "*"))
"""The marks of a tau that is at least so large; see :meth:`irmx_study.Agreement.facts`."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Stated:
    """What stands below a table: facts by name, and notes."""

    stated: dict[str, str]
    notes: tuple[str, ...]

    def facts(self) -> dict[str, str]:
        """Return the facts."""
        return self.stated


def titled_tables(agreement: Agreement, coefficient: str = "tau", places: int = 4) -> Iterator[tuple[str, Rows]]:
    """Yield the tables for reading, each with its title.

    Parameters
    ----------
    agreement : Agreement
        The agreement.
    coefficient : str
        The coefficient of the matrix, if there is no reference.
    places : int
        The decimal places; -1 for all.
    """
    if agreement.reference is not None:
        yield f"agreement with {agreement.reference}", with_reference(agreement, coefficient, places)
        return
    yield from matrix_tables(agreement, coefficient, places)
    if shows_stability(agreement, coefficient):
        yield "tau, and its stability under resampling of topics", stability_rows(agreement, places)


def shows_stability(agreement: Agreement, coefficient: str) -> bool:
    """Tell whether the tables for reading have the stability of tau."""
    few = len(agreement.pairs[0]) <= PAIRS_SHOWN
    return bool(agreement.resamples) and (agreement.reference is not None or (coefficient == "tau" and few))


def with_reference(agreement: Agreement, coefficient: str, places: int) -> Rows:
    """Return one row per measure: the coefficients of its agreement with the reference, also the one that is asked for."""
    frame = agreement.frame()
    marks = cells(frame["tau"].tolist(), places, marks=True)
    ranges = _ranges(agreement.stability(), places) if agreement.resamples else None
    rows = []
    for i, row in enumerate(frame.to_dict("records")):
        stable = {} if ranges is None else {"stability": ranges[i]}
        shown = ("tau_ap", "rbo", "spearman", "pearson")
        others = {name: row[name] for name in COEFFICIENTS if name in (*shown, coefficient) and name != "tau"}
        rows.append({"measure": row["b"], "tau": marks[i], **stable, **others})
    return rows


def stability_rows(agreement: Agreement, places: int) -> Rows:
    """Return one row per pair: tau, and its range under resampling of topics."""
    frame = agreement.stability()
    taus = cells(frame["tau"].tolist(), places, marks=True)
    return [
        {"a": a, "b": b, "tau": tau, "stability": stable}
        for a, b, tau, stable in zip(frame["a"], frame["b"], taus, _ranges(frame, places), strict=True)
    ]


def matrix_tables(agreement: Agreement, coefficient: str, places: int) -> Iterator[tuple[str, Rows]]:
    """Yield a coefficient of all measures with all others; only below the diagonal, if it has no direction.

    The columns have the names of the measures if the table then fits 80 columns, and their numbers otherwise. If that is still
    too wide, the rows have numbers, too, and a second table tells which measure is which.
    """
    directed = coefficient in DIRECTED
    measures = agreement.measures
    count = len(measures)
    rows, columns = (range(count), range(count)) if directed else (range(1, count), range(count - 1))
    values = agreement.matrix(coefficient).to_numpy()
    shown = [(r, c) for r in rows for c in columns if (c != r if directed else c < r)]
    in_cells = cells([float(values[at]) for at in shown], places, coefficient == "tau")
    texts = dict(zip(shown, in_cells, strict=True))
    title = COEFFICIENTS[coefficient] + (", row as the reference" if directed else "")

    numbers = [str(place + 1) for place in range(count)]
    named = [f"{number:>{len(numbers[-1])}}  {measure}" for number, measure in zip(numbers, measures, strict=True)]
    width = len(in_cells[0])
    fits = {
        "names": _width(measures, [max(width, len(measures[c])) for c in columns]) <= WIDTH,
        "numbers": _width(named, [width for _ in columns]) <= WIDTH,
    }
    heads = measures if fits["names"] else numbers
    labels = measures if fits["names"] else named if fits["numbers"] else numbers
    table = [{"": labels[r], **{heads[c]: texts.get((r, c), "") for c in columns}} for r in rows]
    if fits["numbers"] and not fits["names"] and not directed:  # every number needs its name
        table.insert(0, {"": labels[0], **{heads[c]: "" for c in columns}})
    yield title, table
    if not fits["names"] and not fits["numbers"]:
        yield "measures", [{"number": number, "measure": name} for number, name in zip(numbers, measures, strict=True)]


def _width(labels: Sequence[str], columns: Sequence[int]) -> int:
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
    return next((mark for bar, mark in MARKS if tau >= bar), "")


def _ranges(stability: pd.DataFrame, places: int) -> list[str]:
    """Return the ranges of tau as texts; with the number of resamples that have a tau, if not all do."""
    low, high = (cells(stability[side].tolist(), places) for side in ("low", "high"))
    texts = []
    for below, above, resamples, without in zip(low, high, stability["resamples"], stability["without"], strict=True):
        of_fewer = f" of {resamples - without:,}" if without else ""
        texts.append(f"{below} to {above}{of_fewer}" if without < resamples else "")
    return texts
