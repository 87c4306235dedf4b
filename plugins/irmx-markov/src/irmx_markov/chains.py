"""Finite Markov chains by linear algebra: the general route, for any transition matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import UsageError

Floats = np.ndarray[Any, np.dtype[Any]]

_DENSE = 2_000
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
    pi = np.linalg.solve((np.eye(n) - dense + 1.0).T, np.ones(n))
    return _cleaned(pi)


def _stationary_sparse(matrix: Any) -> Floats:
    """Solve for all states but the last, whose weight is set to 1 first."""
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    n = matrix.shape[0]
    system = csc_array((eye_array(n) - matrix.tocsr()).T)
    inner = splu(csc_array(system[: n - 1, : n - 1])).solve(-system[: n - 1, [n - 1]].toarray().ravel())
    return _cleaned(np.append(inner, 1.0))


def _cleaned(pi: Floats) -> Floats:
    """Return a distribution without the tiny negative values of rounding."""
    pi = np.maximum(pi, 0.0)
    return np.asarray(pi / pi.sum())


def watched(matrix: Any, states: Any) -> Floats:
    """Return the transition matrix of a chain watched only while it is in some states (M4).

    P~ = P_RR + P_RN (I - P_NN)^-1 P_NR: the chance that the next of the watched states, on whatever way, is j.

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
    dense = matrix.toarray() if hasattr(matrix, "tocsr") else np.asarray(matrix, dtype=float)
    inside = np.zeros(len(dense), dtype=bool)
    inside[np.asarray(states)] = True
    r, n = np.flatnonzero(inside), np.flatnonzero(~inside)
    if len(n) == 0:
        return np.array(dense)
    way = np.linalg.solve(np.eye(len(n)) - dense[np.ix_(n, n)], dense[np.ix_(n, r)])
    return np.asarray(dense[np.ix_(r, r)] + dense[np.ix_(r, n)] @ way)
