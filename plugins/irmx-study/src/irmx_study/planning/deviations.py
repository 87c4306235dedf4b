"""How much the differences of earlier systems vary over topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from irmx import DataError, Scores
from irmx_study.comparison.comparisons_of_pairs import complete_values
from irmx_study.comparison.pairs_of_systems import all_pairs_of
from irmx_study.significance.effect_sizes import residual_variance
from irmx_study.significance.paired_values import PairedValues


@dataclass(frozen=True)
class Deviations:
    """The standard deviation of differences of systems.

    Attributes
    ----------
    names : dict of str to object
        What it is of: the measure and the number of pairs, or the pair.
    topics : int or None
        The number of topics it was observed on.
    sd : float
        The standard deviation; of several pairs, the median.
    largest : float or None
        The largest, of several pairs.
    residual : float
        The residual variance of the systems together, topics x systems.
    constant : int
        The number of pairs that are whose difference is the same on every topic, and which are left out.
    """

    names: Mapping[str, str | int]
    topics: int | None
    sd: float
    largest: float | None
    residual: float
    constant: int = 0


def deviations_of(scores: Scores, m: int, by_pair: bool) -> Iterator[Deviations]:
    """Yield the standard deviations of differences by a measure: of all pairs together, or of each pair.

    Raises
    ------
    irmx.errors.DataError
        If there are fewer than two topics, or no difference varies.
    """
    measure, values = str(scores.measures[m]), complete_values(scores, m)
    first, second = all_pairs_of(len(scores.systems))
    paired = PairedValues(values, first, second)
    deviations = np.concatenate([paired.differences(some).std(axis=0, ddof=1) for some in paired.chunks()])
    differ = deviations > 1e-12 * np.abs(values).max()  # less is rounding
    count = int(differ.sum())
    if not count:
        raise DataError(
            f"By {measure}, the difference of every two systems is the same on all {len(values)} topics, so that its variance is "
            "0. Give results of systems that differ."
        )
    constant = len(differ) - count
    if by_pair or len(differ) == 1:
        for i in np.flatnonzero(differ).tolist():
            names: dict[str, str | int] = {
                "measure": measure,
                "a": scores.systems[first[i]],
                "b": scores.systems[second[i]],
            }
            yield Deviations(names, len(values), float(deviations[i]), None, float(deviations[i] ** 2 / 2), constant)
        return
    of_pairs = deviations[differ]
    median, largest = float(np.median(of_pairs)), float(of_pairs.max())
    yield Deviations(
        {"measure": measure, "pairs": count}, len(values), median, largest, residual_variance(values), constant
    )
