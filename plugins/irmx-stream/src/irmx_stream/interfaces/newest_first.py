"""The reading interface of the paper: at every visit the newest update first, down to those read before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irmx.ragged import Floats, Ints, segment_of, segment_sum
from irmx_stream.interfaces.reading_interface import NEVER, ReadingInterface

if TYPE_CHECKING:
    from irmx_stream.updates.streams import Stream
    from irmx_stream.users.traces import Traces


class ReverseChronological(ReadingInterface):
    """Newest first: from the newest update down to one read before, or until the session ends.

    The user never goes below the newest update of the last session in which at least one update was read. (That is the
    rule of the authors' code; the paper's text lists the updates emitted since the end of the last session.) So only one
    session can read an update: the first that can list it and whose newest update fits into the session. It does so if the
    update and all updates above it fit; otherwise the update is never read.
    """

    NAME = "reverse_chronological"
    SHORT_DESC = "the newest update first, down to those read before, as in the authors' code"

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        held = stream.held
        session = traces.starts_before(stream.time[held]) + traces.offsets[:-1, None]
        new = np.ones(session.shape, dtype=bool)
        new[:, 1:] = session[:, 1:] != session[:, :-1]
        which = (np.cumsum(new.ravel()) - 1).reshape(session.shape)
        user = np.repeat(np.arange(len(traces)), new.sum(axis=1))
        seen, top, room = _first_that_reads(stream, traces, speed, session[new], user)
        below = stream.words[held]
        fits = stream.words[top][which] - below <= room[which]
        number = seen - traces.offsets[user]
        return np.where(fits, number[which], NEVER)

    def order(self, stream: Stream) -> Ints:
        return np.arange(len(stream.held))[::-1]

    def amounts(self, stream: Stream, traces: Traces, speed: Floats) -> tuple[Floats, Floats]:
        if not len(stream):
            return np.zeros(len(traces)), np.zeros(len(traces))
        user = traces.user
        top = np.searchsorted(stream.time, traces.start, side="right")
        room = traces.duration * speed[user]
        reads = (top > 0) & (stream.length[np.maximum(top, 1) - 1] <= room)
        floor = _latest_before(np.where(reads, top, 0), traces.offsets)
        last = np.maximum(_last_that_fits(stream.words, top, room), floor)
        count = np.where(reads, np.maximum(top - last, 0), 0)
        wanted = (stream.words[top] - stream.words[floor]) / speed[user]
        spent = np.where(top > floor, np.minimum(traces.duration, wanted), 0.0)
        return segment_sum(count, user, len(traces)), segment_sum(spent, user, len(traces))


def _first_that_reads(
    stream: Stream, traces: Traces, speed: Floats, session: Ints, user: Ints
) -> tuple[Ints, Ints, Floats]:
    """Return, from each session on, the first in which something is read; the updates available then; the words that fit.

    If there is no such session, no words fit.
    """
    session = session.copy()
    top = np.zeros(len(session), dtype=np.int64)
    room = np.full(len(session), -np.inf)
    end = traces.offsets[1:][user]
    pending = np.flatnonzero(session < end)
    while len(pending):
        at = session[pending]
        emitted = np.searchsorted(stream.time, traces.start[at], side="right")
        words = traces.duration[at] * speed[user[pending]]
        reads = stream.length[emitted - 1] <= words
        done = pending[reads]
        top[done], room[done] = emitted[reads], words[reads]
        pending = pending[~reads]
        session[pending] += 1
        pending = pending[session[pending] < end[pending]]
    return session, top, room


def _last_that_fits(words: Floats, top: Ints, room: Floats) -> Ints:
    """Return the smallest n with words[top] - words[n] <= room, robust to the rounding of the difference."""
    n = words.searchsorted(words[top] - room, side="left")
    over = words[top] - words[n] > room
    n[over] = words.searchsorted(words[n[over]], side="right")
    under = (n > 0) & (words[top] - words[np.maximum(n, 1) - 1] <= room)
    n[under] = words.searchsorted(words[n[under] - 1], side="left")
    return n


def _latest_before(values: Ints, offsets: Ints) -> Ints:
    """Return, for every session, the largest value of the same user's earlier sessions; 0 for the first."""
    step = int(values.max(initial=0)) + 1
    user = segment_of(offsets)
    largest = np.maximum.accumulate(values + user * step) - user * step
    out = np.zeros(len(values), dtype=np.int64)
    out[1:] = largest[:-1]
    out[offsets[:-1][np.diff(offsets) > 0]] = 0
    return out


REVERSE_CHRONOLOGICAL = ReverseChronological()
