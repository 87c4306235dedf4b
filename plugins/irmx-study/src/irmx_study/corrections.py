"""Corrections of the p-values of several comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx_study.draws import all_signs, sign_flips
from irmx_study.paired import ExactValues, PairedValues
from irmx_study.papers import BENJAMINI, DUNN, HOLM, HOMMEL, MEIJER, WESTFALL, YEKUTIELI
from irmx_study.significance import Correction, critical_draw


class NoCorrection(Correction):
    """No correction: each comparison is tested on its own."""

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


class Hommel(_FamilyWise):
    """Hommel's correction, valid for independent and most positively dependent comparisons.

    With the Simes bound s_m = min_k m p_(n-m+k) / k of the m largest p-values, and S_m the largest s of m and more, the corrected p is
    the smallest of max(m p, S_(m+1)) over m, which is found by halving; the bounds are tangents to the lower hull of the sorted
    p-values (Meijer, Krebs and Goeman, 2019), so that many thousands of comparisons take a second.
    """

    NAME = "hommel"
    SHORT_DESC = "Hommel's correction, which controls the family-wise error rate"
    CITATIONS = (HOMMEL, MEIJER)

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        n = len(p)
        simes = np.append(_simes_bounds(np.sort(p)), 0.0)  # simes[m] is the bound of the n - m largest
        largest = np.maximum.accumulate(simes[: n + 1])  # S of n - m and more
        low, high = np.zeros(n, dtype=np.intp), np.full(n, n, dtype=np.intp)
        while (low < high).any():  # the smallest m with m p >= S_(m+1)
            middle = (low + high) // 2
            reached = middle * p >= _of_more_than(largest, middle)
            low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
        low = np.minimum(low, n)
        at = np.maximum(low * p, _of_more_than(largest, low))
        before = np.maximum((low - 1) * p, _of_more_than(largest, np.maximum(low - 1, 0)))
        return np.minimum(np.where(low > 0, np.minimum(at, before), at), 1)


def _of_more_than(largest: Floats, m: np.ndarray[Any, np.dtype[np.intp]]) -> Floats:
    """Return the largest Simes bound of more than m of the largest p-values; 0 for all of them."""
    n = len(largest) - 1
    return np.where(m < n, largest[np.maximum(n - m - 1, 0)], 0.0)


def _simes_bounds(ordered: Floats) -> Floats:
    """Return min over k of m p_(a+k) / k for every a = n - m, of p-values in ascending order.

    p_(a+k) / k is the slope from (a, 0) to the point (a + k, p_(a+k)); the smallest touches the lower hull of the points behind a.

    >>> _simes_bounds(np.array([0.01, 0.02, 0.9])).round(3).tolist()
    [0.03, 0.04, 0.9]
    """
    n, values = len(ordered), ordered.tolist()
    hull: list[int] = []  # places of the points of the lower hull behind a, the nearest last
    bounds = np.empty(n)
    for a in range(n - 1, -1, -1):
        while len(hull) > 1 and (values[hull[-1]] - values[a]) * (hull[-2] - a) >= (values[hull[-2]] - values[a]) * (
            hull[-1] - a
        ):
            hull.pop()
        hull.append(a)
        low, high = 0, len(hull) - 1
        while low < high:  # slopes fall and rise along the hull
            middle = (low + high) // 2
            i, j = hull[middle], hull[middle + 1]
            if values[j] * (i + 1 - a) <= values[i] * (j + 1 - a):
                low = middle + 1
            else:
                high = middle
        bounds[a] = values[hull[low]] * (n - a) / (hull[low] + 1 - a)
    return bounds


class BenjaminiHochberg(_OfPValues):
    """Benjamini and Hochberg's correction: the expected share of false discoveries among those that are significant."""

    NAME, METHOD = "bh", "fdr_bh"
    SHORT_DESC = "Benjamini and Hochberg's correction, which controls the false discovery rate"
    CITATIONS = (BENJAMINI,)


class BenjaminiYekutieli(_OfPValues):
    """Benjamini and Yekutieli's correction: as Benjamini and Hochberg's, and valid whatever the dependence of the comparisons."""

    NAME, METHOD = "by", "fdr_by"
    SHORT_DESC = "Benjamini and Yekutieli's correction, which controls the false discovery rate under any dependence"
    CITATIONS = (YEKUTIELI,)


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
