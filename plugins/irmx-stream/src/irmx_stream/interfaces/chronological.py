"""The reading interface of a user who skips nothing: the oldest unread update first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irmx.ragged import Floats, Ints, position_in_run, segment_sum
from irmx_stream.interfaces.reading_interface import NEVER, ReadingInterface, ranks_in_visit

if TYPE_CHECKING:
    from irmx_stream.updates.streams import Stream
    from irmx_stream.users.traces import Traces


class Chronological(ReadingInterface):
    """Oldest first: a session continues where the last one stopped.

    The user reads the updates emitted up to the start of the session in the order of time (the most confident first for
    equal times) as long as they fit completely into the rest of the session. An update that does not fit ends the
    session; it stays unread, and comes first in the next session.
    """

    NAME = "chronological"
    SHORT_DESC = "the oldest unread update first; a session continues where the last one stopped"

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        place = np.argsort(oldest_first(stream))[stream.held]
        read, _ = _read_up_to(stream, traces, speed)
        out = np.full((len(traces), len(place)), NEVER, dtype=np.int64)
        ends = traces.offsets.tolist()
        for row, a, b in zip(out, ends, ends[1:], strict=False):
            session = read[a:b].searchsorted(place, side="right")
            row[:] = np.where(session < b - a, session, NEVER)
        return out

    def order(self, stream: Stream) -> Ints:
        return ranks_in_visit(stream, oldest_first(stream))

    def amounts(self, stream: Stream, traces: Traces, speed: Floats) -> tuple[Floats, Floats]:
        read, emitted = _read_up_to(stream, traces, speed)
        user = traces.user
        before = np.concatenate([[0], read[:-1]])[: len(read)]
        before[traces.offsets[:-1][np.diff(traces.offsets) > 0]] = 0
        words = _words(stream)
        needed = (words[emitted] - words[before]) / speed[user]
        spent = np.where(read < emitted, traces.duration, np.minimum(needed, traces.duration))
        return segment_sum(read - before, user, len(traces)), segment_sum(spent, user, len(traces))


def oldest_first(stream: Stream) -> Ints:
    """Return the indices of the updates in the order of time; for equal times the most confident first.

    >>> from irmx_stream import Stream
    >>> stream = Stream.of(*(np.array(c) for c in ([0, 5, 5], [9, 9, 9], [.5, .2, .7], [], [], [])))
    >>> stream.confidence[oldest_first(stream)]
    array([0.5, 0.7, 0.2])
    """
    new = np.flatnonzero(position_in_run(stream.time) == 0)
    count = np.diff(new, append=len(stream))
    return np.asarray(np.repeat(2 * new + count - 1, count) - np.arange(len(stream)))


def _words(stream: Stream) -> Floats:
    """Return the cumulative words of the updates, oldest first, shape (updates + 1,)."""
    return np.concatenate([[0.0], np.cumsum(stream.length[oldest_first(stream)])])


def _read_up_to(stream: Stream, traces: Traces, speed: Floats) -> tuple[Ints, Ints]:
    """Return the number of updates each user has read after each session, and the number emitted before its start."""
    words = _words(stream)
    emitted = np.searchsorted(stream.time, traces.start, side="right")
    room = traces.duration * speed[traces.user]
    read = np.zeros(len(emitted), dtype=np.int64)
    sessions = np.diff(traces.offsets)
    busiest_first = np.argsort(-sessions, kind="stable")
    at = traces.offsets[:-1][busiest_first]
    so_far = np.zeros(len(traces), dtype=np.int64)
    for still in np.searchsorted(-sessions[busiest_first], -np.arange(sessions.max(initial=0)), side="left"):
        at, so_far = at[:still], so_far[:still]
        so_far = np.minimum(emitted[at], _fitting(words, so_far, room[at]))
        read[at] = so_far
        at = at + 1
    return read, emitted


def _fitting(words: Floats, first: Ints, room: Floats) -> Ints:
    """Return the largest n with words[n] - words[first] <= room, robust to the rounding of their sum."""
    n = words.searchsorted(words[first] + room, side="right") - 1
    over = words[n] - words[first] > room
    n[over] = words.searchsorted(words[n[over]]) - 1
    more = words[np.minimum(n + 1, len(words) - 1)]
    under = (more - words[first] <= room) & (n + 1 < len(words))
    n[under] = words.searchsorted(more[under], side="right") - 1
    return n


CHRONOLOGICAL = Chronological()
