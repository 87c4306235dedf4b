"""Random draws over topics, from a stream of bits that numpy guarantees for all its versions.

The methods of numpy's generators may change from version to version; the words of a bit generator may not. The same seed
therefore gives the same draws with every Python, and in chunks of any size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from irmx.ragged import Array, Floats, Ints

if TYPE_CHECKING:
    from numpy.random import PCG64


_CHUNK = 2**19
"""How many numbers to draw at a time: a small fraction of a second."""


def _chunks(draws: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the length of consecutive draws of some numbers each."""
    most = max(1, min(1024, _CHUNK // size))
    for start in range(0, draws, most):
        yield start, min(most, draws - start)


def _stream(seed: int) -> PCG64:
    from numpy.random import PCG64  # the import takes longer than all of this module

    return PCG64(seed)


def all_signs(topics: int, draws: int) -> bool:
    """Return whether there are at most as many vectors of signs as draws, so that all of them can be used."""
    return topics < 63 and 2**topics <= draws


def sign_flips(topics: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield vectors of signs, each of -1.0 and 1.0 with the same probability; all 2^topics, once, if these are not more.

    Examples
    --------
    >>> [signs.tolist() for signs in sign_flips(2, 100, seed=0)]
    [[[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]]
    >>> [signs.astype(int).tolist() for signs in sign_flips(9, 2, seed=0)]
    [[[-1, -1, -1, -1, -1, 1, -1, 1, 1], [-1, 1, 1, 1, 1, -1, 1, 1, -1]]]
    """
    if all_signs(topics, draws):
        for start, count in _chunks(2**topics, topics):
            yield _signs(np.arange(start, start + count, dtype=np.uint64)[:, None], topics)
        return
    words, stream = -(-topics // 64), _stream(seed)
    for _, count in _chunks(draws, topics):
        yield _signs(stream.random_raw(count * words).reshape(count, words), topics)


def _signs(words: Array, topics: int) -> Floats:
    """Return the lowest bits of words as signs, the lowest first."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=topics, bitorder="little")
    signs: Floats = np.subtract(1.0, 2.0 * bits)
    return signs


def resampled_topics(topics: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield how often each topic is in samples of as many topics, drawn with replacement.

    Examples
    --------
    >>> [counts.astype(int).tolist() for counts in resampled_topics(4, 2, seed=0)]
    [[[2, 1, 1, 0], [0, 0, 2, 2]]]
    """
    stream = _stream(seed)
    for _, count in _chunks(draws, topics):
        # 53 bits are the largest number of which a float keeps every one
        fractions = (stream.random_raw(count * topics) >> np.uint64(11)) * 2.0**-53
        places = (fractions * topics).astype(np.int64) + np.repeat(np.arange(count) * topics, topics)
        yield np.bincount(places, minlength=count * topics).reshape(count, topics).astype(float)


def shuffled_systems(topics: int, systems: int, draws: int, seed: int) -> Iterator[Ints]:
    """Yield random orders of the systems, one for every topic and draw.

    Examples
    --------
    >>> [orders.tolist() for orders in shuffled_systems(2, 3, 1, seed=0)]
    [[[[2, 1, 0], [0, 1, 2]]]]
    """
    stream = _stream(seed)
    low = np.uint64((1 << max(1, (systems - 1).bit_length())) - 1)
    for _, count in _chunks(draws, topics * systems):
        # random words whose lowest bits are the place of the system: no two are equal, so that every sort orders them alike
        words = stream.random_raw(count * topics * systems).reshape(count, topics, systems)
        words &= ~low
        words |= np.arange(systems, dtype=np.uint64)
        words.sort(axis=-1)
        words &= low
        yield words.view(np.int64)


def random_words(count: int, draw: int, seed: int) -> Array:
    """Return the random words of one draw; no draw depends on which others are made.

    Examples
    --------
    >>> [random_words(2, draw, seed=0).tolist() for draw in range(2)]
    [[11749869230777074271, 4976686463289251617], [755828109848996024, 304881062738325533]]
    """
    stream = _stream(seed)
    stream.advance(count * draw)
    return np.asarray(stream.random_raw(count))


LIMIT = 2**27
"""So many bytes of orders are kept at most; 10,000 draws of 129 systems on 50 topics are half of it."""


class KeptOrders:
    """The draws of :func:`shuffled_systems`, kept for the next measure: drawing them takes longer than what follows.

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
