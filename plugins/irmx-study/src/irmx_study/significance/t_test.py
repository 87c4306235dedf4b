"""The paired t test."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.significance.cited_papers import STUDENT, URBANO
from irmx_study.significance.effect_sizes import mean_and_deviation
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.paired_values import PairedValues


class TTest(SignificanceTest):
    """Student's t test of the mean difference, paired by topic.

    Where the difference is the same on every topic, but not 0, t is infinite and p is 0: there is no variance to judge it by.
    """

    NAME = "t"
    SHORT_DESC = "Student's t test, paired by topic"
    CITATIONS = (STUDENT, URBANO)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return t and p with n - 1 degrees of freedom; 0 and 1 where the systems have the same values."""
        from scipy.special import stdtr

        statistic = np.empty(len(paired))
        for pairs in paired.chunks():
            mean, error = mean_and_error(paired.differences(pairs), paired.largest(pairs))
            with np.errstate(divide="ignore", invalid="ignore"):
                statistic[pairs] = np.where(mean == 0, 0.0, mean / error)
        return statistic, 2 * stdtr(paired.topics - 1, -np.abs(statistic))


def mean_and_error(differences: Floats, largest: Floats | float = 0.0) -> tuple[Floats, Floats]:
    """Return the means over topics, and their standard errors."""
    mean, deviation = mean_and_deviation(differences, largest)
    return mean, deviation / np.sqrt(len(differences))


def t_intervals(differences: Floats, level: float, largest: Floats | float = 0.0) -> tuple[Floats, Floats]:
    """Return the ends of the t intervals of the means over topics, with a coverage of 1 - level."""
    from scipy.special import stdtrit

    mean, error = mean_and_error(differences, largest)
    half = -stdtrit(len(differences) - 1, level / 2) * error
    return mean - half, mean + half
