"""The permutation test of the mean difference."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.significance.cited_papers import FISHER, SMUCKER
from irmx_study.significance.exact_sums import ExactValues
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.paired_values import PairedValues
from irmx_study.significance.random_draws import all_signs, sign_flips


class PermutationTest(SignificanceTest):
    """Fisher's randomisation test: the two systems of a topic change places, each topic with probability 1/2.

    p is the share of draws whose mean difference is at least as large in size as the observed one, which is counted as a draw
    itself: (b + 1) / (B + 1). On so few topics that all 2^n changes of places are at most ``draws``, p is their exact share.
    """

    NAME = "permutation"
    SHORT_DESC = "permutation test: the signs of the differences of topics are flipped at random"
    RESAMPLES = True
    FLIPS_SIGNS = True
    CITATIONS = (FISHER, SMUCKER)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the mean differences and their p-values."""
        exact = ExactValues.of(paired.with_used_systems())
        totals = exact.totals()
        least, counts, draws = np.abs(totals) - exact.tolerance, np.zeros(len(paired), dtype=np.int64), 0
        for signs in sign_flips(paired.topics, paired.draws, paired.seed):
            counts += exact.count_reaching(exact.values.T @ signs.T, least)
            draws += len(signs)
            paired.advance(len(signs))
        paired.advance(paired.draws - draws)
        observed = 0 if all_signs(paired.topics, paired.draws) else 1
        return paired.mean_differences(), (counts + observed) / (draws + observed)
