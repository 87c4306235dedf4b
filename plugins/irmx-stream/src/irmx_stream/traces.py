"""Traces: when users visit a stream, and for how long, simulated or recorded."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import repeat
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Param, Table, UsageError, read_table
from irmx.ragged import Floats, Ints, offsets_of, segment_of, short_repr
from irmx.toolkit import seconds
from irmx_stream.population import EXPONENTIALS, Users

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Traces:
    """The sessions of users as ragged arrays, in the order of time for each user.

    Attributes
    ----------
    offsets : int array, shape (users + 1,)
        The sessions of user u are ``offsets[u]:offsets[u + 1]``.
    start : float array, shape (sessions,)
        The start of each session, in seconds with the same origin as the times of the updates.
    duration : float array, shape (sessions,)
        The duration of each session, in seconds.
    first : int
        The number of the first user, if these are part of a larger population.
    seed : int
        The seed of other random numbers of these users, such as their persistence.
    end : float
        The end of the time window of the sessions, in seconds; infinite if unknown.

    Raises
    ------
    irmx.UsageError
        For sessions of a user that are not in the order of time, overlap, last less than 0 seconds or end after the
        window, for times that are not finite numbers, and for offsets that do not fit; names the session.
    """

    offsets: Ints
    start: Floats
    duration: Floats
    first: int = 0
    seed: int = 0
    end: float = math.inf

    __repr__ = short_repr

    def __post_init__(self) -> None:
        for name, dtype in (("offsets", np.int64), ("start", np.float64), ("duration", np.float64)):
            object.__setattr__(self, name, _numbers(f"The {name} of traces", getattr(self, name), dtype))
        if not (len(self.offsets) and self.offsets[0] == 0 and np.all(self.offsets[1:] >= self.offsets[:-1])):
            raise UsageError(f"The offsets of traces must ascend from 0. Got {self.offsets!r}.")
        if not len(self.start) == len(self.duration) == self.offsets[-1]:
            raise UsageError(
                f"The offsets of traces end at {self.offsets[-1]} sessions, but there are {len(self.start)} starts and "
                f"{len(self.duration)} durations."
            )
        self._refuse_impossible()

    def _refuse_impossible(self) -> None:
        start, duration = self.start, self.duration
        if not is_number(self.end) or math.isnan(self.end):
            raise UsageError(
                f"The end of the window of traces must be a number of seconds, or infinite. Got {self.end!r}."
            )
        self._refuse(~np.isfinite(start), lambda i: f"starts at {start[i]:g}, which is not a time")
        self._refuse(
            ~(np.isfinite(duration) & (duration >= 0)),
            lambda i: f"lasts {duration[i]:g} seconds, which is not a duration",
        )
        ends = start + duration
        self._refuse(
            ends > self.end + ROUNDING, lambda i: f"ends at {ends[i]:.15g}, after the window's end at {self.end:.15g}"
        )
        earlier = np.zeros(len(start), dtype=bool)
        earlier[1:] = (start[1:] < ends[:-1] - ROUNDING) | (start[1:] < start[:-1])
        earlier[self.offsets[:-1][np.diff(self.offsets) > 0]] = False
        self._refuse(
            earlier,
            lambda i: (
                f"starts at {start[i]:.15g}, before the previous one ends at {ends[i - 1]:.15g}; sessions of a user "
                "must be in the order of time and must not overlap"
            ),
        )

    def _refuse(self, wrong: Any, what: Callable[[int], str]) -> None:
        for i in np.flatnonzero(wrong)[:1].tolist():
            user = int(np.searchsorted(self.offsets, i, side="right")) - 1
            raise UsageError(f"Session {i - self.offsets[user]} of user {user} (both counted from 0) {what(i)}.")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of_users(self, first: int, end: int) -> Traces:
        """Return the traces of the users from ``first`` up to, but excluding, ``end``."""
        offsets = self.offsets[first : end + 1]
        here = slice(offsets[0], offsets[-1])
        return Traces(
            offsets - offsets[0], self.start[here], self.duration[here], self.first + first, self.seed, self.end
        )

    def indexed(self, times: Floats) -> IndexedTraces:
        """Return the traces with the results of :meth:`starts_before` cached for some times."""
        wanted = np.unique(times)
        counts = self.starts_before(wanted)
        return IndexedTraces(
            self.offsets, self.start, self.duration, self.first, self.seed, self.end, times=wanted, counts=counts
        )

    def starts_before(self, times: Floats) -> Ints:
        """Return the number of sessions of each user that start before each time, shape (users, times).

        >>> Traces(np.array([0, 2, 3]), np.array([0.0, 60.0, 0.0]), np.array([5.0, 5.0, 9.0])).starts_before(np.array([0.0, 30.0, 90.0]))
        array([[0, 1, 2],
               [0, 1, 1]])
        """
        out = np.empty((len(self), len(times)), dtype=np.int64)
        ends = self.offsets.tolist()
        for row, a, b in zip(out, ends, ends[1:], strict=False):
            row[:] = self.start[a:b].searchsorted(times)
        return out

    @cached_property
    def user(self) -> Ints:
        """The number of each session's user."""
        return segment_of(self.offsets)


