"""Click logs: what users clicked on result pages, and when.

A click log is a table with one row per click and the columns

* ``session``: an id of one visit of a user to a result page,
* ``rank``: the rank clicked, from 1,
* ``time``: time of the click, in seconds from any origin; clicks of a session are in the order of time,
* ``dwell`` (optional): time that the user spent on the document, in seconds; by default the time to the session's next click,
* ``query_id`` (optional): the topic,
* ``query_sessions`` (optional): in how many sessions the query was issued, with clicks or without.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from irmx.data.files import content_in_blocks, content_of
from irmx.data.reading import read_table
from irmx.data.yandex_log import clicks_of_yandex_log, is_yandex_log
from irmx.declare.params import Param
from irmx.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

_WHAT = "click log"
_START, _BLOCK = 4096, 1 << 22
"""How many bytes are read to recognise a format, and at once of a large log."""

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
        If a column is missing, or a rank, a time or a line is not valid; names the line or the row.
    irmx.UsageError
        If the unit is not valid.

    Warns
    -----
    irmx.DataWarning
        If a log of Yandex has clicks on URLs that no query before them lists; they are left out.
    """
    if not 0 < unit < math.inf:
        raise UsageError(f"The 'unit' parameter must be a number in the range (0, inf). Got {unit!r} instead.")
    if isinstance(source, (str, os.PathLike)):
        log = _of_file(source)
    else:
        log = read_table(source, _COLUMNS, _WHAT, empty=True).frame()
    if unit != 1:
        log = log.assign(**{column: log[column] * unit for column in ("time", "dwell") if column in log})
    return log.sort_values(["session", "time"], kind="stable", ignore_index=True)


def _of_file(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Return the clicks of a table file, or of a log of Yandex, which is read in blocks."""
    is_file = os.path.isfile(path)
    content = content_of(path, _WHAT, _START if is_file else -1)
    if is_yandex_log(content):
        blocks = content_in_blocks(path, _WHAT, _BLOCK) if is_file else [content]
        return clicks_of_yandex_log("standard input" if os.fspath(path) == "-" else os.fspath(path), blocks)
    return read_table(path, _COLUMNS, _WHAT, empty=True, content=None if is_file else content).frame()
