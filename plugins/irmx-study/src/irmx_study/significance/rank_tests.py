"""Tests that look at the order or the signs of differences: Wilcoxon's signed ranks, and the sign test."""

from __future__ import annotations

import numpy as np

from irmx import Param
from irmx.ragged import Bools, Floats
from irmx_study.significance.cited_papers import DIXON, WILCOXON
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.paired_values import PairedValues

_SMALL = 13
"""On up to so many topics, SciPy permutes all signs if there are ties."""

_ROUNDING = 1e-12
"""Sizes of differences that are closer, relative to the largest value, are the same in decimals."""


class WilcoxonTest(SignificanceTest):
    """Wilcoxon's signed-rank test, by ``scipy.stats.wilcoxon``, of whose parameters these are.

    SciPy's ``method="auto"`` is exact on up to 50 topics if no difference is 0 and no two have the same size; otherwise it permutes
    all signs on up to 13 topics, and takes the normal approximation on more. Each pair of systems is decided for itself.

    SciPy ranks differences as floats, of which 0.3 - 0.2 and 0.2 - 0.1 are not equal. ``decimals`` rounds them first, so that
    differences that are equal in decimals share a rank; it matters for values with few decimals, such as P@10.
    """

    NAME = "wilcoxon"
    SHORT_DESC = "Wilcoxon's signed-rank test"
    CITATIONS = (WILCOXON,)
    SUPPORTED_PARAMS = {
        "zeros": Param(
            str,
            "topics without a difference: left out (wilcox), ranked but not counted (pratt), or halved (zsplit)",
            default="wilcox",
            choices=("wilcox", "pratt", "zsplit"),
        ),
        "method": Param(str, "how p is computed", default="auto", choices=("auto", "exact", "asymptotic")),
        "continuity": Param(
            bool, "whether the normal approximation is corrected for continuity; SciPy's default", default=True
        ),
        "decimals": Param(
            int, "decimals to round differences to before they are ranked; None: none", default=None, low=0
        ),
    }

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the smaller sum of ranks and its p-value; 0 and 1 where the systems have the same values."""
        statistic, p = np.zeros(len(paired)), np.ones(len(paired))
        for pairs in paired.chunks():
            differences = paired.differences(pairs)
            if self["decimals"] is not None:
                differences = differences.round(self["decimals"])
            is_tied = _have_ties(differences)
            differs = (differences != 0).any(axis=0)
            for some in (~is_tied & differs, is_tied & differs):
                places = np.flatnonzero(some)
                most = 1 if paired.topics <= _SMALL and is_tied[places].any() else max(1, len(places))
                for start in range(0, len(places), most):
                    chosen = places[start : start + most]
                    statistic[pairs][chosen], p[pairs][chosen] = self._of(differences[:, chosen])
        return statistic, p

    def _of(self, differences: Floats) -> tuple[Floats, Floats]:
        from scipy.stats import wilcoxon

        result = wilcoxon(
            differences,
            axis=0,
            zero_method=self["zeros"],
            method=self["method"],
            correction=self["continuity"],
        )
        return result.statistic, result.pvalue


def _have_ties(differences: Floats) -> Bools:
    """Return for which pairs a difference is 0, or two have the same size: SciPy decides by all pairs that it is given."""
    sizes = np.sort(np.abs(differences), axis=0)
    ties: Bools = (sizes[0] == 0) | (sizes[1:] == sizes[:-1]).any(axis=0)
    return ties


def count_lost_ties(paired: PairedValues) -> int:
    """Return for how many pairs two differences of the same size, or one of 0, are not equal as floats.

    >>> count_lost_ties(PairedValues(np.array([[0.3, 0.2], [0.2, 0.1]]), np.array([0]), np.array([1])))
    1
    """
    count = 0
    for pairs in paired.chunks():
        sizes = np.sort(np.abs(paired.differences(pairs)), axis=0)
        gaps = np.diff(sizes, axis=0, prepend=0)
        count += int(((gaps > 0) & (gaps <= _ROUNDING * paired.largest(pairs))).any(axis=0).sum())
    return count


class SignTest(SignificanceTest):
    """The sign test: the topics that the first system wins, of those that it wins or loses, by the binomial distribution.

    Topics that are ties are left out: those whose values differ by at most ``tie_threshold``, which is 0 by default; a
    customary threshold is 0.01.
    """

    NAME = "sign"
    SHORT_DESC = "sign test of the topics won and lost; ties are left out"
    CITATIONS = (DIXON,)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the number of topics that the first system wins, and p."""
        from scipy.special import bdtr

        wins, _, losses = paired.outcomes()
        p = 2 * bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5)
        return wins.astype(float), np.minimum(p, 1)
