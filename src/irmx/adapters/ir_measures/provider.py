"""The ir_measures provider of irmx measures; it imports little, because ``import irmx`` needs it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ir_measures import providers

if TYPE_CHECKING:
    from irmx.declare.measures import Measure
    from irmx.score.scoring import IrmxEvaluator


class IrmxProvider(providers.Provider):
    """Supports every measure of an irmx plugin, and the measures of ir_measures for which a plugin has a scorer.

    Unless irmx was installed first among the providers, another provider computes the latter where one can.
    """

    NAME = "irmx"

    def supports(self, measure: Any) -> bool:
        """Tell whether a plugin computes a measure."""
        from irmx.score.scorers import scorer_of

        scorer = scorer_of(measure)
        if scorer is None:
            return False
        scorer.validate_params()
        return True

    def supports_class(self, measure: Any) -> bool:
        """Tell whether a measure is one of irmx, whatever its parameters."""
        from irmx.declare.measures import Measure

        return isinstance(measure, Measure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> IrmxEvaluator:
        from irmx.data.reading import read_qrels
        from irmx.declare.columns import needed
        from irmx.score.scoring import IrmxEvaluator

        ordered = sorted(measures, key=str) if isinstance(measures, (set, frozenset)) else list(measures)
        return IrmxEvaluator(ordered, read_qrels(qrels, needed("qrels", _scorers_of(ordered))))

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the run columns that the measures require."""
        from irmx.declare.columns import REQUIRED, needed

        return list(dict.fromkeys([*REQUIRED["run"], *needed("run", _scorers_of(measures))]))

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the qrels columns that the measures require."""
        from irmx.declare.columns import REQUIRED, needed

        return list(dict.fromkeys([*REQUIRED["qrels"], *needed("qrels", _scorers_of(measures))]))


def _scorers_of(measures: Iterable[Any]) -> list[Measure]:
    """Return the measures of plugins that compute measures."""
    from irmx.score.scorers import scorer_of

    return [scorer for measure in measures if (scorer := scorer_of(measure)) is not None]
