"""The gain of a block: its relevant items, weighted by how much users want the vertical."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx_pages.page.page_arrays import Pages

READINGS = ("steep", "literal")
"""The readings of the steepness of g, k = 1/log10(alpha) and k = log10(alpha)."""


def orientation_gain(x: Any, alpha: float = 10, g: str = "steep") -> Floats:
    """Return g(x) = 1 / (1 + ((1 - x)/x)^k), the gain of one relevant item of a vertical.

    g(0.5) = 0.5 and g(x) + g(1 - x) = 1 for any alpha. With alpha = 10 both readings are the identity.

    Parameters
    ----------
    x : float array
        Orientations, in [0, 1].
    alpha : float
        The steepness, above 1.
    g : {"steep", "literal"}
        ``steep``: k = 1/log10(alpha), so that a smaller alpha is steeper, as in the paper's text. ``literal``: k =
        log10(alpha), so that a larger alpha is steeper.

    Raises
    ------
    irmx.UsageError
        If alpha is not above 1, or the reading is unknown.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> orientation_gain([0, 0.25, 0.5, 0.75, 1], alpha=2).round(6)
    array([0.      , 0.025345, 0.5     , 0.974655, 1.      ])
    >>> orientation_gain([0.75], alpha=7).round(6), orientation_gain([0.75], alpha=7, g="literal").round(6)
    (array([0.785832]), array([0.716758]))
    """
    if not alpha > 1:
        raise UsageError(
            f"The steepness alpha must be above 1: with alpha = 1 its logarithm is 0, and below 1 an item that no user wants "
            f"would gain more than one that all users want. Got {alpha!r}."
        )
    if g not in READINGS:
        raise UsageError(f"There is no reading {g!r} of g. Known: {', '.join(READINGS)}.")
    k = 1 / np.log10(alpha) if g == "steep" else np.log10(alpha)
    x = np.asarray(x, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(1 / (1 + ((1 - x) / x) ** k))


def gain(pages: Pages, alpha: float = 10, g: str = "steep") -> Floats:
    """Return G(B) = g(orient(V|W,q), alpha) * (relevant items of B) of every block.

    Parameters
    ----------
    pages : Pages
        The pages.
    alpha, g
        As in :func:`orientation_gain`.

    Returns
    -------
    float array, shape (blocks,)
        In [0, relevant items].

    Examples
    --------
    >>> import numpy as np
    >>> from irmx_pages import Pages
    >>> gain(Pages(np.array([0, 2]), np.array(["web", "image"], dtype=object), np.array([0.5, 0.75]),
    ...     np.array([1.0, 2.0]), np.array([1, 3]), np.array([3.0, 3.0]), np.array([False, True])))
    array([0.5, 1.5])
    """
    return orientation_gain(pages.orientation, alpha, g) * pages.relevant
