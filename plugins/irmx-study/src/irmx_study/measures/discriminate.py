"""How well measures tell systems apart: by tests of all pairs of systems, and by halves of the topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from irmx import DataError, Param, Scores, UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import list_some, plural, progress_bar
from irmx_study.inputs.choices import Choices, as_scores, choices_of
from irmx_study.showing.result import Result, Titled, for_reading
from irmx_study.statistics.paired import ExactValues, PairedValues, shuffled_systems
from irmx_study.statistics.ranks import rounded
from irmx_study.systems.compare import Comparison, compare
from irmx_study.systems.pairs import all_pairs_of, complete_values
from irmx_study.systems.words import topics_of

# -- swaps: how often two halves of the topics put two systems into opposite orders ----------------------------------


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
        return int(self.counts[:, _OPPOSITE].sum()) / compared if compared else np.nan

    @property
    def reliable_difference(self) -> float:
        """The smallest difference of the first bin with a swap rate of at most 5%; NaN if there is none."""
        reliable = self.table()["swap_rate"].to_numpy() <= RELIABLE  # not in an empty bin, whose rate is NaN
        return self.width * int(reliable.argmax()) if reliable.any() else np.nan

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
    return float(np.abs(differences)[enough].min()) if enough.any() else np.nan


# -- how well measures tell systems apart ----------------------------------------------------------------------------


_LEAST_SYSTEMS, _LEAST_TOPICS = 3, 4
"""The fewest systems; and two topics for each half."""

_MOST = 0.9
"""If a larger share of differences is in the last or first bin, bins are too narrow or too wide."""

_PARAMS = {
    "splits": Param(int, "number of random splits of the topics", low=0, high=10**7),
    "bin_width": Param(float, "width of the bins of differences", above=0),
}


def discriminate(
    source: Any,
    qrels: Any = None,
    runs: Any = None,
    *,
    splits: int = 1000,
    bin_width: float = 0.01,
    choices: Choices | None = None,
    progress: bool | None = None,
    **choose: Any,
) -> Result:
    """Tell how well measures separate systems: by tests of all pairs of systems, and by halves of the topics.

    Parameters
    ----------
    source, qrels, runs
        As for :func:`irmx_study.compare`: scores of at least three systems.
    splits : int
        The number of random splits of the topics into halves, the same for all measures; 0 for no swap rates.
    bin_width : float
        The width of the bins of differences for swap rates. There are 20, and one for larger differences.
    choices : Choices, optional
        The test and its parameters; or give them one by one. By default, p-values are not corrected, as in the literature on
        discriminative power.
    progress : bool, optional
        Whether to show progress bars; by default if standard error is a terminal and the work is long.
    **choose
        The parameters of :class:`Choices`.

    Returns
    -------
    Result
        Its tables:

        ``"measures"``
            One row per view: ``measure``, ``test``, ``correction``, ``level``; the number of ``pairs`` of systems, and of those
            whose corrected p-value is at most the level, ``significant``; their share, the discriminative ``power``; the
            ``difference_needed``, the smallest difference of means from which on every pair is significant, NaN if there is
            none; and the ``swap_rate``, the share of pairs and splits that the other half of the topics contradicts, NaN if no
            half has an order of any pair, or there are no splits.
        ``"asl"``
            The achieved significance levels of all pairs, sorted: one row per view and pair, with its ``rank``, the ``share`` of
            the pairs up to this one, ``a``, ``b``, their ``difference``, ``p`` and ``p_corrected``.
        ``"swaps"``
            One row per view and bin of differences in the first half of the topics, from ``low`` up to below ``high``: how many
            pairs and splits were ``compared``, how many of these are ``tied`` or ``swapped`` in the second half, and the
            ``swap_rate``.

    Raises
    ------
    irmx.errors.UsageError
        For fewer than three systems, or an illegal parameter.
    irmx.errors.DataError
        If a measure has values for fewer than four topics, or a value is infinite.

    References
    ----------
    .. [1] T. Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
    .. [2] E. M. Voorhees, C. Buckley. The effect of topic set size on retrieval experiment error. SIGIR 2002.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP P@5", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> table = irmx_study.discriminate(scores).frame()
    >>> table[["measure", "pairs", "significant", "power", "difference_needed", "swap_rate"]].round(3)
      measure  pairs  significant  power  difference_needed  swap_rate
    0      AP      3            3    1.0              0.105      0.003
    1     P@5      3            3    1.0              0.180      0.001
    """
    for name, value in (("splits", splits), ("bin_width", bin_width)):
        _PARAMS[name].check(value, name, "discriminate")
    chosen = choices_of(choices, choose if choices is not None else {"correction": "none", **choose})
    scores = as_scores("discriminate", source, qrels, runs, progress).with_missing()
    if len(scores.systems) < _LEAST_SYSTEMS:
        raise UsageError(
            f"Discriminative power is a share of all pairs of at least {_LEAST_SYSTEMS} systems. Got {len(scores.systems)}: "
            f"{', '.join(scores.systems)}. To compare two, use irmx compare."
        )
    comparison = compare(scores, all_pairs=True, choices=chosen, missing="zero", progress=progress)
    swaps = _swaps(scores, splits, comparison.choices.seed, bin_width, progress) if splits else ()
    return _Discrimination(comparison, swaps, splits).result()


def _swaps(scores: Scores, splits: int, seed: int, width: float, progress: bool | None) -> tuple[SwapCounts, ...]:
    """Return the swaps of every view."""
    blocks = [complete_values(scores, v) for v in range(len(scores.names))]
    for name, values in zip(scores.names, blocks, strict=True):
        if len(values) < _LEAST_TOPICS:
            raise DataError(
                f"Swap rates need two topics in each half, {_LEAST_TOPICS} topics for which every system has a value of {name}. "
                f"There are {len(values)}. Give results for more topics, or leave the swap rates out: splits 0."
            )
    with progress_bar("Splitting", splits * len(blocks), shown=progress) as advance:
        return tuple(count_swaps(values, splits, seed, width, advance) for values in blocks)


class _Discrimination:
    """What makes the tables, facts and notes of a result."""

    def __init__(self, comparison: Comparison, swaps: tuple[SwapCounts, ...], splits: int) -> None:
        self.comparison, self.swap_counts, self.splits = comparison, swaps, splits
        self.scores, self.compared, self.choices = comparison.scores, comparison.compared, comparison.choices
        self.names = self.scores.names

    def result(self) -> Result:
        sizes = f"{plural(len(self.scores.systems), 'system')} by {plural(len(self.names), 'measure')}"
        title = f"Discrimination of {sizes}: test {self.choices.test}, correction {self.choices.correction}"
        tables = {"measures": self.measures, "asl": self.asl}
        pictures = {"levels": "measures.pictures:plot_levels", "log": "measures.pictures:plot_log_levels"}
        if self.splits:
            tables["swaps"] = self.swaps
            pictures["swaps"] = "measures.pictures:plot_swaps"
        layouts = {"measures": self.for_reading, "asl": self.asl_for_reading}
        return Result(
            title, tables, self.scores, self.choices, self.facts, lambda: list(self.notes()), pictures, layouts
        )

    def measures(self) -> pd.DataFrame:
        rows, columns, test = [], self.compared.columns, self.choices.test
        as_typed = str(test).replace(test.NAME, test.NAME.replace("_", "-"), 1)  # values of parameters stay as they are
        for v, name in enumerate(self.names):
            significant = columns["p_corrected"][v] <= self.choices.level
            rows.append({
                "measure": name, "test": as_typed, "correction": str(self.choices.correction),
                "level": self.choices.level, "pairs": len(significant), "significant": int(significant.sum()),
                "power": float(significant.mean()),
                "difference_needed": difference_needed(columns["difference"][v], significant),
                "swap_rate": self.swap_counts[v].swap_rate if self.splits else np.nan,
            })  # fmt: skip
        return pd.DataFrame(rows)

    def asl(self) -> pd.DataFrame:
        rows, pairs, tables = self.comparison.comparisons, len(self.compared.first), []
        for v, name in enumerate(self.names):
            table = rows.iloc[v * pairs : (v + 1) * pairs].sort_values(["p_corrected", "p"], kind="stable")
            ranks = np.arange(1, len(table) + 1)
            columns = {"measure": name, "rank": ranks, "share": ranks / len(table)}
            others = ["a", "b", "difference", "p", "p_corrected"]
            tables.append(pd.DataFrame(columns | {name: table[name].to_numpy() for name in others}))
        return pd.concat(tables, ignore_index=True)

    def swaps(self) -> pd.DataFrame:
        tables = [swaps.table() for swaps in self.swap_counts]
        for name, table in zip(self.names, tables, strict=True):
            table.insert(0, "measure", name)
        return pd.concat(tables, ignore_index=True)

    def for_reading(self, places: int) -> list[Titled]:
        """Return one row per view, the largest power first."""
        columns = ["measure", "significant", "power", "difference_needed"]
        table = self.measures()[columns + ["swap_rate"] * bool(self.splits)]
        if self.splits:
            table = table.assign(reliable_from=[swaps.reliable_difference for swaps in self.swap_counts])
        table = table.sort_values("power", ascending=False, kind="stable", ignore_index=True)
        return [("", for_reading(table, places))]

    def asl_for_reading(self, places: int) -> list[Titled]:
        rows = self.asl().drop(columns="share")
        if not self.choices.is_corrected:  # a test of all pairs together has no other p-value
            rows = rows.drop(columns="p").rename(columns={"p_corrected": "p"})
        return [("", for_reading(rows, places))]

    def facts(self) -> dict[str, str]:
        of_tests = self.comparison.facts()
        facts: dict[str, str] = {
            name: of_tests[name] for name in ("test", "family", "correction", "level", "draws") if name in of_tests
        }
        if self.choices.tie_threshold:
            facts["ties"] = (
                f"differences of at most {self.choices.tie_threshold:g} on a topic, for tests that count wins"
            )
        p_value = "corrected p-value" if self.choices.is_corrected else "p-value"
        pairs = len(self.compared.first)
        facts["power"] = f"share of all {pairs:,} pairs of systems whose {p_value} is at most the level"
        facts["needed"] = "the smallest difference of means that is significant together with all larger ones"
        if self.splits:
            topics = topics_of(self.comparison)
            alike = ", the same for all measures" if topics.isdecimal() and len(self.names) > 1 else ""
            facts["splits"] = f"{self.splits:,}, of {topics} topics into random halves{alike}"
            facts["swap rate"] = (
                "share of pairs and splits in the opposite order in the other half; a tie there is no swap"
            )
            facts["reliable"] = f"the smallest difference whose bin has a swap rate of at most {RELIABLE:.0%}"
        if self.splits or self.choices.resampled:
            facts["seed"] = str(self.choices.seed)
        facts["systems"] = str(len(self.scores.systems))
        return facts | {name: of_tests[name] for name in ("topics", "missing", "versions")}

    def notes(self) -> Iterator[str]:
        equal = self.compared.identical.all(axis=1)
        names = np.array(self.names, dtype=object)
        if equal.any():
            yield f"all systems have the same values, so that the power is 0 and no half has an order: {list_some(names[equal], 10)}"
        unclear = self.measures()["difference_needed"].isna().to_numpy() & ~equal
        if unclear.any():
            listed = list_some(names[unclear], 10)
            yield f"no difference needed, because even the pair with the largest difference is not significant: {listed}"
        rows = [
            (name, swaps) for name, swaps in zip(self.names, self.swap_counts, strict=False) if swaps.compared.any()
        ]
        unreliable = [name for name, swaps in rows if np.isnan(swaps.reliable_difference)]
        if unreliable:
            yield f"no bin of differences has a swap rate of at most {RELIABLE:.0%}: {list_some(unreliable, 10)}"
        for place, bins, better in ((-1, "in the last bin", "wider"), (0, "in the first bin", "narrower")):
            nearly = [name for name, swaps in rows if swaps.compared[place] > _MOST * swaps.compared.sum()]
            if nearly:
                yield f"nearly all differences are {bins}; {better} ones tell them apart: {list_some(nearly, 10)}"
        yield from self.comparison.notes
