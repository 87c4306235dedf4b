"""Checks of parameters: refused with the standard message where they are illegal, required, or unknown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from irmx.declare.durations import duration, seconds
from irmx.declare.measures import Measure
from irmx.declare.params import Param, number
from irmx.errors import UnknownNameError, UsageError
from irmx.registry import registry
from irmx.testing.trying import CheckError, Data, failure


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
