"""The base class of measures: parameters, columns, metadata, and the three ways to define the score."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

import ir_measures
import numpy as np

from irmx.declare.columns import Column, params_text
from irmx.declare.described import Citation, Formula, ParameterDoc, ParameterSignature, citations_of, described
from irmx.declare.measure_failures import measure_text, value_of_topic
from irmx.declare.params import Mean, MeanOfDefined, Param, check_params, common_value, problem_of_param, refuse_unknown
from irmx.errors import DataError, IrmxError, PluginError, UsageError, failure_of
from irmx.registry import registry
from irmx.text import value_repr, visible

if TYPE_CHECKING:
    from irmx.data.judgments import Judgments
    from irmx.ragged import Floats
    from irmx.rank.rankings import Ranking, Rankings
    from irmx.score.topic_scores import TopicScores

    if sys.version_info >= (3, 11):
        from typing import Self
    else:
        from typing_extensions import Self


# -- the picture of a measure's user by default ----------------------------------------------------------------------


_LONGEST = 36


def picture_text(name: Any, width: int | None = None) -> str:
    r"""Return a name as text of a picture: visible, with no formulas, and as short as there is room for.

    Parameters
    ----------
    name : any
        The name, such as that of a run, a topic or a measure.
    width : int, optional
        The number of characters of a line, for a text of up to 3 lines that end after a comma where possible; by default one line,
        shortened in the middle to 36 characters.

    Examples
    --------
    >>> import irmx
    >>> print(irmx.toolkit.picture_text("price $5$"))
    price \$5\$
    >>> irmx.toolkit.picture_text("MP(model=GL_AD_LID,rescale='recall')", width=24)
    "MP(model=GL_AD_LID,\nrescale='recall')"
    """
    text = visible(str(name))
    if width is not None:
        text = "\n".join(textwrap.wrap(text.replace(",", ", "), width, max_lines=3, placeholder="…")).replace(", ", ",")
    elif len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"
    return text.replace("$", r"\$")


_ROWS = 25
"""Of a table, so many rows are drawn, those that contribute most."""

_FEW_RANKS = 60
"""How many ranks have bars; more have lines, over the logarithm of the rank."""


class NothingToDrawError(DataError):
    """No document contributes to the score of the topic."""


def draw_contributions(columns: Mapping[str, Any], rankings: Rankings, ax: Any) -> None:
    """Draw the columns that :meth:`irmx.Measure.contributions` returns for one topic."""
    is_over_ranks = "doc_id" not in columns
    # rows of their own may be of a run with repeated documents, which has no ranking
    ranks = np.asarray((columns.get("documents") or rankings.relevant).rank if is_over_ranks else ())
    count = len(ranks if is_over_ranks else columns["doc_id"])
    if np.shape(columns.get("contribution", ())) != (count,) or not count:
        raise NothingToDrawError(
            f"There is nothing to draw for topic {rankings.topics[0]!r}: no document of the run contributes to the score."
        )
    if is_over_ranks:
        _draw_over_ranks(ranks, columns, rankings, ax)
    else:
        _draw_rows(columns, ax)


def _draw_over_ranks(ranks: Any, columns: Mapping[str, Any], rankings: Rankings, ax: Any) -> None:
    """Draw the contribution of the document at each rank, as a part of its weight where it is one."""
    contribution, weight = np.asarray(columns["contribution"], dtype=float), columns.get("weight")
    last = max(ranks.max(), *rankings.relevant.rank.tolist(), 1)
    if weight is not None and np.all(np.asarray(weight) >= contribution - 1e-12):
        _bars(ax, ranks, np.asarray(weight), last, "weight", color="white", edgecolor="C0")
    _bars(ax, ranks, contribution, last, "contribution", color="C0", edgecolor="C0")
    relevant = rankings.relevant.rank
    ax.plot(
        relevant, np.full(len(relevant), -0.035), "^", color="C1", markersize=5 if last <= _FEW_RANKS else 3, clip_on=False,
        transform=ax.get_xaxis_transform(), label="relevant document",
    )  # fmt: skip
    ax.axhline(0, color="black", linewidth=0.8)
    if last > _FEW_RANKS:
        ax.set_xscale("log")
        ax.set_xlim(0.9, last * 1.1)
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.set_xlim(0.3, last + 0.7)
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.tick_params(axis="x", pad=8)
    ax.ticklabel_format(axis="y", style="plain", useOffset=False)
    ax.set_xlabel("rank")
    ax.set_ylabel("contribution to the score")


def _bars(ax: Any, x: Any, height: Any, last: int, label: str, **colours: str) -> None:
    """Draw bars up to a last rank; lines if there are many ranks, of which empty ones end in a ring."""
    if last <= _FEW_RANKS:
        ax.bar(x, height, width=0.8, linewidth=1, label=label, **colours)
        return
    is_empty = colours["color"] == "white"
    ax.vlines(x, 0, height, color=colours["edgecolor"], linewidth=0.7 if is_empty else 1.8)
    ax.plot(x, height, "o", markersize=3, label=label, color=colours["edgecolor"], markerfacecolor=colours["color"])


def _draw_rows(columns: Mapping[str, Any], ax: Any) -> None:
    """Draw the contributions of the rows of a table that is not over ranks, the largest on top."""
    contribution = np.asarray(columns["contribution"], dtype=float)
    order = np.argsort(-np.abs(contribution), kind="stable")
    shown, rest = order[:_ROWS], order[_ROWS:]
    names = [name for name, values in columns.items() if isinstance(np.asarray(values)[0], (str, np.integer))]
    labels = [", ".join(picture_text(np.asarray(columns[name])[i]) for name in names[:3]) for i in shown.tolist()]
    heights = contribution[shown].tolist()
    if len(rest):
        labels.append(f"{len(rest)} others together")
        heights.append(float(contribution[rest].sum()))
    places = np.arange(len(heights))
    ax.barh(places, heights, height=0.7, color="C0")
    ax.set_yticks(places, [picture_text(label.replace(r"\$", "$")) for label in labels])
    ax.set_ylim(len(heights) - 0.4, -0.6)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel("contribution to the score")
    ax.set_ylabel(", ".join(names[:3]))


# -- the base class of measures --------------------------------------------------------------------------------------


class Measure(ir_measures.Measure):
    """A measure: its name, its parameters, the columns it reads, and how it scores.

    A plugin subclasses it, sets the class attributes, defines one of :meth:`contributions` (what each relevant document
    adds), :meth:`score_topic` (the score of one topic) and :meth:`score` (the scores of all topics), and registers an
    instance through the hook ``irmx_measures``.
    Instances behave like those of ir_measures: ``MP(model=GL_AD_ID)@100`` is a new instance.

    Attributes
    ----------
    NAME : str
        The name in expressions.
    ALIASES : tuple of str
        Other names for it in expressions; it is printed as ``NAME``.
    PRETTY_NAME, SHORT_DESC : str
        The name written out, and a description in one sentence.
    FORMULA : Formula or None
        The formula and the meanings of its symbols, for help, documentation, notebooks and reports.
    SUPPORTED_PARAMS : dict of str to Param
        The declared parameters; take the common ones from :data:`COMMON_PARAMS`.
    RUN_COLUMNS, QREL_COLUMNS : tuple of Column
        The columns it reads in addition to those that every run and qrels table has.
        Override :meth:`run_columns` or :meth:`qrel_columns` if they depend on parameters.
    RANGE : tuple of float
        The smallest and the largest value it can take; None or an infinite number where there is no bound. A value outside it
        is an error.
    MONOTONE : bool
        Whether replacing a non-relevant document by a relevant one, with the same score and run columns, never
        lowers the value, whatever the parameters.
    LESS_IS_BETTER : bool
        Whether smaller values are better, as those of costs: ranks, wins, marks of comparisons follow it.
    UNJUDGED : {"", "bounded", "additive"}
        What grades of unjudged documents can do. Bounded: no grades give a value outside those in which all of them are
        non-relevant, or all relevant. Additive: besides, each adds a number that depends on its rank alone. A measure that
        assumes something about what nobody judged, such as a sentence, has a parameter ``unjudged``, whose other values
        are a doubt about a conclusion.
    DEFAULT : float
        The value of a topic for which the run has no documents; in ``RANGE``. If it depends on the topic, define :meth:`of_missing`.
    DOCS_MAY_REPEAT : bool
        Whether a document may occur more than once in the run of a topic, such as an update of a stream that is emitted again.
        Such a run is otherwise refused. Its rows are in ``rankings.run_rows``; there is no ranking of repeated documents.
    CITATIONS : tuple of Citation or str
        The publications to cite; a text is a BibTeX entry.
    EXAMPLES : tuple of str
        Example expressions; those whose columns the demo collection has are part of ``irmx demo``.
    SHARED_PARAMS : tuple of str
        Parameters whose settings share one computation in :meth:`score_prepared`.
    """

    SUPPORTED_PARAMS: dict[str, Any] = {}
    ALIASES: ClassVar[tuple[str, ...]] = ()
    PRETTY_NAME: ClassVar[str] = ""
    SHORT_DESC: ClassVar[str] = ""
    FORMULA: Formula | None = None
    RUN_COLUMNS: ClassVar[tuple[Column, ...]] = ()
    QREL_COLUMNS: ClassVar[tuple[Column, ...]] = ()
    RANGE: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    MONOTONE: ClassVar[bool] = True
    DOCS_MAY_REPEAT: ClassVar[bool] = False
    LESS_IS_BETTER: ClassVar[bool] = False
    UNJUDGED: str = ""
    CITATIONS: ClassVar[tuple[Citation | str, ...]] = ()
    EXAMPLES: ClassVar[tuple[str, ...]] = ()
    SHARED_PARAMS: ClassVar[tuple[str, ...]] = ()

    params: dict[str, Any]

    __signature__ = ParameterSignature()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = ParameterDoc(cls.__doc__)  # type: ignore[assignment]

    def __init__(self, **params: Any) -> None:
        super().__init__(**check_params(params, self.SUPPORTED_PARAMS, str(self.NAME)))
        self._text: str | None = None

    @property
    def __name__(self) -> str:
        return str(self.NAME)

    # -- scoring -----------------------------------------------------------------------------------------

    def score(self, rankings: Rankings) -> np.ndarray[Any, np.dtype[np.float64]] | TopicScores:
        """Return one value per topic of ``rankings``.

        By default the values of :meth:`score_topic`, if the measure defines it, and otherwise, for each topic, the sum of
        the column ``contribution`` of :meth:`contributions`. A measure with further fields per topic, such as a
        standard error, returns :class:`irmx.TopicScores`.

        The host has already applied the common parameters: ranks are those of the ranking to be
        scored, and ``rankings.relevant`` holds the documents that count as relevant.

        Raises
        ------
        irmx.errors.PluginError
            If the measure defines none of the three, or its contributions are not one number per relevant document.
        """
        if type(self).score_topic is not Measure.score_topic:
            return np.array(
                [value_of_topic(self, one.query_id, partial(self.score_topic, one)) for one in rankings], dtype=float
            )
        if type(self).contributions is Measure.contributions:
            raise PluginError(f"{self.NAME} defines none of contributions, score_topic and score.")
        return sums_by_topic(self, rankings, self.contributions(rankings))

    def score_topic(self, ranking: Ranking) -> float:
        """Return the value of one topic; the host calls it for every topic."""
        raise NotImplementedError

    def contributions(self, rankings: Rankings) -> Mapping[str, Any]:
        """Return columns over ``rankings.relevant``, which :func:`irmx.explain` shows.

        One of the columns is ``contribution``; within a topic it adds up to the score. If the score consists of other
        documents of the ranking, these :class:`irmx.Rows` are returned as ``documents``, and the columns are over them. If it
        does not consist of documents at ranks, the columns are a table specific to the measure, with a ``doc_id``. Such
        measures also define :meth:`score` or :meth:`score_topic`.

        Examples
        --------
        >>> import irmx
        >>> class HalfAtEachRank(irmx.Measure):
        ...     SHORT_DESC = "The sum of 1/2^rank over the relevant documents."
        ...     NAME = "HalfAtEachRank"
        ...     def contributions(self, rankings):
        ...         return {"contribution": 0.5**rankings.relevant.rank}
        >>> HalfAtEachRank().calc_aggregate({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
        0.625
        """
        raise UsageError(f"{self.NAME} does not break its score down by document; there is nothing to explain.")

    def of_missing(self, judgments: Judgments) -> float | Floats:
        """Return the value of topics for which a run has no documents: one for all, or an array of one per topic of the judgments.

        By default ``DEFAULT``. A measure that defines this says that to return nothing is an answer: such a topic is not missing, no
        warning counts it, and an empty run is a run. It prepares nothing for sweeps.

        Examples
        --------
        >>> import irmx
        >>> class Quiet(irmx.Measure):
        ...     SHORT_DESC = "Whether the run returns something if and only if a document is relevant."
        ...     NAME = "Quiet"
        ...     def score(self, rankings):
        ...         return rankings.recall_base > 0
        ...     def of_missing(self, judgments):
        ...         return judgments.without_relevant(1)
        >>> irmx.calc([Quiet()], {"q": {"a": 1}, "r": {"a": 0}, "s": {"a": 1}}, {"q": {"a": 1.0}}).per_query
        [Metric(query_id='q', measure=Quiet, value=1.0), Metric(query_id='r', measure=Quiet, value=1.0), Metric(query_id='s', measure=Quiet, value=0.0)]
        """
        return self.DEFAULT

    def draw_user(self, rankings: Rankings, ax: Any) -> None:
        """Draw the user of this measure on one topic; :func:`irmx.plot` and ``irmx plot`` call it.

        By default the contribution of each document, as a part of its weight if :meth:`contributions` has a column
        ``weight``. A measure with another picture of its user draws it here, with the methods of the axes; the colours ``"C0"``
        to ``"C6"`` are those of all pictures, and :func:`irmx.toolkit.picture_text` makes texts of names.

        Parameters
        ----------
        rankings : Rankings
            The ranking of the topic.
        ax : matplotlib.axes.Axes
            Where to draw. The title, and a legend of what has a label, are added by the host. A picture with an inverted y-axis
            is a list; it gets the height that its entries need.

        Raises
        ------
        irmx.errors.UsageError
            If there is nothing to draw.
        """
        draw_contributions(self.contributions(rankings), rankings, ax)

    # -- sweeps over many settings -----------------------------------------------------------------------

    def preparation(self) -> Hashable | None:
        """Return the parameters of this instance that :meth:`prepare` depends on; None for a measure that does not prepare.

        A measure whose settings share much work, such as a simulation, defines this, :meth:`prepare` and
        :meth:`score_prepared`; sweeps then use these methods instead of :meth:`score`.
        """
        return None

    def prepare(self, rankings: Rankings) -> Any:
        """Return the data of a run that scoring needs: small, picklable, and the same for all settings of one preparation."""
        raise NotImplementedError

    @classmethod
    def score_prepared(cls, prepared: Sequence[Any], settings: Sequence[Self]) -> list[list[TopicScores]]:
        """Return the scores of several runs (outer list) in several settings (inner list).

        The settings differ only in the parameters of ``SHARED_PARAMS``; the values are those of :meth:`score`.
        """
        raise NotImplementedError

    # -- what it reads -----------------------------------------------------------------------------------

    def run_columns(self) -> tuple[Column, ...]:
        """Return the extra run columns that this instance reads."""
        return self.RUN_COLUMNS

    def qrel_columns(self) -> tuple[Column, ...]:
        """Return the extra qrels columns that this instance reads."""
        return self.QREL_COLUMNS

    def citations(self) -> tuple[Citation, ...]:
        """Return the publications to cite for this instance."""
        return citations_of(self.CITATIONS)

    # -- the habits of ir_measures -----------------------------------------------------------------------

    def missing_params(self) -> list[str]:
        """Return the required parameters that have no value yet."""
        return [k for k, p in self.SUPPORTED_PARAMS.items() if p.required and k not in self.params]

    def validate_params(self) -> None:
        """Raise :class:`irmx.errors.UsageError` if a required parameter is missing."""
        for name in self.missing_params():
            param = self.SUPPORTED_PARAMS[name]
            values = symbol_names(param) or [repr(c) for c in param.allowed or ()]
            example = f", such as {self.NAME}({name}={values[0]})" if values else ""
            listed = f" It is one of {', '.join(values)}." if values else ""
            raise UsageError(f"{self.NAME} needs the parameter {name!r} ({param.desc}){example}.{listed}")

    def __getitem__(self, key: str) -> Any:
        """Return the value of a parameter, or its default; None if it has neither.

        Raises
        ------
        irmx.errors.UnknownNameError
            For a parameter that the measure does not declare.
        """
        if type(key) is not str or key not in self.SUPPORTED_PARAMS:
            refuse_unknown([str(key)], self.SUPPORTED_PARAMS, str(self.NAME))
        param = self.SUPPORTED_PARAMS[key]
        return self.params.get(key, param.default if param.has_default else None)

    def __repr__(self) -> str:
        if self._text is None:
            shown = {
                k: v
                for k, v in self.params.items()
                if k != self.AT_PARAM
                and not (self.SUPPORTED_PARAMS[k].has_default and v == self.SUPPORTED_PARAMS[k].default)
            }
            at = f"@{self.params[self.AT_PARAM]}" if self.params.get(self.AT_PARAM) is not None else ""
            self._text = f"{self.NAME}{params_text(shown)}{at}"
        return self._text

    def _repr_html_(self) -> str:
        return described(repr(self), self, f"{self.PRETTY_NAME}. {self.SHORT_DESC}", self.citations())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ir_measures.Measure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def aggregator(self) -> Any:
        """Return the mean over topics, without those that ``no_relevant='nan'`` gives the value NaN."""
        return MeanOfDefined() if common_value(self, "no_relevant") == "nan" else Mean()


def sums_by_topic(
    measure: Measure, rankings: Rankings, contributions: Mapping[str, Any]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the sum of the contributions of the relevant documents of every topic."""
    if not isinstance(contributions, Mapping):
        raise PluginError(
            f"The contributions of {measure.NAME} must be a dict of columns, such as {{'contribution': values}}. "
            f"They are of type {type(contributions).__name__}."
        )
    topic, contribution = rankings.relevant.topic, contributions.get("contribution")
    if contribution is None or np.shape(contribution) != topic.shape:
        what = "none" if contribution is None else f"one of shape {np.shape(contribution)}"
        raise PluginError(
            f"{measure.NAME} defines no score, so its contributions must have a column 'contribution' with one number per "
            f"relevant document retrieved, of which there are {len(topic)}. It has {what}."
        )
    return rankings.relevant.sum(contribution)


def symbol_names(param: Param) -> list[str]:
    """Return the names of the registered named objects that a parameter accepts."""
    return list(registry().symbols(param.kind)) if param.kind else []


# -- checks of what the class of a measure declares, on which scoring, help and listings rely ------------------------


_sound: WeakSet[type] = WeakSet()


def bounds(values: Any) -> tuple[float, float]:
    """Return the two ends of the RANGE of a measure; an end that is None is open.

    >>> bounds((0, None)), bounds((0.0, 1.0))
    ((0.0, inf), (0.0, 1.0))
    """
    low, high = values
    return -math.inf if low is None else float(low), math.inf if high is None else float(high)


def refuse_broken(measure: Measure) -> None:
    """Raise if the class of a measure that a user made declares what it must not; a class is checked once."""
    if type(measure) not in _sound:
        for problem in problems_of_class(measure):
            raise PluginError(f"The measure {measure_text(measure)} {problem}")
        _sound.add(type(measure))
    if problem := _problem_of_text(measure):
        raise PluginError(f"The measure {measure.NAME} {problem}")


def problems(measure: Measure) -> Iterator[str]:
    """Yield what a measure declares wrongly, or what of it fails, as sentences without their subject, the measure."""
    yield from problems_of_class(measure)
    if problem := _problem_of_text(measure):
        yield problem
    if not measure.missing_params():
        for method, table in (("run_columns", "run"), ("qrel_columns", "qrels")):
            columns, problem = _result(measure, method)
            yield from [problem] if problem else _of_columns(columns, f"what {method}() returns", table)
    cited, problem = _result(measure, "citations")
    if problem:
        yield problem
    elif not isinstance(cited, tuple) or not all(isinstance(one, Citation) for one in cited):
        yield f"has citations() that return {value_repr(cited)}; a tuple of irmx.Citation is expected."
    aggregator, problem = _result(measure, "aggregator")
    if problem or not (hasattr(aggregator, "add") and hasattr(aggregator, "result")):
        yield problem or f"has an aggregator() that returns {value_repr(aggregator)}; an ir_measures.Agg is expected."


def _are_texts(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(one, str) for one in value)


_DECLARATIONS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    *((name, lambda value: isinstance(value, str), "a text") for name in ("PRETTY_NAME", "SHORT_DESC")),
    *((name, _are_texts, "a tuple of texts") for name in ("ALIASES", "EXAMPLES", "SHARED_PARAMS")),
    *(
        (name, lambda value: isinstance(value, bool), "True or False")
        for name in ("MONOTONE", "DOCS_MAY_REPEAT", "LESS_IS_BETTER")
    ),
    ("UNJUDGED", lambda value: value in ("", "bounded", "additive"), "'', 'bounded' or 'additive'"),
    ("FORMULA", lambda value: value is None or isinstance(value, Formula), "an irmx.Formula"),
    (
        "CITATIONS",
        lambda value: isinstance(value, (tuple, list)) and all(isinstance(one, (Citation, str)) for one in value),
        "a tuple of irmx.Citation or of BibTeX entries",
    ),
)
"""What a class declares: the attribute, whether a value will do, and what is expected."""


def problems_of_class(measure: Measure) -> Iterator[str]:
    """Yield what the class of a measure declares wrongly, as sentences without their subject, the measure."""
    yield from _of_range(measure)
    yield from _of_params(measure)
    for name, is_right, expected in _DECLARATIONS:
        if not is_right(getattr(measure, name)):
            yield f"declares {name} = {value_repr(getattr(measure, name))}; {expected} is expected."
        elif name == "CITATIONS":
            try:
                citations_of(measure.CITATIONS)
            except IrmxError as error:
                yield f"cannot be cited: {error}"
    if takes_silence(measure) and type(measure).prepare is not Measure.prepare:
        yield "defines both of_missing and prepare, which has no judgments."
    for name, table in (("RUN_COLUMNS", "run"), ("QREL_COLUMNS", "qrels")):
        yield from _of_columns(getattr(measure, name), name, table)


def _of_range(measure: Measure) -> Iterator[str]:
    values: Any = measure.RANGE
    low, high = math.inf, -math.inf
    if isinstance(values, (tuple, list)) and len(values) == 2 and all(one is None or _is_real(one) for one in values):
        low, high = bounds(values)
    if not low <= high:
        yield (
            f"declares RANGE = {value_repr(values)}; its smallest and its largest value are expected, such as (0, 1) or "
            "(0, math.inf)."
        )
    default: Any = measure.DEFAULT
    if not _is_real(default) or not math.isfinite(default):
        yield (
            f"declares DEFAULT = {value_repr(default)}; the value of a topic without documents is expected, a finite "
            "number."
        )
    elif low <= high and not low <= default <= high:
        yield (
            f"declares DEFAULT = {default:g}, the value of a topic without documents, which is outside its RANGE "
            f"[{low:g}, {high:g}]."
        )


def takes_silence(measure: ir_measures.Measure) -> bool:
    """Tell whether a measure has a value of its own for topics for which a run has no documents."""
    return isinstance(measure, Measure) and type(measure).of_missing is not Measure.of_missing


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _of_params(measure: Measure) -> Iterator[str]:
    declared: Any = measure.SUPPORTED_PARAMS
    if not isinstance(declared, dict):
        yield f"declares SUPPORTED_PARAMS = {value_repr(declared)}; a dict of irmx.Param by name is expected."
        return
    for name, param in declared.items():
        if not isinstance(name, str) or not name.isidentifier():
            yield f"declares a parameter named {name!r}; in an expression only letters, digits and _ can be read as a name."
        elif not isinstance(param, Param):
            yield f"declares the parameter {name!r} as {type(param).__name__}, not an irmx.Param."
        elif problem := problem_of_param(param, name):
            yield f"declares the parameter {name!r} wrongly: {problem}"


def _of_columns(columns: Any, where: str, table: str) -> Iterator[str]:
    if not isinstance(columns, (tuple, list)):
        yield f"has {value_repr(columns)} as {where}; a tuple of irmx.Column is expected."
        return
    for column in columns:
        if not isinstance(column, Column) or column.table != table:
            yield f"has {value_repr(column)} in {where}, which is not an irmx.Column({table!r}, ...)."


def _problem_of_text(measure: Measure) -> str:
    return _result(measure, "__repr__")[1]


def _result(measure: Measure, method: str) -> tuple[Any, str]:
    """Return what a method of a measure returns, and what went wrong, empty if nothing did."""
    call: Callable[[], Any] = getattr(measure, method) if method != "__repr__" else lambda: repr(measure)
    try:
        return call(), ""
    except KeyboardInterrupt:
        raise
    except IrmxError as error:
        return None, f"{'cannot be cited' if method == 'citations' else f'fails in {method}()'}: {error}"
    except BaseException as error:
        told = failure_of(f"fails in {method}(): it", error, "", type(measure).__module__)
        return None, str(told)
