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
    from irmx.score.results import DetailedResults


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
        return _Evaluator(sorted(measures, key=str) if isinstance(measures, (set, frozenset)) else measures, qrels)

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the run columns that the measures require."""
        from irmx.declare.columns import REQUIRED, needed

        return list(dict.fromkeys([*REQUIRED["run"], *needed("run", _scorers(measures).values())]))

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the qrels columns that the measures require."""
        from irmx.declare.columns import REQUIRED, needed

        return list(dict.fromkeys([*REQUIRED["qrels"], *needed("qrels", _scorers(measures).values())]))


class _Evaluator(providers.Evaluator):
    """Scores runs with measures and scorers of plugins, each under the name that ir_measures gives it."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        from irmx.data.reading import read_qrels
        from irmx.declare.columns import at_odds, needed
        from irmx.score.backends import PluginBackend

        scorers = _scorers(measures)
        self._backends = [PluginBackend(measure, scorer) for measure, scorer in scorers.items()]
        if message := at_odds(scorers.values()):
            warnings.warn(message, DataWarning, stacklevel=2)
        self._judgments = read_qrels(qrels, needed("qrels", scorers.values()))
        super().__init__(list(scorers), set(self._judgments.topics))

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the value of every measure for every topic of the qrels."""
        yield from self._metrics(self._scores(run))

    def calc_aggregate(self, run: Any) -> dict[Any, float | int]:
        """Return the mean of every measure over the topics of the qrels."""
        from irmx.score.results import mean_of

        return {measure: mean_of(measure, scores) for measure, scores in self._scores(run).items()}

    def calc(self, run: Any) -> DetailedResults:
        """Return the means and the value of every topic."""
        from irmx.score.results import results_of_run

        scores = self._scores(run)
        return results_of_run(scores, list(self._metrics(scores)))

    def _scores(self, run: Any) -> ScoresByMeasure:
        """Return the scores of a run; that it has no topic of the qrels is no error, since it may be a batch of an experiment."""
        from irmx.data.reading import read_run
        from irmx.rank.join import Join, no_common_topic

        run = read_run(run)
        if message := no_common_topic(run, self._judgments):
            warnings.warn(f"{message} Every value is a default.", DataWarning, stacklevel=3)
        join = Join(run, self._judgments)
        return {measure: scores for backend in self._backends for measure, scores in backend.score(join).items()}

    def _metrics(self, scores: ScoresByMeasure) -> Iterator[Metric]:
        from irmx.score.results import metrics_of

        for measure, of_measure in scores.items():
            yield from filter(None, metrics_of(measure, self._judgments.topics, of_measure))


def _scorers(measures: Iterable[Any]) -> dict[Any, Measure]:
    """Return the measures of plugins that compute measures."""
    from irmx.score.backends import scorer_of

    return {measure: scorer for measure in measures if (scorer := scorer_of(measure)) is not None}
