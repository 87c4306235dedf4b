"""Recorded traces: the visits of real users from a table, in the place of simulated ones."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, UsageError
from irmx.ragged import Floats, Ints, offsets_of
from irmx_stream.users.traces import ROUNDING, Traces

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Recorded:
    """The visits of users, as they were logged.

    Attributes
    ----------
    users : list of str
        Their labels, in the order in which the log first names them.
    traces : Traces
        Their sessions; starts in the seconds of the log, dates as seconds since 1970 (UTC).
    speeds : float array, shape (users,), or None
        Words per second, if the log tells; NaN for a user of whom a session has none.
    gap : str
        Which session first has no speed, as a message, where some have one; else empty.
    """

    users: list[str]
    traces: Traces
    speeds: Floats | None
    gap: str = ""


def read_traces(source: pd.DataFrame | str | os.PathLike[str]) -> Recorded:
    """Return the visits of a log, checked, and in the order of time for each user.

    Parameters
    ----------
    source : DataFrame, str or Path
        A table, or a .csv, .tsv or .parquet file, with a row a session and the columns ``user``, ``start`` (seconds from
        any origin, or dates), ``duration`` (seconds, at least 0) and, if known, ``speed`` (words per second; the mean of
        a user's rows is taken). Where a speed is missing the others are of use only with one given for all.

    Raises
    ------
    irmx.DataError
        Where the table cannot be read, lacks a column or a value, holds what is no number, or has a session that ends
        before it starts or overlaps another of the same user; says the line of the file, or the row.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"user": ["b", "a", "b"], "start": [900, 30, 0], "duration": [60, 20, 45]})
    >>> recorded = read_traces(log)
    >>> recorded.users, recorded.traces.offsets, recorded.traces.start
    (['b', 'a'], array([0, 2, 3]), array([  0., 900.,  30.]))
    """
    log, name, at = _table(source)
    for column in ("user", "start", "duration"):
        if column not in log.columns:
            raise DataError(
                f"{name} lacks the column {column!r}. It has: {', '.join(map(str, log.columns)) or 'none'}."
            )
    if not len(log):
        raise DataError(f"{name} holds no session.")
    unnamed = np.flatnonzero(log["user"].isna())
    if len(unnamed):
        raise DataError(f"{name} names no user in {at(unnamed[0])}; every session belongs to one.")
    start = _starts(log, name, at)
    duration = _numbers(log, "duration", name, at, "a number of seconds")
    _refuse(duration < 0, lambda row: f"ends before it starts: its duration is {duration[row]:g} seconds", name, at)
    labels: dict[str, int] = {}
    user = np.array([labels.setdefault(str(label), len(labels)) for label in log["user"].tolist()], dtype=np.int64)
    order = np.lexsort((start + duration, start, user))
    _refuse_overlaps(user[order], start[order], duration[order], order, list(labels), name, at)
    speeds, gap = None, ""
    if "speed" in log.columns:
        missing = log["speed"].isna().to_numpy()
        for row in np.flatnonzero(missing)[:1].tolist():
            gap = f"{name} has no speed in {at(row)}; give every session one, or a speed for all users."
        speed = np.full(len(log), np.nan)
        speed[~missing] = _numbers(
            log[~missing], "speed", name, lambda row: at(np.flatnonzero(~missing)[row]), "a number of words per second"
        )
        _refuse(speed <= 0, lambda row: f"has a speed of {speed[row]:g} words per second; it must be above 0", name, at)
        speeds = np.bincount(user, speed) / np.bincount(user)
    offsets = offsets_of(np.bincount(user))
    return Recorded(list(labels), Traces(offsets, start[order], duration[order]), speeds, gap)


def traces_for(recorded: Recorded, start: float, end: float) -> Traces:
    """Return the sessions within one topic's window of time; their starts count from its start.

    A session that starts before the window or ends after it is left out, as simulated users start none that would end
    after it. A user without a session in the window stays, and gains nothing there.

    Parameters
    ----------
    recorded : Recorded
        What :func:`read_traces` gives.
    start, end : float
        The window, in the seconds of the log.

    Raises
    ------
    irmx.UsageError
        Where the window ends before it starts.

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


