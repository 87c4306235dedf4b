"""MSU as a function of plain tables and arrays, for any traces, simulated or recorded."""

from __future__ import annotations

from typing import Any

from irmx import UsageError
from irmx_stream.interfaces.newest_first import REVERSE_CHRONOLOGICAL
from irmx_stream.interfaces.reading_interface import KIND, ReadingInterface
from irmx_stream.updates.checked_values import is_number, require_one_of
from irmx_stream.updates.stream_tables import stream_of
from irmx_stream.updates.streams import LATE
from irmx_stream.users.traces import Traces, speeds_of
from irmx_stream.utility.modeled_stream_utility import PER, RATIO
from irmx_stream.utility.stream_utility import Utility, amounts_of, gains_of, mean_gain


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
    if per is not None and per not in PER:
        raise UsageError(f"per must be None or one of {', '.join(map(repr, PER))}. Got {per!r} instead.")
    speed = speeds_of(speeds, len(traces))
    require_one_of("late", late, LATE)
    require_one_of("ratio", ratio, RATIO)
    stream = stream_of(updates, nuggets, same_time)
    [gains] = gains_of(stream, traces, speed, interface, [float(L)], late)
    return mean_gain(gains, amounts_of(per, stream, traces, speed, interface), ratio)
