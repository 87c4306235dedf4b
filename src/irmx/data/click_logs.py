"""Click logs: what users clicked on result pages, and when.

A click log is a table with one row per click and the columns

* ``session``: an id of one visit of a user to a result page,
* ``rank``: the rank clicked, from 1,
* ``time``: time of the click, in seconds from any origin; clicks of a session are in the order of time,
* ``dwell`` (optional): time that the user spent on the document, in seconds; by default the time to the session's next click,
* ``query_id`` (optional): the topic,
* ``query_sessions`` (optional): in how many sessions the query was issued, with clicks or without.

The log format of Yandex's Relevance Prediction Challenge, read as a table of clicks.

Every line is an action of a user, with fields separated by tabs:

* a query, and the results shown from top to bottom: ``SessionID TimePassed Q QueryID RegionID URLID URLID ...``,
* a click on a result: ``SessionID TimePassed C URLID``.

TimePassed is the time since the beginning of the session, in a unit that Yandex does not disclose. The lines of a session
stand together.

References
----------
Yandex: Relevance Prediction Challenge, 2011. http://imat-relpred.yandex.ru/en/datasets
"""

from __future__ import annotations

import math
import os
import warnings
from array import array
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irmx.data.files import content_in_blocks, content_of
from irmx.data.reading import read_table
from irmx.declare.params import Param
from irmx.errors import DataError, DataWarning, UsageError
from irmx.text import plural

if TYPE_CHECKING:
    import pandas as pd


# -- the log format of Yandex's Relevance Prediction Challenge, read as a table of clicks ----------------------------


_FIRST_URL = 5
"""The place of the first URL among the fields of a query."""
_FORMAT = (
    "A line is 'SessionID TimePassed Q QueryID RegionID URLID...' or 'SessionID TimePassed C URLID', separated by tabs."
)


class _Action(NamedTuple):
    """A line of the log: a query or a click."""

    line: int
    session: str
    time: float
    is_query: bool
    fields: list[str]


def is_yandex_log(start: bytes) -> bool:
    r"""Tell by the first line that is not blank whether a file is a log in this format.

    >>> is_yandex_log(b"7\t0\tQ\t12\t3\t50\t51"), is_yandex_log(b"session\trank\ttime")
    (True, False)
    """
    first = start.lstrip(b"\r\n").split(b"\n", 1)[0].rstrip().split(b"\t")
    return len(first) > 3 and first[2] in (b"Q", b"C")


def clicks_of_yandex_log(name: str, blocks: Iterable[bytes]) -> pd.DataFrame:
    r"""Return the clicks of a log; only these, and the ids of the queries, are kept in memory.

    Every query becomes a session of its own, so that no move goes from one result page to another. A click belongs to the last
    query before it, in its session, whose results include the URL; its rank is the first that this query gives to the URL.

    Parameters
    ----------
    name : str
        The name of the file in messages.
    blocks : iterable of bytes
        The content.

    Returns
    -------
    DataFrame
        The columns ``session`` (the line of the query), ``query_id``, ``rank``, ``time`` (of the log); ``dwell``, the time
        until the session's next action, a query or a click, missing for the last; and ``query_sessions``, in how many sessions
        of the log the query was issued, with clicks or without.

    Raises
    ------
    irmx.DataError
        If a line is malformed; names the file and the line.

    Warns
    -----
    irmx.DataWarning
        If clicks are left out, because no query before them lists the URL.

    Examples
    --------
    >>> log = b"7\t0\tQ\t12\t3\t50\t51\n7\t4\tC\t51\n7\t9\tC\t50\n7\t20\tQ\t13\t3\t60\t50\n7\t22\tC\t51\n7\t30\tC\t50\n"
    >>> clicks_of_yandex_log("log.txt", [log])
       session query_id  rank  time  dwell  query_sessions
    0        1       12     2   4.0    5.0               1
    1        1       12     1   9.0   11.0               1
    2        1       12     2  22.0    8.0               1
    3        4       13     2  30.0    NaN               1
    """
    import pandas as pd

    sessions, ranks, queries = array("q"), array("q"), array("q")
    times, dwells = array("d"), array("d")
    number_of: dict[str, int] = {}
    issued = array("q")
    unlisted = array("q")
    for actions in _sessions(_actions(name, blocks)):
        shown: dict[str, tuple[_Action, int]] = {}
        for query_id in dict.fromkeys(action.fields[3] for action in actions if action.is_query):
            if (number := number_of.setdefault(query_id, len(number_of))) == len(issued):
                issued.append(0)
            issued[number] += 1
        for action, after in zip_longest(actions, actions[1:]):
            if action.is_query:
                urls = action.fields[_FIRST_URL:]
                shown.update(
                    (urls[i], (action, i + 1)) for i in reversed(range(len(urls)))
                )  # the first rank of a URL stays
                continue
            if action.fields[3] not in shown:
                unlisted.append(action.line)
                continue
            query, rank = shown[action.fields[3]]
            sessions.append(query.line)
            queries.append(number_of[query.fields[3]])
            ranks.append(rank)
            times.append(action.time)
            dwells.append(after.time - action.time if after else math.nan)
    if unlisted:
        warnings.warn(
            f"{name}: {plural(len(unlisted), 'click')} left out, the first in line {unlisted[0]}: no query before it, in its "
            "session, lists the URL. The lines of a session must stand together.",
            DataWarning,
            stacklevel=2,
        )
    ids, of_query = np.array(list(number_of), dtype=object), np.array(queries, dtype=np.int64)
    return pd.DataFrame(
        {
            "session": np.array(sessions, dtype=np.int64),
            "query_id": ids[of_query],
            "rank": np.array(ranks, dtype=np.int64),
            "time": np.array(times),
            "dwell": np.array(dwells),
            "query_sessions": np.array(issued, dtype=np.int64)[of_query],
        }
    )


