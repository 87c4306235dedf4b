"""Sums over topics that are exact, so that no order of additions can change a count of draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irmx.ragged import Floats, Ints
from irmx_study.significance.paired_values import PairedValues

_BITS = 52
"""Sums stay below 2^52, their differences below 2^53: whole numbers up to there are exact in a float."""

_ROUNDING = 4
"""A value is rounded by half a unit, a difference by one; what is compared are up to four such sums."""

_SUMS = 2**16
"""How many sums of pairs to compute at a time, few enough for the cache."""


@dataclass(frozen=True, eq=False)
class ExactValues:
    """The values of systems as whole numbers of a tiny unit, a power of two.

    Any sum of n of them, n the number of topics, is exact, in whatever order a matrix product adds them: on every machine,
    with every number of threads.

    Attributes
    ----------
    values : float array
        The whole numbers, of shape (topics, systems), from the middle of each topic.
    unit : float
        The unit.
    first, second : int array
        The systems of every pair.

    Examples
    --------
    >>> import numpy as np
    >>> paired = PairedValues(np.array([[0.5, 0.1], [0.2, 0.4]]), np.array([0]), np.array([1]))
    >>> exact = ExactValues.of(paired)
    >>> (exact.totals() * exact.unit).round(12).tolist()
    [0.2]
    """

    values: Floats
    unit: float
    first: Ints
    second: Ints

    @classmethod
    def of(cls, paired: PairedValues) -> ExactValues:
        """Return the values of systems in the smallest unit in which their sums are exact.

        They are taken from the middle of each topic, which changes no difference: where values are large and differ little, the
        unit is as small as the differences need.
        """
        middle = paired.values.max(axis=1, keepdims=True) / 2 + paired.values.min(axis=1, keepdims=True) / 2
        values: Floats = paired.values - middle
        power = _BITS - int(np.frexp(np.abs(values).max())[1]) - paired.topics.bit_length()
        return cls(np.rint(np.ldexp(values, power)), float(np.ldexp(1.0, -power)), paired.first, paired.second)

    @property
    def tolerance(self) -> float:
        """How much smaller a sum may be by rounding, and still reach another."""
        return float(_ROUNDING * len(self.values))

    def totals(self) -> Floats:
        """Return the sum of the differences of every pair, in units."""
        return self.of_pairs(self.values.sum(axis=0)[:, None])[:, 0]

    def of_pairs(self, sums: Floats, pairs: slice = slice(None)) -> Floats:
        """Return the differences of sums of systems, of shape (systems, draws), between the systems of some pairs."""
        differences: Floats = sums[self.first[pairs]]
        differences -= sums[self.second[pairs]]
        return differences

    def chunks(self, draws: int) -> list[slice]:
        """Return consecutive pairs, so many at a time that their sums for some draws fit into the cache."""
        size = max(1, _SUMS // max(draws, 1))
        return [slice(start, start + size) for start in range(0, len(self.first), size)]

    def count_reaching(self, sums: Floats, least: Floats, centres: Floats | None = None) -> Ints:
        """Return, for every pair, for how many draws the size of the difference reaches a number.

        Parameters
        ----------
        sums : float array
            The sums of the systems, of shape (systems, draws).
        least : float array
            The number that is to be reached, of shape (pairs,).
        centres : float array, optional
            What to subtract from the differences of every pair, of shape (pairs,).
        """
        counts = np.empty(len(self.first), dtype=np.int64)
        for pairs in self.chunks(sums.shape[1]):
            differences = self.of_pairs(sums, pairs)
            if centres is not None:
                differences -= centres[pairs, None]
            np.abs(differences, out=differences)
            counts[pairs] = np.count_nonzero(differences >= least[pairs, None], axis=1)
        return counts
