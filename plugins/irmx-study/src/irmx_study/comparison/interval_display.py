"""A picture of a comparison: the differences to the baselines with their intervals; of all pairs, the means and letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.ragged import Bools, Floats
from irmx.toolkit import COLOURS, axes_for, distinct_marker, grid_of_axes, picture_text
from irmx_study.pictures.display import Display
from irmx_study.pictures.named_colours import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from irmx_study.comparison.comparison import Comparison

_LETTERS_SHOWN = 26
_ACROSS = 3
"""So many panels are side by side; further ones are below."""
_SMALL_LINE, _SMALL = 0.13, 7
"""The height of a line in inches, and the size of its name in points, with many systems."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Values with intervals: the means of systems, or their differences to one baseline; NaN where there is none.

    Attributes
    ----------
    name : str
        The baseline; empty for means.
    values, low, high : float array
        The values and the ends of their intervals, one per system.
    significant : bool array
        Whether a value differs from zero; for means, always.
    """

    name: str
    values: Floats
    low: Floats
    high: Floats
    significant: Bools


@dataclass(frozen=True, eq=False)
class Panel:
    """What is drawn of one measure.

    Attributes
    ----------
    measure : str
        The measure.
    estimates : sequence of Estimates
        One per baseline, or the means.
    letters : sequence of str
        The letters of the systems; empty if there are none to show.
    """

    measure: str
    estimates: Sequence[Estimates]
    letters: Sequence[str]


@dataclass(eq=False, repr=False)
class IntervalDisplay(Display):
    """Differences to baselines with their intervals, or means with intervals and letters: one panel per measure.

    It is made by :meth:`Comparison.plot`. Filled markers are significant differences.

    Attributes
    ----------
    systems : tuple of str
        The systems, from top to bottom.
    panels : tuple of Panel
        What is drawn, one panel per measure.
    level : float
        The level of significance; the intervals cover 1 - level.
    correction : str
        How the p-values are corrected that tell which differences are significant.
    ax_ : Axes or list of Axes
        The axes of matplotlib; a list if there are several measures.
    figure_ : Figure
        The figure of matplotlib.
    """

    systems: tuple[str, ...]
    panels: tuple[Panel, ...]
    level: float
    correction: str
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Figure | SubFigure | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> IntervalDisplay:
        """Return the display of a comparison, not drawn yet; systems are ordered by their mean of the first measure."""
        summary = comparison.estimates()
        measures = list(map(str, comparison.scores.measures))
        first = summary[summary["measure"] == measures[0]].drop_duplicates("system")
        systems = first.sort_values("mean", ascending=False, kind="stable")["system"].tolist()
        if comparison.baseline:
            systems.remove(comparison.baseline[0])  # which is compared with no other
        panels = []
        for measure in measures:
            of_measure = summary[summary["measure"] == measure]
            letters: dict[str, str] = {}
            if comparison.all_pairs:
                letters = dict(zip(comparison.scores.systems, comparison.letters[measure], strict=True))
                table = of_measure.set_index("system").loc[systems]
                mean, low, high = (table[name].to_numpy() for name in ("mean", "mean_low", "mean_high"))
                estimates = [Estimates("", mean, low, high, np.ones(len(systems), dtype=bool))]
            else:
                estimates = []
                for baseline in comparison.baseline:
                    table = of_measure[of_measure["baseline"] == baseline].set_index("system").reindex(systems)
                    columns = ("difference", "low", "high")
                    values, low, high = (table[name].to_numpy(dtype=float) for name in columns)
                    significant = (table["p_corrected"] <= comparison.choices.level).to_numpy()
                    estimates.append(Estimates(baseline, values, low, high, significant))
            shown = letters and len(set().union(*letters.values())) <= _LETTERS_SHOWN
            panels.append(Panel(measure, estimates, [letters[system] for system in systems] if shown else []))
        correction = {"none": "uncorrected"}.get(comparison.choices.correction.NAME, str(comparison.choices.correction))
        return cls(tuple(systems), tuple(panels), comparison.choices.level, correction)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> IntervalDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            The axes of matplotlib to draw on, one per measure; by default those of a new figure.

        Returns
        -------
        IntervalDisplay
            The display itself, with the axes as ``ax_`` and the figure as ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            If matplotlib is not installed, or the number of axes is not that of the measures.
        """
        crowded = len(self.systems) > 40
        lines = len(self.systems) * max(1.0, 0.6 * len(self.panels[0].estimates))
        names = [picture_text(system) for system in self.systems]
        across = min(_ACROSS, len(self.panels))
        size = 3.6 * across + 0.08 * max(map(len, names)), 1.3 + lines * (_SMALL_LINE if crowded else 0.26)
        if ax is None:
            rows = -(-len(self.panels) // across)
            axes = grid_of_axes(len(self.panels), across, (size[0], size[1] * rows), shared="y")
        else:
            axes = axes_for(ax, len(self.panels), size)
        for panel, on in zip(self.panels, axes, strict=True):
            self._draw(panel, on, crowded)
        axes[0].set_yticks(range(len(names)), names, fontsize=_SMALL if crowded else 9)
        axes[0].set_ylim(len(names) - 0.4, -0.6)  # the best on top
        for on in axes[1:]:
            on.set_ylim(axes[0].get_ylim())
            if ax is None:
                on.tick_params(axis="y", left=False)
            else:
                on.set_yticks(range(len(names)), names, fontsize=_SMALL if crowded else 9)
        self.ax_, self.figure_ = (axes[0] if len(axes) == 1 else axes), axes[0].figure
        return self

    def _draw(self, panel: Panel, ax: Axes, crowded: bool) -> None:
        """Draw the estimates of one measure."""
        of_means = not panel.estimates[0].name
        coverage, size = f"{100 * (1 - self.level):g}% interval", 3 if crowded else 5
        several = len(panel.estimates) > 1
        ax.set_title(picture_text(panel.measure, 40), fontsize=10, pad=24 if several else None)
        ax.grid(axis="x", color="#dddddd", linewidth=0.6)
        ax.set_axisbelow(True)
        if not of_means:
            ax.axvline(0, color=GREY, linewidth=1)
        for i, estimates in enumerate(panel.estimates):
            colour, marker = COLOURS[i % len(COLOURS)], distinct_marker(i)
            places = np.arange(len(self.systems)) + 0.5 * ((i + 0.5) / len(panel.estimates) - 0.5)
            ax.hlines(places, estimates.low, estimates.high, color=colour, linewidth=1 if crowded else 1.5)
            for some, face in ((estimates.significant, colour), (~estimates.significant, "white")):
                ax.plot(estimates.values[some], places[some], marker, ms=size, mfc=face, mec=colour, linestyle="none")
            if several:
                ax.plot([], [], marker, ms=size, color=colour, label=f"to {picture_text(estimates.name)}")
        if several:
            ax.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 0.99), frameon=False, ncols=3)
        if of_means:
            ax.set_xlabel(
                f"mean, {coverage}" + ("; a shared letter: not told apart" if panel.letters else ""), fontsize=9
            )
        else:
            to = "" if several else f" to {picture_text(panel.estimates[0].name)}"
            ax.set_xlabel(
                f"difference{to}\nwith {coverage}; filled: p ≤ {self.level:g} ({self.correction})", fontsize=9
            )
        for place, letters in enumerate(panel.letters):
            ax.annotate(
                letters,
                (1, place),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=_SMALL if crowded else 8,
            )
        ax.tick_params(axis="x", labelsize=8)
