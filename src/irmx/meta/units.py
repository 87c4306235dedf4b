"""The work of a sweep in units that can be done anywhere, and the data that they need."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import joblib

from irmx.declare.measures import Measure
from irmx.errors import PluginError
from irmx.score.scoring import IrmxEvaluator, named
from irmx.score.topic_scores import TopicScores

_COMMON = ("rel", "cutoff", "judged_only", "ties")
_UNITS_PER_JOB = 8
"""A measure without preparation is cut into so many units per process: few, as each unpickles all runs."""


@dataclass(frozen=True)
class Unit:
    """Settings that are scored together.

    Attributes
    ----------
    key : hashable
        Their preparation, None where the measure has none.
    settings : tuple of int
        Their numbers.
    """

    key: Hashable
    settings: tuple[int, ...]


def preparation_key(setting: Measure) -> Hashable:
    """Return what the preparation of a setting depends on; None where it needs none."""
    own = setting.preparation()
    return None if own is None else (own, *(setting[name] for name in _COMMON))


def units_of(settings: Sequence[Measure], wanted: Iterable[int], jobs: int) -> list[Unit]:
    """Return the units of some settings: those that share a computation together, others in chunks."""
    together: dict[Hashable, list[int]] = {}
    alone: list[int] = []
    for i in wanted:
        key = preparation_key(settings[i])
        if key is None:
            alone.append(i)
        else:
            together.setdefault((key, _unshared(settings[i])), []).append(i)
    size = math.ceil(len(alone) / (_UNITS_PER_JOB * jobs))
    chunks = [alone[i : i + size] for i in range(0, len(alone), size)] if alone else []
    return [
        *(Unit(preparation_key(settings[some[0]]), tuple(some)) for some in together.values()),
        *(Unit(None, tuple(chunk)) for chunk in chunks),
    ]


def _unshared(setting: Measure) -> Measure:
    """Return a setting without the parameters whose settings share one computation."""
    return type(setting)(**{k: v for k, v in setting.params.items() if k not in setting.SHARED_PARAMS})


@dataclass(frozen=True)
class Stored:
    """Objects in files, for processes of this machine: pickled once, and their arrays memory-mapped, not copied."""

    paths: tuple[str, ...]

    def __iter__(self) -> Iterator[Any]:
        return (joblib.load(path, mmap_mode="r") for path in self.paths)


@dataclass(frozen=True, eq=False)
class Held:
    """The same objects in memory, for processes of other machines."""

    items: tuple[Any, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


@lru_cache(maxsize=1)
def kept(data: Stored | Held) -> list[Any]:
    """Return objects as a list that stays in the process until it is asked for others."""
    return list(data)


@dataclass(frozen=True)
class Done:
    """A unit with the scores of every run (outer list) and setting (inner list), and the warnings on the way.

    The scores are over the topics that the run has, for prepared data, else over those of the qrels.
    """

    unit: Unit
    scores: list[list[TopicScores]]
    warned: list[tuple[type[Warning], str]]


def do(unit: Unit, settings: Sequence[Measure], data: Stored | Held) -> Done:
    """Do a unit of work, in whatever process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = _of_runs(settings, data) if unit.key is None else _of_prepared(settings, data)
    return Done(unit, scores, [(w.category, str(w.message)) for w in caught])


def _of_prepared(settings: Sequence[Measure], data: Stored | Held) -> list[list[TopicScores]]:
    prepared = kept(data)
    with named(settings[0]):
        scores = type(settings[0]).score_prepared(prepared, settings)
    if len(scores) != len(prepared) or any(len(row) != len(settings) for row in scores):
        raise PluginError(
            f"score_prepared of {settings[0].NAME} must return a list of {len(settings)} scores for each of "
            f"{len(prepared)} runs. Got {[len(row) for row in scores]}."
        )
    return scores


def _of_runs(settings: Sequence[Measure], data: Stored | Held) -> list[list[TopicScores]]:
    """Score runs that follow their judgments in the data."""
    items = iter(data)
    evaluator = IrmxEvaluator(list(settings), next(items))
    return [list(evaluator.scores(run).values()) for run in items]
