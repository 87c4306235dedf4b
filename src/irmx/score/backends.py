"""What computes measures from a join: measures of irmx and scorers of plugins themselves, or providers of ir_measures."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import ir_measures
import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Run
from irmx.data.sources import check_texts
from irmx.declare.columns import REQUIRED, columns_of, is_missing
from irmx.declare.expressions import ir_measures_measure
from irmx.declare.measure_failures import failures_of, in_full, is_number
from irmx.declare.measures import Measure, bounds, refuse_broken, takes_silence
from irmx.declare.params import LARGEST_GRADE, Param, common_parameters, common_value
from irmx.errors import DataError, IrmxError, PluginError, UsageError, text_of, too_little_memory
from irmx.ragged import Floats, Ints, offsets_of, segment_of
from irmx.rank.join import Join
from irmx.rank.rankings import Rankings
from irmx.registry import registry
from irmx.score.topic_scores import TopicScores
from irmx.text import plural, suggest, value_repr

# -- what the tools behind the providers of ir_measures compute with -------------------------------------------------


class Written(Param):
    """A float that a tool gets as text, of which it may read another number."""

    def __init__(self, form: str, read: Callable[[float], float], low: float, high: float | None = None) -> None:
        super().__init__(float, "", low=low, high=high)
        self.form, self.read = form, read

    def expects(self) -> str:
        return f"{super().expects()}, {self.form}"

    def _in_range(self, value: Any) -> bool:
        return super()._in_range(value) and self.read(value) == value


class WholeGains(Param):
    """Gains that take the place of grades, which are whole numbers."""

    def expects(self) -> str:
        return super().expects().replace("numbers", "ints")

    def _in_range(self, value: Any) -> bool:
        return super()._in_range(value) and all(isinstance(gain, int) for gain in value.values())


class Domain(NamedTuple):
    """What a provider computes with.

    ``parameters`` are those of which it takes only some values, ``largest_grade`` is that of a provider whose grades are whole
    numbers, and measures that differ in the parameters ``apart`` need an evaluator each.
    """

    parameters: Mapping[str, Param] = {}
    largest_grade: int | None = None
    apart: tuple[str, ...] = ()


_ALL = {"rel": Param(int, "", low=1, high=LARGEST_GRADE), "p": Param(float, "", above=0, below=1)}
_ANY_REL = Param(int, "", low=-LARGEST_GRADE, high=LARGEST_GRADE)
_LARGEST_LEVEL = 10_000
"""For every topic, pytrec_eval counts the documents of each grade up to the largest, and for nDCG sorts these counts, which is
not felt at this grade and takes minutes at 10^9. With ``rel`` far beyond the grades, Bpref reads memory that is not its own."""

DOMAINS: dict[str, Domain] = {
    "pytrec_eval": Domain(
        {
            "rel": Param(int, "", low=1, high=_LARGEST_LEVEL),
            "gains": WholeGains(dict, "", low=0, high=_LARGEST_LEVEL),
            "beta": Written("written without an exponent", lambda beta: float(repr(beta).partition("e")[0]), low=0),
            "recall": Written("with at most two decimals", lambda recall: round(recall, 2), low=0, high=1),
        },
        largest_grade=_LARGEST_LEVEL,
        # it may apply gains to plain nDCG and return zeros for nDCG with gains; beside judged_only, NumRet counts judged documents
        apart=("gains", "judged_only"),
    ),
    "cwl_eval": Domain(
        {
            "cutoff": Param(int, "", low=1, high=1000),  # it drops the documents after rank 1,000
            "T": Param(float, "", above=0),
            "min_rel": Param(int, "", low=0, high=LARGEST_GRADE),  # it sets negative grades to 0
            "max_rel": Param(int, "", low=1, high=LARGEST_GRADE),
        }
    ),
    "pyndeval": Domain(
        {
            "cutoff": Param(int, "", low=1, high=20, required=True),
            "rel": _ANY_REL,
            "alpha": Param(float, "", low=0, high=1),
            "beta": Param(float, "", above=0, below=1),
            "judged_only": Param(bool, "", choices=(False,)),  # it reads the run as a dict, which it is not
        },
        apart=("rel", "alpha", "beta"),  # it exhausts the run for the first setting and returns zeros for the others
    ),
    "gdeval": Domain(largest_grade=4),
    "msmarco": Domain({"rel": _ANY_REL}),
    "ranx": Domain({"rel": _ANY_REL}),
    "compat": Domain(),
    "judged": Domain(),
    "accuracy": Domain(),
    "trectools": Domain(),
}
"""The providers that use scores only to rank documents. Others, such as that of ``ir_measures.define``, may compute with scores."""


def domain_of(provider: str) -> Domain:
    """Return what a provider computes with; nothing is known about one that is not in the table."""
    return DOMAINS.get(provider, Domain())


def refuse_parameters(measure: ir_measures.Measure, provider: str) -> None:
    """Raise if a provider does not compute a measure with these values of its parameters.

    >>> refuse_parameters(ir_measures.AP(rel=0), "pytrec_eval")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The 'rel' parameter of AP(rel=0), which pytrec_eval computes, must be an int in the range [1, 10000]. ...
    """
    for name, param in {**_ALL, **domain_of(provider).parameters}.items():
        if name not in measure.SUPPORTED_PARAMS:
            continue
        if name in measure.params:
            param.check(measure.params[name], name, f"{measure}, which {provider} computes,")
        elif param.required:
            raise UsageError(
                f"ir_measures does not compute {measure} without a {name}. Give one, such as {measure}@10."
            )
    if {"min_rel", "max_rel"} <= measure.SUPPORTED_PARAMS.keys() and measure["min_rel"] >= measure["max_rel"]:
        raise UsageError(
            f"The 'max_rel' parameter of {measure} must be larger than 'min_rel': a document of grade min_rel has the gain 0, "
            f"and one of max_rel the gain 1. Got min_rel={measure['min_rel']} and max_rel={measure['max_rel']}."
        )


def refuse_qrels(measures: Sequence[ir_measures.Measure], provider: str, judgments: Judgments) -> None:
    """Raise if the provider of some measures does not read the qrels, or misreads them."""
    largest, grade = domain_of(provider).largest_grade, judgments.grade
    where = f"the qrels {judgments.source.path}".rstrip()
    odd = np.empty(0) if largest is None else np.flatnonzero((grade % 1 != 0) | (grade > largest))
    if len(odd):
        first = int(odd[0])
        topic = judgments.topics[int(np.searchsorted(judgments.offsets, first, side="right")) - 1]
        refusal = _refusal(
            measures,
            provider,
            f"grades that are whole numbers up to {largest}. Found the grade {grade[first]:.17g} of document "
            f"{judgments.docs[first]!r} for query {str(topic)!r} in {where}",
            "Write whole numbers, use a measure of an irmx plugin, which takes fractions (with rel=0.5, for instance)"
            if grade[first] % 1
            else f"Write the grades as 0 to {largest}",
        )
        raise refusal.of(f"{refusal}{without_gdeval(measures, grade.max())}") if provider == "gdeval" else refusal
    if provider == "gdeval":
        try:
            _refuse_topics_of_gdeval(measures, judgments.index, where)
            _refuse_ids_of_gdeval(measures, judgments.docs, where)
        except DataError as refusal:
            largest_grade = max(1.0, grade.max(initial=1))
            raise refusal.of(f"{refusal}{without_gdeval(measures, largest_grade)}") from None


def refuse_run(measures: Sequence[ir_measures.Measure], provider: str, run: Mapping[str, Iterable[str]]) -> None:
    """Raise if the provider of some measures would misread a run."""
    if provider == "gdeval":
        for docs in run.values():
            _refuse_ids_of_gdeval(measures, docs, "the run")


def _refuse_topics_of_gdeval(measures: Sequence[ir_measures.Measure], topics: Iterable[str], where: str) -> None:
    """Raise for other topics than numbers: of ``301-2`` gdeval reads what is after the hyphen; ``7`` and ``07`` are one."""
    seen: dict[int, str] = {}
    for topic in topics:
        found = ""
        if not re.fullmatch("[0-9]{1,19}", topic):  # which perl compares as 64-bit integers, and more digits as floats
            found = f"topics that are whole numbers, in at most 19 digits. Found the topic {topic!r} in {where}"
        elif (same := seen.setdefault(int(topic), topic)) != topic:
            found = f"topics that differ as numbers. Found the topics {same!r} and {topic!r} in {where}"
        if found:
            raise _refusal(measures, "gdeval", found, "Number the topics, in the qrels and in the run")


def _refuse_ids_of_gdeval(measures: Sequence[ir_measures.Measure], docs: Iterable[str], where: str) -> None:
    """Raise for an id that gdeval would read as several columns."""
    word = re.compile(r"\S+", re.ASCII)
    odd = next((doc for doc in docs if not word.fullmatch(doc)), None)
    if odd is not None:
        raise _refusal(
            measures,
            "gdeval",
            f"ids of documents without white space. Found the document {odd!r} in {where}",
            "Replace the white space in the ids, in the qrels and in the run",
        )


def without_gdeval(measures: Iterable[ir_measures.Measure], largest: float = 4) -> str:
    """Return the sentence that says how ERR is computed without gdeval, whose largest grade is always 4; empty for other measures."""
    cutoffs = dict.fromkeys(measure.params.get("cutoff") for measure in measures if measure.NAME == "ERR")
    if not cutoffs or "Effort" not in registry().measures():
        return ""
    named = " ".join(
        f"Effort(measure='ERR',effort=[1],max_grade={largest:g}){'' if k is None else f'@{k}'}" for k in cutoffs
    )
    return f" ERR with grades up to {largest:g} is also computed by {named}."


def _refusal(measures: Sequence[ir_measures.Measure], provider: str, reads_and_found: str, remedy: str) -> DataError:
    are, these = ("is", "this measure") if len(measures) == 1 else ("are", "these measures")
    return DataError(
        f"{', '.join(map(str, measures))} {are} computed by {provider}, which reads only {reads_and_found}. {remedy}, or leave "
        f"{these} out."
    )


# -- what computes measures from a join ------------------------------------------------------------------------------


ScoresByMeasure = dict[ir_measures.Measure, TopicScores]


class Backend(Protocol):
    """What computes some measures from a join."""

    measures: list[ir_measures.Measure]

    def score(self, join: Join) -> ScoresByMeasure:
        """Return the scores by each measure over the topics of the judgments; NaN for one that has no value for a topic."""


# -- measures of irmx and scorers of plugins --------------------------------------------------------------------------


class PluginBackend:
    """A measure of irmx, or a plugin's scorer of one of ir_measures."""

    def __init__(self, measure: ir_measures.Measure, scorer: Measure) -> None:
        scorer.validate_params()
        self.measures, self.scorer = [measure], scorer

    def score(self, join: Join) -> ScoresByMeasure:
        """Return the scores; a topic that the run lacks has what the measure says."""
        scorer, judgments = self.scorer, join.judgments
        missing = of_missing(scorer, judgments)
        scores = self._of_rankings(join).over_topics(join.in_judgments, len(judgments.topics), missing)
        if common_value(scorer, "no_relevant") == "nan":
            scores.values[judgments.without_relevant(common_value(scorer, "rel"))] = np.nan
        return {self.measures[0]: scores}

    def _of_rankings(self, join: Join) -> TopicScores:
        if not join.pairs:
            return TopicScores(np.empty(0))
        check_columns(self.scorer, join)
        rankings = rankings_for(self.scorer, join)
        with failures_of(self.scorer):
            scores = self.scorer.score(rankings)
        return checked(self.scorer, rankings.topics, scores)


