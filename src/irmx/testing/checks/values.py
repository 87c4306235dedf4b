"""Checks of values: ranges, topics, ties, and what must not change them."""

from __future__ import annotations

import contextlib
import io
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irmx.data.reading import read_qrels, read_run
from irmx.declare.columns import REQUIRED, vocabulary
from irmx.declare.measures import Measure, bounds
from irmx.declare.params import common_value, is_common
from irmx.errors import UsageError
from irmx.rank.join import Join
from irmx.score.backends import rankings_for
from irmx.score.evaluator import evaluator
from irmx.score.explain import explain
from irmx.score.topic_scores import TopicScores
from irmx.testing.generate import (
    HAS_VALUE,
    Data,
    Values,
    failure,
    for_all,
    for_all_large,
    must_work,
    require_same,
    same,
    values,
    values_quietly,
)
from irmx.testing.strategies import ODD, PLAIN, TOPICS, Row, Sample, declared_columns

# -- checks of the values: range, monotonicity, type, warnings, what they are made of --------------------------------


_ROUNDING = 1e-9


def check_range(measure: Measure, data: Data) -> None:
    """Values lie in ``RANGE``: for any run, for one that ranks the best documents first, and if all documents are relevant."""
    low, high = bounds(measure.RANGE)

    def holds(sample: Sample) -> None:
        for topic, value in values(measure, sample).items():
            if not low - _ROUNDING <= value <= high + _ROUNDING:
                asked = f"Values must lie in its RANGE, {low:g} to {high:g}."
                raise failure(measure, asked, f"Query {topic} has {value:.12g}.", sample)

    def holds_at_best(sample: Sample) -> None:
        grade = max(1, math.ceil(common_value(measure, "rel") or 1))
        holds(sample)
        holds(sample.once("best first", lambda: _best_first(sample)))
        holds(sample.once(("all relevant", grade), lambda: _best_first(_all_relevant(sample, grade))))

    for_all(data.samples(measure), holds_at_best, data)
    for_all_large(measure, holds_at_best, data)
    holds(data.deep(measure))


def _all_relevant(sample: Sample, grade: int) -> Sample:
    return sample.with_qrels({**row, "relevance": max(row["relevance"], grade)} for row in sample.qrels)


def _best_first(sample: Sample) -> Sample:
    """Return the sample with a run of the same rows, in which the judged documents stand first, those of large grades before others."""
    judged: dict[str, dict[str, float]] = {topic: {} for topic in sample.topics}
    for row in sample.qrels:
        of_topic = judged[row["query_id"]]
        of_topic[row["doc_id"]] = max(row["relevance"], of_topic.get(row["doc_id"], row["relevance"]))
    best = {topic: sorted(filter(None, of), key=of.__getitem__, reverse=True) for topic, of in judged.items()}
    rows, counts = [], dict.fromkeys(sample.topics, 0)
    for row in sorted(sample.run, key=lambda row: row["score"], reverse=True):
        place = counts[row["query_id"]]
        counts[row["query_id"]] += 1
        docs = best[row["query_id"]]
        rows.append(
            {**row, "doc_id": docs[place] if place < len(docs) else f"unjudged {place}", "score": -float(place)}
        )
    return sample.with_run(rows)


def check_monotone(measure: Measure, data: Data) -> None:
    """Replacing a non-relevant document by a relevant one never lowers the value, if ``MONOTONE`` says so.

    The relevant document, which was not retrieved before, takes the score and the run's columns of the other. With
    ``judged_only=True`` the other is judged, as others are not in the ranking.
    """
    if not measure.MONOTONE:
        return

    def holds(sample: Sample) -> None:
        found = lowered_by_a_relevant_document(measure, sample)
        if found is not None:
            asked = "MONOTONE says that a relevant document in the place of a non-relevant one never lowers the value."
            raise failure(measure, asked, found.text, found.before, found.after)

    for_all(data.samples(measure, max_topics=1, ties="none"), holds, data, share=2)


