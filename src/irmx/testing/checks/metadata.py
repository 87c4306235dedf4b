"""Checks of what a measure declares: what it says of itself, its parameters, and measures as objects."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import ir_measures

from irmx.declare.columns import Column
from irmx.declare.described import Citation, Formula
from irmx.declare.expressions import parse_measure
from irmx.declare.measures import Measure, problems_of_class
from irmx.declare.params import COMMON_PARAMS, Param, duration, is_common, number, seconds
from irmx.errors import UnknownNameError, UsageError
from irmx.registry import registry
from irmx.testing.generate import CheckError, Data, Values, failure, require_same, values
from irmx.testing.sample import Sample


def check_metadata(measure: Measure, data: Data) -> None:
    """It has a name, a full name, a one-sentence description, a docstring and a range; parameters, columns and the symbols of its formula are described."""
    problems = [*_of_class(measure), *_of_formula(measure), *_of_parameters(measure), *_of_columns(measure)]
    if problems:
        raise failure(
            measure, "What the help and the documentation are made from must be complete.", " ".join(problems)
        )


def _of_class(measure: Measure) -> Iterator[str]:
    kind = type(measure)
    for attribute in ("NAME", "PRETTY_NAME", "SHORT_DESC"):
        text = getattr(measure, attribute, None)
        if not isinstance(text, str) or not text.strip():
            yield f"{attribute} is {text!r}; it must be a text."
    if not str(measure.NAME).isidentifier():
        yield f"NAME is {measure.NAME!r}; it must be an identifier, or it has no expression."
    if not (inspect.cleandoc(kind.__doc__ or "").strip()):
        yield f"The class {kind.__name__} has no docstring."
    yield from (f"It {problem}" for problem in problems_of_class(measure))


def _of_formula(measure: Measure) -> Iterator[str]:
    formula: Any = measure.FORMULA
    if formula is None:
        return
    if not isinstance(formula, Formula):
        yield f"FORMULA is {formula!r}; it must be an irmx.Formula."
        return
    try:
        formula.to_html()
    except UsageError as error:
        yield str(error)
    yield from (f"FORMULA: {problem}" for problem in formula.problems())


def _of_parameters(measure: Measure) -> Iterator[str]:
    declared: dict[str, Any] = measure.SUPPORTED_PARAMS
    for name, param in declared.items():
        if not isinstance(param, Param):
            yield f"The parameter {name!r} is {type(param).__name__}; it must be an irmx.Param."
        elif not param.desc:
            yield f"The parameter {name!r} has no description."
        elif is_common(name, param) and param.desc != COMMON_PARAMS[name].desc:
            yield f"The parameter {name!r} is common, but not that of irmx.COMMON_PARAMS."


def _of_columns(measure: Measure) -> Iterator[str]:
    declared: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
        ("RUN_COLUMNS", "run", (*measure.RUN_COLUMNS, *measure.run_columns())),
        ("QREL_COLUMNS", "qrels", (*measure.QREL_COLUMNS, *measure.qrel_columns())),
    )
    for attribute, table, columns in declared:
        for column in columns:
            if not isinstance(column, Column):
                yield f"{attribute} holds {column!r}; it must hold irmx.Column objects."
            elif column.table != table:
                yield f"{attribute} holds {column.name!r}, a column of the {column.table}."
            elif not column.desc:
                yield f"The column {column.name!r} has no description."
            elif not column.optional and not column.how:
                yield f"The column {column.name!r} does not say how to get it."


def check_citation(measure: Measure, data: Data) -> None:
    """It says what to cite, and ``irmx cite`` prints it: at least one ``irmx.Citation`` with author, title and year."""
    asked = "citations() must give irmx.Citation objects with author, title and year, at least one."
    found: tuple[Any, ...] = tuple(measure.citations())
    if not found:
        raise failure(measure, asked, "There are none.")
    for citation in found:
        if not isinstance(citation, Citation) or not {"author", "title", "year"} <= set(citation.fields):
            raise failure(measure, asked, f"There is {citation!r}.")


def check_examples(measure: Measure, data: Data) -> None:
    """``EXAMPLES`` are expressions of this measure with all required parameters, written as it prints them."""
    asked = "EXAMPLES must be expressions of it, at least one."
    if not measure.EXAMPLES:
        raise failure(measure, asked, "There are none.")
    for text in measure.EXAMPLES:
        try:
            example = parse_measure(text)
            example.validate_params()
        except Exception as error:
            raise failure(measure, asked, f"{text!r} raised {type(error).__name__}: {error}") from error
        if not isinstance(example, ir_measures.Measure) or example.NAME != measure.NAME or str(example) != text:
            raise failure(measure, asked, f"{text!r} is {example}.")


def check_parameters(measure: Measure, data: Data) -> None:
    """Invalid values of parameters are refused with the standard message.

    "The 'k' parameter of X must be ... Got ... instead." Of another type, outside the range, not among the choices, unknown
    names of named objects.
    """
    for name, param in measure.SUPPORTED_PARAMS.items():
        for value in illegal(param):
            standard = rf"The '{name}' parameter of {re.escape(str(measure.NAME))}\b.* Got .+"
            _refused(
                measure,
                {name: value},
                standard,
                f"The {name!r} parameter of {measure.NAME} must be ... Got ... instead.",
            )


class _Odd:
    """What no parameter takes."""

    def __repr__(self) -> str:
        return "<an object of no type that a parameter has>"


def illegal(param: Param) -> Iterator[Any]:
    """Yield values that a parameter must refuse.

    Examples
    --------
    >>> from irmx import Param
    >>> list(illegal(Param(int, "cutoff", low=1)))[1:]
    [None, True, 'no number', 1.5, 0]
    """
    yield _Odd()
    if type(param) is not Param:
        return
    if not param.nullable:
        yield None
    if param.kind:
        yield "no such name"
        return
    if param.allowed is not None:
        yield "no such choice"
        return
    if param.dtype in (int, float, number, duration):
        yield True
        yield "no number"
    if param.dtype is int:
        yield 1.5
    if param.dtype in (float, number):
        yield math.nan
        yield math.inf
    lowest = None if param.low is None else param.low - 1
    for value in (lowest, param.above, param.below, None if param.high is None else param.high + 1):
        if value is not None:
            yield [value] if param.dtype is list else {1: value} if param.dtype is dict else value
    if param.dtype is bool:
        yield 2
    if param.dtype is list:
        yield 3
        yield ["no number"]
    if param.dtype is dict:
        yield [1]
        yield {0.5: 1}
        yield {1: "no number"}


def legal(param: Param) -> Iterator[Any]:
    """Yield values that a parameter should take: every choice and every named object, some numbers and lists.

    Examples
    --------
    >>> from irmx import Param
    >>> list(legal(Param(float, "probability", low=0, high=1)))
    [0.25, 0.1, 0.3333333333333333, 1e-07]
    """
    if param.kind:
        yield from registry().symbols(param.kind).values()
    elif param.allowed is not None:
        yield from param.allowed
    elif type(param) is Param:
        lowest = -math.inf if param.low is None else param.low
        for value in _VALUES.get(param.dtype, ()):
            size = seconds(value) if param.dtype is duration else value
            size = min(value if param.dtype is list else value.values()) if param.dtype in (list, dict) else size
            highest = math.inf if param.high is None else param.high
            inside = (param.above is None or size > param.above) and (param.below is None or size < param.below)
            if lowest <= size <= highest and inside:
                yield value


_VALUES: dict[Any, tuple[Any, ...]] = {
    bool: (False, True),
    int: (1, 7, 1000000),
    float: (0.25, 0.1, 1 / 3, 1e-7, 2.5),
    number: (2, 0.1, 1000000, 1 / 3),
    duration: ("30s", 5400, 0.1),
    list: ([0.25, 1 / 3], [1, 2]),
    dict: ({1: 0.25}, {1: 7, 2: 0}),
}


def settings(measure: Measure) -> Iterator[Measure]:
    """Yield a measure as it is, and with another value of one parameter at a time, where it takes that."""
    yield measure
    for name, param in measure.SUPPORTED_PARAMS.items():
        for value in legal(param):
            try:
                made = measure(**{name: value})
                made.validate_params()
            except UsageError:
                continue
            yield made


def check_unknown_parameter(measure: Measure, data: Data) -> None:
    """A parameter that it does not have is refused: "X has no parameter 'k'. It has: ..."."""
    standard = rf"{re.escape(str(measure.NAME))} has no parameter 'no_such_parameter'"
    _refused(measure, {"no_such_parameter": 1}, standard, f"{measure.NAME} has no parameter ...", UnknownNameError)


def _refused(
    measure: Measure, params: dict[str, Any], pattern: str, standard: str, kind: type[UsageError] = UsageError
) -> None:
    """Raise if parameters are taken, or refused with another error or text."""
    said = ", ".join(f"{name}={value!r}" for name, value in params.items())
    asked = f"With {said} it must raise {kind.__name__}: {standard!r}."
    try:
        made = measure(**params)
    except kind as error:
        if not re.search(pattern, str(error), re.DOTALL):
            raise failure(measure, asked, f"The text is: {error}") from None
    except Exception as error:
        raise failure(measure, asked, f"It raised {type(error).__name__}: {error}") from error
    else:
        raise failure(measure, asked, f"It gave {made!r}.")


def check_required_parameters(measure: Measure, data: Data) -> None:
    """Without a required parameter it can be constructed, and scoring says what is missing."""
    for name, param in measure.SUPPORTED_PARAMS.items():
        if param.required:
            without = type(measure)(**{k: v for k, v in measure.params.items() if k != name})
            asked = f"Without {name} validate_params must raise UsageError: '{measure.NAME} needs the parameter {name!r} ...'."
            try:
                without.validate_params()
            except UsageError as error:
                if f"needs the parameter {name!r}" not in str(error):
                    raise failure(measure, asked, f"The text is: {error}") from None
            except Exception as error:
                raise failure(measure, asked, f"It raised {type(error).__name__}: {error}") from error
            else:
                raise failure(measure, asked, "It raised nothing.")


def check_default_parameters(measure: Measure, data: Data) -> None:
    """Setting a parameter to its default changes nothing: the measure is equal, and so is its text."""
    for name, param in measure.SUPPORTED_PARAMS.items():
        if name in measure.params or not param.has_default:
            continue
        asked = f"{name}={param.default!r}, its default, must change nothing."
        try:
            given = measure(**{name: param.default})
        except UsageError as error:
            raise failure(measure, asked, f"It raised {type(error).__name__}: {error}") from None
        if given != measure or hash(given) != hash(measure) or given[name] != measure[name]:
            raise CheckError(f"{measure}: {asked} It gave {given!r}, where {name} is {given[name]!r}.")


def check_expression(measure: Measure, data: Data) -> None:
    """The text of a measure, in other settings too, parses back to an equal measure, by the ``parse_measure`` of irmx and of ir_measures."""
    for one in settings(measure):
        _require_parsed(one)


def _require_parsed(measure: Measure) -> None:
    asked = f"Its text {str(measure)!r}, of the parameters {measure.params}, must parse back to an equal measure."
    for parse in (parse_measure, ir_measures.parse_measure):
        try:
            found = parse(str(measure))
        except Exception as error:
            raise failure(measure, asked, f"It raised {type(error).__name__}: {error}") from error
        if type(found) is not type(measure) or repr(found) != repr(measure) or not _same_parameters(found, measure):
            raise failure(
                measure, asked, f"It is {found!r} of {type(found).__name__}, with the parameters {found.params}."
            )


def check_equality(measure: Measure, data: Data) -> None:
    """Measures are equal, with equal hashes, exactly if their parameters are."""
    again = type(measure)(**measure.params)
    if again != measure or hash(again) != hash(measure):
        raise failure(
            measure, "Made with the same parameters it must be equal, and have the same hash.", f"It is {again!r}."
        )
    others: list[Any] = [str(measure), None, *(m for m in settings(measure) if not _same_parameters(m, measure))]
    for other in others:
        if measure == other:
            found = f"It equals {other!r} of the parameters {getattr(other, 'params', None)}."
            raise failure(measure, "It must differ from other objects and settings.", found)


def _same_parameters(one: Measure, other: Measure) -> bool:
    """Tell whether two measures of one class have the same parameters, given or by default."""
    return all(one[name] == other[name] for name in other.SUPPORTED_PARAMS)


def check_copies(measure: Measure, data: Data) -> None:
    """A copy, a deep copy and a pickle of every protocol are equal, in other settings too, and give the same values."""
    sample = data.some(measure)
    expected = values(measure, sample)
    ways: dict[str, Any] = {"copy.copy": copy.copy, "copy.deepcopy": copy.deepcopy}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        ways[f"pickle of protocol {protocol}"] = partial(_through_pickle, protocol=protocol)
    for name, way in ways.items():
        try:
            found = way(measure)
        except Exception as error:
            raise failure(measure, f"{name} must work.", f"It raised {type(error).__name__}: {error}") from error
        _require_equal(measure, name, found)
        asked = f"{name} must give a measure with the same values."
        require_same(measure, asked, expected, values(found, sample), name, sample)
    for one in settings(measure):
        _require_equal(one, "A pickle", _through_pickle(one))


def _through_pickle(measure: Measure, protocol: int | None = None) -> Measure:
    """Return what a pickle of a measure gives back; it was made here, in this process, and never comes from a file or a user."""
    found: Measure = pickle.loads(pickle.dumps(measure, protocol))  # noqa: S301
    return found


def _require_equal(measure: Measure, name: str, found: Measure) -> None:
    if found != measure or hash(found) != hash(measure) or not _same_parameters(found, measure):
        asked = f"{name} must give an equal measure."
        raise failure(measure, asked, f"It gave {found!r} for one of the parameters {measure.params}.")


def check_joblib(measure: Measure, data: Data) -> None:
    """It scores in another process, as in a sweep: joblib with loky."""
    from joblib import Parallel, delayed

    sample = data.some(measure)
    plain = Sample(sample.qrels, sample.run)
    try:
        [(found, there)] = Parallel(n_jobs=2, backend="loky")([delayed(_elsewhere)(measure, plain)])
    except Exception as error:
        asked = "It must score in another process, where its class must be importable."
        raise failure(measure, asked, f"joblib raised {type(error).__name__}: {error}") from error
    if there != repr(measure):
        raise failure(measure, "It must be an equal measure in another process.", f"It is {there} there.")
    asked = "Another process must give the same values."
    require_same(measure, asked, values(measure, sample), found, "in another process", sample)


def _elsewhere(measure: Measure, sample: Sample) -> tuple[Values, str]:
    """Return the values that another process computes, and what the measure is there."""
    return values(measure, sample), repr(measure)
