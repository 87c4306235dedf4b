"""Finite Markov chains by linear algebra: the general algorithm, for any transition matrix."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from irmx import Rankings, UsageError
from irmx.ragged import Floats, Ints
from irmx.toolkit import plural

# -- finite Markov chains by linear algebra: the general algorithm, for any transition matrix ------------------------


OPERATIONS = 20_000_000_000
"""Maximum number of operations for the elimination of states in a band."""

DENSE = 3_000
"""Maximum number of states of a chain that is solved as a dense matrix."""

LARGEST = 5_000
"""Maximum number of states of a dense matrix; that many take up to a minute."""

_BLOCK = 64
_KEPT = 1_000_000
"""How many numbers of chains are kept for the same model with another number of steps: 8 MB."""
_TERMS = 40
"""How many terms of the exponential series are summed for a time in which at most one move is expected."""

_TOLERANCE = 1e-8


def check_shape(matrix: Any, name: str) -> None:
    """Raise :class:`irmx.UsageError` unless a matrix, dense or sparse, is square, and a chain of its size can be solved."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise UsageError(f"{name} must be a square matrix. Got the shape {tuple(matrix.shape)}.")
    n = matrix.shape[0]
    if hasattr(matrix, "tocsr"):
        if matrix.nnz < n:  # memory for every row would be taken, however many there are
            raise UsageError(
                f"{name} has {n:,} ranks, but only {plural(matrix.nnz, 'transition')}: from some rank there is no transition."
            )
    elif n > LARGEST:
        raise UsageError(
            f"{name} has {n:,} ranks; {LARGEST:,} are the most of a dense matrix. Use fewer ranks, or a sparse matrix (.npz)."
        )


def check_stochastic(matrix: Any, name: str) -> None:
    """Raise :class:`irmx.UsageError` unless a matrix is square, non-negative, and its rows add up to 1."""
    check_shape(matrix, name)
    values = matrix.data if hasattr(matrix, "tocsr") else matrix
    if not np.all(np.isfinite(values)):
        raise UsageError(f"{name} must hold finite numbers. Found NaN or infinity.")
    if values.size and values.min() < 0:
        raise UsageError(f"{name} must hold probabilities. Found the negative value {values.min():g}.")
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    wrong = np.flatnonzero(np.abs(sums - 1) > _TOLERANCE)
    if len(wrong):
        i = int(wrong[0])
        raise UsageError(
            f"{name} is not stochastic: row {i + 1}, the transitions from rank {i + 1}, adds up to {sums[i]:.9g}, not 1 "
            f"({len(wrong)} such rows). Divide every row by its sum."
        )


