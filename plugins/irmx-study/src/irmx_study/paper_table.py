"""A comparison as the table of a paper: one row per system, measures side by side, significant differences marked."""

from __future__ import annotations

import re
from typing import Any

from irmx import UsageError
from irmx.toolkit import COLUMN, in_latex, latex_blocks, latex_width, plural
from irmx_study.compared_systems import ComparedSystems
from irmx_study.facts import topics_of
from irmx_study.result import joined

_MARKS = (r"\dagger", r"\ddagger", r"\S", r"\P", r"\ast", r"\star", r"\circ", r"\diamond")
"""The mark of each baseline; further ones have numbers."""


def in_latex_format(
    comparison: ComparedSystems, sort: str | None, places: int, intervals: bool, caption: str | None, label: str
) -> str:
    """Return the table in LaTeX; see :meth:`Comparison.to_latex`."""
    if places < 0:
        raise UsageError(f"The table of a paper needs a number of decimal places. Got {places} instead.")
    systems = comparison._ordered(sort)
    views = list(range(len(comparison.scores.names)))
    cells = {v: _cells(comparison, v, systems, places, intervals) for v in views}
    names = [comparison.names[system] for system in systems]
    first = latex_width(["system", *names])
    widths = [_width_of_view(comparison.scores.names[v], cells[v]) for v in views]
    blocks = latex_blocks(first, widths)
    wide = max(first + sum(widths[v] for v in block) for block in blocks) > COLUMN
    environment = "table*" if wide else "table"
    lines = [r"% needs \usepackage{booktabs}", rf"\begin{{{environment}}}", r"\centering"]
    lines += [
        rf"\caption{{{_caption(comparison) if caption is None else caption}}}",
        rf"\label{{{label}}}",
        r"\smallskip",
    ]
    lines += [r"\small", r"\setlength{\tabcolsep}{4pt}"]
    for number, block in enumerate(blocks):
        lines += [r"\par\medskip"] * bool(number)
        lines += _tabular(comparison, block, names, cells, intervals)
    return "\n".join(
        [*lines, rf"\par\smallskip{{\footnotesize {_note(comparison)}\par}}", rf"\end{{{environment}}}", ""]
    )


def _width_of_view(name: str, cells: list[list[str]]) -> float:
    plain = [[re.sub(r"\\rlap\{.*\}|\\textbf|[{}$\\]", "", cell) for cell in row] for row in cells]
    return max(latex_width([name]), sum(latex_width([row[i] for row in plain]) for i in range(len(plain[0]))))


def _tabular(
    comparison: ComparedSystems, block: list[int], names: list[str], cells: dict[int, list[list[str]]], intervals: bool
) -> list[str]:
    """Return the lines of a tabular with some views."""
    measures = [_breakable(comparison.scores.names[v], False) for v in block]
    lines = [rf"\begin{{tabular}}{{l{('rr' if intervals else 'r') * len(block)}}}", r"\toprule"]
    if intervals:
        lines += [_line(["", *(rf"\multicolumn{{2}}{{c}}{{{measure}}}" for measure in measures)])]
        lines += [" ".join(rf"\cmidrule(lr){{{2 + 2 * i}-{3 + 2 * i}}}" for i in range(len(block)))]
        percent = in_latex(comparison.choices.coverage)
        second = "" if _of_mean(comparison) else "difference "
        lines += [_line(["system", *["mean", f"{second}[{percent} interval]"] * len(block)])]
    else:
        lines += [_line(["system", *measures])]
    rows = [[in_latex(name), *(cell for v in block for cell in cells[v][i])] for i, name in enumerate(names)]
    return [*lines, r"\midrule", *map(_line, rows), r"\bottomrule", r"\end{tabular}"]


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _of_mean(comparison: ComparedSystems) -> bool:
    """Whether intervals are those of means, because there is not one baseline whose differences could have them."""
    return len(comparison.baseline) != 1