def of_missing(measure: Measure, judgments: Judgments) -> float | Floats:
    """Return the value of topics that a run lacks: one for all, or one for each topic of the judgments."""
    if not takes_silence(measure):
        return float(measure.DEFAULT)
    topics = judgments.topics
    with failures_of(measure):
        given = measure.of_missing(judgments)
        given = np.full(len(topics), given) if np.ndim(given) == 0 else given
    values = _numbers(measure, " of topics without documents", given, (len(topics),))
    _refuse_outside(measure, topics, values)
    return values


def scorer_of(measure: ir_measures.Measure) -> Measure | None:
    """Return the measure that computes another from rankings; None if only a provider of ir_measures can.

    A measure of irmx computes itself. For a measure of ir_measures, a plugin may have a scorer of its name
    (:func:`irmx.hookspecs.irmx_scorers`), which computes it if it has all of its parameters.
    """
    if isinstance(measure, Measure):
        refuse_broken(measure)
        return measure
    scorer: Measure | None = registry().scorer(str(measure.NAME))
    if scorer is None or not measure.params.keys() <= scorer.SUPPORTED_PARAMS.keys():
        return None
    with_params: Measure = scorer(**measure.params)
    return with_params


def rankings_for(measure: Measure, join: Join) -> Rankings:
    """Return the rankings for a measure, with its common parameters applied; raise if a document repeats and must not."""
    with failures_of(measure):
        refuse_parts(measure, join.run)
        if not measure.DOCS_MAY_REPEAT:
            join.run.refuse_repeats()
        elif not any(column.declares for column in columns_of(measure)):
            join.run.refuse_declaring()
    return Rankings.of(join, **common_parameters(measure))


