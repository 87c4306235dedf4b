"""Which pairs of systems a comparison is of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from irmx import UsageError
from irmx.ragged import Ints
from irmx.toolkit import some, suggest

_LISTED = 20
"""How many names of systems a message lists."""


def baselines_of(baseline: str | Iterable[str] | None, systems: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the baselines, by default of the first system.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown system; the message suggests the nearest.
    """
    if baseline is None:
        return (systems[0],)
    names = dict.fromkeys(baseline) if isinstance(baseline, Iterable) and not isinstance(baseline, str) else [baseline]
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"A baseline is the name of a system, such as {systems[0]!r}. Got {name!r} instead.")
        if name not in systems:
            raise UsageError(
                f"There is no system {name!r} to be the baseline.{suggest(name, systems)} The systems: "
                f"{some(systems, _LISTED)}."
            )
    if not names:
        raise UsageError("There is no baseline. Name a system, or compare all pairs.")
    return tuple(names)


def pairs_with(baselines: Sequence[str], systems: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the pairs of every other system with each baseline, as two arrays of places; no pair occurs twice.

    >>> [array.tolist() for array in pairs_with(["b", "a"], ["a", "b", "c"])]
    [[0, 2, 2], [1, 1, 0]]
    """
    pairs: dict[frozenset[int], tuple[int, int]] = {}
    for b in map(systems.index, baselines):
        for a in range(len(systems)):
            if a != b:
                pairs.setdefault(frozenset((a, b)), (a, b))
    first, second = np.array(list(pairs.values()), dtype=np.intp).reshape(-1, 2).T
    return first, second


def all_pairs_of(systems: int) -> tuple[Ints, Ints]:
    """Return all pairs of systems, as two arrays of places; the earlier system stands second, as a baseline does.

    >>> [array.tolist() for array in all_pairs_of(3)]
    [[1, 2, 2], [0, 0, 1]]
    """
    second, first = np.triu_indices(systems, 1)
    return first, second
