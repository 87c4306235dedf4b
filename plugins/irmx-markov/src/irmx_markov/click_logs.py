"""Click logs: transitions between ranks, holding times, and chains learned from them.

A click log is a table with one row per click and the columns

** ``session``: an id of one visit of a user to a result page,
* ``rank``: the rank clicked, from 1,
** ``time``: time of the click, in seconds from any origin; clicks of a session are in the order of time,
* ``dwell`` (optional): time that the user spent on the document, in seconds; by default the time to the session's next click,
* ``query_id`` (optional): the topic.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from irmx import DataError, Param, UsageError, read_table
from irmx.ragged import Ints
from irmx.toolkit import content_in_blocks, content_of
from irmx_markov.finite_chains import LARGEST
from irmx_markov.own_matrix import TransitionMatrix
from irmx_markov.yandex_log import clicks_of_yandex_log, is_yandex_log

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


def _steps(log: pd.DataFrame) -> tuple[Ints, Ints]:
    """Return the ranks before and after every move from one click of a session to its next."""
    session, rank = log["session"].to_numpy(), log["rank"].to_numpy()
    within = session[1:] == session[:-1]
    return rank[:-1][within], rank[1:][within]


def transition_counts(log: pd.DataFrame | str | os.PathLike[str], size: int | None = None) -> Ints:
    """Count how often users moved from one rank to another.

    Parameters
    ----------
    log : DataFrame, str or Path
        Any source for :func:`read_click_log`.
    size : int, optional
        N, the number of ranks, at most 5,000; by default the largest rank in the log. Moves from or to ranks beyond N are
        left out.

    Returns
    -------
    array of int, shape (N, N)
        Entry (i, j): moves from rank i + 1 to rank j + 1 between successive clicks of a session.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"session": ["a", "a", "a", "b"], "rank": [1, 3, 2, 1], "time": [0.0, 9.0, 12.0, 0.0]})
    >>> transition_counts(log)
    array([[0, 0, 1],
           [0, 0, 0],
           [0, 1, 0]])
    """
    table = read_click_log(log)
    if size is None:
        size = int(table["rank"].max()) if len(table) else 0
    if size < 1:
        raise DataError("The click log has no clicks.")
    if size > LARGEST:
        raise UsageError(
            f"A chain over {size:,} ranks is too large; {LARGEST:,} ranks are the most. Use a smaller 'size' than the largest rank of "
            "the click log, which leaves out moves from and to the ranks beyond it."
        )
    start, end = _steps(table)
    inside = (start <= size) & (end <= size)
    counts = np.zeros((size, size), dtype=np.int64)
    np.add.at(counts, (start[inside] - 1, end[inside] - 1), 1)
    return counts


def backward_share(log: pd.DataFrame | str | os.PathLike[str]) -> float:
    """Return the share of moves that go to a smaller rank; the paper observes 21%.

    >>> import pandas as pd
    >>> backward_share(pd.DataFrame({"session": ["a", "a", "a"], "rank": [1, 3, 2], "time": [0.0, 9.0, 12.0]}))
    0.5
    """
    start, end = _steps(read_click_log(log))
    if len(start) == 0:
        raise DataError("No session of the click log has two clicks, so it has no moves.")
    return float(np.mean(end < start))


def learn_chain(
    log: pd.DataFrame | str | os.PathLike[str],
    size: int | None = None,
    smoothing: float = 1.0,
    self_loops: bool = False,
) -> TransitionMatrix:
    """Return the Markov model with the transition probabilities estimated from a click log.

    p_ij = (n_ij + s) / sum_k (n_ik + s), where n are the counts of moves and s is the smoothing.

    Parameters
    ----------
    log : DataFrame, str or Path
        What :func:`read_click_log` takes.
    size : int, optional
        N, the number of ranks; by default the largest rank in the log.
    smoothing : float
        s, added to every count; at least 0. The paper does not learn a chain; 1 (Laplace) is a choice of irmx.
    self_loops : bool
        Whether successive clicks on one rank count as a transition to the same rank.

    Raises
    ------
    irmx.UsageError
        If, without smoothing, the chain would not be stochastic and irreducible.
    """
    if not (np.isfinite(smoothing) and smoothing >= 0):
        raise UsageError(
            f"The 'smoothing' parameter must be a number in the range [0, inf). Got {smoothing!r} instead."
        )
    weights = transition_counts(log, size) + float(smoothing)
    if not self_loops and len(weights) > 1:
        np.fill_diagonal(weights, 0.0)
    sums = weights.sum(axis=1)
    if not sums.all():
        rank = int(np.flatnonzero(sums == 0)[0]) + 1
        raise UsageError(
            f"No user moves on from rank {rank} in the click log. Use a smoothing above 0, or a smaller size."
        )
    return TransitionMatrix(weights / sums[:, None])


def holding_times(
    log: pd.DataFrame | str | os.PathLike[str],
    by: str | list[str] = "rank",
    min_sessions: int = 1,
    min_observations: int = 2,
) -> pd.DataFrame:
    """Return mean holding times calibrated from a click log.

    mu_i = ((n - 1) / n) / (mean observed time at i), with n observations; the holding time is 1 / mu_i. The time at
    the last click of a session is not observed, unless the log has the column ``dwell``.

    Parameters
    ----------
    log : DataFrame, str or Path
        What :func:`read_click_log` takes.
    by : str or list of str
        The columns to group clicks by: ``"rank"``, ``["query_id", "rank"]``, or ids to join with a run.
    min_sessions : int
        Use only queries seen in at least this many sessions (the paper: 100); values above 1 need the column ``query_id``.
    min_observations : int
        Groups with fewer observed times are left out; at least 2, because mu is 0 for a single time.

    Returns
    -------
    DataFrame
        The columns ``by``, ``n``, ``mean_time`` (s), ``mu`` (1/s) and ``holding_time`` (s).

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"session": [1, 2, 3, 4], "rank": 1, "time": 0.0, "dwell": [8.0, 12.0, 9.0, 11.0]})
    >>> holding_times(log)
       rank  n  mean_time     mu  holding_time
    0     1  4       10.0  0.075     13.333333
    """
    if min_observations < 2:
        raise UsageError(
            f"The 'min_observations' parameter must be an int in the range [2, inf). Got {min_observations!r} instead."
        )
    table = read_click_log(log)
    keys = [by] if isinstance(by, str) else list(by)
    for column in [*keys, *(["query_id"] if min_sessions > 1 else [])]:
        if column not in table.columns:
            raise DataError(f"The click log lacks the column {column!r}. It has: {', '.join(map(str, table.columns))}.")
    if "dwell" not in table.columns:
        table = table.assign(dwell=table.groupby("session", sort=False)["time"].shift(-1) - table["time"])
    if min_sessions > 1:
        table = table[table.groupby("query_id")["session"].transform("nunique") >= min_sessions]
    observed = table[table["dwell"].notna()].groupby(keys)["dwell"].agg(n="count", mean_time="mean").reset_index()
    observed = observed[(observed["n"] >= min_observations) & (observed["mean_time"] > 0)].reset_index(drop=True)
    if observed.empty:
        raise DataError(
            f"No group in the click log has {min_observations} observed times above 0 s"
            + (f" among queries of {min_sessions} sessions or more." if min_sessions > 1 else ".")
        )
    mu = (observed["n"] - 1) / observed["n"] / observed["mean_time"]
    return observed.assign(mu=mu, holding_time=1 / mu)