@dataclass(frozen=True)
class Lowered:
    """A value that falls as a relevant document takes the place of a non-relevant one."""

    before: Sample
    after: Sample
    text: str


def lowered_by_a_relevant_document(measure: Measure, sample: Sample) -> Lowered | None:
    """Return where a relevant document in the place of a non-relevant one lowers the value of a sample's first topic.

    Non-relevant documents of the run are replaced by relevant ones that were not retrieved, and relevant ones by others.
    """
    sample = sample.only(sample.topics[:1])
    runs, pairs = [sample.run], []
    for place, other, is_better in _replacements(measure, sample):
        row = sample.run[place]
        runs.append((*sample.run[:place], {**row, "doc_id": other}, *sample.run[place + 1 :]))
        one, two = (row["doc_id"], other) if is_better else (other, row["doc_id"])
        pairs.append((0, len(runs) - 1, one, two) if is_better else (len(runs) - 1, 0, one, two))
    every = Sample(
        tuple({**row, "query_id": str(i)} for i in range(len(runs)) for row in sample.qrels),
        tuple({**row, "query_id": str(i)} for i, run in enumerate(runs) for row in run),
    )
    found = values(measure, every)
    for before, after, one, two in pairs:
        if found[str(after)] < found[str(before)] - _ROUNDING:
            text = f"With {two!r} in the place of {one!r} it falls from {found[str(before)]:.12g} to {found[str(after)]:.12g}."
            return Lowered(sample.with_run(runs[before]), sample.with_run(runs[after]), text)
    return None


def _replacements(measure: Measure, sample: Sample) -> Iterator[tuple[int, str, bool]]:
    """Yield a row of the run, a document to take its place, and whether that is the relevant one of the two."""
    rel = 1 if common_value(measure, "rel") is None else common_value(measure, "rel")
    grade: dict[str, float] = {}
    for row in sample.qrels:
        if row["doc_id"]:
            grade[row["doc_id"]] = max(row["relevance"], grade.get(row["doc_id"], row["relevance"]))
    retrieved = {row["doc_id"] for row in sample.run}
    absent = [doc_id for doc_id in grade if doc_id not in retrieved]
    others = absent if common_value(measure, "judged_only") else [*absent, "unjudged"]
    in_ranking = (
        {doc_id for doc_id, g in grade.items() if g >= 0}
        if common_value(measure, "judged_only")
        else {*retrieved, *others}
    )
    relevant = {doc_id for doc_id, g in grade.items() if g >= rel}
    for place, row in enumerate(sample.run):
        for other in others:
            if (row["doc_id"] in relevant) != (other in relevant) and {row["doc_id"], other} <= in_ranking:
                yield place, other, other in relevant


def check_floats(measure: Measure, data: Data) -> None:
    """``score`` returns one finite number per topic, as float64 or an integer type of numpy, and so does ``score_topic`` for its topic."""

    def holds(sample: Sample) -> None:
        topics, found, of_topics = _scored(measure, sample)
        array = np.asarray(found.values if isinstance(found, TopicScores) else found)
        if array.shape != (len(topics),) or array.dtype.kind not in "fiu" or array.dtype.itemsize < 8:
            asked = f"score must return {len(topics)} numbers in double precision, one per topic."
            raise failure(measure, asked, f"It returned {array.dtype} of shape {array.shape}.", sample)
        if not np.isfinite(array).all():
            raise failure(measure, "Values must be finite.", f"It returned {array.tolist()}.", sample)
        for value in of_topics:
            one = np.asarray(value)
            if one.shape != () or one.dtype.kind not in "fiu" or one.dtype.itemsize < 8:
                asked = "score_topic must return a number in double precision."
                raise failure(measure, asked, f"It returned {value!r} of {type(value).__name__}.", sample)

    for_all(data.samples(measure), holds, data)
    holds(data.deep(measure))


