"""Measures from decorated functions that score one topic, or all topics at once."""

from __future__ import annotations

import contextlib
import copyreg
import inspect
import pickle
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from inspect import cleandoc, getsource, unwrap
from keyword import iskeyword
from types import CodeType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    SupportsFloat,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from irmx.declare.columns import Column
from irmx.declare.described import Citation, Formula, citations_of
from irmx.declare.measure_failures import value_of_topic
from irmx.declare.measures import Measure, problems, sums_by_topic
from irmx.declare.params import COMMON_PARAMS, UNSET, Param, duration, number
from irmx.errors import UsageError
from irmx.registry import in_plugin, registry

if TYPE_CHECKING:
    from typing import Concatenate

    from irmx.ragged import Array
    from irmx.rank.rankings import Ranking, Rankings
    from irmx.score.topic_scores import TopicScores

    OfTopic = Callable[Concatenate[Ranking, ...], SupportsFloat]
    OfTopics = Callable[Concatenate[Rankings, ...], Array | TopicScores | Mapping[str, Any]]


# -- declared parameters of a measure from the signature of a function -----------------------------------------------


_PLAIN: dict[Any, Any] = {t: t for t in (int, float, bool, str, list, number, duration)}
_INFERRED = (bool, int, float, str, list)
_ALLOWED = (
    "int, float, bool, str, list, irmx.number, irmx.toolkit.duration, Literal['a', 'b'], one of these with None, "
    "or Annotated[one of these, irmx.Param(...)]"
)


def params_of(function: Callable[..., Any], common: Mapping[str, Param]) -> tuple[tuple[str, ...], dict[str, Param]]:
    """Return the names of the keyword-only arguments of a function, and the parameters that they declare.

    Examples
    --------
    >>> def success(ranking, *, k: int = 1, how: Literal["any", "all"] = "any"): ...
    >>> names, params = params_of(success, {})
    >>> [f"{name} must be {params[name].expects()}" for name in names]
    ['k must be an int', "how must be one of 'any', 'all'"]
    """
    names = _keyword_only(function)
    hints = _hints(function, names)
    defaults = function.__kwdefaults__ or {}
    own = {}
    for name in names:
        default = defaults.get(name, UNSET)
        if name in common and not isinstance(default, Param):  # a default of None keeps the parameter's own
            param = common[name] if default is None else _with_default(common[name], default)
        else:
            param = _param(function, name, hints.get(name), default)
        if param.has_default and param.default is not None:
            param.default = param.check(param.default, name, _named(function))
        own[name] = param
    return names, {**own, **{name: param for name, param in common.items() if name not in own}}


def _named(function: Callable[..., Any]) -> str:
    return f"the measure function {function.__qualname__}"


