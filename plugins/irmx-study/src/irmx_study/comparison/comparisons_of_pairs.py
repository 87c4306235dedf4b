"""The statistics of pairs of systems: one row per comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from irmx import DataError, Scores
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import progress_bar
from irmx_study.comparison.choices import Choices
from irmx_study.significance.bca_intervals import bca_intervals
from irmx_study.significance.checked_results import corrected, tested
from irmx_study.significance.effect_sizes import paired_effects, residual_variance
from irmx_study.significance.kept_orders import LIMIT, KeptOrders
from irmx_study.significance.paired_values import PairedValues
from irmx_study.significance.t_test import t_intervals

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 1e150
"""Squares of larger values, and of smaller ones than its reciprocal, are no floats."""

COLUMNS = (
    "measure", "a", "b", "topics", "mean_a", "mean_b", "difference", "low", "high", "effect", "statistic", "p", "p_corrected",
    "wins", "ties", "losses",
)  # fmt: skip
"""The columns of the table of comparisons."""


def comparisons_of(
    scores: Scores, first: Ints, second: Ints, choices: Choices, progress: bool | None = None
) -> pd.DataFrame:
    """Return one row per measure and pair of systems.

    Parameters
    ----------
    scores : Scores
        The scores.
    first, second : int array
        The places of the systems of every pair.
    choices : Choices
        How to compare.
    progress : bool, optional
        Whether to show a progress bar; by default if standard error is a terminal.

    Raises
    ------
    irmx.errors.DataError
        If a measure has values on fewer than two topics.
    """
    import pandas as pd

    blocks = [
        PairedValues(complete_values(scores, m), first, second, choices.draws, choices.seed, choices.tie_threshold)
        for m in range(len(scores.measures))
    ]
    total = len(choices.resampled) * choices.draws * len(blocks)
    orders = KeptOrders(LIMIT if len(blocks) > 1 else 0)
    with progress_bar("Comparing", total, shown=progress if total else False) as advance:
        results = _results([replace(block, advance=advance, orders=orders) for block in blocks], choices)
    tables = [
        _table(str(measure), scores.systems, block, result, choices)
        for measure, block, result in zip(scores.measures, blocks, results, strict=True)
    ]
    return pd.concat(tables, ignore_index=True)


def complete_values(scores: Scores, m: int) -> Floats:
    """Return the values of a measure on the topics on which every system has one.

    Raises
    ------
    irmx.errors.DataError
        If there are fewer than two such topics, or a value is infinite or too large or small to square.
    """
    values: Floats = scores.values[:, :, m]
    if np.isinf(values).any():
        t, s = np.argwhere(np.isinf(values))[0]
        raise DataError(f"{scores.measures[m]} of {scores.systems[s]} is infinite for topic {scores.topics[t]}.")
    _check_sizes(scores, m)
    missing = np.isnan(values)
    values = values[~missing.any(axis=1)]
    if len(values) < 2:
        fewest = int(missing.sum(axis=0).argmax())
        without = f"; {scores.systems[fewest]} has none for {missing[:, fewest].sum()}" if missing.any() else ""
        raise DataError(
            f"A comparison needs two topics for which every system has a value of {scores.measures[m]}. There "
            f"{'is' if len(values) == 1 else 'are'} {len(values)}, of {len(scores.topics)}{without}. Leave the measure out, or give results for more topics."
        )
    return values


def _check_sizes(scores: Scores, m: int) -> None:
    """Raise if the values of a measure have squares that no float holds."""
    sizes = np.nan_to_num(np.abs(scores.values[:, :, m]))
    largest = sizes.max(initial=0.0)
    if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
        t, s = np.argwhere(sizes == largest)[0]
        raise DataError(
            f"{scores.measures[m]} of {scores.systems[s]} is {scores.values[t, s, m]:.4g} for topic {scores.topics[t]}. Tests need the "
            f"squares of values, which are too {'large' if largest > 1 else 'small'} here. Give the values in another unit."
        )


@dataclass(frozen=True, eq=False)
class _Result:
    """The statistics of the pairs of one measure."""

    statistic: Floats
    p: Floats
    corrected: Floats
    low: Floats
    high: Floats


def _results(blocks: list[PairedValues], choices: Choices) -> list[_Result]:
    """Return the statistics of every measure; identical systems have p = 1, and are left out of the family."""
    distinct = [_distinct(block) for block in blocks]
    parts = [block.select(some) for block, some in zip(blocks, distinct, strict=True)]
    results_of_test = [tested(choices.test, part) if len(part) else (np.empty(0), np.empty(0)) for part in parts]
    adjusted = _corrected([p for _, p in results_of_test], parts, choices)
    results = []
    for block, some, (statistic, p), of_family in zip(blocks, distinct, results_of_test, adjusted, strict=True):
        low, high = _intervals(block, choices)
        results.append(
            _Result(_spread(some, statistic, 0), _spread(some, p, 1), _spread(some, of_family, 1), low, high)
        )
    return results


def _distinct(block: PairedValues) -> Bools:
    """Return which pairs differ on any topic."""
    return np.concatenate(
        [np.empty(0, dtype=bool), *((block.differences(some) != 0).any(axis=0) for some in block.chunks())]
    )


def _spread(some: Bools, values: Floats, other: float) -> Floats:
    """Return an array with the values of some pairs, and another value for the rest."""
    spread = np.full(len(some), other, dtype=float)
    spread[some] = values
    return spread


def _corrected(p: list[Floats], parts: list[PairedValues], choices: Choices) -> list[Floats]:
    """Return the corrected p-values of every measure."""
    if choices.family == "measure":
        return [
            corrected(choices.correction, of_measure, [part]) if len(part) else of_measure
            for of_measure, part in zip(p, parts, strict=True)
        ]
    together, family = np.concatenate(p), [part for part in parts if len(part)]
    adjusted = corrected(choices.correction, together, family) if family else together
    return np.split(adjusted, np.cumsum([len(of_measure) for of_measure in p])[:-1])


def _intervals(block: PairedValues, choices: Choices) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of all differences."""
    own = getattr(choices.test, "intervals", lambda *_: None)(block, choices.level)
    if own is not None:
        return own[0], own[1]
    if choices.interval == "bca":
        return bca_intervals(block, choices.level)
    ends = [t_intervals(block.differences(some), choices.level, block.largest(some)) for some in block.chunks()]
    return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])


def _table(
    measure: str, systems: Sequence[str], block: PairedValues, result: _Result, choices: Choices
) -> pd.DataFrame:
    """Return one row per comparison by a measure."""
    import pandas as pd

    names, means, (wins, ties, losses) = np.array(systems, dtype=object), block.values.mean(axis=0), block.outcomes()
    mean_a, mean_b = means[block.first], means[block.second]
    columns = (
        measure, names[block.first], names[block.second], block.topics, mean_a, mean_b, mean_a - mean_b, result.low, result.high,
        _effects(block, choices), result.statistic, result.p, result.corrected, wins, ties, losses,
    )  # fmt: skip
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))


def _effects(block: PairedValues, choices: Choices) -> Floats:
    """Return the effect size of every pair: over the residual deviation for tests of all pairs, else over that of the differences."""
    if not choices.of_all_pairs:
        return np.concatenate([paired_effects(block.differences(some), block.largest(some)) for some in block.chunks()])
    difference, variance = block.mean_differences(), residual_variance(block.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / np.sqrt(variance))
