"""Streams of updates as arrays: what the simulated user meets, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmx.ragged import Array, Floats, Ints, offsets_of

LATE = ("before", "at")
"""Which sessions make a nugget late: those before whose start it was known, or also those at whose start it was."""

_CELLS = 2**17


def in_order(time: Floats, confidence: Floats, *further: Array) -> Ints:
    """Return the updates of a run oldest first, as :class:`Stream` has them.

    Of one time and one confidence they stand by further columns, lowest first; where these are equal, too, or none are
    given, the later in the run stands first.

    >>> in_order(np.array([5, 5, 0]), np.zeros(3)), in_order(np.array([5, 5, 0]), np.zeros(3), np.array([1, 2, 3]))
    (array([2, 1, 0]), array([2, 0, 1]))
    """
    return np.lexsort((-np.arange(len(time)), *reversed(further), confidence, time))


@dataclass(frozen=True)
class Stream:
    """One topic's updates, oldest first, and the nuggets that some of them hold.

    Updates of one time stand by confidence, lowest first, so that reading from the end is reading the newest first
    and, of one time, the most confident first. Those of one confidence stand by id, so that the largest id is read first,
    or in the order in which the run is read; see :meth:`of`.

    Attributes
    ----------
    time : float array, shape (updates,)
        When each was emitted; seconds, ascending.
    length : float array, shape (updates,)
        Its words.
    confidence : float array, shape (updates,)
        The system's confidence in it.
    update : int array, shape (pairs,)
        Of every pair of an update and a nugget that it holds the place of the update, ascending.
    nugget : int array, shape (pairs,)
        And the number of the nugget.
    nugget_time : float array, shape (nuggets,)
        When each nugget was first known, ascending.
    """

    time: Floats
    length: Floats
    confidence: Floats
    update: Ints
    nugget: Ints
    nugget_time: Floats

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
        """Return the stream of updates in the order of a run, and of pairs of an update and a nugget in any order.

        The nuggets get numbers in the order of their times. ``place`` is that of the id of each update among all ids:
        updates of one time and one confidence are read by descending id, and the order of the run plays no part. Without
        it they are read in the order of the run.
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
        """The words of all updates before each, and of all, shape (updates + 1,)."""
        out = np.zeros(len(self) + 1)
        np.cumsum(self.length, out=out[1:])
        return out

    @cached_property
    def table(self) -> tuple[Ints, float]:
        """Where to look for a moment t among the times: between table[c] and table[c + 1], with c = floor(t * scale).

        Moments outside the times of the updates have the nearest cell.
        """
        cells = min(_CELLS, 4 * len(self) + 1)
        last = float(self.time[-1]) if len(self) else 0.0
        scale = cells / last if last > 0 and np.isfinite(cells / last) else 0.0
        cell = np.clip(np.floor(self.time * scale), 0, cells).astype(np.int64)
        return offsets_of(np.bincount(cell, minlength=cells + 1)).astype(np.int32), scale

    def known(self, late: str) -> Floats:
        """Return from which moment on a session that starts makes each nugget late: after its time, or at it already."""
        return self.nugget_time if late == "at" else np.asarray(np.nextafter(self.nugget_time, np.inf))

    @cached_property
    def held(self) -> Ints:
        """The places of the updates that hold a nugget, ascending: the only ones that need work."""
        return np.unique(self.update)
