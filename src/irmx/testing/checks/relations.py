"""What a value must not depend on, and what the common parameters mean: a table of changes to data that leave the values."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irmx.declare.columns import REQUIRED, vocabulary
from irmx.declare.measures import Measure
from irmx.declare.params import common_value, is_common
from irmx.errors import UsageError
from irmx.score.evaluator import evaluator
from irmx.testing.generate import Data, Values, failure, for_all, for_all_large, raised, require_same, silent, values
from irmx.testing.sample import Row, Sample
from irmx.testing.strategies import ODD, PLAIN, TOPICS, declared_columns


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
    try:
        made: Measure = measure(**params) if params else measure
    except UsageError as error:
        said = ", ".join(f"{name}={value!r}" for name, value in params.items())
        raise failure(measure, f"It must take {said}.", f"It raised {type(error).__name__}: {error}") from error
    return made


# -- changes -------------------------------------------------------------------------------------------------


def _in_other_orders(measure: Measure, sample: Sample) -> Iterator[Sample]:
    """Yield the sample with its rows backwards, and in an order that looks random, always the same."""
    yield Sample(sample.qrels[::-1], sample.run[::-1])
    order = random.Random(len(sample.run))
    qrels, run = (tuple(order.sample(rows, len(rows))) for rows in (sample.qrels, sample.run))
    yield Sample(qrels, run)


def _topics_alone(measure: Measure, sample: Sample) -> Iterator[Sample]:
    return (sample.only([topic]) for topic in sample.topics)


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


def _littered(measure: Measure, sample: Sample) -> Iterator[Sample]:
    """Yield the sample with texts, and with numbers, in columns that the measure does not declare."""
    declared = {(c.table, c.name) for c in declared_columns(measure)}
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
        with silent():
            try:
                same_evaluator = evaluator(measures, sample.qrels_table)
                return same_evaluator.values(sample.run_table)[measure], same_evaluator.values(sample.run_table)[
                    measure
                ]
            except Exception as error:
                raise raised(measure, error, sample) from error

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
