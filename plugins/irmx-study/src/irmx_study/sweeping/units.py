"""The work of a sweep, in units that can be computed in any process, and the data that they need."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from irmx import Join, Judgments, Measure, Run, TopicScores, score_joined
from irmx.toolkit import preparation_key, prepare_run, score_prepared
from irmx_study.resuming.parts import writing

SECONDS = 0.5
"""The longest time, in seconds, between two writes of settings that are scored one by one, unless one takes longer."""


@dataclass(frozen=True)
class Unit:
    """Settings that are scored together.

    Attributes
    ----------
    key : hashable
        Their preparation, None if the measure has none.
    settings : tuple of int
        Their numbers.
    """

    key: Hashable
    settings: tuple[int, ...]


class Units:
    """The units of some settings: settings that share a computation, or as many others as take half a second.

    Parameters
    ----------
    settings : sequence of Measure
        All settings.
    wanted : iterable of int
        The numbers of those to score.
    """

    def __init__(self, settings: Sequence[Measure], wanted: Iterable[int]) -> None:
        together: dict[Hashable, list[int]] = {}
        self._alone: list[int] = []
        for i in wanted:
            key = preparation_key(settings[i])
            if key is None:
                self._alone.append(i)
            else:
                together.setdefault((key, _unshared(settings[i])), []).append(i)
        self._together = [Unit(preparation_key(settings[some[0]]), tuple(some)) for some in together.values()]
        self._size = 1

    def __len__(self) -> int:
        """Return the number of units if each were as small as possible."""
        return len(self._together) + len(self._alone)

    def __iter__(self) -> Iterator[Unit]:
        yield from self._together
        start = 0
        while start < len(self._alone):
            unit = Unit(None, tuple(self._alone[start : start + self._size]))
            start += self._size
            yield unit

    def took(self, unit: Unit, seconds: float) -> None:
        """Adapt the size of the next units to the time that a unit took."""
        if unit.key is None and len(unit.settings) >= self._size:
            self._size = max(1, min(2 * self._size, int(len(unit.settings) * SECONDS / max(seconds, 1e-9))))


def _unshared(setting: Measure) -> Measure:
    """Return a setting without the parameters whose settings share one computation."""
    return type(setting)(**{k: v for k, v in setting.params.items() if k not in setting.SHARED_PARAMS})


@dataclass(frozen=True)
class Stored:
    """Objects in files, for processes on this machine: pickled once, with arrays memory-mapped instead of copied."""

    paths: tuple[str, ...]

    def __iter__(self) -> Iterator[Any]:
        import joblib

        return (joblib.load(path, mmap_mode="r") for path in self.paths)


@dataclass(frozen=True, eq=False)
class Held:
    """The same objects in memory, for processes on other machines."""

    items: tuple[Any, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


class Data:
    """The data of runs that settings need, in files by preparation; without one, the judgments followed by the runs.

    Runs are added one by one, and are not kept in memory.

    Parameters
    ----------
    judgments : Judgments
        The qrels.
    settings : sequence of Measure
        The settings to be scored.
    folder : str
        The folder of the files.
    """

    def __init__(self, judgments: Judgments, settings: Sequence[Measure], folder: str) -> None:
        self._judgments, self._settings, self._folder = judgments, settings, folder
        self._paths: dict[Hashable, list[str]] = {}
        self._plain = any(preparation_key(setting) is None for setting in settings)
        if self._plain:
            self._store(None, judgments)

    def add(self, run: Run) -> None:
        """Store the data of a run that the settings need; raise if it lacks a column that they read."""
        for key, prepared in prepare_run(self._settings, run, self._judgments).items():
            self._store(key, prepared)
        if self._plain:
            self._store(None, run)

    def _store(self, key: Hashable, value: Any) -> None:
        import joblib

        paths = self._paths.setdefault(key, [])
        path = os.path.join(self._folder, f"{list(self._paths).index(key)}-{len(paths)}.joblib")
        with writing(path):
            joblib.dump(value, path)
        paths.append(path)

    def stored(self) -> dict[Hashable, Stored | Held]:
        """Return the data by preparation, for processes on this machine."""
        return {key: Stored(tuple(paths)) for key, paths in self._paths.items()}

    def held(self) -> dict[Hashable, Stored | Held]:
        """Return the data by preparation, to be sent to other machines."""
        import joblib

        return {key: Held(tuple(map(joblib.load, paths))) for key, paths in self._paths.items()}


@lru_cache(maxsize=1)
def kept(data: Stored | Held, joined: bool = False) -> list[Any]:
    """Return the objects of some data, joined or unchanged; the process keeps the last ones that it loaded."""
    if not joined:
        return list(data)
    judgments, *runs = data
    return [Join(run, judgments) for run in runs]


@dataclass(frozen=True)
class Done:
    """A finished unit: the scores of every run (outer list) and setting (inner list), and the warnings issued."""

    unit: Unit
    scores: list[list[TopicScores]]
    warned: list[tuple[type[Warning], str]]
    seconds: float


def do(unit: Unit, settings: Sequence[Measure], data: Stored | Held) -> Done:
    """Score the settings of a unit, in any process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        items = kept(data, unit.key is None)
        start = time.perf_counter()
        scores = score_joined(items, settings) if unit.key is None else score_prepared(items, settings)
    return Done(unit, scores, [(w.category, str(w.message)) for w in caught], time.perf_counter() - start)
