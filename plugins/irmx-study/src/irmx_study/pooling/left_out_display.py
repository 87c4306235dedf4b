"""The picture of what runs lose when their group has brought no documents into the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.toolkit import axes_for, picture_text
from irmx_study.pictures.named_colours import BLUE, GREY, VERMILION

if TYPE_CHECKING:
    import pandas as pd


class LeftOutDisplay:
    """The picture of a study of left-out groups; :meth:`irmx_study.LeftOutGroups.plot` makes it.

    Parameters
    ----------
    runs : DataFrame
        What :meth:`LeftOutGroups.runs` returns.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(self, runs: pd.DataFrame) -> None:
        self.changes = {
            str(measure): of_measure["rank_change"].dropna().to_numpy(dtype=float)
            for measure, of_measure in runs.groupby("measure", sort=False)
        }

    def plot(self, ax: Any = None) -> LeftOutDisplay:
        """Draw a line per measure, with a ring for each rank change, larger the more runs have it, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        """
        ax = self.ax_ = axes_for(ax, 1, (6.4, 1.7 + 0.42 * len(self.changes)))[0]
        for place, changes in enumerate(self.changes.values()):
            values, counts = np.unique(changes, return_counts=True)
            sizes = 18 + 400 * counts / max(len(changes), 1)
            ax.scatter(values, np.full(len(values), place), s=sizes, facecolor="none", edgecolor=BLUE, linewidth=1.2)
            if len(changes):
                ax.plot(changes.mean(), place, "d", color=VERMILION, markeredgecolor="black", markersize=5)
        ax.axvline(0, color=GREY, linewidth=0.8, zorder=0)
        ax.plot([], [], "o", markerfacecolor="none", markeredgecolor=BLUE, label="runs, by area")
        ax.plot([], [], "d", color=VERMILION, markeredgecolor="black", markersize=5, label="mean")
        ax.set_yticks(
            range(len(self.changes)), [picture_text(measure, 24) for measure in self.changes], fontsize="small"
        )
        ax.set_ylim(len(self.changes) - 0.4, -0.6)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("ranks that a run falls without its own group in the pool")
        ax.grid(axis="x", color="#dddddd", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.legend(frameon=False, fontsize="small", ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        self.figure_ = ax.figure
        return self
