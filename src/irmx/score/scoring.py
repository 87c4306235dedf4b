"""Scoring of runs with irmx measures, which share one join per run."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Metric, providers

from irmx.data.judgments import Judgments
from irmx.data.reading import read_run
from irmx.declare.columns import at_odds, columns_of
from irmx.declare.measure_failures import named
from irmx.declare.measures import Measure, common_parameters, common_value
from irmx.errors import DataError, DataWarning, PluginError, TooLittleMemoryError
from irmx.ragged import Array, segment_count
from irmx.rank.join import Join, no_common_topic
from irmx.rank.rankings import Rankings
from irmx.score.checked_scores import checked, checked_mean
from irmx.score.scorers import scorer_of
from irmx.score.topic_scores import DetailedResults, TopicScores, metric

Failure = PluginError | TooLittleMemoryError
Failures = dict[ir_measures.Measure, Failure]
"""The errors of measures that failed."""


class IrmxEvaluator(providers.Evaluator):
    """Scores runs with irmx measures, and with scorers of measures of ir_measures, against judgments that are converted once."""

    measures: list[ir_measures.Measure]

    def __init__(self, measures: Sequence[ir_measures.Measure], judgments: Judgments) -> None:
        self._scorers = {measure: scorer for measure in measures if (scorer := scorer_of(measure)) is not None}
        for scorer in self._scorers.values():
            scorer.validate_params()
        message = at_odds(self._scorers.values())
        if message:
            warnings.warn(message, DataWarning, stacklevel=2)
        super().__init__(list(self._scorers), set(judgments.topics))
        self.judgments = judgments

    def scores(self, run: Any) -> dict[ir_measures.Measure, TopicScores]:
        """Return, for every measure, its values and fields per topic of the judgments, in their order.

        Warns
        -----
        irmx.errors.DataWarning
            If the run has documents, but for no topic of the judgments. This is not an error when called by ir_measures: in
            some batch of an experiment, a system may retrieve documents for unjudged topics only.
        """
        run = read_run(run)
        message = no_common_topic(run, self.judgments)
        if message:
            warnings.warn(f"{message} Every value is a default.", DataWarning, stacklevel=2)
        return self.of_join(Join(run, self.judgments))

    def of_join(self, join: Join) -> dict[ir_measures.Measure, TopicScores]:
        """Return the scores of a run that is already joined with the judgments."""
        return dict(self._scored(join))

    def sound_of_join(self, join: Join) -> tuple[dict[ir_measures.Measure, TopicScores], Failures]:
        """Return the scores by those measures that do not fail, and the errors of the others."""
        failures: Failures = {}
        return dict(self._scored(join, failures)), failures

    def _scored(
        self, join: Join, failures: Failures | None = None
    ) -> Iterator[tuple[ir_measures.Measure, TopicScores]]:
        """Yield the measures with their scores; without ``failures`` to put it into, the error of a measure is raised."""
        places = [t for _, t in join.pairs]
        join.several_grades = len({common_value(scorer, "rel") for scorer in self._scorers.values()}) > 1
        for measure, scorer in self._scorers.items():
            try:
                scores = self._of_rankings(scorer, join)
            except (PluginError, TooLittleMemoryError) as error:
                if failures is None:
                    raise
                failures[measure] = error
                continue
            yield measure, over_topics(scorer, _left_out(scorer, join.judgments), places, scores)

    def _of_rankings(self, measure: Measure, join: Join) -> TopicScores:
        """Return the checked values of the topics that the run has."""
        if not join.pairs:
            return TopicScores(np.empty(0))
        check_columns(measure, join)
        rankings = rankings_for(measure, join)
        with named(measure):
            scores = measure.score(rankings)
        return checked(measure, rankings.topics, scores)

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the value of every measure for every topic of the qrels."""
        for measure, scores in self.scores(run).items():
            yield from filter(None, metrics_of(measure, self.judgments.topics, scores))

    def calc_aggregate(self, run: Any) -> dict[Any, float | int]:
        """Return the mean of every measure over the topics of the qrels."""
        return {measure: mean_of(measure, scores) for measure, scores in self.scores(run).items()}

    def calc(self, run: Any) -> DetailedResults:
        """Return the means and the value of every topic."""
        scores = self.scores(run)
        columns = [metrics_of(measure, self.judgments.topics, of_measure) for measure, of_measure in scores.items()]
        return detailed_results(scores, [metric for column in columns for metric in column if metric])


