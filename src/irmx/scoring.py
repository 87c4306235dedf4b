"""Scoring runs with irmx measures: one join per run, shared by all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
import numpy as np
from ir_measures import CalcResults, Metric, providers

from irmx.errors import DataError, IrmxError, PluginError
from irmx.joining import Join
from irmx.judgments import Judgments
from irmx.measures import Measure
from irmx.ragged import Floats, segment_count
from irmx.rankings import Rankings, missing_column
from irmx.runs import read_run


class IrmxEvaluator(providers.Evaluator):
    """Scores runs with irmx measures against judgments that are converted once."""

    measures: list[Measure]

    def __init__(self, measures: list[Measure], judgments: Judgments) -> None:
        unique = list(dict.fromkeys(measures))
        for measure in unique:
            measure.validate_params()
        super().__init__(unique, set(judgments.topics))
        self.judgments = judgments

    def scores(self, run: Any) -> dict[Measure, Floats]:
        """Return, for every measure, one value per topic of the judgments, in their order."""
        join = Join(read_run(run), self.judgments)
        return {measure: self._scores(measure, join) for measure in self.measures}

    def _scores(self, measure: Measure, join: Join) -> Floats:
        values = np.full(len(self.judgments.topics), float(measure.DEFAULT))
        if join.pairs:
            values[[theirs for _, theirs in join.pairs]] = self._of_rankings(measure, join)
        if measure["no_relevant"] == "nan":
            rel = 1 if measure["rel"] is None else measure["rel"]
            relevant = segment_count(self.judgments.grade >= rel, self.judgments.offsets)
            values[relevant == 0] = np.nan
        return values

    def _of_rankings(self, measure: Measure, join: Join) -> Floats:
        """Return the values of the topics that the run has, checked."""
        check_columns(measure, join)
        rankings = rankings_for(measure, join)
        try:
            found = np.asarray(measure.score(rankings), dtype=np.float64)
        except DataError as error:
            raise DataError(f"{measure}: {error}") from error
        except IrmxError:
            raise
        except Exception as error:
            raise PluginError(f"The measure {measure} failed with {type(error).__name__}: {error}") from error
        if found.shape != (len(rankings),):
            raise PluginError(
                f"The measure {measure} returned an array of shape {found.shape} for {len(rankings)} topics."
            )
        if not np.isfinite(found).all():
            topic = rankings.topics[int(np.flatnonzero(~np.isfinite(found))[0])]
            raise PluginError(f"The measure {measure} has no finite value for query {topic}.")
        return found

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the value of every measure for every topic of the qrels."""
        for measure, values in self.scores(run).items():
            for query_id, value in zip(self.judgments.topics, values.tolist(), strict=True):
                yield Metric(query_id, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, float | int]:
        """Return the mean of every measure over the topics of the qrels."""
        return {measure: aggregate(measure, values.tolist()) for measure, values in self.scores(run).items()}

    def calc(self, run: Any) -> CalcResults:
        """Return the means and the value of every topic."""
        scores = self.scores(run)
        per_query = [
            Metric(query_id, measure, value)
            for measure, values in scores.items()
            for query_id, value in zip(self.judgments.topics, values.tolist(), strict=True)
        ]
        return CalcResults({m: aggregate(m, v.tolist()) for m, v in scores.items()}, per_query)


def aggregate(measure: ir_measures.Measure, values: Iterable[float]) -> float:
    """Return what the measure's own aggregator, mostly the mean, makes of its values."""
    aggregator = measure.aggregator()
    for value in values:
        aggregator.add(value)
    return float(aggregator.result())


def rankings_for(measure: Measure, join: Join) -> Rankings:
    """Return the rankings as a measure is to see them, with its common parameters carried out."""
    given = {k: measure[k] for k in ("rel", "cutoff", "judged_only", "ties") if k in measure.SUPPORTED_PARAMS}
    given = {k: v for k, v in given.items() if v is not None}
    return join.memo(("rankings", *sorted(given.items())), lambda: Rankings(join, **given))


def check_columns(measure: Measure, join: Join) -> None:
    """Raise where a column that the measure declares is missing."""
    there = {"run": join.run.columns, "qrels": join.judgments.columns}
    for column in (*measure.run_columns(), *measure.qrel_columns()):
        if column.name not in there[column.table]:
            raise DataError(f"{measure} cannot be computed: {missing_column(column, there[column.table])}")
