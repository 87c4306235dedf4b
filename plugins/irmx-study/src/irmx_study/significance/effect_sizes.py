"""Sizes of effects: differences in units of a standard deviation."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats

_CONSTANT = 1e-12
"""A standard deviation that is smaller, relative to the mean, comes from rounding alone."""


def mean_and_deviation(differences: Floats, largest: Floats | float = 0.0) -> tuple[Floats, Floats]:
    """Return the means of differences over topics, and their standard deviations.

    Parameters
    ----------
    differences : float array
        Of shape (topics, pairs).
    largest : float array or float
        The largest size of the values that were subtracted, per pair, on which the rounding errors of differences depend.

    Returns
    -------
    tuple of float array
        Both of shape (pairs,). The deviation is 0 where all differences are the same but for rounding.

    Examples
    --------
    >>> import numpy as np
    >>> mean, deviation = mean_and_deviation(np.array([[0.3 - 0.2, 0.0], [0.2 - 0.1, 2.0]]))
    >>> mean.round(3).tolist(), deviation.round(3).tolist()
    ([0.1, 1.0], [0.0, 1.414])
    """
    mean, deviation = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    rounding = np.maximum(_CONSTANT * np.abs(mean), 4 * np.finfo(float).eps * largest)
    return mean, np.where(deviation <= rounding, 0.0, deviation)


def paired_effects(differences: Floats, largest: Floats | float = 0.0) -> Floats:
    """Return the mean of the differences over their standard deviation, per pair; 0 where all are 0, infinite where all are equal."""
    mean, deviation = mean_and_deviation(differences, largest)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / deviation)


def residual_variance(values: Floats) -> float:
    """Return the residual variance of a two-way analysis of variance without replication, topics x systems.

    It is 0 where systems differ by constants, but for rounding.
    """
    topics, systems = values.shape
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    residuals[np.abs(residuals) <= 8 * np.finfo(float).eps * np.abs(values).max()] = 0
    return float((residuals**2).sum() / ((topics - 1) * (systems - 1)))
