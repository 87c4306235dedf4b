"""Kendall's tau-b of the same rankings in many samples, such as resamples of topics: one matrix product per sample."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Array, Floats, Ints
from irmx_study.rank_correlation.kendall import pairs_of
from irmx_study.rank_correlation.small_products import product_of_columns

_EXACT = 2**24
"""Whole numbers up to this are exact as 32-bit floats."""


def taus_of_samples(values: Floats, first: Ints, second: Ints) -> Floats:
    """Return, for every sample, tau-b of pairs of rankings.

    Parameters
    ----------
    values : float array, shape (samples, systems, rankings)
        A value of every system in every ranking of every sample; larger is better. A ranking with a NaN counts as one whose
        values are all equal.
    first, second : int array, shape (pairs,)
        The places of the rankings to correlate.

    Returns
    -------
    float array, shape (samples, pairs)
        The correlations; NaN where all values of a ranking are equal.

    Examples
    --------
    >>> values = np.array([[[3, 3], [2, 2], [1, 1]], [[3, 2], [2, 3], [1, 1]], [[3, 2], [2, 2], [1, 2]]])
    >>> taus_of_samples(values, np.array([0]), np.array([1])).round(4).ravel().tolist()
    [1.0, 0.3333, nan]
    """
    above, below = pairs_of(values.shape[1])
    exact = np.float32 if len(above) < _EXACT else np.float64
    taus: Floats = np.empty((len(values), len(first)))
    for sample, places in enumerate(places_of(values)):
        signs = np.clip(places[above] - places[below], -1, 1).astype(exact)
        agreeing = product_of_columns(signs, signs).astype(float)
        distinct = np.diagonal(agreeing)
        with np.errstate(invalid="ignore"):
            taus[sample] = agreeing[first, second] / np.sqrt(distinct[first] * distinct[second])
    return taus


def places_of(values: Floats) -> Array:
    """Return the places of values among the distinct values of their ranking, from 0 for the smallest.

    Differences of small whole numbers are faster than those of floats. A ranking with a NaN has the place 0 throughout.

    >>> places_of(np.array([[[0.5], [0.1], [0.5]]])).ravel().tolist()
    [1, 0, 1]
    """
    rankings = np.ascontiguousarray(np.swapaxes(values, 1, 2))
    order = np.argsort(rankings, axis=2)
    ascending = np.take_along_axis(rankings, order, axis=2)
    larger = np.zeros(rankings.shape, dtype=np.int16 if rankings.shape[2] < 2**14 else np.int32)
    larger[:, :, 1:] = ascending[:, :, 1:] > ascending[:, :, :-1]
    larger[np.isnan(ascending[:, :, -1])] = 0  # NaN is sorted last
    places = np.empty_like(larger)
    np.put_along_axis(places, order, np.cumsum(larger, axis=2, dtype=larger.dtype), axis=2)
    return np.ascontiguousarray(np.swapaxes(places, 1, 2))