def _scored(measure: Measure, sample: Sample) -> tuple[tuple[Any, ...], Any, list[Any]]:
    """Return the topics of a sample, what ``score`` returns for them, and ``score_topic`` where the measure has it."""
    join = Join(read_run(sample.run_table), read_qrels(sample.qrels_table))
    by_topic = type(measure).score_topic is not Measure.score_topic
    with must_work(measure, HAS_VALUE, sample):
        rankings = rankings_for(measure, join)
        one_by_one = [measure.score_topic(ranking) for ranking in rankings] if by_topic else []
        return join.topics, measure.score(rankings), one_by_one


def check_warnings(measure: Measure, data: Data) -> None:
    """Scoring warns only about the data, and prints nothing: ``irmx.DataWarning`` is allowed, warnings of numpy are not."""
    for_all(data.samples(measure), lambda sample: _quiet(measure, sample), data)
    _quiet(measure, data.deep(measure))


def _quiet(measure: Measure, sample: Sample) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        values_quietly(measure, sample)
    if printed.getvalue():
        asked = "Scoring must print nothing: standard output holds results."
        raise failure(measure, asked, f"It printed {printed.getvalue()!r}.", sample)


def check_explanation(measure: Measure, data: Data) -> None:
    """``irmx explain`` shows what a value is made of: the contributions add up to it; a measure without contributions passes."""
    if type(measure).contributions is Measure.contributions:
        return
    asked = "What contributions gives must add up to the value."

    def holds(sample: Sample) -> None:
        for topic in sample.topics:
            with must_work(measure, HAS_VALUE, sample):
                try:
                    explained = explain(measure, sample.qrels_table, sample.run_table, topic)
                except UsageError:
                    return
            if "contribution" not in explained.columns:
                found = f"It has {', '.join(explained.columns)}."
                raise failure(measure, "contributions must have a column contribution.", found, sample)
            total = math.fsum(explained.columns["contribution"])
            if not same(total, explained.value):
                found = f"For query {topic} they add up to {total:.12g}; the value is {explained.value:.12g}."
                raise failure(measure, asked, found, sample)

    for_all(data.samples(measure), holds, data, share=0.5)


def check_preparation(measure: Measure, data: Data) -> None:
    """``score_prepared`` on what ``prepare`` returns gives the values of ``score``; a measure without these methods passes."""
    if measure.preparation() is None:
        return
    asked = "prepare and score_prepared must give the values of score."

    def holds(sample: Sample) -> None:
        join = Join(read_run(sample.run_table), read_qrels(sample.qrels_table))
        with must_work(measure, HAS_VALUE, sample):
            prepared = measure.prepare(rankings_for(measure, join))
            [[scores]] = type(measure).score_prepared([prepared], [measure])
        found = dict(zip(map(str, join.topics), scores.values.tolist(), strict=True))
        require_same(measure, asked, values(measure, sample), found, "by score_prepared", sample)

    for_all(data.samples(measure), holds, data, share=0.5)


# -- what a value must not depend on ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Relation:
    """A check that a measure has the same values on changed data, or, with another parameter, on other data."""

    name: str
    about: str
    asked: str
    what: str
    changed: Callable[[Measure, Sample], Iterable[Sample]]
    params: Mapping[str, Any] = field(default_factory=dict)
    keeps: bool = True
    applies: Callable[[Measure], bool] = lambda measure: True
    options: tuple[Mapping[str, Any], ...] = ({},)
    large: bool = False
    share: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "__name__", f"check_{self.name}")
        object.__setattr__(self, "__doc__", self.about)

    def __call__(self, measure: Measure, data: Data) -> None:
        """Raise :class:`irmx.testing.CheckError` if the relation does not hold."""
        given = any(name not in measure.SUPPORTED_PARAMS or name in measure.params for name in self.params)
        if given or not self.applies(measure):
            return
        asking = _with(measure, self.params)

        def holds(sample: Sample) -> None:
            for other in self.changed(measure, sample):
                one, instead = values(asking, sample), values(asking if self.keeps else measure, other)
                shared = {topic: value for topic, value in one.items() if topic in instead}
                require_same(asking, self.asked, shared, instead, self.what, sample, other)

        for options in self.options:
            for_all(data.samples(measure, **options), holds, data, self.share)
        if self.large:
            for_all_large(measure, holds, data)
        if all(options.get("ties", "none") == "none" for options in self.options):  # as there
            holds(data.deep(measure))


