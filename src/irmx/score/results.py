"""What comes out of scoring, in the classes of ir_measures: metrics of topics and means, with further fields."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any, cast

import ir_measures
import numpy as np
from ir_measures import Metric
from ir_measures.measures import MeanAgg

from irmx.declare.described import html_result
from irmx.declare.measure_failures import failures_of, in_full, is_number
from irmx.declare.measures import Measure
from irmx.declare.params import Mean
from irmx.errors import DataWarning, PluginError
from irmx.score.topic_scores import TopicScores
from irmx.text import list_some, plural, value_repr


class DetailedMetric(ir_measures.Metric):
    """An ``ir_measures.Metric`` with further fields, which are also attributes.

    Attributes
    ----------
    fields : dict of str to float
        The fields by name.

    Examples
    --------
    >>> m = DetailedMetric("q", "MSU", 2.5, {"standard_error": 0.1})
    >>> query_id, measure, value = m
    >>> value, m.standard_error
    (2.5, 0.1)
    """

    fields: dict[str, float]

    def __new__(
        cls, query_id: str, measure: Any, value: float, fields: Mapping[str, float] | None = None
    ) -> DetailedMetric:
        made = super().__new__(cls, query_id, measure, value)
        made.fields = dict(fields or {})
        return made

    def _replace(self, /, **changes: Any) -> DetailedMetric:
        made = super()._replace(**changes)
        made.fields = dict(self.fields)
        return made

    def __getattr__(self, name: str) -> float:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            value: float = fields[name]
            return value
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class DetailedResults(ir_measures.CalcResults):
    """An ``ir_measures.CalcResults`` with further fields of the means.

    Attributes
    ----------
    fields : dict of Measure to dict of str to float
        By measure and name, such as the ``standard_error`` of the mean; measures whose mean has no fields are left out.

    Examples
    --------
    >>> results = DetailedResults({"MSU": 2.5}, [], {"MSU": {"standard_error": 0.1}})
    >>> means, per_query = results
    >>> means["MSU"], results.fields["MSU"]["standard_error"]
    (2.5, 0.1)
    """

    fields: dict[Any, dict[str, float]]

    def __new__(
        cls, aggregated: Any, per_query: Any, fields: Mapping[Any, dict[str, float]] | None = None
    ) -> DetailedResults:
        made = super().__new__(cls, aggregated, per_query)
        made.fields = dict(fields or {})
        return made

    @property
    def _means(self) -> dict[Any, float]:
        return dict(cast("Mapping[Any, float]", self.aggregated))

    def __repr__(self) -> str:
        means = list_some([f"{measure} {value:.4f}" for measure, value in self._means.items()])
        return f"<Results of {plural(len(self._means), 'measure')}: {means}>"

    def _repr_html_(self) -> str:
        rows = [{"measure": str(m), "mean": mean, **self.fields.get(m, {})} for m, mean in self._means.items()]
        return html_result(repr(self).partition(":")[0], {"": rows})


def metrics_of(measure: ir_measures.Measure, topics: Iterable[str], scores: TopicScores) -> list[Metric | None]:
    """Return the metric of every topic; None for a topic for which a tool of ir_measures has no value."""
    own = isinstance(measure, Measure)
    fields = scores.by_topic() if scores.fields else repeat({})
    return [
        (DetailedMetric(query_id, measure, value, of_topic) if of_topic else Metric(query_id, measure, value))
        if own or not math.isnan(value)
        else None
        for query_id, value, of_topic in zip(topics, scores.values.tolist(), fields, strict=False)
    ]


def mean_of(measure: ir_measures.Measure, scores: TopicScores) -> float:
    """Aggregate the values of all topics with the measure's aggregator, which usually computes the mean.

    The aggregator of an irmx measure handles NaN, which ``no_relevant='nan'`` gives. For a measure of ir_measures, NaN means
    that its tool has no value for the topic, so it is removed first; Accuracy has one only where a relevant document is
    retrieved. If the tool has a value for no topic, the mean is NaN, with a warning.
    """
    values = scores.values if isinstance(measure, Measure) else scores.values[~np.isnan(scores.values)]
    if len(scores.values) > len(values) == 0:
        message = f"{measure} is not defined for any topic of the run, so that there is no mean: it is NaN."
        warnings.warn(message, DataWarning, stacklevel=2)
    with failures_of(measure):
        aggregator = measure.aggregator()
        if type(aggregator) is MeanAgg:
            aggregator = Mean(aggregator.default)
        for value in values.tolist():
            aggregator.add(value)
        mean = aggregator.result()
    if is_number(mean) and (math.isfinite(mean) or not len(values) or not np.isfinite(values).all()):
        return float(mean)
    raise PluginError(
        f"{in_full(measure)} has an aggregator whose result is {value_repr(mean)}; a finite number is expected."
    )


def results_of_run(scores: Mapping[Any, TopicScores], per_query: list[Metric]) -> DetailedResults:
    """Return the means with their fields, and the metrics of topics."""
    means = {measure: mean_of(measure, of_measure) for measure, of_measure in scores.items()}
    return DetailedResults(means, per_query, {m: fields for m, s in scores.items() if (fields := s.of_mean())})
