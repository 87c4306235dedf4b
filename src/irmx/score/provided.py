"""Scores of measures that providers of ir_measures compute."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import ir_measures
import numpy as np

from irmx.data.judgments import Judgments
from irmx.declare.measure_failures import is_number
from irmx.errors import DataError, IrmxError, UsageError, suggest, text_of, too_little_memory, value_repr
from irmx.rank.join import Join
from irmx.score import gdeval
from irmx.score.domain import refuse_grades, refuse_parameters
from irmx.score.providers import checked, provider_of, unsupported
from irmx.score.ranked_run import RankedRun, ranked_run
from irmx.score.topic_scores import TopicScores

RANKERS = (
    "pytrec_eval",
    "cwl_eval",
    "compat",
    "judged",
    "gdeval",
    "pyndeval",
    "msmarco",
    "accuracy",
    "ranx",
    "trectools",
)
"""The providers that use scores only to rank documents. Others, such as that of ``ir_measures.define``, may compute with scores."""

COMPUTED_APART = {"pyndeval": ("rel", "alpha", "beta"), "pytrec_eval": ("gains", "judged_only")}
"""The parameters whose settings need an evaluator each. pyndeval's provider exhausts the run for the first setting and returns zeros
for the others; that of pytrec_eval may apply the gains to plain nDCG and return zeros for nDCG with gains, and counts only judged
documents for NumRet beside a measure with ``judged_only``."""

_NOT_RELEVANT = {"(no document)": 0}
"""A judgment for a topic that has none of grade 0 or more, where pytrec_eval reads memory that is not its own, and may crash."""


class _Tool(NamedTuple):
    """Measures that one evaluator of a provider computes."""

    provider: Any
    measures: list[ir_measures.Measure]
    evaluator: Any


class ProvidedMeasures:
    """Scores runs with measures that providers of ir_measures compute, against judgments that are converted once.

    All measures and judgments are checked before any tool runs.

    Parameters
    ----------
    measures : sequence of Measure
        The measures to compute.
    judgments : Judgments
        The judgments.
    provider : Provider, optional
        The only provider to use.
    """

    def __init__(self, measures: Sequence[ir_measures.Measure], judgments: Judgments, provider: Any = None) -> None:
        self.measures, self._judgments = list(measures), judgments
        asked = [checked(m) for m in self.measures]
        if provider is None and (message := unsupported(asked)):
            raise UsageError(message)
        by_provider: dict[Any, list[ir_measures.Measure]] = {}
        for m in asked:
            by_provider.setdefault(provider_of(m) if provider is None else provider, []).append(m)
        for tool, of_tool in by_provider.items():
            for m in of_tool:
                refuse_parameters(m, tool.NAME)
        for tool, of_tool in by_provider.items():
            refuse_grades(of_tool, tool.NAME, judgments)
            if tool.NAME == gdeval.NAME:
                gdeval.refuse_qrels(of_tool, judgments)
        self._tools = [_Tool(tool, some, self._evaluator(tool, some)) for tool, some in _by_setting(by_provider)]

    def _evaluator(self, provider: Any, measures: list[ir_measures.Measure]) -> Any:
        """Return the provider's evaluator, with the qrels in the form that it needs.

        Diversity measures read one row per subtopic and document, and no row without a document, on which pyndeval crashes;
        all others read one grade per document. Of several such rows, either would use the last.
        """
        try:
            qrels: Any = (
                self._judgments.rows_of_subtopics() if provider.NAME == "pyndeval" else self._judgments.as_dict()
            )
        except DataError as error:
            raise DataError(f"{_names(measures)} cannot be computed: {error}") from None
        if provider.NAME == "pytrec_eval":
            qrels = {
                topic: docs if max(docs.values(), default=-1) >= 0 else docs | _NOT_RELEVANT
                for topic, docs in qrels.items()
            }
        try:
            return provider.evaluator(measures, qrels)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _failure(provider, measures, error) from error

    def of_join(self, join: Join) -> dict[ir_measures.Measure, TopicScores]:
        """Return the values of every measure per topic of the judgments; NaN for a topic for which its provider has none."""
        values = {m: np.full(len(self._judgments.topics), np.nan) for m in self.measures}
        runs = [self._run_for(tool, join) for tool in self._tools]
        for tool, run in zip(self._tools, runs, strict=True):
            for metric in _metrics(tool, run):
                topic = self._judgments.index.get(str(metric.query_id))
                if topic is None:
                    continue
                of_measure = values.get(metric.measure)
                if of_measure is None:
                    raise _stranger(tool, metric)
                if of_measure[topic] == of_measure[topic] != metric.value:
                    raise _wrong(tool, metric, f"{of_measure[topic]} and {metric.value}")
                of_measure[topic] = metric.value
        return {measure: TopicScores(of_measure) for measure, of_measure in values.items()}

    def _run_for(self, tool: _Tool, join: Join) -> RankedRun:
        try:
            run = ranked_run(join, keep_scores=tool.provider.NAME not in RANKERS)
        except DataError as error:
            raise DataError(f"{_names(self.measures)} cannot be computed: {error}") from None
        if tool.provider.NAME == gdeval.NAME:
            gdeval.refuse_run(tool.measures, run)
        return run


def _by_setting(
    by_provider: dict[Any, list[ir_measures.Measure]],
) -> Iterable[tuple[Any, list[ir_measures.Measure]]]:
    for provider, measures in by_provider.items():
        settings: dict[str, list[ir_measures.Measure]] = {}
        for m in measures:
            apart = [m.params.get(name) for name in COMPUTED_APART.get(provider.NAME, ())]
            settings.setdefault(repr(apart), []).append(m)
        for of_setting in settings.values():
            yield provider, of_setting


def _metrics(tool: _Tool, run: RankedRun) -> list[ir_measures.Metric]:
    """Return the values of all topics; raise if the provider fails, or if a value is not a finite number."""
    try:
        metrics = list(tool.evaluator.iter_calc(run))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failure(tool.provider, tool.measures, error) from error
    for metric in metrics:
        if not all(
            hasattr(metric, name) for name in ("query_id", "measure", "value")
        ):  # that of cwl_eval is of its own
            raise _stranger(tool, metric)
        if not is_number(metric.value):
            raise _wrong(tool, metric, f"{value_repr(metric.value)}, which is not a real number,")
        if not math.isfinite(metric.value):
            raise _wrong(tool, metric, str(metric.value), ", which is usually one without a relevant document")
    return metrics


def _stranger(tool: _Tool, metric: Any) -> DataError:
    """Return the error about something that a provider returned and nobody asked for."""
    return DataError(
        f"{_names(tool.measures)} cannot be computed: the provider {tool.provider.NAME} returned {value_repr(metric)}, "
        "which is no value of such a measure. Leave out the measure, or choose another provider."
    )


def _wrong(tool: _Tool, metric: ir_measures.Metric, what: str, why: str = "") -> DataError:
    """Return the error about what a provider returned for a topic."""
    return DataError(
        f"{metric.measure} cannot be computed: its provider {tool.provider.NAME} returned {what} for query "
        f"{str(metric.query_id)!r}{why}. Leave out the query or the measure."
    )


def _failure(provider: Any, measures: Sequence[ir_measures.Measure], error: BaseException) -> IrmxError:
    """Return the error about a provider that failed."""
    if isinstance(error, MemoryError):
        return too_little_memory(f"{_names(measures)}, computed by the provider {provider.NAME},", error)
    how = provider.install_instructions()
    install = f" If it is damaged or outdated: {how}." if how else ""
    return DataError(
        f"{_names(measures)} cannot be computed: the provider {provider.NAME} failed with "
        f"{text_of(error).rstrip('.')}.{install} Leave out the {'measure' if len(measures) == 1 else 'measures'}, or choose another provider."
    )


def _names(measures: Iterable[ir_measures.Measure]) -> str:
    return ", ".join(map(str, measures))


def provider_named(name: str, measures: list[ir_measures.Measure]) -> Any:
    """Return a provider by name; raise if it is not installed or does not compute all measures."""
    known = ir_measures.providers.registry
    if name not in known:
        raise UsageError(f"There is no provider {name!r}.{suggest(name, known)} Known: {', '.join(known)}.")
    provider = known[name]
    if not provider.is_available():
        raise UsageError(f"The provider {name} is not installed. To install: {provider.install_instructions()}.")
    for measure in measures:
        if not provider.supports(measure if name == "irmx" else checked(measure)):  # scorers take more
            raise UsageError(f"The provider {name} does not compute {measure}.")
    return provider
