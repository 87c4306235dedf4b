"""Bands of ranks: how well and how badly every system does over all users."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irmx import Scores
from irmx.ragged import Array, Floats
from irmx_study.rank_correlation.comparable_means import comparable_means
from irmx_study.settings.scored_settings import ranks_of

if TYPE_CHECKING:
    import pandas as pd


def bands(scores: Scores, shares: Floats) -> pd.DataFrame:
    """Return the best, median and worst rank of every system over settings; see :meth:`Sensitivity.rank_bands`.

    Parameters
    ----------
    scores : Scores
        The scores, each measure a setting.
    shares : float array
        The share of users of every setting.

    Raises
    ------
    irmx.errors.DataError
        If a system has no value in a setting.
    """
    import pandas as pd

    values = comparable_means(scores)
    ranks = ranks_of(values)
    rows = []
    for s, system in enumerate(scores.systems):
        best, worst = ranks[s].min(), ranks[s].max()
        highest = int(np.argmax(np.where(ranks[s] == best, values[s], -np.inf)))
        lowest = int(np.argmin(np.where(ranks[s] == worst, values[s], np.inf)))
        rows.append(
            {
                "system": system,
                "best": int(best),
                "median": weighted_median(ranks[s], shares),
                "worst": int(worst),
                "first": float(shares[ranks[s] == 1].sum()),
                "best_setting": str(scores.measures[highest]),
                "worst_setting": str(scores.measures[lowest]),
            }
        )
    return pd.DataFrame(rows)


def weighted_median(values: Array, shares: Floats) -> float:
    """Return the median of values with shares that add up to 1: the mean of the two middle ones if half lies on either side.

    >>> weighted_median(np.array([3, 1, 2, 9]), np.full(4, 0.25))
    2.5
    >>> weighted_median(np.array([3, 1]), np.array([0.9, 0.1]))
    3.0
    """
    order = np.argsort(values, kind="stable")
    order = order[shares[order] > 0]
    below = np.cumsum(shares[order])
    first = int(np.searchsorted(below, 0.5 - 1e-9))
    second = first + (abs(below[first] - 0.5) < 1e-9)
    return float(values[order[[first, second]]].mean())
