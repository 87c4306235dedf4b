"""The time window of every qrels row, from its label or from the date of its document."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irmx import DataError, DataWarning, Rankings, Rows
from irmx.ragged import Array, Floats, Ints
from irmx.toolkit import check_dates
from irmx_temporal.diversity_columns import TIMESTAMP, WINDOW
from irmx_temporal.natural_labels import labels
from irmx_temporal.windows.bursts import burst_windows
from irmx_temporal.windows.calendar_windows import BURST, cut

EVERYTHING = "everything"
"""The window of measures that ignore time: it contains all documents, dated or not."""


@dataclass(frozen=True)
class Windowing:
    """How documents are assigned to time windows.

    Attributes
    ----------
    window : str or None
        See :class:`irmx_temporal.windows.calendar_windows.WindowParam`, or :data:`EVERYTHING`.
    tz : str
        The time zone of the calendar.
    one_subtopic : bool
        Whether every topic is treated as one subtopic, ignoring the column of subtopics.
    """

    window: str | None
    tz: str = "UTC"
    one_subtopic: bool = False

    def without_windows(self) -> Windowing:
        """Return a windowing with the same subtopics and a single window for all documents."""
        return Windowing(EVERYTHING, one_subtopic=self.one_subtopic)


class WindowOfRows(NamedTuple):
    """The windows of rows.

    Attributes
    ----------
    label : int array, shape (rows,)
        The number of the window of every row, -1 for none.
    names : list
        The windows by number.
    weight : float array or None
        The weight of every window in its topic, if they are bursts.
    """

    label: Ints
    names: list[Any]
    weight: Floats | None = None


def windows_of_rows(rankings: Rankings, relevant: Array, windowing: Windowing) -> WindowOfRows:
    """Return the windows of all rows of the qrels of rankings.

    Raises
    ------
    irmx.DataError
        If a relevant document has no window, no relevant document has a date, or a document has two.

    Warns
    -----
    irmx.DataWarning
        Counts the relevant documents without a date, which are in no window.
    """
    rows = rankings.qrels_rows
    if windowing.window == EVERYTHING:
        return WindowOfRows(np.zeros(len(rows.doc), dtype=np.int64), [""])
    if windowing.window is None:
        return _labelled(rankings, relevant)
    time = _dates(rankings)
    _refuse_two(rankings, np.flatnonzero(~np.isnan(time) & ~rows.declares), time, "dates", TIMESTAMP.name)
    time = _of_documents(rows, time)
    dated = ~np.isnan(time)
    _tell_of_undated(rankings, relevant, dated)
    if windowing.window == BURST:
        return WindowOfRows(*burst_windows(time, rows.topic, rows.doc, relevant, windowing.tz))
    label = np.full(len(time), -1, dtype=np.int64)
    label[dated], names = cut(time[dated], windowing.window, windowing.tz)
    label[rows.declares] = -1
    return WindowOfRows(label, names)


def _labelled(rankings: Rankings, relevant: Array) -> WindowOfRows:
    """Return the windows in the column ``window``; a row without a document declares one."""
    rows = rankings.qrels_rows
    label, names = labels(rows, WINDOW)
    _refuse_lacking(rankings, relevant & (label < 0), WINDOW.name, "window")
    _refuse_two(rankings, np.flatnonzero((label >= 0) & ~rows.declares), label, "windows", WINDOW.name)
    return WindowOfRows(label, names)


def _dates(rankings: Rankings) -> Floats:
    """Return the date of every row in seconds since 1970, NaN for none."""
    rows = rankings.qrels_rows
    number, dates = rows.labels(TIMESTAMP, missing_ok=True)
    if any(isinstance(date, str) for date in dates):
        return _parsed(rankings, number, dates)
    values = np.array([*dates, np.nan], dtype=np.float64)[number]
    check_dates(
        values, TIMESTAMP.name, lambda row: f"query {rankings.topics[rows.topic[row]]} in {row_of_topic(rows, row)}"
    )
    return values


def _of_documents(rows: Rows, time: Floats) -> Floats:
    """Return the dates of rows; a missing date is taken from another row of the same document."""
    known = np.flatnonzero(~np.isnan(time) & ~rows.declares)
    of_document = np.full(int(rows.doc.max(initial=-1)) + 1, np.nan)
    of_document[rows.doc[known]] = time[known]
    filled: Floats = time.copy()
    filled[~rows.declares] = of_document[rows.doc[~rows.declares]]
    return filled


def _parsed(rankings: Rankings, number: Ints, texts: tuple[str, ...]) -> Floats:
    """Return dates, given as strings, in seconds since 1970; without a time zone they are in UTC."""
    import pandas as pd

    rows = rankings.qrels_rows
    dates = pd.to_datetime(pd.Series(texts, dtype=object), errors="coerce", utc=True, format="ISO8601")
    bad = np.append(dates.isna().to_numpy(), False)
    for row in np.flatnonzero(bad[number] & (number >= 0))[:1].tolist():
        raise DataError(
            f"The timestamp {texts[number[row]]!r} of the qrels is not a date: query {rankings.topics[rows.topic[row]]}, "
            f"{row_of_topic(rows, row)}. Dates are numbers, in seconds since 1970, or strings such as 2014-03-01 or 2014-03-01T12:30:00Z."
        )
    moments = dates.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return np.append((moments - np.datetime64(0, "us")) / np.timedelta64(1, "s"), np.nan)[number]


def _tell_of_undated(rankings: Rankings, relevant: Array, dated: Array) -> None:
    """Warn about relevant documents without a date, which are in no window; raise if no relevant document has one."""
    lacking = relevant & ~dated
    if not lacking.any():
        return
    if not (relevant & dated).any():
        _refuse_lacking(rankings, lacking, TIMESTAMP.name, "date")
    rows = rankings.qrels_rows
    row = int(np.flatnonzero(lacking)[0])
    count, of = len(np.unique(rows.doc[lacking])), len(np.unique(rows.doc[relevant]))
    text = (
        f"{count:,} of {of:,} relevant documents have no date in the qrels column {TIMESTAMP.name!r} and are in no window. The "
        f"first: query {rankings.topics[rows.topic[row]]}, {row_of_topic(rows, row)}."
    )
    rankings.qrels_memo(("told", text), lambda: warnings.warn(text, DataWarning, stacklevel=2))


def _refuse_lacking(rankings: Rankings, lacking: Array, column: str, what: str) -> None:
    rows = rankings.qrels_rows
    for row in np.flatnonzero(lacking)[:1].tolist():
        raise DataError(
            f"The qrels column {column!r} has no {what} for query {rankings.topics[rows.topic[row]]}, a relevant document "
            f"in {row_of_topic(rows, row)}."
        )


def _refuse_two(rankings: Rankings, there: Ints, values: Array, what: str, column: str) -> None:
    """Raise if a document has two dates or windows."""
    rows = rankings.qrels_rows
    order = there[np.argsort(rows.doc[there], kind="stable")]
    same = rows.doc[order][1:] == rows.doc[order][:-1]
    for i in np.flatnonzero(same & (values[order][1:] != values[order][:-1]))[:1].tolist():
        raise DataError(
            f"A document of query {rankings.topics[rows.topic[order[i]]]} has two {what} in the qrels column {column!r}: "
            f"compare {row_of_topic(rows, order[i])} with {row_of_topic(rows, order[i + 1])}. A document can have only one."
        )


def row_of_topic(rows: Rows, row: int) -> str:
    """Return the name of a row in messages: its line in the qrels file or, without a file, its position in its topic."""
    return rows.place([row]) or f"row {row - int(rows.offsets[rows.topic[row]]) + 1} of the topic"
