"""The AP correlation of many rankings with one reference, on arrays."""

from __future__ import annotations

import numpy as np

from irmx import UsageError
from irmx.ragged import Bools, Floats
from irmx_study.rank_correlation.tau_ap import TIES

_CELLS = 4_000_000
"""Pairs of systems are compared in so many places at a time, which bounds the memory."""


def tau_aps(x: Floats, rankings: Floats, ties: str = "order") -> Floats:
    """Return the AP correlations of rankings with a reference: :func:`tau_ap` of each.

    Parameters
    ----------
    x : float array, shape (systems,)
        The reference: a value of every system; larger is better.
    rankings : float array, shape (systems, rankings)
        The rankings that are read from the top.
    ties : {"order", "a", "b"}
        The treatment of ties, as in :func:`tau_ap`.

    Returns
    -------
    float array, shape (rankings,)
        The correlations.

    Raises
    ------
    irmx.errors.UsageError
        If the shapes do not match, or for another treatment of ties.

    Examples
    --------
    >>> tau_aps(np.array([4, 3, 2, 1]), np.array([[3, 4], [4, 3], [2, 1], [1, 2]])).round(4).tolist()
    [0.3333, 0.7778]
    """
    x, rankings = np.asarray(x, dtype=float), np.asarray(rankings, dtype=float)
    if rankings.ndim != 2 or x.shape != rankings.shape[:1] or len(x) < 2:
        raise UsageError(
            "A correlation needs values of every system, and two systems. Got the shapes "
            f"{x.shape} and {rankings.shape}."
        )
    if ties not in TIES:
        raise UsageError(f"The treatment of ties is one of {', '.join(TIES)}. Got {ties!r} instead.")
    if ties == "order":
        x, rankings = _in_order(x[:, None])[:, 0], _in_order(rankings)
    at_once = max(1, _CELLS // len(x) ** 2)
    parts = [rankings[:, start : start + at_once] for start in range(0, rankings.shape[1], at_once)]
    of_part = _without_ties if ties == "b" else _expected
    return np.concatenate([np.empty(0), *(of_part(x, part) for part in parts)])


def _in_order(values: Floats) -> Floats:
    """Return values without ties: of tied systems the first has the larger value."""
    ranks: Floats = np.argsort(np.argsort(-values, axis=0, kind="stable"), axis=0, kind="stable").astype(float)
    return -ranks


def _above(values: Floats) -> Bools:
    """Return whether the first of two systems is above the second, shape (systems, systems, rankings)."""
    above: Bools = values[:, None] > values[None, :]
    return above


def _expected(x: Floats, y: Floats) -> Floats:
    """tau_AP,a: the mean over all orders of the tied systems of y, in closed form with harmonic numbers."""
    n, above = len(x), _above(y)
    agreeing = (above & _above(x[:, None])).sum(axis=0)
    p = above.sum(axis=0) + 1
    t = n + 1 - p - above.sum(axis=1)  # the systems that are neither above nor below
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))])
    strictly_above = agreeing / t * (harmonic[p + t - 2] - harmonic[np.maximum(p - 2, 0)])
    among_tied = ((t - 1) - (p - 1) * (harmonic[p + t - 2] - harmonic[p - 1])) / (2 * t)
    taus: Floats = 2 / (n - 1) * (strictly_above + among_tied).sum(axis=0) - 1
    return taus


def _without_ties(x: Floats, y: Floats) -> Floats:
    """tau_AP,b: both directions, in which tied systems are not compared with each other."""
    of_x, of_y = _above(x[:, None]), _above(y)
    agreeing = (of_x & of_y).sum(axis=0)
    return (_one_direction(agreeing, of_x) + _one_direction(agreeing, of_y)) / 2


def _one_direction(agreeing: Floats, above: Bools) -> Floats:
    rank = above.sum(axis=0) + 1
    below_top = (rank > 1).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(rank > 1, agreeing / np.maximum(rank - 1, 1), 0.0).sum(axis=0)
        taus: Floats = np.where(below_top > 0, 2 / below_top * shares - 1, np.nan)
    return taus
