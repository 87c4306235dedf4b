"""Grids of parameters of measures of pages: ranges as text, and the settings that they make."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx_pages.fit.scores_of_settings import fittable, has_value, with_values

POINTS = 51
"""The values of a range that does not say how many: steps of 0.01 from 0.5 to 1."""

_FORM = "A grid is written parameter=low:high, parameter=low:high:number or parameter=value,value,..., such as alpha=1.5:100"


@dataclass(frozen=True)
class ParameterGrid:
    """Values of some parameters of a measure, and every combination of them.

    Attributes
    ----------
    measure : Measure
        The measure as it was given.
    values : dict of str to float array
        The values of every parameter, ascending.
    """

    measure: Any
    values: dict[str, Floats]

    @property
    def settings(self) -> list[dict[str, float]]:
        """Every combination, the last parameter changing quickest."""
        found = itertools.product(*(v.tolist() for v in self.values.values()))
        return [dict(zip(self.values, combination, strict=True)) for combination in found]

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """The smallest and the largest value of every parameter."""
        return [(float(v[0]), float(v[-1])) for v in self.values.values()]

    def middle(self, best: Sequence[int]) -> int:
        """Return, of settings that are equally good, the one nearest to their middle, by places in the grid.

        >>> grid = ParameterGrid(None, {"beta": np.array([0.1, 0.2, 0.3, 0.4])})
        >>> grid.middle([1, 2, 3])
        2
        """
        places = np.stack(np.unravel_index(np.asarray(best), [len(v) for v in self.values.values()]), axis=1)
        size = np.array([max(len(v) - 1, 1) for v in self.values.values()])
        distance = (((places - places.mean(axis=0)) / size) ** 2).sum(axis=1)
        return int(best[int(np.argmin(distance))])


def parameter_grid(measure: Any, grid: Mapping[str, Any]) -> ParameterGrid:
    """Return the grid of a measure, checked.

    Parameters
    ----------
    measure : Measure
        The measure; it has no value of its own for the parameters of the grid.
    grid : mapping of str to str or sequence of float
        By parameter: ``"1.5:100"`` for 51 values at equal distances, ``"1.5:100:20"`` for 20, ``"2,5,10"`` for these, or the
        values.

    Raises
    ------
    irmx.UsageError
        Where a parameter cannot be fitted, is given twice, or a value is not allowed.

    Examples
    --------
    >>> from irmx_pages import AS_RBP
    >>> found = parameter_grid(AS_RBP, {"alpha": "2:10:5", "beta": "0.5,.8"})
    >>> found.values["alpha"].tolist(), len(found.settings), found.settings[1]
    ([2.0, 4.0, 6.0, 8.0, 10.0], 10, {'alpha': 2.0, 'beta': 0.8})
    """
    if not grid:
        raise UsageError(f"The grid is empty: there is nothing to fit. {_FORM}.")
    values, known = {}, fittable(measure)
    for name, given in grid.items():
        if name == "personal":
            raise UsageError(
                f"The weight 'personal' of {measure} is fitted for every assessor; leave it out of the grid."
            )
        if name not in known:
            raise UsageError(
                f"The parameter {name!r} of {measure} cannot be fitted. Those that can: {', '.join(known)}."
            )
        if has_value(measure, name):
            raise UsageError(f"{measure} has {name!r} already; leave it out there, or out of the grid.")
        found = grid_values(name, given)
        _refuse_outside(measure, name, found, given)
        values[name] = np.unique(found)
        if len(values[name]) < 2:
            raise UsageError(
                f"The grid has a single value of {name!r}, {found[0]:g}; there is nothing to fit. {_FORM}."
            )
    return ParameterGrid(measure, values)


def parse_grid(options: Sequence[str]) -> dict[str, str]:
    """Return the parameters and the texts of their values of some ``parameter=values``.

    >>> parse_grid(["alpha=1.5:100", "beta=.5,.8"])
    {'alpha': '1.5:100', 'beta': '.5,.8'}
    """
    found: dict[str, str] = {}
    for option in options:
        name, equals, values = option.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option!r} is no grid. {_FORM}.")
        if name.strip() in found:
            raise UsageError(f"The grid has the parameter {name.strip()!r} twice; put all of its values into one.")
        found[name.strip()] = values
    return found


def _refuse_outside(measure: Any, name: str, values: list[float], given: Any) -> None:
    """Raise where the smallest or the largest value is not allowed; says which range of the same kind is."""
    try:
        for value in (min(values), max(values)):
            with_values(measure, {name: value})
    except UsageError as error:
        if name != "alpha" or min(values) > 1 or max(values) <= 1:
            raise
        parts = given.split(",") if isinstance(given, str) else map(str, given)
        ends = [part.split(":") for part in parts]
        above = ",".join(":".join(["1.01" if float(low) <= 1 else low, *others]) for low, *others in ends)
        raise UsageError(
            f"{error} Write {name}={above}: at 1.01 the gain is nearly a step, 0 for what users want less than the web and 1 for "
            "what they want more."
        ) from None


def grid_values(name: str, given: Any) -> list[float]:
    """Return the values of a parameter, as they are given, ranges among them."""
    if not isinstance(given, str):
        return [_number(name, value) for value in given]
    found: list[float] = []
    for part in given.split(","):
        ends = part.split(":")
        if len(ends) == 1:
            found.append(_number(name, part))
            continue
        points = _number(name, ends[2]) if len(ends) == 3 else float(POINTS)
        low, high = _number(name, ends[0]), _number(name, ends[1])
        if len(ends) > 3 or not points.is_integer() or points < 2 or low >= high:
            raise UsageError(
                f"The range {part.strip()!r} of {name!r} is none: low:high:number, low < high, 2 or more. {_FORM}."
            )
        found += np.linspace(low, high, int(points)).round(12).tolist()
    return found


def _number(name: str, given: Any) -> float:
    try:
        value = float(str(given).replace("_", "?"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"The grid value {given!r} of {name!r} is not a number. {_FORM}.")
    return value