def check_irreducible(matrix: Any, name: str) -> None:
    """Raise :class:`irmx.UsageError` unless every state can be reached from every other."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(csr_array(matrix), directed=True, connection="strong")
    if count > 1:
        other = int(np.flatnonzero(label != label[0])[0]) + 1
        raise UsageError(
            f"{name} is not irreducible: a user cannot move from rank 1 to rank {other} and back, so there is no single "
            "invariant distribution. Give every rank a way to every other, for instance by smoothing the counts."
        )


def stationary(matrix: Any) -> Floats:
    """Return the invariant distribution pi of an irreducible chain: pi P = pi, sum(pi) = 1.

    Parameters
    ----------
    matrix : array or scipy.sparse array, shape (n, n)
        Row-stochastic and irreducible; it may be periodic.

    Returns
    -------
    array of float, shape (n,)
        Non-negative, adding up to 1. Probabilities below the smallest floating-point number are 0.

    Examples
    --------
    >>> stationary(np.array([[0.0, 1.0], [0.5, 0.5]])).round(6)
    array([0.333333, 0.666667])
    """
    return normalised_exp(log_invariant(matrix))


def log_invariant(matrix: Any) -> Floats:
    """Return the logarithm of the invariant distribution of an irreducible chain, up to a constant.

    Dense matrices, sparse ones up to a few thousand states, and those whose transitions span a few states only are solved by
    :func:`log_stationary` and :func:`log_stationary_banded`; other sparse ones by a sparse LU decomposition.
    """
    if not hasattr(matrix, "tocsr"):
        return log_stationary(np.asarray(matrix, dtype=float))
    n, entries = matrix.shape[0], matrix.tocoo()
    hop = int(np.abs(entries.row - entries.col).max(initial=0))
    if n * hop**2 <= OPERATIONS:
        rows = matrix.tocsr()
        return log_stationary_banded(lambda i, j: rows[i:j, i:j].toarray().astype(float), n, hop)
    if n <= DENSE:
        return log_stationary(matrix.toarray())
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(_stationary_sparse(matrix)))


def refined(pi: Floats, step: Callable[[Floats], Floats], rounds: int = 60) -> Floats:
    """Return a distribution after some lazy steps of its chain, which refine small values that a solver left inaccurate.

    A step only adds products of non-negative numbers, so small probabilities come out with a small relative error.
    """
    for _ in range(rounds):
        pi = (pi + step(pi)) / 2
        pi = pi / pi.sum()
    return pi


def normalised_exp(log_pi: Floats) -> Floats:
    """Return exp(log_pi), scaled to add up to 1."""
    pi = np.exp(log_pi - log_pi.max())
    return np.asarray(pi / pi.sum())


def log_stationary(matrix: Floats) -> Floats:
    """Return the logarithm of an invariant distribution, up to a constant, by the elimination of states (GTH).

    Grassmann, Taksar and Heyman eliminate one state at a time without any subtraction, so every probability has a small
    relative error, however small it is.
    """
    p = np.array(matrix, dtype=float)
    for end in range(len(p), 1, -_BLOCK):
        _eliminate(p, max(1, end - _BLOCK), end)
    return _from_ways(len(p), lambda k: p[:k, k])


def log_stationary_banded(block: Callable[[int, int], Floats], n: int, hop: int) -> Floats:
    """Return the same for a chain whose transitions span at most ``hop`` states, in n hop^2 operations.

    Parameters
    ----------
    block : callable
        Returns, for states i < j, a new array of the transition probabilities among the states i, ..., j - 1.
    n, hop : int
        The number of states and the longest transition.
    """
    ways: list[Floats] = [np.zeros(0)] * n
    end, size = n, max(_BLOCK, hop // 4)
    reached = np.zeros((0, 0))
    while end > 1:
        # the states before ``start`` cannot be reached from those removed now; ``start``..``end`` - 1 fit into a window
        start = max(1, end - size)
        first = max(0, start - hop)
        window = block(first, end)
        there = len(window) - len(reached)
        window[there:, there:] = reached
        _eliminate(window, start - first, end - first)
        for k in range(start, end):
            ways[k] = window[max(0, k - hop) - first : k - first, k - first].copy()
        reached, end = window[: start - first, : start - first], start
    return _from_ways(n, ways.__getitem__)


def _eliminate(p: Floats, start: int, end: int) -> None:
    """Eliminate the last states ``start``..``end`` - 1 of a chain in place; the other states then form the watched chain.

    Column k keeps, for every state i before k, the mean number of visits to k per step from i until the chain is at a
    state before k again. The other states are updated by a single matrix product at the end, for speed.
    """
    for k in range(end - 1, start - 1, -1):
        gone = slice(k + 1, end)
        p[:k, k] += p[:k, gone] @ p[gone, k]
        p[k, :k] += p[k, gone] @ p[gone, :k]
        p[:k, k] /= p[k, :k].sum()
    p[:start, :start] += p[:start, start:end] @ p[start:end, :start]


def _from_ways(n: int, ways: Callable[[int], Floats]) -> Floats:
    """Return log pi from the columns that elimination leaves.

    pi_k is the sum of pi_i over the states i before k, each times the mean number of visits to k, which is the entry of
    column k; its last entry belongs to the state k - 1.
    """
    log_pi = np.zeros(n)
    with np.errstate(divide="ignore"):
        for k in range(1, n):
            column = np.log(ways(k))
            column += log_pi[k - len(column) : k]
            largest = column.max()
            log_pi[k] = largest + np.log(np.exp(column - largest).sum())
    return log_pi


def _stationary_sparse(matrix: Any) -> Floats:
    """Solve for all states but one, whose weight is set to 1: the last or, if that overflows, the first."""
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    n = matrix.shape[0]
    system = csc_array((eye_array(n) - matrix.tocsr()).T)
    transposed = csc_array(matrix.T)
    for one, others in ((n - 1, slice(0, n - 1)), (0, slice(1, n))):
        pi = np.ones(n)
        with np.errstate(over="ignore", invalid="ignore"):
            pi[others] = splu(csc_array(system[others, others])).solve(-system[others, [one]].toarray().ravel())
            total = np.maximum(pi, 0.0).sum()
        if np.isfinite(total):
            return refined(np.maximum(pi, 0.0) / total, lambda x: transposed @ x)
    raise UsageError(
        f"The chain over {n} ranks has probabilities too far apart for floating-point numbers. Use a dense matrix, "
        "or fewer ranks."
    )


def dense_enough(n: int, model: object) -> None:
    """Raise :class:`irmx.UsageError` if a chain has too many states to be followed step by step."""
    if n > DENSE:
        raise UsageError(
            f"The chain of the model {model!r} over {n} states is too long for finitely many steps, which are computed from "
            f"its transition matrix. Use a cutoff of {DENSE} or less, or leave out 'steps'."
        )


def watched(matrix: Any, states: Any) -> Floats:
    """Return the transition matrix of a chain watched only while it is in some states.

    P~ = P_RR + P_RN (I - P_NN)^-1 P_NR: the probability that the next watched state, by any path, is j. It is
    computed by eliminating the other states, without a subtraction.

    Parameters
    ----------
    matrix : array or scipy.sparse array, shape (n, n)
        Row-stochastic and irreducible.
    states : array of int
        The watched states, from 0.

    Raises
    ------
    irmx.UsageError
        If a state that is not watched leads to the watched ones with a probability below any floating-point number.

    Examples
    --------
    >>> from irmx_markov import GL_AD_ID
    >>> from irmx_markov.markov_models import transition_matrix
    >>> p = transition_matrix(GL_AD_ID, 6, np.array([1, 3, 4]))
    >>> watched(p, [0, 2, 3]).round(6)
    array([[0.175824, 0.440372, 0.383804],
           [0.333151, 0.197053, 0.469796],
           [0.290356, 0.469796, 0.239848]])
    """
    dense = matrix.toarray() if hasattr(matrix, "tocsr") else np.asarray(matrix, dtype=float)
    keep = np.unique(np.asarray(states))
    order = np.concatenate([keep, np.setdiff1d(np.arange(len(dense)), keep)])
    p = dense[np.ix_(order, order)].astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        for end in range(len(p), len(keep), -_BLOCK):
            _eliminate(p, max(len(keep), end - _BLOCK), end)
    chain = p[: len(keep), : len(keep)]
    if not np.isfinite(chain).all():
        raise UsageError(
            f"The chain over {len(p)} states reaches the {len(keep)} watched ones with probabilities too small for "
            "floating-point numbers. Use a cutoff."
        )
    return np.array(chain)


# -- users of finitely many steps ------------------------------------------------------------------------------------


STARTS = ("uniform", "first", "invariant", "top")
"""Laws of the start by name: each relevant document retrieved with the same probability; the first of them in the ranking; drawn
from the invariant distribution; rank 1, relevant or not."""


def weights_of_steps(model: Any, rankings: Rankings, start: Any, steps: int) -> Floats:
    """Return (1/n) sum_{k=0..n-1} lambda P~^k over the relevant documents retrieved.

    Parameters
    ----------
    model : Symbol
        A Markov model with the method ``watched_chain``.
    rankings : Rankings
        The rankings.
    start : {"uniform", "first", "invariant", "top"} or list of float
        The law lambda of the first visit by name, or weights of the ranks where the user starts.
    steps : int
        n, the number of visits to relevant documents, the first included.

    Returns
    -------
    array of float, over the relevant documents retrieved
        Adds up to 1 within a topic, or to 0 if the user can reach no relevant document.

    Raises
    ------
    irmx.UsageError
        For a model that gives an invariant distribution only, or for a start on ranks with a model that has no states there.
    """
    out = np.zeros(len(rankings.relevant.rank))
    chains: Iterable[tuple[slice, Floats, Floats]] = chains_and_starts(model, rankings, start)
    if (rankings.relevant.count**2).sum() <= _KEPT:
        chains = rankings.memo(("chains", model, str(start)), lambda: list(chains_and_starts(model, rankings, start)))
    for here, chain, law in chains:
        visits = expected_visits(law, chain, steps)
        out[here] = visits / visits.sum()
    return out


def chains_and_starts(model: Any, rankings: Rankings, start: Any) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield where the relevant documents of a topic are that a user can reach, the chain watched on them, and the law of the first."""
    if not hasattr(model, "watched_chain"):
        raise UsageError(
            f"The model {model!r} gives no transition probabilities, so users of finite steps or time cannot be used with it."
        )
    invariant = model.invariant(rankings) if start == "invariant" else None
    ends = rankings.relevant.offsets.tolist()
    retrieved = np.flatnonzero(rankings.relevant.count)
    for topic in retrieved[
        np.argsort(rankings.depth[retrieved], kind="stable")
    ].tolist():  # models cache results by depth
        depth, relevant = int(rankings.depth[topic]), rankings.relevant.rank[ends[topic] : ends[topic + 1]]
        chain = model.watched_chain(depth, relevant)
        r = len(chain)
        if r == 0:
            continue
        here = slice(ends[topic], ends[topic] + r)
        if invariant is not None:
            law = invariant[here]
        elif start in ("uniform", "first"):
            law = np.eye(1, r)[0] if start == "first" else np.full(r, 1 / r)
        else:
            law = law_of_first_visit(model, depth, relevant[:r], [1.0] if start == "top" else start)
        yield here, chain, law


