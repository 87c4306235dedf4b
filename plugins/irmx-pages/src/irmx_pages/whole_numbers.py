"""Checks of integer arguments."""

from __future__ import annotations

from typing import Any

from irmx import UsageError


def check_whole(low: int, **given: Any) -> None:
    """Raise if a value is not an int of at least ``low``.

    >>> check_whole(1, pairs=8)
    >>> check_whole(0, seed=-1)
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: 'seed' must be an int in the range [0, inf). Got -1 instead.
    """
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise UsageError(f"{name!r} must be an int in the range [{low}, inf). Got {value!r} instead.")
