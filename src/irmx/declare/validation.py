"""Checks of what the class of a measure declares, on which scoring, help and listings rely."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any
from weakref import WeakSet

from irmx.declare.citation import Citation, citations_of
from irmx.declare.columns import Column
from irmx.declare.formula import Formula
from irmx.declare.measure_failures import measure_text
from irmx.declare.measures import Measure
from irmx.declare.params import Param, problem_of_param
from irmx.errors import IrmxError, PluginError, failure_of
from irmx.text import value_repr

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
