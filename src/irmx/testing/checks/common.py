"""Checks of the common parameters: each means the same in every measure that has it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from irmx.declare.measures import Measure, common_value, is_common
from irmx.errors import UsageError
from irmx.testing.failures import failure
from irmx.testing.sample import Row, Sample
from irmx.testing.trying import Data, for_all, for_all_large, require_same, values


def _same_as(
    measure: Measure,
    data: Data,
    asked: str,
    one: Measure,
    other: Measure,
    changed: Callable[[Sample], Sample],
    what: str,
    large: bool = False,
) -> None:
    """Raise if ``one`` on a sample differs from ``other`` on the sample changed."""

    def holds(sample: Sample) -> None:
        instead = changed(sample)
        require_same(one, asked, values(one, sample), values(other, instead), what, sample, instead)

    if large:
        for_all_large(measure, holds, data)
    else:
        for_all(data.samples(measure), holds, data, share=0.5)


def _with(measure: Measure, **params: Any) -> Measure:
    """Return a measure with other parameters, which it must take."""
    try:
        made: Measure = measure(**params)
    except UsageError as error:
        said = ", ".join(f"{name}={value!r}" for name, value in params.items())
        raise failure(measure, f"It must take {said}.", f"It raised {type(error).__name__}: {error}") from error
    return made


def _may_set(measure: Measure, name: str) -> bool:
    """Tell whether a measure has a common parameter that was not given."""
    return name in measure.SUPPORTED_PARAMS and name not in measure.params


def check_rel(measure: Measure, data: Data) -> None:
    """``rel=2`` treats documents of a smaller grade as not relevant, as if their grade were 0."""
    if not _may_set(measure, "rel"):
        return
    strict = _with(measure, rel=2)

    def lowered(sample: Sample) -> Sample:
        return sample.with_qrels(
            {**r, "relevance": min(r["relevance"], 0)} if r["relevance"] < 2 else r for r in sample.qrels
        )

    asked = "With rel=2 documents of a smaller grade must count as those of grade 0."
    _same_as(measure, data, asked, strict, strict, lowered, "with these grades 0")


def check_cutoff(measure: Measure, data: Data) -> None:
    """``cutoff=2`` ignores what is below rank 2, and 25 what is below 25: the value is that of a run cut off there.

    A cutoff in another unit than ranks is passed.
    """
    cutoff = measure.SUPPORTED_PARAMS.get("cutoff")
    if cutoff is None or not is_common("cutoff", cutoff) or common_value(measure, "judged_only"):
        return
    ties = "trec" if common_value(measure, "ties") is None else common_value(measure, "ties")

    def require_cut(k: int) -> None:
        def cut(sample: Sample) -> Sample:
            first = {(row["query_id"], row["doc_id"]) for topic in _by_rank(sample, ties) for row in topic[:k]}
            return sample.where(lambda row: True, lambda row: (row["query_id"], row["doc_id"]) in first)

        at_k = _with(measure, cutoff=k)
        asked = f"With cutoff={k} documents below rank {k} must be ignored."
        _same_as(measure, data, asked, at_k, at_k, cut, "without them in the run", large=k > 2)

    require_cut(2)
    require_cut(25)


def check_judged_only(measure: Measure, data: Data) -> None:
    """``judged_only=True`` drops documents without a judgment, or with a negative grade, before ranks are counted."""
    if not _may_set(measure, "judged_only"):
        return

    def condensed(sample: Sample) -> Sample:
        judged = {(row["query_id"], row["doc_id"]) for row in sample.qrels if row["relevance"] >= 0}
        return sample.where(lambda row: True, lambda row: (row["query_id"], row["doc_id"]) in judged)

    asked = "With judged_only=True documents without a judgment must not count."
    _same_as(measure, data, asked, _with(measure, judged_only=True), measure, condensed, "without them in the run")


def check_run_order(measure: Measure, data: Data) -> None:
    """``ties='run'`` orders documents of equal scores as the rows of the run."""
    if not _may_set(measure, "ties"):
        return

    def untied(sample: Sample) -> Sample:
        ranks = {id(row): rank for topic in _by_rank(sample, "run") for rank, row in enumerate(topic)}
        return sample.with_run({**row, "score": float(-ranks[id(row)])} for row in sample.run)

    asked = "With ties='run' documents of equal scores must stand in the order of the run."
    _same_as(measure, data, asked, _with(measure, ties="run"), measure, untied, "with scores that say so")


def check_no_relevant_nan(measure: Measure, data: Data) -> None:
    """With ``no_relevant='nan'`` a topic without a relevant judged document has NaN, and the mean leaves it out."""
    if not _may_set(measure, "no_relevant"):
        return
    asking = _with(measure, no_relevant="nan")
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


def _by_rank(sample: Sample, ties: str) -> list[list[Row]]:
    """Return the rows of the run topic by topic, best first."""
    topics: dict[str, list[Row]] = {}
    for row in sample.run:
        topics.setdefault(row["query_id"], []).append(row)
    if ties == "trec":
        return [sorted(rows, key=lambda r: (r["score"], r["doc_id"]), reverse=True) for rows in topics.values()]
    return [sorted(rows, key=lambda r: -r["score"]) for rows in topics.values()]
