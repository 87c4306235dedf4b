"""Operations on ragged arrays: values of all topics in one array, and offsets that part them."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Floats = np.ndarray[Any, np.dtype[Any]]
"""An array of float64."""
Ints = np.ndarray[Any, np.dtype[Any]]
"""An array of int64."""


def offsets_of(lengths: Any) -> Ints:
    """Return the offsets of segments with the given lengths.

    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    out = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def segment_of(offsets: Ints) -> Ints:
    """Return, for every value, the number of its segment.

    >>> segment_of(np.array([0, 2, 2, 5]))
    array([0, 0, 2, 2, 2])
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def position_in_segment(offsets: Ints) -> Ints:
    """Return, for every value, its place in its segment, from 0.

    >>> position_in_segment(np.array([0, 2, 2, 5]))
    array([0, 1, 0, 1, 2])
    """
    return np.asarray(np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets)))


def segment_count(mask: Array, offsets: Ints) -> Ints:
    """Return how many values of every segment are true.

    >>> segment_count(np.array([True, False, True]), np.array([0, 2, 2, 3]))
    array([1, 0, 1])
    """
    running = np.zeros(len(mask) + 1, dtype=np.int64)
    np.cumsum(mask, out=running[1:])
    counts: Ints = np.diff(running[offsets])
    return counts
