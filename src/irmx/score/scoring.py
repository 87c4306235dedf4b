"""Scoring of runs with irmx measures, which share one join per run."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Metric, providers

from irmx.data.judgments import Judgments
from irmx.data.reading import read_run
from irmx.declare.columns import at_odds
from irmx.declare.measures import Measure, common_parameters
from irmx.errors import DataError, DataWarning, IrmxError, PluginError, counted, failure_of
from irmx.ragged import Array, segment_count
from irmx.rank.join import Join, no_common_topic
from irmx.rank.rankings import Rankings
from irmx.registry import registry
from irmx.score.scorers import scorer_of
from irmx.score.topic_scores import DetailedResults, TopicScores, metric


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
        places = [t for _, t in join.pairs]
        join.several_grades = len({scorer["rel"] for scorer in self._scorers.values()}) > 1
        return {
            measure: over_topics(scorer, _left_out(scorer, join.judgments), places, self._of_rankings(scorer, join))
            for measure, scorer in self._scorers.items()
        }

    def _of_rankings(self, measure: Measure, join: Join) -> TopicScores:
        """Return the checked values of the topics that the run has."""
        if not join.pairs:
            return TopicScores(np.empty(0))
        check_columns(measure, join)
        rankings = rankings_for(measure, join)
        with named(measure):
            scores = measure.score(rankings)
            return checked(measure, rankings.topics, scores if isinstance(scores, TopicScores) else TopicScores(scores))

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


@contextmanager
def named(measure: Measure) -> Iterator[None]:
    """Name the measure in errors about its data, and turn any other exception into an error of its plugin."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{measure}: {error}") from error
    except (IrmxError, DataWarning):  # a warning turned into an error is raised unchanged
        raise
    except Exception as error:
        raise failure_of(_with_plugin(measure), error, module=type(measure).__module__) from error


def _with_plugin(measure: Measure) -> str:
    """Return the name of a measure for a message, and the plugin that computes it if it is one of ir_measures."""
    plugin = registry().owner("scorers", str(measure.NAME))
    return f"The measure {measure}" if plugin is None else f"The measure {measure}, which the plugin {plugin} computes,"


def checked(measure: Measure, topics: Sequence[Any], scores: TopicScores) -> TopicScores:
    """Return the scores of a measure as float arrays; raise unless they have the right shape and are finite."""
    arrays = {name: np.asarray(array, dtype=np.float64) for name, array in {**scores.fields, "": scores.values}.items()}
    covariance = scores.covariance
    if covariance is not None and covariance.shape != (len(topics), len(topics)):
        what = f"a covariance of shape {covariance.shape} for {counted(len(topics), 'topic')}"
        raise PluginError(f"{_with_plugin(measure)} returned {what}.")
    for name, array in arrays.items():
        if array.shape != (len(topics),):
            what = f"{name} of shape {array.shape}" if name else f"an array of shape {array.shape}"
            raise PluginError(f"{_with_plugin(measure)} returned {what} for {counted(len(topics), 'topic')}.")
    values = arrays.pop("")
    if not np.isfinite(values).all():
        topic = topics[int(np.flatnonzero(~np.isfinite(values))[0])]
        raise PluginError(f"{_with_plugin(measure)} has no finite value for query {topic}.")
    return TopicScores(values, arrays, covariance)


def _left_out(measure: Measure, judgments: Judgments) -> Array:
    """Return for every topic whether it is left out of the mean, because it has no relevant document."""
    if measure["no_relevant"] == "nan":
        return without_relevant(judgments, measure["rel"])
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
    aggregator = measure.aggregator()
    for value in values.tolist():
        aggregator.add(value)
    return float(aggregator.result())


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
    for column in (*measure.run_columns(), *measure.qrel_columns()):
        present = run.columns if column.table == "run" else judgments.columns
        if column.name not in present and not column.optional:
            what = run.lacking(column) if column.table == "run" else judgments.lacking(column)
            raise DataError(f"{measure} cannot be computed: {what}")
