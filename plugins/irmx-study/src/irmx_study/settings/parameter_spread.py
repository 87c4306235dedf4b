"""Which parameters matter: how a value that every setting has changes along each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx.toolkit import suggest
from irmx_study.settings.varied_parameters import VariedParameter


def medians_along(parameter: VariedParameter, values: Floats) -> Floats:
    """Return the median of values over the settings with each value of a parameter, in the order of its axis; NaN counts as none."""
    places = {cell: place for place, cell in enumerate(parameter.axis())}
    at = np.array([places[cell] for cell in parameter.cells()])
    groups = [values[(at == place) & ~np.isnan(values)] for place in range(len(places))]
    return np.array([np.median(group) if len(group) else np.nan for group in groups])


def most_important(varied: Sequence[VariedParameter], values: Floats, count: int = 2) -> list[VariedParameter]:
    """Return the parameters along which the median of values changes most, the first declared first."""
    spreads = []
    for parameter in varied:
        medians = medians_along(parameter, values)
        medians = medians[~np.isnan(medians)]
        spreads.append(float(np.ptp(medians)) if len(medians) else 0.0)
    chosen = sorted(np.argsort(-np.round(spreads, 12), kind="stable")[:count].tolist())
    return [varied[place] for place in chosen]


def named_parameters(varied: Sequence[VariedParameter], names: Sequence[str], most: int = 2) -> list[VariedParameter]:
    """Return parameters by their names.

    Raises
    ------
    irmx.errors.UsageError
        If a name is of no parameter that varies, or there are more than ``most``.
    """
    by_name = {parameter.name: parameter for parameter in varied}
    for name in names:
        if name not in by_name:
            raise UsageError(f"No parameter {name!r} varies.{suggest(name, by_name)} These do: {', '.join(by_name)}.")
    distinct = list(dict.fromkeys(names))
    if not 1 <= len(distinct) <= most:
        raise UsageError(
            f"A picture shows the settings along one or two parameters. Got {', '.join(distinct) or 'none'}."
        )
    return [by_name[name] for name in distinct]
