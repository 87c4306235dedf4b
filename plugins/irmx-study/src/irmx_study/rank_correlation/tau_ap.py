"""The AP correlation: a rank correlation in which the top of the ranking counts most."""

from __future__ import annotations

import numpy as np

from irmx import UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx_study.rank_correlation.small_products import product_of_columns

TIES = ("order", "a", "b")
"""The treatments of ties."""

_CELLS = 4_000_000
"""Pairs of systems are compared in so many places at a time, which bounds the memory."""


def tau_ap(x: Floats, y: Floats, ties: str = "order") -> float:
    r"""Return the AP correlation of a ranking y of systems with a reference x.

    .. math:: \tau_{AP} = \frac{2}{N-1} \sum_{i=2}^{N} \frac{C(i)}{i-1} - 1

    where C(i) counts the systems above rank i in y that are above the system at rank i in x, too.

    Parameters
    ----------
    x : float array, shape (systems,)
        The reference: a value of every system; larger is better.
    y : float array, shape (systems,)
        The ranking that is read from the top.
    ties : {"order", "a", "b"}
        Tied systems are ranked in the order in which they are given, in both rankings (``"order"``); or count by one of the two
        treatments of Urbano and Marrero: the expected value over all orders of the tied systems of y, for a reference without
        ties (``"a"``), or the mean of both directions, which takes ties for equality (``"b"``).

    Returns
    -------
    float
        In [-1, 1]; with ``ties="b"`` symmetric, and NaN if all values of one ranking are equal.

    Raises
    ------
    irmx.errors.UsageError
        If the rankings have different lengths or fewer than two systems, or for another treatment of ties.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, S. Robertson. A new rank correlation coefficient for information retrieval. SIGIR 2008.
    .. [2] J. Urbano, M. Marrero. The treatment of ties in AP correlation. ICTIR 2017.

    Examples
    --------
    >>> truth = np.array([4, 3, 2, 1])
    >>> round(tau_ap(truth, np.array([3, 4, 2, 1])), 6), round(tau_ap(truth, np.array([4, 3, 1, 2])), 6)
    (0.333333, 0.777778)
    >>> [round(tau_ap(truth, np.array([3, 2, 2, 1]), ties), 6) for ties in ("a", "b")]
    [0.833333, 0.833333]
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2:
        raise UsageError(
            f"A correlation needs two values of every system, and two systems. Got the shapes {x.shape} and {y.shape}."
        )
    if ties not in TIES:
        raise UsageError(f"The treatment of ties is one of {', '.join(TIES)}. Got {ties!r} instead.")
    return float(tau_aps(x[:, None], y[:, None], ties)[0, 0])


def tau_aps(references: Floats, rankings: Floats, ties: str = "order") -> Floats:
    """Return the AP correlation of many rankings with every reference.

    Parameters
    ----------
    references : float array, shape (systems, references)
        A value of every system in every reference; larger is better.
    rankings : float array, shape (systems, rankings)
        The same of the rankings that are read from the top.
    ties : {"order", "a", "b"}
        The treatment of ties; see :func:`tau_ap`.

    Returns
    -------
    float array, shape (references, rankings)
        The correlations.

    Examples
    --------
    >>> values = np.array([[4, 3], [3, 4], [2, 2], [1, 1]])
    >>> tau_aps(values, values).round(4).tolist()
    [[1.0, 0.3333], [0.3333, 1.0]]
    """
    if ties == "order":
        references, rankings = _in_order(references), _in_order(rankings)
    at_once = max(1, _CELLS // len(rankings) ** 2)
    parts = [rankings[:, start : start + at_once] for start in range(0, rankings.shape[1], at_once)]
    x = _Order(references)
    if ties != "b":
        return np.concatenate([_expected(x, _Order(part)) for part in parts], axis=1)
    both = [(_one_way(x, y) + _one_way(y, x).T) / 2 for y in map(_Order, parts)]
    return np.concatenate(both, axis=1)


def _in_order(values: Floats) -> Floats:
    """Return values without ties: of tied systems the first has the larger value."""
    ranks: Floats = np.empty(values.shape)
    order = np.argsort(-values, axis=0, kind="stable")
    np.put_along_axis(ranks, order, np.arange(len(values), 0, -1.0)[:, None], axis=0)
    return ranks


class _Order:
    """Which systems are above which in rankings of shape (systems, rankings), their ranks, and how many are tied.

    Attributes
    ----------
    above : bool array, shape (systems, systems, rankings)
        At [i, j], whether j is above i.
    rank, tied : int array, shape (systems, rankings)
        The smallest rank of the group of tied systems that i is in, and its size.
    """

    def __init__(self, values: Floats) -> None:
        self.above: Bools = values[None, :, :] > values[:, None, :]
        self.rank: Ints = self.above.sum(axis=1) + 1
        self.tied: Ints = len(values) + 1 - self.rank - self.above.sum(axis=0)


def _agreeing(x: _Order, y: _Order, weights: Floats) -> Floats:
    """Return, for every reference and ranking, the sum over systems of C(i) times the weight of the system i in the ranking.

    C(i) counts the systems above i in both.
    """
    in_reference = x.above.reshape(-1, x.above.shape[2]).astype(float)
    weighted = (y.above * weights[:, None, :]).reshape(-1, y.above.shape[2])
    sums: Floats = product_of_columns(in_reference, weighted)
    return sums


def _expected(x: _Order, y: _Order) -> Floats:
    """tau_AP,a: the mean over all orders of the tied systems of y; systems tied with each other agree in half of them."""
    systems, rank, tied = len(y.rank), y.rank, y.tied
    steps = np.arange(1, systems)  # the number of systems above a rank from 2 on
    reciprocal = np.concatenate([[0.0, 0.0], np.cumsum(1 / steps)])  # of the ranks up to r, at the place r
    mean_weight = (reciprocal[rank + tied - 1] - reciprocal[rank - 1]) / tied
    # of k systems of the group above the rank p + k, on average half: k / (p + k - 1) = 1 - (p - 1) / (p + k - 1)
    within = (tied - 1) - (rank - 1) * (reciprocal[rank + tied - 1] - reciprocal[rank])
    constant = (within / (2 * tied)).sum(axis=0)
    taus: Floats = 2 / (systems - 1) * (_agreeing(x, y, mean_weight) + constant) - 1
    return taus


def _one_way(x: _Order, y: _Order) -> Floats:
    """One direction of tau_AP,b: tied systems of y are not compared with each other."""
    systems, rank = len(y.rank), y.rank
    top = np.where(rank == 1, y.tied, 0).max(axis=0)
    weights = np.where(rank > 1, 1 / np.maximum(rank - 1, 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        taus: Floats = 2 / (systems - top) * _agreeing(x, y, weights) - 1
    return taus
