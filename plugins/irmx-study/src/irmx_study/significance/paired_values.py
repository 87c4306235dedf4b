"""The values of systems on the same topics, and the pairs of systems to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from irmx.ragged import Bools, Floats, Ints
from irmx_study.significance.kept_orders import KeptOrders

_FLOATS = 2**18
"""How many differences to compute at a time: few enough for the cache."""

_ROUNDING = 1e-9
"""By how much, relatively, a difference may exceed the threshold of ties: 0.3 - 0.29 is a little more than 0.01 in floats."""


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
