"""The settings of a measure among several measures, and the parameters in which they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ir_measures
import numpy as np

from irmx import Grid, Symbol, UsageError
from irmx.ragged import Floats
from irmx.toolkit import duration, seconds, suggest

COLUMNS = (
    "measure", "share", "a", "b", "topics", "mean_a", "mean_b", "difference", "low", "high", "p", "p_corrected", "better",
    "parameter", "lower", "upper", "sign", "significance", "run", "rank", "value", "settings", "correlation", "which",
    "tau", "p_value", "tau_ap", "tau_ap_a", "tau_ap_b", "holds",
)  # fmt: skip
"""The columns of tables of settings, beside those of the parameters."""


@dataclass(frozen=True)
class VariedParameter:
    """A parameter in which the settings of a measure differ.

    Attributes
    ----------
    name : str
        The name; ``law.p`` is the parameter ``p`` of the named object that is the parameter ``law``.
    values : tuple
        The value in every setting.
    declared : ParamInfo
        Its declaration.
    """

    name: str
    values: tuple[Any, ...]
    declared: Any

    @cached_property
    def positions(self) -> Floats | None:
        """The values as numbers, durations in seconds; None if the parameter has no order."""
        if getattr(self.declared, "dtype", None) is duration and all(
            isinstance(v, (str, int, float)) for v in self.values
        ):
            return np.array([seconds(value) for value in self.values])
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values):
            return np.array(self.values, dtype=float)
        return None

    @property
    def column(self) -> str:
        """The name of its column in tables: the parameter's, with an underscore after it if it is that of another column."""
        return self.name + "_" * (self.name in COLUMNS)

    def cells(self) -> list[Any]:
        """Return the values for a table: numbers and truth values as they are, all others as text."""
        plain = all(isinstance(value, (int, float)) for value in self.values)
        return list(self.values) if plain else [Grid.text_of(value) for value in self.values]

    def axis(self) -> list[Any]:
        """Return the distinct cells, sorted if the parameter has an order, else in the order of the settings."""
        cells = self.cells()
        if self.positions is not None:
            cells = [cells[place] for place in np.argsort(self.positions, kind="stable")]
        return list(dict.fromkeys(cells))


def settings_among(measures: Sequence[ir_measures.Measure], name: str | None = None) -> list[ir_measures.Measure]:
    """Return the measures of the same name that are several settings of it.

    Parameters
    ----------
    measures : sequence of Measure
        The measures.
    name : str, optional
        The name, such as ``"MP"``; by default the only one that has several settings.

    Raises
    ------
    irmx.errors.UsageError
        If no measure has several settings, or more than one has and no name is given.
    """
    by_name: dict[str, list[ir_measures.Measure]] = {}
    for measure in measures:
        by_name.setdefault(str(measure.NAME), []).append(measure)
    several = [key for key, of_name in by_name.items() if len(of_name) > 1]
    if name is not None:
        if name not in by_name:
            raise UsageError(f"There is no measure {name!r}.{suggest(name, by_name)} Known: {', '.join(by_name)}.")
        several = [key for key in several if key == name]
    if not several:
        one = ", ".join(map(str, measures if name is None else by_name[name])) or "no measure"
        raise UsageError(
            f"This needs several settings of one measure, but there is only {one}. Write 'MP(model=*)', "
            "'NCP(law=uniform|first)' or 'RBP(p=0.5:0.9:5)' for several."
        )
    if len(several) > 1:
        raise UsageError(f"Several measures have several settings: {', '.join(several)}. Study one of them at a time.")
    return by_name[several[0]]


def varied_parameters(settings: Sequence[ir_measures.Measure]) -> tuple[VariedParameter, ...]:
    """Return the parameters in which settings of a measure differ, in the order of their declaration.

    Examples
    --------
    >>> import irmx
    >>> [law] = varied_parameters(irmx.toolkit.parse_measures("NCP(law=geometric(p=0.2|0.4))"))
    >>> law.name, law.values
    ('law.p', (0.2, 0.4))
    """
    return tuple(_varied(settings[0].SUPPORTED_PARAMS, [_values(measure) for measure in settings]))


def independent(varied: Sequence[VariedParameter]) -> tuple[VariedParameter, ...]:
    """Return the parameters without those that are everywhere the same multiple of one before them, along which nothing else varies.

    Examples
    --------
    >>> import irmx
    >>> settings = irmx.toolkit.parse_measures("MSU(MD=30s|1m|2m, SD=0.5*MD, L=0|1)")
    >>> [parameter.name for parameter in independent(varied_parameters(settings))]
    ['MD', 'L']
    """
    return tuple(
        parameter
        for place, parameter in enumerate(varied)
        if not any(_is_multiple(parameter, before) for before in varied[:place])
    )


def _is_multiple(parameter: VariedParameter, of: VariedParameter) -> bool:
    multiples, numbers = parameter.positions, of.positions
    if multiples is None or numbers is None:
        return False
    largest = int(np.argmax(np.abs(numbers)))
    return bool(np.allclose(multiples, multiples[largest] / numbers[largest] * numbers, rtol=1e-9, atol=0))


def _varied(
    declared: Mapping[str, Any], settings: Sequence[Mapping[str, Any]], of: str = ""
) -> Iterable[VariedParameter]:
    """Yield the parameters that vary; of one kind of named object in all settings, the parameters of it that vary."""
    for name, param in declared.items():
        values = [setting.get(name) for setting in settings]
        if len({Grid.text_of(value) for value in values}) < 2:
            continue
        first = values[0]
        if isinstance(first, Symbol) and {getattr(value, "NAME", None) for value in values} == {first.NAME}:
            inner = [{key: symbol[key] for key in first.SUPPORTED_PARAMS} for symbol in values if symbol is not None]
            yield from _varied(first.SUPPORTED_PARAMS, inner, f"{of}{name}.")
        else:
            yield VariedParameter(of + name, tuple(values), param)


def _values(measure: ir_measures.Measure) -> dict[str, Any]:
    """Return the value of every parameter of a measure; None where ir_measures has a mark for no default."""
    values = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    return {name: None if type(value) is object else value for name, value in values.items()}


def without(measure: ir_measures.Measure, varied: Iterable[VariedParameter]) -> str:
    """Return the text of a measure without some parameters, as a name of all its settings.

    >>> import irmx
    >>> settings = irmx.toolkit.parse_measures("NCP(law=first|uniform, rel=2)@10")
    >>> without(settings[0], varied_parameters(settings))
    'NCP(rel=2)@10'
    """
    names = {parameter.name.partition(".")[0]: "." in parameter.name for parameter in varied}
    texts = {
        name: value.NAME if name in names else Grid.text_of(value)
        for name, value in measure.params.items()
        if names.get(name, True)
    }
    at = texts.pop(measure.AT_PARAM, None)
    inner = ",".join(f"{name}={text}" for name, text in texts.items())
    return str(measure.NAME) + (f"({inner})" if inner else "") + ("" if at is None else f"@{at}")
