"""Heat maps over two parameters of a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx.ragged import Floats
from irmx.toolkit import picture_text
from irmx_study.pictures.ticks import label_ticks
from irmx_study.settings.varied_parameters import VariedParameter


def draw_over_two(ax: Any, values: Floats, down: VariedParameter, across: VariedParameter, **colours: Any) -> Any:
    """Draw values by colour, the cell (y, x) around that point; what is NaN, a combination that is no setting, is grey.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    values : float array, shape (values of down, values of across)
        The values.
    down, across : VariedParameter
        The parameters on the axes.
    **colours
        The colour map and its limits, as for ``Axes.pcolormesh``.

    Returns
    -------
    QuadMesh
        What a colour bar explains.
    """
    ys, xs = down.axis(), across.axis()
    edges = [np.arange(len(labels) + 1) - 0.5 for labels in (xs, ys)]
    ax.set_facecolor("#dddddd")
    image = ax.pcolormesh(*edges, np.ma.masked_invalid(values), rasterized=True, **colours)
    ax.spines[:].set_visible(False)
    label_ticks(ax.xaxis, xs)
    label_ticks(ax.yaxis, ys)
    ax.set_xlabel(picture_text(across.name))
    ax.set_ylabel(picture_text(down.name))
    return image
