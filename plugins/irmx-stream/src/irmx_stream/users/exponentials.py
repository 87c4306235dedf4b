"""Unit exponentials of users, cached because a sweep uses those of the same users hundreds of times."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from irmx.ragged import Floats

_MOST_KEPT = 25_000_000
"""Maximum number of cached floats: 200 MB."""

_JUMP = 210306068529402873165736369884012333109
"""The number of steps of ``PCG64.jumped()``, according to numpy's documentation."""


class Exponentials:
    """Streams of unit exponentials by seed, purpose and user; every request returns the start of the same infinite stream.

    Examples
    --------
    >>> first, second = Exponentials().rows(seed=7, purpose=2, users=[0, 5], widths=[2, 2])
    >>> bits = np.random.PCG64(np.random.SeedSequence(7, spawn_key=(2,))).jumped(5)
    >>> bool((np.random.Generator(bits).standard_exponential(2) == second).all())
    True
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int, int], Floats] = {}
        self._size = 0

    def rows(self, seed: int, purpose: int, users: Iterable[int], widths: Iterable[int]) -> list[Floats]:
        """Return the first unit exponentials of each user, as many as the user's width."""
        bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(purpose,)))
        start, rng = bits.state, np.random.Generator(bits)
        out = []
        for user, width in zip(users, widths, strict=False):
            row = self._kept.get((seed, purpose, user))
            if row is None or len(row) < width:
                bits.state = start
                bits.advance(user * _JUMP)
                row = rng.standard_exponential(width)
                self._keep((seed, purpose, user), row)
            out.append(row[:width])
        return out

    def _keep(self, key: tuple[int, int, int], row: Floats) -> None:
        """Store a row instead of a shorter one; clear the cache if there are too many."""
        known = self._kept.get(key)
        self._size += len(row) - (0 if known is None else len(known))
        if self._size > _MOST_KEPT:
            self._kept, self._size = {}, len(row)
        self._kept[key] = row


EXPONENTIALS = Exponentials()
"""The streams of this process."""
