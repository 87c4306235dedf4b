"""The correction of Westfall and Young by the largest t statistic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx_study.significance.cited_papers import WESTFALL
from irmx_study.significance.exact_sums import ExactValues
from irmx_study.significance.named_tests import Correction
from irmx_study.significance.paired_values import PairedValues
from irmx_study.significance.random_draws import all_signs, sign_flips


class MaxT(Correction):
    """Single-step maxT: the share of draws in which the largest t statistic of the family reaches that of the comparison.

    The signs of the differences of all comparisons, over all measures of the family, are flipped together, so that their
    correlations count: similar systems cost less than with Holm's correction. The p-values of the test are not used.
    """

    NAME = "maxt"
    SHORT_DESC = "Westfall and Young's correction by permutations, which controls the family-wise error rate"
    RESAMPLES = True
    FLIPS_SIGNS = True
    CITATIONS = (WESTFALL,)

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values: (b + 1) / (B + 1), or an exact share if all 2^n changes of signs are few."""
        topics, draws, seed = family[0].topics, family[0].draws, family[0].seed
        if any(paired.topics != topics for paired in family):
            raise UsageError(
                "The correction maxt flips the signs of all measures of a family together, so that they need values on the same "
                'topics. Correct each measure alone (family="measure"), or leave out topics and measures without values.'
            )
        measures = [_Sums(paired) for paired in family]
        largest = []
        for signs in sign_flips(topics, draws, seed):
            sums = np.zeros(len(signs))
            for measure in measures:
                np.maximum(sums, measure.largest(signs), out=sums)
                measure.paired.advance(len(signs))
            largest.append(sums)
        highest = np.sort(np.concatenate(largest))
        for measure in measures:
            measure.paired.advance(draws - len(highest))
        least = np.concatenate([measure.observed - measure.tolerance for measure in measures])
        counted = 0 if all_signs(topics, draws) else 1
        corrected: Floats = (len(highest) - np.searchsorted(highest, least) + counted) / (len(highest) + counted)
        return corrected


class _Sums:
    """Sums of differences over the root of their sum of squares, which no sign changes: t grows with their size.

    t = u sqrt((n - 1) / (n - u^2)) for the ratio u, so that the largest t is the one of the largest u.
    """

    def __init__(self, paired: PairedValues) -> None:
        self.paired, self.exact = paired, ExactValues.of(paired.with_used_systems())
        squares = [
            np.square(self.exact.of_pairs(self.exact.values.T, pairs)).sum(axis=1)
            for pairs in self.exact.chunks(paired.topics)
        ]
        root = np.sqrt(np.concatenate(squares))
        self.scale = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
        self.observed = np.abs(self.exact.totals()) * self.scale
        self.tolerance = self.exact.tolerance * self.scale + 1e-12 * self.observed

    def largest(self, signs: Floats) -> Floats:
        """Return the largest ratio of every draw."""
        sums, largest = self.exact.values.T @ signs.T, np.zeros(len(signs))
        for pairs in self.exact.chunks(len(signs)):
            ratios = self.exact.of_pairs(sums, pairs)
            np.abs(ratios, out=ratios)
            ratios *= self.scale[pairs, None]
            np.maximum(largest, ratios.max(axis=0), out=largest)
        return largest
