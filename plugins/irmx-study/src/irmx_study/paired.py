"""The values of systems on the same topics, their differences, exact sums of them, and sizes of effects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from irmx.ragged import Bools, Floats, Ints
from irmx_study.draws import KeptOrders

_FLOATS = 2**18
"""How many differences to compute at a time: few enough for the cache."""

_ROUNDING = 1e-9
"""By how much, relatively, a difference may exceed the threshold of ties: 0.3 - 0.29 is a little more than 0.01 in floats."""


def p_of_equal_signs(topics: int) -> float:
    """Return the probability that random signs of all topics are equal, the p-value of equal differences.

    >>> p_of_equal_signs(3)
    0.25
    """
    return float(0.5 ** (topics - 1))


def _unseen(count: int) -> None:
    """Show no progress."""


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The values of systems on the same topics, and the pairs of systems to compare.

    Attributes
    ----------
    values : float array
        The values of one measure, of shape (topics, systems).
    first, second : int array
        The columns of the systems of every pair, of shape (pairs,). Differences are first - second.
    draws : int
        How many random draws a test makes that resamples.
    seed : int
        The seed of the draws.
    tie_threshold : float
        The largest difference on a topic that counts as a tie.
    advance : callable
        To be called by long computations with the share of the work that is done since the last call, in draws.
    orders : KeptOrders
        Random orders of the systems, which the measures of a comparison share.
    """

    values: Floats
    first: Ints
    second: Ints
    draws: int = 10_000
    seed: int = 0
    tie_threshold: float = 0.0
    advance: Callable[[int], None] = _unseen
    orders: KeptOrders = field(default_factory=KeptOrders)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.values)

    def largest(self, pairs: slice = slice(None)) -> Floats:
        """Return the largest size of a value of the two systems of some pairs, of shape (pairs,)."""
        of_systems = np.abs(self.values).max(axis=0)
        largest: Floats = np.maximum(of_systems[self.first[pairs]], of_systems[self.second[pairs]])
        return largest

    def chunks(self) -> Iterator[slice]:
        """Yield consecutive pairs, so many at a time that their differences take little memory."""
        size = max(1, _FLOATS // max(self.topics, 1))
        yield from (slice(start, start + size) for start in range(0, len(self), size))

    def differences(self, pairs: slice = slice(None)) -> Floats:
        """Return the differences of some pairs, by default of all, of shape (topics, pairs).

        Those of a pair are next to each other in memory, so that numpy adds them up as accurately as an array of one pair.
        """
        systems = np.ascontiguousarray(self.values.T)
        differences: Floats = (systems[self.first[pairs]] - systems[self.second[pairs]]).T
        return differences

    def mean_differences(self) -> Floats:
        """Return the differences of the means of the systems of every pair."""
        means = self.values.mean(axis=0)
        differences: Floats = means[self.first] - means[self.second]
        return differences

    def outcomes(self) -> tuple[Ints, Ints, Ints]:
        """Return on how many topics the first system of every pair wins, ties and loses.

        A tie is a difference of at most the threshold.
        """
        threshold = self.tie_threshold * (1 + _ROUNDING)
        wins, losses = np.zeros((2, len(self)), dtype=np.int64)
        for pairs in self.chunks():
            differences = self.differences(pairs)
            wins[pairs] = np.count_nonzero(differences > threshold, axis=0)
            losses[pairs] = np.count_nonzero(differences < -threshold, axis=0)
        return wins, self.topics - wins - losses, losses

    def select(self, pairs: Bools) -> PairedValues:
        """Return some of the pairs; the values of all systems stay."""
        return replace(self, first=self.first[pairs], second=self.second[pairs])

    def with_used_systems(self) -> PairedValues:
        """Return the pairs with the values of their own systems alone."""
        used, places = np.unique([self.first, self.second], return_inverse=True)
        first, second = places.reshape(2, -1)
        return replace(self, values=self.values[:, used], first=first, second=second)


_BITS = 52
"""Sums stay below 2^52, their differences below 2^53: whole numbers up to there are exact in a float."""

_TOLERATED = 4
"""A value is rounded by half a unit, a difference by one; what is compared are up to four such sums."""

_SUMS = 2**16
"""How many sums of pairs to compute at a time, few enough for the cache."""


@dataclass(frozen=True, eq=False)
class ExactValues:
    """The values of systems as whole numbers of a tiny unit, a power of two.

    Any sum of n of them, n the number of topics, is exact, in whatever order a matrix product adds them: on every machine,
    with every number of threads.

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
        return float(_TOLERATED * len(self.values))

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
        """Return, for every pair, for how many draws the size of the difference reaches a number."""
        counts = np.empty(len(self.first), dtype=np.int64)
        for pairs in self.chunks(sums.shape[1]):
            differences = self.of_pairs(sums, pairs)
            if centres is not None:
                differences -= centres[pairs, None]
            np.abs(differences, out=differences)
            counts[pairs] = np.count_nonzero(differences >= least[pairs, None], axis=1)
        return counts


_CONSTANT = 1e-12
"""A standard deviation that is smaller, relative to the mean, comes from rounding alone."""


def mean_and_deviation(differences: Floats, largest: Floats | float = 0.0) -> tuple[Floats, Floats]:
    """Return the means of differences over topics, and their standard deviations.

    Examples
    --------
    >>> import numpy as np
    >>> mean, deviation = mean_and_deviation(np.array([[0.3 - 0.2, 0.0], [0.2 - 0.1, 2.0]]))
    >>> mean.round(3).tolist(), deviation.round(3).tolist()
    ([0.1, 1.0], [0.0, 1.414])
    """
    mean, deviation = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    rounding = np.maximum(_CONSTANT * np.abs(mean), 4 * np.finfo(float).eps * largest)
    return mean, np.where(deviation <= rounding, 0.0, deviation)


def paired_effects(differences: Floats, largest: Floats | float = 0.0) -> Floats:
    """Return the mean of the differences over their standard deviation, per pair; 0 where all are 0, infinite where all are equal."""
    mean, deviation = mean_and_deviation(differences, largest)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / deviation)


def residual_variance(values: Floats) -> float:
    """Return the residual variance of a two-way analysis of variance without replication, topics x systems.

    It is 0 where systems differ by constants, but for rounding.
    """
    topics, systems = values.shape
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    residuals[np.abs(residuals) <= 8 * np.finfo(float).eps * np.abs(values).max()] = 0
    return float((residuals**2).sum() / ((topics - 1) * (systems - 1)))
