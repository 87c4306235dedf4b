"""Random orders of systems that the measures of a comparison share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irmx.ragged import Array, Ints
from irmx_study.significance.random_draws import shuffled_systems

LIMIT = 2**27
"""So many bytes of orders are kept at most; 10,000 draws of 129 systems on 50 topics are half of it."""


class KeptOrders:
    """The draws of :func:`shuffled_systems`, kept for the next measure: drawing them takes longer than what follows.

    Parameters
    ----------
    limit : int
        The bytes that may be kept; by default none, so that everything is drawn again.

    Examples
    --------
    >>> kept = KeptOrders(LIMIT)
    >>> first, second = ([orders.tolist() for orders in kept.draw(2, 3, 10, seed=0)] for _ in range(2))
    >>> first == second == [orders.tolist() for orders in shuffled_systems(2, 3, 10, seed=0)]
    True
    """

    def __init__(self, limit: int = 0) -> None:
        self._limit = limit
        self._kept: dict[tuple[int, int, int, int], list[Array]] = {}

    def draw(self, topics: int, systems: int, draws: int, seed: int) -> Iterator[Ints]:
        """Yield what :func:`shuffled_systems` yields; the caller may change the arrays."""
        key = (topics, systems, draws, seed)
        if key in self._kept:
            for orders in self._kept[key]:
                yield orders.astype(np.int64)
            return
        smallest = np.min_scalar_type(systems - 1)
        fits = topics * systems * draws * smallest.itemsize <= self._limit
        kept: list[Array] = []
        for orders in shuffled_systems(*key):
            if fits:
                kept.append(orders.astype(smallest))
            yield orders
        if fits:
            self._kept = {key: kept}
