"""Grid values that are multiples of another parameter, such as ``0.5*MD``; they are parsed, never evaluated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from irmx.declare.durations import duration, seconds
from irmx.declare.params import Param, number
from irmx.errors import UsageError

_WRITTEN = re.compile(r"([0-9]{1,99}(?:\.[0-9]{0,99})?|\.[0-9]{1,99})\s*\*\s*([A-Za-z_]\w*)", re.ASCII)


@dataclass(frozen=True)
class Multiple:
    """A factor times the value of another parameter.

    Attributes
    ----------
    factor : str
        The factor, a decimal number as written by the user.
    of : str
        The name of the other parameter.
    """

    factor: str
    of: str

    def __str__(self) -> str:
        return f"{self.factor}*{self.of}"

    def times(self, value: Any) -> int | float:
        """Return the multiple of a number, or of a duration in seconds, in exact decimal arithmetic.

        >>> Multiple("0.5", "MD").times("1m"), Multiple("0.1", "alpha").times(3)
        (30, 0.3)
        """
        product = Decimal(self.factor) * Decimal(repr(seconds(value) if isinstance(value, str) else value))
        return int(product) if product == product.to_integral_value() else float(product)


def parse_multiple(text: str) -> Multiple | None:
    """Return the multiple that a text stands for, None if it contains no ``*``.

    Raises
    ------
    irmx.errors.UsageError
        If it contains a ``*``, but is not a multiple.

    Examples
    --------
    >>> parse_multiple("0.5*MD")
    Multiple(factor='0.5', of='MD')
    >>> parse_multiple("30s") is None
    True
    >>> parse_multiple("MD*0.5")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: 'MD*0.5' is not a multiple of a parameter, which is written factor*parameter, such as 0.5*MD.
    """
    if "*" not in text:
        return None
    written = _WRITTEN.fullmatch(text.strip())
    if written is None:
        raise UsageError(
            f"{text!r} is not a multiple of a parameter, which is written factor*parameter, such as 0.5*MD."
        )
    return Multiple(*written.groups())


def quantity(param: Param) -> str:
    """Return whether a parameter is a ``"number"`` or a ``"duration"``; an empty string if it is neither.

    >>> quantity(Param(duration, "time away")), quantity(Param(int, "users")), quantity(Param(str, "unit"))
    ('duration', 'number', '')
    """
    if param.kind:
        return ""
    return "duration" if param.dtype is duration else "number" if param.dtype in (int, float, number) else ""
