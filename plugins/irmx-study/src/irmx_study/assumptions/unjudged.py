"""What the documents that nobody judged could change: shares, bounds, residuals and flips."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence
from typing import Any

import ir_measures
import numpy as np

from irmx import Join, Judgments, Rankings, Run, Scores, UsageError
from irmx.ragged import Bools, Floats
from irmx.toolkit import Evaluator, counted, named_runs, of_each_run, progress_bar
from irmx_study.assumptions.assumed_values import AssumedValues
from irmx_study.assumptions.flips import Extremes, UnjudgedDocuments, extremes_of
from irmx_study.assumptions.rank_biased_residual import is_rank_biased, residuals
from irmx_study.assumptions.tried_measures import UNKNOWN, effects_on
from irmx_study.assumptions.unjudged_result import SHARES, Unjudged
from irmx_study.comparison.pairs_of_systems import baselines_of, pairs_with


def unjudged(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure],
    qrels: Any,
    runs: Any,
    k: int = 10,
    baseline: str | Iterable[str] | None = None,
    grade: float | str = "relevant",
    depth: int | None = None,
    progress: bool | None = None,
) -> Unjudged:
    """Report what unjudged documents could change: their share, bounds of all values, and orders of systems that could flip.

    Runs are read one after the other, and only those of the baselines are kept. See :doc:`/guide/unjudged`.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures.
    qrels, runs : any
        As for :func:`irmx.scores`.
    k : int
        How many documents from the top of a ranking the shares are of.
    baseline : str or iterable of str, optional
        The systems with which all others are compared; by default the first.
    grade : {"relevant", "largest"} or float
        The grade of a document that is assumed to be relevant: 1, the largest grade in the judgments, or this one.
    depth : int, optional
        Up to which rank of a run unjudged documents are assumed to be judged; those below stay unjudged. By default all are.
    progress : bool, optional
        Whether to show a progress bar; by default, if there are several runs and standard error is a terminal.

    Returns
    -------
    Unjudged
        The result; its ``frame()`` has one row per measure and system, its ``pairs()`` one per measure and comparison.

    Raises
    ------
    irmx.errors.UsageError
        For ``k`` or ``depth`` below 1, another grade, or an unknown baseline.
    irmx.errors.DataError
        If the inputs cannot be read, or a measure cannot be computed as judged.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"one": {"q": {"x": 4.0, "a": 3.0, "b": 2.0}}, "two": {"q": {"b": 4.0, "a": 3.0, "c": 2.0}}}
    >>> result = irmx_study.unjudged("P@2 RBP(p=0.5)", qrels, runs, k=2)
    >>> result.frame()[["measure", "system", "value", "if_relevant", "residual", "flips"]]
          measure system  value  if_relevant  residual flips
    0         P@2    one  0.500        1.000       NaN  None
    1         P@2    two  0.500        0.500       NaN    no
    2  RBP(p=0.5)    one  0.250        0.750     0.625  None
    3  RBP(p=0.5)    two  0.375        0.375     0.125   yes
    """
    evaluator = Evaluator(measures, qrels)
    by_name = named_runs(runs)
    systems = tuple(by_name)
    judgments = evaluator.judgments
    grade_assumed = _grade(grade, judgments)
    for name, value in (("k", k), ("depth", depth)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UsageError(f"{name} must be a rank, 1 or more. Got {value!r} instead.")
    baselines = baselines_of(baseline, systems)
    study = _Study(evaluator, systems, baselines, k, grade_assumed, depth)
    in_order = {name: by_name[name] for name in (*baselines, *(s for s in systems if s not in baselines))}
    names = iter(in_order)
    with progress_bar("Assuming grades", len(systems), shown=progress if len(systems) > 1 else False) as advance:
        for _ in of_each_run(in_order, judgments, lambda run: study.add(next(names), run)):
            advance(1)
    return study.result()


def _grade(grade: float | str, judgments: Judgments) -> float:
    known = {"relevant": 1.0, "largest": max(judgments.largest_grade, 1.0)}
    assumed = known.get(grade) if isinstance(grade, str) else grade
    if assumed is None or not 0 < assumed < np.inf:
        raise UsageError(f"The grade to assume is 'relevant', 'largest' or a number above 0. Got {grade!r} instead.")
    return float(assumed)


class _Study:
    """The results of the runs read so far, and the joins of baselines."""

    def __init__(
        self, evaluator: Evaluator, systems: tuple[str, ...], baselines: Sequence[str], k: int, grade: float,
        depth: int | None,
    ) -> None:  # fmt: skip
        self._evaluator, self._judgments, self._measures = evaluator, evaluator.judgments, evaluator.measures
        self._systems, self._baselines = systems, tuple(baselines)
        self._k, self._grade, self._depth = k, grade, depth
        self._assumed = AssumedValues(self._measures)
        topics = len(self._judgments.topics)
        shape = (topics, len(systems), len(self._measures))
        self._shares = {name: np.full(shape[:2], np.nan) for name in SHARES}
        self._values = np.full((3, *shape), np.nan)
        self._residuals = np.full(shape, np.nan)
        self._residuals[:, :, [is_rank_biased(m) for m in self._measures]] = 1.0  # of a topic that a run lacks
        self._retrieved = np.zeros(shape[:2], dtype=bool)
        first, second = pairs_with(baselines, systems)
        self._pairs: dict[tuple[int, int], Extremes | None] = dict.fromkeys(
            zip(first.tolist(), second.tolist(), strict=True)
        )
        self._joined: dict[int, tuple[Join, UnjudgedDocuments]] = {}

    def add(self, name: str, run: Run) -> None:
        """Score the views of a run, and of its pairs with the baselines that are already read."""
        s, join = self._systems.index(name), Join(run, self._judgments)
        rankings = Rankings(join)
        is_unjudged = ~(rankings.ranked.grade >= 0)
        in_judgments = join.in_judgments
        self._retrieved[in_judgments, s] = True
        top = rankings.ranked.rank <= self._k
        size = rankings.ranked.sum(top)
        is_relevant = rankings.ranked.grade >= 1
        for share, is_of in zip(SHARES, (is_unjudged, ~is_unjudged, is_relevant), strict=True):
            self._shares[share][in_judgments, s] = rankings.ranked.sum(top & is_of) / size
        for m, measure in enumerate(self._measures):
            if is_rank_biased(measure):
                self._residuals[in_judgments, s, m] = residuals(measure, rankings, is_unjudged)
        as_judged = self._evaluator.of_join(join)
        self._values[0, :, s] = np.stack([as_judged[measure].values for measure in self._measures], axis=1)
        views = [join.with_judgments(unjudged=grade, depth=self._depth) for grade in (0, self._grade)]
        self._values[1:, :, s] = self._assumed.of(views)
        documents = self._documents(join, rankings, is_unjudged)
        self._joined[s] = join, documents
        for a, b in self._pairs:
            if s in (a, b) and a in self._joined and b in self._joined:
                of_pair = self._joined[a], self._joined[b]
                self._pairs[a, b] = extremes_of(
                    of_pair[0][0], of_pair[1][0], (of_pair[0][1], of_pair[1][1]), self._grade, self._assumed
                )
        if name not in self._baselines:
            del self._joined[s]
        join.forget("rankings")
        gc.collect(1)  # rankings hold reference cycles, which would keep the memory of several runs

    def _documents(self, join: Join, rankings: Rankings, is_unjudged: Bools) -> UnjudgedDocuments:
        """Return the unjudged documents at ranks up to the depth, with their ranks, by topic."""
        considered = is_unjudged if self._depth is None else is_unjudged & (rankings.ranked.rank <= self._depth)
        rows = rankings.ranked.where(considered)
        ids, ranks, ends = join.doc_ids(rows.row), rows.rank.tolist(), rows.offsets.tolist()
        return {
            str(topic): dict(zip(ids[start:end], ranks[start:end], strict=True))
            for topic, start, end in zip(join.topics, ends[:-1], ends[1:], strict=True)
        }

    def result(self) -> Unjudged:
        """Return the result, when all runs are read."""
        largest_grade = max(self._judgments.largest_grade, 1.0)
        refusals = self._assumed.refusals
        effects = {
            str(m): UNKNOWN if str(m) in refusals else effects_on(m, self._grade, largest_grade) for m in self._measures
        }
        without = dict(zip(effects, np.isnan(self._values[2]).all(axis=0).sum(axis=0).tolist(), strict=True))
        notes = tuple(
            f"{measure} has no value under assumptions for {counted(without[measure], 'system')}: {message}"
            for measure, message in refusals.items()
        ) + tuple(
            f"{measure} takes documents of the grade {self._grade:g}, which is assumed, as non-relevant; "
            "assume another, such as the largest"
            for measure in self._measures
            if measure.params.get("rel", 0) > self._grade
        )
        value, if_nonrelevant, if_relevant = (self._scores(values) for values in self._values)
        return Unjudged(
            value, if_nonrelevant, if_relevant, self._residuals, self._shares, effects, self._pairs, self._baselines,
            self._k, self._grade, self._depth, notes,
        )  # fmt: skip

    def _scores(self, values: Floats) -> Scores:
        return Scores(values, tuple(self._judgments.index), self._systems, tuple(self._measures), self._retrieved)
