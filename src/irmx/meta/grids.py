"""Grids: the values of some parameters of a measure, and the settings that they make."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ir_measures

from irmx.declare.durations import duration
from irmx.declare.expressions import measures_named, parse_value
from irmx.declare.measures import Measure
from irmx.declare.params import Param
from irmx.declare.symbols import Symbol, value_text
from irmx.errors import UnknownNameError, UsageError, suggest
from irmx.meta.multiples import Multiple, parse_multiple, quantity

_FORM = "A grid is written parameter=value,value,..., such as MD=30s,1m,2m"
_OPEN, _CLOSE = "([{", ")]}"


class Grid:
    """Every combination of some values of some parameters of a measure.

    Parameters
    ----------
    measure : str or Measure
        A measure of a plugin; parameters that it has already are the same in every setting.
    values : mapping of str to sequence
        The values of every parameter, as Python objects or as the texts of the command line; or all of them in one
        such text. Of an amount, a value may be a multiple of another parameter: ``"0.5*MD"``.

    Attributes
    ----------
    measure : Measure
        The measure without the parameters of the grid.
    values : dict of str to list
        The values of every parameter in canonical form, multiples as :class:`Multiple`.
    settings : list of Measure
        The settings, the last parameter changing quickest; one that comes twice stands there once.

    Raises
    ------
    irmx.errors.UsageError
        Where a parameter or a value is not one of the measure's; names what is allowed.

    Examples
    --------
    >>> Grid("NCP", {"law": "uniform,geometric(p=0.3)", "cutoff": [10, 100]}).settings
    [NCP(law=uniform)@10, NCP(law=uniform)@100, NCP(law=geometric(p=0.3))@10, NCP(law=geometric(p=0.3))@100]
    """

    def __init__(self, measure: str | ir_measures.Measure, values: Mapping[str, Any]) -> None:
        self.measure = _of_plugin(measure)
        if not isinstance(values, Mapping):
            raise UsageError(f"A grid maps parameters to their values. Got {values!r} instead.")
        if not values:
            raise UsageError(f"The grid is empty; to score one setting of {self.measure} use irmx eval. {_FORM}.")
        self.values = {name: self._values(name, given) for name, given in values.items()}
        made = map(self._setting, itertools.product(*self.values.values()))
        self.settings = list(dict.fromkeys(made))

    def __str__(self) -> str:
        return " ".join(f"{name}={','.join(map(text_of, values))}" for name, values in self.values.items())

    # -- values ------------------------------------------------------------------------------------------

    def _param(self, name: str) -> Param:
        owner, declared = str(self.measure.NAME), self.measure.SUPPORTED_PARAMS
        if name not in declared:
            raise UnknownNameError(
                f"{owner} has no parameter {name!r}.{suggest(str(name), declared)} It has: {', '.join(declared) or 'none'}."
            )
        param: Param = declared[name]
        return param

    def _values(self, name: str, given: Any) -> list[Any]:
        """Return the values of a parameter in canonical form."""
        self._param(name)
        if name in self.measure.params:
            raise UsageError(f"{self.measure} has {name!r} already; leave it out there, or out of the grid.")
        texts = split_values(given) if isinstance(given, str) else given
        if not isinstance(texts, Iterable):
            raise UsageError(f"The grid values of {name!r} must be a sequence. Got {given!r} instead.")
        found = [self._value(name, value) for value in texts]
        if not found:
            raise UsageError(f"The grid has no value for {name!r}. {_FORM}.")
        for value in found:
            if sum(value == other for other in found) > 1:
                raise UsageError(f"The grid has the value {text_of(value)} of {name!r} twice.")
        return found

    def _value(self, name: str, value: Any) -> Any:
        param, owner = self._param(name), str(self.measure.NAME)
        if not isinstance(value, str):
            return param.check(value, name, owner)
        if not value.strip():
            raise UsageError(
                f"The grid has an empty value of {name!r}. {_FORM}; with spaces it stands in quotes as a whole."
            )
        multiple = parse_multiple(value) if quantity(param) else None
        if multiple is not None:
            return self._checked_multiple(multiple, name)
        return self._parsed(value.strip(), name, param, owner)

    def _parsed(self, text: str, name: str, param: Param, owner: str) -> Any:
        """Return the value that a text stands for, as in an expression, where quotes may be left out."""
        if text in param.words:
            return text
        quoted = text[:1] in ("'", '"')
        if param.dtype is duration and not quoted:
            return param.check(text, name, owner)
        if param.dtype is str and not param.kind and not quoted and not (param.nullable and text == "None"):
            return param.check(text, name, owner)
        return parse_value(text, self.measure, name)

    def _checked_multiple(self, multiple: Multiple, name: str) -> Multiple:
        of = self._param(multiple.of)
        if multiple.of == name:
            raise UsageError(f"The grid value {multiple} of {name!r} is a multiple of itself.")
        here, there = quantity(self._param(name)), quantity(of)
        if here != there:
            what = f"a {there}" if there else "no amount"
            raise UsageError(f"The grid value {multiple} of {name!r} must be a {here}, but {multiple.of!r} is {what}.")
        return multiple

    # -- settings ----------------------------------------------------------------------------------------

    def _setting(self, combination: Sequence[Any]) -> Measure:
        given = dict(zip(self.values, combination, strict=True))
        setting: Measure = self.measure(**{name: self._resolved(name, given, ()) for name in given})
        setting.validate_params()
        return setting

    def _resolved(self, name: str, given: Mapping[str, Any], chain: tuple[str, ...]) -> Any:
        """Return the value of a parameter in one combination, with multiples worked out."""
        value = given.get(name, self.measure[name])
        if not isinstance(value, Multiple):
            return value
        if name in chain:
            raise UsageError(f"The grid values of {' and '.join(map(repr, chain))} are multiples of one another.")
        base = self._resolved(value.of, given, (*chain, name))
        param = self._param(value.of)
        if base is None or base in param.words:
            raise UsageError(f"The grid value {value} of {name!r} needs an amount, but {value.of!r} is {base}.")
        try:
            return self._param(name).check(value.times(base), name, str(self.measure.NAME))
        except UsageError as error:
            raise UsageError(f"{error} It is {value} of the grid, with {value.of}={text_of(base)}.") from None


def _of_plugin(measure: str | ir_measures.Measure) -> Measure:
    """Return the measure to be swept, refusing those that are not of irmx."""
    found, *more = measures_named(measure.strip(), complete=False) if isinstance(measure, str) else [measure]
    if more or not isinstance(found, Measure):
        raise UsageError(
            f"{measure} is not a measure of an irmx plugin; a sweep needs its declared parameters. "
            "It may be a reference of a sweep. 'irmx measures' lists all measures."
        )
    return found


def parse_grid(options: Iterable[str]) -> dict[str, str]:
    """Return the parameters and the texts of their values of some ``parameter=value,value,...``.

    >>> parse_grid(["MD=30s,1m", "L = 0, .5"])
    {'MD': '30s,1m', 'L': ' 0, .5'}
    """
    found: dict[str, str] = {}
    for option in options:
        name, equals, values = option.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"{option!r} is no grid. {_FORM}.")
        if name in found:
            raise UsageError(f"The grid has the parameter {name!r} twice; put all of its values into one.")
        found[name] = values
    return found


def split_values(text: str) -> list[str]:
    """Return the parts of a text at the commas that stand outside parentheses and quotes.

    >>> split_values("uniform, table(p=[0.5,0.5]), 'a,b'")
    ['uniform', ' table(p=[0.5,0.5])', " 'a,b'"]
    """
    if not text.strip():
        return []
    parts, depth, quote = [""], 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        else:
            depth += (char in _OPEN) - (char in _CLOSE)
        if char == "," and not quote and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def text_of(value: Any) -> str:
    """Return a value as the text under which tables of results have it.

    >>> text_of("30s"), text_of(0.5), text_of([1, 2]), text_of(None), text_of(Multiple("0.5", "MD"))
    ('30s', '0.5', '[1,2]', 'None', '0.5*MD')
    """
    return str(value) if isinstance(value, (str, Multiple, Symbol)) else value_text(value)
