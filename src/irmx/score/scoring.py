"""Scoring runs with irmx measures: one join per run, shared by all of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
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
from irmx.errors import DataError, DataWarning, IrmxError, PluginError, failure_of
from irmx.ragged import Array, segment_count
from irmx.rank.join import Join, no_common_topic
from irmx.rank.rankings import Rankings
from irmx.score.topic_scores import DetailedResults, TopicScores, metric


class IrmxEvaluator(providers.Evaluator):
    """Scores runs with irmx measures against judgments that are converted once."""

    measures: list[Measure]

    def __init__(self, measures: list[Measure], judgments: Judgments) -> None:
        unique = list(dict.fromkeys(measures))
        for measure in unique:
            measure.validate_params()
        told = at_odds(unique)
        if told:
            warnings.warn(told, DataWarning, stacklevel=2)
        super().__init__(unique, set(judgments.topics))
        self.judgments = judgments

    def scores(self, run: Any) -> dict[Measure, TopicScores]:
        """Return, for every measure, its values and fields per topic of the judgments, in their order.

        Warns
        -----
        irmx.errors.DataWarning
            Where the run has documents, but for no topic of the judgments. It is no error here, on the way from ir_measures: in
            batches of an experiment there may be one where a system finds nothing for what is judged.
        """
        run = read_run(run)
        told = no_common_topic(run, self.judgments)
        if told:
            warnings.warn(f"{told} Every value is a default.", DataWarning, stacklevel=2)
        return self.of_join(Join(run, self.judgments))

    def of_join(self, join: Join) -> dict[Measure, TopicScores]:
        """Return the same of a run that is joined with the judgments already."""
        places = [t for _, t in join.pairs]
        return {
            measure: over_topics(measure, self._left_out(measure), places, self._of_rankings(measure, join))
            for measure in self.measures
        }

    def _left_out(self, measure: Measure) -> Array:
        """Return for every topic whether it has no value on request, as it has no relevant document."""
        if measure["no_relevant"] == "nan":
            return without_relevant(self.judgments, measure["rel"])
        return np.zeros(len(self.judgments.topics), dtype=bool)

    def _of_rankings(self, measure: Measure, join: Join) -> TopicScores:
        """Return the values of the topics that the run has, checked."""
        if not join.pairs:
            return TopicScores(np.empty(0))
        check_columns(measure, join)
        rankings = rankings_for(measure, join)
        with named(measure):
            found = measure.score(rankings)
            return checked(measure, rankings.topics, found if isinstance(found, TopicScores) else TopicScores(found))

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
    """Name the measure in errors of its data, and turn what else it raises into an error of its plugin."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{measure}: {error}") from error
    except (IrmxError, DataWarning):  # a warning that was made an error stays what it is
        raise
    except Exception as error:
        raise failure_of(f"The measure {measure}", error) from error


def checked(measure: Measure, topics: list[Any], scores: TopicScores) -> TopicScores:
    """Return the scores of a measure as arrays of floats, having checked their shape and that all are finite."""
    arrays = {name: np.asarray(found, dtype=np.float64) for name, found in {**scores.fields, "": scores.values}.items()}
    covariance = scores.covariance
    if covariance is not None and covariance.shape != (len(topics), len(topics)):
        raise PluginError(
            f"The measure {measure} returned a covariance of shape {covariance.shape} for {len(topics)} topics."
        )
    for name, found in arrays.items():
        if found.shape != (len(topics),):
            what = f"{name} of shape {found.shape}" if name else f"an array of shape {found.shape}"
            raise PluginError(f"The measure {measure} returned {what} for {len(topics)} topics.")
    values = arrays.pop("")
    if not np.isfinite(values).all():
        topic = topics[int(np.flatnonzero(~np.isfinite(values))[0])]
        raise PluginError(f"The measure {measure} has no finite value for query {topic}.")
    return TopicScores(values, arrays, covariance)


def without_relevant(judgments: Judgments, rel: float | None) -> Array:
    """Return, for every topic of the judgments, whether it has no document of grade ``rel``, 1 by default, or more."""
    relevant = segment_count(judgments.grade >= (1 if rel is None else rel), judgments.offsets)
    return np.asarray(relevant == 0)


def over_topics(measure: Measure, left_out: Array, places: list[int], scores: TopicScores) -> TopicScores:
    """Return scores of some topics, by their numbers, over all topics of the judgments.

    The others have the default; those that are left out have NaN.
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
    """Return the fields of every topic, those that it has."""
    columns = {name: found.tolist() for name, found in scores.fields.items()}
    return [
        {name: column[i] for name, column in columns.items() if column[i] == column[i]}
        for i in range(len(scores.values))
    ]


def metrics_of(measure: ir_measures.Measure, topics: Iterable[str], scores: TopicScores) -> list[Metric | None]:
    """Return the metric of every topic; None where a tool of ir_measures computes none."""
    fields = fields_by_topic(scores) if scores.fields else repeat({})
    own = isinstance(measure, Measure)
    return [
        metric(query_id, measure, value, of_topic) if own or value == value else None
        for query_id, value, of_topic in zip(topics, scores.values.tolist(), fields, strict=False)
    ]


def mean_of(measure: ir_measures.Measure, scores: TopicScores) -> float:
    """Return what the measure's own aggregator, mostly the mean, makes of the values of all topics that have one.

    NaN is a value of a measure of irmx where a user asked for it (``no_relevant='nan'``), and its aggregator knows that; of
    a measure of ir_measures it says that its tool has no value for the topic.
    """
    values = scores.values if isinstance(measure, Measure) else scores.values[~np.isnan(scores.values)]
    aggregator = measure.aggregator()
    for value in values.tolist():
        aggregator.add(value)
    return float(aggregator.result())


def detailed_results(scores: Mapping[Any, TopicScores], per_query: list[Metric]) -> DetailedResults:
    """Return the means, with what goes with them, beside the metrics of topics."""
    means = {measure: mean_of(measure, of_measure) for measure, of_measure in scores.items()}
    return DetailedResults(means, per_query, {m: fields for m, s in scores.items() if (fields := s.of_mean())})


def rankings_for(measure: Measure, join: Join) -> Rankings:
    """Return the rankings as a measure is to see them, with its common parameters carried out.

    Raises
    ------
    irmx.errors.DataError
        Where the run has a document more than once and the measure does not declare that documents may repeat.
    """
    if not measure.DOCS_MAY_REPEAT:
        with named(measure):
            join.run.refuse_repeats()
    given = common_parameters(measure)
    return join.memo(("rankings", *sorted(given.items())), lambda: Rankings(join, **given))


def check_columns(measure: Measure, join: Join) -> None:
    """Raise where a column that the measure declares is missing."""
    judgments, run = join.judgments, join.run
    for column in (*measure.run_columns(), *measure.qrel_columns()):
        there = run.columns if column.table == "run" else judgments.columns
        if column.name not in there and not column.optional:
            what = run.lacking(column) if column.table == "run" else judgments.lacking(column)
            raise DataError(f"{measure} cannot be computed: {what}")
