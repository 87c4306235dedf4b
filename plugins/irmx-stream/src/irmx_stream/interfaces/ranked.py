"""The ranking interface: at every visit the updates of the last day by confidence, read with some persistence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from irmx import Param
from irmx.ragged import Floats, Ints, segment_sum
from irmx.toolkit import duration, seconds
from irmx_stream.interfaces.reading_interface import NEVER, ReadingInterface, ranks_in_visit
from irmx_stream.users.exponentials import EXPONENTIALS

if TYPE_CHECKING:
    from irmx_stream.updates.streams import Stream
    from irmx_stream.users.traces import Traces

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
