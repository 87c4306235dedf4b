"""Reading interfaces: which updates a user reads in which session. Other plugins may register more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from irmx import Param, Symbol
from irmx.ragged import Floats, Ints, position_in_run, segment_of, segment_sum
from irmx.toolkit import duration, seconds
from irmx_stream.population import EXPONENTIALS

if TYPE_CHECKING:
    from irmx_stream.streams import Stream
    from irmx_stream.traces import Traces


KIND = "reading interface"
"""The kind of symbol that the ``interface`` parameter of ``MSU`` takes."""

PER = ("second", "update_read", "update_emitted")
"""The units by which the gain can be divided."""

RATIO = ("by_user", "of_means")
"""How gains are divided by amounts: of each user, then the mean is taken; or the mean gain by the mean amount."""

PAIN = ("updates", "seconds")
"""The units of what is read in vain."""

NEVER = 2**40
"""The session number of an update that is never read."""


class ReadingInterface(Symbol):
    """How updates are presented to the user.

    A plugin adds one by registering an :class:`irmx.Symbol` with ``KIND = "reading interface"`` and the two methods.
    """

    KIND: ClassVar[str] = KIND

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        """Return the session, from 0, in which every user first reads every update that holds a nugget.

        Parameters
        ----------
        stream : Stream
            The updates.
        traces : Traces
            The sessions of the users; times have the same origin as those of the stream.
        speed : float array, shape (users,)
            Words per second.

        Returns
        -------
        int array, shape (users, len(stream.held))
            :data:`NEVER` where the update is not read.
        """
        raise NotImplementedError

    def order(self, stream: Stream) -> Ints:
        """Return the position within one visit at which each update that holds a nugget would be read, from 0.

        If two updates of one visit hold a nugget, it counts for the first.
        """
        raise NotImplementedError

    def amounts(self, stream: Stream, traces: Traces, speed: Floats) -> tuple[Floats, Floats]:
        """Return the number of updates each user reads completely, and the seconds spent reading.

        Time spent on an update that the end of a session interrupts counts.
        """
        raise NotImplementedError


def ranks_in_visit(stream: Stream, as_read: Ints) -> Ints:
    """Return the ranks, from 0, of the updates that hold a nugget, among these, where all updates are read in a given order."""
    return np.argsort(np.argsort(np.argsort(as_read)[stream.held]))


class ReverseChronological(ReadingInterface):
    """Newest first: from the newest update down to the last of those listed, or until the session ends.

    With ``unread='since_read'``, the rule of the authors' code, the user never goes below the newest update of the last session in
    which at least one update was read. So only one session can read an update: the first that can list it and whose newest update
    fits into the session. It does so if the update and all updates above it fit; otherwise the update is never read.

    With ``unread='between_sessions'``, the rule of the paper's text, a session lists the updates emitted after the end of the last
    session and up to its own start, the first session all up to its start. What is emitted during a session is never listed.
    """

    NAME = "reverse_chronological"
    SHORT_DESC = "the newest update first, down to those read before"
    SUPPORTED_PARAMS = {
        "unread": Param(
            str,
            "updates that a visit lists: those newer than the newest of the last visit at which one was read, as in the authors' code; "
            "'between_sessions': those emitted since the end of the last session, as in the paper's text",
            default="since_read",
            choices=("since_read", "between_sessions"),
        )
    }
    EXAMPLES = ("reverse_chronological(unread='between_sessions')",)

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        held = stream.held
        session = traces.starts_before(stream.time[held]) + traces.offsets[:-1, None]
        new = np.ones(session.shape, dtype=bool)
        new[:, 1:] = session[:, 1:] != session[:, :-1]
        which = (np.cumsum(new.ravel()) - 1).reshape(session.shape)
        user = np.repeat(np.arange(len(traces)), new.sum(axis=1))
        seen, top, room = _first_that_reads(stream, traces, speed, session[new], user, self._waits)
        below = stream.words[held]
        fits = stream.words[top][which] - below <= room[which]
        if not self._waits:
            fits &= stream.time[held] > np.append(_last_ends(traces), np.inf)[session]
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
        if self._waits:
            floor = _latest_before(np.where(reads, top, 0), traces.offsets)
        else:
            floor = np.searchsorted(stream.time, _last_ends(traces), side="right")
        last = np.maximum(_last_that_fits(stream.words, top, room), floor)
        count = np.where(reads, np.maximum(top - last, 0), 0)
        wanted = (stream.words[top] - stream.words[floor]) / speed[user]
        spent = np.where(top > floor, np.minimum(traces.duration, wanted), 0.0)
        return segment_sum(count, user, len(traces)), segment_sum(spent, user, len(traces))

    @property
    def _waits(self) -> bool:
        """Whether an update that was listed, and is above all that were read, is listed again."""
        return bool(self["unread"] == "since_read")


def _last_ends(traces: Traces) -> Floats:
    """Return, for every session, when the same user's last one ended; minus infinity for the first."""
    out = np.append(-np.inf, (traces.start + traces.duration)[:-1])[: len(traces.start)]
    out[traces.offsets[:-1][np.diff(traces.offsets) > 0]] = -np.inf
    return out


