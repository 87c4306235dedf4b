"""How stable the tau of two measures is: the same rankings from resamples of the topics, and from each topic alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irmx.ragged import Floats, Ints
from irmx.toolkit import progress_bar
from irmx_study.rank_correlation.comparable_means import comparable
from irmx_study.rank_correlation.taus_of_samples import taus_of_samples
from irmx_study.significance.random_draws import resampled_topics

_LARGEST = 2**22
"""The largest number of means to hold at a time."""

_SLOW = 2 * 10**10
"""So many products take seconds; then progress is shown."""


def resampled_taus(
    values: Floats,
    pairs: tuple[Ints, Ints],
    resamples: int,
    seed: int,
    decimals: int | None = None,
    progress: bool | None = None,
) -> Floats:
    """Return tau-b of pairs of measures in resamples of the topics, both rankings from the same resample.

    Parameters
    ----------
    values : float array, shape (topics, systems, measures)
        The values; NaN if a measure has none.
    pairs : tuple of int array
        The places of the measures to correlate.
    resamples, seed : int
        How many samples of as many topics to draw with replacement, and the seed.
    decimals : int, optional
        Decimal places to which means are rounded.
    progress : bool, optional
        Whether to show a progress bar; by default if the work is long and standard error is a terminal.

    Returns
    -------
    float array, shape (resamples, pairs)
        NaN where a measure gives all systems the same mean in a resample.
    """
    topics, systems, measures = values.shape
    missing = np.isnan(values)
    flat = np.where(missing, 0.0, values).reshape(topics, -1)
    present = (~missing).astype(float).reshape(topics, -1) if missing.any() else None
    at_a_time = max(1, _LARGEST // (systems * measures))
    is_slow = resamples * systems**2 * measures**2 > _SLOW
    taus = []
    with progress_bar("Resampling topics", resamples, shown=progress if is_slow else False) as advance:
        for drawn in resampled_topics(topics, resamples, seed):
            for start in range(0, len(drawn), at_a_time):
                counts = drawn[start : start + at_a_time]
                with np.errstate(invalid="ignore"):
                    means = counts @ flat / (topics if present is None else counts @ present)
                shaped = means.reshape(len(counts), systems, measures)
                taus.append(taus_of_samples(comparable(shaped, values, decimals), *pairs))
                advance(len(counts))
    return np.concatenate(taus)


def taus_by_topic(values: Floats, pairs: tuple[Ints, Ints], decimals: int | None = None) -> Floats:
    """Return tau-b of pairs of measures on every topic, shape (topics, pairs); NaN where a measure does not rank the systems."""
    return taus_of_samples(comparable(values, values, decimals), *pairs)


def quantiles(taus: Floats, shares: Sequence[float]) -> Floats:
    """Return quantiles over the rows without NaN; NaN for a column that has nothing else."""
    quantiles = np.full((len(shares), taus.shape[1]), np.nan)
    some_tau = ~np.isnan(taus).all(axis=0)
    if some_tau.any():
        quantiles[:, some_tau] = np.nanquantile(taus[:, some_tau], shares, axis=0)
    return quantiles
