"""Users of finitely many steps: the mean share of visits to each relevant document among n visits."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Rankings, UsageError
from irmx.ragged import Floats

STARTS = ("uniform", "first", "invariant")
"""Laws of the first visit: each relevant document retrieved with the same probability; the first of them in the ranking;
or drawn from the invariant distribution."""


def weights_of_steps(model: Any, rankings: Rankings, start: str, steps: int) -> Floats:
    """Return (1/n) sum_{k=0..n-1} lambda P~^k over the relevant documents retrieved.

    Parameters
    ----------
    model : Symbol
        A Markov model with the method ``watched_chain``.
    rankings : Rankings
        The rankings.
    start : {"uniform", "first", "invariant"}
        The start law lambda.
    steps : int
        n, the number of visits to relevant documents, the first included.

    Returns
    -------
    array of float, over the relevant documents retrieved
        Adds up to 1 within a topic, or to 0 if the user can reach no relevant document.

    Raises
    ------
    irmx.UsageError
        For a model that gives an invariant distribution only.
    """
    if not hasattr(model, "watched_chain"):
        raise UsageError(f"The model {model!r} gives no transition probabilities, so 'steps' cannot be used with it.")
    invariant = model.invariant(rankings) if start == "invariant" else None
    out = np.zeros(len(rankings.relevant.rank))
    ends = rankings.relevant.offsets.tolist()
    retrieved = np.flatnonzero(rankings.relevant.count)
    for topic in retrieved[
        np.argsort(rankings.depth[retrieved], kind="stable")
    ].tolist():  # models cache results by depth
        here = slice(ends[topic], ends[topic + 1])
        chain = model.watched_chain(int(rankings.depth[topic]), rankings.relevant.rank[here])
        r = len(chain)
        if r == 0:
            continue
        if invariant is not None:
            law = invariant[here][:r]
        else:
            law = np.eye(1, r)[0] if start == "first" else np.full(r, 1 / r)
        visits = expected_visits(law, chain, steps)
        out[here][:r] = visits / visits.sum()
    return out


def expected_visits(start: Floats, chain: Floats, steps: int) -> Floats:
    """Return sum_{k=0..n-1} lambda P^k: the mean number of visits to every state in n steps.

    Two steps of P are one step of its square, so P is squared until fewer steps are left than there are states: the cost is
    logarithmic in the number of steps.

    Parameters
    ----------
    start : array of float, shape (r,)
        lambda.
    chain : array of float, shape (r, r)
        P.
    steps : int
        n.

    Examples
    --------
    >>> expected_visits(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [0.5, 0.5]]), 3)
    array([1.5, 1.5])
    """
    total = np.zeros(len(start))
    while steps > len(start):
        if steps % 2:
            total += start
            start = start @ chain
        start, chain, steps = start + start @ chain, chain @ chain, steps // 2
        chain /= chain.sum(axis=1, keepdims=True)  # otherwise rounding errors would double with every square
    for _ in range(steps):
        total += start
        start = start @ chain
    return total
