"""What the sections of a report show of many systems: which of them, and numbers as short as needed."""

from __future__ import annotations

import math
from typing import Any

from irmx_study.html_report.reported import Reported


def shown_systems(reported: Reported, most: int) -> tuple[str, ...]:
    """Return at most so many systems: the pair that the report shows first, then the others by their mean of the first measure.

    Parameters
    ----------
    reported : Reported
        What the report is about.
    most : int
        How many systems, at least 2.
    """
    means = reported.comparison.scores.means().iloc[:, 0]
    others = means.drop(list(reported.pair)).sort_values(ascending=False, kind="stable", na_position="last")
    return (*reported.pair, *map(str, others.index[: max(most - 2, 0)]))


def short(value: Any) -> Any:
    """Return a number with six significant digits, whole numbers unchanged, and None for one that is not finite.

    >>> short(2 / 3), short(3.0), short(1405591200.0), short(float("nan"))
    (0.666667, 3, 1405591200, None)
    """
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else float(f"{number:.6g}")
