"""Checks that numbers are dates in seconds since 1970."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irmx.errors import DataError
from irmx.ragged import Array, Floats

_TWO_DAYS = 2 * 86400.0
_FIRST, _LAST = -62135596800.0 + _TWO_DAYS, 253402300799.0 - _TWO_DAYS
"""The first second of the year 1 and the last of 9999, with a margin for time zones; a date is between them."""

_REMEDY = (
    "Numeric dates are seconds since 1970: divide milliseconds by 1000, and write years and days as strings, such as "
    "1914-01-01; in pandas, .astype('Int64').astype('string') turns whole numbers into strings."
)


def check_dates(values: Floats, name: str, where: Callable[[int], str]) -> None:
    """Raise if numbers are not dates in seconds since 1970.

    Refused are numbers outside the years 1 to 9999, such as milliseconds. Also refused are whole numbers that look like
    years (1000 to 2999) or days (YYYYMMDD), which as seconds would all be in 1970, if they are the majority of the numbers
    other than 0.

    Parameters
    ----------
    values : float array
        The numbers; NaN if missing.
    name : str
        Their name in messages, such as the name of their column.
    where : callable
        Returns a description of where a number is, given its index.

    Raises
    ------
    irmx.errors.DataError
        If some number is not a date; the message names the first, and says what to do.

    Examples
    --------
    >>> check_dates(np.array([0.0, 1800.0, 1393632000.0]), "date", "row {}".format)
    >>> check_dates(np.array([1914.0, 1918.0]), "date", "row {}".format)
    Traceback (most recent call last):
    ...
    irmx.errors.DataError: The date 1914 of row 0 looks like a year. Numeric dates are seconds since 1970: ...
    """
    year, day = _like_years(values), _like_days(values)
    misread = year | day
    if 2 * misread.sum() <= (~np.isnan(values) & (values != 0)).sum():
        misread = np.zeros(len(values), dtype=bool)
    for i in np.flatnonzero(misread | (values < _FIRST) | (values > _LAST))[:1].tolist():
        like = "looks like a year" if year[i] else "looks like a day written YYYYMMDD"
        what = like if misread[i] else "is not a date within the years 1 to 9999"
        raise DataError(f"The {name} {values[i]:.15g} of {where(i)} {what}. {_REMEDY}")


def _like_years(values: Floats) -> Array:
    return np.asarray((values >= 1000) & (values < 3000) & (values % 1 == 0))


def _like_days(values: Floats) -> Array:
    month, day = values // 100 % 100, values % 100
    in_year = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return np.asarray(_like_years(values // 10000) & in_year & (values % 1 == 0))
