"""Scores with parts of the judgments: samples of them, and what is left without one group of runs. They resume."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import ir_measures
import numpy as np

from irmx import Join, Judgments, Param, Run, Scores, UsageError, read_run
from irmx.ragged import Floats
from irmx.toolkit import (
    Call,
    Evaluator,
    check_backend,
    check_jobs,
    dask,
    is_local,
    named_runs,
    of_each_run,
    progress_bar,
    results_of,
    versions_of,
)
from irmx_study.assuming import AssumedValues, check_judgments, means_of
from irmx_study.chosen_systems import listed
from irmx_study.judgment_samples import (
    JudgmentSamples,
    exact_percentages,
    groups_of_runs,
    left_out,
    number_of,
    text_of,
)
from irmx_study.sweeping import Held, Stored, issue, kept, store
from irmx_study.work import Work, identity_of_data

FEWEST = 3
"""The smallest number of systems whose ranking says anything."""

KEEP, SAMPLES, DEPTH = (90, 70, 50, 30, 10), 10, 100
"""The percentages of the judgments, the number of samples at each, and the pool depth, by default."""

_TOGETHER = 4
"""So many runs are scored together, and kept together when the study is stopped."""

_HELD_DOCUMENTS = 2**23
"""Up to so many documents of all cuts together, the judgments of cuts are kept for the next runs."""

PARAMS = {
    "samples": Param(int, "number of samples at each percentage", low=1, high=10**5),
    "seed": Param(int, "seed of the random samples", low=0, high=2**63 - 1),
    "rel": Param(float, "smallest relevant grade"),
    "depth": Param(int, "pool depth: how many documents of each run are in the pool", low=1),
}

Measures = str | ir_measures.Measure | Iterable[str | ir_measures.Measure]


def samples(
    measures: Measures,
    qrels: Any = None,
    runs: Any = None,
    *,
    keep: Any = KEEP,
    samples: int = SAMPLES,
    seed: int = 0,
    rel: float = 1,
    only: Iterable[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Scores:
    """Score systems with random parts of the judgments: a view per measure, percentage and sample.

    The parameters are those of :func:`irmx_study.pool`.

    Returns
    -------
    Scores
        The means over topics, as the values of one topic. The views with all judgments are marked with keep 100 and sample 0.

    Examples
    --------
    >>> import irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> irmx_study.samples("AP", qrels_path(), runs, keep=50, samples=2, jobs=1).names
    ('AP keep=100 sample=0', 'AP keep=50 sample=1', 'AP keep=50 sample=2')
    """
    check_backend(backend, scheduler)
    check_judgments("samples", measures, qrels, runs)
    return SampleStudy(measures, qrels, runs, keep, samples, seed, rel, only, out).compute(jobs, progress, scheduler)


def without(
    measures: Measures,
    qrels: Any = None,
    runs: Any = None,
    groups: Any = None,
    *,
    depth: int = DEPTH,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Scores:
    """Score systems as if one group had not contributed to the pool: a view per measure and group.

    The parameters are those of :func:`irmx_study.leave_out`.

    Returns
    -------
    Scores
        The means over topics, as the values of one topic. The views with all judgments are marked with no group.
    """
    check_backend(backend, scheduler)
    check_judgments("without", measures, qrels, runs)
    return GroupStudy(measures, qrels, runs, groups, depth, out, progress).compute(jobs, progress, scheduler)


class _CutStudy:
    """Runs scored with all judgments and with parts of them, the cuts; a stopped study resumes where it was."""

    kind = ""

    def __init__(self, measures: Measures, qrels: Any, runs: Any, only: Iterable[str] | None, out: Any) -> None:
        self.runs = named_runs(runs)
        if only is not None:
            self.runs = {name: self.runs[name] for name in listed(self.runs, only)}
        if len(self.runs) < FEWEST:
            raise UsageError(
                f"Comparing rankings takes {FEWEST} or more runs. Got {len(self.runs)}: {', '.join(self.runs)}."
            )
        evaluator = Evaluator(measures, qrels)
        self.measures, self.judgments, self.computed_by = (
            evaluator.measures,
            evaluator.judgments,
            evaluator.computed_by(),
        )
        names = list(self.runs)
        self.batches = [names[i : i + _TOGETHER] for i in range(0, len(names), _TOGETHER)]
        self.work = Work(out, [" ".join(batch) for batch in self.batches])
        self.marks: dict[str, list[Any]] = {}
        self.cuts: Any = None
        self._warned: set[tuple[type[Warning], str]] = set()

    @property
    def done(self) -> int:
        """The number of finished runs."""
        left = set(self.work.left)
        return sum(len(batch) for i, batch in enumerate(self.batches) if i not in left)

    def open(self, **choices: Any) -> None:
        """Look for earlier results."""
        if self.work.path is not None:
            chosen = {"study": self.kind, "measures": [str(measure) for measure in self.measures], **choices}
            self.work.open({}, {**chosen, **identity_of_data(self.measures, self.judgments, self.runs)})

    def compute(self, jobs: int | None = None, progress: bool | None = None, scheduler: str | None = None) -> Scores:
        """Score the remaining runs, and return the means of all."""
        if self.work.complete:
            return self.work.read(**self._views)
        try:
            if left := self.work.left:
                self._score(left, check_jobs(jobs), progress, scheduler)
        finally:
            _judgments_of_cuts.cache_clear()
            kept.cache_clear()
        scores = self._joined()
        self.work.finish(scores)
        return scores

    def _score(self, left: Sequence[int], jobs: int, progress: bool | None, scheduler: str | None) -> None:
        """Score the remaining runs; some are kept as soon as they are finished."""
        jobs = min(jobs, len(left))
        with contextlib.ExitStack() as stack:
            use = None if scheduler is None else stack.enter_context(dask(scheduler))
            elsewhere = use is not None or not is_local()
            data: Stored | Held = Held((self.judgments, self.cuts))
            if not elsewhere and jobs > 1:
                folder = stack.enter_context(tempfile.TemporaryDirectory())
                paths = [os.path.join(folder, f"{name}.joblib") for name in ("judgments", "cuts")]
                for value, path in zip((self.judgments, self.cuts), paths, strict=True):
                    store(value, path)
                data = Stored(tuple(paths))
            sources = {
                name: read_run(source) if elsewhere or source == "-" else source for name, source in self.runs.items()
            }
            if use is not None:
                stack.enter_context(use([data]))

            def calls() -> Iterator[Call]:
                for unit in left:
                    runs = {name: sources[name] for name in self.batches[unit]}
                    yield _score_cuts, (unit, runs, self.measures, data)

            advance = stack.enter_context(progress_bar("Scoring runs", len(self.runs), self.done, progress))
            for unit, arrays, warned in stack.enter_context(results_of(calls(), jobs)):
                self.work.keep(unit, arrays)
                advance(len(self.batches[unit]))
                issue(warned, self._warned)

    def _joined(self) -> Scores:
        """Return the means of all runs: for every measure the views with all judgments, then with every cut."""
        parts = [arrays for arrays in self.work.arrays if arrays is not None]
        means = np.concatenate([part["means"] for part in parts], axis=1)
        topics = np.concatenate([part["topics"] for part in parts])
        refusals: dict[str, str] = {}
        for part in parts:
            refusals = {**part["refusals"], **refusals}
        made_by: dict[str, Any] = {
            "versions": versions_of(self.measures),
            "computed_by": self.computed_by,
            "topics": len(self.judgments.topics),
            "retrieved": topics.tolist(),
            "refusals": refusals,
        }
        if self.work.identity:
            made_by["identity"] = self.work.identity
        values = means.transpose(1, 2, 0).reshape(1, len(self.runs), -1)
        return Scores(values, ("mean",), tuple(self.runs), made_by=made_by, **self._views)

    @property
    def _views(self) -> dict[str, Any]:
        """The measures and marks of all views."""
        cuts = len(next(iter(self.marks.values())))
        marks = {name: (*values,) * len(self.measures) for name, values in self.marks.items()}
        return {"measures": tuple(measure for measure in self.measures for _ in range(cuts)), "marks": marks}


class SampleStudy(_CutStudy):
    kind = "pool study"

    def __init__(
        self, measures: Measures, qrels: Any, runs: Any, keep: Any, samples: int, seed: int, rel: float,
        only: Iterable[str] | None = None, out: Any = None,
    ) -> None:  # fmt: skip
        levels = exact_percentages(keep)
        for name, value in (("samples", samples), ("seed", seed), ("rel", rel)):
            PARAMS[name].check(value, name, "pool")
        super().__init__(measures, qrels, runs, only, out)
        self.cuts = JudgmentSamples(levels, samples, seed, rel)
        shown = [number_of(level) for level in levels]
        self.marks = {
            "keep": [100, *(level for _ in range(samples) for level in shown)],
            "sample": [0, *(sample for sample in range(1, samples + 1) for _ in shown)],
        }
        self.open(keep=[text_of(level) for level in levels], samples=samples, seed=seed, rel=f"{rel:g}")


class GroupStudy(_CutStudy):
    kind = "study of left-out groups"

    def __init__(
        self, measures: Measures, qrels: Any, runs: Any, groups: Any, depth: int, out: Any, progress: bool | None = None
    ) -> None:
        PARAMS["depth"].check(depth, "depth", "leave_out")
        super().__init__(measures, qrels, runs, None, out)
        self.group_of = groups_of_runs(groups, self.runs)
        self.cuts = left_out(self.runs, self.group_of, self.judgments, depth, progress)
        self.marks = {"without": ["", *self.cuts.groups]}
        self.open(groups=[f"{run}={group}" for run, group in self.group_of.items()], depth=depth)


def _score_cuts(
    unit: int, runs: Mapping[str, Any], measures: Sequence[ir_measures.Measure], data: Stored | Held
) -> tuple[int, dict[str, Any], list[tuple[type[Warning], str]]]:
    """Score runs with all judgments and with every cut, in any process; each run is read and sorted once."""
    judgments, cuts = _judgments_of_cuts(data)
    evaluator = Evaluator(measures, judgments)
    joins: list[Join] = []
    of_all: list[Floats] = []

    def join(run: Run) -> None:
        joins.append(Join(run, judgments))
        of_join = evaluator.of_join(joins[-1])
        values = np.stack([of_join[measure].values for measure in evaluator.measures], axis=1)
        of_all.append(means_of(evaluator.measures, values[:, None, :])[0])
        joins[-1].forget("rankings")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in of_each_run(runs, judgments, join):
            pass
    means = [np.stack(of_all)]
    refusals: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is to be said about the data was said with all judgments
        for c, cut in enumerate(cuts):
            assumed = AssumedValues(measures)
            values = assumed.of([join.with_judgments(cut) for join in joins])
            means.append(means_of(measures, values.transpose(1, 0, 2)))
            for m, measure in enumerate(measures):
                if np.isnan(means[-1][:, m]).any():
                    why = assumed.refusals.get(str(measure), "it has no value for any topic of a run")
                    refusals[f"{c} {m}"] = str(why)
    arrays = {
        "means": np.stack(means),
        "topics": np.array([len(one.pairs) for one in joins], dtype=np.int64),
        "refusals": refusals,
    }
    return unit, arrays, [(w.category, str(w.message)) for w in caught]


class _JudgmentsOfCuts:
    """The judgments of cuts, made once if they are small, or for every pass over them."""

    def __init__(self, judgments: Judgments, cuts: Any) -> None:
        self._judgments, self._cuts = judgments, cuts
        self._held: list[Judgments] | None = None

    def __iter__(self) -> Iterator[Judgments]:
        if self._held is not None:
            yield from self._held
            return
        held: list[Judgments] = []
        documents = 0
        for mask in self._cuts.masks(self._judgments):
            cut = self._judgments.where(mask, keep_topics=True)
            documents += len(cut)
            held = [*held, cut] if documents <= _HELD_DOCUMENTS else []
            yield cut
        if documents <= _HELD_DOCUMENTS:
            self._held = held


@lru_cache(maxsize=1)
def _judgments_of_cuts(data: Stored | Held) -> tuple[Judgments, _JudgmentsOfCuts]:
    """Return the judgments and their cuts; the process keeps the last ones."""
    judgments, cuts = kept(data)
    return judgments, _JudgmentsOfCuts(judgments, cuts)
