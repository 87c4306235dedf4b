"""The values of systems on the same topics, and the pairs of systems to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from irmx.ragged import Bools, Floats, Ints

_FLOATS = 2**21
"""How many differences to compute at a time."""


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
    """

    values: Floats
    first: Ints
    second: Ints
    draws: int = 10_000
    seed: int = 0
    tie_threshold: float = 0.0
    advance: Callable[[int], None] = _unseen

    def __len__(self) -> int:
        return len(self.first)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.values)

    def chunks(self) -> Iterator[slice]:
        """Yield consecutive pairs, so many at a time that their differences take little memory."""
        size = max(1, _FLOATS // max(self.topics, 1))
        yield from (slice(start, start + size) for start in range(0, len(self), size))

    def differences(self, pairs: slice = slice(None)) -> Floats:
        """Return the differences of some pairs, by default of all, of shape (topics, pairs)."""
        differences: Floats = self.values[:, self.first[pairs]] - self.values[:, self.second[pairs]]
        return differences

    def select(self, pairs: Bools) -> PairedValues:
        """Return some of the pairs; the values of all systems stay."""
        return replace(self, first=self.first[pairs], second=self.second[pairs])
