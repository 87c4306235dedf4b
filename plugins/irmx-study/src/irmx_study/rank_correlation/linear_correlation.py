"""Pearson's and Spearman's correlations of values, and of ranks."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats


def pearson_correlations(values: Floats) -> Floats:
    """Return Pearson's correlation between all pairs of columns.

    Parameters
    ----------
    values : float array, shape (systems, measures)
        The values.

    Returns
    -------
    float array, shape (measures, measures)
        In [-1, 1]; NaN for a column whose values are all equal.

    Examples
    --------
    >>> pearson_correlations(np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 1.0], [3.0, 3.0, 1.0]])).round(4).tolist()
    [[1.0, 0.5, nan], [0.5, 1.0, nan], [nan, nan, nan]]
    """
    deviations = values - values.mean(axis=0)
    deviations[:, values.max(axis=0) == values.min(axis=0)] = 0.0  # a mean may be rounded
    products = deviations.T @ deviations
    squares = np.diagonal(products)
    with np.errstate(invalid="ignore"):
        correlations: Floats = np.clip(products / np.sqrt(np.outer(squares, squares)), -1, 1)
    return correlations


def spearman_correlations(values: Floats) -> Floats:
    """Return Spearman's correlation between all pairs of columns: Pearson's of the ranks, tied values having their mean rank.

    Parameters
    ----------
    values : float array, shape (systems, measures)
        The values.

    Returns
    -------
    float array, shape (measures, measures)
        In [-1, 1]; NaN for a column whose values are all equal.

    Examples
    --------
    >>> spearman_correlations(np.array([[10, 1], [30, 2], [20, 3]])).round(4).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    return pearson_correlations(mean_ranks(values))


def mean_ranks(values: Floats) -> Floats:
    """Return the ranks of values in their column, from 1 for the smallest; tied values have the mean of their ranks.

    >>> mean_ranks(np.array([[0.5], [0.1], [0.5]])).ravel().tolist()
    [2.5, 1.0, 2.5]
    """
    smaller = (values[None, :, :] < values[:, None, :]).sum(axis=1)
    tied = (values[None, :, :] == values[:, None, :]).sum(axis=1)
    ranks: Floats = smaller + (tied + 1) / 2
    return ranks