def _keyword_only(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the keyword-only arguments, having checked that there is one positional argument."""
    if not isinstance(function, types.FunctionType):
        raise UsageError(f"@irmx.measure decorates a function. Got {function!r} instead.")
    names, several, named = inspect.getargs(function.__code__)
    positional = names[: function.__code__.co_argcount]
    if len(positional) != 1 or several or named:
        more = (several and f"*{several}", named and f"**{named}")
        arguments = ", ".join(filter(None, [*positional, *more])) or "none"
        raise UsageError(
            f"The measure function {function.__qualname__} must have one positional argument, the ranking, and its parameters after a *, such as "
            f"def {function.__name__}(ranking, *, k: int = 1). Its positional arguments are: {arguments}."
        )
    return tuple(names[1:])


def _hints(function: Callable[..., Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the resolved annotations of some arguments; those of the others may use undefined names."""
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        annotations = get_annotations(function, format=Format.FORWARDREF)
    else:
        annotations = function.__annotations__

    def arguments() -> None: ...

    arguments.__annotations__ = {name: annotations[name] for name in names if name in annotations}
    try:
        return get_type_hints(arguments, function.__globals__, _enclosing(function), include_extras=True)
    except NameError as error:
        raise UsageError(f"The annotations of {_named(function)} cannot be resolved: {error}.") from None


def _enclosing(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the variables of the enclosing functions that already have a value."""
    variables = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):
            variables[name] = cell.cell_contents
    return variables


def _with_default(param: Param, default: Any) -> Param:
    """Return a parameter with the default of an argument; without one, and without its own, it is required."""
    return _with(param, required=not param.has_default) if default is UNSET else _with(param, default=default)


def _with(param: Param, **changes: Any) -> Param:
    options: dict[str, Any] = {
        "default": param.default if param.has_default else UNSET,
        "required": param.required,
        "choices": param.allowed,
        "nullable": param.nullable,
        **{name: getattr(param, name) for name in ("low", "high", "above", "unit", "kind", "words")},
    }
    return Param(param.dtype, param.desc, **{**options, **changes})


def _param(function: Callable[..., Any], name: str, hint: Any, default: Any) -> Param:
    """Return the parameter that an argument declares: by a Param, by its annotation, or by its default."""
    if isinstance(default, Param):
        return _with(default)
    hint, more = (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())
    for declared in more:
        if isinstance(declared, Param):
            return _with_default(declared, default)
    desc = next((text for text in more if isinstance(text, str)), f"the argument {name} of {function.__name__}")
    hint, nullable = _without_none(hint)
    if hint is None and type(default) in _INFERRED:
        hint = type(default)
    dtype, choices = _dtype(hint)
    if dtype is None:
        problem = "has no annotation" if hint is None else f"has the annotation {hint!r}"
        raise UsageError(f"The argument {name!r} of {_named(function)} {problem}. Allowed are {_ALLOWED}.")
    return Param(dtype, desc, default=default, required=default is UNSET, choices=choices, nullable=nullable)


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return an annotation without ``None``, and whether ``None`` was part of it."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint, False
    others = [a for a in get_args(hint) if a is not type(None)]
    return (others[0], True) if len(others) == 1 and len(get_args(hint)) == 2 else (hint, False)


def _dtype(hint: Any) -> tuple[Any, Any]:
    """Return the type of a parameter and its choices; None for an unsupported annotation."""
    if get_origin(hint) is Literal:
        types_of = {type(choice) for choice in get_args(hint)}
        dtype = types_of.pop()
        return (None, None) if types_of or dtype not in (str, int) else (dtype, get_args(hint))
    if get_origin(hint) is list:
        return list, None
    return _PLAIN.get(hint), None


# -- measures from decorated functions that score one topic, or all topics at once -----------------------------------


_CLASS = ".__class__"


class _OfFunction(type):
    """The type of the classes of decorated measures.

    The module holds the measure, not its class, so the class is pickled by the name of the measure.
    """


class FunctionMeasure(Measure, metaclass=_OfFunction):
    """A measure whose scores a function returns; made by :func:`irmx.measure`."""

    _function: ClassVar[Callable[..., Any]]
    _arguments: ClassVar[tuple[str, ...]] = ()
    _batch: ClassVar[bool] = False

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            return type(self)._function
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def source(self) -> str:
        """The source of the function and of what it uses of its module; it identifies the measure of a sweep."""
        return "\n".join(_sources(self._function, set()))

    def _arguments_of_call(self) -> dict[str, Any]:
        return {name: self[name] for name in self._arguments}

    def score(self, rankings: Rankings) -> Array | TopicScores:
        """Return the values of the function for all topics, or the sums of the contributions that it returns."""
        if not self._batch:
            return super().score(rankings)
        scores: Array | TopicScores | Mapping[str, Any] = self._function(rankings, **self._arguments_of_call())
        return sums_by_topic(self, rankings, scores) if isinstance(scores, Mapping) else scores

    def contributions(self, rankings: Rankings) -> Mapping[str, Any]:
        """Return the contributions of documents, if the function returns them."""
        columns = self._function(rankings, **self._arguments_of_call()) if self._batch else None
        return columns if isinstance(columns, Mapping) else super().contributions(rankings)

    def score_topic(self, ranking: Ranking) -> float:
        """Return the value of the function for a topic, as a float; errors name the topic."""
        return value_of_topic(self, ranking.query_id, lambda: self._function(ranking, **self._arguments_of_call()))


@overload
def measure(function: OfTopic, /) -> Measure: ...
@overload
def measure(
    *,
    name: str = ...,
    pretty_name: str = ...,
    formula: Formula | None = ...,
    columns: Sequence[Column] = ...,
    range: tuple[float | None, float | None] = ...,
    monotone: bool = ...,
    default: float = ...,
    docs_may_repeat: bool = ...,
    less_is_better: bool = ...,
    cite: Citation | str | Sequence[Citation | str] = ...,
    examples: str | Sequence[str] = ...,
    batch: bool = ...,
) -> Callable[[OfTopic | OfTopics], Measure]: ...
def measure(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    pretty_name: str = "",
    formula: Formula | None = None,
    columns: Sequence[Column] = (),
    range: tuple[float | None, float | None] = (0.0, 1.0),
    monotone: bool = True,
    default: float = 0.0,
    docs_may_repeat: bool = False,
    less_is_better: bool = False,
    cite: Citation | str | Sequence[Citation | str] = (),
    examples: str | Sequence[str] = (),
    batch: bool = False,
) -> Measure | Callable[..., Measure]:
    """Make a measure from a function; use it as the decorator ``@irmx.measure`` or ``@irmx.measure(columns=[...])``.

    The function gets the :class:`irmx.Ranking` of one topic and returns a number. The measure has the name of the function,
    the first paragraph of its docstring is the description, and its keyword-only arguments are the parameters. They are
    annotated as ``int``, ``float``, ``bool``, ``str``, ``list``, ``Literal[...]``, ``irmx.number``, ``irmx.toolkit.duration``, or one
    of these with None; ``Annotated[int, "what it means"]`` adds a description, and
    ``Annotated[int, irmx.Param(int, "what it means", low=1)]`` also a range. An argument without a default is a required
    parameter.

    The measure has all of :data:`irmx.COMMON_PARAMS`, which the host applies before it calls the function.
    A keyword-only argument with one of their names gets the value, and its default becomes the default of the measure.

    The measure is registered at once, except in the package of a plugin, whose hook registers it. A function that is defined
    again at the same place, as in a notebook, replaces the earlier one.

    Parameters
    ----------
    name : str
        The name of the measure; by default the name of the function.
    pretty_name : str
        The name written out.
    formula : Formula, optional
        The formula and the meanings of its symbols.
    columns : sequence of Column
        The columns that it reads in addition to those of every run and qrels.
    range : tuple of float
        The smallest and the largest value; None where there is no bound. A value outside it is an error.
    monotone : bool
        Whether replacing a non-relevant document by a relevant one never lowers the value.
    default : float
        The value of a topic for which the run has no documents; in the range.
    docs_may_repeat : bool
        Whether a document may occur more than once in the run of a topic; see :class:`irmx.Measure`.
    less_is_better : bool
        Whether smaller values are better, as those of costs.
    cite : Citation, str or sequence of them
        The publications to cite; a text is a BibTeX entry.
    examples : str or sequence of str
        Example expressions; by default the name, if the measure has no required parameter.
    batch : bool
        Whether the function gets the :class:`irmx.Rankings` of all topics. It then returns one value per topic, as an array or
        :class:`irmx.TopicScores`; or, like :meth:`irmx.Measure.contributions`, the contribution of each relevant document.

    Returns
    -------
    Measure
        An instance; the function is its ``__wrapped__``. It can be pickled if its function is defined at the top level of a
        module; joblib can also send it to other processes from a script, a notebook or a function.

    Raises
    ------
    irmx.errors.UsageError
        If another measure, or a named object such as a user model, has the name; if the signature does not define the type of
        a parameter; and for an option of the wrong type.

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
                "FORMULA": formula,
                "SHORT_DESC": " ".join(doc.partition("\n\n")[0].split()),
                "SUPPORTED_PARAMS": params,
                "RUN_COLUMNS": tuple(c for c in columns if c.table == "run"),
                "QREL_COLUMNS": tuple(c for c in columns if c.table == "qrels"),
                "RANGE": range,
                "MONOTONE": monotone,
                "DEFAULT": default,
                "DOCS_MAY_REPEAT": docs_may_repeat,
                "LESS_IS_BETTER": less_is_better,
                "CITATIONS": citations_of(cited),
                "EXAMPLES": tuple(shown) or (() if required else (known_as,)),
                "_function": staticmethod(function),
                "_arguments": arguments,
                "_batch": batch,
            },
        )
        measure: Measure = made()
        for problem in problems(measure):
            raise UsageError(f"The measure {known_as} {problem}")
        if not in_plugin(module):
            _refuse_name_of_an_object(known_as)
            registry().define(measure, f"{module}.{function.__qualname__}")
        return measure

    return decorate if function is None else decorate(function)