def _first_that_reads(
    stream: Stream, traces: Traces, speed: Floats, session: Ints, user: Ints, waits: bool
) -> tuple[Ints, Ints, Floats]:
    """Return, from each session on, the first in which something is read; the updates available then; the words that fit.

    If there is no such session, no words fit. Where updates do not wait, only the sessions themselves count.
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
        pending = pending[~reads] if waits else pending[:0]
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


_VISITS, _USERS = 3, 4
"""The spawn keys that distinguish the random numbers by purpose, in addition to the seed."""

_AT_ONCE = 4096
"""Maximum number of updates for which the visits of all users are looked up together; it bounds the memory."""


class Ranked(ReadingInterface):
    """By confidence: at each visit the unread updates of the last day, highest first; after each the user continues with p.

    At a visit that starts at s, the updates emitted in (s - lookback, s] are listed, highest confidence first (the newest
    first for equal confidence), without those that the user has read. The user reads the first, and after each continues
    with probability p, until the next visit starts or the window of the topic ends. An update that does not fit completely
    stays unread, and ends the visit.

    This follows the later code of the authors of MSU: there sessions have no duration, an update that was read is not
    listed again, and every user has a separate p from the Beta(2, 2) distribution (``p='beta'``, with mean 0.5). The
    alternatives are ``timed=True``, where the end of the session stops the reading, and ``again=True``, where updates read
    before are listed and read again, which takes time.

    The number of updates a user would read at a visit depends only on the seed, the user and the number of the visit. The
    seed is that of the users, such as the ``seed`` of ``MSU``, unless the interface has its own: then these draws do not
    change with the users. For the user's k-th unit exponential e the number is 1 + floor(e / -log p), so that different
    values of p share the same draws. The
    exponentials of user u are those of numpy's ``PCG64`` seeded with ``SeedSequence(seed, spawn_key=(3,))``, jumped u
    times.

    References
    ----------
    Baruah, G., Smucker, M. D., Clarke, C. L. A.: Evaluating Streams of Evolving News Events. SIGIR 2015.
    """

    NAME = "ranked"
    SHORT_DESC = (
        "at every visit the updates of the last day by confidence; after each the user continues with probability p"
    )
    SUPPORTED_PARAMS = {
        "p": Param(
            float,
            "probability of continuing after an update; 'beta': each user's own, drawn from Beta(2, 2)",
            default="beta",
            low=0,
            high=1,
            words=("beta",),
        ),
        "lookback": Param(duration, "maximum age of a listed update", default="1d", above=0, unit="s"),
        "timed": Param(bool, "whether the end of the session stops the reading", default=False),
        "again": Param(bool, "whether updates read at earlier visits are listed, and read again", default=False),
        "seed": Param(
            int,
            "seed of the number of updates read at each visit, and of 'beta'; None: the seed of the users",
            default=None,
            low=0,
        ),
    }
    EXAMPLES = ("ranked(p=0.9)",)

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        held = stream.held
        out = np.full((len(traces), len(held)), NEVER, dtype=np.int64)
        by_confidence = most_confident_first(stream)
        of_held = np.isin(by_confidence, held)
        column = np.searchsorted(held, by_confidence)
        wanted = by_confidence[: of_held.nonzero()[0].max(initial=-1) + 1]
        visits = self._visits(traces, speed)
        for i, readers in visits.reads(stream.time[wanted], stream.length[wanted]):
            if of_held[i]:
                np.minimum.at(out[:, column[i]], visits.user[readers], visits.number[readers])
        return out

    def order(self, stream: Stream) -> Ints:
        return ranks_in_visit(stream, most_confident_first(stream))

    def amounts(self, stream: Stream, traces: Traces, speed: Floats) -> tuple[Floats, Floats]:
        by_confidence = most_confident_first(stream)
        visits = self._visits(traces, speed)
        count = np.zeros(len(traces))
        for _, readers in visits.reads(stream.time[by_confidence], stream.length[by_confidence]):
            count += np.bincount(visits.user[readers], minlength=len(traces))
        return count, segment_sum(visits.spent(), traces.user, len(traces))

    def _visits(self, traces: Traces, speed: Floats) -> _Visits:
        if self["timed"]:
            available = traces.duration
        else:
            available = np.append(traces.start[1:], 0.0)[: len(traces.start)] - traces.start
            last = traces.offsets[1:][np.diff(traces.offsets) > 0] - 1
            available[last] = traces.end - traces.start[last]
        return _Visits(traces, speed, available, self._wanted(traces), seconds(self["lookback"]), self["again"])

    def _wanted(self, traces: Traces) -> Floats:
        """Return the number of updates the user would read at each visit: n with probability (1 - p) p^(n-1)."""
        users = np.arange(traces.first, traces.first + len(traces)).tolist()
        visits = np.diff(traces.offsets)
        exponentials = EXPONENTIALS.rows(self._seed(traces), _VISITS, users, visits.tolist())
        p = self._beta(traces) if self["p"] == "beta" else np.full(len(traces), float(self["p"]))
        with np.errstate(divide="ignore"):
            per_update = np.abs(np.log(np.repeat(p, visits)))
            return np.asarray(1 + np.floor(np.concatenate([*exponentials, np.empty(0)]) / per_update))

    def _seed(self, traces: Traces) -> int:
        return traces.seed if self["seed"] is None else int(self["seed"])

    def _beta(self, traces: Traces) -> Floats:
        """Return a draw from Beta(2, 2) for each user, by inverting its distribution function 3 x^2 - 2 x^3."""
        bits = np.random.PCG64(np.random.SeedSequence(self._seed(traces), spawn_key=(_USERS,)))
        uniform = np.random.Generator(bits).random(traces.first + len(traces))[traces.first :]
        return np.asarray(0.5 - np.sin(np.arcsin(1 - 2 * uniform) / 3))


class _Visits:
    """The visits of all users, and the time left in each while updates are read.

    Updates are offered the most confident first. Each is read at the first visit of a user that lists it and is still
    open (at every such visit, if updates are read again). This is equivalent to going down the list visit by visit, because
    the fate of an update depends only on the more confident ones.
    """

    def __init__(
        self, traces: Traces, speed: Floats, available: Floats, wanted: Floats, lookback: float, again: bool
    ) -> None:
        self.traces, self.start, self.user = traces, traces.start, traces.user
        self.number = np.arange(len(self.start)) - traces.offsets[:-1][self.user]
        self.available, self.speed = available, speed[self.user]
        self.room = available * self.speed
        self.left = wanted
        self.words = np.zeros(len(self.start))
        self.open = np.ones(len(self.start), dtype=bool)
        self.cut_off = np.zeros(len(self.start), dtype=bool)
        self.lookback, self.again = lookback, again
        self.by_time = np.argsort(self.start, kind="stable")
        self.next_open = np.arange(len(self.start) + 1)

    def reads(self, time: Floats, length: Floats) -> Iterator[tuple[int, Ints]]:
        """Yield the updates that are read, by number, the most confident first, and the visits at which they are read.

        Updates that no open visit lists any more are skipped; this is checked from time to time.
        """
        pending, size = np.arange(len(time)), 64
        while len(pending):
            now, pending = pending[:size], pending[size:]
            offer = self._offer_again if self.again else self._offer_once
            for i, readers in zip(now.tolist(), offer(time[now], length[now]), strict=True):
                if len(readers):
                    yield i, readers
            still = self.by_time[self.open[self.by_time]]
            first, end = self.start[still].searchsorted([time[pending], time[pending] + self.lookback])
            pending, size = pending[first < end], min(2 * size, _AT_ONCE)

    def _offer_again(self, time: Floats, length: Floats) -> Iterator[Ints]:
        """Yield the visits at which every update is read: all that are open."""
        starts = self.start[self.by_time]
        first, end = starts.searchsorted([time, time + self.lookback]).tolist()
        for words, a, b in zip(length.tolist(), first, end, strict=True):
            listed = self.by_time[a:b]
            yield self._read(words, listed[self.open[listed]])

    def _offer_once(self, time: Floats, length: Floats) -> Iterator[Ints]:
        """Yield the visits at which every update is read: each user's first that is open and has room for it."""
        times, at = np.unique(time, return_inverse=True)
        first = (self.traces.starts_before(times) + self.traces.offsets[:-1, np.newaxis]).T[at]
        end = self.traces.offsets[1:]
        for words, oldest, visit in zip(length.tolist(), (time + self.lookback).tolist(), first, strict=True):
            found, last = [], end
            while True:
                visit = self._open_from(visit)
                within = visit < last
                within[within] = self.start[visit[within]] < oldest
                tried, last = visit[within], last[within]
                readers = self._read(words, tried)
                found.append(readers)
                if len(readers) == len(tried):
                    break
                cut_off = self.cut_off[tried]
                visit, last = tried[cut_off], last[cut_off]
            yield np.concatenate(found)

    def _open_from(self, visit: Ints) -> Ints:
        """Return, for each visit, the first open one from it on."""
        found = visit
        while True:
            after = self.next_open[found]
            if np.array_equal(after, found):
                break
            further = self.next_open[after]
            self.next_open[found] = further
            found = further
        self.next_open[visit] = found
        return found

    def _read(self, words: float, visits: Ints) -> Ints:
        """Return the open visits at which an update of the given words fits, and record that it is read there."""
        fits = self.words[visits] + words <= self.room[visits]
        readers, cut_off = visits[fits], visits[~fits]
        self.words[readers] += words
        self.left[readers] -= 1
        self.cut_off[cut_off] = True
        closed = np.concatenate([readers[self.left[readers] == 0], cut_off])
        self.open[closed] = False
        self.next_open[closed] = closed + 1
        return readers

    def spent(self) -> Floats:
        """Return the seconds of reading at each visit."""
        return np.where(self.cut_off, self.available, np.minimum(self.words / self.speed, self.available))


