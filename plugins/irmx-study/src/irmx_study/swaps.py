"""Swaps: how often two halves of the topics put two systems into opposite orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from irmx.ragged import Bools, Floats, Ints
from irmx_study.draws import shuffled_systems
from irmx_study.paired import ExactValues, PairedValues
from irmx_study.pairs import all_pairs_of
from irmx_study.rankings import rounded

BINS = 21
"""Voorhees and Buckley's bins: with a width of 0.01, twenty of differences below 0.20, and one of larger ones."""

RELIABLE = 0.05
"""The swap rate up to which an order of two systems is taken for reliable."""

_UNORDERED, _SAME, _TIED, _OPPOSITE = range(4)
"""What the two halves say about a pair: the first has no order; the second has the same, none, or the opposite one."""


@dataclass(frozen=True, eq=False)
class SwapCounts:
    """Of all pairs of systems and random splits of the topics, how often the halves contradict each other."""

    width: float
    counts: Ints

    @property
    def compared(self) -> Ints:
        """How many pairs and splits have an order in the first half, by bin."""
        compared: Ints = self.counts[:, _SAME:].sum(axis=1)
        return compared

    @property
    def swap_rate(self) -> float:
        """The share of them that have the opposite order in the second half; NaN if there are none."""
        compared = int(self.compared.sum())
        return int(self.counts[:, _OPPOSITE].sum()) / compared if compared else float("nan")

    @property
    def reliable_difference(self) -> float:
        """The smallest difference of the first bin with a swap rate of at most 5%; NaN if there is none."""
        reliable = self.table()["swap_rate"].to_numpy() <= RELIABLE  # not in an empty bin, whose rate is NaN
        return self.width * int(reliable.argmax()) if reliable.any() else float("nan")

    def table(self) -> pd.DataFrame:
        """Return one row per bin: ``low``, ``high``, ``compared``, ``tied``, ``swapped``, ``swap_rate``."""
        edges = np.round(self.width * np.arange(BINS), 12)
        compared, swapped = self.compared, self.counts[:, _OPPOSITE]
        rates = np.divide(swapped, compared, out=np.full(BINS, np.nan), where=compared > 0)
        columns = {"low": edges, "high": [*edges[1:], np.inf], "compared": compared, "tied": self.counts[:, _TIED]}
        return pd.DataFrame({**columns, "swapped": swapped, "swap_rate": rates})


def count_swaps(
    values: Floats, splits: int, seed: int, width: float = 0.01, advance: Callable[[int], None] = lambda count: None
) -> SwapCounts:
    """Count swaps over all pairs of systems, and random splits of the topics into two halves.

    References
    ----------
    .. [1] E. M. Voorhees, C. Buckley. The effect of topic set size on retrieval experiment error. SIGIR 2002.

    Examples
    --------
    >>> values = np.array([[0.5, 0.3], [0.6, 0.4], [0.4, 0.2], [0.1, 0.3]])
    >>> swaps = count_swaps(values, splits=100, seed=0)
    >>> swaps.table().query("compared > 0").round(2).to_dict("records")
    [{'low': 0.2, 'high': inf, 'compared': 45, 'tied': 45, 'swapped': 0, 'swap_rate': 0.0}]
    """
    topics, systems = values.shape
    half = topics // 2
    exact = ExactValues.of(PairedValues(values, *all_pairs_of(systems)))
    sum_of_bin = width * half / exact.unit
    counts = np.zeros(BINS * 4, dtype=np.int64)
    for orders in shuffled_systems(1, topics, splits, seed):  # of topics, here
        sums = [_sums(exact.values, orders[:, 0, places]) for places in (slice(half), slice(half, 2 * half))]
        for pairs in exact.chunks(len(orders)):
            first, second = (exact.of_pairs(of_half, pairs) for of_half in sums)
            outcomes = _outcomes(first, second, exact.tolerance)
            # a difference that is on the edge of two bins in decimals belongs to the upper one
            bins = np.minimum((np.abs(first) + exact.tolerance) / sum_of_bin, BINS - 1).astype(np.intp)
            counts += np.bincount((bins * 4 + outcomes).ravel(), minlength=BINS * 4)
        advance(len(orders))
    return SwapCounts(width, counts.reshape(BINS, 4))


def _sums(values: Floats, chosen: Ints) -> Floats:
    """Return the sums of the systems over the chosen topics of every split, of shape (systems, splits)."""
    members = np.zeros((len(values), len(chosen)))
    members[chosen.T, np.arange(len(chosen))] = 1
    sums: Floats = values.T @ members
    return sums


def _outcomes(first: Floats, second: Floats, tolerance: float) -> Ints:
    """Return what the halves say about pairs, by the differences of their sums; rounding alone makes no order."""
    outcomes = np.where(first * second < 0, _OPPOSITE, _SAME)
    outcomes[np.abs(second) <= tolerance] = _TIED
    outcomes[np.abs(first) <= tolerance] = _UNORDERED
    return outcomes


def difference_needed(differences: Floats, significant: Bools) -> float:
    """Return the smallest difference of means from which on every pair of systems is significant.

    References
    ----------
    .. [1] T. Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.

    Examples
    --------
    >>> difference_needed(np.array([0.02, -0.05, 0.06, 0.09]), np.array([False, True, False, True]))
    0.09
    """
    sizes = rounded(np.abs(differences))
    enough = significant & (sizes > sizes[~significant].max(initial=-np.inf))
    return float(np.abs(differences)[enough].min()) if enough.any() else float("nan")
