"""Scatter plots of systems: their means by one measure, or setting of a measure, over those by another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Bools, Floats
from irmx.toolkit import axes_for, grid_of_axes, picture_text
from irmx_study.pictures.display import Display
from irmx_study.pictures.named_colours import BLUE, VERMILION

MOST = 12
"""The largest number of panels of a picture."""

_ACROSS = 3


class SystemsScatter(Display):
    """Scatter plots of systems; ``plot_scatter`` of :class:`irmx_study.Agreement` and of :class:`irmx_study.SettingsAgreement` makes them.

    Every panel has one point per system. A system that is tied with another by one of the two measures is hollow.

    Parameters
    ----------
    means : float array, shape (systems, measures)
        The means of the systems; equal ones are tied.
    measures : sequence of str
        The names of the measures.
    panels : sequence of (int, int, str)
        The measures on the x-axis and the y-axis of every panel, and its title: their correlations.

    Attributes
    ----------
    ax_ : array of Axes
        What was drawn on, one per panel.
    figure_ : Figure
        Their figure.
    """

    def __init__(self, means: Floats, measures: Sequence[str], panels: Sequence[tuple[int, int, str]]) -> None:
        self.means, self.measures, self.panels = means, tuple(measures), list(panels)

    def plot(self, ax: Any = None) -> SystemsScatter:
        """Draw the panels, and return the display.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            Where to draw, one per panel; by default on a new figure.

        Raises
        ------
        irmx.errors.UsageError
            If there are more than 12 panels.
        """
        if len(self.panels) > MOST:
            raise UsageError(
                f"A picture shows up to {MOST} pairs of measures. There are {len(self.panels)}: name a reference, or fewer measures."
            )
        axes = _new_axes(len(self.panels)) if ax is None else axes_for(ax, len(self.panels), (3, 3))
        for axis, (x, y, title) in zip(axes, self.panels, strict=True):
            self._panel(axis, x, y, title)
        self.ax_ = np.array(axes, dtype=object)
        self.figure_ = axes[0].figure
        return self

    def _panel(self, ax: Any, x: int, y: int, title: str) -> None:
        values = self.means[:, [x, y]]
        is_tied = tied(values)
        size = 18 if len(values) <= 40 else 10
        for chosen, fill, colour, label in (
            (~is_tied, BLUE, BLUE, None),
            (is_tied, "white", VERMILION, "tied with another system"),
        ):
            if chosen.any():
                ax.scatter(
                    *values[chosen].T, s=size, facecolor=fill, edgecolor=colour, linewidth=1.1, alpha=0.85, label=label,
                    zorder=3 if label else 2,
                )  # fmt: skip
        ax.set_xlabel(picture_text(self.measures[x], 34), fontsize="small")
        ax.set_ylabel(picture_text(self.measures[y], 34), fontsize="small")
        ax.set_title(title, fontsize="medium")
        if is_tied.any():
            ax.legend(frameon=False, fontsize="x-small", loc="best", handletextpad=0.2, borderpad=0.2)


def tied(values: Floats) -> Bools:
    """Return which systems have the same value as another one in a column.

    >>> tied(np.array([[0.1, 0.5], [0.2, 0.5], [0.3, 0.7]])).tolist()
    [True, True, False]
    """
    same = (values[None, :, :] == values[:, None, :]).sum(axis=1) > 1
    is_tied: Bools = same.any(axis=1)
    return is_tied


def _new_axes(panels: int) -> list[Any]:
    across = min(panels, _ACROSS)
    return grid_of_axes(panels, across, (3.1 * across, 3.0 * -(-panels // across)))