def most_confident_first(stream: Stream) -> Ints:
    """Return the indices of the updates by confidence, highest first; the newest first for equal confidence.

    >>> from irmx_stream import Stream
    >>> stream = Stream.of(*(np.array(c) for c in ([0, 5, 5], [9, 9, 9], [.5, .5, .7], [], [], [])))
    >>> stream.time[most_confident_first(stream)], stream.confidence[most_confident_first(stream)]
    (array([5, 5, 0]), array([0.7, 0.5, 0.5]))
    """
    return np.lexsort((-np.arange(len(stream)), -stream.confidence))


RANKED = Ranked()


_DAY = 86400


class Push(ReadingInterface):
    """Every update is delivered when it is emitted and read at once, up to a number of updates per day.

    Days are periods of 24 hours from the start of the topic's window. Of a day's updates the first ``daily_limit`` are
    read (the most confident first for equal times), the rest never.

    The session number of a read is the number of sessions that started up to it. So alpha counts the sessions that started
    after the nugget was known and up to the delivery: at each of these the user could have learned it. Sessions that start
    after the delivery cost nothing, and an update that is delivered before the user's next visit is on time.
    """

    NAME = "push"
    SHORT_DESC = "every update is delivered and read at once, up to a daily limit"
    SUPPORTED_PARAMS = {
        "daily_limit": Param(int, "updates read in 24 h; None: all", default=None, low=0, unit="updates")
    }
    EXAMPLES = ("push(daily_limit=10)",)

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        held = stream.held
        session = traces.starts_before(np.nextafter(stream.time[held], np.inf))
        return np.where(self._is_read(stream)[held], session, NEVER)

    def order(self, stream: Stream) -> Ints:
        return ranks_in_visit(stream, oldest_first(stream))

    def amounts(self, stream: Stream, traces: Traces, speed: Floats) -> tuple[Floats, Floats]:
        read = self._is_read(stream)
        words = float(stream.length[read].sum())
        return np.full(len(traces), float(read.sum())), words / speed

    def _is_read(self, stream: Stream) -> Ints:
        """Return, for every update, whether it is within the limit of its day."""
        if self["daily_limit"] is None:
            return np.ones(len(stream), dtype=bool)
        day = stream.time // _DAY
        of_day = np.argsort(oldest_first(stream)) - day.searchsorted(day)
        return np.asarray(of_day < self["daily_limit"])


PUSH = Push()
