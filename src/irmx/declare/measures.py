"""The base class of measures: parameters, columns, metadata, and the three ways to define the score."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import ir_measures
import numpy as np

from irmx.declare.citation import Citation, citations_of
from irmx.declare.columns import Column
from irmx.declare.common_params import Mean, MeanOfDefined, common_value
from irmx.declare.drawn_contributions import draw_contributions
from irmx.declare.formula import Formula
from irmx.declare.markup_html import described
from irmx.declare.measure_failures import value_of_topic
from irmx.declare.parameter_help import ParameterDoc, ParameterSignature
from irmx.declare.params import Param, check_params, refuse_unknown
from irmx.declare.symbols import params_text
from irmx.errors import PluginError, UsageError
from irmx.registry import registry

if TYPE_CHECKING:
    from irmx.rank.rankings import Ranking, Rankings
    from irmx.score.topic_scores import TopicScores

    if sys.version_info >= (3, 11):
        from typing import Self
    else:
        from typing_extensions import Self


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
        non-relevant, or all relevant. Additive: besides, each adds a number that depends on its rank alone.
    DEFAULT : float
        The value of a topic for which the run has no documents; in ``RANGE``.
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
