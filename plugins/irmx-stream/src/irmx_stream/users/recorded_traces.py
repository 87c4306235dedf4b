"""Recorded traces: the visits of real users from a table, instead of simulated ones."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from irmx import Param, Table, UsageError, read_table
from irmx.ragged import Floats, Ints, offsets_of, short_repr
from irmx_stream.users.traces import ROUNDING, Traces

if TYPE_CHECKING:
    import pandas as pd

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
