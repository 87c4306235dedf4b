"""Bias-corrected and accelerated bootstrap intervals of mean differences."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.draws import resampled_topics
from irmx_study.paired import ExactValues, PairedValues

_MEANS = 2**20
"""How many means of resampled topics to sort at a time."""


def bca_intervals(paired: PairedValues, level: float) -> tuple[Floats, Floats]:
    """Return the ends of the BCa intervals of the mean differences, with a coverage of 1 - level.

    They are those of ``scipy.stats.bootstrap``, to rounding, for the same resamples. All pairs share them here, and the
    jackknife, which takes n x n numbers there, has a closed form for means.

    References
    ----------
    Efron: Better Bootstrap Confidence Intervals. JASA 1987.
    """
    exact = ExactValues.of(paired.with_used_systems())
    parts = []
    for samples in resampled_topics(paired.topics, paired.draws, paired.seed):
        parts.append(exact.values.T @ samples.T)
        paired.advance(len(samples))
    sums, totals = np.concatenate(parts, axis=1), exact.totals()
    ends = np.empty((2, len(paired)))
    size = max(1, _MEANS // paired.draws)
    for start in range(0, len(paired), size):
        pairs = slice(start, start + size)
        resampled = np.sort(exact.of_pairs(sums, pairs), axis=1)
        columns = totals[pairs, None]
        below = (resampled < columns - exact.tolerance).mean(axis=1)
        up_to = (resampled <= columns + exact.tolerance).mean(axis=1)
        ends[:, pairs] = _quantiles(resampled, _shares((below + up_to) / 2, paired.differences(pairs), level))
    low, high = ends * (exact.unit / paired.topics)
    return low, high


def _shares(below: Floats, differences: Floats, level: float) -> Floats:
    """Return which quantiles of the resampled sums are the ends, of shape (2, pairs).

    With z0 the normal quantile of the share ``below`` of resamples that are less than the estimate, a the acceleration from the jackknife, and z the
    normal quantile of level / 2 or 1 - level / 2, the share is Phi(z0 + (z0 + z) / (1 - a (z0 + z))).
    """
    from scipy.special import ndtr, ndtri

    bias = ndtri(below)
    deviations = differences - differences.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = (deviations**3).sum(axis=0) / (6 * (deviations**2).sum(axis=0) ** 1.5)
        moved = bias + np.array([[1.0], [-1.0]]) * ndtri(level / 2)
        shares = ndtr(bias + moved / (1 - acceleration * moved))
    # where all differences are the same, so are all resamples, and every share gives the same end
    return np.where(np.isnan(shares), 0.5, shares)


def _quantiles(ordered: Floats, shares: Floats) -> Floats:
    """Return the quantiles of rows in ascending order, with linear interpolation."""
    places = shares * (ordered.shape[1] - 1)
    below = np.floor(places).astype(np.int64)
    rows, above = np.arange(len(ordered)), np.minimum(below + 1, ordered.shape[1] - 1)
    at, after = ordered[rows, below], ordered[rows, above]
    quantiles: Floats = at + (after - at) * (places - below)
    return quantiles
