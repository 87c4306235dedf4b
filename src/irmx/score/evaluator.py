"""Evaluation with measures of irmx and ir_measures together, reading each input once.

The functions have the names and results of those of ir_measures; in addition, measures may be strings, and
qrels and runs may be anything that :func:`irmx.read_qrels` and :func:`irmx.read_run` accept.
"""

from __future__ import annotations

import math
import os
import pickle
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, cast

import ir_measures
import numpy as np
from ir_measures import Metric
from ir_measures.measures import MeanAgg

from irmx.data.chunks import MEMORY
from irmx.data.judgments import Judgments
from irmx.data.reading import read_qrels, read_run
from irmx.data.runs import Run
from irmx.declare.columns import needed, unit_conflict_message
from irmx.declare.described import html_result
from irmx.declare.expressions import parse_measure, parse_measures, with_plain_numbers
from irmx.declare.measure_failures import failures_of, in_full, is_number
from irmx.declare.measures import Measure, refuse_broken
from irmx.declare.params import Mean, common_parameters, common_value
from irmx.errors import DataWarning, PluginError, QrelsWarning, TooLittleMemoryError, UsageError
from irmx.parallel import recorded_warnings
from irmx.ragged import Array, Bools, Ints, short_repr
from irmx.rank.join import Join, refuse_no_common_topic
from irmx.rank.rankings import Rankings
from irmx.score.backends import (
    Backend,
    PluginBackend,
    ProviderBackend,
    ScoresByMeasure,
    check_columns,
    checked,
    provided,
    provider_named,
    rankings_for,
    scorer_of,
)
from irmx.score.scored_runs import Failures, scores_of
from irmx.score.topic_scores import TopicScores
from irmx.text import list_some, plural, value_repr

# -- what comes out of scoring ---------------------------------------------------------------------------------------


class DetailedMetric(ir_measures.Metric):
    """An ``ir_measures.Metric`` with further fields, which are also attributes.

    Attributes
    ----------
    fields : dict of str to float
        The fields by name.

    Examples
    --------
    >>> m = DetailedMetric("q", "MSU", 2.5, {"standard_error": 0.1})
    >>> query_id, measure, value = m
    >>> value, m.standard_error
    (2.5, 0.1)
    """

    fields: dict[str, float]

    def __new__(
        cls, query_id: str, measure: Any, value: float, fields: Mapping[str, float] | None = None
    ) -> DetailedMetric:
        made = super().__new__(cls, query_id, measure, value)
        made.fields = dict(fields or {})
        return made

    def _replace(self, /, **changes: Any) -> DetailedMetric:
        made = super()._replace(**changes)
        made.fields = dict(self.fields)
        return made

    def __getattr__(self, name: str) -> float:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            value: float = fields[name]
            return value
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class DetailedResults(ir_measures.CalcResults):
    """An ``ir_measures.CalcResults`` with further fields of the means.

    Attributes
    ----------
    fields : dict of Measure to dict of str to float
        By measure and name, such as the ``standard_error`` of the mean; measures whose mean has no fields are left out.

    Examples
    --------
    >>> results = DetailedResults({"MSU": 2.5}, [], {"MSU": {"standard_error": 0.1}})
    >>> means, per_query = results
    >>> means["MSU"], results.fields["MSU"]["standard_error"]
    (2.5, 0.1)
    """

    fields: dict[Any, dict[str, float]]

    def __new__(
        cls, aggregated: Any, per_query: Any, fields: Mapping[Any, dict[str, float]] | None = None
    ) -> DetailedResults:
        made = super().__new__(cls, aggregated, per_query)
        made.fields = dict(fields or {})
        return made

    @property
    def _means(self) -> dict[Any, float]:
        return dict(cast("Mapping[Any, float]", self.aggregated))

    def __repr__(self) -> str:
        means = list_some([f"{measure} {value:.4f}" for measure, value in self._means.items()])
        return f"<Results of {plural(len(self._means), 'measure')}: {means}>"

    def _repr_html_(self) -> str:
        rows = [{"measure": str(m), "mean": mean, **self.fields.get(m, {})} for m, mean in self._means.items()]
        return html_result(repr(self).partition(":")[0], {"": rows})


