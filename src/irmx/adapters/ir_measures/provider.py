"""The ir_measures provider of irmx measures; it imports little, because ``import irmx`` needs it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ir_measures import Metric, providers

from irmx.errors import DataWarning

if TYPE_CHECKING:
    from irmx.declare.measures import Measure
    from irmx.score.backends import ScoresByMeasure
    from irmx.score.evaluator import DetailedResults


class IrmxProvider(providers.Provider):
    """Supports every measure of an irmx plugin, and the measures of ir_measures for which a plugin has a scorer.

    Unless irmx was installed first among the providers, another provider computes the latter where one can.
    """

    NAME = "irmx"

    def supports(self, measure: Any) -> bool:
        """Tell whether a plugin computes a measure."""
        from irmx.score.backends import scorer_of

        scorer = scorer_of(measure)
        if scorer is None:
            return False
        scorer.validate_params()
        return True

    def supports_class(self, measure: Any) -> bool:
        """Tell whether a measure is one of irmx, whatever its parameters."""
        from irmx.declare.measures import Measure

        return isinstance(measure, Measure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(
            sorted(measures, key=str) if isinstance(measures, (set, frozenset)) else list(measures), qrels
        )

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the run columns that the measures require."""
        from irmx.declare.columns import REQUIRED, needed

        return list(dict.fromkeys([*REQUIRED["run"], *needed("run", _scorers(measures).values())]))

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the qrels columns that the measures require."""
        from irmx.declare.columns import REQUIRED, needed

        return list(dict.fromkeys([*REQUIRED["qrels"], *needed("qrels", _scorers(measures).values())]))


class _Evaluator(providers.Evaluator):
    """An evaluator of irmx for ir_measures: each measure has the name that it is given, and a run may have no topic of the qrels."""

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        from irmx.declare.expressions import canonical
        from irmx.score.evaluator import Evaluator

        self._evaluator = Evaluator(measures, qrels, "irmx", of_a_batch=True)
        of_name = {canonical(measure): measure for measure in self._evaluator.measures}
        self._computed = {measure: of_name[canonical(measure)] for measure in measures}
        super().__init__(list(self._computed), set(self._evaluator.judgments.topics))

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the value of every measure for every topic of the qrels."""
        yield from self._metrics(self._scores(run))

    def calc_aggregate(self, run: Any) -> dict[Any, float | int]:
        """Return the mean of every measure over the topics of the qrels."""
        from irmx.score.evaluator import mean_of

        return {measure: mean_of(measure, scores) for measure, scores in self._scores(run).items()}

    def calc(self, run: Any) -> DetailedResults:
        """Return the means and the value of every topic."""
        from irmx.score.evaluator import results_of_run

        scores = self._scores(run)
        return results_of_run(scores, list(self._metrics(scores)))

    def _scores(self, run: Any) -> ScoresByMeasure:
        """Return the scores of a run; that it has no topic of the qrels is no error, since it may be a batch of an experiment."""
        from irmx.data.reading import read_run
        from irmx.rank.join import Join, no_common_topic

        run, judgments = read_run(run), self._evaluator.judgments
        if message := no_common_topic(run, judgments):
            warnings.warn(f"{message} Every value is a default.", DataWarning, stacklevel=3)
        scores = self._evaluator.of_join(Join(run, judgments))
        return {measure: scores[computed] for measure, computed in self._computed.items()}

    def _metrics(self, scores: ScoresByMeasure) -> Iterator[Metric]:
        from irmx.score.evaluator import metrics_of

        for measure, of_measure in scores.items():
            yield from filter(None, metrics_of(measure, self._evaluator.judgments.topics, of_measure))


def _scorers(measures: Iterable[Any]) -> dict[Any, Measure]:
    """Return the measures of plugins that compute measures."""
    from irmx.score.backends import scorer_of

    return {measure: scorer for measure in measures if (scorer := scorer_of(measure)) is not None}
