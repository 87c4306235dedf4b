"""Grids of parameters of page measures, and the middle of equally good settings."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import Grid, Param, UsageError
from irmx.ragged import Floats
from irmx_pages.fit.scores_of_settings import fittable, has_value


@dataclass(frozen=True)
class ParameterGrid:
    """Values of some parameters of a measure, and every combination of them.

    Attributes
    ----------
    measure : Measure
        The measure whose parameters are fitted.
    values : dict of str to float array
        The values of every parameter, ascending.
    """

    measure: Any
    values: dict[str, Floats]

    @property
    def settings(self) -> list[dict[str, float]]:
        """Every combination; the last parameter changes fastest."""
        found = itertools.product(*(v.tolist() for v in self.values.values()))
        return [dict(zip(self.values, combination, strict=True)) for combination in found]

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """The smallest and the largest value of every parameter."""
        return [(float(v[0]), float(v[-1])) for v in self.values.values()]

    def middle(self, best: Sequence[int]) -> int:
        """Return the one of several equally good settings that is nearest to their middle, by positions in the grid.

        >>> grid = ParameterGrid(None, {"beta": np.array([0.1, 0.2, 0.3, 0.4])})
        >>> grid.middle([1, 2, 3])
        2
        """
        places = np.stack(np.unravel_index(np.asarray(best), [len(v) for v in self.values.values()]), axis=1)
        size = np.array([max(len(v) - 1, 1) for v in self.values.values()])
        distance = (((places - places.mean(axis=0)) / size) ** 2).sum(axis=1)
        return int(best[int(np.argmin(distance))])


def parameter_grid(measure: Any, grid: Mapping[str, Any] | Sequence[str]) -> ParameterGrid:
    """Return the grid of a measure, checked.

    Parameters
    ----------
    measure : Measure
        The measure, without explicit values for the parameters of the grid.
    grid : mapping of str to str or sequence of float, or sequence of str
        As for :class:`irmx.Grid`: ``"1.5:100"`` for 51 values at equal distances, ``"1.5:100:20"`` for 20, ``"2,5,10"`` for
        these, or the values.

    Raises
    ------
    irmx.UsageError
        If a parameter cannot be fitted, is given twice, or has a value that is not allowed.

    Examples
    --------
    >>> from irmx_pages import AS_RBP
    >>> found = parameter_grid(AS_RBP, {"alpha": "2:10:5", "beta": "0.5,.8"})
    >>> found.values["alpha"].tolist(), len(found.settings), found.settings[1]
    ([2.0, 4.0, 6.0, 8.0, 10.0], 10, {'alpha': 2.0, 'beta': 0.8})
    """
    params = fittable(measure)
    given = Grid.parse(grid)
    for name in given:
        if name == "personal":
            raise UsageError(
                f"The weight 'personal' of {measure} is fitted separately for every assessor; leave it out of the grid."
            )
        if name not in params:
            raise UsageError(
                f"The parameter {name!r} of {measure} cannot be fitted. The parameters that can be: {', '.join(params)}."
            )
        if has_value(measure, name):
            raise UsageError(
                f"{measure} already has a value of {name!r}; leave it out of the measure or out of the grid."
            )
    try:
        values = Grid(params, given, owner=str(measure.NAME)).values
    except UsageError as error:
        message, line_end, place = str(error).partition("\n")
        raise UsageError(f"{message}{_above_one(given.get('alpha', ''))}{line_end}{place}") from None
    return ParameterGrid(measure, {name: _numbers(name, some) for name, some in values.items()})


def grid_values(name: str, param: Param, given: Any) -> Floats:
    """Return the values of one parameter, ascending."""
    return np.unique(Grid({name: param}, {name: given}, owner="the fit").values[name])


def _numbers(name: str, values: Sequence[Any]) -> Floats:
    """Return values as an ascending array; raise for values that the search cannot use."""
    other = [value for value in values if not isinstance(value, (int, float))]
    if other:
        raise UsageError(f"The grid value {other[0]} of {name!r} is not a number; each parameter is fitted separately.")
    if len(values) < 2:
        raise UsageError(f"The grid has only one value of {name!r}, {values[0]:g}; there is nothing to fit.")
    return np.unique(np.array(values, dtype=float))


def _above_one(given: Any) -> str:
    """Return advice on a grid of alpha that begins at or below 1 and extends above it."""
    parts = given.split(",") if isinstance(given, str) else list(map(str, given))
    ends = [part.split(":") for part in parts]
    try:
        numbers = [float(end) for part in ends for end in part[:2]]
    except ValueError:
        return ""
    if not numbers or min(numbers) > 1 or max(numbers) <= 1:
        return ""
    above = ",".join(":".join(["1.01" if float(low) <= 1 else low, *others]) for low, *others in ends)
    return (
        f" Write alpha={above}: at 1.01 the gain is nearly a step, 0 for what users want less than the web and 1 for "
        "what they want more."
    )