def _with(measure: Measure, params: Mapping[str, Any]) -> Measure:
    """Return a measure with other parameters, which it must take."""
    said = ", ".join(f"{name}={value!r}" for name, value in params.items())
    with must_work(measure, f"It must take {said}."):
        made: Measure = measure(**params) if params else measure
    return made


# -- changes -------------------------------------------------------------------------------------------------


def _in_other_orders(measure: Measure, sample: Sample) -> tuple[Sample, Sample]:
    """Return the sample with its rows backwards, and in an order that looks random, always the same."""

    def made() -> tuple[Sample, Sample]:
        order = random.Random(len(sample.run))
        qrels, run = (tuple(order.sample(rows, len(rows))) for rows in (sample.qrels, sample.run))
        return Sample(sample.qrels[::-1], sample.run[::-1]), Sample(qrels, run)

    return sample.once("other orders", made)


def _topics_alone(measure: Measure, sample: Sample) -> list[Sample]:
    return sample.once("topics alone", lambda: [sample.only([topic]) for topic in sample.topics])


def _of_small_grades_0(measure: Measure, sample: Sample) -> Iterator[Sample]:
    lower = ({**r, "relevance": min(r["relevance"], 0)} if r["relevance"] < 2 else r for r in sample.qrels)
    yield sample.with_qrels(lower)


def _cut_off_at(k: int) -> Callable[[Measure, Sample], Iterator[Sample]]:
    def cut(measure: Measure, sample: Sample) -> Iterator[Sample]:
        ties = common_value(measure, "ties") or "trec"
        first = {(row["query_id"], row["doc_id"]) for topic in _by_rank(sample, ties) for row in topic[:k]}
        yield sample.where(lambda row: True, lambda row: (row["query_id"], row["doc_id"]) in first)

    return cut


def _cuts_documents(measure: Measure) -> bool:
    """Tell whether the cutoff of a measure is that of all measures, and not, say, a number of blocks."""
    return is_common("cutoff", measure.SUPPORTED_PARAMS["cutoff"]) and not common_value(measure, "judged_only")


def _condensed(measure: Measure, sample: Sample) -> Iterator[Sample]:
    judged = {(row["query_id"], row["doc_id"]) for row in sample.qrels if row["relevance"] >= 0}
    yield sample.where(lambda row: True, lambda row: (row["query_id"], row["doc_id"]) in judged)


def _untied(measure: Measure, sample: Sample) -> Iterator[Sample]:
    ranks = {id(row): rank for topic in _by_rank(sample, "run") for rank, row in enumerate(topic)}
    yield sample.with_run({**row, "score": float(-ranks[id(row)])} for row in sample.run)


def _by_rank(sample: Sample, ties: str) -> list[list[Row]]:
    """Return the rows of the run topic by topic, best first."""
    topics: dict[str, list[Row]] = {}
    for row in sample.run:
        topics.setdefault(row["query_id"], []).append(row)
    if ties == "trec":
        return [sorted(rows, key=lambda r: (r["score"], r["doc_id"]), reverse=True) for rows in topics.values()]
    return [sorted(rows, key=lambda r: -r["score"]) for rows in topics.values()]


def _littered(measure: Measure, sample: Sample) -> list[Sample]:
    """Return the sample with texts, and with numbers, in columns that the measure does not declare."""
    declared = frozenset((c.table, c.name) for c in declared_columns(measure))
    return sample.once(("littered", declared), lambda: list(_with_litter(sample, declared)))


