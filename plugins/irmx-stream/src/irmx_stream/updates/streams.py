"""Streams of updates as arrays: the updates that a user can read, and the nuggets they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmx.ragged import Array, Floats, Ints, offsets_of, short_repr

LATE = ("before", "at")
"""Which sessions make a nugget late: those that start after it was known, or also those that start at that time."""

_CELLS = 2**17


def in_order(time: Floats, confidence: Floats, *further: Array) -> Ints:
    """Return the updates of a run oldest first, in the order of :class:`Stream`.

    Updates with the same time and confidence are sorted by further columns, lowest first; if these are equal too, or there
    are none, the one later in the run comes first.

    >>> in_order(np.array([5, 5, 0]), np.zeros(3)), in_order(np.array([5, 5, 0]), np.zeros(3), np.array([1, 2, 3]))
    (array([2, 1, 0]), array([2, 0, 1]))
    """
    return np.lexsort((-np.arange(len(time)), *reversed(further), confidence, time))


@dataclass(frozen=True)
class Stream:
    """One topic's updates, oldest first, and the nuggets that some of them hold.

    Updates with the same time are sorted by confidence, lowest first, so that reading from the end is reading the newest
    first and, for equal times, the most confident first. Those with the same confidence are sorted by id, so that the
    largest id is read first, or by the order of the run; see :meth:`of`.

    Attributes
    ----------
    time : float array, shape (updates,)
        The time at which each was emitted, in seconds; ascending.
    length : float array, shape (updates,)
        The number of words of each.
    confidence : float array, shape (updates,)
        The system's confidence in each.
    update : int array, shape (pairs,)
        The index of the update, for every pair of an update and a nugget that it holds; ascending.
    nugget : int array, shape (pairs,)
        The number of the nugget, for every pair.
    nugget_time : float array, shape (nuggets,)
        The time at which each nugget was first known; ascending.
    """

    time: Floats
    length: Floats
    confidence: Floats
    update: Ints
    nugget: Ints
    nugget_time: Floats

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(
        cls,
        time: Floats,
        length: Floats,
        confidence: Floats,
        update: Ints,
        nugget: Ints,
        nugget_time: Floats,
        place: Ints | None = None,
    ) -> Stream:
        """Return the stream for updates in the order of a run, and pairs of an update and a nugget in any order.

        The nuggets are numbered in the order of their times. ``place`` is the rank of the id of each update among all ids:
        updates with the same time and confidence are read by descending id, whatever the order of the run. Without it they
        are read in the order of the run.
        """
        by_time = np.argsort(nugget_time, kind="stable")
        number = np.empty(len(by_time), dtype=np.int64)
        number[by_time] = np.arange(len(by_time))
        oldest_first = in_order(time, confidence, *(() if place is None else (place, length)))
        new = np.empty(len(time), dtype=np.int64)
        new[oldest_first] = np.arange(len(time))
        of_pairs = np.stack([new[np.asarray(update, dtype=np.int64)], number[np.asarray(nugget, dtype=np.int64)]])
        place_of_pair, nugget_of_pair = np.unique(of_pairs, axis=1)
        return cls(
            time[oldest_first],
            length[oldest_first],
            confidence[oldest_first],
            place_of_pair,
            nugget_of_pair,
            nugget_time[by_time],
        )

    @cached_property
    def words(self) -> Floats:
        """The cumulative words of the updates, starting with 0, shape (updates + 1,)."""
        out = np.zeros(len(self) + 1)
        np.cumsum(self.length, out=out[1:])
        return out

    @cached_property
    def table(self) -> tuple[Ints, float]:
        """Lookup table for a moment t among the times: it is between table[c] and table[c + 1], with c = floor(t * scale).

        Moments outside the times of the updates are in the nearest cell.
        """
        cells = min(_CELLS, 4 * len(self) + 1)
        last = float(self.time[-1]) if len(self) else 0.0
        scale = cells / last if last > 0 and np.isfinite(cells / last) else 0.0
        cell = np.clip(np.floor(self.time * scale), 0, cells).astype(np.int64)
        return offsets_of(np.bincount(cell, minlength=cells + 1)).astype(np.int32), scale

    def known(self, late: str) -> Floats:
        """Return the moment from which on the start of a session makes each nugget late: just after its time, or at it."""
        return self.nugget_time if late == "at" else np.asarray(np.nextafter(self.nugget_time, np.inf))

    @cached_property
    def held(self) -> Ints:
        """The indices of the updates that hold a nugget, ascending: the only ones that need work."""
        return np.unique(self.update)