def _cells(comparison: ComparedSystems, v: int, systems: list[str], places: int, intervals: bool) -> list[list[str]]:
    """Return the cells of a view: of every system its mean, with its marks outside, and if wanted an interval."""
    count = comparison._rows_per_view
    table = comparison.estimates().iloc[v * count : (v + 1) * count].drop_duplicates("system").set_index("system")
    less = bool(getattr(comparison.scores.measures[v], "LESS_IS_BETTER", False))
    best, marks = (table["mean"].min() if less else table["mean"].max()), _marks(comparison, v)
    rows = []
    for system in systems:
        row = table.loc[system]
        mean = number(row["mean"], places)
        mark = rf"\rlap{{$^{{{marks[system]}}}$}}" if marks[system] else ""
        cells = [(rf"\textbf{{{mean}}}" if row["mean"] == best else mean) + mark]
        rows.append(cells + ([_interval(row, _of_mean(comparison), places)] if intervals else []))
    return rows


def number(value: float, places: int) -> str:
    """Return a number with a proper minus sign.

    >>> number(-0.25, 2), number(-0.001, 2)
    ('$-$0.25', '0.00')
    """
    text = f"{round(value, places) + 0.0:.{places}f}"
    return text.replace("-", "$-$")


def _interval(row: Any, of_mean: bool, places: int) -> str:
    if of_mean:
        return f"[{number(row['mean_low'], places)}, {number(row['mean_high'], places)}]"
    if row["difference"] != row["difference"]:
        return ""
    low, high = number(row["low"], places), number(row["high"], places)
    return f"{number(row['difference'], places)} [{low}, {high}]"


def _mark(baseline: int) -> str:
    return _MARKS[baseline] if baseline < len(_MARKS) else str(baseline + 1)


def _marks(comparison: ComparedSystems, v: int) -> dict[str, str]:
    """Return the marks of every system: of the baselines that it differs from, or its group."""
    systems, view = comparison.scores.systems, comparison.scores.names[v]
    if comparison.all_pairs:
        return {s: rf"\mathrm{{{alike}}}" for s, alike in zip(systems, comparison.alike[view], strict=True)}
    p, level = comparison.pairs(view), comparison.choices.level
    return {
        system: "".join(_mark(i) for i, b in enumerate(comparison.baseline) if p.loc[system, b] <= level)
        for system in systems
    }


def _breakable(text: str, breaks: bool = True) -> str:
    """Return a text escaped for LaTeX, whose lines may end inside the parentheses of a measure."""
    escaped = in_latex(text)
    return re.sub(r"([(,=]|\\_)", r"\1\\allowbreak{}", escaped) if breaks else escaped


def _caption(comparison: ComparedSystems) -> str:
    systems = plural(len(comparison.scores.systems), "system")
    of = joined([_breakable(name) for name in comparison.scores.names])
    return f"Mean {of} of {systems} on {topics_of(comparison)} topics."


def _note(comparison: ComparedSystems) -> str:
    """Return the sentence that says what the marks mean, and how the systems were compared."""
    choices = comparison.choices
    name = choices.test.NAME.replace("_", "-")
    test = f"paired {name} test" if name in ("t", "permutation", "bootstrap", "wilcoxon", "sign") else f"{name} test"
    corrected = f", {choices.correction.NAME} correction" if choices.is_corrected else ""
    how = in_latex(f"{test}{corrected}, level {choices.level:g}")
    if comparison.all_pairs:
        letters = comparison.alike_name == "groups"
        marks = (
            "Systems that share a letter do not differ significantly"
            if letters
            else "Marks: best and worst rank of systems that do not differ significantly"
        )
        return f"{marks} ({how}); bold: best."
    shown = "".join("".join(_marks(comparison, v).values()) for v in range(len(comparison.scores.names)))
    marked = [
        rf"$^{{{_mark(i)}}}$~{in_latex(comparison.names[b])}"
        for i, b in enumerate(comparison.baseline)
        if _mark(i) in shown
    ]
    if not marked:
        return f"No significant difference to {joined([in_latex(comparison.names[b]) for b in comparison.baseline])} ({how}); bold: best."
    return f"Significant difference to {joined(marked)} ({how}); bold: best."
