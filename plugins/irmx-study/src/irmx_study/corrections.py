"""Corrections of the p-values of several comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx_study.draws import all_signs, sign_flips
from irmx_study.paired import ExactValues, PairedValues
from irmx_study.papers import BENJAMINI, DUNN, HOLM, HOMMEL, WESTFALL
from irmx_study.significance import Correction, critical_draw


class NoCorrection(Correction):
    """None: every comparison stands for itself."""

    NAME = "none"
    SHORT_DESC = "no correction"

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the p-values as they are."""
        return p

    def critical_t(self, family: Sequence[PairedValues], topics: int, level: float) -> float:
        """Return the t of a single comparison."""
        return bonferroni_t(1, topics, level)


def bonferroni_t(comparisons: int, topics: int, level: float) -> float:
    """Return the critical value of t, two-sided, at the level divided by the number of comparisons."""
    from scipy.special import stdtrit

    return float(-stdtrit(topics - 1, level / comparisons / 2))


class _OfPValues(Correction):
    """A correction by ``statsmodels.stats.multitest.multipletests``."""

    METHOD: ClassVar[str]

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        from statsmodels.stats.multitest import multipletests

        corrected: Floats = multipletests(p, method=self.METHOD)[1]
        return corrected


class _FamilyWise(Correction):
    """A correction that controls the family-wise error rate; its simultaneous intervals are Bonferroni's."""

    def critical_t(self, family: Sequence[PairedValues], topics: int, level: float) -> float:
        """Return Bonferroni's t."""
        return bonferroni_t(sum(map(len, family)), topics, level)


class Holm(_FamilyWise):
    """Holm's step-down correction, valid whatever the dependence of the comparisons.

    The smallest of n p-values is multiplied by n, the next by n - 1, and so on; none is smaller than the one before. This is what
    statsmodels computes, which collects garbage at each call: for a family per measure that would take a hundred times as long.
    """

    NAME = "holm"
    SHORT_DESC = "Holm's correction, which controls the family-wise error rate"
    CITATIONS = (HOLM,)

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        order = np.argsort(p)
        corrected = np.empty(len(p))
        corrected[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
        return np.minimum(corrected, 1)


class Bonferroni(_FamilyWise, _OfPValues):
    """Bonferroni's correction: p times the number of comparisons. Holm's is as valid, and finds more."""

    NAME, METHOD = "bonferroni", "bonferroni"
    SHORT_DESC = "Bonferroni's correction, which controls the family-wise error rate"
    CITATIONS = (DUNN,)


class Hommel(_FamilyWise, _OfPValues):
    """Hommel's correction, valid for independent and most positively dependent comparisons. Slow for thousands of them."""

    NAME, METHOD = "hommel", "hommel"
    SHORT_DESC = "Hommel's correction, which controls the family-wise error rate"
    CITATIONS = (HOMMEL,)


class BenjaminiHochberg(_OfPValues):
    """Benjamini and Hochberg's correction: the expected share of false discoveries among those that are significant."""

    NAME, METHOD = "bh", "fdr_bh"
    SHORT_DESC = "Benjamini and Hochberg's correction, which controls the false discovery rate"
    CITATIONS = (BENJAMINI,)


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
        measures = [_Sums(paired) for paired in family]
        highest = self._highest(family, measures)
        least = np.concatenate([measure.observed - measure.tolerance for measure in measures])
        counted = 0 if all_signs(family[0].topics, family[0].draws) else 1
        corrected: Floats = (len(highest) - np.searchsorted(highest, least) + counted) / (len(highest) + counted)
        return corrected

    def critical_t(self, family: Sequence[PairedValues], topics: int, level: float) -> float:
        """Return the critical value of the largest t statistic of the draws."""
        counted = 0 if all_signs(topics, family[0].draws) else 1
        ratio = critical_draw(self._highest(family, [_Sums(paired) for paired in family]), level, counted)
        return float(ratio * np.sqrt((topics - 1) / (topics - ratio**2))) if ratio**2 < topics else np.inf

    def _highest(self, family: Sequence[PairedValues], measures: Sequence[_Sums]) -> Floats:
        """Return the largest ratio of every draw over all comparisons, sorted."""
        topics, draws, seed = family[0].topics, family[0].draws, family[0].seed
        if any(paired.topics != topics for paired in family):
            raise UsageError(
                "The correction maxt flips the signs of all measures of a family together, so that they need values on the same "
                'topics. Correct each measure alone (family="measure"), or leave out topics and measures without values.'
            )
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
        return highest


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