def _left_out(measure: Measure, judgments: Judgments) -> Array:
    """Return for every topic whether it is left out of the mean, because it has no relevant document."""
    if common_value(measure, "no_relevant") == "nan":
        return without_relevant(judgments, common_value(measure, "rel"))
    return np.zeros(len(judgments.topics), dtype=bool)


def without_relevant(judgments: Judgments, rel: float | None) -> Array:
    """Return, for every topic of the judgments, whether it has no document of grade ``rel``, 1 by default, or more."""
    relevant = segment_count(judgments.grade >= (1 if rel is None else rel), judgments.offsets)
    return np.asarray(relevant == 0)


def over_topics(measure: Measure, left_out: Array, places: list[int], scores: TopicScores) -> TopicScores:
    """Return scores of some topics, by their numbers, extended to all topics of the judgments.

    The other topics have the measure's default; topics that are left out have NaN.
    """
    topics = len(left_out)
    values = np.full(topics, float(measure.DEFAULT))
    values[places] = scores.values
    fields = {name: np.full(topics, np.nan) for name in scores.fields}
    for name, of_topic in scores.fields.items():
        fields[name][places] = of_topic
    values[left_out] = np.nan
    covariance = None
    if scores.covariance is not None:
        covariance = np.zeros((len(values), len(values)))
        covariance[np.ix_(places, places)] = scores.covariance
    return TopicScores(values, fields, covariance)


def fields_by_topic(scores: TopicScores) -> list[dict[str, float]]:
    """Return the fields of every topic, without those that are NaN."""
    columns = {name: array.tolist() for name, array in scores.fields.items()}
    return [
        {name: column[i] for name, column in columns.items() if column[i] == column[i]}
        for i in range(len(scores.values))
    ]


def metrics_of(measure: ir_measures.Measure, topics: Iterable[str], scores: TopicScores) -> list[Metric | None]:
    """Return the metric of every topic; None for a topic for which a tool of ir_measures has no value."""
    fields = fields_by_topic(scores) if scores.fields else repeat({})
    own = isinstance(measure, Measure)
    return [
        metric(query_id, measure, value, of_topic) if own or value == value else None
        for query_id, value, of_topic in zip(topics, scores.values.tolist(), fields, strict=False)
    ]


def mean_of(measure: ir_measures.Measure, scores: TopicScores) -> float:
    """Aggregate the values of all topics with the measure's aggregator, which usually computes the mean.

    The aggregator of an irmx measure handles NaN, which ``no_relevant='nan'`` gives. For a measure of ir_measures, NaN means
    that its tool has no value for the topic, so it is removed first; Accuracy has one only where a relevant document is
    retrieved.

    Warns
    -----
    irmx.errors.DataWarning
        If there are topics, but the tool has a value for none of them, so that the mean is NaN.
    """
    values = scores.values if isinstance(measure, Measure) else scores.values[~np.isnan(scores.values)]
    if len(scores.values) > len(values) == 0:
        message = f"{measure} is not defined for any topic of the run, so that there is no mean: it is NaN."
        warnings.warn(message, DataWarning, stacklevel=2)
    with named(measure):
        aggregator = measure.aggregator()
        for value in values.tolist():
            aggregator.add(value)
        mean = aggregator.result()
    return checked_mean(measure, values, mean)


def detailed_results(scores: Mapping[Any, TopicScores], per_query: list[Metric]) -> DetailedResults:
    """Return the means with their fields, and the metrics of topics."""
    means = {measure: mean_of(measure, of_measure) for measure, of_measure in scores.items()}
    return DetailedResults(means, per_query, {m: fields for m, s in scores.items() if (fields := s.of_mean())})


def rankings_for(measure: Measure, join: Join) -> Rankings:
    """Return the rankings for a measure, with its common parameters applied.

    Raises
    ------
    irmx.errors.DataError
        If the run has a document more than once and the measure does not declare that documents may repeat.
    """
    if not measure.DOCS_MAY_REPEAT:
        with named(measure):
            join.run.refuse_repeats()
    return Rankings.of(join, **common_parameters(measure))


def check_columns(measure: Measure, join: Join) -> None:
    """Raise if a column that the measure declares is missing."""
    judgments, run = join.judgments, join.run
    for column in columns_of(measure):
        present = run.columns if column.table == "run" else judgments.columns
        if column.name not in present and not column.optional:
            what = run.lacking(column) if column.table == "run" else judgments.lacking(column)
            raise DataError(f"{measure} cannot be computed: {what}")