def law_of_first_visit(model: Any, depth: int, relevant: Ints, start: Sequence[float]) -> Floats:
    """Return the law of the first relevant document that is visited by a user who starts on ranks.

    From a rank that is not relevant, the user moves until a relevant document is reached: with the start as one more state,
    that is its row in the chain watched on it and on the relevant documents.

    Parameters
    ----------
    model : Symbol
        A Markov model over ranks, whose method ``watched_chain`` takes ``states``.
    depth : int
        T.
    relevant : array of int
        The ranks of the relevant documents that the user can reach, ascending.
    start : sequence of float
        Weights of the ranks 1, 2, ... where the user starts; those beyond the last rank count for the last.
    """
    if "states" not in inspect.signature(model.watched_chain).parameters:
        raise UsageError(f"The model {model!r} has no start on ranks. Use start='uniform', 'first' or 'invariant'.")
    last = min(depth, getattr(model, "ranks", None) or depth)
    weights = np.zeros(max(last, len(start)))
    weights[: len(start)] = start
    weights[last - 1] += weights[last:].sum()
    states = np.union1d(relevant, np.flatnonzero(weights[:last]) + 1)
    chain = np.zeros((len(states) + 1, len(states) + 1))
    chain[0, 1:] = weights[states - 1] / weights[:last].sum()
    chain[1:, 1:] = model.watched_chain(depth, relevant, states)
    return np.asarray(watched(chain, [0, *np.searchsorted(states, relevant) + 1])[0, 1:])


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


