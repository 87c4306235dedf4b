"""The paired t test."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.paired_values import PairedValues


class TTest(SignificanceTest):
    """Student's t test of the mean difference, paired by topic."""

    NAME = "t"
    SHORT_DESC = "Student's t test, paired by topic"

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return t and p with n - 1 degrees of freedom; 0 and 1 where the systems have the same values."""
        from scipy.stats import t as student

        mean, error = mean_and_error(paired.differences())
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(mean == 0, 0.0, mean / error)
        return statistic, 2 * student.sf(np.abs(statistic), paired.topics - 1)


def mean_and_error(differences: Floats) -> tuple[Floats, Floats]:
    """Return the means over topics, and their standard errors."""
    topics = len(differences)
    return differences.mean(axis=0), differences.std(axis=0, ddof=1) / np.sqrt(topics)


def t_intervals(differences: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of the t intervals of the means over topics, with a coverage of 1 - level."""
    from scipy.stats import t as student

    mean, error = mean_and_error(differences)
    half = student.ppf(1 - level / 2, len(differences) - 1) * error
    return mean - half, mean + half
