"""Pairs of systems in every view: their differences, tests and letters, and what holds over views."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irmx import DataError, Scores, UsageError
from irmx.ragged import Array, Bools, Floats, Ints
from irmx.toolkit import list_some, plural, progress_bar, suggest
from irmx_study.inputs.choices import Choices, short_names
from irmx_study.inputs.per_topic import range_of
from irmx_study.inputs.views import Groups
from irmx_study.showing.result import Result
from irmx_study.statistics.paired import (
    LIMIT,
    KeptOrders,
    PairedValues,
    bca_intervals,
    paired_effects,
    residual_variance,
    t_intervals,
    without_rounding,
)
from irmx_study.statistics.ranks import comparable_means, letters_of, ranks_alike
from irmx_study.statistics.tests import corrected, tested

# -- the statistics of pairs of systems in every view: one row per comparison ----------------------------------------


_LARGEST = 1e150
"""Squares of larger values, and of smaller ones than its reciprocal, are no floats."""

_LISTED = 20

_MANY_EQUAL = 10
"""On so many topics on which systems differ, their values are not equal by chance."""


def baselines_of(baseline: str | Iterable[str], systems: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the baselines; an unknown one is refused."""
    names = dict.fromkeys(baseline) if isinstance(baseline, Iterable) and not isinstance(baseline, str) else [baseline]
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"A baseline is the name of a system, such as {systems[0]!r}. Got {name!r} instead.")
        if name not in systems:
            raise UsageError(
                f"There is no system {name!r} to be the baseline.{suggest(name, systems)} The systems: "
                f"{list_some(systems, _LISTED)}."
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


def topics_of_view(scores: Scores, v: int) -> Bools:
    """Return which topics a view has on which every system has a value."""
    return np.asarray(~np.isnan(scores.values[:, :, v]).any(axis=1))


def complete_values(scores: Scores, v: int) -> Floats:
    """Return the values of a view on its topics on which every system has one; those that differ by rounding alone are equal."""
    values: Floats = scores.values[:, :, v]
    if np.isinf(values).any():
        t, s = np.argwhere(np.isinf(values))[0]
        raise DataError(f"{scores.names[v]} of {scores.systems[s]} is infinite for topic {scores.topics[t]}.")
    sizes = np.nan_to_num(np.abs(values))
    largest = sizes.max(initial=0.0)
    if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
        t, s = np.argwhere(sizes == largest)[0]
        raise DataError(
            f"{scores.names[v]} of {scores.systems[s]} is {values[t, s]:.4g} for topic {scores.topics[t]}. Tests need the "
            f"squares of values, which are too {'large' if largest > 1 else 'small'} here. Give the values in another unit."
        )
    kept = topics_of_view(scores, v)
    if kept.sum() < 2:
        raise DataError(
            f"A comparison needs two topics for which every system has a value of {scores.names[v]}. There "
            f"{'is' if kept.sum() == 1 else 'are'} {kept.sum()}, of {len(scores.topics)}. Leave the measure out, or give results for more topics."
        )
    return without_rounding(values[kept])


def signs_of(scores: Scores) -> Floats:
    """Return 1 for every view of which larger values are better, -1 for the others."""
    less = [bool(getattr(measure, "LESS_IS_BETTER", False)) for measure in scores.measures]
    return np.where(less, -1.0, 1.0)


def refuse_help(scores: Scores, either: bool, helped: str = "the claim") -> None:
    """Raise if values that are missing help the systems after the first, the baseline, in a view, where they count as the measure's default.

    They do unless the default is as good for the baseline as any value of the measure can be, or as bad for a run; with ``either``
    always. A measure that irmx does not know has no values below 0, if it has none in the scores.
    """
    for v, sign in enumerate(signs_of(scores)):
        lacks, measure = scores.missing[:, :, v], scores.measures[v]
        low, high = range_of(measure)
        if np.isinf(low) and not (scores.values[:, :, v] < 0).any():
            low = 0.0
        worst, best = (low, high) if sign > 0 else (-high, -low)
        counted = sign * float(measure.DEFAULT)
        helps = [either or counted < best, *[either or counted > worst] * (len(scores.systems) - 1)]
        for s in np.flatnonzero(lacks.any(axis=0) & np.array(helps))[:1].tolist():
            topics = [scores.topics[t] for t in np.flatnonzero(lacks[:, s]).tolist()]
            raise DataError(
                f"{scores.systems[s]} has no value of {scores.names[v]} for {len(topics)} of {int(scores.in_view[:, v].sum())} topics "
                f"({list_some(topics, 5)}); counted as {float(measure.DEFAULT):g}, they would help {helped}. Give the "
                "results for these topics; or --missing both, in Python missing='both', to leave them out; or --missing zero to count "
                "them nevertheless."
            )


def refuse_same(noun: str, by_name: Mapping[str, Scores]) -> None:
    """Raise if two sets of scores are the same numbers by the same judgments, or on many topics: to be given twice is no further evidence."""
    for (name, one), (other_name, other) in combinations(by_name.items(), 2):
        shared = [topic for topic in one.topics if topic in {*other.topics}]
        if not shared or set(one.systems) != set(other.systems):
            continue
        parts = [of.select(shared, one.systems) for of in (one, other)]
        alike = (parts[0].missing == parts[1].missing).all(
            axis=(1, 2)
        )  # but for topics that a system lacks in one of them
        values, others = (part.values[alike] for part in parts)
        both = np.flatnonzero(alike)
        if not len(both) or not np.array_equal(values, others, equal_nan=True):
            continue
        telling = int((np.ptp(values, axis=1) > 0).any(axis=1).sum())  # topics on which systems differ
        is_same = one.made_by.get("qrels") == other.made_by.get("qrels") and len(both) == len(one.topics) == len(
            other.topics
        )
        if is_same or telling >= _MANY_EQUAL:
            raise DataError(
                f"Two {noun}s are the same, {name} and {other_name}: all values are equal on the {plural(len(both), 'topic')} that both have. "
                f"Give every {noun} once."
            )


@dataclass(frozen=True, eq=False)
class Compared:
    """The statistics of pairs in every view, of shape (views, pairs) and (views, systems)."""

    first: Ints
    second: Ints
    columns: dict[str, Any]
    means: Floats
    low: Floats
    high: Floats
    identical: Bools

    def frame(self, scores: Scores) -> pd.DataFrame:
        """Return one row per view and pair."""
        pairs, systems = len(self.first), np.array(scores.systems, dtype=object)
        views = np.repeat(np.arange(len(scores.names)), pairs)
        columns: dict[str, Any] = {"measure": np.array([str(m) for m in scores.measures], dtype=object)[views]}
        columns |= {
            name: pd.Series(list(of)).to_numpy()[views] for name, of in scores.marks.items() if name != "weight"
        }
        columns |= {
            "a": np.tile(systems[self.first], len(scores.names)),
            "b": np.tile(systems[self.second], len(scores.names)),
        }
        return pd.DataFrame(columns | {name: of.ravel() for name, of in self.columns.items()})


def compared_pairs(
    scores: Scores, first: Ints, second: Ints, choices: Choices, progress: bool | None = None
) -> Compared:
    """Return the statistics of pairs of systems in every view."""
    blocks = [
        PairedValues(complete_values(scores, v), first, second, choices.draws, choices.seed, choices.tie_threshold)
        for v in range(len(scores.names))
    ]
    _refuse_few(min(block.topics for block in blocks), choices)
    total = len(choices.resampled) * choices.draws * len(blocks)
    orders = KeptOrders(LIMIT if len(blocks) > 1 else 0)
    with progress_bar("Comparing", total, shown=progress if total else False) as advance:
        blocks = [replace(block, advance=advance, orders=orders) for block in blocks]
        distinct = [_distinct(block) for block in blocks]
        parts = [block.select(some) for block, some in zip(blocks, distinct, strict=True)]
        results = [tested(choices.test, part) if len(part) else (np.empty(0), np.empty(0)) for part in parts]
        adjusted = _corrected([p for _, p in results], parts, choices, scores)
        ends = np.stack(_all_intervals(blocks, parts, choices, scores), axis=1)
    differ, statistics = np.stack(distinct), {}
    for name, values, of_identical in (
        ("statistic", [statistic for statistic, _ in results], 0.0),
        ("p", [p for _, p in results], 1.0),
        ("p_corrected", adjusted, 1.0),
    ):
        statistics[name] = np.full(differ.shape, of_identical)
        statistics[name][differ] = np.concatenate(values)
    means = np.stack([block.values.mean(axis=0) for block in blocks])
    low, high = np.stack([t_intervals(block.values, choices.level) for block in blocks], axis=1)
    outcomes = [block.outcomes()[:: int(sign)] for block, sign in zip(blocks, signs_of(scores), strict=True)]
    columns = {
        "topics": np.repeat([[block.topics] for block in blocks], len(first), axis=1),
        "mean_a": means[:, first], "mean_b": means[:, second], "difference": means[:, first] - means[:, second],
        "low": ends[0], "high": ends[1],
        "effect": np.stack([_effects(block, choices) for block in blocks]),
        **statistics,
        **dict(zip(("wins", "ties", "losses"), np.stack(outcomes, axis=1), strict=True)),
        "missing": np.stack([_missing(scores, v, first, second) for v in range(len(scores.names))]),
    }  # fmt: skip
    return Compared(first, second, columns, means, low, high, ~differ)


FEWEST_BCA = 10
"""With fewer topics, BCa intervals miss the true difference far more often than they say."""


def _refuse_few(topics: int, choices: Choices) -> None:
    """Refuse resampling of so few topics that its p-values or intervals cannot be trusted."""
    fewest = getattr(choices.test, "FEWEST", 2)
    if topics < fewest:
        raise DataError(
            f"The test {choices.test} needs {fewest} topics or more. There are {topics}. Resampling few topics finds differences that are not "
            "there: of systems that do not differ, at the level 0.05, 11% with 10 topics. Choose the test t or permutation."
        )
    if choices.interval == "bca" and topics < FEWEST_BCA:
        raise DataError(
            f"BCa intervals need {FEWEST_BCA} topics or more. There are {topics}. With 10, intervals of 95% already miss the difference in 9 to "
            "15% of experiments. Choose the interval t."
        )


def _missing(scores: Scores, v: int, first: Ints, second: Ints) -> Ints:
    """Return for how many of the topics compared one of two systems has no value of its own."""
    lacks = scores.missing[topics_of_view(scores, v), :, v].astype(np.intp)
    of_one, of_both = lacks.sum(axis=0), lacks.T @ lacks
    number: Ints = of_one[first] + of_one[second] - of_both[first, second]
    return number


def _distinct(block: PairedValues) -> Bools:
    """Return which pairs differ on any topic."""
    parts = [(block.differences(some) != 0).any(axis=0) for some in block.chunks()]
    return np.concatenate([np.empty(0, dtype=bool), *parts])


def _corrected(p: list[Floats], parts: list[PairedValues], choices: Choices, scores: Scores) -> list[Floats]:
    """Return the corrected p-values of every view."""
    adjusted = list(p)
    for views in choices.groups(scores.views):
        family = [parts[v] for v in views if len(parts[v])]
        if family:
            together = corrected(choices.correction, np.concatenate([p[v] for v in views]), family)
            for v, of_view in zip(views, np.split(together, np.cumsum([len(p[v]) for v in views])[:-1]), strict=True):
                adjusted[v] = of_view
    return adjusted


def _all_intervals(
    blocks: list[PairedValues], parts: list[PairedValues], choices: Choices, scores: Scores
) -> list[tuple[Floats, Floats]]:
    """Return the ends of the intervals of every view; simultaneous ones hold for all comparisons of a family together."""
    if choices.interval != "simultaneous":
        return [_intervals(block, choices) for block in blocks]
    if choices.of_all_pairs:
        own = getattr(choices.test, "simultaneous_intervals", choices.test.intervals)
        return [own(block, choices.level) for block in blocks]
    ends: list[tuple[Floats, Floats]] = [(np.empty(0), np.empty(0))] * len(blocks)
    for views in choices.groups(scores.views):
        family = [parts[v] for v in views if len(parts[v])]
        reach: dict[int, float] = {}
        for v in views:
            topics = blocks[v].topics
            if family and topics not in reach:
                critical = getattr(choices.correction, "critical_t", lambda *_: None)(family, topics, choices.level)
                if critical is None:
                    raise UsageError(
                        f"The correction {choices.correction} has no simultaneous intervals. Choose holm or maxt, or the interval 't'."
                    )
                reach[topics] = float(critical)
            ends[v] = _t_intervals(blocks[v], choices.level, reach.get(topics, 0.0))
    return ends


def _t_intervals(block: PairedValues, level: float, reach: float | None = None) -> tuple[Floats, Floats]:
    ends = [t_intervals(block.differences(some), level, block.largest(some), reach) for some in block.chunks()]
    low, high = np.concatenate(ends, axis=1)
    return low, high


def _intervals(block: PairedValues, choices: Choices) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of all differences."""
    own = getattr(choices.test, "intervals", lambda *_: None)(block, choices.level)
    if own is not None:
        return own[0], own[1]
    return (bca_intervals if choices.interval == "bca" else _t_intervals)(block, choices.level)


def _effects(block: PairedValues, choices: Choices) -> Floats:
    """Return the effect size of every pair: over the residual deviation for tests of all pairs, else over that of the differences."""
    if not choices.of_all_pairs:
        return np.concatenate([paired_effects(block.differences(some), block.largest(some)) for some in block.chunks()])
    difference, variance = block.mean_differences(), residual_variance(block.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / np.sqrt(variance))


# -- systems as they were compared -----------------------------------------------------------------------------------


SORTED_BY = ("mean", "difference", "effect", "p", "p_corrected", "system")
"""The columns that the table of systems can be sorted by; of these, p-values and names from the smallest."""

PAIRS_SHOWN = 28
"""A table for reading shows all pairs of up to 8 systems; with more, groups tell which systems cannot be told apart."""


class Difference(NamedTuple):
    """The mean difference of two systems in a view; ``better`` is 1 or -1 if the first is significantly better or worse."""

    difference: float
    low: float
    high: float
    effect: float
    p: float
    p_corrected: float
    wins: int
    ties: int
    losses: int
    better: int

    def turned(self) -> Difference:
        """Return the difference of the second system to the first."""
        return self._replace(
            difference=-self.difference, low=-self.high, high=-self.low, effect=-self.effect, wins=self.losses,
            losses=self.wins, better=-self.better,
        )  # fmt: skip


class Cell(NamedTuple):
    """What a view says of a system: its mean with the t interval, the systems that are ``alike``, and differences by baseline."""

    mean: float
    low: float
    high: float
    is_best: bool
    alike: str
    differences: dict[str, Difference]

    @property
    def difference(self) -> Difference | None:
        """The difference to the first baseline; None for a baseline itself."""
        return next(iter(self.differences.values()), None)


class ComparedSystems(Result):
    """What a comparison found: the tables of pairs, systems and views, and which systems cannot be told apart."""

    scores: Scores
    choices: Choices

    def __init__(
        self, scores: Scores, baseline: tuple[str, ...], choices: Choices, compared: Compared, is_default: bool = False
    ) -> None:
        self.baseline, self.compared, self.is_default = baseline, compared, is_default
        self.of_views: Ints = scores.in_view.sum(axis=0)
        title = (
            f"Comparison of {plural(len(scores.systems), 'system')} by {list_some(scores.names)}: "
            f"{plural(len(compared.first) * len(scores.names), 'comparison')}, test {choices.test}, correction {choices.correction}"
        )
        tables = {"comparisons": self._comparisons, "systems": self._systems, "views": self._views}
        super().__init__(title, tables, scores, choices)

    @cached_property
    def groups(self) -> Groups:
        """The views by measure, and the parameters in which they differ."""
        return Groups(self.scores)

    @property
    def all_pairs(self) -> bool:
        """Whether all pairs were compared, instead of every system with a baseline."""
        return not self.baseline

    @property
    def comparisons(self) -> pd.DataFrame:
        """The main table."""
        return self._made("table comparisons", self._comparisons)

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of systems in tables for reading: without what all begin with."""
        return short_names(self.scores.systems)

    def _comparisons(self) -> pd.DataFrame:
        return self.compared.frame(self.scores)

    def _systems(self, sort: str | None = None) -> pd.DataFrame:
        table = self.estimates(sort)
        if not self.all_pairs:
            return table
        letters = np.array([self.letters[view] for view in self.scores.names], dtype=object)
        places = {system: place for place, system in enumerate(self.scores.systems)}
        views = np.repeat(np.arange(len(self.scores.names)), self._rows_per_view)
        table["letters"] = letters[views, table["system"].map(places).to_numpy()]
        return table

    @property
    def _rows_per_view(self) -> int:
        return len(self.estimates()) // len(self.scores.names)

    def estimates(self, sort: str | None = None) -> pd.DataFrame:
        """Return the table of systems without the letters, which need tests of all pairs.

        Parameters
        ----------
        sort : str, optional
            The column to sort the systems of each view by: ``"mean"``, ``"difference"`` and ``"effect"`` from the best,
            ``"p"`` and ``"p_corrected"`` from the smallest, ``"system"`` by name; by default the order of the scores.
        """
        return self._made(f"estimates {sort}", lambda: self._estimates(sort)).copy()

    def _estimates(self, sort: str | None) -> pd.DataFrame:
        tables, rows, pairs = [], self.comparisons, len(self.compared.first)
        first = [name for name in rows.columns if name in ("measure", *self.scores.marks)]
        for v, sign in enumerate(signs_of(self.scores)):
            of_view = rows.iloc[v * pairs : (v + 1) * pairs]
            table = pd.DataFrame({
                **{name: of_view[name].iloc[0] for name in first}, "system": list(self.scores.systems),
                "mean": self.compared.means[v], "mean_low": self.compared.low[v], "mean_high": self.compared.high[v],
            })  # fmt: skip
            if not self.all_pairs:
                differences = of_view.rename(columns={"a": "system", "b": "baseline"})
                differences = differences.drop(columns=[*first, "topics", "mean_a", "mean_b", "missing"])
                table = table.merge(differences, how="left", on="system", sort=False)
            tables.append(table if sort is None else sorted_table(table, sort, sign))
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def compared_pairs(self) -> dict[tuple[str, str], int]:
        """The pairs of systems that were compared, and their places."""
        systems, pairs = self.scores.systems, zip(self.compared.first, self.compared.second, strict=True)
        return {(systems[a], systems[b]): place for place, (a, b) in enumerate(pairs)}

    def difference(self, a: str, b: str, v: int) -> Difference:
        """Return the difference a - b in a view, of two systems that were compared."""
        if (place := self.compared_pairs.get((a, b))) is None:
            return self.difference(b, a, v).turned()
        columns = {
            name: of[v, place].item() for name, of in self.compared.columns.items() if name in Difference._fields
        }
        return Difference(**columns, better=int(self.better[v, place]))

    def cells(self, v: int) -> dict[str, Cell]:
        """Return what a view says of every system: what tables for the screen, for papers and for pages are made of."""
        compared, systems = self.compared, self.scores.systems
        means, best = compared.means[v].tolist(), compared.means[v, self._order(v)[0]]
        alike = self.alike[self.scores.names[v]] if self.all_pairs else [""] * len(systems)
        cells = {}
        for s, system in enumerate(systems):
            found = {b: self.difference(system, b, v) for b in self.baseline if b != system}
            low, high = float(compared.low[v, s]), float(compared.high[v, s])
            cells[system] = Cell(means[s], low, high, bool(means[s] == best), alike[s], found)
        return cells

    def pairs(self, view: str | None = None) -> pd.DataFrame:
        """Return the corrected p-values of all pairs as a square table, missing on the diagonal and for pairs not compared.

        Parameters
        ----------
        view : str, optional
            The view or measure; by default the first.
        """
        systems, v = self.scores.systems, self.place_of(view)
        table = np.full((len(systems), len(systems)), np.nan)
        a, b = self.compared.first, self.compared.second
        table[a, b] = table[b, a] = self.compared.columns["p_corrected"][v]
        return pd.DataFrame(table, index=pd.Index(systems, name="a"), columns=pd.Index(systems, name="b"))

    def place_of(self, view: str | None) -> int:
        """Return the place of a view, by default of the first; an unknown one is refused."""
        return 0 if view is None else self.scores.names.index(self.scores.select(views=view).names[0])

    @cached_property
    def of_all_pairs(self) -> ComparedSystems:
        """The comparison of all pairs of systems, with the same test and correction; its letters are those of this one."""
        if self.all_pairs:
            return self
        first, second = all_pairs_of(len(self.scores.systems))
        choices = replace(self.choices, interval="t")  # no other interval is computed, because none is needed
        return ComparedSystems(self.scores, (), choices, compared_pairs(self.scores, first, second, choices))

    @cached_property
    def letters(self) -> dict[str, list[str]]:
        """By view, the letters of every system: systems that share one cannot be told apart, by tests of all pairs."""
        return {view: letters_of(self._differ(v), self._order(v)) for v, view in enumerate(self.scores.names)}

    @cached_property
    def alike(self) -> dict[str, list[str]]:
        """By view, the systems that each cannot be told apart from: letters if there are few, otherwise their ranks."""
        found = {}
        for v, view in enumerate(self.scores.names):
            letters = self.letters[view] if len(self.scores.systems) <= PAIRS_SHOWN else []
            if letters and max(map(len, letters)) <= 3:
                found[view] = letters
            else:
                found[view] = ranks_alike(self._differ(v), self._order(v))
        return found

    def _differ(self, v: int) -> Bools:
        """Return which pairs of systems differ significantly in a view."""
        compared = self.of_all_pairs.compared
        differ: Bools = np.zeros((len(self.scores.systems),) * 2, dtype=bool)
        significant = compared.columns["p_corrected"][v] <= self.choices.level
        differ[compared.first, compared.second] = differ[compared.second, compared.first] = significant
        return differ

    def _order(self, v: int) -> list[int]:
        """Return the places of the systems in a view, the best first."""
        order: list[int] = np.argsort(-signs_of(self.scores)[v] * self.compared.means[v], kind="stable").tolist()
        return order

    def ranked(self, v: int = 0) -> list[str]:
        """Return the systems in a view, by default the first, the best first."""
        return [self.scores.systems[s] for s in self._order(v)]

    @cached_property
    def better(self) -> np.ndarray[Any, Any]:
        """Of every view and pair, 1 if the first system is significantly better, -1 if the second, 0 if neither is."""
        columns = self.compared.columns
        significant = (columns["p_corrected"] <= self.choices.level) & (columns["difference"] != 0)
        return np.where(significant, np.sign(columns["difference"]) * signs_of(self.scores)[:, None], 0).astype(int)

    def _views(self) -> pd.DataFrame:
        rows, pairs = self.comparisons, len(self.compared.first)
        views = self.scores.views.reset_index(drop=True).drop(columns=["less_is_better"], errors="ignore")
        table = views.iloc[np.repeat(np.arange(len(views)), pairs)].reset_index(drop=True)
        table = table.drop(columns="weight", errors="ignore")
        table["share"] = np.repeat(self.groups.shares, pairs)
        others = ("a", "b", "topics", "mean_a", "mean_b", "difference", "low", "high", "p", "p_corrected")
        table = pd.concat([table, rows[list(others)]], axis=1)
        systems = np.array(self.scores.systems, dtype=object)
        first, second = systems[self.compared.first], systems[self.compared.second]
        table["better"] = np.where(self.better > 0, first, np.where(self.better < 0, second, "")).ravel()
        return table

    def _best(self, sort: str | None, most: int | None) -> list[str]:
        """Return the first systems in the order of a column of the first view, by default of the means, and the baselines."""
        table = self.estimates(sort or "mean")
        systems = dict.fromkeys(table["system"][: self._rows_per_view])
        return [system for i, system in enumerate(systems) if most is None or i < most or system in self.baseline]

    @property
    def has_groups(self) -> bool:
        """Whether all pairs of more than two systems were compared, so that groups say which cannot be told apart."""
        return self.all_pairs and len(self.scores.systems) > 2

    @property
    def alike_name(self) -> str:
        """The name of the column of groups: letters, or the ranks of systems that cannot be told apart."""
        of_first = self.alike[self.scores.names[0]]
        return "groups" if of_first == self.letters.get(self.scores.names[0]) else "alike"


def check_order(by: str | None, all_pairs: bool) -> None:
    """Raise :class:`irmx.errors.UsageError` for a column by which the systems of a comparison cannot be sorted."""
    if by is not None and by not in SORTED_BY:
        raise UsageError(
            f"A summary cannot be sorted by {by!r}.{suggest(by, SORTED_BY)} Known: {', '.join(SORTED_BY)}."
        )
    if all_pairs and by not in (None, "mean", "system"):
        raise UsageError(f"A comparison of all pairs cannot be sorted by {by}. Sort it by mean or system.")


def sorted_table(table: pd.DataFrame, by: str, sign: float = 1) -> pd.DataFrame:
    """Return a table of systems sorted by a column; systems without a value, such as the baseline, come first."""
    check_order(by, all_pairs=by not in table.columns)
    ascending = by in ("p", "p_corrected", "system") or sign < 0
    return table.sort_values(by, ascending=ascending, kind="stable", na_position="first")


# -- what a comparison says over several views of a measure ----------------------------------------------------------


_PLACES = 12
"""Differences of means are rounded to so many decimal places before their signs are compared."""


def signs(differences: Any) -> Floats:
    """Return the signs of differences of means, 0 for those that come from the rounding of sums."""
    return np.asarray(np.sign(np.round(np.asarray(differences, dtype=float), _PLACES)))


def counts_over(comparison: ComparedSystems) -> pd.DataFrame:
    """Return, for every measure with several views and pair, in how many of them a is better, worse or undecided."""
    rows = []
    systems, compared = comparison.scores.systems, comparison.compared
    for group in comparison.groups.several:
        of_group = comparison.better[list(group.views)]
        for i, (a, b) in enumerate(zip(compared.first.tolist(), compared.second.tolist(), strict=True)):
            won = {"better": of_group[:, i] > 0, "worse": of_group[:, i] < 0, "undecided": of_group[:, i] == 0}
            counts: dict[str, Any] = {name: int(some.sum()) for name, some in won.items()}
            shares = {f"share_{name}": math.fsum(group.shares[some]) for name, some in won.items()}
            rows.append(
                {"measure": group.name, "views": len(group.views), "a": systems[a], "b": systems[b], **counts, **shares}
            )
    return pd.DataFrame(rows)


def sentences_over(comparison: ComparedSystems) -> Iterator[str]:
    """Yield, for every measure with several views and pair, in how many which system is better; of a population, the shares."""
    groups = {group.name: group for group in comparison.groups.several}
    for row in counts_over(comparison).to_dict("records"):
        a, b, group = comparison.names[row["a"]], comparison.names[row["b"]], groups[row["measure"]]
        if group.is_weighted:
            shares = (row[f"share_{name}"] for name in ("better", "worse", "undecided"))
            better, worse, undecided = (f"{100 * share:.1f}%" for share in shares)
            better += " of the users"
        else:  # users are settings that differ in parameters of the measure
            kind = "users" if all("." in parameter.column for parameter in group.parameters) else "views"
            better, worse, undecided = f"{row['better']} of {row['views']} {kind}", row["worse"], row["undecided"]
        yield f"By {row['measure']}, {a} is better for {better}, {b} for {worse}; undecided for {undecided}"


def borders(comparison: ComparedSystems) -> pd.DataFrame:
    """Return where the sign of the difference, or the significantly better system, changes between neighbouring views."""
    found: list[dict[str, Any]] = []
    columns = ["measure", "a", "b", "parameter", "lower", "upper"]
    others_of: list[str] = []
    rows, pairs = comparison.frame("views"), len(comparison.compared.first)
    for group in comparison.groups.several:
        names = [parameter.column for parameter in group.parameters]
        if len(names) > 1:
            others_of += [name for name in names if name not in others_of]
        for parameter in group.parameters:
            if (positions := parameter.positions) is None:
                continue
            others = [one for one in group.parameters if one is not parameter]
            lines: dict[tuple[Any, ...], list[int]] = {}
            for place in range(len(group.views)):
                lines.setdefault(tuple(one.cells[place] for one in others), []).append(place)
            for pair in range(pairs):
                for fixed, line in lines.items():
                    for low, high in pairwise(sorted(line, key=positions.__getitem__)):
                        lower, upper = (rows.iloc[group.views[p] * pairs + pair] for p in (low, high))
                        sign = bool(signs(lower["difference"]) != signs(upper["difference"]))
                        significance = bool(lower["better"] != upper["better"])
                        if sign or significance:
                            found.append(
                                {
                                    "measure": group.name, "a": lower["a"], "b": lower["b"], "parameter": parameter.name,
                                    "lower": parameter.cells[low], "upper": parameter.cells[high],
                                    **dict(zip([one.column for one in others], fixed, strict=True)),
                                    "sign": sign, "significance": significance,
                                    **{f"{key}_lower": lower[key] for key in ("difference", "better")},
                                    **{f"{key}_upper": upper[key] for key in ("difference", "better")},
                                }
                            )  # fmt: skip
    ends = [f"{key}_{end}" for end in ("lower", "upper") for key in ("difference", "better")]
    return pd.DataFrame(found, columns=[*columns, *others_of, "sign", "significance", *ends])


def rank_bands(comparison: ComparedSystems) -> pd.DataFrame:
    """Return the best, median and worst rank of every system over the views of every measure with several."""
    scores, rows, means = comparison.scores, [], comparison.scores.means()
    for group in comparison.groups.several:
        views = list(group.views)
        of_group = scores.select(views=[scores.names[v] for v in views])
        values = comparable_means(of_group) * signs_of(of_group)
        ranks = ranks_of(values)
        for s, system in enumerate(scores.systems):
            best, worst = ranks[s].min(), ranks[s].max()
            highest = int(np.argmax(np.where(ranks[s] == best, values[s], -np.inf)))
            lowest = int(np.argmin(np.where(ranks[s] == worst, values[s], np.inf)))
            rows.append(
                {
                    "measure": group.name,
                    "system": system,
                    "best": int(best),
                    "best_value": means.iloc[s, views[highest]],
                    "median": weighted_median(ranks[s], group.shares),
                    "worst": int(worst),
                    "first": math.fsum(group.shares[ranks[s] == 1]),
                    "best_view": scores.names[views[highest]],
                    "worst_view": scores.names[views[lowest]],
                }
            )
    return pd.DataFrame(rows)


def ranks_of(means: Floats) -> Ints:
    """Return ranks of shape (systems, views): the largest mean has rank 1, equal means share the smallest of their ranks.

    >>> ranks_of(np.array([[3.0], [1.0], [3.0], [2.0]])).ravel().tolist()
    [1, 4, 1, 3]
    """
    from scipy.stats import rankdata

    ranks: Ints = rankdata(-means, method="min", axis=0).astype(int)
    return ranks


def weighted_median(values: Array, shares: Floats) -> float:
    """Return the median of values with shares that add up to 1: the mean of the two middle ones if half lies on either side.

    >>> weighted_median(np.array([3, 1, 2, 9]), np.full(4, 0.25)), weighted_median(np.array([3, 1]), np.array([0.9, 0.1]))
    (2.5, 3.0)
    """
    order = np.argsort(values, kind="stable")
    order = order[shares[order] > 0]
    below = np.cumsum(shares[order])
    first = int(np.searchsorted(below, 0.5 - 1e-9))
    second = first + (abs(below[first] - 0.5) < 1e-9)
    return float(values[order[[first, second]]].mean())
