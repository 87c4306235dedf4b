"""Transitions between ranks, holding times, and chains, learned from a click log as :func:`irmx.toolkit.read_click_log` reads it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

import irmx
from irmx import DataError, UsageError
from irmx.ragged import Ints
from irmx.toolkit import read_click_log as read_click_log
from irmx_markov.finite_chains import LARGEST
from irmx_markov.own_matrix import ByRelevance, TransitionMatrix

if TYPE_CHECKING:
    import pandas as pd


def _steps(log: pd.DataFrame, clicks: Any = True) -> tuple[Ints, Ints]:
    """Return the ranks before and after every move from one click of a session to its next; or of those that begin at some clicks."""
    session, rank = log["session"].to_numpy(), log["rank"].to_numpy()
    within = (session[1:] == session[:-1]) & np.broadcast_to(clicks, len(log))[:-1]
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
    return _counts(read_click_log(log), size)


def _counts(table: pd.DataFrame, size: int | None, clicks: Any = True) -> Ints:
    """Return the counts of a log that was read, of the moves that begin at some clicks."""
    if size is None:
        size = int(table["rank"].max()) if len(table) else 0
    if size < 1:
        raise DataError("The click log has no clicks.")
    if size > LARGEST:
        raise UsageError(
            f"A chain over {size:,} ranks is too large; {LARGEST:,} ranks are the most. Use a smaller 'size' than the largest rank of "
            "the click log, which leaves out moves from and to the ranks beyond it."
        )
    start, end = _steps(table, clicks)
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
    qrels: Any = None,
    rel: float = 1,
) -> TransitionMatrix | ByRelevance:
    """Return the Markov model with the transition probabilities estimated from a click log.

    p_ij = (n_ij + s) / sum_k (n_ik + s), where n are the counts of moves and s is the smoothing. With judgments there are two
    matrices: one from the moves that begin at a relevant document, one from the others.

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
    qrels : any, optional
        Judgments, as :func:`irmx.read_qrels` takes them. The log must have the columns ``query_id`` and ``doc_id``; documents that are
        not judged are not relevant.
    rel : float
        The smallest grade of a relevant document.

    Returns
    -------
    TransitionMatrix or ByRelevance
        The latter with judgments, with a matrix for relevant documents and one for the others.

    Raises
    ------
    irmx.UsageError
        If, without smoothing, the chain would not be stochastic and irreducible.
    irmx.DataError
        If the log lacks a column, or none of its documents is judged.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"session": 1, "rank": [1, 2, 1], "time": [0.0, 9.0, 12.0], "query_id": "q", "doc_id": ["a", "b", "a"]})
    >>> model = learn_chain(log, self_loops=True, qrels={"q": {"a": 1, "b": 0}})
    >>> model["relevant"].values[0].round(3), model["other"].values[1].round(3)
    (array([0.333, 0.667]), array([0.667, 0.333]))
    """
    if not (np.isfinite(smoothing) and smoothing >= 0):
        raise UsageError(
            f"The 'smoothing' parameter must be a number in the range [0, inf). Got {smoothing!r} instead."
        )
    table = read_click_log(log)
    if qrels is None:
        return _chain(_counts(table, size), smoothing, self_loops)
    relevant = _at_relevant(table, qrels, rel)
    one, other = (_chain(_counts(table, size, clicks), smoothing, self_loops) for clicks in (relevant, ~relevant))
    return ByRelevance(relevant=one, other=other)


def _at_relevant(table: pd.DataFrame, qrels: Any, rel: float) -> Any:
    """Return which clicks are on relevant documents."""
    if lacking := [column for column in ("query_id", "doc_id") if column not in table.columns]:
        raise DataError(
            f"The click log lacks the column {lacking[0]!r}, by which clicks are looked up in the qrels. It has: "
            f"{', '.join(map(str, table.columns))}."
        )
    grades = irmx.read_qrels(qrels).as_dict()
    found = [grades.get(str(q), {}).get(str(d)) for q, d in zip(table["query_id"], table["doc_id"], strict=True)]
    if table.shape[0] and all(grade is None for grade in found):
        first = table.iloc[0]
        raise DataError(
            f"None of the {len(table):,} clicked documents is in the qrels; the first is {first['doc_id']!r} of query "
            f"{first['query_id']!r}. The log and the qrels must have the same ids."
        )
    return np.array([grade is not None and grade >= rel for grade in found], dtype=bool)


def _chain(counts: Ints, smoothing: float, self_loops: bool) -> TransitionMatrix:
    """Return the model with the shares of the counts, smoothed."""
    weights = counts + float(smoothing)
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
    min_clicked_pages: int = 1,
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
        Use only queries issued in at least this many sessions, with clicks or without (the paper: 100); values above 1 need the
        column ``query_sessions``, which a log of Yandex has.
    min_observations : int
        Groups with fewer observed times are left out; at least 2, because mu is 0 for a single time.
    min_clicked_pages : int
        Use only queries with clicks on at least this many result pages; values above 1 need the column ``query_id``.

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
    needed = {"query_sessions": min_sessions, "query_id": min_clicked_pages}
    for column in [*keys, *(column for column, least in needed.items() if least > 1)]:
        if column not in table.columns:
            instead = " Rows are clicks, so that sessions without are not in it; 'min_clicked_pages' counts those with."
            raise DataError(
                f"The click log lacks the column {column!r}. It has: {', '.join(map(str, table.columns))}."
                f"{instead if column == 'query_sessions' else ''}"
            )
    if "dwell" not in table.columns:
        table = table.assign(dwell=table.groupby("session", sort=False)["time"].shift(-1) - table["time"])
    if min_sessions > 1:
        table = table[table["query_sessions"] >= min_sessions]
    if min_clicked_pages > 1:
        table = table[table.groupby("query_id")["session"].transform("nunique") >= min_clicked_pages]
    observed = table[table["dwell"].notna()].groupby(keys)["dwell"].agg(n="count", mean_time="mean").reset_index()
    observed = observed[(observed["n"] >= min_observations) & (observed["mean_time"] > 0)].reset_index(drop=True)
    if observed.empty:
        raise DataError(
            f"No group in the click log has {min_observations} observed times above 0 s"
            + (" among queries seen so often." if max(min_sessions, min_clicked_pages) > 1 else ".")
        )
    mu = (observed["n"] - 1) / observed["n"] / observed["mean_time"]
    return observed.assign(mu=mu, holding_time=1 / mu)