def expected_times(start: Floats, chain: Floats, times: Floats, budget: float) -> Floats:
    """Return the mean time at every state within a budget of time, which may cut off the last visit.

    The chain in continuous time has the rates Q = diag(mu) (P - I), and the times are lambda times the integral of exp(Q s). The
    budget is cut into 2^m equal parts so short that both exp(Q h) and its integral are short sums of non-negative terms in
    I + Q / max(mu); over the parts, the mean numbers of visits are summed as in :func:`expected_visits`.

    Parameters
    ----------
    start : array of float, shape (r,)
        lambda.
    chain : array of float, shape (r, r)
        P.
    times : array of float, shape (r,)
        1/mu, the mean holding times, above 0.
    budget : float
        The time, in the same unit.

    Returns
    -------
    array of float, shape (r,)
        Adds up to the budget.

    Examples
    --------
    >>> expected_times(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 1.0]), 2.0).round(6)
    array([1.245421, 0.754579])
    """
    rate = 1 / times
    fastest = rate.max()
    jumps = np.diag(1 - rate / fastest) + (rate / fastest)[:, None] * chain
    halvings = max(0, int(np.ceil(np.log2(fastest * budget))))
    a = fastest * budget / 2.0**halvings
    moved, spent = np.zeros_like(chain), np.zeros_like(chain)
    power, term, later, k = np.eye(len(start)), np.exp(-a), -np.expm1(-a), 0
    while later > 0 and k < _TERMS:
        moved += term * power
        spent += later * power / fastest
        k += 1
        power, term = power @ jumps, term * a / k
        later = max(later - term, 0.0)
    return np.asarray(expected_visits(start, moved, 2**halvings) @ spent)
