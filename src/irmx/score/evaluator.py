"""Evaluation with measures of irmx and ir_measures together, reading each input once.

The functions have the names and results of those of ir_measures; in addition, measures may be strings, and
qrels and runs may be anything that :func:`irmx.read_qrels` and :func:`irmx.read_run` accept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Metric

from irmx.data.reading import read_qrels, read_run
from irmx.data.runs import Run
from irmx.declare.columns import needed
from irmx.declare.expressions import canonical, parse_measures
from irmx.declare.measures import Measure
from irmx.errors import DataError, UsageError, counted, some, suggest
from irmx.rank.join import Join, refuse_no_common_topic
from irmx.rank.rankings import Rankings
from irmx.score import gdeval
from irmx.score.providers import provider_of, unsupported
from irmx.score.scoring import IrmxEvaluator, detailed_results, mean_of, metrics_of
from irmx.score.topic_scores import DetailedResults, TopicScores

Measures = str | ir_measures.Measure | Iterable[str | ir_measures.Measure]


def as_measures(measures: Measures) -> list[ir_measures.Measure]:
    """Return measures, given as objects or strings, as a list of distinct measures, in the order given.

    A measure that is given under two names keeps the first: some tools would compute one of the two and return 0 for the other.

    >>> as_measures(["AP nDCG@10", "map IPrec@1", "IPrec@1.0"])
    [AP, nDCG@10, IPrec@1]
    """
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    parsed: list[ir_measures.Measure] = []
    for m in measures:
        parsed += [m] if isinstance(m, ir_measures.Measure) else parse_measures(m)
    distinct: dict[ir_measures.Measure, ir_measures.Measure] = {}
    for m in parsed:
        distinct.setdefault(canonical(m), m)
    return list(distinct.values())


class Evaluator:
    """Scores runs against one set of judgments with measures of irmx and of ir_measures.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    provider : str, optional
        The only provider of ir_measures to use.
    """

    def __init__(self, measures: Measures, qrels: Any, provider: str | None = None) -> None:
        self.measures = as_measures(measures)
        self.judgments = read_qrels(qrels, needed("qrels", [m for m in self.measures if isinstance(m, Measure)]))
        self._own: IrmxEvaluator | None = None
        self._others: list[Any] = []
        self._of_gdeval: list[ir_measures.Measure] = []
        own = [m for m in self.measures if isinstance(m, Measure)]
        others = [m for m in self.measures if not isinstance(m, Measure)]
        if provider is not None:
            chosen = _provider(provider, self.measures)
            own, others = (own, []) if chosen.NAME == "irmx" else ([], self.measures)
        if own:
            self._own = IrmxEvaluator(own, self.judgments)
        if others:
            pipeline = ir_measures.DefaultPipeline if provider is None else chosen
            try:
                for some, form in self._upstream_qrels(others):
                    self._others.append(pipeline.evaluator(some, form))
            except (ValueError, RuntimeError) as error:
                raise UsageError(unsupported(others) or str(error)) from None
            except AssertionError as error:
                raise UsageError(f"ir_measures does not compute {', '.join(map(str, some))}: {error}.") from None
            except TypeError as error:
                if np.all(self.judgments.grade % 1 == 0):
                    raise
                raise DataError(
                    f"{', '.join(map(str, others))} cannot be computed: the qrels hold grades that are not whole numbers, "
                    f"which only measures of irmx plugins take, with rel=0.5 for instance ({error})."
                ) from None
            self._of_gdeval = [m for m in others if (provider or provider_of(m)) == gdeval.NAME]
            if self._of_gdeval:
                gdeval.refuse_qrels(self._of_gdeval, self.judgments)

    def __repr__(self) -> str:
        return f"<Evaluator: {counted(len(self.measures), 'measure')}, {some(map(str, self.measures))}; {self.judgments!r}>"

    def _upstream_qrels(self, measures: list[ir_measures.Measure]) -> Iterator[tuple[list[ir_measures.Measure], Any]]:
        """Yield groups of measures of ir_measures, each with the qrels in the form that they need.

        Diversity measures read one row per subtopic and document, and no row without a document, on which pyndeval crashes;
        all others read one grade per document. Of several such rows, either would use the last. Each setting of diversity
        measures forms its own group, because pyndeval's provider exhausts the run for the first setting and returns zeros
        for the others. So do measures with gains, because pytrec_eval's provider may apply the gains to plain nDCG and
        return zeros for nDCG with gains.
        """
        diversity = {m.NAME for m in ir_measures.providers.registry["pyndeval"].SUPPORTED_MEASURES}
        of_rows = [m for m in measures if m.NAME in diversity]
        of_documents = [m for m in measures if m not in of_rows]
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
                yield some, self.judgments.as_dict()
        rows = self.judgments.rows_of_subtopics() if of_rows else []
        settings: dict[tuple[Any, ...], list[ir_measures.Measure]] = {}
        for m in of_rows:
            params = ("rel", "alpha", "beta", "judged_only")
            settings.setdefault(tuple(m[p] if p in m.SUPPORTED_PARAMS else None for p in params), []).append(m)
        for of_setting in settings.values():
            yield of_setting, rows

    def scores(self, run: Any) -> dict[ir_measures.Measure, TopicScores]:
        """Return, per measure in the order given, its values and fields by topic in the order of the qrels.

        A measure of ir_measures has NaN for a topic for which its tool has no value.

        Raises
        ------
        irmx.errors.DataError
            If the run has documents, but for no topic of the qrels.
        """
        run = read_run(run)
        refuse_no_common_topic(run, self.judgments)
        own: Mapping[Any, TopicScores] = {} if self._own is None else self._own.scores(run)
        by_measure = {**own, **self._of_others(run)}
        return {measure: by_measure[measure] for measure in self.measures}

    def values(self, run: Any) -> dict[ir_measures.Measure, dict[str, float]]:
        """Return the value per measure, in the order given, and topic, in the order of the qrels.

        As :meth:`scores`, but as dicts, without topics for which a tool of ir_measures has no value.
        """
        columns = {m: metrics_of(m, self.judgments.index, scores) for m, scores in self.scores(run).items()}
        return {m: {metric.query_id: metric.value for metric in column if metric} for m, column in columns.items()}

    def _of_others(self, run: Run) -> dict[ir_measures.Measure, TopicScores]:
        """Return the values of the measures that irmx does not compute."""
        own = set() if self._own is None else set(self._own.measures)
        values = {m: np.full(len(self.judgments.topics), np.nan) for m in self.measures if m not in own}
        for metric in self._upstream(run) if self._others else ():
            topic = self.judgments.index.get(str(metric.query_id))
            if topic is not None:
                values[metric.measure][topic] = metric.value
        return {measure: TopicScores(of_measure) for measure, of_measure in values.items()}

    def _upstream(self, run: Run) -> Iterator[Metric]:
        """Yield the values of the measures of ir_measures; if a tool fails, the error names the measures."""
        names = ", ".join(str(m) for m in self.measures if not isinstance(m, Measure))
        try:
            retrieved = run.as_dict()
        except DataError as error:
            raise DataError(f"{names} cannot be computed: {error}") from None
        by_topic = {topic: docs for topic, docs in retrieved.items() if topic in self.judgments.index}
        if self._of_gdeval:
            gdeval.refuse_run(self._of_gdeval, by_topic)
        try:
            for others in self._others:
                yield from others.iter_calc(by_topic)
        except Exception as error:
            raise DataError(
                f"A tool that ir_measures uses for {names} failed with {type(error).__name__}: {error}"
            ) from error

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the value of every measure for every topic, topic by topic."""
        yield from self._by_topic(self.scores(run))

    def _by_topic(self, scores: Mapping[ir_measures.Measure, TopicScores]) -> Iterator[Metric]:
        columns = [metrics_of(measure, self.judgments.topics, of_measure) for measure, of_measure in scores.items()]
        return (metric for of_topic in zip(*columns, strict=True) for metric in of_topic if metric)

    def calc(self, run: Any) -> DetailedResults:
        """Return the means, with their further ``fields``, and the value of every topic."""
        scores = self.scores(run)
        return detailed_results(scores, list(self._by_topic(scores)))

    def calc_aggregate(self, run: Any) -> dict[ir_measures.Measure, float]:
        """Return the mean of every measure over the topics of the qrels."""
        return {measure: mean_of(measure, scores) for measure, scores in self.scores(run).items()}