def _sessions(actions: Iterator[_Action]) -> Iterator[list[_Action]]:
    """Yield the actions of every session in the order of time, those at the same time in the order of their lines."""
    session: list[_Action] = []
    for action in actions:
        if session and action.session != session[0].session:
            yield sorted(session, key=attrgetter("time"))
            session = []
        session.append(action)
    if session:
        yield sorted(session, key=attrgetter("time"))


def _actions(name: str, blocks: Iterable[bytes]) -> Iterator[_Action]:
    """Yield the action of every line that is not blank."""
    for number, line in enumerate(_lines(blocks), start=1):
        try:
            fields = line.decode().split("\t")
            action, time = fields[2], float(fields[1])
            sound = len(fields) > 5 if action == "Q" else action == "C" and len(fields) == 4
        except (ValueError, IndexError):
            sound = False
        if sound and "" not in fields and 0 <= time < math.inf:
            yield _Action(number, fields[0], time, action == "Q", fields)
        elif line.strip():
            raise DataError(f"{name}, line {number}: {_fault(line)} {_FORMAT}")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a content that comes in blocks, without their ends."""
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r")
    yield rest.rstrip(b"\r")


def _fault(line: bytes) -> str:
    """Return a sentence that says what is wrong with a malformed line."""
    try:
        fields = line.decode().split("\t")
    except UnicodeDecodeError as error:
        return f"The byte {line[error.start]:#04x} at column {error.start + 1} is not UTF-8."
    if len(fields) < 3:
        return f"A line has at least 4 fields. Got {plural(len(fields), 'field')}."
    _, time, action, *rest = fields
    if action not in ("Q", "C"):
        return f"The action must be Q or C. Got {action!r}."
    if action == "Q" and len(rest) < 3:
        return f"A query has at least 6 fields. Got {plural(len(fields), 'field')}."
    if action == "C" and len(rest) != 1:
        return f"A click has 4 fields. Got {plural(len(fields), 'field')}."
    if "" in fields:
        return f"Field {fields.index('') + 1} is empty."
    return f"The time passed must be a number in the range [0, inf). Got {time!r}."


# -- click logs: what users clicked on result pages, and when --------------------------------------------------------


_WHAT = "click log"
_START, _BLOCK = 4096, 1 << 22
"""How many bytes are read to recognise a format, and at once of a large log."""

LATEST = 1e11
"""The latest plausible time, in seconds since 1970; read as milliseconds it is in 1973."""

_COLUMNS: dict[str, Param | type] = {
    "session": Param(str, "a user's visit to one result page", required=True),
    "rank": Param(int, "the rank clicked", low=1, required=True),
    "time": Param(float, "time of the click", unit="s", required=True),
    "dwell": Param(float, "time that the user spent on the document", unit="s", low=0, nullable=True),
    "query_sessions": Param(int, "in how many sessions the query was issued", low=1, nullable=True),
}


def read_click_log(source: pd.DataFrame | str | os.PathLike[str], unit: float = 1.0) -> pd.DataFrame:
    """Return a click log, checked and in the order of time within each session.

    Parameters
    ----------
    source : DataFrame, str or Path
        A table that :func:`irmx.read_table` reads; or a file in the format of Yandex's Relevance Prediction Challenge, which is
        recognised by its first line.
    unit : float
        The unit of the log's times, in seconds, above 0; ``time`` and ``dwell`` are multiplied by it.

    Returns
    -------
    DataFrame
        One row per click. In a log of Yandex, every query is a session, whose id is the line of the query, and ``dwell`` is the
        time until the user's next query or click.

    Raises
    ------
    irmx.DataError
        If a column is missing, or a rank, a time or a line is not valid; names the line or the row. If times are not in seconds.
    irmx.UsageError
        If the unit is not valid.

    Warns
    -----
    irmx.DataWarning
        If a log of Yandex has clicks on URLs that no query before them lists; they are left out. If clicks of a session are equal in
        rank and time; the last counts.
    """
    if not 0 < unit < math.inf:
        raise UsageError(f"The 'unit' parameter must be a number in the range (0, inf). Got {unit!r} instead.")
    if isinstance(source, (str, os.PathLike)):
        log = _of_file(source)
    else:
        log = read_table(source, _COLUMNS, _WHAT, empty=True).frame()
    if unit != 1:
        log = log.assign(**{column: log[column] * unit for column in ("time", "dwell") if column in log})
    if (latest := log["time"].max()) > LATEST:
        raise DataError(
            f"The click log has the time {latest:.0f}, which is not in seconds: it would be after the year 5100. Divide the times by 1000 if "
            "they are in milliseconds."
        )
    same = [column for column in ("session", "query_id", "rank", "time") if column in log]
    again = log.duplicated(same, keep="last")
    if again.any():
        warnings.warn(
            f"The click log has {plural(int(again.sum()), 'click')} again, with the same {', '.join(same)}, the first on rank "
            f"{log['rank'][again].iloc[0]} of session {log['session'][again].iloc[0]}; each counts once.",
            DataWarning,
            stacklevel=2,
        )
    return log[~again].sort_values(["session", "time"], kind="stable", ignore_index=True)


def _of_file(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Return the clicks of a table file, or of a log of Yandex, which is read in blocks."""
    is_file = os.path.isfile(path)
    content = content_of(path, _WHAT, _START if is_file else -1)
    if is_yandex_log(content):
        blocks = content_in_blocks(path, _WHAT, _BLOCK) if is_file else [content]
        return clicks_of_yandex_log("standard input" if os.fspath(path) == "-" else os.fspath(path), blocks)
    return read_table(path, _COLUMNS, _WHAT, empty=True, content=None if is_file else content).frame()