def refuse_parts(measure: Measure, run: Run) -> None:
    """Raise if topics of a run have parts, such as the queries of a session, and the measure reads no column that tells them apart."""
    if len(run.columns) == len(REQUIRED["run"]):
        return
    read = {column.name for column in columns_of(measure)}
    every = registry().measures().values()
    declaring = {c.name: c for one in every for c in one.RUN_COLUMNS if c.declares and c.name in run.columns}
    for name, column in declaring.items():
        parts, topic = run.column(name), segment_of(run.offsets)
        assert parts is not None
        differ = (parts[1:] != parts[:-1]) & ~(is_missing(parts[1:]) & is_missing(parts[:-1]))
        several = np.flatnonzero((topic[1:] == topic[:-1]) & differ)
        if name in read or not len(several):
            continue
        takers = [
            f"{one.NAME}(measure='{measure}')" if "measure" in one.SUPPORTED_PARAMS else one.NAME
            for one in every
            if column in one.RUN_COLUMNS
        ]
        first = sorted(takers, key=lambda text: "measure=" not in text)
        rows = [int(several[0]), int(several[0]) + 1]
        raise DataError(
            f"Query {run.topics[topic[rows[0]]]!r} has several parts in the column {name!r}, {re.split('[,;]', column.desc)[0]}. {measure} takes a topic for one "
            f"ranking. Measures of the parts: {', '.join(first)}.",
            tuple(rows),
            run.place(rows),
        )


