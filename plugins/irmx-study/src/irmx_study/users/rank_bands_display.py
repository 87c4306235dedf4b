"""The picture of the bands of ranks of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.toolkit import axes_for, picture_text
from irmx_study.pictures.display import Display
from irmx_study.pictures.named_colours import BLUE, VERMILION

if TYPE_CHECKING:
    import pandas as pd


class RankBandsDisplay(Display):
    """The picture of rank bands; :meth:`irmx_study.Sensitivity.plot_rank_bands` makes it.

    Parameters
    ----------
    bands : DataFrame
        What :meth:`Sensitivity.rank_bands` returns.
    measure : str
        The name of the measure.
    settings : int
        The number of settings.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(self, bands: pd.DataFrame, measure: str, settings: int) -> None:
        self.bands, self.measure, self.settings = bands, measure, settings

    def plot(self, ax: Any = None) -> RankBandsDisplay:
        """Draw one band per system, the best on top, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        """
        table = self.bands.sort_values(["median", "best", "worst"], kind="stable")
        ax = self.ax_ = axes_for(ax, 1, (5.5, 1.2 + (0.26 if len(table) < 40 else 0.15) * len(table)))[0]
        places = np.arange(len(table))
        ax.hlines(places, table["best"], table["worst"], color=BLUE, linewidth=3, alpha=0.5, label="best to worst")
        ax.plot(table["median"], places, "d", color=VERMILION, markeredgecolor="black", markersize=5, label="median")
        ax.set_yticks(
            places,
            [picture_text(system) for system in table["system"]],
            fontsize="small" if len(table) < 40 else "x-small",
        )
        ax.set_ylim(len(table) - 0.5, -0.5)
        ax.set_xlim(0.5, len(table) + 0.5)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.grid(axis="x", color="#dddddd", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_xlabel(f"rank over {self.settings} settings of {picture_text(self.measure)}")
        ax.legend(frameon=False, fontsize="small", ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        self.figure_ = ax.figure
        return self
