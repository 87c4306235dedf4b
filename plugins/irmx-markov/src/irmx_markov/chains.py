"""Finite Markov chains by linear algebra: the general route, for any transition matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irmx import UsageError

Floats = np.ndarray[Any, np.dtype[Any]]

_DENSE = 2_000
_SMALL = 200
_TOLERANCE = 1e-8


def check_stochastic(matrix: Any, name: str) -> None:
    """Raise :class:`irmx.UsageError` unless a matrix is square, non-negative, and its rows add up to 1."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise UsageError(f"{name} must be a square matrix. Got the shape {tuple(matrix.shape)}.")
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

    Examples
    --------
    >>> stationary(np.array([[0.0, 1.0], [0.5, 0.5]])).round(6)
    array([0.333333, 0.666667])
    """
    n = matrix.shape[0]
    sparse = hasattr(matrix, "tocsr")
    if sparse and n > _DENSE:
        return _stationary_sparse(matrix)
    dense = matrix.toarray() if sparse else np.asarray(matrix, dtype=float)
    if n <= _SMALL:
        return normalised_exp(log_stationary(dense))
    pi = np.linalg.solve((np.eye(n) - dense + 1.0).T, np.ones(n))
    return refined(np.maximum(pi, 0.0), lambda x: x @ dense)


def refined(pi: Floats, step: Callable[[Floats], Floats], rounds: int = 60) -> Floats:
    """Return a distribution after some lazy steps of its chain, which mend the small values that a solver left rough.

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

    Grassmann, Taksar and Heyman eliminate a state at a time without any subtraction, so every probability comes out with
    a small relative error, however small it is.
    """
    p = np.array(matrix, dtype=float)
    n = len(p)
    for k in range(n - 1, 0, -1):
        p[:k, k] /= p[k, :k].sum()
        p[:k, :k] += np.outer(p[:k, k], p[k, :k])
    log_pi = np.zeros(n)
    for k in range(1, n):
        log_pi[k] = _log_dot(log_pi[:k], p[:k, k])
    return log_pi


def log_stationary_banded(row: Callable[[int], tuple[Floats, Floats]], n: int, hop: int) -> Floats:
    """Return the same for a chain whose transitions reach over at most ``hop`` states, in n hop^2 operations.

    Parameters
    ----------
    row : callable
        Returns for a state i its probabilities to move to i + 1, ..., i + hop, and those of moving from these to i.
    n, hop : int
        The number of states and the longest transition.
    """
    hop = min(hop, n - 1)
    ways: list[Floats] = [np.zeros(0)] * n
    window = np.zeros((hop + 1, hop + 1))
    for k in range(n - 1 + hop, 0, -1):
        # the window holds the states k - hop..k, those beyond the last one empty; the first of them enters now
        first = k - hop
        ahead, back = row(first) if first >= 0 else (np.zeros(hop), np.zeros(hop))
        within = min(hop, n - 1 - first)
        window[0, 1 : within + 1], window[1 : within + 1, 0] = ahead[:within], back[:within]
        if k < n:
            into = window[:hop, hop] / window[hop, :hop].sum()
            window[:hop, :hop] += np.outer(into, window[hop, :hop])
            ways[k] = into[max(0, hop - k) :]
        window[1:, 1:] = window[:-1, :-1].copy()
        window[0, :], window[:, 0] = 0.0, 0.0
    log_pi = np.zeros(n)
    for k in range(1, n):
        log_pi[k] = _log_dot(log_pi[max(0, k - hop) : k], ways[k])
    return log_pi


def _log_dot(log_x: Floats, y: Floats) -> float:
    """Return log(sum(exp(log_x) y)) without overflow."""
    largest = log_x.max()
    return float(largest + np.log(np.exp(log_x - largest) @ y))


def _stationary_sparse(matrix: Any) -> Floats:
    """Solve for all states but the last, whose weight is set to 1 first."""
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    n = matrix.shape[0]
    system = csc_array((eye_array(n) - matrix.tocsr()).T)
    inner = splu(csc_array(system[: n - 1, : n - 1])).solve(-system[: n - 1, [n - 1]].toarray().ravel())
    transposed = csc_array(matrix.T)
    return refined(np.maximum(np.append(inner, 1.0), 0.0), lambda x: transposed @ x)


def watched(matrix: Any, states: Any) -> Floats:
    """Return the transition matrix of a chain watched only while it is in some states (M4).

    P~ = P_RR + P_RN (I - P_NN)^-1 P_NR: the chance that the next of the watched states, on whatever way, is j. It is
    computed by eliminating the other states one at a time, without a subtraction.

    Parameters
    ----------
    matrix : array or scipy.sparse array, shape (n, n)
        Row-stochastic and irreducible.
    states : array of int
        The watched states, from 0.

    Examples
    --------
    >>> from irmx_markov import GL_AD_ID
    >>> from irmx_markov.directed import transition_matrix
    >>> p = transition_matrix(GL_AD_ID, 6, np.array([1, 3, 4]))
    >>> watched(p, [0, 2, 3]).round(6)
    array([[0.175824, 0.440372, 0.383804],
           [0.333151, 0.197053, 0.469796],
           [0.290356, 0.469796, 0.239848]])
    """
    p = matrix.toarray() if hasattr(matrix, "tocsr") else np.array(matrix, dtype=float)
    keep = np.unique(np.asarray(states))
    left = list(range(len(p)))
    for k in np.setdiff1d(left, keep)[::-1].tolist():
        left.remove(k)
        p[np.ix_(left, left)] += np.outer(p[left, k] / p[k, left].sum(), p[k, left])
    return np.asarray(p[np.ix_(keep, keep)])
