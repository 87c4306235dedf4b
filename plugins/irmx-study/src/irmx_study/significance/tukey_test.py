"""Tukey's test of all pairs of systems, on the two-way analysis of variance of topics and systems."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.significance.cited_papers import SAKAI, TUKEY
from irmx_study.significance.effect_sizes import residual_variance
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.paired_values import PairedValues
from irmx_study.significance.studentized_range import critical_range, range_p_values


class TukeyTest(SignificanceTest):
    """Tukey's honestly significant difference, paired by topic.

    The difference of two means is divided by their standard error from the residual variance of the two-way analysis of
    variance without replication, systems x topics, with (n - 1)(m - 1) degrees of freedom. SciPy's ``tukey_hsd`` is the unpaired
    test: it counts the differences between topics as noise, and finds far less.
    """

    NAME = "tukey"
    SHORT_DESC = "Tukey's HSD of all pairs, on the two-way analysis of variance of systems x topics"
    ALL_PAIRS = True
    CITATIONS = (TUKEY, SAKAI)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the studentized ranges and their p-values, which hold for all pairs of systems together."""
        difference, error = paired.mean_differences(), _error(paired)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(difference == 0, 0.0, difference / error)
        return statistic, range_p_values(np.abs(statistic), *_shape(paired))

    def intervals(self, paired: PairedValues, level: float) -> tuple[Floats, Floats]:
        """Return the ends of the simultaneous intervals of all differences, with a joint coverage of 1 - level."""
        difference = paired.mean_differences()
        half = critical_range(level, *_shape(paired)) * _error(paired)
        return difference - half, difference + half


def _error(paired: PairedValues) -> float:
    """Return the standard error of the mean of a system."""
    return float(np.sqrt(residual_variance(paired.values) / paired.topics))


def _shape(paired: PairedValues) -> tuple[int, int]:
    """Return the number of systems, and the degrees of freedom of the residual variance."""
    topics, systems = paired.values.shape
    return systems, (topics - 1) * (systems - 1)