def check_columns(measure: Measure, join: Join) -> None:
    """Raise if a column that the measure declares is missing."""
    for column in columns_of(measure):
        table = join.run if column.table == "run" else join.judgments
        if column.name not in table.columns and not column.optional:
            raise DataError(f"{measure} cannot be computed: {table.lacking(column)}")


def check_qrels(measure: Measure, judgments: Judgments) -> None:
    """Raise if a qrels column that the measure declares is missing, before there is a run."""
    for column in columns_of(measure):
        if column.table == "qrels" and column.name not in judgments.columns and not column.optional:
            raise DataError(f"{measure} cannot be computed: {judgments.lacking(column)}")


_ROUNDING = 1e-9
"""How far beyond its range a value may be, relative to the bound, or to 1 near 0: that much is regarded as rounding."""


def checked(measure: Measure, topics: Sequence[Any], scores: Any) -> TopicScores:
    """Return what a measure returned for topics as float arrays."""
    scores = scores if isinstance(scores, TopicScores) else TopicScores(scores)
    if not isinstance(scores.fields, Mapping):
        raise PluginError(
            f"{in_full(measure)} returned fields of type {type(scores.fields).__name__}; a dict is expected."
        )
    shape = (len(topics),)
    values = _numbers(measure, "", scores.values, shape)
    _refuse_outside(measure, topics, values)
    fields = {name: _numbers(measure, f" as {name}", array, shape) for name, array in scores.fields.items()}
    if scores.covariance is None:
        return TopicScores(values, fields)
    return TopicScores(values, fields, _numbers(measure, " as a covariance", scores.covariance, 2 * shape))


