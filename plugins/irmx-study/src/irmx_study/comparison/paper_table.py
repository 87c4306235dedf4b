"""A comparison as the table of a paper: one row per system, measures side by side, significant differences marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from irmx import UsageError
from irmx.toolkit import counted, in_latex
from irmx_study.comparison.method_sentences import joined
from irmx_study.comparison.stated_facts import facts_of, topics_of

if TYPE_CHECKING:
    from irmx_study.comparison.comparison import Comparison

_MARKS = (r"\dagger", r"\ddagger", r"\S", r"\P", r"\ast", r"\star", r"\circ", r"\diamond")
"""The mark of each baseline; further ones have numbers."""


def in_latex_format(
    comparison: Comparison, sort: str | None, places: int, intervals: bool, caption: str | None, label: str
) -> str:
    """Return the table in LaTeX; see :meth:`Comparison.to_latex`."""
    if places < 0:
        raise UsageError(f"The table of a paper needs a number of decimal places. Got {places} instead.")
    measures = [in_latex(str(measure)) for measure in comparison.scores.measures]
    width = 2 if intervals else 1
    lines = [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{_caption(comparison) if caption is None else caption}}}", rf"\label{{{label}}}"]
    lines += [rf"\begin{{tabular}}{{l{('rr' if intervals else 'r') * len(measures)}}}", r"\toprule"]
    if intervals:
        lines += [_line(["", *(rf"\multicolumn{{2}}{{c}}{{{measure}}}" for measure in measures)])]
        ends = range(2, 2 + width * len(measures), width)
        lines += [" ".join(rf"\cmidrule(lr){{{start}-{start + 1}}}" for start in ends)]
        percent = in_latex(comparison.choices.coverage)
        second = "" if _of_mean(comparison) else "difference "
        lines += [_line(["system", *["mean", f"{second}[{percent} interval]"] * len(measures)])]
    else:
        lines += [_line(["system", *measures])]
    lines += [r"\midrule", *map(_line, _body(comparison, sort, places, intervals)), r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, rf"\par\smallskip{{\footnotesize {_note(comparison)}\par}}", r"\end{table}", ""])


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _of_mean(comparison: Comparison) -> bool:
    """Whether intervals are those of means, because there is not one baseline whose differences could have them."""
    return len(comparison.baseline) != 1


def _body(comparison: Comparison, sort: str | None, places: int, intervals: bool) -> list[list[str]]:
    """Return the cells of every row."""
    tables = comparison.estimates(sort)
    measures = list(map(str, comparison.scores.measures))
    systems = list(dict.fromkeys(tables[tables["measure"] == measures[0]]["system"]))
    rows = {system: [in_latex(system)] for system in systems}
    for measure in measures:
        of_measure = tables[tables["measure"] == measure].drop_duplicates("system").set_index("system")
        best, marks = of_measure["mean"].max(), _marks(comparison, measure)
        for system in systems:
            row = of_measure.loc[system]
            mean = number(row["mean"], places)
            mark = f"$^{{{marks[system]}}}$" if marks[system] else ""
            rows[system].append((rf"\textbf{{{mean}}}" if row["mean"] == best else mean) + mark)
            if intervals:
                rows[system].append(_interval(row, _of_mean(comparison), places))
    return list(rows.values())


def number(value: float, places: int) -> str:
    """Return a number with a proper minus sign.

    >>> number(-0.25, 2), number(-0.001, 2)
    ('$-$0.25', '0.00')
    """
    text = f"{round(value, places) + 0.0:.{places}f}"
    return text.replace("-", "$-$")


def _interval(row: pd.Series, of_mean: bool, places: int) -> str:
    if of_mean:
        return f"[{number(row['mean_low'], places)}, {number(row['mean_high'], places)}]"
    if np.isnan(row["difference"]):
        return ""
    low, high = number(row["low"], places), number(row["high"], places)
    return f"{number(row['difference'], places)} [{low}, {high}]"


def _mark(baseline: int) -> str:
    return _MARKS[baseline] if baseline < len(_MARKS) else str(baseline + 1)


def _marks(comparison: Comparison, measure: str) -> dict[str, str]:
    """Return the marks of every system: of the baselines that it differs from, or its letters."""
    systems = comparison.scores.systems
    if comparison.all_pairs:
        return {s: rf"\mathrm{{{letters}}}" for s, letters in zip(systems, comparison.letters[measure], strict=True)}
    p, level = comparison.pairs(measure), comparison.choices.level
    return {
        system: "".join(_mark(i) for i, b in enumerate(comparison.baseline) if p.loc[system, b] <= level)
        for system in systems
    }


def _caption(comparison: Comparison) -> str:
    measures, systems = joined(comparison.scores.measures), counted(len(comparison.scores.systems), "system")
    return in_latex(f"Mean {measures} of {systems} on {topics_of(comparison)} topics.")


def _note(comparison: Comparison) -> str:
    """Return what the marks mean, and how the systems were compared."""
    if comparison.all_pairs:
        marks = "Systems that share a letter do not differ significantly."
    else:
        of_baselines = [rf"$^{{{_mark(i)}}}$~{in_latex(b)}" for i, b in enumerate(comparison.baseline)]
        marks = f"Differs significantly from: {', '.join(of_baselines)}."
    facts = facts_of(comparison)
    names = ("test", "family", "correction", "level", "intervals", "draws", "seed", "missing")
    stated = "; ".join(f"{name}: {facts[name]}" for name in names if name in facts)
    return f"{marks} Bold: the largest mean. {in_latex(stated[0].upper() + stated[1:])}."
