"""The gains under the paper's interface, compiled by numba if it is installed: the same numbers as in numpy.

Neither way can replace the other. On the three runs of TREC 2014 numba is ready after 1.2 s, when numpy has scored 1,000 users;
for 8,000 users, or nine L, numpy takes twice as long and more. So :func:`gains_of` alone chooses, and tests compare both with
users who read one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from irmx.ragged import Floats, Ints
from irmx_stream.streams import Stream
from irmx_stream.traces import Traces

_WORTH_IT = 5_000_000
"""Users times pairs of update and nugget beyond which importing numba pays off: about half a second of numpy."""

_seen = 0


def in_use(work: int) -> bool:
    """Tell whether to use compiled code, given some more users times pairs to come and whether numba works."""
    global _seen
    _seen += work
    return ("numba" in sys.modules or _seen > _WORTH_IT) and _kernel() is not None


def newest_first_gains(
    stream: Stream,
    traces: Traces,
    speed: Floats,
    powers: Sequence[Floats],
    late: str = "before",
    kernel: Callable[..., None] | None = None,
) -> Floats:
    """Return the gain of every user for every table of powers L^0, L^1, ..., shape (tables, users).

    By default the compiled kernel is used.
    """
    table, scale = stream.table
    steps = int(np.diff(table).max(initial=0)).bit_length()
    held = np.zeros(len(stream) + 1, dtype=np.int64)
    held[stream.held + 1] = 1
    emitted, nugget = np.unique(stream.nugget, return_inverse=True)
    gains = np.zeros((len(powers), len(traces)))
    kernel = kernel or _kernel()
    assert kernel is not None
    kernel(
        np.append(stream.time, np.full(1 << steps, np.inf)),
        stream.length,
        stream.words,
        table,
        scale,
        steps,
        stream.words[stream.held],
        stream.time[stream.held],
        np.cumsum(held),
        np.append(np.searchsorted(stream.update, stream.held), len(stream.update)),
        nugget,
        stream.known(late)[emitted],
        traces.offsets,
        traces.start,
        traces.duration,
        np.ascontiguousarray(speed),
        np.stack(powers),
        gains,
    )
    return gains


@cache
def _kernel() -> Callable[..., None] | None:
    """Return the compiled function, after trying it once; None if numba is not installed or does not work."""
    for kept in (True, False):  # False where there is no folder to cache the compiled code in
        try:
            import numba

            made: Callable[..., None] = numba.njit(cache=kept)(gains_by_user)
            newest_first_gains(*_trial(), [np.ones(2)], kernel=made)
        except Exception:  # such as a SystemError or an AttributeError with a numpy that numba was not built for
            continue
        return made
    return None


def _trial() -> tuple[Stream, Traces, Floats]:
    """Return minimal input, one update with a nugget and a user who reads it, to trigger the compilation."""
    one = np.ones(1)
    stream = Stream.of(one, one, one, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), one)
    return stream, Traces(np.array([0, 1]), 2 * one, one), one


def gains_by_user(
    time: Floats,
    length: Floats,
    words: Floats,
    table: Ints,
    scale: float,
    steps: int,
    held_words: Floats,
    held_time: Floats,
    held_before: Ints,
    pairs_of: Ints,
    nugget: Ints,
    known: Floats,
    offsets: Ints,
    start: Floats,
    duration: Floats,
    speed: Floats,
    powers: Floats,
    gains: Floats,
) -> None:
    """Add up the gains of every user in turn.

    Sessions, nuggets, and updates that hold nuggets are in the order of time, so one pass over each is enough. Only the
    updates that are read, and the first that is not, are examined.
    """
    holders, nuggets, cells = len(held_time), len(known), len(table) - 2
    read_in = np.empty(nuggets, dtype=np.int64)
    for user in range(len(offsets) - 1):
        first, end, pace = offsets[user], offsets[user + 1], speed[user]
        read_in[:] = -1
        floor, session = 0, first
        while floor < holders:
            # sessions that see nothing new of any worth are skipped
            while session < end and start[session] < held_time[floor]:
                session += 1
            if session == end:
                break
            now, room = start[session], duration[session] * pace
            low = int(table[int(min(max(now * scale, 0.0), float(cells)))])
            for step in range(steps - 1, -1, -1):
                low += (time[low + (1 << step) - 1] <= now) << step
            if length[low - 1] <= room:
                seen = held_before[low]
                i = seen - 1
                while i >= floor and words[low] - held_words[i] <= room:
                    for pair in range(pairs_of[i], pairs_of[i + 1]):
                        if read_in[nugget[pair]] < 0:
                            read_in[nugget[pair]] = session
                    i -= 1
                floor = seen
            session += 1
        session = first
        for name in range(nuggets):
            if read_in[name] >= 0:
                while session < end and start[session] < known[name]:
                    session += 1
                late = max(read_in[name] - session, 0)
                for which in range(len(powers)):
                    gains[which, user] += powers[which, late]