def _with_litter(sample: Sample, declared: Set[tuple[str, str]]) -> Iterator[Sample]:
    known = {(c.table, c.name) for c in vocabulary()} | {
        *(("run", name) for name in ("no_such_column", "rank", "docid", "query", "title")),
        ("qrels", "no_such_column"),
    }
    others = {(t, n) for t, n in known - declared if n not in REQUIRED[t]}
    for litter in ("garbage", 3):
        extra = {table: {name: litter for t, name in others if t == table} for table in ("run", "qrels")}
        rows = [{**row, **extra["qrels"]} for row in sample.qrels]
        if ("qrels", "iteration") in others:
            rows = [{**row, "iteration": subtopic} for row in rows for subtopic in ("s1", "s2")]
        yield Sample(tuple(rows), tuple({**row, **extra["run"]} for row in sample.run))


_ALL = (
    Relation(
        "undeclared_columns",
        "Undeclared columns change nothing: neither texts nor numbers in them, nor a row per subtopic where ``iteration`` is one.",
        "Columns that it does not declare must change nothing.",
        "with other columns",
        _littered,
        share=0.2,
    ),
    Relation(
        "row_order",
        "The order of rows does not matter if no two scores of a topic are equal.",
        "The order of rows must not matter: scores order documents.",
        "with the rows in another order",
        _in_other_orders,
        options=({"ties": "none"},),
    ),
    Relation(
        "ties",
        "Nor does it matter if scores are equal; with ``ties='run'`` it may.",
        "The order of rows must not matter, even where scores are equal.",
        "with the rows in another order",
        _in_other_orders,
        applies=lambda measure: common_value(measure, "ties") != "run",
        options=({"ties": "all"}, {"ties": "some"}),
    ),
    Relation(
        "topics",
        "Topics do not influence each other: a topic alone has the same value as among others.",
        "Topics must not influence each other.",
        "alone",
        _topics_alone,
        large=True,
    ),
    Relation(
        "rel",
        "``rel=2`` treats documents of a smaller grade as not relevant, as if their grade were 0.",
        "With rel=2 documents of a smaller grade must count as those of grade 0.",
        "with these grades 0",
        _of_small_grades_0,
        {"rel": 2},
        share=0.5,
    ),
    Relation(
        "judged_only",
        "``judged_only=True`` drops documents without a judgment, or with a negative grade, before ranks are counted.",
        "With judged_only=True documents without a judgment must not count.",
        "without them in the run",
        _condensed,
        {"judged_only": True},
        keeps=False,
        share=0.5,
    ),
    Relation(
        "run_order",
        "``ties='run'`` orders documents of equal scores as the rows of the run.",
        "With ties='run' documents of equal scores must stand in the order of the run.",
        "with scores that say so",
        _untied,
        {"ties": "run"},
        keeps=False,
        share=0.5,
    ),
)
RELATIONS = {relation.name: relation for relation in _ALL}
"""The checks that are a change of the data, by name."""

_CUTOFFS = [
    Relation(
        "cutoff",
        "",
        f"With cutoff={k} documents below rank {k} must be ignored.",
        "without them in the run",
        _cut_off_at(k),
        {"cutoff": k},
        applies=_cuts_documents,
        large=k > 2,
        share=0.5 if k == 2 else 0.1,
    )
    for k in (2, 25)
]


def check_cutoff(measure: Measure, data: Data) -> None:
    """``cutoff=2`` ignores what is below rank 2, and 25 what is below 25: the value is that of a run cut off there.

    A cutoff in another unit than ranks is passed.
    """
    for relation in _CUTOFFS:
        relation(measure, data)


# -- checks of the same kind that need a function of their own -------------------------------------------------


def check_ids(measure: Measure, data: Data) -> None:
    """The ids of topics and documents do not matter if no two scores of a topic are equal."""
    asked = "What topics and documents are called must not matter."

    def holds(sample: Sample) -> None:
        topic_of, changed = _renamed(sample)
        found = values(measure, changed)
        of_topics = {topic: found[other] for topic, other in topic_of.items() if other in found}
        require_same(measure, asked, values(measure, sample), of_topics, "with other ids", sample, changed)

    for_all(data.samples(measure, ties="none"), holds, data)


