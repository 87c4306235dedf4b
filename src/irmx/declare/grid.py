"""Grids: values of parameters, and the settings that their combinations give."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np

from irmx.declare.durations import duration, seconds
from irmx.declare.expressions import measures_named, parse_value
from irmx.declare.measures import Measure
from irmx.declare.multiples import Multiple, parse_multiple, quantity
from irmx.declare.params import Param, refuse_unknown
from irmx.declare.symbols import Symbol, value_text
from irmx.errors import UnknownNameError, UsageError, value_repr

POINTS = 51
"""The number of values of a range that does not state it: steps of 0.02 from 0 to 1."""

LONGEST_RANGE, MOST_SETTINGS = 10_000, 1_000_000
"""The most values that a range may have, and the most settings of a grid: more are a slip of the keyboard."""

_FORM = "A grid is written parameter=value,value,... or parameter=low:high:number, such as MD=30s,1m,2m or L=0:1:11"
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class _Declared:
    """Parameters with the name of their owner, for error messages."""

    NAME: str
    SUPPORTED_PARAMS: Mapping[str, Param]


class Grid:
    """Every combination of given values of parameters.

    Parameters
    ----------
    declared : str, Measure or mapping of str to Param
        A measure of a plugin; parameters that it already has are the same in every setting. Or any other parameters,
        by name.
    values : mapping of str to sequence, str, or sequence of str
        The values of every parameter, as Python objects, or as strings as on the command line, one per value or one for all
        values; or options of the command line, such as ``"MD=30s,1m"``. For a number or a duration, ``"low:high:number"``
        stands for that many equally spaced values, both ends included, and ``"low:high"`` for 51; a value may also be a
        multiple of another parameter: ``"0.5*MD"``.
    owner : str
        The owner of the parameters in error messages, if it is not a measure.

    Attributes
    ----------
    measure : Measure or None
        The measure without the parameters of the grid.
    values : dict of str to list
        The values of every parameter in canonical form and in the order given; a multiple is printed as written.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown parameter or an illegal value; the message says what is allowed.

    Examples
    --------
    >>> import irmx
    >>> grid = irmx.Grid("NCP", {"law": "uniform,geometric(p=0.3)", "cutoff": [10, 100]})
    >>> len(grid), grid.settings()[1]
    (4, {'law': uniform, 'cutoff': 100})
    >>> grid.measures()
    [NCP(law=uniform)@10, NCP(law=uniform)@100, NCP(law=geometric(p=0.3))@10, NCP(law=geometric(p=0.3))@100]
    >>> irmx.Grid({"beta": irmx.Param(float, "patience", low=0, high=1)}, "beta=0:1:5").values
    {'beta': [0.0, 0.25, 0.5, 0.75, 1.0]}
    """

    def __init__(
        self,
        declared: str | ir_measures.Measure | Mapping[str, Param],
        values: Mapping[str, Any] | str | Sequence[str],
        owner: str = "the grid",
    ) -> None:
        self.measure = None if isinstance(declared, Mapping) else _of_plugin(declared)
        if self.measure is None:
            self._declared = _Declared(owner, declared)  # type: ignore[arg-type]
        else:
            self._declared = _Declared(str(self.measure.NAME), self.measure.SUPPORTED_PARAMS)
        by_name = self.parse(values)
        if not by_name:
            raise UsageError(f"The grid is empty; give at least one parameter with its values. {_FORM}.")
        self.values = {name: self._values(name, some) for name, some in by_name.items()}
        if (size := math.prod(map(len, self.values.values()))) > MOST_SETTINGS:
            raise UsageError(f"The grid has {size:,} settings; at most {MOST_SETTINGS:,} are possible.")
        different: dict[tuple[str, ...], dict[str, Any]] = {}
        for combination in itertools.product(*self.values.values()):
            setting = self._setting(dict(zip(self.values, combination, strict=True)))
            different.setdefault(tuple(map(self.text_of, setting.values())), setting)
        self._settings = list(different.values())

    def settings(self) -> list[dict[str, Any]]:
        """Return the distinct settings; the last parameter changes fastest."""
        return [dict(setting) for setting in self._settings]

    def measures(self) -> list[Measure]:
        """Return the measure of every setting, with all required parameters."""
        if self.measure is None:
            raise UsageError(f"The grid of {self._declared.NAME} has settings, but no measure.")
        measures: list[Measure] = [self.measure(**setting) for setting in self._settings]
        for measure in measures:
            measure.validate_params()
        return measures

    def __len__(self) -> int:
        return len(self._settings)

    def __str__(self) -> str:
        return " ".join(f"{name}={','.join(map(self.text_of, values))}" for name, values in self.values.items())

    def __repr__(self) -> str:
        return f"<Grid of {len(self)} settings of {self.measure or self._declared.NAME}: {self}>"

    @staticmethod
    def parse(values: Mapping[str, Any] | str | Sequence[str]) -> dict[str, Any]:
        """Return the values by parameter; ``values`` may be options of the command line.

        >>> Grid.parse(["MD=30s,1m", "L = 0, .5"])
        {'MD': '30s,1m', 'L': ' 0, .5'}
        """
        if isinstance(values, Mapping):
            return dict(values)
        options = [values] if isinstance(values, str) else values
        if not isinstance(options, Iterable):
            raise UsageError(f"A grid maps parameters to their values. Got {value_repr(values)} instead. {_FORM}.")
        by_name: dict[str, Any] = {}
        for option in options:
            name, equals, texts = str(option).partition("=")
            name = name.strip()
            if not equals or not name:
                raise UsageError(f"{option!r} is not a grid. {_FORM}.")
            if name in by_name:
                raise UsageError(f"The grid has the parameter {name!r} twice; put all its values into one option.")
            by_name[name] = texts
        return by_name

    @staticmethod
    def text_of(value: Any) -> str:
        """Return a value as text, as in tables of results.

        >>> [Grid.text_of(value) for value in ("30s", 0.5, [1, 2], None)]
        ['30s', '0.5', '[1,2]', 'None']
        """
        return str(value) if isinstance(value, (str, Multiple, Symbol)) else value_text(value)

    # -- values ------------------------------------------------------------------------------------------

    def _param(self, name: str) -> Param:
        declared = self._declared.SUPPORTED_PARAMS
        refuse_unknown([name], declared, str(self._declared.NAME))
        return declared[name]

    def _values(self, name: str, values: Any) -> list[Any]:
        """Return the distinct values of a parameter in canonical form."""
        param = self._param(name)
        if self.measure is not None and name in self.measure.params:
            raise UsageError(f"{self.measure} already has {name!r}; remove it there, or from the grid.")
        texts = split_values(values) if isinstance(values, str) else values
        if not isinstance(texts, Iterable):
            raise UsageError(f"The grid values of {name!r} must be a sequence. Got {value_repr(values)} instead.")
        single: set[Any] = set()
        distinct: dict[Any, Any] = {}
        for text in texts:
            if len(distinct) > MOST_SETTINGS:
                raise UsageError(f"The grid has more than {MOST_SETTINGS:,} values of {name!r}; no more are possible.")
            if isinstance(text, str) and ":" in text and quantity(param):
                for value in self._range(text.strip(), name, param):
                    distinct.setdefault(_key(value), value)
                continue
            value = self._value(text, name, param)
            if _key(value) in single:
                raise UsageError(f"The grid has the value {self.text_of(value)} of {name!r} twice.")
            single.add(_key(value))
            distinct.setdefault(_key(value), value)
        canonical = [*distinct.values()]
        if not canonical:
            raise UsageError(f"The grid has no value for {name!r}. {_FORM}.")
        return canonical

    def _range(self, text: str, name: str, param: Param) -> list[Any]:
        """Return the equally spaced values of a range."""
        ends, number = text.split(":"), str(POINTS)
        if len(ends) == 3:
            number = ends.pop().strip()
        if number.isdecimal() and (len(number) > 9 or int(number) > LONGEST_RANGE):  # int() refuses thousands of digits
            raise UsageError(f"The range {text[:80]!r} of {name!r} has more than {LONGEST_RANGE:,} values.")
        if len(ends) != 2 or not all(end.strip() for end in ends) or not number.isdecimal() or int(number) < 2:
            raise UsageError(f"{text!r} is not a range of {name!r}: low:high:number with number >= 2. {_FORM}.")
        low, high = (self._value(end, name, param) for end in ends)
        if param.dtype is duration:
            low, high = seconds(low), seconds(high)
        if not all(isinstance(end, (int, float)) for end in (low, high)) or low >= high:
            raise UsageError(f"{text!r} is not a range of {name!r}: low:high:number with low < high. {_FORM}.")
        points = np.linspace(low, high, int(number)).round(12).tolist()
        whole = [int(p) if param.dtype is int and p.is_integer() else p for p in points]
        try:
            return [param.check(p, name, self._declared.NAME) for p in whole]
        except UsageError as error:
            if param.dtype is not int:
                raise
            every = f"{low}:{high}:{high - low + 1}"
            raise UsageError(f"{error} The range {text!r} has {number} values; {every} has every int.") from None

    def _value(self, value: Any, name: str, param: Param) -> Any:
        if not isinstance(value, str):
            return param.check(value, name, self._declared.NAME)
        if not value.strip():
            raise UsageError(
                f"The grid has an empty value of {name!r}. {_FORM}; with spaces it must be quoted as a whole."
            )
        multiple = parse_multiple(value) if quantity(param) else None
        if multiple is not None:
            return self._checked_multiple(multiple, name)
        return self._parsed(value.strip(), name, param)

    def _parsed(self, text: str, name: str, param: Param) -> Any:
        """Return the value that a text stands for, as in an expression, but with optional quotes."""
        if text in param.words:
            return text
        quoted = text[:1] in ("'", '"')
        if param.dtype is duration and not quoted:
            return param.check(text, name, self._declared.NAME)
        if param.dtype is str and not param.kind and not quoted and not (param.nullable and text == "None"):
            return param.check(text, name, self._declared.NAME)
        try:
            return parse_value(text, self._declared, name)
        except UsageError as error:
            if isinstance(error, UnknownNameError) and not param.kind:
                return param.check(text, name, self._declared.NAME)  # which says what is allowed
            marks_all = f"\n  {text}\n  {'^' * len(text)}"  # tells nothing, and the callers' advice would follow it
            raise type(error)(str(error).removesuffix(marks_all)) from None

    def _checked_multiple(self, multiple: Multiple, name: str) -> Multiple:
        of = self._param(multiple.of)
        if multiple.of == name:
            raise UsageError(f"The grid value {multiple} of {name!r} is a multiple of itself.")
        expected, actual = quantity(self._param(name)), quantity(of)
        if expected != actual:
            what = f"a {actual}" if actual else "neither a number nor a duration"
            raise UsageError(
                f"The grid value {multiple} of {name!r} must be a {expected}, but {multiple.of!r} is {what}."
            )
        return multiple

    # -- settings ----------------------------------------------------------------------------------------

    def _setting(self, combination: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._resolved(name, combination, ()) for name in combination}

    def _outside(self, name: str) -> Any:
        """Return the value of a parameter that is not in the grid."""
        if self.measure is not None:
            return self.measure[name]
        param = self._param(name)
        return param.default if param.has_default else None

    def _resolved(self, name: str, combination: Mapping[str, Any], chain: tuple[str, ...]) -> Any:
        """Return the value of a parameter in one combination, with multiples worked out."""
        value = combination[name] if name in combination else self._outside(name)
        if not isinstance(value, Multiple):
            return value
        if name in chain:
            raise UsageError(f"The grid values of {' and '.join(map(repr, chain))} are multiples of one another.")
        base = self._resolved(value.of, combination, (*chain, name))
        if base is None or base in self._param(value.of).words:
            raise UsageError(
                f"The grid value {value} of {name!r} needs a number or a duration, but {value.of!r} is {base}."
            )
        try:
            return self._param(name).check(value.times(base), name, self._declared.NAME)
        except UsageError as error:
            raise UsageError(f"{error} It is {value} of the grid, with {value.of}={self.text_of(base)}.") from None


def _key(value: Any) -> Any:
    """Return what equal values have in common, and can be hashed: 1 and 1.0 are equal."""
    return value if type(value) in (int, float) else Grid.text_of(value)


def _of_plugin(measure: str | ir_measures.Measure) -> Measure:
    """Return the measure whose parameters vary, or raise if it is not one of an irmx plugin."""
    parsed, *more = measures_named(measure.strip(), complete=False) if isinstance(measure, str) else [measure]
    if more or not isinstance(parsed, Measure):
        raise UsageError(
            f"{measure} is not a measure of an irmx plugin; a grid needs declared parameters. "
            "It may be a reference of a sweep. 'irmx measures' lists all measures."
        )
    return parsed


def split_values(text: str, separator: str = ",") -> list[str]:
    """Split a text at the commas, or another character, outside parentheses and quotes.

    >>> split_values("uniform, table(p=[0.5,0.5]), 'a,b'")
    ['uniform', ' table(p=[0.5,0.5])', " 'a,b'"]
    """
    if not text.strip():
        return []
    parts, start, depth, quote = [], 0, 0, ""
    for place, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        else:
            depth += (char in _OPEN) - (char in _CLOSE)
        if char == separator and not quote and depth <= 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
