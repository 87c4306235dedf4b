"""Durations: seconds, or strings such as '30s', '5m', '1.5h', '1d', '2w'."""

from __future__ import annotations

import math
import numbers
import re
from typing import Any

from irmx.errors import UsageError
from irmx.text import value_repr

SECONDS: dict[str, int] = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
"""The units of a duration, in seconds."""

FORM = "seconds, or a text such as '30s', '5m', '1.5h', '1d'"
_WRITTEN = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\W0-9_]*)")


class duration:  # noqa: N801
    """The type of a parameter that is a duration; its canonical value is a string in the largest unit that is exact.

    Examples
    --------
    >>> from irmx import Param
    >>> from irmx.toolkit import duration
    >>> Param(duration, "time away").check(5400, "MA", "MSU")
    '1.5h'
    """


def seconds(value: Any) -> float:
    """Return a duration in seconds.

    Parameters
    ----------
    value : float or str
        Seconds, or a string of a number and a unit: s, m (minutes), h, d, w.

    Raises
    ------
    irmx.errors.UsageError
        If it is neither, or not finite.

    Examples
    --------
    >>> seconds("1.5h"), seconds(90)
    (5400.0, 90.0)
    >>> seconds("3 parsecs")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: '3 parsecs' is not a duration: 'parsecs' is not a unit of time. Units are s, m, h, d, w.
    """
    if isinstance(value, bool) or not isinstance(value, (str, numbers.Real)):
        raise UsageError(f"{value_repr(value)} is not a duration. A duration is {FORM}.")
    if isinstance(value, str):
        written = _WRITTEN.fullmatch(value.strip())
        if written is None:
            raise UsageError(f"{value_repr(value)} is not a duration. A duration is {FORM}.")
        unit = written.group(2) or "s"
        if unit not in SECONDS:
            raise UsageError(
                f"{value_repr(value)} is not a duration: {value_repr(unit)} is not a unit of time. Units are {', '.join(SECONDS)}."
            )
        total = float(written.group(1)) * SECONDS[unit]
    else:
        try:
            total = float(value)
        except OverflowError:
            total = math.inf
    if not math.isfinite(total):
        raise UsageError(f"{value_repr(value)} is not a duration: it is not finite. A duration is {FORM}.")
    return total


def duration_text(value: Any) -> str:
    """Return a duration in the largest unit in which it has at most three decimals.

    >>> duration_text(10800), duration_text(90), duration_text("100s")
    ('3h', '1.5m', '100s')
    """
    total = seconds(value)
    for unit, size in sorted(SECONDS.items(), key=lambda u: -u[1]):
        shown = f"{total / size:.3f}".rstrip("0").rstrip(".")
        if abs(total) >= size and float(shown) * size == total:
            return shown + unit
    return (f"{int(total)}" if total.is_integer() else repr(total)) + "s"
