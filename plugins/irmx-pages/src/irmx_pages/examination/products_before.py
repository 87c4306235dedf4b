"""Running products within segments of a ragged array."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats, Ints


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