def _provider(name: str, measures: list[ir_measures.Measure]) -> Any:
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


def evaluator(measures: Measures, qrels: Any) -> Evaluator:
    """Return an object that scores several runs against judgments converted once.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute, such as ``"MP(model=GL_AD_ID) AP"``.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.

    Examples
    --------
    >>> import irmx
    >>> e = irmx.evaluator("AP NCP(law=uniform)", {"q": {"a": 1, "b": 1}})
    >>> e.calc_aggregate({"q": {"a": 2.0, "x": 1.0}})
    {AP: 0.5, NCP(law=uniform): 0.5}
    """
    return Evaluator(measures, qrels)


def iter_calc(measures: Measures, qrels: Any, run: Any) -> Iterator[Metric]:
    """Yield the value of every measure for every topic of the qrels; see :func:`evaluator`."""
    return Evaluator(measures, qrels).iter_calc(run)


def calc(measures: Measures, qrels: Any, run: Any) -> DetailedResults:
    """Return the means, with their further ``fields``, and the value of every topic; see :func:`evaluator`."""
    return Evaluator(measures, qrels).calc(run)


def calc_aggregate(measures: Measures, qrels: Any, run: Any) -> dict[ir_measures.Measure, float]:
    """Return the mean of every measure over the topics of the qrels; see :func:`evaluator`."""
    return Evaluator(measures, qrels).calc_aggregate(run)


def join(qrels: Any, run: Any, **common: Any) -> Rankings:
    """Return the rankings that a measure would get, for inspection or for a measure under development.

    Parameters
    ----------
    qrels, run : any
        Anything that :func:`irmx.read_qrels` and :func:`irmx.read_run` accept.
    **common
        The common parameters ``rel``, ``cutoff``, ``judged_only`` and ``ties``.
    """
    the_run, judgments = read_run(run), read_qrels(qrels)
    refuse_no_common_topic(the_run, judgments)
    return Rankings(Join(the_run, judgments), **common)
