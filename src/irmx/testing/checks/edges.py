"""Checks of what is missing: runs, qrels, topics, relevant documents."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from irmx.declare.declared import bounds
from irmx.declare.measures import Measure, common_value
from irmx.score.evaluator import calc_aggregate
from irmx.testing.sample import Sample
from irmx.testing.trying import Data, Values, failure, for_all, raised, require_same, silent, values


def check_empty_run(measure: Measure, data: Data) -> None:
    """Topics that an empty run lacks have ``DEFAULT``, a finite number in ``RANGE``."""
    low, high = bounds(measure.RANGE)
    if not (
        isinstance(measure.DEFAULT, (int, float)) and low <= measure.DEFAULT <= high and math.isfinite(measure.DEFAULT)
    ):
        raise failure(
            measure, f"DEFAULT must be a finite number in RANGE, {low:g} to {high:g}.", f"It is {measure.DEFAULT!r}."
        )
    sample = data.some(measure)
    nothing: list[Any] = [{}, [], pd.DataFrame({"query_id": [], "doc_id": [], "score": []})]
    for run in nothing:
        found = values(measure, sample, run=run)
        _require_default(
            measure, "With an empty run every topic must have DEFAULT.", sample.topics, found, sample.with_run(())
        )


def check_empty_qrels(measure: Measure, data: Data) -> None:
    """With empty qrels there are no values, and no error."""
    sample = data.some(measure)
    asked = "With empty qrels there must be no values."
    nothing: list[Any] = [{}, [], pd.DataFrame({"query_id": [], "doc_id": [], "relevance": []})]
    for qrels in nothing:
        found = values(measure, sample, qrels=qrels)
        if found:
            raise failure(measure, asked, f"There are {found}.", sample.with_qrels(()))
        with silent():
            try:
                calc_aggregate(measure, qrels, sample.run_table)
            except Exception as error:
                asked = "With empty qrels there must be a mean all the same."
                raise raised(measure, error, sample.with_qrels(()), asked=asked) from error


def check_unknown_topics(measure: Measure, data: Data) -> None:
    """A topic that only the run has is left out; one that only the qrels have has ``DEFAULT``; the others are unaffected."""
    asked = "Topics that only the run or only the qrels have must not change the others."

    def holds(sample: Sample) -> None:
        before, one = values(measure, sample), sample.topics[0]
        judged = [{**row, "query_id": "only judged"} for row in sample.qrels if row["query_id"] == one]
        retrieved = [{**row, "query_id": "only retrieved"} for row in sample.run if row["query_id"] == one]
        more = Sample((*judged, *sample.qrels), (*retrieved, *sample.run))
        found = values(measure, more)
        require_same(measure, asked, before, found, "with the other topics", sample, more)
        if "only retrieved" in found:
            raise failure(
                measure, "A topic that the qrels lack must have no value.", f"It has {found['only retrieved']:g}.", more
            )
        _require_default(measure, "A topic that the run lacks must have DEFAULT.", ["only judged"], found, more)

    for_all(data.samples(measure), holds, data, share=0.5)


def check_no_relevant(measure: Measure, data: Data) -> None:
    """A topic without a relevant judged document has a value in ``RANGE``, and raises nothing."""
    rel = 1 if common_value(measure, "rel") is None else common_value(measure, "rel")

    def holds(sample: Sample) -> None:
        one = sample.topics[0]
        rows = [
            {**row, "relevance": min(row["relevance"], rel - 1)} if row["query_id"] == one else row
            for row in sample.qrels
        ]
        _require_value(measure, "A topic without a relevant judged document", sample.with_qrels(rows))

    for_all(data.samples(measure), holds, data, share=0.5)


def check_nothing_found(measure: Measure, data: Data) -> None:
    """A topic of which no judged document is retrieved has a value in ``RANGE``, and raises nothing."""

    def holds(sample: Sample) -> None:
        one = sample.topics[0]
        rows = [
            {**row, "doc_id": f"unjudged {i}"} if row["query_id"] == one else row for i, row in enumerate(sample.run)
        ]
        _require_value(measure, "A topic of which no judged document is retrieved", sample.with_run(rows))

    for_all(data.samples(measure), holds, data, share=0.5)


def check_repeated_documents(measure: Measure, data: Data) -> None:
    """A run in which a document occurs twice has a value in ``RANGE``, if ``DOCS_MAY_REPEAT`` allows such runs."""
    if not measure.DOCS_MAY_REPEAT:
        return

    def holds(sample: Sample) -> None:
        first = next(row for row in sample.run if row["query_id"] == sample.topics[0])
        _require_value(measure, "A topic with a document that repeats", sample.with_run((*sample.run, first)))

    for_all(data.samples(measure), holds, data, share=0.3)


def _require_value(measure: Measure, what: str, sample: Sample) -> None:
    """Raise if the first topic has no value in the range of the measure, or one that is neither that nor allowed."""
    low, high = bounds(measure.RANGE)
    value = values(measure, sample)[sample.topics[0]]
    if common_value(measure, "no_relevant") != "nan" and not low - 1e-9 <= value <= high + 1e-9:
        raise failure(measure, f"{what} must have a value in RANGE, {low:g} to {high:g}.", f"It has {value:g}.", sample)


def _require_default(measure: Measure, asked: str, topics: list[str], found: Values, sample: Sample) -> None:
    for topic in topics:
        if found.get(topic) != measure.DEFAULT and common_value(measure, "no_relevant") != "nan":
            there = f"{found[topic]:g}" if topic in found else "no value"
            raise failure(measure, asked, f"DEFAULT is {measure.DEFAULT:g}; query {topic} has {there}.", sample)