def _table(source: Any) -> tuple[pd.DataFrame, str, Callable[[Any], str]]:
    """Return a log as a data frame, its name, and what says where a row of it is."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        return source.reset_index(drop=True), "The log of visits", lambda row: f"row {row} (counted from 0)"
    if not isinstance(source, (str, os.PathLike)):
        raise DataError(f"A log of visits is a DataFrame or the path of a file. Got {type(source).__name__}.")
    path, name = Path(source), f"The log of visits {os.fspath(source)}"
    if not path.is_file():
        raise DataError(f"There is no log of visits {os.fspath(source)!r}.")
    if not {".csv", ".tsv", ".parquet"} & set(path.suffixes):
        raise DataError(f"{name} must be a .csv, .tsv or .parquet file.")
    try:
        if ".parquet" in path.suffixes:
            return pd.read_parquet(path), name, lambda row: f"row {row} (counted from 0)"
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            log = pd.read_csv(
                path,
                sep="\t" if ".tsv" in path.suffixes else ",",
                dtype=str,
                index_col=False,
                keep_default_na=False,
                na_values=[""],
                skip_blank_lines=False,
            )
    except (ValueError, OSError, pd.errors.ParserWarning) as error:
        raise DataError(f"{name} cannot be read: {error}.") from None
    log = log.dropna(how="all")
    lines = log.index.to_numpy() + 2
    return log.reset_index(drop=True), name, lambda row: f"line {lines[row]}"


def _starts(log: pd.DataFrame, name: str, at: Callable[[Any], str]) -> Floats:
    """Return the column of starts in seconds, where it holds dates since 1970."""
    import pandas as pd

    column = log["start"]
    dates = pd.api.types.is_datetime64_any_dtype(column)
    if not dates and not pd.api.types.is_numeric_dtype(column):
        dates = bool(pd.to_numeric(column, errors="coerce").isna().all() and column.notna().any())
    if not dates:
        return _numbers(log, "start", name, at, "a number of seconds, or all starts are dates")
    if not pd.api.types.is_datetime64_any_dtype(column):
        column = column.astype(str)
    read = pd.to_datetime(
        column, errors="coerce", utc=True, **({} if column.dtype.kind == "M" else {"format": "ISO8601"})
    )
    wrong = np.flatnonzero(read.isna())
    if len(wrong):
        raise DataError(
            f"{name} has the start {log['start'].iloc[wrong[0]]!r} in {at(wrong[0])}; it must be a number of seconds or a "
            "date such as 2014-03-01T12:00:00."
        )
    return np.asarray((read - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1), dtype=np.float64)


def _numbers(log: pd.DataFrame, column: str, name: str, at: Callable[[Any], str], what: str) -> Floats:
    import pandas as pd

    values: Floats = pd.to_numeric(log[column], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        given = log[column].iloc[wrong[0]]
        held = f"no {column}" if pd.isna(given) else f"the {column} {given!r}"
        raise DataError(f"{name} has {held} in {at(wrong[0])}; it must be {what}.")
    return values


def _refuse(wrong: Any, what: Callable[[Any], str], name: str, at: Callable[[Any], str]) -> None:
    rows = np.flatnonzero(wrong)
    if len(rows):
        raise DataError(f"{name}: the session in {at(rows[0])} {what(rows[0])}.")


def _refuse_overlaps(
    user: Ints, start: Floats, duration: Floats, row: Ints, labels: list[str], name: str, at: Callable[[Any], str]
) -> None:
    ends = start + duration
    overlap = np.flatnonzero((user[1:] == user[:-1]) & (start[1:] < ends[:-1] - ROUNDING))
    if len(overlap):
        i = int(overlap[0])
        raise DataError(
            f"{name}: two sessions of the user {labels[user[i]]!r} overlap. That in {at(row[i])} ends at {ends[i]:.15g}, "
            f"that in {at(row[i + 1])} starts at {start[i + 1]:.15g}."
        )
