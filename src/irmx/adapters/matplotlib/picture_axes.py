"""The axes that displays draw on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from irmx.adapters.matplotlib.picture_style import picture_style
from irmx.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_for(
    ax: Axes | Sequence[Axes] | None, panels: int, size: tuple[float, float], shared: bool = True
) -> list[Axes]:
    """Return the axes of a display to draw on: the given ones, or new ones side by side.

    Parameters
    ----------
    ax : Axes or sequence of Axes, optional
        The axes, one per panel.
    panels : int
        The number of panels.
    size : tuple of float
        The width and height of a new panel, in inches.
    shared : bool
        Whether new panels share their y-axis.

    Raises
    ------
    irmx.errors.UsageError
        If matplotlib is not installed, or the number of axes is not that of the panels.
    """
    if ax is None:
        with picture_style() as pyplot:
            _, axes = pyplot.subplots(
                1, panels, figsize=(size[0] * panels, size[1]), sharey=bool(shared), squeeze=False, layout="constrained"
            )
        return list(axes[0])
    axes_given: list[Axes] = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(axes_given) != panels:
        raise UsageError(
            f"The display has {panels} panel{'s' * (panels != 1)}. Got {len(axes_given)} axes to draw on instead."
        )
    return axes_given


def grid_of_axes(
    panels: int, across: int, size: tuple[float, float], shared: bool | Literal["y"] = False
) -> list[Axes]:
    """Return the axes of a new figure in rows.

    Parameters
    ----------
    panels : int
        The number of panels.
    across : int
        The number in a row.
    size : tuple of float
        The width and height of the figure, in inches.
    shared : bool or "y"
        Whether the panels share their axes; ``"y"`` for the y-axis alone.

    Returns
    -------
    list of Axes
        One per panel.

    Raises
    ------
    irmx.errors.UsageError
        If matplotlib is not installed.
    """
    with picture_style() as pyplot:
        figure, grid = pyplot.subplots(
            -(-panels // across),
            across,
            figsize=size,
            sharex=shared is True,
            sharey=bool(shared),
            squeeze=False,
            layout="constrained",
        )
    axes = list(grid.flat)
    for ax in axes[panels:]:
        figure.delaxes(ax)
    for ax in axes[max(panels - across, 0) : panels]:
        ax.xaxis.set_tick_params(labelbottom=True)  # also where the row below is not full
    return axes[:panels]