def metrics_of(measure: ir_measures.Measure, topics: Iterable[str], scores: TopicScores) -> list[Metric | None]:
    """Return the metric of every topic; None for a topic for which a tool of ir_measures has no value."""
    own = isinstance(measure, Measure)
    fields = scores.by_topic() if scores.fields else repeat({})
    return [
        (DetailedMetric(query_id, measure, value, of_topic) if of_topic else Metric(query_id, measure, value))
        if own or not math.isnan(value)
        else None
        for query_id, value, of_topic in zip(topics, scores.values.tolist(), fields, strict=False)
    ]


def mean_of(measure: ir_measures.Measure, scores: TopicScores) -> float:
    """Aggregate the values of all topics with the measure's aggregator, which usually computes the mean.

    The aggregator of an irmx measure handles NaN, which ``no_relevant='nan'`` gives. For a measure of ir_measures, NaN means
    that its tool has no value for the topic, so it is removed first; Accuracy has one only where a relevant document is
    retrieved. If the tool has a value for no topic, the mean is NaN, with a warning.
    """
    values = scores.values if isinstance(measure, Measure) else scores.values[~np.isnan(scores.values)]
    if len(scores.values) > len(values) == 0:
        message = f"{measure} is not defined for any topic of the run, so that there is no mean: it is NaN."
        warnings.warn(message, DataWarning, stacklevel=2)
    with failures_of(measure):
        aggregator = measure.aggregator()
        if type(aggregator) is MeanAgg:
            aggregator = Mean(aggregator.default)
        for value in values.tolist():
            aggregator.add(value)
        mean = aggregator.result()
    if is_number(mean) and (math.isfinite(mean) or not len(values) or not np.isfinite(values).all()):
        return float(mean)
    raise PluginError(
        f"{in_full(measure)} has an aggregator whose result is {value_repr(mean)}; a finite number is expected."
    )


def results_of_run(scores: Mapping[Any, TopicScores], per_query: list[Metric]) -> DetailedResults:
    """Return the means with their fields, and the metrics of topics."""
    means = {measure: mean_of(measure, of_measure) for measure, of_measure in scores.items()}
    return DetailedResults(means, per_query, {m: fields for m, s in scores.items() if (fields := s.of_mean())})


# -- evaluation with measures of irmx and ir_measures together, reading each input once ------------------------------


Measures = str | ir_measures.Measure | Iterable[str | ir_measures.Measure]


def as_measures(measures: Measures) -> list[ir_measures.Measure]:
    """Return measures, given as objects or strings, as a list of distinct measures, in the order given.

    A measure that is given under two names keeps the first: some tools would compute one of the two and return 0 for the other.

    >>> as_measures(["AP nDCG@10", "map IPrec@1", "IPrec@1.0"])
    [AP, nDCG@10, IPrec@1]
    """
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise UsageError(f"Measures are texts, or measures of irmx or ir_measures. Got {measures!r} instead.")
    parsed: list[ir_measures.Measure] = []
    m: Any
    for m in measures:
        if not isinstance(m, (str, ir_measures.Measure)) or (isinstance(m, str) and not m.strip()):
            raise UsageError(f"A measure is written as AP, nDCG@10 or MP(model=GL_AD_ID). Got {m!r} instead.")
        parsed += [parse_measure(m)] if isinstance(m, ir_measures.Measure) else parse_measures(m)
    for m in parsed:
        if isinstance(m, Measure):
            refuse_broken(m)
    distinct: dict[ir_measures.Measure, ir_measures.Measure] = {}
    for m in parsed:
        distinct.setdefault(with_plain_numbers(m), m)
    return list(distinct.values())


