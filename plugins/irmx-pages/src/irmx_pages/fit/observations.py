"""Bootstrap samples of users, for intervals of estimates from their behaviour."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from irmx import DataWarning
from irmx.ragged import Floats, Ints
from irmx_pages.whole_numbers import check_whole


def multiplicities(clusters: int, resamples: int, seed: int) -> Iterator[Ints]:
    """Return how often each cluster occurs in the data (once) and then in each bootstrap sample, one row each.

    Raises
    ------
    irmx.UsageError
        For fewer than two samples, or a negative seed.

    Examples
    --------
    >>> [int(counts.sum()) for counts in multiplicities(clusters=5, resamples=2, seed=0)]
    [5, 5, 5]
    """
    check_whole(2, resamples=resamples)
    check_whole(0, seed=seed)
    generator = np.random.default_rng(seed)
    drawn = (generator.integers(0, clusters, clusters) for _ in range(resamples))
    return (np.bincount(sample, minlength=clusters) for sample in chain([np.arange(clusters)], drawn))


def warn_of_one_cluster(clusters: int, what: str) -> None:
    """Warn if all samples are equal, so that there can be no intervals."""
    if clusters < 2:
        warnings.warn(
            f"All {what} belong to one user or session. Intervals come from resampling these, so there are none (NaN).",
            DataWarning,
            stacklevel=3,
        )


def interval95(values: Floats | Sequence[float], clusters: int) -> tuple[float, float]:
    """Return the 2.5% and the 97.5% quantile of the estimates of samples; NaN if there is only one cluster."""
    if clusters < 2:
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
