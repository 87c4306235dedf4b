"""Corrections of the p-values of several comparisons that need the p-values alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from irmx.ragged import Floats
from irmx_study.significance.cited_papers import BENJAMINI, DUNN, HOLM, HOMMEL
from irmx_study.significance.named_tests import Correction
from irmx_study.significance.paired_values import PairedValues


class NoCorrection(Correction):
    """None: every comparison stands for itself."""

    NAME = "none"
    SHORT_DESC = "no correction"

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the p-values as they are."""
        return p


class _OfPValues(Correction):
    """A correction by ``statsmodels.stats.multitest.multipletests``."""

    METHOD: ClassVar[str]

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        from statsmodels.stats.multitest import multipletests

        corrected: Floats = multipletests(p, method=self.METHOD)[1]
        return corrected


class Holm(Correction):
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


class Bonferroni(_OfPValues):
    """Bonferroni's correction: p times the number of comparisons. Holm's is as valid, and finds more."""

    NAME, METHOD = "bonferroni", "bonferroni"
    SHORT_DESC = "Bonferroni's correction, which controls the family-wise error rate"
    CITATIONS = (DUNN,)


class Hommel(_OfPValues):
    """Hommel's correction, valid for independent and most positively dependent comparisons. Slow for thousands of them."""

    NAME, METHOD = "hommel", "hommel"
    SHORT_DESC = "Hommel's correction, which controls the family-wise error rate"
    CITATIONS = (HOMMEL,)


class BenjaminiHochberg(_OfPValues):
    """Benjamini and Hochberg's correction: the expected share of false discoveries among those that are significant."""

    NAME, METHOD = "bh", "fdr_bh"
    SHORT_DESC = "Benjamini and Hochberg's correction, which controls the false discovery rate"
    CITATIONS = (BENJAMINI,)
