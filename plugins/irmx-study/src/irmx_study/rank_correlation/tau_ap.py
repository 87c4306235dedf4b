"""The AP correlation: a rank correlation in which the top of the ranking counts most."""

from __future__ import annotations

import numpy as np

from irmx import UsageError
from irmx.ragged import Array, Floats

TIES = ("order", "a", "b")
"""The treatments of ties."""


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
    >>> tau_ap(truth, np.array([3, 4, 2, 1])), tau_ap(truth, np.array([4, 3, 1, 2]))
    (0.33333333333333326, 0.7777777777777777)
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
    if ties == "b":
        return (_without_ties(x, y) + _without_ties(y, x)) / 2
    if ties == "order":
        x, y = _in_order(x), _in_order(y)
    return _expected(x, y)


def _in_order(values: Floats) -> Floats:
    """Return values without ties: of tied systems the first has the larger value."""
    ranks: Floats = np.empty(len(values))
    ranks[np.argsort(-values, kind="stable")] = np.arange(len(values), 0, -1)
    return ranks


def _agreeing(x: Floats, y: Floats) -> tuple[Floats, Array, Array]:
    """Return, for every system i, how many are above it in both rankings; its rank in y, the smallest of its tie group; the group's size."""
    above = y[None, :] > y[:, None]
    in_both = (above & (x[None, :] > x[:, None])).sum(axis=1).astype(float)
    return in_both, above.sum(axis=1) + 1, (y[None, :] == y[:, None]).sum(axis=1)


def _expected(x: Floats, y: Floats) -> float:
    """tau_AP,a: the mean over all orders of the tied systems of y; systems tied with each other agree in half of them."""
    agreeing, rank, tied = _agreeing(x, y)
    reciprocal = np.concatenate([[0.0], 1 / np.arange(1, len(y))])  # 1/(r - 1) at the place r - 1
    total = 0.0
    for c, p, t in zip(agreeing.tolist(), rank.tolist(), tied.tolist(), strict=True):
        total += c / t * reciprocal[p - 1 : p + t - 1].sum()
        total += (np.arange(1, t) * reciprocal[p : p + t - 1]).sum() / (2 * t)
    return float(2 / (len(y) - 1) * total - 1)


def _without_ties(x: Floats, y: Floats) -> float:
    """One direction of tau_AP,b: tied systems of y are not compared with each other."""
    agreeing, rank, tied = _agreeing(x, y)
    below = rank > 1
    top = int(tied[~below][0])
    if top == len(y):
        return float("nan")
    return float(2 / (len(y) - top) * (agreeing[below] / (rank[below] - 1)).sum() - 1)