def _refuse_no_name(name: object) -> None:
    """Raise if a name cannot be that of a measure in an expression."""
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise UsageError(f"{name!r} cannot be the name of a measure. Choose another: @irmx.measure(name='...').")


def _refuse_name_of_an_object(name: str) -> None:
    """Raise for the name of a named object: ``from irmx import *`` could give only one of the two."""
    symbol = next((symbol for symbol in registry().all_symbols() if name == symbol.NAME), None)
    if symbol is not None:
        raise UsageError(
            f"The measure {name} is refused: a {symbol.KIND} of {registry().source_of(symbol)} already has this name. "
            "Choose another: @irmx.measure(name='...')."
        )


def _sources(function: Callable[..., Any], seen: set[Any]) -> Iterator[str]:
    """Yield the source of a function, those of functions and classes of its module that it uses, and digests of other values."""
    import joblib

    seen.add(function)
    yield _text(function)
    used = {**function.__globals__, **_enclosing(function)}
    for name in sorted(used.keys() & _names(function.__code__)):
        value = unwrap(used[name])
        if isinstance(value, (types.FunctionType, type)):
            if value.__module__ == function.__module__ and value not in seen:
                yield from _sources(value, seen) if isinstance(value, types.FunctionType) else [_text(value)]
        elif not callable(value) and not isinstance(value, types.ModuleType):
            with contextlib.suppress(Exception):  # what cannot be pickled, such as a lock, is no constant
                yield f"{name} = {joblib.hash(value)}"


