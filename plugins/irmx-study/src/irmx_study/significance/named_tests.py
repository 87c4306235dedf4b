"""The base classes of significance tests and of corrections."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from irmx import Symbol
from irmx.ragged import Floats
from irmx_study.significance.paired_values import PairedValues


class SignificanceTest(Symbol):
    """A two-sided test of the hypothesis that two systems do not differ.

    Another plugin adds a test without importing this class: a :class:`irmx.Symbol` of the same ``KIND`` with a method ``test``;
    the other attributes have defaults.

    Attributes
    ----------
    RESAMPLES : bool
        Whether it makes random draws.
    FLIPS_SIGNS : bool
        Whether these are changes of signs, and all 2^n of them where these are at most as many as the draws.
    ALL_PAIRS : bool
        Whether it compares all pairs of systems together, so that its p-values need no correction within a measure.
    CITATIONS : tuple of str
        BibTeX entries of the papers to cite.
    """

    KIND = "significance test"
    RESAMPLES: ClassVar[bool] = False
    FLIPS_SIGNS: ClassVar[bool] = False
    ALL_PAIRS: ClassVar[bool] = False
    CITATIONS: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the statistic and the p-value of every pair, both of shape (pairs,)."""

    def intervals(self, paired: PairedValues, level: float) -> tuple[Floats, Floats] | None:
        """Return the ends of the intervals of the differences with a coverage of 1 - level; None for those of the t test."""
        return None


class Correction(Symbol):
    """A correction of the p-values of several comparisons.

    Another plugin adds one without importing this class: a :class:`irmx.Symbol` of the same ``KIND`` with a method ``adjust``.

    Attributes
    ----------
    RESAMPLES : bool
        Whether it makes random draws.
    FLIPS_SIGNS : bool
        Whether these are changes of signs, and all 2^n of them where these are at most as many as the draws.
    CITATIONS : tuple of str
        BibTeX entries of the papers to cite.
    """

    KIND = "correction of p-values"
    RESAMPLES: ClassVar[bool] = False
    FLIPS_SIGNS: ClassVar[bool] = False
    CITATIONS: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return corrected p-values of a family: the pairs of one or several measures, one after the other."""
