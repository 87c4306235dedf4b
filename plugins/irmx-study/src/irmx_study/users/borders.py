"""Borders between users: where along a parameter the better system changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from irmx.ragged import Floats
from irmx_study.settings.varied_parameters import VariedParameter

if TYPE_CHECKING:
    import pandas as pd

_PLACES = 12
"""Differences of means are rounded to so many decimal places before their signs are compared."""


def borders(rows: pd.DataFrame, varied: Sequence[VariedParameter]) -> pd.DataFrame:
    """Return where the sign of the difference, or the significantly better system, changes between neighbouring settings.

    Parameters
    ----------
    rows : DataFrame
        What :meth:`Sensitivity.frame` returns.
    varied : sequence of VariedParameter
        The parameters that vary independently; only those with an order have borders.

    Returns
    -------
    DataFrame
        See :meth:`Sensitivity.border`.
    """
    import pandas as pd

    names = [parameter.column for parameter in varied]
    found = []
    for parameter in varied:
        if parameter.positions is None:
            continue
        place = dict(zip(parameter.cells(), parameter.positions, strict=True))
        others = [name for name in names if name != parameter.column]
        for fixed, line in rows.groupby(["a", "b", *others], sort=False):
            ordered = line.iloc[np.argsort(line[parameter.column].map(place).to_numpy(), kind="stable")]
            for lower, upper in pairwise(ordered.to_dict("records")):
                sign = bool(signs(lower["difference"]) != signs(upper["difference"]))
                significance = lower["better"] != upper["better"]
                if sign or significance:
                    found.append(
                        {
                            "a": fixed[0],
                            "b": fixed[1],
                            "parameter": parameter.name,
                            "lower": lower[parameter.column],
                            "upper": upper[parameter.column],
                            **dict(zip(others, fixed[2:], strict=True)),
                            "sign": sign,
                            "significance": significance,
                            **{f"{key}_lower": lower[key] for key in ("difference", "better")},
                            **{f"{key}_upper": upper[key] for key in ("difference", "better")},
                        }
                    )
    ends = [f"{key}_{end}" for end in ("lower", "upper") for key in ("difference", "better")]
    columns = ["a", "b", "parameter", "lower", "upper", *names, "sign", "significance", *ends]
    return pd.DataFrame(found, columns=[name for name in columns if len(names) > 1 or name not in names])


def signs(differences: Floats) -> Floats:
    """Return the signs of differences of means, 0 for those that come from the rounding of sums.

    >>> signs(np.array([0.1, 1e-17, -0.1]))
    array([ 1.,  0., -1.])
    """
    return np.asarray(np.sign(np.round(differences, _PLACES)))
