"""Scores of measures that providers of ir_measures compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Metric

from irmx.data.judgments import Judgments
from irmx.data.runs import Run
from irmx.errors import DataError, UsageError, suggest
from irmx.rank.join import Join
from irmx.score import gdeval
from irmx.score.providers import provider_of, unsupported
from irmx.score.topic_scores import TopicScores


class ProvidedMeasures:
    """Scores runs with measures that providers of ir_measures compute, against judgments that are converted once.

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
        self._evaluators: list[Any] = []
        pipeline = ir_measures.DefaultPipeline if provider is None else provider
        try:
            for some, qrels in self._qrels_by_form():
                self._evaluators.append(pipeline.evaluator(some, qrels))
        except (ValueError, RuntimeError) as error:
            raise UsageError(unsupported(self.measures) or str(error)) from None
        except AssertionError as error:
            raise UsageError(f"ir_measures does not compute {', '.join(map(str, some))}: {error}.") from None
        except TypeError as error:
            if np.all(judgments.grade % 1 == 0):
                raise
            raise DataError(
                f"{', '.join(map(str, measures))} cannot be computed: the qrels hold grades that are not whole numbers, "
                f"which only measures of irmx plugins take, with rel=0.5 for instance ({error})."
            ) from None
        self._of_gdeval = [
            m for m in self.measures if (provider_of(m) if provider is None else provider.NAME) == gdeval.NAME
        ]
        if self._of_gdeval:
            gdeval.refuse_qrels(self._of_gdeval, judgments)

    def _qrels_by_form(self) -> Iterator[tuple[list[ir_measures.Measure], Any]]:
        """Yield groups of measures of ir_measures, each with the qrels in the form that they need.

        Diversity measures read one row per subtopic and document, and no row without a document, on which pyndeval crashes;
        all others read one grade per document. Of several such rows, either would use the last. Each setting of diversity
        measures forms its own group, because pyndeval's provider exhausts the run for the first setting and returns zeros
        for the others. So do measures with gains, because pytrec_eval's provider may apply the gains to plain nDCG and
        return zeros for nDCG with gains.
        """
        diversity = {m.NAME for m in ir_measures.providers.registry["pyndeval"].SUPPORTED_MEASURES}
        of_rows = [m for m in self.measures if m.NAME in diversity]
        of_documents = [m for m in self.measures if m not in of_rows]
        for m in of_rows:
            if "cutoff" in m.SUPPORTED_PARAMS and "cutoff" not in m.params:
                raise UsageError(f"ir_measures does not compute {m} without a cutoff. Give one, such as {m}@10.")
        for m in of_documents:
            if m.NAME == "IPrec" and (recall := m["recall"]) != (nearest := round(float(recall), 2)):
                raise UsageError(
                    f"pytrec_eval, which computes {m}, takes recall with two decimals. Found {recall}; "
                    f"the nearest is {m(recall=nearest)}."
                )
        for with_gains in (False, True):
            if some := [m for m in of_documents if (m.params.get("gains") is not None) == with_gains]:
                yield some, self._judgments.as_dict()
        rows = self._judgments.rows_of_subtopics() if of_rows else []
        settings: dict[tuple[Any, ...], list[ir_measures.Measure]] = {}
        for m in of_rows:
            params = ("rel", "alpha", "beta", "judged_only")
            settings.setdefault(tuple(m[p] if p in m.SUPPORTED_PARAMS else None for p in params), []).append(m)
        for of_setting in settings.values():
            yield of_setting, rows

    def of_join(self, join: Join) -> dict[ir_measures.Measure, TopicScores]:
        """Return the values of every measure per topic of the judgments; NaN for a topic for which its provider has none."""
        values = {m: np.full(len(self._judgments.topics), np.nan) for m in self.measures}
        for metric in self._metrics(join.run):
            topic = self._judgments.index.get(str(metric.query_id))
            if topic is not None:
                values[metric.measure][topic] = metric.value
        return {measure: TopicScores(of_measure) for measure, of_measure in values.items()}

    def _metrics(self, run: Run) -> Iterator[Metric]:
        """Yield the values of all topics; if a tool fails, the error names the measures."""
        names = ", ".join(map(str, self.measures))
        try:
            retrieved = run.as_dict()
        except DataError as error:
            raise DataError(f"{names} cannot be computed: {error}") from None
        by_topic = {topic: docs for topic, docs in retrieved.items() if topic in self._judgments.index}
        if self._of_gdeval:
            gdeval.refuse_run(self._of_gdeval, by_topic)
        try:
            for evaluator in self._evaluators:
                yield from evaluator.iter_calc(by_topic)
        except Exception as error:
            raise DataError(
                f"A tool that ir_measures uses for {names} failed with {type(error).__name__}: {error}"
            ) from error


def provider_named(name: str, measures: list[ir_measures.Measure]) -> Any:
    """Return a provider by name; raise if it is not installed or does not compute all measures."""
    known = ir_measures.providers.registry
    if name not in known:
        raise UsageError(f"There is no provider {name!r}.{suggest(name, known)} Known: {', '.join(known)}.")
    provider = known[name]
    if not provider.is_available():
        raise UsageError(f"The provider {name} is not installed. To install: {provider.install_instructions()}.")
    for measure in measures:
        if not provider.supports(measure):
            raise UsageError(f"The provider {name} does not compute {measure}.")
    return provider
