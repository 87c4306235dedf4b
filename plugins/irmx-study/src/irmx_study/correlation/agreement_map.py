"""A heat map of a coefficient of all measures with all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats, Ints
from irmx.toolkit import axes_for, picture_text
from irmx_study.pictures.cell_numbers import write_in_cells
from irmx_study.pictures.display import Display

if TYPE_CHECKING:
    import pandas as pd

ORDERS = ("listed", "similar")
"""The orders of the measures."""

_NUMBERS = 16
"""Cells of up to so many measures have their number in them."""

_NAMES = 60
"""Up to so many measures are named; of more, every second, third, ..."""


class AgreementMap(Display):
    """The heat map of an agreement; :meth:`irmx_study.Agreement.plot` makes it.

    Parameters
    ----------
    matrix : DataFrame
        A row and a column per measure.
    name : str
        The name of the coefficient.
    directed : bool
        Whether the row is the reference of the column.
    order : {"listed", "similar"}
        The order of the measures: as in the matrix, or by hierarchical clustering (mean linkage of 1 minus the coefficient,
        leaves ordered so that neighbours agree best).

    Attributes
    ----------
    measures : tuple of str
        The measures in the order in which they are drawn.
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(self, matrix: pd.DataFrame, name: str, directed: bool, order: str = "listed") -> None:
        if order not in ORDERS:
            raise UsageError(f"The order of the measures is one of {', '.join(ORDERS)}. Got {order!r} instead.")
        values = matrix.to_numpy()
        places = order_by_similarity(values) if order == "similar" else np.arange(len(values))
        self.values = values[np.ix_(places, places)]
        self.measures = tuple(str(matrix.index[place]) for place in places)
        self.name, self.directed = name, directed

    def plot(self, ax: Any = None) -> AgreementMap:
        """Draw the heat map, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        """
        count = len(self.measures)
        side = max(2.8, 0.45 * min(count, _NUMBERS) + 0.16 * max(0, min(count, _NAMES) - _NUMBERS))
        step = -(-count // _NAMES)
        places = list(range(0, count, step))
        names = [picture_text(self.measures[place], 22 if count <= _NUMBERS else 36) for place in places]
        size = "small" if count <= _NUMBERS else "x-small"
        room = 0.075 * max(len(line) for name in names for line in name.split("\n"))
        self.ax_ = axes_for(ax, 1, (side + 1.2 + room, side + 0.2 + room))[0]
        self.figure_ = self.ax_.figure
        lowest = float(np.nanmin(self.values))
        image = self.ax_.imshow(self.values, cmap="cividis", vmin=lowest, vmax=1.0)
        if count <= _NUMBERS:
            write_in_cells(image, self.values, np.eye(count, dtype=bool))
        self.ax_.set_xticks(places, names, rotation=90, fontsize=size)
        self.ax_.set_yticks(places, names, fontsize=size)
        self.ax_.tick_params(length=0 if step == 1 else 2)
        if self.directed:
            self.ax_.set_ylabel("reference")
        self.ax_.spines[:].set_visible(False)
        bar = self.figure_.colorbar(image, ax=self.ax_, shrink=0.8)
        bar.set_label(self.name)
        bar.outline.set_visible(False)
        return self


def order_by_similarity(values: Floats) -> Ints:
    """Return the order of measures in which those that agree are neighbours.

    Parameters
    ----------
    values : float array, shape (measures, measures)
        A coefficient of agreement; of two directions the mean counts.

    Examples
    --------
    >>> order_by_similarity(np.array([[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]])).tolist()
    [1, 2, 0]
    """
    if len(values) < 3:
        return np.arange(len(values))
    from scipy.cluster.hierarchy import leaves_list, linkage

    distances = 1 - (values + values.T) / 2
    condensed = distances[np.triu_indices(len(values), 1)]
    order: Ints = leaves_list(linkage(np.maximum(condensed, 0), "average", optimal_ordering=True)).astype(np.int64)
    return order
