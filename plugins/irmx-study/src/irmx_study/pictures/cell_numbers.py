"""Numbers in the cells of heat maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx.ragged import Bools, Floats


def write_in_cells(image: Any, values: Floats, empty: Bools) -> None:
    """Write correlations into the cells of a heat map, such as .45, in black or white: what can be read on their colour.

    Parameters
    ----------
    image : ScalarMappable
        The heat map, with the cell (y, x) around that point.
    values : float array, shape (rows, columns)
        Its values.
    empty : bool array, shape (rows, columns)
        The cells without a number.
    """
    for (y, x), value in np.ndenumerate(values):
        if not empty[y, x]:
            red, green, blue, _ = image.cmap(image.norm(value))
            colour = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
            text = f"{value:.2f}".replace("0.", ".", 1)
            image.axes.text(x, y, text, ha="center", va="center", fontsize=8, color=colour)
