"""Values of parameters as they are written in expressions and on the command line; nothing is ever evaluated."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
from ir_measures import ParamInfo

from irmx.declare.columns import Symbol, columns_of, value_text
from irmx.declare.measures import Measure
from irmx.declare.params import Param, duration, has_default, number, refuse_unknown, seconds, with_article
from irmx.errors import UnknownNameError, UsageError
from irmx.parallel import recorded_warnings
from irmx.registry import registry
from irmx.text import suggest, value_repr

POINTS = 51
"""The number of values of a range that does not state it: steps of 0.02 from 0 to 1."""

LONGEST_RANGE, MOST_SETTINGS = 10_000, 1_000_000
"""The most values that a range may have, and the most settings of a grid: more are a slip of the keyboard."""

LONGEST, _SHOWN = 10_000, 300
_OPEN, _CLOSE = "([{", ")]}"
_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)|.""", re.DOTALL)
"""A quoted text, with its escapes and also if it is not closed, or a character."""
CALL = re.compile(r"([^\W\d]\w*)\s*(?:(\()(.*)\)\s*)?", re.DOTALL)
"""A name, and what stands in parentheses after it."""

_MULTIPLE = re.compile(r"([0-9]{1,99}(?:\.[0-9]{0,99})?|\.[0-9]{1,99})\s*\*\s*([A-Za-z_]\w*)", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_RANGE_FORM = "A range is written low:high:number, such as 0:1:11"


@dataclass(frozen=True)
class Span:
    """A part of a text, which knows its place: errors about it point there."""

    whole: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The part itself."""
        return self.whole[self.start : self.end]

    def part(self, start: int, end: int) -> Span:
        """Return a part of the part, by places in it."""
        return Span(self.whole, self.start + start, self.start + end)

    def stripped(self) -> Span:
        """Return the part without blanks around it."""
        text = self.text
        start = len(text) - len(text.lstrip())
        return self.part(start, max(start, len(text.rstrip())))

    def split(self, separators: str) -> list[Span]:
        """Return the parts between separators that stand outside parentheses and quotes; none of an empty text."""
        if not self.text.strip():
            return []
        parts, start = [], 0
        for place, _ in positions_outside_brackets(self.text, separators):
            parts.append(self.part(start, place))
            start = place + 1
        return [*parts, self.part(start, self.end - self.start)]

    def error(self, message: str, kind: type[UsageError] = UsageError) -> UsageError:
        """Return an error with the text, or the relevant part of a long one, and a mark below the place."""
        line, start, end = "".join(c if c.isprintable() else " " for c in self.whole), self.start, self.end
        cut = max(0, start - _SHOWN // 2) if len(line) > _SHOWN else 0
        line, start, end = line[cut : cut + _SHOWN], start - cut, min(end - cut, _SHOWN)
        return kind(f"{message}\n  {line}\n  {' ' * start}{'^' * max(1, end - start)}")


def _outside_quotes(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield the characters outside of quotes with their places, and how many brackets are open before each."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if (char := token[0])[0] not in "'\"":
            yield token.start(), char, depth
            depth += (char in _OPEN) - (char in _CLOSE)


def positions_outside_brackets(text: str, characters: str) -> Iterator[tuple[int, str]]:
    """Yield the places of characters outside parentheses and quotes, and the characters."""
    return ((place, char) for place, char, depth in _outside_quotes(text) if depth <= 0 and char in characters)


def unbalanced(text: str) -> int:
    """Return the place of a bracket that has no partner, -1 if there is none."""
    open_brackets: list[int] = []
    for place, char, _ in _outside_quotes(text):
        if char in _OPEN:
            open_brackets.append(place)
        elif char in _CLOSE:
            if not open_brackets:
                return place
            open_brackets.pop()
    return open_brackets[-1] if open_brackets else -1


@dataclass(frozen=True)
class Multiple:
    """A factor times the value of another parameter, such as ``0.5*MD``."""

    factor: str
    of: str

    def __str__(self) -> str:
        return f"{self.factor}*{self.of}"

    def times(self, value: Any) -> int | float:
        """Return the multiple of a number, or of a duration in seconds, in exact decimal arithmetic.

        >>> Multiple("0.5", "MD").times("1m"), Multiple("0.1", "alpha").times(3)
        (30, 0.3)
        """
        exact = Decimal(self.factor) * Decimal(repr(seconds(value) if isinstance(value, str) else value))
        return int(exact) if exact == exact.to_integral_value() else float(exact)


class ValueParser:
    """Reads what stands for the values of the parameters of a measure, a named object, or anything else with parameters."""

    def __init__(self, owner: Any, declared: Mapping[str, Any] | None = None) -> None:
        self.owner, self.name, self._as_written = owner, str(owner.NAME or owner), declared is not None
        self.declared: Mapping[str, Any] = owner.SUPPORTED_PARAMS if declared is None else declared

    def of_arguments(self, inside: Span) -> dict[str, list[Any]]:
        """Return the values by parameter of what stands in the parentheses of a call."""
        values: dict[str, list[Any]] = {}
        for argument in inside.split(","):
            name, equals, _ = argument.text.partition("=")
            if not equals or not name.strip().isidentifier():
                raise argument.stripped().error("Parameters are given by name: parameter=value.")
            value = argument.part(len(name) + 1, len(argument.text)).stripped()
            if name.strip() in values:
                raise value.error(f"The parameter {name.strip()!r} is given twice; separate its values by |.")
            values[name.strip()] = self.of(name.strip(), value)
        return values

    def of(self, name: str, text: Span, separator: str = "|") -> list[Any]:
        """Return the distinct values of a parameter, several between separators."""
        try:
            refuse_unknown([name], self.declared, self.name)
        except UnknownNameError as error:
            raise text.error(str(error), UnknownNameError) from None
        parts = [part.stripped() for part in text.split(separator)] or [text]
        values, single = {}, set()
        for part in parts:
            found = self._of_part(name, part)
            if len(found) == 1:
                if _key(found[0]) in single:
                    raise part.error(f"The grid has the value {text_of(found[0])} of {name!r} twice.")
                single.add(_key(found[0]))
            values.update({_key(value): value for value in found if _key(value) not in values})
        return list(values.values())

    def _of_part(self, name: str, part: Span) -> list[Any]:
        """Return the value that a part stands for, or the values of a pattern."""
        param, text = self.declared[name], part.text
        if not text:
            how = f"values are separated by |, as in {name}=A|B; a grid with spaces must be quoted as a whole"
            raise part.error(f"{self.name} has an empty value of {name!r}; {how}.")
        call = CALL.fullmatch(text)
        kind = getattr(param, "kind", "")
        if text == "*":
            return self._every(name, param, part)
        if _quantity(param) and text[0] not in "'\"[({":
            if ":" in text:
                return self._range(name, param, part)
            if "*" in text:
                return [self._multiple(name, part)]
        if kind and call and call[2] and call[1] in registry().symbols(kind):
            symbol = registry().symbols(kind)[call[1]]
            reader = ValueParser(symbol)
            of_call = reader.of_arguments(part.part(call.start(3), call.end(3)))
            try:
                return [symbol(**setting) for setting in reader.combined(of_call)]
            except (UsageError, OSError) as error:
                raise part.error(str(error)) from None
        return [self._value(name, param, part)]

    def _value(self, name: str, param: Any, part: Span) -> Any:
        """Return a single value, checked against its declaration; texts need no quotes where only texts are taken."""
        text, ours = part.text, isinstance(param, Param)
        items = part.part(1, len(text) - 1).split(",") if text[0] in "[(" and text[-1] in "])" else []
        if (text[0] == "[" or len(items) > 1) and getattr(param, "dtype", None) not in (list, dict, object):
            first = [one.stripped().text for one in items[:3]]
            known = param.choices if ours else ()
            choices = list(map(value_repr, known)) if isinstance(known, (list, tuple)) else []
            if choices:
                raise part.error(f"{name!r} of {self.name} takes one of {', '.join(choices)}, not a list.")
            several = "|".join(first if len(first) > 1 else ["A", "B"])
            raise part.error(
                f"{name!r} of {self.name} takes one value, not a list. Several settings are written "
                f"{self.name}({name}={several})."
            )
        quoted = text[0] in "'\""
        no_text = text == "None" and getattr(param, "nullable", False)
        texts_only = param.dtype in (str, duration) and not getattr(param, "kind", "") and not _NUMBER.fullmatch(text)
        if not quoted and not no_text and ((ours and text in param.words) or texts_only):
            value: Any = text
        else:
            value = self._literal(name, param, part)
        try:
            return value if self._as_written else self.check(name, value)
        except UsageError as error:
            raise part.error(str(error), type(error)) from None

    def _literal(self, name: str, param: Any, part: Span) -> Any:
        """Return the number, text, truth value, list or dict that is written, or the named object."""
        text, kind = part.text, getattr(param, "kind", "")
        if text[0] in "[(" and text[-1] in "])" and len(text) > 1:
            items = part.part(1, len(text) - 1)
            if text[0] == "[" or len(items.split(",")) > 1:
                return [self._literal(name, None, one.stripped()) for one in items.split(",") if one.text.strip()]
        try:
            with recorded_warnings():  # of escape sequences, as in a quoted Windows path
                value = ast.literal_eval(text)
            if value is None or isinstance(value, (bool, int, float, str, dict)):
                return value
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            pass
        call = CALL.fullmatch(text)
        if kind and call and call[1] in registry().symbols(kind):
            return registry().symbols(kind)[call[1]]
        if param is not None and not kind and (param.dtype is int or name == "cutoff"):
            near = [
                f" Did you mean {other}={choice!r}?"
                for other, one in self.declared.items()
                for choice in getattr(one, "allowed", None) or ()
                if len(text) > 1 and isinstance(choice, str) and choice.startswith(text.casefold())
            ]
            raise part.error(
                f"The {name} of {self.name} is a whole number. Got {text[:80]!r} instead.{''.join(near[:1])}"
            )
        if kind and call:
            known = registry().symbols(kind)
            raise part.part(0, len(call[1])).error(
                f"Unknown name {call[1]}; {self.name} takes {with_article(kind)} for {name!r}.{suggest(call[1], known)} "
                f"Known: {', '.join(known)}.",
                UnknownNameError,
            )
        if isinstance(param, Param):
            raise part.error(
                f"The {name!r} parameter of {self.name} must be {param.expects()}. Got {text[:80]!r} instead."
                + (suggest(text, param.allowed) if param.allowed else "")
            )
        raise part.error(
            f"The value of {name!r} of {self.name} cannot be read: unknown name or text {text[:80]!r}. A value is a number, a "
            "quoted string, True, False, None, a list, a dict, or a registered name.",
            UnknownNameError if call else UsageError,
        )

    def check(self, name: str, value: Any) -> Any:
        """Return a value in canonical form, as far as the parameter declares one."""
        param = self.declared[name]
        return param.check(value, name, self.name) if isinstance(param, Param) else value

    # -- several values ------------------------------------------------------------------------------------

    def _every(self, name: str, param: Any, part: Span) -> list[Any]:
        """Return every value that a parameter can take, but those that need columns that others do without."""
        allowed = getattr(param, "allowed", None) or getattr(param, "choices", None)
        if getattr(param, "kind", ""):
            values: list[Any] = [one for one in registry().symbols(param.kind).values() if _is_complete(one)]
        elif isinstance(allowed, (list, tuple)):
            values = [*allowed, *getattr(param, "words", ())]
        elif param.dtype is bool:
            values = [False, True]
        else:
            how = f"{name}=A|B|C" + (f" or {name}=LOW:HIGH:NUMBER" if param.dtype not in (str, list, dict) else "")
            expects = param.expects() if isinstance(param, Param) else f"of type {getattr(param.dtype, '__name__', '')}"
            raise part.error(
                f"{name}=* stands for every value of {name!r}, but {self.name} takes {expects} for it. Give the values: {how}."
            )
        distinct = [*dict.fromkeys(values), *[None] * getattr(param, "nullable", False)]
        if not isinstance(self.owner, Measure):
            return distinct
        columns = [set(columns_of(self.owner(**{name: value}))) for value in distinct]
        common = set.intersection(*columns)
        return [value for value, needs in zip(distinct, columns, strict=True) if needs == common] or distinct

    def _range(self, name: str, param: Any, part: Span) -> list[Any]:
        """Return the equally spaced values of a range."""
        ends, points = [end.stripped() for end in part.split(":")], str(POINTS)
        if len(ends) == 3:
            points = ends.pop().text
        if points.isdecimal() and (len(points) > 9 or int(points) > LONGEST_RANGE):  # int() refuses thousands of digits
            raise part.error(f"The range {part.text[:80]!r} of {name!r} has more than {LONGEST_RANGE:,} values.")
        shown = f"{part.text[:80]!r} is not a range of {name!r}: low:high:number with"
        if len(ends) != 2 or not all(end.text for end in ends) or not points.isdecimal() or int(points) < 2:
            raise part.error(f"{shown} number >= 2. {_RANGE_FORM}.")
        low, high = (self._value(name, param, end) for end in ends)
        if param.dtype is duration:
            low, high = seconds(low), seconds(high)
        if not all(isinstance(end, (int, float)) and not isinstance(end, bool) for end in (low, high)) or low >= high:
            problem = "low < high" if all(isinstance(end, (int, float)) for end in (low, high)) else "two numbers"
            raise part.error(f"{shown} {problem}. {_RANGE_FORM}.")
        values = np.linspace(low, high, int(points)).round(12).tolist()
        whole = [int(v) if param.dtype is int and v.is_integer() else v for v in values]
        if not isinstance(param, Param) and param.dtype is int and not all(isinstance(v, int) for v in whole):
            raise part.error(f"{name!r} of {self.name} is a whole number; {low}:{high}:{high - low + 1} has every one.")
        try:
            return [self.check(name, v) for v in whole]
        except UsageError as error:
            every = ""
            if param.dtype is int:
                every = f" The range has {points} values; {low}:{high}:{high - low + 1} has every int."
            raise part.error(f"{error}{every}") from None

    def _multiple(self, name: str, part: Span) -> Multiple:
        written = _MULTIPLE.fullmatch(part.text)
        if written is None:
            raise part.error(
                f"{part.text[:80]!r} is not a multiple of a parameter, which is written factor*parameter, such as 0.5*MD."
            )
        multiple = Multiple(*written.groups())
        refuse_unknown([multiple.of], self.declared, self.name)
        if multiple.of == name:
            raise part.error(f"The grid value {multiple} of {name!r} is a multiple of itself.")
        expected, actual = _quantity(self.declared[name]), _quantity(self.declared[multiple.of])
        if expected != actual:
            what = f"a {actual}" if actual else "neither a number nor a duration"
            raise part.error(
                f"The grid value {multiple} of {name!r} must be a {expected}, but {multiple.of!r} is {what}."
            )
        return multiple

    def combined(self, values: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
        """Return every distinct combination of values; the last parameter changes fastest."""
        if (size := math.prod(map(len, values.values()))) > MOST_SETTINGS:
            raise UsageError(f"The grid has {size:,} settings; at most {MOST_SETTINGS:,} are possible.")
        different: dict[tuple[str, ...], dict[str, Any]] = {}
        for combination in product(*values.values()):
            given = dict(zip(values, combination, strict=True))
            setting = {name: self._resolved(name, given, ()) for name in given}
            different.setdefault(tuple(map(text_of, setting.values())), setting)
        return list(different.values())

    def _resolved(self, name: str, given: Mapping[str, Any], chain: tuple[str, ...]) -> Any:
        """Return the value of a parameter in one combination, with multiples worked out."""
        param = self.declared[name]
        if name in given:
            value = given[name]
        elif isinstance(self.owner, Measure):
            value = self.owner[name]
        else:
            value = param.default if has_default(param) else None
        if not isinstance(value, Multiple):
            return value
        if name in chain:
            raise UsageError(f"The grid values of {' and '.join(map(repr, chain))} are multiples of one another.")
        base = self._resolved(value.of, given, (*chain, name))
        if base is None or base in getattr(self.declared[value.of], "words", ()):
            raise UsageError(
                f"The grid value {value} of {name!r} needs a number or a duration, but {value.of!r} is {base}."
            )
        try:
            return self.check(name, value.times(base))
        except UsageError as error:
            raise UsageError(f"{error} It is {value} of the grid, with {value.of}={text_of(base)}.") from None


def text_of(value: Any) -> str:
    """Return a value as text, as in tables of results."""
    return str(value) if isinstance(value, (str, Multiple, Symbol)) else value_text(value)


def _key(value: Any) -> Any:
    """Return what equal values have in common, and can be hashed: 1 and 1.0 are equal."""
    return value if type(value) in (int, float) else text_of(value)


def _quantity(param: ParamInfo) -> str:
    """Return whether a parameter is a ``"number"`` or a ``"duration"``; an empty string if it is neither."""
    if getattr(param, "kind", ""):
        return ""
    return "duration" if param.dtype is duration else "number" if param.dtype in (int, float, number) else ""


def _is_complete(symbol: Symbol) -> bool:
    """Tell whether the name of a named object alone is a value; examples are for those where it is not."""
    needs = any(param.required and name not in symbol.params for name, param in symbol.SUPPORTED_PARAMS.items())
    return not needs and (not symbol.EXAMPLES or symbol.NAME in symbol.EXAMPLES)
