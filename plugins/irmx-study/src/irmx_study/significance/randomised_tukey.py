"""The randomised Tukey test of all pairs of systems."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.significance.cited_papers import CARTERETTE
from irmx_study.significance.exact_sums import ExactValues
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.paired_values import PairedValues


class RandomisedTukeyTest(SignificanceTest):
    """Tukey's test by permutations: the values of every topic are dealt to the systems at random.

    p is the share of draws in which the largest and the smallest mean of all systems are at least as far apart as those of the
    pair, which are counted as a draw themselves: (b + 1) / (B + 1).
    """

    NAME = "randomised_tukey"
    SHORT_DESC = "randomised Tukey HSD of all pairs: systems are permuted within topics"
    RESAMPLES = True
    ALL_PAIRS = True
    CITATIONS = (CARTERETTE,)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the mean differences and their p-values, which hold for all pairs of systems together."""
        exact = ExactValues.of(paired)
        topics, systems = exact.values.shape
        ranges, rows = [], np.arange(topics)[:, None] * systems
        for orders in paired.orders.draw(topics, systems, paired.draws, paired.seed):
            orders += rows
            totals = exact.values.take(orders).sum(axis=1)
            ranges.append(np.ptp(totals, axis=1))
            paired.advance(len(orders))
        smaller = np.searchsorted(np.sort(np.concatenate(ranges)), np.abs(exact.totals()) - exact.tolerance)
        return paired.mean_differences(), (paired.draws - smaller + 1) / (paired.draws + 1)
