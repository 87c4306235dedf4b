"""Bursts: the periods in which the relevant documents of a topic come much more often than usual."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Array, Floats, Ints
from irmx_temporal.windows.calendar_windows import shown

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