@dataclass(frozen=True)
class IndexedTraces(Traces):
    """Traces with cached numbers of the sessions that start before some times.

    Attributes
    ----------
    times : float array, shape (times,)
        The times, ascending.
    counts : int array, shape (users, times)
        The result of :meth:`starts_before` for them.
    """

    times: Floats = field(default_factory=lambda: np.empty(0))
    counts: Ints = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))

    __repr__ = short_repr

    def of_users(self, first: int, end: int) -> Traces:
        some = super().of_users(first, end)
        return IndexedTraces(
            some.offsets, some.start, some.duration, some.first, some.seed, some.end,
            times=self.times, counts=self.counts[first:end],
        )  # fmt: skip

    def starts_before(self, times: Floats) -> Ints:
        at = np.searchsorted(self.times, times)
        if len(self.times) and np.all(self.times[np.minimum(at, len(self.times) - 1)] == times):
            return np.take(self.counts, at, axis=1)
        return super().starts_before(times)


def simulate(users: Users, length: float | str, seed: int = 0) -> Traces:
    """Simulate the sessions of users within a time window that starts at 0.

    A trace is session, away, session, ..., beginning with a session at 0; durations and times away are exponential with
    the user's means. A session that would end after the window is not started, and the trace stops; so does a time away
    at the end of the window.

    User u's unit exponentials depend only on the seed and u: those of numpy's ``PCG64`` seeded with
    ``SeedSequence(seed, spawn_key=(2,))``, jumped u times, in the order session, away, session, .... So more users leave
    the first ones unchanged, a longer window continues the same trace, and other means only scale its times.

    Parameters
    ----------
    users : Users
        Their mean times, such as the result of :meth:`Population.draw`.
    length : float or str
        Length of the window, in seconds or as a string such as ``'10d'``; at least 0.
    seed : int
        At least 0.

    Raises
    ------
    irmx.UsageError
        If an argument is out of range, or the users would have more sessions than fit into memory.

    Examples
    --------
    >>> from irmx_stream.population import Population
    >>> traces = simulate(Population(MA="1h", SA="30m").draw(2), "4h")
    >>> traces.offsets
    array([0, 4, 7])
    >>> traces.start.round()
    array([    0.,   608., 10850., 13217.,     0.,  9925., 13930.])
    """
    window = seconds(length)
    if window < 0:
        raise UsageError(f"The window of a trace must be at least 0 seconds long. Got {length!r}.")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise UsageError(f"'seed' must be a whole number of at least 0. Got {seed!r}.")
    means = np.stack([users.session, users.away], axis=1)
    if not (np.isfinite(means) & (means > 0)).all():
        raise UsageError("The mean times of every user must be finite and more than 0 seconds.")
    expected = window / means.sum(axis=1)
    if expected.sum() > _MOST_SESSIONS:
        raise UsageError(
            f"{len(users)} users would have about {expected.sum():.1e} sessions in {window:g} seconds; at most "
            f"{_MOST_SESSIONS:.0e} are simulated. Use fewer users, or longer times away."
        )
    starts, units = _walk(means, window, int(seed), expected, users.first)
    count = [len(s) for s in starts]
    duration = np.concatenate([*units, np.empty(0)])
    duration *= np.repeat(users.session, count)
    return Traces(
        offsets_of(count),
        np.concatenate([*starts, np.empty(0)]),
        duration,
        users.first,
        int(seed),
        window,
    )


