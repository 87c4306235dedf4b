"""Grids: values of parameters, and the settings that their combinations give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures

from irmx.declare.expressions import measures_named
from irmx.declare.measures import Measure
from irmx.declare.params import Param, refuse_unknown
from irmx.declare.written_values import MOST_SETTINGS, Span, ValueParser, text_of
from irmx.errors import UsageError
from irmx.text import value_repr

_FORM = "A grid is written parameter=value,value,... or parameter=low:high:number, such as MD=30s,1m,2m or L=0:1:11"


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
        self._owner: Any = _Declared(owner, declared) if self.measure is None else self.measure  # type: ignore[arg-type]
        by_name = self.parse(values)
        if not by_name:
            raise UsageError(f"The grid is empty; give at least one parameter with its values. {_FORM}.")
        reader = ValueParser(self._owner)
        self.values = {name: self._values(reader, name, some) for name, some in by_name.items()}
        self._settings = reader.combined(self.values)

    def settings(self) -> list[dict[str, Any]]:
        """Return the distinct settings; the last parameter changes fastest."""
        return [dict(setting) for setting in self._settings]

    def measures(self) -> list[Measure]:
        """Return the measure of every setting, with all required parameters."""
        if self.measure is None:
            raise UsageError(f"The grid of {self._owner.NAME} has settings, but no measure.")
        measures: list[Measure] = [self.measure(**setting) for setting in self._settings]
        for measure in measures:
            measure.validate_params()
        return measures

    def __len__(self) -> int:
        return len(self._settings)

    def __str__(self) -> str:
        return " ".join(f"{name}={','.join(map(self.text_of, values))}" for name, values in self.values.items())

    def __repr__(self) -> str:
        return f"<Grid of {len(self)} settings of {self.measure or self._owner.NAME}: {self}>"

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
        return text_of(value)

    def _values(self, reader: ValueParser, name: str, values: Any) -> list[Any]:
        """Return the distinct values of a parameter in canonical form."""
        refuse_unknown([name], self._owner.SUPPORTED_PARAMS, str(self._owner.NAME))
        if self.measure is not None and name in self.measure.params:
            raise UsageError(f"{self.measure} already has {name!r}; remove it there, or from the grid.")
        if isinstance(values, str):
            found = reader.of(name, Span(values, 0, len(values)), ",") if values.strip() else []
        elif isinstance(values, Iterable):
            distinct: dict[str, Any] = {}
            for value in values:
                of_value = (
                    reader.of(name, Span(value, 0, len(value)).stripped(), "")
                    if isinstance(value, str)
                    else [reader.check(name, value)]
                )
                if len(of_value) == 1 and text_of(of_value[0]) in distinct:
                    raise UsageError(f"The grid has the value {text_of(of_value[0])} of {name!r} twice.")
                distinct.update({text_of(one): one for one in of_value})
                if len(distinct) > MOST_SETTINGS:
                    raise UsageError(
                        f"The grid has more than {MOST_SETTINGS:,} values of {name!r}; no more are possible."
                    )
            found = list(distinct.values())
        else:
            raise UsageError(f"The grid values of {name!r} must be a sequence. Got {value_repr(values)} instead.")
        if not found:
            raise UsageError(f"The grid has no value for {name!r}. {_FORM}.")
        return found


def _of_plugin(measure: str | ir_measures.Measure) -> Measure:
    """Return the measure whose parameters vary, or raise if it is not one of an irmx plugin."""
    parsed, *more = measures_named(measure.strip(), complete=False) if isinstance(measure, str) else [measure]
    if more or not isinstance(parsed, Measure):
        raise UsageError(
            f"{measure} is not a measure of an irmx plugin; a grid needs declared parameters. "
            "It may be a reference of a sweep. 'irmx measures' lists all measures."
        )
    return parsed
