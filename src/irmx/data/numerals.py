"""What a number is when it is written as text: the same in every format, in data frames and in dicts."""

from __future__ import annotations

import contextlib
import math


def as_number(text: object) -> float | None:
    """Return the number that a text is, None if it is none.

    A number has ASCII digits, and may have a sign, a decimal point, an exponent and spaces around it, as C and Arrow read it.
    Python also accepts 1_000 and digits of other scripts, and some readers 0x10, true and dates.

    Examples
    --------
    >>> as_number("+1.5e3"), as_number("1_000"), as_number("0x10"), as_number("١٢")
    (1500.0, None, None, None)
    """
    if isinstance(text, str) and text.isascii() and "_" not in text:
        with contextlib.suppress(ValueError):
            return float(text)
    return None


def finite_or_missing(cell: object) -> float | None:
    """Return a cell of texts as a finite number, NaN if it is missing or says so; None if it is anything else.

    >>> finite_or_missing("2"), finite_or_missing(""), finite_or_missing("two"), finite_or_missing("1e400")
    (2.0, nan, None, None)
    """
    number = math.nan if cell is None or cell == "" else as_number(cell)
    return None if number is None or math.isinf(number) else number
