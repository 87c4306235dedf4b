"""The picture of swap rates by the difference of means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.toolkit import axes_for, distinct_line, distinct_marker, picture_text
from irmx_study.discrimination.swap_counts import BINS, RELIABLE
from irmx_study.pictures.display import Display
from irmx_study.pictures.legends import legend_beside, width_beside
from irmx_study.pictures.named_colours import GREY

if TYPE_CHECKING:
    import pandas as pd


class SwapDisplay(Display):
    """Curves of swap rates; :meth:`irmx_study.Discrimination.plot_swaps` makes it.

    Parameters
    ----------
    rates : DataFrame
        What :meth:`Discrimination.swaps` returns.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(self, rates: pd.DataFrame) -> None:
        self.rates = rates

    def plot(self, ax: Any = None) -> SwapDisplay:
        """Draw one curve per measure over the smallest difference of each bin, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        """
        ax = self.ax_ = axes_for(ax, 1, (width_beside(self.rates["measure"]), 4))[0]
        for number, (measure, curve) in enumerate(self.rates.groupby("measure", sort=False)):
            used = curve[curve["compared"] > 0]
            places = used.index - curve.index[0]
            look = {
                **distinct_line(number),
                "marker": distinct_marker(number),
                "markersize": 4,
                "linewidth": 1.4,
                "clip_on": False,
            }
            ax.plot(places, 100 * used["swap_rate"], label=picture_text(measure), **look)
        lows = self.rates["low"].to_numpy()[:BINS]
        ticks = np.arange(0, len(lows), 4)
        ax.set_xticks(ticks, [f"{'≥ ' * (tick == len(lows) - 1)}{lows[tick]:g}" for tick in ticks.tolist()])
        ax.axhline(100 * RELIABLE, color=GREY, linewidth=0.8, linestyle="--", label=f"{RELIABLE:.0%} swapped", zorder=1)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("difference of means in one half of the topics, in bins")
        ax.set_ylabel("opposite order in the other half, %")
        legend_beside(ax)
        self.figure_ = ax.figure
        return self
