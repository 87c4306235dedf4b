"""Kendall's tau-b: how far two measures put the same systems into the same order."""

from __future__ import annotations

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats, Ints
from irmx_study.rank_correlation.small_products import product_of_columns


def kendall_tau(x: Floats, y: Floats) -> float:
    r"""Return Kendall's tau-b between two rankings of the same systems.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_x)(P - T_y)}}

    of the :math:`P = n(n-1)/2` pairs of systems, C in the same order and D in opposite orders, and :math:`T_x`, :math:`T_y` tied in
    one of the rankings.

    Parameters
    ----------
    x, y : float array, shape (systems,)
        A value of every system; larger is better.

    Returns
    -------
    float
        In [-1, 1]; NaN if all values of one ranking are equal.

    Raises
    ------
    irmx.errors.UsageError
        If the rankings have different lengths.

    References
    ----------
    .. [1] M. G. Kendall. The treatment of ties in ranking problems. Biometrika 33 (3), 1945.

    Examples
    --------
    >>> kendall_tau(np.array([4, 3, 2, 1]), np.array([3, 4, 2, 1])), kendall_tau(np.array([2, 2, 1]), np.array([3, 2, 1])).__round__(6)
    (0.6666666666666666, 0.816497)
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise UsageError(f"A correlation needs two values of every system. Got the shapes {x.shape} and {y.shape}.")
    return float(kendall_taus(np.stack([x, y], axis=1))[0, 1])


def kendall_taus(values: Floats) -> Floats:
    """Return tau-b between all pairs of rankings.

    Parameters
    ----------
    values : float array, shape (systems, rankings)
        A value of every system in every ranking; larger is better.

    Returns
    -------
    float array, shape (rankings, rankings)
        The correlations; NaN for a ranking whose values are all equal, also with itself.

    Examples
    --------
    >>> kendall_taus(np.array([[3, 3, 1], [2, 1, 1], [1, 2, 1]])).round(4).tolist()
    [[1.0, 0.3333, nan], [0.3333, 1.0, nan], [nan, nan, nan]]
    """
    signs = pair_signs(values)
    agreeing = product_of_columns(signs, signs)  # whole numbers, exact
    distinct = np.diagonal(agreeing)
    with np.errstate(invalid="ignore"):
        taus: Floats = agreeing / np.sqrt(np.outer(distinct, distinct))
    return taus


def pairs_of(systems: int) -> tuple[Ints, Ints]:
    """Return the two places of every pair of systems, the smaller first."""
    first, second = np.triu_indices(systems, 1)
    return first, second


def pair_signs(values: Floats) -> Floats:
    """Return, for every pair of systems and every ranking, 1 if the first has the larger value, -1 if the second, 0 if none.

    Parameters
    ----------
    values : float array, shape (systems, rankings)
        The values.

    Returns
    -------
    float array, shape (pairs, rankings)
        The signs, in the order of :func:`pairs_of`.
    """
    first, second = pairs_of(len(values))
    signs: Floats = np.sign(values[first] - values[second], dtype=float)
    return signs
