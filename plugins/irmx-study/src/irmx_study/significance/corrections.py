"""Corrections of the p-values of several comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from irmx.ragged import Floats
from irmx_study.significance.named_tests import Correction
from irmx_study.significance.paired_values import PairedValues


class NoCorrection(Correction):
    """None: every comparison stands for itself."""

    NAME = "none"
    SHORT_DESC = "no correction"

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the p-values as they are."""
        return p


class _Closed(Correction):
    """A correction that needs the p-values alone."""

    METHOD: ClassVar[str]

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        from statsmodels.stats.multitest import multipletests

        corrected: Floats = multipletests(p, method=self.METHOD)[1]
        return corrected


class Holm(_Closed):
    """Holm's step-down correction."""

    NAME, METHOD = "holm", "holm"
    SHORT_DESC = "Holm's correction, which controls the family-wise error rate"


class Bonferroni(_Closed):
    """Bonferroni's correction."""

    NAME, METHOD = "bonferroni", "bonferroni"
    SHORT_DESC = "Bonferroni's correction, which controls the family-wise error rate"