def _numbers(measure: Measure, of_what: str, values: Any, shape: tuple[int, ...]) -> Floats:
    """Return what a measure returned as an array of floats of a shape."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.shape == shape:
        return values
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O" and all(map(is_number, array.flat)):
            array = array.astype(np.float64)
        odd = "" if array.dtype.kind in "biuf" else next((one for one in array.flat if not is_number(one)), values)
        if array.shape != shape:
            of_array = isinstance(values, (np.ndarray, list, tuple))
            problem = f"an array of shape {array.shape}" if of_array else value_repr(values)
        elif array.dtype.kind not in "biuf":
            problem = f"{value_repr(odd)}, which is not a real number,"
        elif np.ma.getmaskarray(values).any() if isinstance(values, np.ma.MaskedArray) else False:
            problem = "a masked array, in which numbers are missing,"
        else:
            return array.astype(np.float64, copy=False)
    except OverflowError:
        problem = "a number that is too large for a 64-bit float"
    except Exception as error:  # such as rows of different lengths
        problem = f"{value_repr(values)}, which is no array ({error})"
    expected = "one number per topic" if len(shape) == 1 else "one number per pair of topics"
    raise PluginError(
        f"{in_full(measure)} returned {problem}{of_what} for {plural(shape[0], 'topic')}; {expected} is expected."
    )


def _refuse_outside(measure: Measure, topics: Sequence[Any], values: Floats) -> None:
    """Raise for a value that is not finite, or not in the range of its measure."""
    if not len(values):
        return
    low, high = bounds(measure.RANGE)
    least, most = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))  # of values with NaN, NaN
    beyond_low, beyond_high = low - _ROUNDING * max(1.0, abs(low)), high + _ROUNDING * max(1.0, abs(high))
    if beyond_low <= least and most <= beyond_high and -math.inf < least and most < math.inf:
        return
    outside = ~np.isfinite(values)
    if outside.any():
        raise PluginError(f"{in_full(measure)} has no finite value for query {topics[int(outside.argmax())]}.")
    first = int(((values < beyond_low) | (values > beyond_high)).argmax())
    raise PluginError(
        f"{in_full(measure)} has the value {float(values[first])!r} for query {topics[first]}, outside its range "
        f"[{low:g}, {high:g}]. Correct the score, or the range that it declares (RANGE, or range= of @irmx.measure)."
    )


# -- providers of ir_measures ------------------------------------------------------------------------------------------


class ProviderBackend:
    """Measures that one evaluator of a provider of ir_measures computes, against judgments that are converted once."""

    def __init__(self, provider: Any, measures: list[ir_measures.Measure], judgments: Judgments) -> None:
        self.measures, self._provider, self._judgments = measures, provider, judgments
        self._lock = threading.Lock()  # nobody promises that the tools behind providers work in threads
        try:
            qrels = _qrels_for(provider.NAME, judgments)
        except DataError as error:
            raise error.of(f"{_names(measures)} cannot be computed: {error}") from None
        self._evaluator = self._call(lambda: provider.evaluator(measures, qrels))

    @property
    def provider_name(self) -> str:
        """The name of the provider."""
        return str(self._provider.NAME)

    def score(self, join: Join) -> ScoresByMeasure:
        """Return the scores; NaN for a topic for which the provider has no value."""
        try:
            run = ranked_run(join, keep_scores=self._provider.NAME not in DOMAINS)
        except DataError as error:
            raise error.of(f"{_names(self.measures)} cannot be computed: {error}") from None
        refuse_run(self.measures, self._provider.NAME, run)
        values = {m: np.full(len(self._judgments.topics), np.nan) for m in self.measures}
        with self._lock:
            metrics = self._call(lambda: list(self._evaluator.iter_calc(run)))
        for metric in metrics:
            of_measure = self._checked_measure(metric, values)
            topic = self._judgments.index.get(str(metric.query_id))
            if topic is None:
                continue
            if not math.isnan(of_measure[topic]) and of_measure[topic] != metric.value:
                raise self._wrong(metric, f"{of_measure[topic]} and {metric.value}")
            of_measure[topic] = metric.value
        return {measure: TopicScores(of_measure) for measure, of_measure in values.items()}

    def _call(self, call: Callable[[], Any]) -> Any:
        """Return what the provider returns; raise if it fails, in whatever way."""
        try:
            return call()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._failure(error) from error

    def _failure(self, error: BaseException) -> IrmxError:
        names, tool = _names(self.measures), self._provider
        if isinstance(error, MemoryError):
            return too_little_memory(f"{names}, computed by the provider {tool.NAME},", error)
        how = tool.install_instructions()
        return DataError(
            f"{names} cannot be computed: the provider {tool.NAME} failed with {text_of(error).rstrip('.')}."
            f"{f' If it is damaged or outdated: {how}.' if how else ''} Leave out the "
            f"{'measure' if len(self.measures) == 1 else 'measures'}, or choose another provider."
        )

    def _checked_measure(self, metric: Any, values: dict[ir_measures.Measure, Floats]) -> Floats:
        """Return the values of the measure of a metric; raise if it is no finite number of a measure that was asked for."""
        # that of cwl_eval is of its own class
        is_metric = all(hasattr(metric, name) for name in ("query_id", "measure", "value"))
        of_measure = values.get(metric.measure) if is_metric else None
        if of_measure is None:
            raise DataError(
                f"{_names(self.measures)} cannot be computed: the provider {self._provider.NAME} returned "
                f"{value_repr(metric)}, which is no value of such a measure. Leave out the measure, or choose another provider."
            )
        if not is_number(metric.value):
            raise self._wrong(metric, f"{value_repr(metric.value)}, which is not a real number,")
        if not math.isfinite(metric.value):
            raise self._wrong(metric, str(metric.value), ", which is usually one without a relevant document")
        return of_measure

    def _wrong(self, metric: ir_measures.Metric, what: str, why: str = "") -> DataError:
        return DataError(
            f"{metric.measure} cannot be computed: its provider {self._provider.NAME} returned {what} for query "
            f"{str(metric.query_id)!r}{why}. Leave out the query or the measure."
        )


def provided(
    measures: Sequence[ir_measures.Measure], judgments: Judgments, provider: Any = None
) -> list[ProviderBackend]:
    """Return the backends for measures that providers compute, by provider and setting, after all measures were checked."""
    asked = [_as_upstream(m) for m in measures]
    problems = [_why_not(m) for m in asked if provider is None and not ir_measures.DefaultPipeline.supports(m)]
    if problems:
        raise UsageError("\n".join(problems))
    by_provider: dict[Any, list[ir_measures.Measure]] = {}
    for m in asked:
        by_provider.setdefault(provider_of(m) if provider is None else provider, []).append(m)
    for tool, of_tool in by_provider.items():
        for m in of_tool:
            refuse_parameters(m, tool.NAME)
    groups: dict[Any, list[ir_measures.Measure]] = {}
    for tool, of_tool in by_provider.items():
        refuse_qrels(of_tool, tool.NAME, judgments)
        for m in of_tool:
            setting = repr([m.params.get(name) for name in domain_of(tool.NAME).apart])
            groups.setdefault((tool, setting), []).append(m)
    return [ProviderBackend(tool, of_group, judgments) for (tool, _), of_group in groups.items()]


def _qrels_for(provider: str, judgments: Judgments) -> Any:
    """Return the qrels in the form that a provider needs.

    Diversity measures read one row per subtopic and document, and no row without a document, on which pyndeval crashes; all
    others read one grade per document. Of several such rows, either would use the last.
    """
    if provider == "pyndeval":
        return judgments.rows_of_subtopics()
    qrels = judgments.as_dict()
    if provider != "pytrec_eval":
        return qrels
    # for a topic without a document of grade 0 or more, it reads memory that is not its own, and may crash
    none = {"(no document)": 0}
    return {topic: docs if max(docs.values(), default=-1) >= 0 else docs | none for topic, docs in qrels.items()}


def _names(measures: Iterable[ir_measures.Measure]) -> str:
    return ", ".join(map(str, measures))


def provider_of(measure: ir_measures.Measure) -> Any:
    """Return the provider that computes a measure by default; None if none does.

    >>> provider_of(ir_measures.AP).NAME, provider_of(ir_measures.AP(rel=2) @ 5).NAME
    ('pytrec_eval', 'pytrec_eval')
    """
    return next((p for p in ir_measures.DefaultPipeline.providers if p.supports(measure) and p.is_available()), None)


def provider_named(name: str, measures: list[ir_measures.Measure]) -> Any:
    """Return a provider by name; raise if it is not installed or does not compute all measures."""
    known = ir_measures.providers.registry
    if name not in known:
        raise UsageError(f"There is no provider {name!r}.{suggest(name, known)} Known: {', '.join(known)}.")
    provider = known[name]
    if not provider.is_available():
        raise UsageError(f"The provider {name} is not installed. To install: {provider.install_instructions()}.")
    for measure in measures:
        if not provider.supports(measure if name == "irmx" else _as_upstream(measure)):  # scorers take more
            raise UsageError(f"The provider {name} does not compute {measure}.")
    return provider


def not_installed(measure: ir_measures.Measure) -> str:
    """Return the provider that a measure needs, whatever its parameters, and how to install it; empty if it is installed.

    >>> not_installed(ir_measures.AP)
    ''
    """
    return _missing(lambda provider: any(measure.NAME == one.NAME for one in provider.SUPPORTED_MEASURES))


def _missing(computes: Callable[[Any], bool]) -> str:
    able = [provider for provider in ir_measures.DefaultPipeline.providers if computes(provider)]
    if any(provider.is_available() for provider in able):
        return ""
    return ", or ".join(f"{p.NAME}, which is not installed: {p.install_instructions()}" for p in able)


def _why_not(measure: ir_measures.Measure) -> str:
    """Return why no installed provider computes a measure."""
    if missing := _missing(lambda provider: provider.supports(measure)):
        return f"{measure} needs the provider {missing}.{without_gdeval([measure])}"
    if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
        binary = measure(rel=1)
        if any(provider.supports(binary) for provider in ir_measures.DefaultPipeline.providers):
            return (
                f"ir_measures does not compute {measure}. Without rel the measure is graded: every grade needs a gain between "
                "0 and 1, which none of the default providers of ir_measures takes. With rel it is binary: "
                f"{binary} gives a document of grade 1 or more the gain 1, and every other document 0."
            )
    return f"ir_measures does not compute {measure}: no provider supports it with these parameters."


def _as_upstream(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return a measure of ir_measures with floats where it has whole numbers for floats; a measure of irmx unchanged."""
    if isinstance(measure, Measure):
        return measure
    try:
        return ir_measures_measure(type(measure)(), dict(measure.params), for_scorer=False)
    except UsageError as error:
        raise UsageError(f"No provider of ir_measures computes {measure}: {error}") from None


