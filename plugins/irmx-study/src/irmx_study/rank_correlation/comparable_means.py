"""Means of systems that can be ranked: what differs by the rounding of a sum alone is equal."""

from __future__ import annotations

import warnings

import numpy as np

from irmx import DataError, DataWarning, Scores, UsageError
from irmx.ragged import Floats

DIGITS = 12
"""The significant digits to which means are compared, of the largest value of a measure."""


_SMALLEST = -290
"""Smaller values have fewer digits: their powers of ten are no floats."""

MOST_DECIMALS = 15
"""A float has no more decimal places than this, of values in [0, 1]."""


def check_decimals(decimals: int | None) -> None:
    """Raise a UsageError unless means can be rounded to so many decimal places."""
    is_number = isinstance(decimals, (int, np.integer)) and not isinstance(decimals, bool)
    if decimals is not None and not (is_number and 0 <= decimals <= MOST_DECIMALS):
        raise UsageError(
            f"Means are rounded to a number of decimal places in the range [0, {MOST_DECIMALS}]. Got {decimals!r} instead."
        )


def comparable_means(scores: Scores, decimals: int | None = None) -> Floats:
    """Return the mean of every system by every measure, rounded so that systems with the same values are tied.

    Sums of the same numbers in another order differ in their last digits, which would put equal systems into an order.

    Parameters
    ----------
    scores : Scores
        The scores.
    decimals : int, optional
        Round to this many decimal places, as studies that start from printed values do; by default to 12 significant digits of
        the largest value of the measure.

    Returns
    -------
    float array, shape (systems, measures)
        The means over topics, by each measure's own aggregator.

    Raises
    ------
    irmx.errors.UsageError
        If the decimal places are not a whole number from 0 to 15.
    irmx.errors.DataError
        If a system has no value of a measure.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> comparable_means(scores, decimals=4).ravel().tolist()
    [0.4986, 0.2252, 0.3302]
    """
    check_decimals(decimals)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # a system without a mean is an error here
        means: Floats = scores.means().to_numpy()
    wrong = np.argwhere(~np.isfinite(means))
    if len(wrong):
        s, m = wrong[0]
        kind = "no value" if np.isnan(means[s, m]) else "an infinite mean"
        raise DataError(f"{scores.systems[s]} has {kind} of {scores.measures[m]}, so that it has no rank.")
    return comparable(means, scores.values, decimals)


def comparable(means: Floats, values: Floats, decimals: int | None) -> Floats:
    """Return means of some values, rounded so that equal ones are tied.

    Parameters
    ----------
    means : float array, shape (..., measures)
        The means, or the values themselves.
    values : float array, shape (topics, systems, measures)
        The values.
    decimals : int or None
        The decimal places; None for 12 significant digits of the largest value of the measure.
    """
    if decimals is not None:
        return np.round(means, decimals)
    return rounded(means, np.nanmax(np.abs(values), axis=(0, 1), initial=0.0))


def rounded(values: Floats, largest: Floats | None = None) -> Floats:
    """Return values, rounded to 12 significant digits of a large value: by default of the largest of each column.

    >>> rounded(np.array([[0.1 + 0.2], [0.3]])).tolist()
    [[0.3], [0.3]]
    """
    if largest is None:
        largest = np.abs(values).max(axis=0, initial=0.0)
    with np.errstate(divide="ignore"):
        exponent = np.where(largest > 0, np.floor(np.log10(largest)), 0.0)
    exponent = np.maximum(exponent, _SMALLEST)
    steps: Floats = np.round(values * 10.0 ** (DIGITS - 1 - exponent))
    return steps / 10.0 ** (DIGITS - 1 - exponent)