def cut(traces: Traces, length: float) -> Traces:
    """Return the part of simulated traces within a shorter window, equal to the result of :func:`simulate` for it.

    Examples
    --------
    >>> from irmx_stream.population import Population
    >>> traces = simulate(Population(MA="1h", SA="30m").draw(2), "4h")
    >>> cut(traces, 7200).start.round()
    array([  0., 608.,   0.])
    """
    within = traces.start + traces.duration <= length
    kept = offsets_of(within)
    return Traces(
        kept[traces.offsets], traces.start[within], traces.duration[within], traces.first, traces.seed, float(length)
    )


def is_number(value: Any) -> bool:
    """Tell whether an argument is a real number, of Python or numpy."""
    return isinstance(value, Real)


def speeds_of(speeds: Any, users: int) -> Floats:
    """Return the reading speed of every user in words per second, from one for all or one for each.

    Raises
    ------
    irmx.UsageError
        If their number is wrong, or one is not a finite number above 0.
    """
    given = _numbers("The speeds", speeds, np.float64, dimensions=(0, 1))
    if given.ndim and len(given) != users:
        raise UsageError(
            f"There are {len(given)} speeds for the traces of {users} users. Give one for all users, or one for each."
        )
    for i in np.flatnonzero(~(np.isfinite(given) & (given > 0)))[:1].tolist():
        whose = f" of user {i} (counted from 0)" if given.ndim else ""
        raise UsageError(f"A speed must be finite and more than 0 words per second. Got {given.flat[i]:g}{whose}.")
    return np.broadcast_to(given, (users,))


ROUNDING = 1e-6
"""Seconds by which sessions may appear to overlap because times are rounded."""


def _numbers(name: str, values: Any, dtype: type, dimensions: tuple[int, ...] = (1,)) -> Any:
    """Return values as an array of numbers; raise if they are anything else."""
    try:
        given = np.asarray(values)
        found: Any = given.astype(dtype, casting="same_kind" if given.size else "unsafe")
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be an array of numbers. Got {values!r} ({error}).") from None
    if found.ndim not in dimensions:
        raise UsageError(f"{name} must be an array of one dimension. Got {found.ndim}.")
    return found


_TIMES = 2
"""The spawn key of the random numbers, in addition to the seed."""

_MOST_SESSIONS = 1e8
_BLOCK = 2**21
"""Number of times that are processed at once."""


