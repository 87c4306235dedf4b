"""The picture of discriminative power: achieved significance levels, sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irmx.toolkit import axes_for, distinct_line, picture_text
from irmx_study.pictures.display import Display
from irmx_study.pictures.legends import legend_beside, width_beside
from irmx_study.pictures.named_colours import GREY

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 3
"""A linear axis ends at so many times the level."""


class AslDisplay(Display):
    """Curves of achieved significance levels; :meth:`irmx_study.Discrimination.plot` makes it.

    Parameters
    ----------
    levels : DataFrame
        What :meth:`Discrimination.asl` returns.
    measures : DataFrame
        What :meth:`Discrimination.frame` returns.
    log : bool
        Whether the axis of levels is logarithmic.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(self, levels: pd.DataFrame, measures: pd.DataFrame, log: bool = False) -> None:
        self.levels, self.measures, self.log = levels, measures, log

    def plot(self, ax: Any = None) -> AslDisplay:
        """Draw one curve per measure, the largest power first in the legend, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        """
        ax = self.ax_ = axes_for(ax, 1, (width_beside(self.measures["measure"], " (99.9%)"), 4))[0]
        level = float(self.measures["level"].iloc[0])
        for row in self.measures.sort_values("power", ascending=False, kind="stable").itertuples():
            curve = self.levels[self.levels["measure"] == row.measure]
            levels = curve["p_corrected"].clip(lower=1e-16) if self.log else curve["p_corrected"]
            label = f"{picture_text(row.measure)} ({row.power:.1%})"
            ax.plot(100 * curve["share"], levels, label=label, linewidth=1.6, **distinct_line(row.Index))
        ax.axhline(level, color=GREY, linewidth=0.8, linestyle="--", label=f"level {level:g}", zorder=1)
        ax.set_xlim(0, 100)
        if self.log:
            ax.set_yscale("log")
        else:
            ax.set_ylim(0, min(1, _SHOWN * level))
        ax.set_xlabel("share of the pairs of systems, %")
        ax.set_ylabel("achieved significance level")
        legend_beside(ax, "measure (power)")
        self.figure_ = ax.figure
        return self
