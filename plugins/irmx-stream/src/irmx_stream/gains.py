"""Modeled Stream Utility of given traces: what users gain from the nuggets that they read, discounted by delay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from irmx import TopicScores, UsageError
from irmx.ragged import Floats, Ints, segment_sum, short_repr
from irmx.toolkit import plural
from irmx_stream import compiled_gains
from irmx_stream.interfaces import KIND, NEVER, PER, RATIO, REVERSE_CHRONOLOGICAL, ReadingInterface
from irmx_stream.streams import LATE, Stream, require_one_of, stream_of
from irmx_stream.traces import Traces, is_number, speeds_of

_AT_ONCE = 4_000_000
"""Users times pairs of update and nugget that are processed together; it bounds the memory."""


@dataclass(frozen=True)
class Reads:
    """The nuggets that users read, each once per user, and their delays; sorted by user and nugget.

    Attributes
    ----------
    users : int
        The number of users.
    user : int array, shape (reads,)
        The user of each read.
    nugget : int array, shape (reads,)
        The nugget.
    update : int array, shape (reads,)
        The update, as its index in the stream.
    alpha : int array, shape (reads,)
        The number of sessions by which it is late: k - b, where k is the 0-based number of the session and b the number of sessions
        that started up to the time at which the nugget was first known (with ``late='at'`` before it); at least 0.
    """

    users: int
    user: Ints
    nugget: Ints
    update: Ints
    alpha: Ints

    __repr__ = short_repr

    @cached_property
    def latest(self) -> int:
        """The largest alpha."""
        return int(self.alpha.max(initial=0))

    def gain_of_each(self, L: float) -> Floats:  # noqa: N803  the paper's letter
        """Return L^alpha of every read."""
        return powers(L, 1 << self.latest.bit_length())[self.alpha]

    def gains(self, L: float) -> Floats:  # noqa: N803
        """Return the gain of each user, shape (users,)."""
        return segment_sum(self.gain_of_each(L), self.user, self.users).astype(np.float64)


@lru_cache(maxsize=256)
def powers(L: float, count: int) -> Floats:  # noqa: N803
    """Return L^0, ..., L^count; 0^0 is 1.

    >>> powers(0.5, 2)
    array([1.  , 0.5 , 0.25])
    """
    return np.array([L**alpha for alpha in range(count + 1)])


def reads_of(
    stream: Stream,
    traces: Traces,
    speed: Floats,
    interface: ReadingInterface = REVERSE_CHRONOLOGICAL,
    late: str = "before",
) -> Reads:
    """Return the nuggets that users read.

    Parameters
    ----------
    stream : Stream
        The updates and their nuggets.
    traces : Traces
        The sessions of the users, in seconds with the same origin as the stream's times.
    speed : float array, shape (users,)
        Words per second of each.
    interface : ReadingInterface
        How the updates are presented to the users.
    late : {"before", "at"}
        Whether a nugget is late by each earlier session that starts after it was known, or also by one that starts at
        that time.

    Returns
    -------
    Reads
        Every nugget once per user, where it was first read.
    """
    step = max(1, _AT_ONCE // max(len(stream.update), 1))
    parts = [
        _reads_of_some(stream, traces.of_users(a, a + step), speed[a : a + step], interface, late, a)
        for a in range(0, len(traces), step)
    ]
    columns = (np.concatenate(c) if len(parts) > 1 else c[0] for c in zip(*parts, strict=True))
    if not parts:
        columns = (np.empty(0, dtype=np.int64) for _ in range(4))
    return Reads(len(traces), *columns)


def _reads_of_some(
    stream: Stream, traces: Traces, speed: Floats, interface: ReadingInterface, late: str, first: int
) -> tuple[Ints, Ints, Ints, Ints]:
    if not len(stream.update):
        none = np.empty(0, dtype=np.int64)
        return none, none, none, none
    session = interface.first_read(stream, traces, speed)
    by_nugget = np.argsort(stream.nugget, kind="stable")
    nugget, starts = np.unique(stream.nugget[by_nugget], return_index=True)
    place = np.searchsorted(stream.held, stream.update[by_nugget])
    order = interface.order(stream)
    count = np.int64(len(order))
    key = (session * count + order)[:, place]
    if len(nugget) < len(place):
        key = np.minimum.reduceat(key, starts, axis=1)
    user, column = np.nonzero(key < NEVER * count)
    session, at = np.divmod(key[user, column], count)
    update = stream.held[np.argsort(order)[at]]
    known = traces.starts_before(stream.known(late)[nugget])
    alpha = np.maximum(session - known[user, column], 0)
    return user + first, nugget[column], update, alpha


def compiled_for(interface: ReadingInterface, work: int) -> bool:
    """Tell whether to compute gains by compiled code, given the number of users times pairs to come."""
    return interface == REVERSE_CHRONOLOGICAL and compiled_gains.in_use(work)


def gains_of(
    stream: Stream, traces: Traces, speed: Floats, interface: ReadingInterface, losses: Sequence[float], late: str
) -> Floats:
    """Return the gain of each user for several L, shape (losses, users); compiled if that pays off."""
    work = len(traces) * len(stream.update)
    if not work:
        return np.zeros((len(losses), len(traces)))
    if compiled_for(interface, work):
        most = 1 << int(np.diff(traces.offsets).max(initial=0)).bit_length()
        return compiled_gains.newest_first_gains(stream, traces, speed, [powers(L, most) for L in losses], late)
    reads = reads_of(stream, traces, speed, interface, late)
    return np.stack([reads.gains(L) for L in losses])


@dataclass(frozen=True)
class Utility:
    """Result of :func:`msu`.

    Attributes
    ----------
    value : float
        Modeled Stream Utility: the mean gain of a user, or the mean over users of the gain per unit.
    standard_error : float
        The standard error of the value as an estimate for an infinite population of such users; NaN for one user.
    users : int
        The number of users.
    gains : float array, shape (users,)
        The gain of each user.
    parts : float array, shape (users,)
        The terms of each user whose mean is the value; for a ratio of two means, its linearisation, up to a constant. The
        standard error is that of their mean.
    """

    value: float
    standard_error: float
    users: int
    gains: Floats
    parts: Floats

    def __repr__(self) -> str:
        return f"<Utility: {self.value:.4f}, standard error {self.standard_error:.4f}, {plural(self.users, 'user')}>"


def units_of(amounts: Floats | None, users: int, ratio: str) -> Floats:
    """Return the divisor of each user's gain; infinity for a user who spent nothing, and counts 0.

    >>> units_of(np.array([2.0, 6.0, 0.0]), 3, "by_user"), units_of(np.array([2.0, 7.0, 0.0]), 3, "of_means")
    (array([ 2.,  6., inf]), array([3., 3., 3.]))
    """
    if amounts is None:
        return np.ones(users)
    units = amounts if ratio == "by_user" else np.full(users, math.fsum(amounts) / max(users, 1))
    return np.where(units > 0, units, np.inf)


def mean_gain(gains: Floats, amounts: Floats | None = None, ratio: str = "by_user") -> Utility:
    """Return the mean gain of users, or the gain per unit of an amount.

    Parameters
    ----------
    gains : float array, shape (users,)
        The gain of each user.
    amounts : float array, shape (users,), optional
        The amount of each user, such as seconds of reading.
    ratio : {"by_user", "of_means"}
        Whether the value is the mean over users of gain / amount, where a user whose amount is 0 counts 0, or the mean
        gain divided by the mean amount, 0 where all amounts are 0.
    """
    users = len(gains)
    if not users:
        return Utility(0.0, math.nan, 0, gains, gains)
    units = units_of(amounts, users, ratio)
    parts = gains / units
    value = math.fsum(parts) / users
    if amounts is not None and ratio == "of_means":
        parts = (gains - value * amounts) / units
    return Utility(value, _standard_error(parts), users, gains, parts)


def covariance_of(utilities: Sequence[Utility]) -> Floats:
    """Return the covariance of the errors of several topics' values, shape (topics, topics).

    The users are the same for all topics, and frequent visitors gain much everywhere. So the errors are correlated, and the
    mean over topics is less precise than with independent users for each topic. If a topic has more users than another, the
    first ones are the same; the means share the smaller number, and their covariance is that of the users over the larger.

    >>> alike = [mean_gain(np.array([1.0, 2.0, 6.0])), mean_gain(np.array([2.0, 4.0, 12.0]))]
    >>> covariance_of(alike).round(3).tolist(), round(alike[0].standard_error ** 2, 3)
    ([[2.333, 4.667], [4.667, 9.333]], 2.333)
    """
    users = np.array([u.users for u in utilities], dtype=np.int64)
    deviations = np.zeros((len(users), int(users.max(initial=0))))
    for row, utility in zip(deviations, utilities, strict=True):
        row[: utility.users] = utility.parts - utility.parts.mean()
    shared, larger = np.minimum.outer(users, users), np.maximum.outer(users, users)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(deviations @ deviations.T / ((shared - 1) * larger))


def scores_of(utilities: Sequence[Utility]) -> TopicScores:
    """Return the utilities of topics, whose users are the same, as scores."""
    columns = np.array([(u.value, u.standard_error, u.users) for u in utilities], dtype=np.float64).reshape(-1, 3)
    fields = {"standard_error": columns[:, 1], "users": columns[:, 2]}
    return TopicScores(columns[:, 0], fields, covariance_of(utilities))


def _standard_error(values: Floats) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def amounts_of(
    per: str | None, stream: Stream, traces: Traces, speed: Floats, interface: ReadingInterface
) -> Floats | None:
    """Return the amount of every user: seconds of reading, updates read, or updates emitted; None without a unit."""
    if per is None:
        return None
    if per == "update_emitted":
        return np.full(len(traces), float(len(stream)))
    read, seconds = interface.amounts(stream, traces, speed)
    return seconds if per == "second" else read


def pain_of(
    stream: Stream, traces: Traces, speed: Floats, interface: ReadingInterface, unit: str
) -> tuple[Floats, Floats]:
    """Return what each user reads, and what of it gives the user a nugget, in updates or in seconds."""
    reads = reads_of(stream, traces, speed, interface)
    user, update = np.divmod(np.unique(reads.user * max(len(stream), 1) + reads.update), max(len(stream), 1))
    read, seconds = interface.amounts(stream, traces, speed)
    if unit == "updates":
        return read, segment_sum(np.ones(len(user)), user, len(traces))
    return seconds, segment_sum(stream.length[update] / speed[user], user, len(traces))


def msu(
    updates: Any,
    nuggets: Any,
    traces: Traces,
    speeds: Any,
    L: float = 0.5,  # noqa: N803  the paper's letter
    interface: ReadingInterface = REVERSE_CHRONOLOGICAL,
    per: str | None = None,
    ratio: str = "by_user",
    late: str = "before",
    same_time: str = "id",
) -> Utility:
    """Return the Modeled Stream Utility of one topic's updates for given traces of users.

    Parameters
    ----------
    updates : Stream, DataFrame or mapping of columns
        The updates of a system: ``doc_id``, ``timestamp`` (s), ``length`` (words) and, if known, ``score``, the confidence.
    nuggets : DataFrame, mapping of columns or None
        Which updates hold which nuggets: ``doc_id``, ``iteration`` (the nugget), ``timestamp`` (s; when it was first
        known). None where ``updates`` is a Stream.
    traces : Traces
        The sessions of each user; times must have the same origin as the timestamps.
    speeds : float or float array, shape (users,)
        Reading speeds, in words per second.
    L : float
        The share of the gain that remains for each session of delay, in [0, 1].
    interface : ReadingInterface
        How the updates are presented to the users.
    per : {None, "second", "update_read", "update_emitted"}
        The gain of a user, or per second of reading, per update read, per update emitted.
    ratio : {"by_user", "of_means"}
        With ``per``: the mean of the users' ratios, where a user who spent nothing counts 0, or the ratio of the two means
        over users.
    late : {"before", "at"}
        Whether a nugget is late by each earlier session that starts after it was known, as in the authors' code, or also by
        one that starts at that time, as in the paper's text.
    same_time : {"id", "run"}
        Whether updates with the same time and confidence are read by descending ``doc_id`` or in the order of the table; a
        Stream already has its order.

    Returns
    -------
    Utility
        The value, its standard error, the gain of each user.

    Raises
    ------
    irmx.errors.UsageError
        For an invalid L, interface, speed or unit.
    irmx.errors.DataError
        For tables that lack a column or a number.

    References
    ----------
    Baruah, G., Smucker, M. D., Clarke, C. L. A.: Evaluating Streams of Evolving News Events. SIGIR 2015.

    Examples
    --------
    A user who looks in at 0, 100 and 200 seconds, and reads two words a second.

    >>> updates = {"doc_id": ["u1", "u2"], "timestamp": [10, 150], "length": [12, 8]}
    >>> nuggets = {"doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "timestamp": [5, 20]}
    >>> import numpy as np
    >>> traces = Traces(np.array([0, 3]), np.array([0.0, 100.0, 200.0]), np.array([30.0, 30.0, 30.0]))
    >>> msu(updates, nuggets, traces, speeds=2.0).value
    1.5
    """
    if not is_number(L) or not 0 <= L <= 1:
        raise UsageError(f"L must be a number in the range [0, 1]. Got {L!r} instead.")
    given: Any = interface
    if not isinstance(given, ReadingInterface):
        raise UsageError(
            f"interface must be a {KIND} such as irmx.ranked or irmx.push(daily_limit=1), not its name. Got {interface!r} instead."
        )
    require_one_of("per", per, (None, *PER))
    speed = speeds_of(speeds, len(traces))
    require_one_of("late", late, LATE)
    require_one_of("ratio", ratio, RATIO)
    stream = stream_of(updates, nuggets, same_time)
    [gains] = gains_of(stream, traces, speed, interface, [float(L)], late)
    return mean_gain(gains, amounts_of(per, stream, traces, speed, interface), ratio)