def _walk(means: Floats, window: float, seed: int, expected: Floats, first: int) -> tuple[list[Floats], list[Floats]]:
    """Return, for every user, the starts of the sessions, and their durations in units of the user's mean.

    Users with similar numbers of sessions are processed together; a user with more sessions than expected is repeated.
    """
    starts: list[Floats] = [np.empty(0)] * len(means)
    durations: list[Floats] = [np.empty(0)] * len(means)
    left = np.arange(len(means))
    width = _rounded_up(2 * (expected + 4 * np.sqrt(expected) + 8))
    while len(left):
        more = []
        for size in np.unique(width[left]):
            alike = left[width[left] == size]
            for some in np.array_split(alike, math.ceil(len(alike) * size / _BLOCK)):
                units = EXPONENTIALS.rows(seed, _TIMES, (some + first).tolist(), repeat(int(size)))
                time = np.concatenate(units).reshape(len(some), -1, 2) * means[some, np.newaxis]
                time = np.cumsum(time.reshape(len(some), -1), axis=1)
                start = np.zeros((len(some), size // 2))
                start[:, 1:] = time[:, 1:-1:2]
                count = (time[:, 0::2] <= window).sum(axis=1)
                for u, c, from_zero, unit in zip(some.tolist(), count.tolist(), start, units, strict=True):
                    starts[u] = from_zero[:c]
                    durations[u] = unit[: 2 * c : 2]
                more.append(some[time[:, -2] <= window])
        left = np.concatenate(more)
        width[left] *= 2
    return starts, durations


def _rounded_up(values: Floats) -> Ints:
    """Round up to a small set of even integers, derived from powers of the square root of 2."""
    return np.asarray(2 * np.ceil(2 ** (np.ceil(2 * np.log2(values / 2)) / 2)), dtype=np.int64)


_COLUMNS: dict[str, Param | type] = {
    "user": Param(str, "the user of the session", required=True),
    "start": Param(datetime, "start of the session", unit="s", required=True),
    "duration": Param(float, "duration of the session", unit="s", low=0, required=True),
    "speed": Param(float, "reading speed of the user", unit="words per second", above=0, nullable=True),
}


@dataclass(frozen=True)
class Recorded:
    """The logged visits of users.

    Attributes
    ----------
    users : list of str
        Their labels, in the order of first appearance in the log.
    traces : Traces
        Their sessions; starts in the seconds of the log, dates as seconds since 1970 (UTC).
    speeds : float array, shape (users,), or None
        Words per second, if the log has speeds; NaN for a user with a session that lacks one.
    gap : str
        A message about the first session without a speed, if some sessions have one; else empty.
    """

    users: list[str]
    traces: Traces
    speeds: Floats | None
    gap: str = ""

    __repr__ = short_repr


def read_traces(source: pd.DataFrame | str | os.PathLike[str]) -> Recorded:
    """Return the visits of a log, checked, and in the order of time for each user.

    Parameters
    ----------
    source : DataFrame, str or Path
        A table that :func:`irmx.read_table` reads, with one row per session and the columns ``user``, ``start`` (seconds from
        any origin, or dates), ``duration`` (seconds, at least 0) and, if known, ``speed`` (words per second; the mean of
        a user's rows is used). If some speeds are missing, one for all users is required when scoring.

    Raises
    ------
    irmx.DataError
        If the table cannot be read, lacks a column or a value, has a value that is not a number, or has a session that ends
        before it starts or overlaps another of the same user; names the line of the file, or the row.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"user": ["b", "a", "b"], "start": [900, 30, 0], "duration": [60, 20, 45]})
    >>> recorded = read_traces(log)
    >>> recorded.users, recorded.traces.offsets, recorded.traces.start
    (['b', 'a'], array([0, 2, 3]), array([  0., 900.,  30.]))
    """
    log = read_table(source, _COLUMNS, "log of visits")
    user, labels = log.labels("user")
    start, duration = log["start"], log["duration"]
    order = np.lexsort((start + duration, start, user))
    _refuse_overlaps(log, user, order)
    speeds, gap = None, ""
    if "speed" in log:
        for row in np.flatnonzero(np.isnan(log["speed"]))[:1].tolist():
            gap = (
                f"{log.place(row)}: the session has no speed. Add one to every session, or set one speed for all users."
            )
        speeds = np.bincount(user, log["speed"]) / np.bincount(user)
    offsets = offsets_of(np.bincount(user))
    return Recorded(list(labels), Traces(offsets, start[order], duration[order]), speeds, gap)


def traces_for(recorded: Recorded, start: float, end: float) -> Traces:
    """Return the sessions within one topic's time window, with starts relative to that of the window.

    A session that starts before the window or ends after it is left out, just as simulated users start no session that would
    end after it. Users without a session in the window are kept, and gain nothing.

    Parameters
    ----------
    recorded : Recorded
        The result of :func:`read_traces`.
    start, end : float
        The window, in the seconds of the log.

    Raises
    ------
    irmx.UsageError
        If the window ends before it starts.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"user": ["a", "a", "b"], "start": [30, 950, 100], "duration": [20, 90, 45]})
    >>> traces = traces_for(read_traces(log), 100, 1000)
    >>> traces.offsets, traces.start
    (array([0, 0, 1]), array([0.]))
    """
    if not end >= start:
        raise UsageError(f"The window of a topic must not end before it starts. Got start {start!r}, end {end!r}.")
    traces = recorded.traces
    within = (traces.start >= start) & (traces.start + traces.duration <= end)
    kept = offsets_of(within)
    return Traces(kept[traces.offsets], traces.start[within] - start, traces.duration[within], end=end - start)


def _refuse_overlaps(log: Table, user: Ints, order: Ints) -> None:
    """Raise if two sessions of one user overlap."""
    user, start, ends = user[order], log["start"][order], (log["start"] + log["duration"])[order]
    for i in np.flatnonzero((user[1:] == user[:-1]) & (start[1:] < ends[:-1] - ROUNDING))[:1].tolist():
        log.refuse(
            order[i : i + 2].tolist(),
            f"two sessions of the user {log['user'][order[i]]!r} overlap. One ends at {ends[i]:.15g}, the next starts at "
            f"{start[i + 1]:.15g}.",
        )
