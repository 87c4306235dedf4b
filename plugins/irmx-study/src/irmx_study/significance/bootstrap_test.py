"""The bootstrap test of the mean difference."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.significance.cited_papers import SMUCKER
from irmx_study.significance.exact_sums import ExactValues
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.paired_values import PairedValues
from irmx_study.significance.random_draws import resampled_topics


class BootstrapTest(SignificanceTest):
    """The bootstrap test by the shift method: topics are drawn with replacement, and differences shifted to a mean of 0.

    p is the share of draws whose shifted mean difference is at least as large in size as the observed one, which is counted
    as a draw itself: (b + 1) / (B + 1).
    """

    NAME = "bootstrap"
    SHORT_DESC = "bootstrap test by the shift method: topics are drawn with replacement"
    RESAMPLES = True
    CITATIONS = (SMUCKER,)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the mean differences and their p-values."""
        exact = ExactValues.of(paired.with_used_systems())
        totals = exact.totals()
        least, counts = np.abs(totals) - exact.tolerance, np.zeros(len(paired), dtype=np.int64)
        for samples in resampled_topics(paired.topics, paired.draws, paired.seed):
            counts += exact.count_reaching(exact.values.T @ samples.T, least, centres=totals)
            paired.advance(len(samples))
        return paired.mean_differences(), (counts + 1) / (paired.draws + 1)