class Evaluator:
    """Scores runs against one set of judgments with measures of irmx and of ir_measures.

    A measure of ir_measures is computed by a plugin's scorer, if there is one for it, and by a provider of ir_measures otherwise.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    provider : str, optional
        The only provider of ir_measures to use; ``"irmx"`` stands for the measures and scorers of plugins.
    of_a_batch : bool
        Whether the qrels may be those of a batch of topics: it is then no mistake if none of their grades reaches ``rel``.
    """

    def __init__(self, measures: Measures, qrels: Any, provider: str | None = None, of_a_batch: bool = False) -> None:
        self.measures, self._provider = as_measures(measures), provider
        scorers: dict[ir_measures.Measure, Measure] = {}
        if provider in (None, "irmx"):
            scorers = {m: scorer for m in self.measures if (scorer := scorer_of(m)) is not None}
        chosen = None if provider is None else provider_named(provider, self.measures)
        self.judgments = read_qrels(qrels, needed("qrels", scorers.values()))
        self._own = [PluginBackend(measure, scorer) for measure, scorer in scorers.items()]
        common = map(common_parameters, scorers.values())
        cutoffs = [0 if of_one.get("judged_only") else of_one.get("cutoff", 0) for of_one in common]
        self._reads_to = max(cutoffs) if all(cutoffs) and cutoffs else None
        self._others = [m for m in self.measures if m not in scorers]
        if message := unit_conflict_message(scorers.values()):
            warnings.warn(message, DataWarning, stacklevel=2)
        self._last = self.judgments, provided(self._others, self.judgments, chosen)
        if not of_a_batch and (message := _above_every_grade(self.measures, self.judgments)):
            warnings.warn(message, QrelsWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f"<Evaluator: {plural(len(self.measures), 'measure')}, {list_some(map(str, self.measures))}; {self.judgments!r}>"

    def __reduce__(self) -> Any:
        return _of_this_process, (self._key, self.measures, self._stored_judgments, self._provider)

    @cached_property
    def _key(self) -> str:
        return os.urandom(16).hex()

    @cached_property
    def _stored_judgments(self) -> list[Array]:
        """The judgments for other processes: arrays, which joblib puts into files once, not into every call."""
        buffers: list[pickle.PickleBuffer] = []
        rest = pickle.dumps(self.judgments, protocol=5, buffer_callback=buffers.append)
        return [np.frombuffer(buffer, dtype=np.uint8) for buffer in (memoryview(rest), *(b.raw() for b in buffers))]

    def scores(self, run: Any, memory: str | float = MEMORY) -> ScoresByMeasure:
        """Return, per measure in the order given, its values and fields by topic in the order of the qrels.

        A measure that a provider of ir_measures computes has NaN for a topic for which the provider has no value. A file that is
        larger than ``memory``, in bytes or such as ``"500MB"``, is read in chunks of topics.

        Raises
        ------
        irmx.errors.DataError
            If the run has documents, but for no topic of the qrels.
        """
        return scores_of(self, run, memory)

    def of_join(self, join: Join, failures: Failures | None = None) -> ScoresByMeasure:
        """Return the values as :meth:`scores` does, of a run that is already joined, over the topics of its judgments.

        Providers of ir_measures are given the judgments of the join, if they are not those of the evaluator;
        :func:`irmx.score_joined` does this once for many runs. The error of a measure that fails is raised, or put into
        ``failures``, if that is given; the measure then has no values.
        """
        scores: ScoresByMeasure = {}
        join.reads_to = self._reads_to
        backends: list[Backend] = [*self._own, *self._provided_for(join.judgments)]
        for backend in backends:
            try:
                scores |= backend.score(join)
            except (PluginError, TooLittleMemoryError) as error:
                if failures is None:
                    raise
                failures |= dict.fromkeys(backend.measures, error)
        return {measure: scores[measure] for measure in self.measures if measure in scores}

    def _provided_for(self, judgments: Judgments) -> list[ProviderBackend]:
        """Return the backends that providers make for judgments; those of the last, because they keep them as objects."""
        last = self._last  # which another thread may change
        if judgments is not last[0]:
            chosen = None if self._provider is None else provider_named(self._provider, self._others)
            self._last = last = judgments, provided(self._others, judgments, chosen)
        return last[1]

    def computed_by(self) -> dict[str, str]:
        """Return what computes each measure: ``irmx`` for measures and scorers of plugins, otherwise a provider of ir_measures."""
        own = {str(measure): "irmx" for backend in self._own for measure in backend.measures}
        return own | {str(m): str(backend.provider_name) for backend in self._last[1] for m in backend.measures}

    def values(self, run: Any) -> dict[ir_measures.Measure, dict[str, float]]:
        """Return the value per measure, in the order given, and topic, in the order of the qrels.

        As :meth:`scores`, but as dicts, without topics for which a provider of ir_measures has no value.
        """
        columns = {m: metrics_of(m, self.judgments.index, scores) for m, scores in self.scores(run).items()}
        return {m: {metric.query_id: metric.value for metric in column if metric} for m, column in columns.items()}

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the value of every measure for every topic, topic by topic."""
        yield from self._by_topic(self.scores(run))

    def _by_topic(self, scores: Mapping[ir_measures.Measure, Any]) -> Iterator[Metric]:
        columns = [metrics_of(measure, self.judgments.topics, of_measure) for measure, of_measure in scores.items()]
        return (metric for of_topic in zip(*columns, strict=True) for metric in of_topic if metric)

    def calc(self, run: Any) -> DetailedResults:
        """Return the means, with their further ``fields``, and the value of every topic."""
        scores = self.scores(run)
        return results_of_run(scores, list(self._by_topic(scores)))

    def calc_aggregate(self, run: Any) -> dict[ir_measures.Measure, float]:
        """Return the mean of every measure over the topics of the qrels."""
        return {measure: mean_of(measure, scores) for measure, scores in self.scores(run).items()}


def _above_every_grade(measures: Iterable[ir_measures.Measure], judgments: Judgments) -> str:
    """Return the message about measures for which no document is relevant, since ``rel`` is too large; empty if there are none."""
    if not len(judgments.grade) or judgments.of_some_topics:
        return ""
    largest = judgments.largest_grade
    reached = largest if largest > 0 else 1  # qrels without a relevant document are no mistake of rel
    above = [measure for measure in measures if _rel_of(measure) > reached]
    if not above:
        return ""
    return (
        f"No document is relevant for {list_some(map(str, above))}: the largest grade in the qrels is {largest:g}, which is below "
        "rel, 1 by default. Give a smaller rel=."
    )


def _rel_of(measure: ir_measures.Measure) -> float:
    """Return the grade from which on documents are relevant to a measure; 0 if it has none."""
    default = getattr(measure.SUPPORTED_PARAMS.get("rel"), "default", None)
    rel = measure.params.get("rel", default)
    return float(rel) if isinstance(rel, (int, float)) else 0.0


def evaluator(measures: Measures, qrels: Any, provider: str | None = None) -> Evaluator:
    """Return an object that scores several runs against judgments converted once.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute, such as ``"MP(model=GL_AD_ID) AP"``.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    provider : str, optional
        The only provider of ir_measures to use, such as ``"pytrec_eval"``; see :class:`irmx.toolkit.Evaluator`.

    Examples
    --------
    >>> import irmx
    >>> e = irmx.evaluator("AP NCP(law=uniform)", {"q": {"a": 1, "b": 1}})
    >>> e.calc_aggregate({"q": {"a": 2.0, "x": 1.0}})
    {AP: 0.5, NCP(law=uniform): 0.5}
    """
    return Evaluator(measures, qrels, provider)


def iter_calc(measures: Measures, qrels: Any, run: Any, provider: str | None = None) -> Iterator[Metric]:
    """Yield the value of every measure for every topic of the qrels; see :func:`evaluator`."""
    return Evaluator(measures, qrels, provider).iter_calc(run)


def calc(measures: Measures, qrels: Any, run: Any, provider: str | None = None) -> DetailedResults:
    """Return the means, with their further ``fields``, and the value of every topic; see :func:`evaluator`."""
    return Evaluator(measures, qrels, provider).calc(run)


def calc_aggregate(
    measures: Measures, qrels: Any, run: Any, provider: str | None = None
) -> dict[ir_measures.Measure, float]:
    """Return the mean of every measure over the topics of the qrels; see :func:`evaluator`."""
    return Evaluator(measures, qrels, provider).calc_aggregate(run)


def rankings(qrels: Any, run: Any, **common: Any) -> Rankings:
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


_sent: dict[str, Evaluator] = {}


def _of_this_process(
    key: str, measures: list[ir_measures.Measure], judgments: list[Array], provider: str | None
) -> Evaluator:
    """Return an evaluator that came from another process, made once for all chunks, without the warnings issued there.

    Nothing but the unpickling of an evaluator calls it: no file and no text of a user comes here.
    """
    if key not in _sent:
        while len(_sent) >= 2:
            del _sent[next(iter(_sent))]
        with recorded_warnings():
            rest, *buffers = judgments
            stored = pickle.loads(rest.data, buffers=buffers)  # noqa: S301  what __reduce__ stored
            _sent[key] = Evaluator(measures, stored, provider)
    return _sent[key]


# -- scoring of runs in many settings --------------------------------------------------------------------------------


_COMMON = ("rel", "cutoff", "judged_only", "ties")


def preparation_key(setting: Measure) -> Hashable:
    """Return a key for the preparation of a setting; None for a measure without preparation.

    Settings with equal keys share the result of :func:`prepare_run`.
    """
    with failures_of(setting):
        own = setting.preparation()
    return None if own is None else (own, *(common_value(setting, name) for name in _COMMON))


@dataclass(frozen=True, eq=False)
class PreparedRun:
    """The data of a run that settings with the same preparation need.

    Attributes
    ----------
    prepared : Any
        The return value of :meth:`irmx.Measure.prepare`.
    topics : tuple
        The run's topics that are in the judgments.
    places : int array
        Their numbers in the judgments.
    without_relevant : bool array
        For every topic of the judgments, whether it has no relevant document.
    """

    prepared: Any
    topics: tuple[Any, ...]
    places: Ints
    without_relevant: Bools

    __repr__ = short_repr


def prepare_run(settings: Sequence[Measure], run: Run, judgments: Judgments) -> dict[Hashable, PreparedRun]:
    """Return the data of a run that settings need, by :func:`preparation_key`; nothing for measures without preparation."""
    join = Join(run, judgments)
    by_key: dict[Hashable, PreparedRun] = {}
    for setting in settings:
        check_columns(setting, join)
        key = preparation_key(setting)
        if key is not None and key not in by_key:
            rankings = rankings_for(setting, join)
            with failures_of(setting):
                prepared = setting.prepare(rankings)
            left_out = judgments.without_relevant(common_value(setting, "rel"))
            by_key[key] = PreparedRun(prepared, rankings.topics, join.in_judgments, left_out)
    return by_key


def score_prepared(runs: Sequence[PreparedRun], settings: Sequence[Measure]) -> list[list[TopicScores]]:
    """Return the scores of prepared runs (outer list) in several settings (inner list), over the topics of the judgments.

    Parameters
    ----------
    runs : sequence of PreparedRun
        The runs.
    settings : sequence of Measure
        Settings with one :func:`preparation_key` that differ only in the ``SHARED_PARAMS`` of their measure.

    Raises
    ------
    irmx.errors.PluginError
        If the measure returns anything other than scores of this shape.
    """
    with failures_of(settings[0]):
        scores = type(settings[0]).score_prepared([run.prepared for run in runs], settings)
    if len(scores) != len(runs) or any(len(row) != len(settings) for row in scores):
        raise PluginError(
            f"score_prepared of {settings[0].NAME} must return a list of {len(settings)} scores for each of "
            f"{len(runs)} runs. Got {[len(row) for row in scores]}."
        )
    return [
        [_over_topics(setting, run, of_setting) for setting, of_setting in zip(settings, of_run, strict=True)]
        for run, of_run in zip(runs, scores, strict=True)
    ]


def _over_topics(setting: Measure, run: PreparedRun, scores: TopicScores) -> TopicScores:
    sound = checked(setting, run.topics, scores)
    out = sound.over_topics(run.places, len(run.without_relevant), float(setting.DEFAULT))
    if common_value(setting, "no_relevant") == "nan":
        out.values[run.without_relevant] = np.nan
    return out


def score_joined(joins: Sequence[Join], measures: Measures) -> list[list[TopicScores]]:
    """Return the scores of runs (outer list) by several measures (inner list), over the topics of the judgments of each join.

    The joins can be reused for further measures: documents are looked up once; data that only these measures need is released.

    Parameters
    ----------
    joins : sequence of Join
        Runs joined with judgments, which may differ: with views of one join (:meth:`irmx.Join.with_judgments`), a run is
        searched and sorted once for all of them.
    measures : str, Measure or iterable of them
        The measures. Those that a provider of ir_measures computes get all judgments, as dicts, once for every different
        judgments, and the run, as a dict, once for every join.

    Returns
    -------
    list of list of TopicScores
        One inner list per join; it has one element per distinct measure, in the order given.

    Raises
    ------
    irmx.errors.UsageError
        If one of ``joins`` is anything else, such as rankings.

    Examples
    --------
    >>> import irmx
    >>> join = irmx.Join(irmx.read_run({"q": {"x": 2.0, "a": 1.0}}), irmx.read_qrels({"q": {"a": 1}}))
    >>> [[score.values.tolist() for score in of_run] for of_run in irmx.score_joined([join], "NCP(law=first) AP")]
    [[[0.5], [0.5]]]
    """
    for join in joins:
        if not isinstance(join, Join):
            raise UsageError(
                f"score_joined takes runs joined by irmx.Join(run, judgments). Got {join!r} instead; irmx.rankings returns "
                "rankings, for one measure."
            )
    scores: list[list[TopicScores]] = [[] for _ in joins]
    evaluator = Evaluator(measures, joins[0].judgments) if joins else None
    for i in sorted(range(len(joins)), key=[id(join.judgments) for join in joins].__getitem__):
        assert evaluator is not None
        scores[i] = list(evaluator.of_join(joins[i]).values())
        joins[i].forget("rankings")
    return scores