RankedRun = dict[str, dict[str, float]]

_LARGEST = 1e300
"""Scores that are infinite in 32 bits become this large, so that larger and smaller floats remain."""


def ranked_run(join: Join, keep_scores: bool = False) -> RankedRun:
    """Return ``{query_id: {doc_id: score}}`` over the topics of a join, best document first, with strictly decreasing scores.

    Providers break ties in five ways: by the order of lines, by id in both directions, in 32 or in 64 bits. Without ties, all rank
    alike. The result is kept with the join. With ``keep_scores`` the scores are those of the run, except where they are equal in
    32 bits; by default they are whole numbers: the number of documents at the first rank, 1 at the last.

    >>> import irmx
    >>> join = irmx.Join(irmx.read_run({"q": {"a": 0.5, "b": 0.5, "c": 2.5}}), irmx.read_qrels({"q": {"a": 1}}))
    >>> ranked_run(join), ranked_run(join, keep_scores=True)
    ({'q': {'c': 3.0, 'b': 2.0, 'a': 1.0}}, {'q': {'c': 2.5, 'b': 0.5, 'a': 0.4999999999999999}})
    """
    return join.memo(("ranked run", keep_scores), lambda: _ranked_run(join, keep_scores))


def _ranked_run(join: Join, keep_scores: bool) -> RankedRun:
    rows, offsets = join.ranked_rows("trec"), offsets_of(join.depth)
    docs, ends, deepest = join.doc_ids(rows), offsets.tolist(), int(join.depth.max(initial=0))
    check_texts("run", "doc_id", docs)  # those of a dict, at which nothing else has looked
    check_texts("run", "query_id", join.run.topics)
    scores = _without_ties(join, rows, offsets).tolist() if keep_scores else [float(n) for n in range(deepest, 0, -1)]
    return {
        join.run.topics[in_run]: dict(
            zip(docs[a:b], scores[a:b] if keep_scores else scores[deepest - (b - a) :], strict=True)
        )
        for (in_run, _), a, b in zip(join.pairs, ends, ends[1:], strict=False)
    }


def _without_ties(join: Join, rows: Ints, offsets: Ints) -> Floats:
    """Return the scores of ranked rows, where those that are equal in 32 bits decrease by one 64-bit float after the other.

    Between two neighbouring 32-bit floats there are 2^29 floats of 64 bits, more than a topic has documents.
    """
    topic, compared = segment_of(offsets), join.comparable_scores()[rows]
    tied = np.append(False, (compared[1:] == compared[:-1]) & (topic[1:] == topic[:-1]))
    row = np.arange(len(rows))
    place = row - np.maximum.accumulate(np.where(tied, 0, row))
    in_tie = tied | np.append(tied[1:], False)
    score = np.clip(compared.astype(np.float64), -_LARGEST, _LARGEST)
    return np.where(in_tie, score - place * np.spacing(np.abs(score)), join.run.score[rows])
