"""What the displays share: axes to draw on, colours, and names as texts of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import UsageError, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION, GREY = "#0072b2", "#d55e00", "#666666"
"""Two colours of Okabe and Ito, which people who see fewer colours can tell apart, and one for what is less important."""

_LONGEST = 36


def axes_for(
    ax: Axes | Sequence[Axes] | None, panels: int, size: tuple[float, float], shared: bool = True
) -> list[Axes]:
    """Return the axes to draw on: the given ones, or new ones side by side.

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
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise UsageError(
            "Drawing needs matplotlib, which is not installed. To install it: pip install matplotlib"
        ) from error
    if ax is None:
        _, axes = pyplot.subplots(
            1, panels, figsize=(size[0] * panels, size[1]), sharey=shared, squeeze=False, layout="constrained"
        )
        return list(axes[0])
    axes_given: list[Axes] = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(axes_given) != panels:
        raise UsageError(f"The display has {panels} panels, one per measure. Got {len(axes_given)} axes instead.")
    return axes_given


def grid_of_axes(panels: int, across: int, size: tuple[float, float], shared: bool = False) -> list[Axes]:
    """Return the axes of a new figure in rows.

    Parameters
    ----------
    panels : int
        The number of panels.
    across : int
        The number in a row.
    size : tuple of float
        The width and height of the figure, in inches.
    shared : bool
        Whether the panels share their axes.

    Returns
    -------
    list of Axes
        One per panel.
    """
    [first] = axes_for(None, 1, size)
    figure = first.figure
    first.remove()
    axes = list(figure.subplots(-(-panels // across), across, sharex=shared, sharey=shared, squeeze=False).flat)
    for ax in axes[panels:]:
        ax.set_axis_off()
    return axes[:panels]


def as_text(name: Any) -> str:
    r"""Return a name as text of a picture: shortened in the middle, and with no formulas.

    >>> print(as_text("cost $5$"))
    cost \$5\$
    """
    text = visible(str(name))
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"
    return text.replace("$", r"\$")


def plain(ax: Axes) -> None:
    """Take the frame away on the right and at the top."""
    ax.spines[["top", "right"]].set_visible(False)