def _text(made: Any) -> str:
    """Return the source of a function or a class; the bytecode of a function that has none."""
    try:
        return getsource(made)
    except (OSError, TypeError):
        return _bytecode(made.__code__) if isinstance(made, types.FunctionType) else made.__qualname__


def _names(code: CodeType) -> set[str]:
    """Return the names that a function uses, also in functions within it."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return {*code.co_names, *code.co_freevars}.union(*map(_names, inner))


def _bytecode(code: CodeType) -> str:
    """Return the bytecode of a function, in a form that is the same in every process."""
    constants = [_bytecode(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return repr((code.co_code, code.co_names, constants))


# -- pickling ----------------------------------------------------------------------------------------------


def _class_of(module: str, path: str) -> type[Any]:
    """Return the class of the measure at a place."""
    return type(reduce(getattr, path.split("."), import_module(module)))


def _by_name(made: type[FunctionMeasure]) -> str | tuple[Any, ...]:
    """Reduce the class of a measure, for pickle, to the module and the name of the measure."""
    if made is FunctionMeasure:
        return made.__qualname__
    place = made.__module__, made.__qualname__.removesuffix(_CLASS)
    try:
        importable = _class_of(*place) is made
    except (ImportError, AttributeError):
        importable = False
    if not importable:
        raise pickle.PicklingError(
            f"The measure {made.NAME} cannot be pickled: it is not found as {'.'.join(place)}. Define it at the top level "
            "of a module, under the name of its function, or pickle it with joblib or cloudpickle."
        )
    return _class_of, place


copyreg.pickle(_OfFunction, _by_name)  # type: ignore[arg-type]
