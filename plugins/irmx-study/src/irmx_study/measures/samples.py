"""Random samples of judgments, judgments without a group of runs, and the means of runs under each."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import ir_measures
import numpy as np

from irmx import DataError, Join, Judgments, Param, Run, Scores, UsageError, read_run, read_table
from irmx.ragged import Bools, Floats, Ints, offsets_of, position_in_segment, segment_of
from irmx.toolkit import (
    Call,
    Evaluator,
    check_backend,
    is_local,
    list_some,
    named_runs,
    of_each_run,
    plural,
    progress_bar,
    results_of,
    suggest,
    versions_of,
)
from irmx_study.inputs.views import listed
from irmx_study.measures.sweep import Held, Stored, Study, Work, identity_of_data, kept
from irmx_study.statistics.paired import random_words
from irmx_study.systems.unjudged import AssumedValues, check_judgments, means_of

# -- random samples of judgments -------------------------------------------------------------------------------------


Percentages = Any
"""Percentages as a user gives them: numbers, texts, or one text such as ``"90,70,50"``."""


def exact_percentages(percentages: Percentages) -> tuple[Fraction, ...]:
    """Return percentages as fractions of 100, in the order given.

    A float counts as the decimal number that it is printed as, so that 12.5 and 0.1 are what they look like.

    Examples
    --------
    >>> exact_percentages("50, 12.5")
    (Fraction(50, 1), Fraction(25, 2))
    >>> exact_percentages([90, 0.1])
    (Fraction(90, 1), Fraction(1, 10))
    >>> exact_percentages([90, 0])
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The share of the judgments to keep is a percentage in the range (0, 100]. Got 0 instead.
    """
    if isinstance(percentages, str):
        percentages = percentages.split(",")
    elif not isinstance(percentages, Iterable):
        percentages = [percentages]
    exact: list[Fraction] = []
    for percentage in percentages:
        level = _exact(percentage)
        if level in exact:
            raise UsageError(f"The percentage {text_of(level)} is to be kept twice. Give each level once.")
        exact.append(level)
    if not exact:
        raise UsageError("There is no percentage of the judgments to keep. Give some, such as 90,70,50,30,10.")
    return tuple(exact)


def _exact(percentage: Any) -> Fraction:
    text = str(percentage).strip()
    try:
        if isinstance(percentage, bool) or not 0 < float(percentage) <= 100:  # before a fraction of 1e9999999 is made
            raise ValueError
        return percentage if isinstance(percentage, Fraction) else Fraction(text)
    except (TypeError, ValueError):
        shown = repr(percentage) if isinstance(percentage, bool) or not text else text
        raise UsageError(
            f"The share of the judgments to keep is a percentage in the range (0, 100]. Got {shown} instead."
        ) from None


def number_of(level: Fraction) -> int | float:
    """Return a percentage as an int if it is a whole number, else as a float."""
    return int(level) if level.denominator == 1 else float(level)


def text_of(level: Fraction) -> str:
    """Return a percentage as a text.

    >>> text_of(Fraction(25, 2)), text_of(Fraction(90))
    ('12.5', '90')
    """
    return str(number_of(level))


def kept_of(size: int, level: Fraction, least: int) -> int:
    """Return how many of some documents to keep: the percentage, rounded half up, but at least so many, and not more than all.

    Examples
    --------
    >>> [(kept_of(25, Fraction(p), 1), kept_of(300, Fraction(p), 10)) for p in (90, 70, 50, 30, 10)]
    [(23, 270), (18, 210), (13, 150), (8, 90), (3, 30)]
    >>> [(kept_of(3, Fraction(p), 1), kept_of(40, Fraction(p), 10)) for p in (90, 70, 50, 30, 10)]
    [(3, 36), (2, 28), (2, 20), (1, 12), (1, 10)]
    """
    rounded = (2 * level.numerator * size + 100 * level.denominator) // (200 * level.denominator)
    return min(size, max(least, rounded))


LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10
"""How many documents of a topic and grade are kept at least, of a relevant grade and of any other."""


class Strata:
    """The judged documents of each topic and grade, in an order that the order of the rows of the qrels does not change.

    A document with several rows, for subtopics or assessors, is in the stratum of the largest of its grades. Documents with a
    negative grade, which in TREC qrels means not judged, are in none, and always kept.

    Attributes
    ----------
    sizes : int array
        The number of documents of each stratum.
    relevant : bool array
        Whether each stratum is of a relevant grade.
    """

    def __init__(self, judgments: Judgments, rel: float) -> None:
        names, ends = list(judgments.docs), judgments.offsets.tolist()
        topics = sorted(range(len(ends) - 1), key=lambda topic: str(judgments.topics[topic]))
        order = [i for t in topics for i in sorted(range(ends[t], ends[t + 1]), key=names.__getitem__)]
        self._in_order = np.array(order, dtype=np.int64)  # of the ids of topics, and of their documents
        grade, topic = judgments.grade[self._in_order], segment_of(judgments.offsets)[self._in_order]
        judged = grade >= 0
        grades, code = np.unique(grade[judged], return_inverse=True)
        key = topic[judged] * np.int64(len(grades) + 1) + code
        keys, number, self.sizes = np.unique(key, return_inverse=True, return_counts=True)
        self._stratum = np.full(len(grade), -1, dtype=np.int64)  # of every document, in order; -1 if it is in none
        self._stratum[judged] = number
        self.relevant = np.asarray(grades[keys % (len(grades) + 1)] >= rel)

    def kept(self, level: Fraction) -> Ints:
        """Return how many documents of each stratum a percentage keeps."""
        least = np.where(self.relevant, LEAST_RELEVANT, LEAST_NONRELEVANT)
        of_each = zip(self.sizes.tolist(), least.tolist(), strict=True)
        return np.array([kept_of(size, level, fewest) for size, fewest in of_each], dtype=np.int64)

    def places(self, sample: int, seed: int) -> Ints:
        """Return the place of every document of the judgments in its shuffled stratum, from 0; -1 for those that stay."""
        order = self._in_order
        shuffled = np.lexsort((random_words(len(order), sample, seed), self._stratum))
        unsampled = int(np.count_nonzero(self._stratum < 0))  # they come first
        places = np.full(len(order), -1, dtype=np.int64)
        places[order[shuffled[unsampled:]]] = position_in_segment(offsets_of(self.sizes))
        return places

    def of_documents(self, values: Ints) -> Ints:
        """Return, from one value per stratum, one per document of the judgments; 0 for those in none."""
        of_documents = np.empty(len(self._in_order), dtype=np.int64)
        of_documents[self._in_order] = np.append(values, 0)[self._stratum]
        return of_documents


@dataclass(frozen=True)
class JudgmentSamples:
    """Random samples of judgments: for each, the list of every topic and grade is shuffled once, and its first documents are kept.

    The samples at smaller percentages are therefore part of those at larger ones. A sample depends on the seed and its number
    alone, and not on which other samples or percentages are asked for.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.

    Examples
    --------
    >>> import irmx
    >>> judgments = irmx.read_qrels({"q": {f"d{i}": int(i < 4) for i in range(40)}})
    >>> samples = JudgmentSamples((Fraction(50), Fraction(10)), samples=1, seed=0, rel=1)
    >>> [int(mask.sum()) for mask in samples.masks(judgments)]
    [20, 11]
    """

    levels: tuple[Fraction, ...]
    samples: int
    seed: int
    rel: float

    def masks(self, judgments: Judgments) -> Iterator[Bools]:
        """Yield which documents of ``judgments.docs`` to keep: all percentages of the first sample, then those of the next."""
        strata = Strata(judgments, self.rel)
        kept = [strata.of_documents(strata.kept(level)) for level in self.levels]
        for sample in range(self.samples):
            places = strata.places(sample, self.seed)
            for of_level in kept:
                yield places < of_level


def groups_of_runs(groups: Any, runs: Iterable[str]) -> dict[str, str]:
    """Return the group of every run.

    Examples
    --------
    >>> groups_of_runs({"a1": "A", "b1": "B", "a2": "A"}, ["a1", "a2", "b1"])
    {'a1': 'A', 'a2': 'A', 'b1': 'B'}
    """
    names = list(runs)
    if groups is None:
        return {name: name for name in names}
    if isinstance(groups, Mapping) and not {"run", "group"} <= set(groups):
        what, by_run = "The groups", {str(run): str(group) for run, group in groups.items()}
    else:
        what, by_run = _from_table(groups)
    if unknown := sorted(set(by_run) - set(names)):
        raise DataError(
            f"{what}: {plural(len(unknown), 'run')} of {len(by_run)} {'is' if len(unknown) == 1 else 'are'} not among the runs here: "
            f"{list_some(unknown)}.{suggest(unknown[0], names)} The runs: {list_some(names, 20)}."
        )
    if missing := [name for name in names if name not in by_run]:
        raise DataError(
            f"{what}: no group of {plural(len(missing), 'run')}: {list_some(missing)}. Give every run a group."
        )
    if len(set(by_run.values())) == 1:
        raise DataError(f"{what}: all runs are in one group, {by_run[names[0]]!r}. Give at least two groups.")
    return {name: by_run[name] for name in names}


def _from_table(source: Any) -> tuple[str, dict[str, str]]:
    """Return the name of a table of groups, for messages, and the group of every run in it."""
    table = read_table(source, {"run": str, "group": str}, "groups")
    by_run: dict[str, str] = {}
    for row, (run, group) in enumerate(zip(table["run"].tolist(), table["group"].tolist(), strict=True)):
        if by_run.setdefault(run, group) != group:
            table.refuse(row, f"the run {run} is in two groups, {by_run[run]!r} and {group!r}.")
    return table.name, by_run


@dataclass(frozen=True, eq=False)
class GroupCuts:
    """Judgments without the documents that one group alone brought into the pool, for every group."""

    groups: tuple[str, ...]
    lost: Bools
    unpooled: int

    def masks(self, judgments: Judgments) -> Iterable[Bools]:
        """Return, for every group, which documents of ``judgments.docs`` stay."""
        return ~self.lost


def left_out(
    runs: Mapping[str, Any], group_of: Mapping[str, str], judgments: Judgments, depth: int, progress: bool | None = None
) -> GroupCuts:
    """Return what the judgments lose without each group of runs.

    The pool is the union of the top ``depth`` documents of all runs, in the order of trec_eval. Without a group, the judged
    documents that only its runs have there are lost. Documents with a negative grade are not judged, and always stay.
    """
    groups = tuple(dict.fromkeys(group_of.values()))
    has = np.zeros((len(groups), len(judgments)), dtype=bool)

    def top(run: Run) -> np.ndarray[Any, Any]:
        hits = Join(run, judgments).ranked_hits(None, "trec")
        return hits.doc[hits.rank <= depth]

    with progress_bar("Reading pools", len(runs), shown=progress) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scoring the runs issues them again
        for name, documents in of_each_run(runs, judgments, top):
            has[groups.index(group_of[name]), documents] = True
            advance(1)
    judged = judgments.grade >= 0
    of_groups = has.sum(axis=0)
    return GroupCuts(groups, has & (of_groups == 1) & judged, int(np.count_nonzero((of_groups == 0) & judged)))


def topics_emptied(cuts: GroupCuts, judgments: Judgments, rel: float) -> Sequence[int]:
    """Return for how many topics with relevant documents none is left without each group."""
    topic, relevant = segment_of(judgments.offsets), judgments.grade >= rel
    before = len(np.unique(topic[relevant]))
    return [before - len(np.unique(topic[relevant & ~lost])) for lost in cuts.lost]


# -- scores with parts of the judgments ------------------------------------------------------------------------------


FEWEST = 3
"""The smallest number of systems whose ranking says anything."""

KEEP, SAMPLES, DEPTH = (90, 70, 50, 30, 10), 10, 100
"""The percentages of the judgments, the number of samples at each, and the pool depth, by default."""

_TOGETHER = 4
"""How many runs are scored together, and kept together when the study is stopped."""

_HELD_DOCUMENTS = 2**23
"""Up to how many documents of all cuts together the judgments of cuts are kept for the next runs."""

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


class _CutStudy(Study):
    """Runs scored with all judgments and with parts of them, the cuts; a stopped study resumes where it was."""

    kind = ""

    def __init__(self, measures: Measures, qrels: Any, runs: Any, only: Iterable[str] | None, out: Any) -> None:
        named = named_runs(runs)
        names = list(named) if only is None else listed(named, only)
        if len(names) < FEWEST:
            raise UsageError(f"Comparing rankings takes {FEWEST} or more runs. Got {len(names)}: {', '.join(names)}.")
        evaluator = Evaluator(measures, qrels)
        self.measures, self.judgments = evaluator.measures, evaluator.judgments
        self.computed_by = evaluator.computed_by()
        self.batches = [names[i : i + _TOGETHER] for i in range(0, len(names), _TOGETHER)]
        super().__init__({name: named[name] for name in names}, Work(out, [" ".join(batch) for batch in self.batches]))
        self.marks: dict[str, list[Any]] = {}
        self.cuts: Any = None

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

    def _score(
        self, left: Sequence[int], jobs: int, progress: bool | None, use: Any, stack: contextlib.ExitStack
    ) -> None:
        """Score the remaining runs; some are kept as soon as they are finished."""
        jobs = min(jobs, len(left))
        stack.callback(_judgments_of_cuts.cache_clear)
        elsewhere = use is not None or not is_local()
        data: Stored | Held = Held((self.judgments, self.cuts))
        if not elsewhere and jobs > 1:
            data = Stored.of(data, stack.enter_context(tempfile.TemporaryDirectory()))
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
            self._issue(warned)

    def _joined(self) -> Scores:
        """Return the means of all runs: for every measure the views with all judgments, then with every cut."""
        parts = [arrays for arrays in self.work.arrays if arrays is not None]
        means = np.concatenate([part["means"] for part in parts], axis=1)
        made_by: dict[str, Any] = {
            "versions": versions_of(self.measures),
            "computed_by": self.computed_by,
            "topics": len(self.judgments.topics),
            "retrieved": np.concatenate([part["topics"] for part in parts]).tolist(),
            "refusals": {place: why for part in reversed(parts) for place, why in part["refusals"].items()},
        }
        if self.work.identity:
            made_by["identity"] = self.work.identity
        values = means.transpose(1, 2, 0).reshape(1, len(self.runs), -1)
        measures, marks = self._views()
        return Scores(values, ("mean",), tuple(self.runs), measures, made_by=made_by, marks=marks)

    def _views(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        cuts = len(next(iter(self.marks.values())))
        marks = {name: (*values,) * len(self.measures) for name, values in self.marks.items()}
        return tuple(measure for measure in self.measures for _ in range(cuts)), marks


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
