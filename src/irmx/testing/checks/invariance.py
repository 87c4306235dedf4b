"""Checks of what a value must not depend on: order, ties, other topics, what was computed before."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator

from hypothesis import strategies as st

from irmx.declare.measures import Measure, common_value
from irmx.score.evaluator import evaluator
from irmx.testing.failures import failure
from irmx.testing.sample import Row, Sample
from irmx.testing.strategies import ODD, PLAIN, TOPICS
from irmx.testing.trying import Data, Values, for_all, for_all_large, raised, require_same, silent, values


def check_row_order(measure: Measure, data: Data) -> None:
    """The order of rows does not matter if no two scores of a topic are equal."""
    asked = "The order of rows must not matter: scores order documents."
    _order(measure, data, data.samples(measure, ties="none"), asked)


def check_ties(measure: Measure, data: Data) -> None:
    """Nor does it matter if scores are equal; with ``ties='run'`` it may."""
    if common_value(measure, "ties") != "run":
        asked = "The order of rows must not matter, even where scores are equal."
        _order(measure, data, data.samples(measure, ties="all"), asked)
        _order(measure, data, data.samples(measure, ties="some"), asked, _with_a_tie)


def _with_a_tie(sample: Sample) -> Sample:
    """Return the sample with the same score for the first two documents of every topic."""
    first: dict[str, float] = {}
    rows, counts = [], dict.fromkeys(sample.topics, 0)
    for row in sample.run:
        topic = row["query_id"]
        counts[topic] += 1
        score = first.setdefault(topic, row["score"])
        rows.append({**row, "score": score} if counts[topic] == 2 else row)
    return sample.with_run(rows)


def _order(
    measure: Measure,
    data: Data,
    samples: st.SearchStrategy[Sample],
    asked: str,
    changed: Callable[[Sample], Sample] = lambda sample: sample,
) -> None:
    """Raise if the order of the rows of samples, changed in one way, matters."""

    def holds(sample: Sample) -> None:
        sample = changed(sample)
        expected = values(measure, sample)
        for other in _in_other_orders(sample):
            what = "with the rows in another order"
            require_same(measure, asked, expected, values(measure, other), what, sample, other)

    for_all(samples, holds, data)


def _in_other_orders(sample: Sample) -> Iterator[Sample]:
    """Yield the sample with its rows backwards, and in an order that looks random, always the same."""
    yield Sample(sample.qrels[::-1], sample.run[::-1])
    order = random.Random(len(sample.run))
    qrels, run = (tuple(order.sample(rows, len(rows))) for rows in (sample.qrels, sample.run))
    yield Sample(qrels, run)


def check_topics(measure: Measure, data: Data) -> None:
    """Topics do not influence each other: a topic alone has the same value as among others."""
    asked = "Topics must not influence each other."

    def holds(sample: Sample) -> None:
        together = values(measure, sample)
        for topic in sample.topics:
            alone = sample.only([topic])
            require_same(measure, asked, values(measure, alone), together, "among other topics", alone, sample)

    for_all(data.samples(measure), holds, data)
    for_all_large(measure, holds, data)


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
