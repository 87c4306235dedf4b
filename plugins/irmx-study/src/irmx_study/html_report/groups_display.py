"""A critical-difference diagram: means of systems on an axis, bars over those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from irmx.toolkit import axes_for, picture_text
from irmx_study.comparison.comparison import Comparison
from irmx_study.pictures.display import Display
from irmx_study.pictures.named_colours import BLUE, GREY

_STEP = 1.0
"""The distance between two lines of names, of which the height of the picture is a multiple."""


@dataclass(eq=False, repr=False)
class GroupsDisplay(Display):
    """The systems at their means by one measure, with a bar over every group that cannot be told apart.

    Attributes
    ----------
    measure : str
        The measure.
    systems : tuple of str
        The systems, the best first.
    means : tuple of float
        Their means.
    groups : tuple of tuple of int
        The places of the systems of every group of two or more.
    ax_, figure_
        What was drawn on.
    """

    measure: str
    systems: tuple[str, ...]
    means: tuple[float, ...]
    groups: tuple[tuple[int, ...], ...]
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_comparison(cls, comparison: Comparison, measure: str) -> GroupsDisplay:
        """Return the display of a comparison of all pairs by a measure, not drawn yet."""
        table = comparison.estimates("mean")
        table = table[table["measure"] == measure]
        letters = dict(zip(comparison.scores.systems, comparison.letters[measure], strict=True))
        return cls(
            measure, tuple(table["system"]), tuple(table["mean"]), groups_of([letters[s] for s in table["system"]])
        )

    def plot(self, ax: Any = None) -> GroupsDisplay:
        """Draw the display: names of the better half on the right, of the others on the left, the bars below the axis."""
        right = (len(self.systems) + 1) // 2
        start = 0.7 + 0.5 * len(self.groups)
        lowest = start + _STEP * right
        self.ax_ = axes_for(ax, 1, (8, 0.8 + 0.27 * lowest))[0]
        self.figure_ = self.ax_.figure
        low, high = min(self.means), max(self.means)
        span = (high - low) or max(abs(high), 1e-9)
        ends = low - 0.06 * span, high + 0.06 * span
        self.ax_.set_xlim(low - 0.55 * span, high + 0.55 * span)
        self.ax_.set_ylim(-lowest, 0.3)
        self.ax_.plot(ends, (0, 0), color="black", linewidth=1)
        self._draw_ticks(low, high)
        for place, (system, mean) in enumerate(zip(self.systems, self.means, strict=True)):
            is_right = place < right
            line = place if is_right else len(self.systems) - 1 - place
            y, end = -(start + _STEP * line), ends[is_right]
            self.ax_.plot((mean, mean, end), (0, y, y), color=GREY, linewidth=0.8)
            name, number = picture_text(system), f"{mean:.3f}"
            text = f" {name}  {number}" if is_right else f"{number}  {name} "
            self.ax_.text(end, y, text, va="center", ha="left" if is_right else "right", fontsize=9)
        for level, group in enumerate(self.groups):
            xs, y = [self.means[place] for place in group], -(0.45 + 0.5 * level)
            self.ax_.plot((max(xs), min(xs)), (y, y), color=BLUE, linewidth=3, solid_capstyle="round")
            self.ax_.plot(xs, [y] * len(xs), "o", color=BLUE, markeredgecolor="white", markersize=6, linestyle="none")
        self.ax_.set_axis_off()
        self.ax_.set_title(f"mean {picture_text(self.measure)}", fontsize=10, pad=14)
        return self

    def _draw_ticks(self, low: float, high: float) -> None:
        """Draw numbers above the axis."""
        from matplotlib.ticker import MaxNLocator

        for tick in MaxNLocator(6).tick_values(low, high):
            if low <= tick <= high:
                self.ax_.plot((tick, tick), (0, 0.12), color="black", linewidth=1)
                self.ax_.text(tick, 0.2, f"{tick:g}", ha="center", va="bottom", fontsize=8)


def groups_of(letters: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the places of the systems that share a letter, by letter; groups of one are left out.

    >>> groups_of(["a", "ab", "b", "c"])
    ((0, 1), (1, 2))
    """
    by_letter: dict[str, list[int]] = {}
    for place, of_system in enumerate(letters):
        for letter in of_system:
            by_letter.setdefault(letter, []).append(place)
    return tuple(tuple(group) for group in by_letter.values() if len(group) > 1)
