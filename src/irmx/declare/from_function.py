"""The simplest way to a measure: a function that scores one topic, or all at once, with a decorator before it."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from importlib import import_module
from inspect import cleandoc, getsource
from keyword import iskeyword
from numbers import Real
from types import CodeType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, SupportsFloat, overload

import numpy as np

from irmx.declare.citation import Citation, citations_of
from irmx.declare.columns import Column
from irmx.declare.measures import COMMON_PARAMS, Measure, sums_by_topic
from irmx.declare.signatures import params_of
from irmx.errors import IrmxError, PluginError, UsageError, failure_of
from irmx.registry import in_plugin, registry

if TYPE_CHECKING:
    from typing import Concatenate

    from irmx.ragged import Array
    from irmx.rank.ranking import Ranking
    from irmx.rank.rankings import Rankings
    from irmx.score.topic_scores import TopicScores

    OfTopic = Callable[Concatenate[Ranking, ...], SupportsFloat]
    OfTopics = Callable[Concatenate[Rankings, ...], Array | TopicScores | Mapping[str, Any]]

_CLASS = ".__class__"


class _OfFunction(type):
    """The type of the classes of decorated measures.

    In the module stands the measure, not its class, so the class is pickled by the name of the measure.
    """


class FunctionMeasure(Measure, metaclass=_OfFunction):
    """A measure whose scores a function gives; made by :func:`irmx.measure`."""

    _function: ClassVar[Callable[..., Any]]
    _arguments: ClassVar[tuple[str, ...]] = ()
    _batch: ClassVar[bool] = False

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            return type(self)._function
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def source(self) -> str:
        """The text of the function, or its bytecode where there is no text; a sweep of another one is another sweep."""
        try:
            return getsource(self._function)
        except OSError:
            return _bytecode(self._function.__code__)

    def _given(self) -> dict[str, Any]:
        return {name: self[name] for name in self._arguments}

    def score(self, rankings: Rankings) -> Array | TopicScores:
        """Return what the function gives for all topics, or for one after the other; the sums of what documents add."""
        if not self._batch:
            return super().score(rankings)
        answer: Array | TopicScores | Mapping[str, Any] = self._function(rankings, **self._given())
        return sums_by_topic(self, rankings, answer) if isinstance(answer, Mapping) else answer

    def contributions(self, rankings: Rankings) -> Mapping[str, Any]:
        """Return what documents add, where the function gives that."""
        answer = self._function(rankings, **self._given()) if self._batch else None
        return answer if isinstance(answer, Mapping) else super().contributions(rankings)

    def score_topic(self, ranking: Ranking) -> float:
        """Return what the function gives for a topic, as a float; what goes wrong names the topic."""
        try:
            value = self._function(ranking, **self._given())
        except IrmxError:
            raise
        except Exception as error:
            raise failure_of(f"The measure {self}", error, f" for query {ranking.query_id}") from error
        if not hasattr(value, "__float__") or np.ndim(value):
            raise PluginError(f"The measure {self} must return a number for query {ranking.query_id}. Got {value!r}.")
        return float(value)


@overload
def measure(function: OfTopic, /) -> Measure: ...
@overload
def measure(
    *,
    name: str = ...,
    pretty_name: str = ...,
    columns: Sequence[Column] = ...,
    range: tuple[float, float] = ...,
    monotone: bool = ...,
    default: float = ...,
    docs_may_repeat: bool = ...,
    cite: Citation | str | Sequence[Citation | str] = ...,
    examples: str | Sequence[str] = ...,
    batch: Literal[False] = ...,
) -> Callable[[OfTopic], Measure]: ...
@overload
def measure(
    *,
    name: str = ...,
    pretty_name: str = ...,
    columns: Sequence[Column] = ...,
    range: tuple[float, float] = ...,
    monotone: bool = ...,
    default: float = ...,
    docs_may_repeat: bool = ...,
    cite: Citation | str | Sequence[Citation | str] = ...,
    examples: str | Sequence[str] = ...,
    batch: Literal[True],
) -> Callable[[OfTopics], Measure]: ...
def measure(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    pretty_name: str = "",
    columns: Sequence[Column] = (),
    range: tuple[float, float] = (0.0, 1.0),
    monotone: bool = True,
    default: float = 0.0,
    docs_may_repeat: bool = False,
    cite: Citation | str | Sequence[Citation | str] = (),
    examples: str | Sequence[str] = (),
    batch: bool = False,
) -> Measure | Callable[..., Measure]:
    """Make a measure of a function: ``@irmx.measure``, or ``@irmx.measure(columns=[...])``, before its ``def``.

    The function gets one topic's :class:`irmx.Ranking` and returns a number. Its name is that of the measure, the first
    paragraph of its docstring says what it is, and its keyword-only arguments are the parameters: annotated as ``int``,
    ``float``, ``bool``, ``str``, ``list``, ``Literal[...]``, ``irmx.number``, ``irmx.duration``, or one of these with None;
    ``Annotated[int, "what it means"]`` describes it, ``Annotated[int, irmx.Param(int, "what it means", low=1)]`` gives its
    range, too. An argument without a default is a required parameter.

    All of :data:`irmx.COMMON_PARAMS` are there by themselves: the host has carried them out when the function is called.
    A keyword-only argument with one of their names gets the value, and its default becomes the measure's.

    The measure is known by its name at once; in the package that the entry point of a plugin names, its hook does that. A
    function that is defined again at the same place, as in a notebook, takes the place of the earlier one.

    Parameters
    ----------
    name : str
        The name of the measure, where it is not that of the function.
    pretty_name : str
        The name written out.
    columns : sequence of Column
        The columns that it reads, beyond those of every run and qrels.
    range : tuple of float
        The smallest and the largest value.
    monotone : bool
        Whether a relevant document in the place of a non-relevant one never lowers the value.
    default : float
        The value of a topic that the run has no documents for.
    docs_may_repeat : bool
        Whether a document may stand more than once in the run of a topic; see :class:`irmx.Measure`.
    cite : Citation, str or sequence of them
        What to cite; a text is a BibTeX entry.
    examples : str or sequence of str
        Expressions to show; by default its name, where it has no required parameter.
    batch : bool
        Whether the function gets the :class:`irmx.Rankings` of all topics. It returns a value for each of them, as an array or
        :class:`irmx.TopicScores`; or, as :meth:`irmx.Measure.contributions`, what each relevant document adds.

    Returns
    -------
    Measure
        An instance; the function is its ``__wrapped__``. It can be pickled where its function stands at the top of a
        module, and goes to the processes of joblib from a script, a notebook or a function, too.

    Raises
    ------
    irmx.errors.UsageError
        For a name that another measure, or a named object such as a user model, has; for a signature that does not say what a
        parameter is; and for an option of another kind.

    Examples
    --------
    >>> import irmx
    >>> @irmx.measure
    ... def Enough(ranking: irmx.Ranking, *, k: int = 1) -> float:
    ...     '''Whether at least k relevant documents are retrieved.'''
    ...     return len(ranking.relevant) >= k
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate([Enough, Enough(k=2)@2, "Enough(k=2)@3"], qrels, run)
    {Enough: 1.0, Enough(k=2)@2: 0.0, Enough(k=2)@3: 1.0}
    """
    cited = [cite] if isinstance(cite, (Citation, str)) else cite
    for what, kind, given in (("columns", Column, columns), ("cite", Citation, cited)):
        kinds = (kind, str) if kind is Citation else kind
        if not isinstance(given, (list, tuple)) or not all(isinstance(one, kinds) for one in given):
            raise UsageError(f"The {what} of a measure are irmx.{kind.__name__} objects. Got {given!r} instead.")
    shown = [examples] if isinstance(examples, str) else examples
    _refuse_no_range(range, default)

    def decorate(function: Callable[..., Any]) -> Measure:
        arguments, params = params_of(function, COMMON_PARAMS)
        known_as = name or function.__name__
        _refuse_no_name(known_as)
        module, doc = function.__module__ or "__main__", cleandoc(function.__doc__ or "")
        required = any(p.required for p in params.values())
        made = _OfFunction(
            function.__name__,
            (FunctionMeasure,),
            {
                "__doc__": doc,
                "__module__": module,
                "__qualname__": function.__qualname__ + _CLASS,
                "NAME": known_as,
                "PRETTY_NAME": pretty_name or known_as,
                "SHORT_DESC": " ".join(doc.partition("\n\n")[0].split()),
                "SUPPORTED_PARAMS": params,
                "RUN_COLUMNS": tuple(c for c in columns if c.table == "run"),
                "QREL_COLUMNS": tuple(c for c in columns if c.table == "qrels"),
                "RANGE": range,
                "MONOTONE": monotone,
                "DEFAULT": default,
                "DOCS_MAY_REPEAT": docs_may_repeat,
                "CITATIONS": citations_of(cited),
                "EXAMPLES": tuple(shown) or (() if required else (known_as,)),
                "_function": staticmethod(function),
                "_arguments": arguments,
                "_batch": batch,
            },
        )
        measure: Measure = made()
        if not in_plugin(module):
            _refuse_name_of_an_object(known_as)
            registry().define(measure, f"{module}.{function.__qualname__}")
        return measure

    return decorate if function is None else decorate(function)


def _refuse_no_range(values: object, default: object) -> None:
    """Raise where two options are not the range and the default of a measure."""
    if not (
        isinstance(values, (tuple, list))
        and len(values) == 2
        and all(isinstance(v, Real) for v in values)
        and values[0] <= values[1]
    ):
        raise UsageError(
            f"The range of a measure is its smallest and its largest value, such as (0, 1). Got {values!r}."
        )
    if not isinstance(default, Real):
        raise UsageError(f"The default of a measure is the number of a topic without documents. Got {default!r}.")


def _refuse_no_name(name: object) -> None:
    """Raise for what cannot stand in an expression as the name of a measure."""
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise UsageError(f"{name!r} cannot be the name of a measure. Give one: @irmx.measure(name='...').")


def _refuse_name_of_an_object(name: str) -> None:
    """Raise for the name of a user model or a law: imports of all names, as in PyTerrier, could give only one of them."""
    symbol = registry().symbols().get(name)
    if symbol is not None:
        raise UsageError(
            f"The measure {name} is refused: a {symbol.KIND} of {registry().source_of(symbol)} has the name already. "
            "Give another: @irmx.measure(name='...')."
        )


def _bytecode(code: CodeType) -> str:
    """Return what a function does, in a form that is the same in every process."""
    constants = [_bytecode(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return repr((code.co_code, code.co_names, constants))


# -- pickling ----------------------------------------------------------------------------------------------


def _class_of(module: str, path: str) -> type[Any]:
    """Return the class of the measure at a place."""
    return type(reduce(getattr, path.split("."), import_module(module)))


def _by_name(made: type[FunctionMeasure]) -> str | tuple[Any, ...]:
    """Reduce the class of a measure to the place where the measure stands, for pickle."""
    if made is FunctionMeasure:
        return made.__qualname__
    place = made.__module__, made.__qualname__.removesuffix(_CLASS)
    try:
        there = _class_of(*place) is made
    except (ImportError, AttributeError):
        there = False
    if not there:
        raise pickle.PicklingError(
            f"The measure {made.NAME} cannot be pickled: it is not found as {'.'.join(place)}. Define it at the top of a "
            "module, under the name of its function, or pickle it with joblib or cloudpickle."
        )
    return _class_of, place


copyreg.pickle(_OfFunction, _by_name)  # type: ignore[arg-type]
