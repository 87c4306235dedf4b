"""Time windows of judgments: by label, by the calendar, or by bursts."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from irmx import Column, DataError, DataWarning, Field, Param, Rankings, Rows, SampleValues, UsageError
from irmx.ragged import Array, Floats, Ints
from irmx.toolkit import check_dates, duration_text, seconds, seconds_of_texts, value_repr

if TYPE_CHECKING:
    import pandas as pd


# -- the columns that diversity measures read ------------------------------------------------------------------------


_DAY = 86400
_DOCUMENT = ("query_id", "doc_id")

SUBTOPIC = Column(
    "qrels",
    "iteration",
    "subtopic or nugget id",
    dtype="str",
    how="use qrels with one row per document and subtopic, such as those of a diversity track",
)
TIMESTAMP = Column(
    "qrels",
    "timestamp",
    "time at which the nugget was first known; for documents: their date",
    unit="s since 1970; dates are accepted",
    how="add the dates of the documents, or, for a dataset whose documents have dates, load the qrels with "
    "irmx.collections.judgments(id, columns=['timestamp'])",
    sample=SampleValues(range(0, 71 * _DAY, _DAY), _DOCUMENT),
)
WINDOW = Column(
    "qrels",
    "window",
    "label of the document's time window",
    dtype="str",
    how="add it, or cut windows from the dates in 'timestamp' with the parameter window, such as window='1mo'",
    instead="timestamp",
    sample=SampleValues(("w1", "w2"), _DOCUMENT),
)
SUBTOPIC_WEIGHT = Column(
    "qrels",
    "subtopic_weight",
    "P(c|q), the weight of the subtopic",
    optional=True,
    sample=SampleValues(range(1, 5), ("query_id", "iteration"), shares=True),
)
WINDOW_WEIGHT = Column(
    "qrels",
    "window_weight",
    "P(t|q), the weight of the document's time window",
    optional=True,
    sample=SampleValues(range(1, 5), ("query_id", "window"), shares=True),
)


def labels(rows: Rows, column: Column) -> tuple[Ints, list[Any]]:
    """Return the number of the label of every row, -1 for none, and the labels in their natural order, 2 before 10."""
    number, names = rows.labels(column, missing_ok=True)
    order = sorted(range(len(names)), key=lambda i: natural(names[i]))
    place = np.empty(len(names) + 1, dtype=np.int64)
    place[order] = np.arange(len(names))
    place[-1] = -1
    return place[number], [names[i] for i in order]


def natural(name: Any) -> tuple[Any, ...]:
    """Return a sort key for labels that orders the numbers in them by value.

    >>> sorted(["c10", "c2", "b"], key=natural)
    ['b', 'c2', 'c10']
    """
    if not isinstance(name, str):
        return (name,)
    return tuple(_piece(piece) for piece in re.split(r"([0-9]+)", name) if piece)


def _piece(piece: str) -> tuple[int, int, str]:
    digits = piece.lstrip("0")  # of two numbers, the one with more digits is larger; int() takes only some thousands
    return (0, len(digits), digits) if piece.isascii() and piece.isdecimal() else (1, 0, piece)


_DATES = {
    "tweets2013-ia": ("created_at", "twitter"),
    "wapo": ("published_date", "milliseconds"),
    "cord19": ("date", "iso"),
    "hc4": ("time", "iso"),
    "neuclir": ("time", "iso"),
    "c4": ("timestamp", "iso"),
    "clueweb09": ("date", "warc"),
    "clueweb12": ("date", "warc"),
    "longeval-web": ("last_updated_at", "seconds"),
    "longeval-sci": ("publishedDate", "iso"),
    "longeval-sci-2026": ("publishedDate", "iso"),
}
"""Date fields and their formats by dataset, with the field names of ir_datasets 0.6.3 and ir-datasets-longeval 0.0.15."""

FIELDS = [Field(dataset, TIMESTAMP.name, field, form) for dataset, (field, form) in _DATES.items()]


# -- time windows of judgments: by label, by the calendar, or by bursts ----------------------------------------------


BURST = "burst"

FIRST = -62135596800.0 + 2 * 86400
"""The first second of the year 1 in every time zone; names of windows do not start earlier."""

_CALENDAR = {"d": "D", "w": "W", "mo": "M", "y": "Y"}
"""Calendar units, and the pandas aliases of their periods."""

_DAYS = {"d": 1, "w": 7, "mo": 31, "y": 366}
"""The maximum length of each unit."""

_LONGEST, _SHORTEST = 9999 * 366 * 86400.0, 1e-6
"""The range of years of dates, and the precision of dates, in seconds."""

_WRITTEN = re.compile(r"([0-9]{0,9})\s*(d|w|mo|y)")
_FORM = (
    "a period of the calendar such as '1d', '1w', '1mo' (a month; '1m' is a minute) or '1y', a duration such as '6h' or 3600 "
    "seconds, either of at most 9999 years"
)


class WindowParam(Param):
    """The parameter ``window``: how time windows are defined; None for the labels in the column ``window``."""

    def __init__(self, desc: str) -> None:
        super().__init__(str, desc, default=None)

    def expects(self) -> str:
        """Return a description of the allowed values."""
        return f"{_FORM}, 'burst', or None for the column window"

    def check(self, value: Any, name: str, owner: str) -> Any:
        """Return the canonical form: ``'1mo'``, ``'3600s'`` as ``'1h'``, ``'burst'`` or None."""
        if value is None or value == BURST:
            return value
        period = _period(value)
        if period is not None:
            count, unit = period
            length, text = count * _DAYS[unit] * 86400.0, f"{count}{unit}"
        else:
            try:
                length, text = seconds(value), duration_text(value)
            except UsageError:
                length, text = 0.0, ""
            if text[-1:] in _CALENDAR:
                text = f"{int(length)}s" if length.is_integer() else f"{length!r}s"
        if not _SHORTEST <= length <= _LONGEST:
            raise UsageError(
                f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead."
            )
        return text


def _period(value: Any) -> tuple[int, str] | None:
    """Return the number and the unit of a calendar period, or None for any other text."""
    written = _WRITTEN.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if written is None else (int(written.group(1) or 1), written.group(2))


def cut(timestamps: Floats, window: str, tz: str) -> tuple[Ints, list[str]]:
    """Return the window of every date, numbered in the order of time, and the names of the windows.

    Parameters
    ----------
    timestamps : float array
        Seconds since 1970.
    window : str
        ``'1d'``, ``'1w'`` (weeks begin on Monday), ``'1mo'``, ``'1y'``, several of them such as ``'3mo'`` (counted from
        1970), or a duration such as ``'6h'``, counted from 1970 in UTC.
    tz : str
        The time zone in which days begin.

    Returns
    -------
    numbers : int array
    names : list of str
        The start of each window, by number, or the year 1 if that is later.

    Raises
    ------
    irmx.errors.UsageError
        For a window that is none of these.

    Examples
    --------
    >>> cut(np.array([0.0, 86400.0 * 40, 86400.0 * 45]), "1mo", "UTC")
    (array([0, 1, 1]), ['1970-01', '1970-02'])
    """
    if window is None or window == BURST:
        raise UsageError(f"Windows are cut by {_FORM}. Got {value_repr(window)} instead.")
    period = _period(WindowParam("").check(window, "window", "cut"))
    if period is None:
        step = seconds(window)
        places = np.floor(timestamps / step)
        distinct, numbers = np.unique(places, return_inverse=True)
        return numbers, [text.replace("T", " ") for text in shown(np.maximum(distinct * step, FIRST), tz, "s")]
    count, unit = period[0], _CALENDAR[period[1]]
    places, first = (_units(_local(times, tz).to_numpy(), unit) for times in (timestamps, np.array([FIRST])))
    distinct, numbers = np.unique(places // count, return_inverse=True)
    starts = np.maximum(distinct * count, first)
    days = starts * 7 + _FIRST_MONDAY if unit == "W" else starts
    return numbers, np.datetime_as_string(days.astype(f"datetime64[{'D' if unit == 'W' else unit}]")).tolist()


_FIRST_MONDAY = -10
"""The day since 1970 on which week 0 begins, so that that of 1970-01-01 is week 1."""


def _units(moments: Array, unit: str) -> Ints:
    """Return the number of the day, week, month or year of each moment since 1970."""
    if unit == "W":
        return np.asarray((moments.astype("datetime64[D]").astype(np.int64) - _FIRST_MONDAY) // 7)
    return np.asarray(moments.astype(f"datetime64[{unit}]").astype(np.int64))


def _local(timestamps: Floats, tz: str) -> pd.DatetimeIndex:
    """Return the local time in a time zone."""
    from zoneinfo import ZoneInfo

    import pandas as pd

    moments = pd.DatetimeIndex((timestamps * 1e6).round().astype("datetime64[us]"), tz="UTC")
    return moments.tz_convert(ZoneInfo(tz)).tz_localize(None)


def shown(timestamps: Floats, tz: str, unit: Literal["s", "D"]) -> list[str]:
    """Return the local time in a time zone as text, to the second or the day.

    >>> shown(np.array([0.0]), "Asia/Tokyo", "s"), shown(np.array([0.0]), "America/New_York", "D")
    (['1970-01-01T09:00:00'], ['1969-12-31'])
    """
    texts: list[str] = np.datetime_as_string(_local(timestamps, tz).to_numpy().astype(f"datetime64[{unit}]")).tolist()
    return texts


def zone(value: str) -> str:
    """Return the name of a time zone, checked.

    >>> zone("Europe/Berlin")
    'Europe/Berlin'
    """
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(value)
    except Exception:
        raise UsageError(
            f"The 'tz' parameter must be the name of a time zone, such as 'UTC' or 'Europe/Berlin'. Got {value_repr(value)} instead."
        ) from None
    return value


FACTOR = 2.0
"""s, the factor by which documents are more frequent in a burst."""

COST = 1.0
"""gamma; entering a burst costs gamma log(n), where n is the number of gaps."""


def bursts(times: Floats, factor: float = FACTOR, cost: float = COST) -> list[tuple[int, int, float]]:
    """Return the bursts in a sequence of dates, found by Kleinberg's two-state automaton.

    The gaps between dates are exponential, with the mean gap in the base state, and a ``factor`` times shorter mean in a burst.
    Entering a burst costs gamma log(n). The cheapest sequence of states is found by dynamic programming.

    Parameters
    ----------
    times : float array
        Dates, ascending.
    factor : float
        s, above 1.
    cost : float
        gamma, above 0.

    Returns
    -------
    list of (first, last, weight)
        The indices of the first and the last date of each burst, and how much the burst lowers the cost of its gaps.

    References
    ----------
    Kleinberg, J.: Bursty and Hierarchical Structure in Streams. KDD 2002, section 2.

    Examples
    --------
    >>> [(first, last, round(weight, 6)) for first, last, weight in bursts(np.array([0, 50, 51, 52, 53, 54, 55, 100]))]
    [(1, 6, 3.115736)]
    """
    gaps = np.diff(times)
    n = len(gaps)
    if n == 0 or gaps.sum() == 0:
        return []
    rate = n / gaps.sum()
    usual = -np.log(rate) + rate * gaps
    burst = -np.log(factor * rate) + factor * rate * gaps
    enter = cost * np.log(n)
    best = [0.0, enter]
    came = np.zeros((n, 2), dtype=np.int64)
    for i, (u, b) in enumerate(zip(usual.tolist(), burst.tolist(), strict=True)):
        if i:
            came[i, 0] = int(best[1] < best[0])
            came[i, 1] = int(best[1] <= best[0] + enter)
            best = [min(best), min(best[1], best[0] + enter)]
        best = [best[0] + u, best[1] + b]
    states = np.zeros(n, dtype=np.int64)
    states[-1] = int(best[1] < best[0])
    for i in range(n - 1, 0, -1):
        states[i - 1] = came[i, states[i]]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], states, [0]])))
    return [
        (int(a), int(b), float((usual[a:b] - burst[a:b]).sum())) for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


def burst_windows(time: Floats, topic: Ints, doc: Ints, relevant: Array, tz: str) -> tuple[Ints, list[str], Floats]:
    """Return the bursts of every topic: their number for every row, -1 outside of bursts; their names; their weights.

    A topic without bursts has one window that covers all of its relevant documents. Within a topic weights add up to 1.

    Parameters
    ----------
    time : float array, shape (rows,)
        The date of the document of every row of the qrels, NaN for none.
    topic, doc : int array, shape (rows,)
        Its topic, and its document, -1 for none.
    relevant : bool array, shape (rows,)
        Whether it counts for finding bursts.
    tz : str
        The time zone of the days in the names.
    """
    number = np.full(len(time), -1, dtype=np.int64)
    edges: list[tuple[float, float]] = []
    weights: list[float] = []
    dated = np.flatnonzero((doc >= 0) & ~np.isnan(time))
    ends = np.searchsorted(topic[dated], np.arange(int(topic.max(initial=-1)) + 2))
    for here in np.split(dated, ends[1:-1]):
        counted = here[relevant[here]]
        if not len(counted):
            continue
        dates = np.sort(time[counted[np.unique(doc[counted], return_index=True)[1]]])
        found = bursts(dates) or [(0, len(dates) - 1, 1.0)]
        total = sum(weight for *_, weight in found)
        for a, b, weight in found:
            number[here[(time[here] >= dates[a]) & (time[here] <= dates[b])]] = len(edges)
            weights.append(weight / total)
            edges.append((dates[a], dates[b]))
    days = shown(np.array(edges, dtype=np.float64).ravel(), tz, "D")
    names = [f"{first} to {last}" for first, last in zip(days[::2], days[1::2], strict=True)]
    return number, names, np.array(weights)


EVERYTHING = "everything"
"""The window of measures that ignore time: it contains all documents, dated or not."""


@dataclass(frozen=True)
class Windowing:
    """How documents are assigned to time windows.

    Attributes
    ----------
    window : str or None
        See :class:`irmx_temporal.windows.WindowParam`, or :data:`EVERYTHING`.
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
    rows = rankings.qrels_rows
    dates = np.append(seconds_of_texts(texts), np.nan)
    for row in np.flatnonzero(np.isnan(dates)[number] & (number >= 0))[:1].tolist():
        raise DataError(
            f"The timestamp {texts[number[row]]!r} of the qrels is not a date: query {rankings.topics[rows.topic[row]]}, "
            f"{row_of_topic(rows, row)}. Dates are numbers, in seconds since 1970, or strings such as 2014-03-01 or 2014-03-01T12:30:00Z."
        )
    return np.asarray(dates[number])


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
