"""Checks of the values: range, monotonicity, type, warnings, what they are made of."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx.data.reading import read_qrels, read_run
from irmx.declare.measures import Measure, bounds
from irmx.declare.params import common_value
from irmx.errors import UsageError
from irmx.rank.join import Join
from irmx.score.backends import rankings_for
from irmx.score.explain import explain
from irmx.score.topic_scores import TopicScores
from irmx.testing.generate import (
    Data,
    failure,
    for_all,
    for_all_large,
    raised,
    require_same,
    same,
    silent,
    values,
    values_quietly,
)
from irmx.testing.sample import Sample

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
        holds(sample)
        holds(_best_first(sample))
        grade = max(1, math.ceil(common_value(measure, "rel") or 1))
        holds(_best_first(sample.with_qrels({**r, "relevance": max(r["relevance"], grade)} for r in sample.qrels)))

    for_all(data.samples(measure), holds_at_best, data)
    for_all_large(measure, holds_at_best, data)
    holds(data.deep(measure))


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
    with silent():
        try:
            rankings = rankings_for(measure, join)
            one_by_one = [measure.score_topic(ranking) for ranking in rankings] if by_topic else []
            return join.topics, measure.score(rankings), one_by_one
        except Exception as error:
            raise raised(measure, error, sample) from error


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
            with silent():
                try:
                    explained = explain(measure, sample.qrels_table, sample.run_table, topic)
                except UsageError:
                    return
                except Exception as error:
                    raise raised(measure, error, sample) from error
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
        with silent():
            try:
                prepared = measure.prepare(rankings_for(measure, join))
                [[scores]] = type(measure).score_prepared([prepared], [measure])
            except Exception as error:
                raise raised(measure, error, sample) from error
        found = dict(zip(map(str, join.topics), scores.values.tolist(), strict=True))
        require_same(measure, asked, values(measure, sample), found, "by score_prepared", sample)

    for_all(data.samples(measure), holds, data, share=0.5)
