"""A comparison as the table of a paper: one row per system, measures side by side, significant differences marked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from irmx import UsageError
from irmx.toolkit import in_latex, latex_blocks, latex_tabular, latex_width, plural, suggest
from irmx_study.compared_systems import ComparedSystems
from irmx_study.facts import topics_of
from irmx_study.result import joined, places_below

_MARKS = (r"\dagger", r"\ddagger", r"\S", r"\P", r"\ast", r"\star", r"\circ", r"\diamond")
"""The mark of each baseline; further ones have numbers."""


@dataclass(frozen=True)
class PaperTable:
    """How the table of a paper looks; see :meth:`Comparison.to_latex`."""

    places: int = 4
    sort: str | None = None
    intervals: bool = False
    caption: str | None = None
    label: str = "tab:comparison"
    heads: Mapping[str, str] = field(default_factory=dict)
    column: float | None = None
    most: int | None = 20

    def of(self, comparison: ComparedSystems) -> str:
        """Return the table in LaTeX."""
        if self.places < 0:
            raise UsageError(f"The table of a paper needs a number of decimal places. Got {self.places} instead.")
        if self.column is not None and not self.column > 0:
            raise UsageError(f"The column of a paper has a width in points, such as 241. Got {self.column:g} instead.")
        systems = comparison._best(self.sort, self.most)
        views = list(range(len(comparison.scores.names)))
        heads = self._heads(comparison)
        cells = {v: _cells(comparison, v, systems, self.places, self.intervals) for v in views}
        names = [comparison.names[system] for system in systems]
        first = latex_width(["system", *names])
        widths = [self._width(heads[v], cells[v]) for v in views]
        wide, blocks = latex_blocks(first, widths, self.column)
        caption = rf"\caption{{{self._caption(comparison, systems) if self.caption is None else self.caption}}}"
        label, small = rf"\label{{{self.label}}}", [r"\small", r"\setlength{\tabcolsep}{4pt}"]
        tabulars = []
        for number, block in enumerate(blocks):
            columns = f"l{('rr' if self.intervals else 'r') * len(block)}"
            rows = [_line([in_latex(n), *(cell for v in block for cell in cells[v][i])]) for i, n in enumerate(names)]
            head = self._head(comparison, [in_latex(heads[v]) for v in block])
            tabulars += [r"\par\medskip"] * bool(number)
            tabulars += latex_tabular(columns, head, rows, top="" if number else caption + label)
        if "longtable" in tabulars[0]:
            needs, begin, end = "booktabs,longtable}, on pages of one column", ["{"], "}"
        else:
            environment = "table*" if wide else "table"
            begin, end = (
                [rf"\begin{{{environment}}}", r"\centering", caption, label, r"\smallskip"],
                rf"\end{{{environment}}}",
            )
            needs = "booktabs}"
        lines = [rf"% needs \usepackage{{{needs}", *begin, *small, *tabulars]
        note = rf"\par\smallskip{{\footnotesize {_note(comparison)}\par}}"
        return "\n".join([*lines, note, end, ""])

    def _heads(self, comparison: ComparedSystems) -> list[str]:
        """Return what stands above the columns of views: given, or the name of the measure with what tells it from others."""
        names = comparison.scores.names
        for view in self.heads:
            if view not in names:
                raise UsageError(
                    f"There is no measure {view!r}.{suggest(view, names)} The measures: {', '.join(names)}."
                )
        without = [re.sub(r"\(.*\)", "", name) for name in names]
        values = [re.sub(r"(?<=[(,])\w+=", "", name).replace("'", "") for name in names]
        heads = [
            next(t for t, all_ in zip(texts, (without, values, names), strict=True) if t and all_.count(t) == 1)
            for texts in zip(without, values, names, strict=True)
        ]
        return [self.heads.get(name, head) for name, head in zip(names, heads, strict=True)]

    def _width(self, head: str, cells: list[list[str]]) -> float:
        """Return how wide the columns of a view are; its numbers as if all were bold, their signs as wide as they are."""
        plain = [
            [re.sub(r"\\rlap\{.*\}|\\textbf|[{}$\\]", "", cell.replace("$-$", "+")) for cell in row] for row in cells
        ]
        return max(latex_width([head]), sum(latex_width([row[i] for row in plain], 1.07) for i in range(len(plain[0]))))

    def _head(self, comparison: ComparedSystems, heads: list[str]) -> list[str]:
        """Return the lines of the head of a tabular."""
        if not self.intervals:
            return [_line(["system", *heads])]
        percent = in_latex(comparison.choices.coverage)
        second = "" if _of_mean(comparison) else "difference "
        return [
            _line(["", *(rf"\multicolumn{{2}}{{c}}{{{head}}}" for head in heads)]),
            " ".join(rf"\cmidrule(lr){{{2 + 2 * i}-{3 + 2 * i}}}" for i in range(len(heads))),
            _line(["system", *["mean", f"{second}[{percent} interval]"] * len(heads)]),
        ]

    def _caption(self, comparison: ComparedSystems, systems: list[str]) -> str:
        """Return the caption: the measures in full, with the heads that were given to them."""
        given = {view: rf" ({in_latex(head)})" for view, head in self.heads.items() if head != view}
        of = joined([_breakable(name) + given.get(name, "") for name in comparison.scores.names])
        every = plural(len(comparison.scores.systems), "system")
        shown = every if len(systems) == len(comparison.scores.systems) else f"{len(systems)} of {every}"
        return f"Mean {of} of {shown} on {topics_of(comparison)} topics."


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
    places = places_below(table["mean"].abs().max(), places)
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


def _breakable(text: str) -> str:
    """Return a text escaped for LaTeX, whose lines may end inside the parentheses of a measure."""
    return re.sub(r"([(,=]|\\_)", r"\1\\allowbreak{}", in_latex(text))


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
