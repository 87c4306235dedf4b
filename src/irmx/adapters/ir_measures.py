"""irmx as a provider of ir_measures, and its measures among those of ir_measures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import ir_measures
from ir_measures import Metric, providers

from irmx.errors import DataWarning, UnknownNameError, UsageError
from irmx.parallel import recorded_warnings

if TYPE_CHECKING:
    from irmx.declare.measures import Measure
    from irmx.score.backends import ScoresByMeasure
    from irmx.score.evaluator import DetailedResults


# -- the ir_measures provider of irmx measures -----------------------------------------------------------------------


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
        from irmx.declare.expressions import with_plain_numbers
        from irmx.score.evaluator import Evaluator

        self._evaluator = Evaluator(measures, qrels, "irmx", of_a_batch=True)
        of_name = {with_plain_numbers(measure): measure for measure in self._evaluator.measures}
        self._computed = {measure: of_name[with_plain_numbers(measure)] for measure in measures}
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


# -- reversible registration of irmx measures with ir_measures -------------------------------------------------------


PROVIDER = IrmxProvider()
_before: dict[str, Any] = {}
_published: dict[str, Any] = {}
_also: list[tuple[Callable[[], None], Callable[[], None]]] = []


def install(first: bool = False) -> None:
    """Make ir_measures score and parse irmx measures; done by ``import irmx``, undone by :func:`uninstall`.

    The provider is appended to ``ir_measures.DefaultPipeline.providers``. ``ir_measures.parse_measure`` parses everything
    that :func:`irmx.parse_measure` does, in addition to what it parsed before; ``ir_measures.parse_trec_measure``, which
    PyTerrier uses for strings, does so in addition to the names of trec_eval. The names of the measures are added to
    ``ir_measures.measures.registry`` when the plugins are loaded, at the first use of a name. ``ir_datasets.load`` can load
    the datasets of plugins from the first one on that irmx looks for. Calling it twice has no further effect.

    Parameters
    ----------
    first : bool
        Whether the provider is put before the others, so that plugins such as irmx-trec compute AP and other measures of
        ir_measures in ir_measures and PyTerrier, too. A further call without it puts the provider last again.
    """
    pipeline = ir_measures.DefaultPipeline.providers
    if PROVIDER in pipeline and first != (pipeline[0] is PROVIDER):
        pipeline.remove(PROVIDER)
    if PROVIDER not in pipeline:
        pipeline.insert(0 if first else len(pipeline), PROVIDER)
    providers.registry[PROVIDER.NAME] = PROVIDER
    if not _before:
        _before["parse_measure"] = ir_measures.util.parse_measure
        _before["parse_trec_measure"] = ir_measures.parse_trec_measure
        publish(_published)
    ir_measures.parse_measure = ir_measures.util.parse_measure = _parse_measure
    ir_measures.parse_trec_measure = _parse_trec_measure
    for put_in, _ in _also:
        put_in()


def uninstall() -> None:
    """Restore ir_measures to its state before ``import irmx``, and stop ir_datasets from loading datasets of plugins.

    :func:`install` undoes this.
    """
    if PROVIDER in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(PROVIDER)
    providers.registry.pop(PROVIDER.NAME, None)
    for name, measure in list(ir_measures.measures.registry.items()):
        if PROVIDER.supports_class(measure):
            del ir_measures.measures.registry[name]
    if _before:
        ir_measures.parse_measure = ir_measures.util.parse_measure = _before.pop("parse_measure")
        ir_measures.parse_trec_measure = _before.pop("parse_trec_measure")
    for _, take_out in _also:
        take_out()


def is_installed() -> bool:
    """Tell whether irmx is installed in ir_measures."""
    return bool(_before)


def also(put_in: Callable[[], None], take_out: Callable[[], None]) -> None:
    """Register functions to call at every install and uninstall from now on; both must be safe to call twice."""
    _also.append((put_in, take_out))
    if _before:
        put_in()


def publish(measures: dict[str, Any]) -> None:
    """Add the names of measures to the registry of ir_measures, while irmx is installed there."""
    _published.update(measures)
    if _before:
        for name, measure in measures.items():
            ir_measures.measures.registry.setdefault(name, measure)


def unpublish(name: str) -> None:
    """Remove the name of a measure from the registry of ir_measures."""
    if name in _published:
        del _published[name]
        ir_measures.measures.registry.pop(name, None)


def name_taken(name: str) -> str:
    """Return ``"ir_measures"`` if it has its own measure of a name; empty otherwise."""
    measure = ir_measures.measures.registry.get(name)
    return "" if measure is None or PROVIDER.supports_class(measure) else "ir_measures"


def _parse_measure(measure: Any) -> ir_measures.Measure:
    """Parse as :func:`irmx.parse_measure` does, and what it refuses, such as ``P`` without a cutoff, as ir_measures did."""
    from irmx.declare.expressions import parse_measure

    try:
        return parse_measure(measure)
    except UsageError:
        parsed = _parsed_before(measure)
        if parsed is None:
            raise
        return parsed


def _parsed_before(measure: Any) -> ir_measures.Measure | None:
    """Return the measure that the parser of ir_measures itself returns, if any."""
    try:
        with recorded_warnings():  # about deprecated features of Python that it uses
            parsed: ir_measures.Measure = _before["parse_measure"](measure)
    except Exception:
        return None
    return None if PROVIDER.supports_class(parsed) else parsed


def _parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
    """Parse a name of trec_eval as ir_measures does, and any other text as :func:`irmx.toolkit.parse_measures` does."""
    try:
        measures: list[ir_measures.Measure] = ir_measures.util.parse_trec_measure(measure)
        return measures
    except ValueError as error:
        from irmx.declare.expressions import measures_named

        try:
            return measures_named(measure.strip())
        except UnknownNameError as unknown:
            raise unknown from error
