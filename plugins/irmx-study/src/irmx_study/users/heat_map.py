"""Heat maps of differences over two parameters, with the border between the users of two systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx_study.settings.parameter_map import draw_over_two
from irmx_study.settings.varied_parameters import VariedParameter
from irmx_study.users.borders import signs

if TYPE_CHECKING:
    import pandas as pd


def draw_heat_map(ax: Any, rows: pd.DataFrame, down: VariedParameter, across: VariedParameter, limit: float) -> Any:
    """Draw differences by colour, the border where their sign changes as a line, and hatch what is not significant.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    rows : DataFrame
        The settings, with the columns of :meth:`Sensitivity.frame`: at most one row per combination of the two parameters.
    down, across : VariedParameter
        The parameters on the axes.
    limit : float
        The largest absolute difference of the scale of colours.

    Returns
    -------
    QuadMesh
        What a colour bar explains.
    """
    from matplotlib.collections import PolyCollection

    ys, xs = down.axis(), across.axis()
    places = rows[down.column].map(ys.index).to_numpy(), rows[across.column].map(xs.index).to_numpy()
    difference = np.full((len(ys), len(xs)), np.nan)
    difference[places] = rows["difference"]
    image = draw_over_two(ax, difference, down, across, cmap="PuOr", vmin=-limit, vmax=limit)
    cells = [_square(x, y) for y, x, better in zip(*places, rows["better"], strict=True) if not better]
    ax.add_collection(PolyCollection(cells, facecolor="none", edgecolor="#555555", hatch="////", linewidth=0))
    _border(ax, signs(difference))
    return image


def _square(x: float, y: float) -> list[tuple[float, float]]:
    return [(x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5)]


def _border(ax: Any, sign: Any) -> None:
    """Draw a line between neighbouring cells of different sign."""
    for y, x in zip(*np.nonzero(_differ(sign[:, :-1], sign[:, 1:])), strict=True):
        ax.plot([x + 0.5, x + 0.5], [y - 0.5, y + 0.5], color="black", linewidth=2, solid_capstyle="projecting")
    for y, x in zip(*np.nonzero(_differ(sign[:-1], sign[1:])), strict=True):
        ax.plot([x - 0.5, x + 0.5], [y + 0.5, y + 0.5], color="black", linewidth=2, solid_capstyle="projecting")


def _differ(one: Any, other: Any) -> Any:
    return (one != other) & ~np.isnan(one) & ~np.isnan(other)
