"""Runs scored with all judgments and with parts of them, in any process."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import ir_measures
import numpy as np

from irmx import Join, Judgments, Run
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import Evaluator, of_each_run
from irmx_study.assumptions.assumed_values import AssumedValues, means_of
from irmx_study.sweeping.units import Held, Stored, kept

_HELD_DOCUMENTS = 2**23
"""Up to so many documents of all cuts together, the judgments of cuts are kept for the next runs."""


class Cuts(Protocol):
    """Parts of judgments, each a cut."""

    def masks(self, judgments: Judgments) -> Iterable[Bools]:
        """Return, for every cut, which documents of ``judgments.docs`` to keep."""


@dataclass(frozen=True)
class CutScores:
    """The means of some runs.

    Attributes
    ----------
    runs : tuple of int
        The numbers of the runs.
    topics : int array, shape (runs,)
        For how many topics of the judgments each retrieves something.
    means : float array, shape (1 + cuts, runs, measures)
        Their means over topics, first with all judgments; NaN for a measure that refuses a cut.
    refusals : dict of (int, int) to str
        Why, by the cut, from 0, and the measure.
    warned : list
        The categories and texts of the warnings issued.
    """

    runs: tuple[int, ...]
    topics: Ints
    means: Floats
    refusals: dict[tuple[int, int], str]
    warned: list[tuple[type[Warning], str]]


def score_cuts(
    numbers: Sequence[int], runs: Mapping[str, Any], measures: Sequence[ir_measures.Measure], data: Stored | Held
) -> CutScores:
    """Score runs with all judgments and with every cut; each run is read and sorted once.

    Parameters
    ----------
    numbers : sequence of int
        The numbers of the runs.
    runs : mapping of str to any
        The runs.
    measures : sequence of Measure
        The measures.
    data : Stored or Held
        The judgments, and the :class:`Cuts`.

    Raises
    ------
    irmx.errors.DataError
        If a run cannot be read, or a measure cannot be computed with all judgments.
    """
    judgments, cuts = _judgments_of_cuts(data)
    evaluator = Evaluator(measures, judgments)
    joins: list[Join] = []
    of_all: list[Floats] = []

    def join(run: Run) -> None:
        joins.append(Join(run, judgments))
        of_all.append(_means(evaluator, joins[-1]))
        joins[-1].forget("rankings")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in of_each_run(runs, judgments, join):
            pass
    means = [np.stack(of_all)]
    refusals: dict[tuple[int, int], str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is to be said about the data was said with all judgments
        for c, cut in enumerate(cuts):
            assumed = AssumedValues(measures)
            values = assumed.of([join.with_judgments(cut) for join in joins])
            means.append(means_of(measures, values.transpose(1, 0, 2)))
            for m, measure in enumerate(measures):
                if np.isnan(means[-1][:, m]).any():
                    refusals[c, m] = assumed.refusals.get(str(measure), "it has no value for any topic of a run")
    topics = np.array([len(one.pairs) for one in joins], dtype=np.int64)
    warned = [(w.category, str(w.message)) for w in caught]
    return CutScores(tuple(numbers), topics, np.stack(means), refusals, warned)


def _means(evaluator: Evaluator, join: Join) -> Floats:
    """Return the means of one run with all judgments, one per measure."""
    of_join = evaluator.of_join(join)
    values = np.stack([of_join[measure].values for measure in evaluator.measures], axis=1)
    means: Floats = means_of(evaluator.measures, values[:, None, :])[0]
    return means


class _JudgmentsOfCuts:
    """The judgments of cuts, made once if they are small, or for every pass over them."""

    def __init__(self, judgments: Judgments, cuts: Cuts) -> None:
        self._judgments, self._cuts = judgments, cuts
        self._held: list[Judgments] = []
        self._whole = False

    def __iter__(self) -> Iterator[Judgments]:
        if self._whole:
            yield from self._held
            return
        self._held, documents, small = [], 0, True
        for mask in self._cuts.masks(self._judgments):
            cut = self._judgments.where(mask, keep_topics=True)
            documents += len(cut)
            small = small and documents <= _HELD_DOCUMENTS
            self._held = [*self._held, cut] if small else []
            yield cut
        self._whole = small


@lru_cache(maxsize=1)
def _judgments_of_cuts(data: Stored | Held) -> tuple[Judgments, _JudgmentsOfCuts]:
    """Return the judgments and their cuts; the process keeps the last ones."""
    judgments, cuts = kept(data)
    return judgments, _JudgmentsOfCuts(judgments, cuts)


def forget() -> None:
    """Forget the judgments and cuts that this process keeps."""
    _judgments_of_cuts.cache_clear()
    kept.cache_clear()
