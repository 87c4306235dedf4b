"""Where images and videos draw attention on a page."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Bools, Floats, Ints


def blocks_to_nearest(marked: Bools, offsets: Ints) -> Ints:
    """Return the distance of every value to the nearest marked one of its segment, -1 where the segment has none.

    >>> blocks_to_nearest(np.array([False, False, True, False, False]), np.array([0, 4, 5]))
    array([ 2,  1,  0,  1, -1])
    """
    count = len(marked)
    index = np.arange(count)
    lengths = np.diff(offsets)
    start, end = np.repeat(offsets[:-1], lengths), np.repeat(offsets[1:], lengths)
    before = np.maximum.accumulate(np.where(marked, index, -1))
    after = np.minimum.accumulate(np.where(marked, index, count)[::-1])[::-1]
    above = np.where(before >= start, index - before, count)
    below = np.where(after < end, after - index, count)
    nearest = np.minimum(above, below)
    return np.where(nearest < count, nearest, -1)


def attention(position: Ints, visual: Bools, offsets: Ints, beta: float, phi: float | None = None) -> Floats:
    """Return phi + (1 - phi) beta^dist of every block, where dist is the distance to the nearest visual block.

    Without a constant phi, phi is 1/log2(position + 1).

    >>> attention(np.array([1, 2, 3]), np.array([False, False, True]), np.array([0, 3]), 0.5)
    array([1.        , 0.81546488, 1.        ])
    """
    by_position = 1 / np.log2(position + 1) if phi is None else np.full(len(position), phi)
    distance = blocks_to_nearest(visual, offsets)
    near = np.where(distance >= 0, beta ** np.maximum(distance, 0.0), 0.0)
    return np.asarray(by_position + (1 - by_position) * near)


def products_before(factor: Floats, offsets: Ints) -> Floats:
    """Return, for every value, the product of those before it in its segment; 1 for the first.

    >>> products_before(np.array([0.5, 0.5, 0.5, 0.1, 0.2]), np.array([0, 3, 5]))
    array([1.  , 0.5 , 0.25, 1.  , 0.1 ])
    """
    out = np.ones(len(factor))
    at, last = offsets[:-1], offsets[1:] - 1
    while True:
        goes_on = at < last
        at, last = at[goes_on], last[goes_on]
        if not len(at):
            return out
        out[at + 1] = out[at] * factor[at]
        at = at + 1
