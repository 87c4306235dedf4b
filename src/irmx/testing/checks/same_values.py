"""Checks that the functions of ir_measures say what those of irmx say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ir_measures

from irmx.declare.measures import Measure
from irmx.score.evaluator import calc
from irmx.testing.sample import Sample
from irmx.testing.trying import Data, Values, failure, for_all, raised, require_same, same, silent, values


def check_ir_measures(measure: Measure, data: Data) -> None:
    """``ir_measures.iter_calc``, ``calc``, ``calc_aggregate``, an evaluator and the measure's own methods agree with ``irmx.calc``.

    The values of topics are Python floats.
    """
    asked = "Every function must give the same values."

    def holds(sample: Sample) -> None:
        expected = values(measure, sample)
        qrels, run = sample.qrels_frame(), sample.run_frame()
        with silent():
            try:
                by_topic = {
                    "by ir_measures.iter_calc": ir_measures.iter_calc([measure], qrels, run),
                    "by ir_measures.calc": ir_measures.calc([measure], qrels, run).per_query,
                    "by an evaluator": ir_measures.evaluator([measure], qrels).iter_calc(run),
                    "by its iter_calc": measure.iter_calc(qrels, run),
                }
                found = {name: _by_topic(measure, metrics) for name, metrics in by_topic.items()}
                mean = _mean(calc([measure], qrels, run).aggregated, measure)
                means = {
                    "by ir_measures.calc_aggregate": _mean(ir_measures.calc_aggregate([measure], qrels, run), measure),
                    "by ir_measures.calc": _mean(ir_measures.calc([measure], qrels, run).aggregated, measure),
                    "by an evaluator": _mean(ir_measures.evaluator([measure], qrels).calc_aggregate(run), measure),
                    "by its calc_aggregate": measure.calc_aggregate(qrels, run),
                }
            except Exception as error:
                raise raised(measure, error, sample) from error
        for name, of_topics in found.items():
            require_same(measure, asked, expected, of_topics, name, sample)
        for name, value in means.items():
            if not same(mean, value):
                raise failure(measure, asked, f"The mean is {mean:.12g}; {name}, {value:.12g}.", sample)

    for_all(data.samples(measure), holds, data, share=0.3)


def _by_topic(measure: Measure, metrics: Iterable[ir_measures.Metric]) -> Values:
    out = {}
    for metric in metrics:
        if type(metric.value) is not float:
            raise failure(measure, "Values must be Python floats.", f"Query {metric.query_id} has {metric.value!r}.")
        out[str(metric.query_id)] = metric.value
    return out


def _mean(aggregated: Any, measure: Measure) -> float:
    found: float = aggregated[measure]
    return found
