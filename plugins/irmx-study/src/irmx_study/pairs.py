"""The statistics of pairs of systems in every view: one row per comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Scores, UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import list_some, progress_bar, suggest
from irmx_study.choices import Choices
from irmx_study.draws import LIMIT, KeptOrders
from irmx_study.intervals import bca_intervals
from irmx_study.paired import PairedValues, p_of_equal_signs, paired_effects, residual_variance
from irmx_study.significance import corrected, mean_and_error, t_intervals, tested

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 1e150
"""Squares of larger values, and of smaller ones than its reciprocal, are no floats."""

_LISTED = 20


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
    has_value: Bools = np.asarray(~np.isnan(scores.values[:, :, v]).any(axis=1))
    return has_value


def complete_values(scores: Scores, v: int) -> Floats:
    """Return the values of a view on its topics on which every system has one."""
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
    return values[kept]


def signs_of(scores: Scores) -> Floats:
    """Return 1 for every view of which larger values are better, -1 for the others."""
    less = [bool(getattr(measure, "LESS_IS_BETTER", False)) for measure in scores.measures]
    return np.where(less, -1.0, 1.0)


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
        import pandas as pd

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
        ends = _all_intervals(blocks, parts, choices, scores)
    statistics = {
        name: np.stack([_spread(some, of, other) for some, of in zip(distinct, values, strict=True)])
        for name, values, other in (
            ("statistic", [statistic for statistic, _ in results], 0),
            ("p", [p for _, p in results], 1),
            ("p_corrected", adjusted, 1),
        )
    }
    means = np.stack([block.values.mean(axis=0) for block in blocks])
    low, high = (np.stack([t_intervals(block.values, choices.level)[end] for block in blocks]) for end in (0, 1))
    outcomes = [block.outcomes() for block in blocks]
    better = [of[::-1] if sign < 0 else of for of, sign in zip(outcomes, signs_of(scores), strict=True)]
    columns = {
        "topics": np.repeat([[block.topics] for block in blocks], len(first), axis=1),
        "mean_a": means[:, first], "mean_b": means[:, second], "difference": means[:, first] - means[:, second],
        "low": np.stack([low for low, _ in ends]), "high": np.stack([high for _, high in ends]),
        "effect": np.stack([_effects(block, choices) for block in blocks]),
        **statistics,
        **{name: np.stack([of[i] for of in better]) for i, name in enumerate(("wins", "ties", "losses"))},
        "missing": np.stack([_missing(scores, v, first, second) for v in range(len(scores.names))]),
    }  # fmt: skip
    return Compared(first, second, columns, means, low, high, ~np.stack(distinct))


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


def _spread(some: Bools, values: Floats, other: float) -> Floats:
    """Return an array with the values of some pairs, and another value for the rest."""
    spread = np.full(len(some), other, dtype=float)
    spread[some] = values
    return spread


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
                reach[topics] = _critical_t(choices, family, topics)
            ends[v] = _around_means(blocks[v], reach.get(topics, 0.0), choices.level)
    return ends


def _critical_t(choices: Choices, family: list[PairedValues], topics: int) -> float:
    critical = getattr(choices.correction, "critical_t", lambda *_: None)(family, topics, choices.level)
    if critical is None:
        raise UsageError(
            f"The correction {choices.correction} has no simultaneous intervals. Choose holm or maxt, or the interval 't'."
        )
    return float(critical)


def _around_means(block: PairedValues, reach: float, level: float) -> tuple[Floats, Floats]:
    """Return the mean differences less and plus so many standard errors."""
    parts = [mean_and_error(block.differences(some), block.largest(some)) for some in block.chunks()]
    mean, error = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    of_equal = np.where(mean != 0, np.nan, 0.0) if p_of_equal_signs(block.topics) > level else 0.0
    half = np.where(error > 0, reach * error if np.isfinite(reach) else np.inf, of_equal)
    return mean - half, mean + half


def _intervals(block: PairedValues, choices: Choices) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of all differences."""
    own = getattr(choices.test, "intervals", lambda *_: None)(block, choices.level)
    if own is not None:
        return own[0], own[1]
    if choices.interval == "bca":
        return bca_intervals(block, choices.level)
    ends = [t_intervals(block.differences(some), choices.level, block.largest(some)) for some in block.chunks()]
    return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])


def _effects(block: PairedValues, choices: Choices) -> Floats:
    """Return the effect size of every pair: over the residual deviation for tests of all pairs, else over that of the differences."""
    if not choices.of_all_pairs:
        return np.concatenate([paired_effects(block.differences(some), block.largest(some)) for some in block.chunks()])
    difference, variance = block.mean_differences(), residual_variance(block.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / np.sqrt(variance))
