"""Reading every run of a sweep once: references are scored, and what the settings need is stored."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import joblib

from irmx.data.judgments import Judgments
from irmx.data.runs import Run
from irmx.declare.measures import Measure
from irmx.meta.parts import writing
from irmx.meta.units import Held, Stored, preparation_key
from irmx.rank.join import Join
from irmx.score.scoring import check_columns, named, rankings_for


@dataclass
class Preparer:
    """Takes runs one by one and keeps nothing of them in memory but a few numbers.

    Attributes
    ----------
    judgments : Judgments
        The qrels.
    settings : sequence of Measure
        The settings to be scored.
    folder : str
        Where to store what they need.
    theirs : list of list of int
        Of every run the numbers of its topics in the judgments.
    """

    judgments: Judgments
    settings: Sequence[Measure]
    folder: str
    theirs: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._examples: dict[Hashable, Measure] = {}
        for setting in self.settings:
            self._examples.setdefault(preparation_key(setting), setting)
        self._paths: dict[Hashable, list[str]] = {key: [] for key in self._examples}
        if None in self._paths:
            self._store(None, self.judgments)

    def _store(self, key: Hashable, value: Any) -> None:
        number = sum(map(len, self._paths.values()))
        path = os.path.join(self.folder, f"{number}.joblib")
        with writing(path):
            joblib.dump(value, path)
        self._paths[key].append(path)

    def add(self, run: Run) -> None:
        """Store what every preparation needs of a run.

        Raises
        ------
        irmx.errors.DataError
            Where the run lacks what a setting reads.
        """
        join = Join(run, self.judgments)
        for setting in self.settings:
            check_columns(setting, join)
        for key, setting in self._examples.items():
            if key is None:
                self._store(key, run)
                continue
            rankings = rankings_for(setting, join)
            with named(setting):
                prepared = setting.prepare(rankings)
            self._store(key, prepared)
        self.theirs.append([t for _, t in join.pairs])

    def data(self, local: bool) -> dict[Hashable, Stored | Held]:
        """Return what the settings of every preparation need, in files for processes of this machine."""
        if local:
            return {key: Stored(tuple(paths)) for key, paths in self._paths.items()}
        return {key: Held(tuple(map(joblib.load, paths))) for key, paths in self._paths.items()}
