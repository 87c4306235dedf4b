"""Aggregated search pages as arrays: many pages at once, block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from irmx import DataError, UsageError
from irmx.ragged import Array, Bools, Floats, Ints, offsets_of, position_in_segment, segment_of, segment_sum, short_repr

WEB = "web"
"""The label of general web results."""

WEB_ORIENTATION = 0.5
"""orient(Web): a vertical that users prefer to the web half of the time is as good as the web."""


@dataclass(frozen=True)
class OnPages:
    """Blocks of pages: those of page p are ``offsets[p]:offsets[p + 1]``, from top to bottom."""

    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def page(self) -> Ints:
        """The number of each block's page."""
        return segment_of(self.offsets)

    @cached_property
    def position(self) -> Ints:
        """The position of each block on its page, from 1."""
        return position_in_segment(self.offsets) + 1

    @property
    def blocks(self) -> Ints:
        """The number of blocks of every page."""
        return np.diff(self.offsets)

    def top(self, cutoff: int | None) -> Ints:
        """Return the indices of the blocks down to a position."""
        return np.flatnonzero(self.position <= (np.inf if cutoff is None else cutoff))


@dataclass(frozen=True)
class Pages(OnPages):
    """The blocks of pages, as ragged arrays; within a page from top to bottom.

    A block is one general web result, or consecutive items of one vertical.

    Attributes
    ----------
    offsets : int array, shape (pages + 1,)
        The blocks of page p are ``offsets[p]:offsets[p + 1]``.
    vertical : array of object, shape (blocks,)
        The label of each block's vertical; general web is ``web``.
    orientation : float array, shape (blocks,)
        orient(V|W,q) in [0, 1]: the probability that users prefer the vertical to the web for the topic; 0.5 for the web.
    relevant : float array, shape (blocks,)
        The number of relevant items.
    items : int array, shape (blocks,)
        The number of items, at least 1.
    effort : float array, shape (blocks,)
        E(B), the effort of examining the block: the sum over its items.
    visual : bool array, shape (blocks,)
        Whether the block contains an image or a video, which attracts attention.

    Examples
    --------
    >>> import numpy as np
    >>> pages = Pages(np.array([0, 2]), np.array(["web", "image"], dtype=object), np.array([0.5, 0.75]),
    ...     np.array([1.0, 2.0]), np.array([1, 3]), np.array([3.0, 3.0]), np.array([False, True]))
    >>> len(pages), pages.page, pages.position
    (1, array([0, 0]), array([1, 2]))
    """

    vertical: Array
    orientation: Floats
    relevant: Floats
    items: Ints
    effort: Floats
    visual: Bools

    __repr__ = short_repr

    def where(self, keep: Bools) -> Pages:
        """Return the pages with only the blocks for which ``keep`` is true."""
        offsets = offsets_of(np.bincount(self.page[keep], minlength=len(self)))
        names = ("vertical", "orientation", "relevant", "items", "effort", "visual")
        return Pages(offsets, *(getattr(self, name)[keep] for name in names))

    def without_empty(self) -> Pages:
        """Return the pages that have blocks."""
        return replace(self, offsets=offsets_of(self.blocks[self.blocks > 0]))


def utility(pages: Pages, gain: Floats, probabilities: Floats) -> Floats:
    """Return Util(P) = sum_i Exam(B_i) G(B_i) / sum_i Exam(B_i) E(B_i) of every page.

    Parameters
    ----------
    pages : Pages
        The pages.
    gain : float array, shape (blocks,)
        G(B), such as the result of :func:`irmx_pages.gain`.
    probabilities : float array, shape (blocks,)
        Exam(B), according to an examination model.

    Returns
    -------
    float array, shape (pages,)
        Gain per unit of ``pages.effort``.

    Raises
    ------
    irmx.DataError
        If a page has no blocks, or its expected effort is 0.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import numpy as np
    >>> pages = Pages(np.array([0, 2]), np.array(["web", "image"], dtype=object), np.array([0.5, 0.75]),
    ...     np.array([1.0, 2.0]), np.array([1, 3]), np.array([3.0, 3.0]), np.array([False, True]))
    >>> utility(pages, np.array([0.5, 1.5]), np.array([1.0, 0.5]))
    array([0.27777778])
    """
    for page in np.flatnonzero(pages.blocks == 0)[:1].tolist():
        raise DataError(f"page {page} (counted from 0) has no blocks; a page without blocks has no utility.")
    gained = segment_sum(probabilities * gain, pages.page, len(pages))
    spent = segment_sum(probabilities * pages.effort, pages.page, len(pages))
    for page in np.flatnonzero(~(spent > 0))[:1].tolist():
        raise DataError(
            f"the expected effort on page {page} (counted from 0) is {spent[page]:g}: none of its blocks is examined, or "
            "none requires effort. Efforts must be positive, and one block must have a positive probability."
        )
    return np.asarray(gained / spent)


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
