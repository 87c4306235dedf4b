"""Amounts of memory, as users write and read them."""

from __future__ import annotations

import re

from irmx.errors import UsageError

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def bytes_of(amount: str | float, what: str = "memory") -> int:
    """Return an amount of memory in bytes.

    Parameters
    ----------
    amount : str or number
        A number of bytes, at least 1000, or a text such as ``"1GB"``, ``"4G"`` or ``"500 MB"``; 1 GB is 10^9 bytes.
    what : str
        What it is an amount of, for messages.

    Raises
    ------
    irmx.errors.UsageError
        If it is not an amount of memory.

    Examples
    --------
    >>> bytes_of("500MB"), bytes_of("1.5G"), bytes_of(4096)
    (500000000, 1500000000, 4096)
    """
    parts = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{0,15})?)\s*([KMGT]?)B?", str(amount)[:99].strip(), re.IGNORECASE)
    size = int(float(parts[1]) * _UNITS[parts[2].upper()]) if parts else 0
    if size < _UNITS["K"]:
        shown = str(amount)[:99]
        raise UsageError(f"The {what} must be an amount such as 500MB or 1GB, at least 1KB. Got {shown!r} instead.")
    return size


def size_text(size: float) -> str:
    """Return a number of bytes as an amount of two digits or more.

    >>> size_text(999), size_text(13_045_000), size_text(1_304_500_000), size_text(6e13)
    ('999 bytes', '13 MB', '1.3 GB', '60 TB')
    """
    for unit in ("TB", "GB", "MB", "KB"):
        number = size / _UNITS[unit[0]]
        if number >= 1:
            return f"{number:.1f} {unit}" if number < 9.95 else f"{number:,.0f} {unit}"
    return f"{size:.0f} bytes"
