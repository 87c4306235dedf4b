"""The picture of how robust measures are to a smaller pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.ragged import Floats
from irmx.toolkit import axes_for, distinct_line, distinct_marker, grid_of_axes, picture_text
from irmx_study.pictures.display import Display
from irmx_study.pictures.legends import legend_beside, width_beside

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_SHADED = 3
"""Up to so many measures have bands; of more, these would hide each other, and bars are drawn."""
_TOGETHER = 9
"""Up to so many measures are drawn in one panel; of more, each has a panel of its own."""


class RobustnessDisplay(Display):
    """The picture of a study of smaller pools; :meth:`irmx_study.SmallerPools.plot` makes it.

    Parameters
    ----------
    rows : DataFrame
        What :meth:`SmallerPools.frame` returns.
    systems : int
        The number of systems.

    Attributes
    ----------
    ax_ : Axes, or array of Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(self, rows: pd.DataFrame, systems: int) -> None:
        self.rows, self.systems = rows, systems

    @property
    def measures(self) -> list[str]:
        """The measures, the most robust at the smallest percentage first."""
        last = self.rows[self.rows["keep"] == self.rows["keep"].min()]
        return list(last.sort_values("tau", ascending=False, kind="stable", na_position="last")["measure"])

    def plot(self, ax: Any = None) -> RobustnessDisplay:
        """Draw the lines, each with the band from the smallest to the largest tau, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw all lines; by default on a new figure, with one panel per measure if there are more than nine.
        """
        measures = self.measures
        if ax is None and len(measures) > _TOGETHER:
            self.ax_ = self._panels(measures)
        else:
            self.ax_ = axes_for(ax, 1, (width_beside(measures), 4.5))[0]
            levels = self._levels()
            gap = min(np.abs(np.diff(levels)), default=10.0)
            for i, measure in enumerate(measures):
                shade = 0.15 if len(measures) <= _SHADED else 0.0
                self._line(self.ax_, measure, i, 0.0 if shade else 0.06 * gap * ((len(measures) - 1) / 2 - i), shade)
            self._axes(self.ax_, 0.05)
            how = "bands" if len(measures) <= _SHADED else "bars"
            self.ax_.set_title(f"{self.systems} systems; lines are means, {how} the range of samples", fontsize="small")
            legend_beside(self.ax_, "measure")
        self.figure_ = np.ravel(self.ax_)[0].figure
        return self

    def _line(self, ax: Axes, measure: str, number: int, shift: float = 0.0, shade: float = 0.0) -> None:
        """Draw the line of a measure: with its band if that is shaded, else with bars, moved so that they do not overlap."""
        levels, tau, low, high = self._points(measure)
        look, x = distinct_line(number), levels + shift * (levels < 100)
        if shade:
            ax.fill_between(x, low, high, color=look["color"], alpha=shade, linewidth=0)
        else:
            ax.vlines(x, low, high, color=look["color"], linewidth=1.2, alpha=0.7)
        ax.plot(
            x, tau, **look, linewidth=1.3, marker=distinct_marker(number), markersize=5.5, markeredgecolor="white",
            markeredgewidth=0.5, label=picture_text(measure),
        )  # fmt: skip

    def _points(self, measure: str) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the percentages of a measure, largest first, and tau, its smallest and its largest there; 1 at 100%."""
        rows = self.rows[self.rows["measure"] == measure].sort_values("keep", ascending=False)
        columns = [rows[name].to_numpy(dtype=float) for name in ("keep", "tau", "low", "high")]
        if 100 not in columns[0]:
            columns = [np.append(first, column) for first, column in zip((100.0, 1.0, 1.0, 1.0), columns, strict=True)]
        levels, tau, low, high = columns
        return levels, tau, low, high

    def _levels(self) -> list[float]:
        return sorted({100.0, *self.rows["keep"].astype(float)}, reverse=True)

    def _axes(self, ax: Axes, apart: float) -> None:
        """Label the axes; a percentage that is closer to the last one than a share of the axis has no text."""
        levels = self._levels()
        width = (levels[0] - levels[-1]) or 1.0
        texts, last = [], np.inf
        for level in levels:
            is_apart = last - level >= apart * width
            texts.append(f"{level:g}" if is_apart else "")
            last = level if is_apart else last
        ax.set_xticks(levels, texts)
        ax.set_xlim(levels[0] + 0.03 * width, levels[-1] - 0.04 * width)
        lowest = float(np.nanmin(self.rows["low"].to_numpy(dtype=float), initial=1.0))
        ax.set_ylim(lowest - 0.05 * (1 - lowest) - 0.005, 1 + 0.02 * (1 - lowest) + 0.002)
        ax.grid(axis="y", color="#dddddd", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_xlabel("judgments kept, %")
        ax.set_ylabel("tau with the full pool")

    def _panels(self, measures: list[str]) -> Any:
        """Draw one panel per measure, the others in grey behind it."""
        across = min(4, len(measures))
        down = -(-len(measures) // across)
        axes = grid_of_axes(len(measures), across, (2.3 * across + 0.6, 2.0 * down + 0.6), shared=True)
        for i, (ax, measure) in enumerate(zip(axes, measures, strict=True)):
            self._axes(ax, 0.13)
            for other in measures:
                levels, tau, *_ = self._points(other)
                ax.plot(levels, tau, color="#cccccc", linewidth=0.7)
            self._line(ax, measure, i, shade=0.25)
            ax.xaxis.set_tick_params(labelbottom=i + across >= len(measures))
            ax.set_title(picture_text(measure), fontsize="small")
            ax.tick_params(labelsize="small")
            ax.set_xlabel("")
            ax.set_ylabel("")
        figure = axes[0].figure
        figure.supxlabel("judgments kept, %", fontsize="medium")
        figure.supylabel("tau with the full pool", fontsize="medium")
        figure.suptitle(
            f"{self.systems} systems; lines are means, bands the range of samples, grey the other measures",
            fontsize="small",
        )
        return np.array(axes, dtype=object)
