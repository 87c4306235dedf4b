"""A picture of two systems: their differences topic by topic, sorted, beside the result of the test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from irmx.ragged import Floats
from irmx.toolkit import axes_for, counted, picture_text
from irmx_study.comparison.comparisons_of_pairs import comparisons_of, complete_values
from irmx_study.pictures.display import Display
from irmx_study.pictures.named_colours import BLUE, GREY, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from irmx_study.comparison.comparison import Comparison

_NAMED, _BARS = 60, 200
"""So many topics are named below their bars; more topics than the second are an area."""


@dataclass(eq=False, repr=False)
class TopicsDisplay(Display):
    """Differences of two systems topic by topic, from the largest to the smallest.

    It is made by :meth:`Comparison.plot_topics`.

    Attributes
    ----------
    a, b : str
        The systems; differences are a - b.
    measure : str
        The measure.
    topics : tuple of str
        The query ids, sorted by difference.
    differences : float array
        The difference on each topic.
    result : dict of str to float
        The test's result: ``difference``, ``low``, ``high``, ``p``, ``p_corrected``, ``wins``, ``ties`` and ``losses``.
    test : str
        The name of the test.
    ax_ : Axes
        The axes of matplotlib.
    figure_ : Figure
        The figure of matplotlib.
    """

    a: str
    b: str
    measure: str
    topics: tuple[str, ...]
    differences: Floats
    result: dict[str, float]
    test: str
    ax_: Axes | None = field(default=None, init=False, repr=False)
    figure_: Figure | SubFigure | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_comparison(cls, comparison: Comparison, a: str, b: str, measure: str) -> TopicsDisplay:
        """Return the display of two systems of a comparison, not drawn yet."""
        scores = comparison.scores
        m = list(map(str, scores.measures)).index(measure)
        has_value = ~np.isnan(scores.values[:, :, m]).any(axis=1)
        values = complete_values(scores, m)
        differences = values[:, scores.systems.index(a)] - values[:, scores.systems.index(b)]
        order = np.argsort(-differences, kind="stable")
        topics = np.array(scores.topics, dtype=object)[has_value][order]
        result = _result_of(comparison, a, b, measure)
        return cls(a, b, measure, tuple(topics), differences[order], result, str(comparison.choices.test))

    def plot(self, ax: Axes | None = None) -> TopicsDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, optional
            The axes of matplotlib to draw on; by default those of a new figure.

        Returns
        -------
        TopicsDisplay
            The display itself, with the axes as ``ax_`` and the figure as ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            If matplotlib is not installed.
        """
        named = len(self.topics) <= _NAMED
        [on] = axes_for(ax, 1, (max(4.5, min(9.0, 2 + 0.14 * len(self.topics))), 3.4))
        places = np.arange(len(self.topics))
        for some, colour in ((self.differences > 0, BLUE), (self.differences < 0, VERMILION)):
            if len(self.topics) <= _BARS:
                on.bar(places[some], self.differences[some], color=colour, width=0.8)
            else:
                on.stairs(
                    np.where(some, self.differences, 0), np.arange(len(places) + 1) - 0.5, fill=True, color=colour
                )
        on.axhline(0, color=GREY, linewidth=0.8)
        on.axhspan(self.result["low"], self.result["high"], color="black", alpha=0.12, linewidth=0)
        on.axhline(self.result["difference"], color="black", linestyle="--", linewidth=1)
        on.set_title(f"{picture_text(self.a)} - {picture_text(self.b)}\n{self._result_in_words()}", fontsize=9)
        measure = picture_text(self.measure, 30)
        gap = " " if len(measure) <= 10 else "\n"
        on.set_ylabel(f"difference in{gap}{measure}", fontsize=9)
        ends = np.array([*self.differences, self.result["low"], self.result["high"], 0])
        room = 0.15 * (ends.max() - ends.min() or 1)  # for the texts, where all differences have the same sign
        on.set_ylim(min(ends.min() - room / 4, -room), max(ends.max() + room / 4, room))
        sides = (
            (0.98, 0.97, "right", "top", BLUE, self.a, "wins"),
            (0.02, 0.03, "left", "bottom", VERMILION, self.b, "losses"),
        )
        for x, y, horizontal, vertical, colour, system, of_result in sides:
            better = f"{picture_text(system)} is better on {counted(int(self.result[of_result]), 'topic')}"
            on.text(x, y, better, transform=on.transAxes, ha=horizontal, va=vertical, color=colour, fontsize=8)
        if named:
            on.set_xticks(places, [picture_text(topic) for topic in self.topics], rotation=90, fontsize=7)
        else:
            on.set_xticks([])
        on.set_xlabel(f"{len(self.topics):,} topics, sorted by difference", fontsize=9)
        on.tick_params(axis="y", labelsize=8)
        on.set_xlim(-0.8, len(places) - 0.2)
        self.ax_, self.figure_ = on, on.figure
        return self

    def _result_in_words(self) -> str:
        r = self.result
        corrected = f", corrected {_p(r['p_corrected'])}" if r["p_corrected"] != r["p"] else ""
        mean = f"mean {r['difference']:.4f} [{r['low']:.4f}, {r['high']:.4f}] (dashed line and band)"
        return f"{mean}\n{self.test} test: p {_p(r['p'])}{corrected}"


def _result_of(comparison: Comparison, a: str, b: str, measure: str) -> dict[str, float]:
    """Return the result of the test of two systems, a - b; a pair that was not compared is tested alone."""
    first, second = (np.array([comparison.scores.systems.index(name)]) for name in (a, b))
    rows = comparison.comparisons[comparison.comparisons["measure"] == measure]
    row, swapped = rows[(rows["a"] == a) & (rows["b"] == b)], rows[(rows["a"] == b) & (rows["b"] == a)]
    if len(row) + len(swapped) == 0:
        [of_measure] = [one for one in comparison.scores.measures if str(one) == measure]
        row = comparisons_of(comparison.scores.select(measures=[of_measure]), first, second, comparison.choices)
    of_pair = (row if len(row) else swapped).iloc[0].to_dict()
    if not len(row):
        low, high, wins, losses = (of_pair[name] for name in ("low", "high", "wins", "losses"))
        of_pair |= {
            "difference": -of_pair["difference"],
            "low": -high,
            "high": -low,
            "wins": losses,
            "losses": wins,
        }
    names = ("difference", "low", "high", "p", "p_corrected", "wins", "ties", "losses")
    return {name: of_pair[name] for name in names}


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.00005 else f"= {p:.4f}"
