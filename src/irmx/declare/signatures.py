"""Declared parameters of a measure from the signature of a function."""

from __future__ import annotations

import contextlib
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from irmx.declare.durations import duration
from irmx.declare.params import UNSET, Param, number
from irmx.errors import UsageError

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