def _renamed(sample: Sample) -> tuple[dict[str, str], Sample]:
    """Return other ids for the topics of a sample, and the sample with these and with other documents' ids."""
    docs = sorted({row["doc_id"] for row in (*sample.qrels, *sample.run) if row["doc_id"]})
    names = PLAIN if set(docs) & set(ODD) else ODD
    doc_of = {"": "", **{doc: names[i] if i < len(names) else f"n{i}" for i, doc in enumerate(docs)}}
    place = next((i for i, topics in enumerate(TOPICS) if set(topics) & set(sample.topics)), 0)
    topic_of = dict(zip(sample.topics, TOPICS[place - 1], strict=False))

    def renamed(rows: Iterable[Row]) -> Iterator[Row]:
        return ({**row, "query_id": topic_of[row["query_id"]], "doc_id": doc_of[row["doc_id"]]} for row in rows)

    return topic_of, Sample(tuple(renamed(sample.qrels)), tuple(renamed(sample.run)))


def check_repeat(measure: Measure, data: Data) -> None:
    """The same data gives exactly the same values again: from the same evaluator, after other runs and other measures."""
    asked = "The same data must give exactly the same values again."

    def again(sample: Sample, measures: list[Measure]) -> tuple[Values, Values]:
        with must_work(measure, HAS_VALUE, sample):
            of_all = evaluator(measures, sample.qrels_table)
            return of_all.values(sample.run_table)[measure], of_all.values(sample.run_table)[measure]

    def holds(sample: Sample) -> None:
        first = values(measure, sample)
        for measures in ([measure], [*_variants(measure), measure]):
            for found in again(sample, measures):
                for topic, value in first.items():
                    if found[topic] != value and not (math.isnan(value) and math.isnan(found[topic])):
                        what = f"Query {topic} has {value!r} at first and {found[topic]!r} from an evaluator of {measures}."
                        raise failure(measure, asked, what, sample)

    for_all(data.samples(measure), holds, data)


def _variants(measure: Measure) -> list[Measure]:
    """Return the measure with other settings of its common parameters, those that it allows."""
    made = []
    changes: dict[str, object] = {"rel": 2, "judged_only": True, "ties": "run"}
    for name, value in changes.items():
        if name in measure.SUPPORTED_PARAMS and name not in measure.params:
            made.append(measure(**{name: value}))
    return made


def check_no_relevant_nan(measure: Measure, data: Data) -> None:
    """With ``no_relevant='nan'`` a topic without a relevant judged document has NaN, and the mean leaves it out."""
    if "no_relevant" not in measure.SUPPORTED_PARAMS or "no_relevant" in measure.params:
        return
    asking = _with(measure, {"no_relevant": "nan"})
    rel = 1 if common_value(measure, "rel") is None else common_value(measure, "rel")

    def holds(sample: Sample) -> None:
        one, *others = sample.topics
        rows = [{**r, "relevance": min(r["relevance"], rel - 1)} if r["query_id"] == one else r for r in sample.qrels]
        without = sample.with_qrels(rows)
        found = values(asking, without)
        if not math.isnan(found[one]):
            raise failure(
                asking, "A topic without a relevant judged document must have NaN.", f"It has {found[one]:g}.", without
            )
        asked = "no_relevant='nan' must not change topics that have a relevant document."
        kept = {topic: found[topic] for topic in others}
        require_same(asking, asked, kept, values(measure, sample), "without it", without, sample)
        if not others:
            return
        aggregator = asking.aggregator()
        for value in found.values():
            aggregator.add(value)
        mean = float(np.mean(list(kept.values())))
        if not math.isclose(aggregator.result(), mean, abs_tol=1e-9):
            asked = "The mean must leave out topics without a relevant judged document."
            raise failure(
                asking,
                asked,
                f"Over the others it is {mean:.12g}; the aggregator gives {aggregator.result():.12g}.",
                without,
            )

    for_all(data.samples(measure), holds, data, share=0.5)
