"""Single cells of a column: what is a number, a text or missing, and what a message calls them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timezone
from typing import Any

import numpy as np

from irmx.data.arrow_columns import Cells, kind_of, to_numpy
from irmx.declare.params import LARGEST_INT, Param
from irmx.errors import DataError
from irmx.ragged import Array, Floats
from irmx.text import value_repr

BLANKS = " \t\n\r\f\v"
"""What is left out around ids and numbers, in every format: the white space of ASCII. Other spaces are part of an id, and of no number."""
TRUTH = {"1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0}
"""The words for 1 and 0 in columns of truth values, and of grades."""
_MISSING = {"", "na", "n/a", "nan", "none", "null"}
"""The texts that stand for a missing number, in lower case."""


def as_number(text: object) -> float | None:
    r"""Return the number that a text is, None if it is none.

    A number has ASCII digits, and may have a sign, a decimal point, an exponent and :data:`BLANKS` around it, as C and Arrow read it.
    Python also accepts 1_000, digits of other scripts and separators such as "\x1c" around it, and some readers 0x10, true and dates.

    >>> as_number(" +1.5e3"), as_number("1_000"), as_number("0x10"), as_number("١٢"), as_number("\x1c1")
    (1500.0, None, None, None, None)
    """
    if isinstance(text, str) and text.isascii() and "_" not in text:
        number = text.strip(BLANKS)
        if number == number.strip():
            with contextlib.suppress(ValueError):
                return float(number)
    return None


def number_of(cell: Any, words: Mapping[str, float]) -> float:
    """Return a cell as a number, NaN if it is not a number to anyone but Python or numpy, as b"1", dates and True are."""
    if isinstance(cell, str):
        number = words.get(cell.strip(BLANKS).casefold(), as_number(cell))
        return math.nan if number is None else number
    if isinstance(cell, (bytes, date, np.datetime64, np.timedelta64)) or (
        isinstance(cell, (bool, np.bool_)) and not words
    ):
        return math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return math.nan


def parsed(cells: Cells, words: Mapping[str, float] | None = None) -> Floats:
    """Return cells as numbers, NaN for a cell that is not a number; ``words`` are the numbers that some words stand for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, floats = kind_of(cells), pa.float64()
    if kind in ("integer", "number", "null", "boolean"):
        return to_numpy(cells.cast(floats, safe=False), missing=math.nan)  # type: ignore[union-attr]
    if kind == "text":
        cells = cells.cast(pa.large_string())  # type: ignore[union-attr]
        with contextlib.suppress(pa.ArrowInvalid):
            return to_numpy(cells.cast(floats), missing=math.nan)
        with contextlib.suppress(pa.ArrowInvalid):
            blank = pc.equal(pc.binary_length(cells), 0)
            return to_numpy(pc.if_else(blank, None, cells).cast(floats), missing=math.nan)
    if isinstance(cells, list) and set(map(type, cells)) <= {int, float}:
        with contextlib.suppress(OverflowError):
            return np.array(cells, dtype=np.float64)
    return np.array([number_of(cell, words or {}) for cell in listed_cells(cells)], dtype=np.float64)


def seconds_of_texts(texts: Sequence[str | None]) -> Floats:
    """Return dates by ISO 8601 as seconds since 1970, NaN for those that are none; without a time zone they are in UTC.

    >>> seconds_of_texts(["1970-01-02", "1970-01-01T01:00:00+01:00", "9999-12-31", "today", None]).tolist()
    [86400.0, 0.0, 253402214400.0, nan, nan]
    """
    import pandas as pd

    # pandas also knows "today" and "now"
    written = [text if text and text.lstrip()[:1].isdigit() else None for text in texts]
    dates = pd.to_datetime(pd.Series(written, dtype=object), errors="coerce", utc=True, format="ISO8601")
    moments = dates.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    for i in np.flatnonzero(np.isnat(moments)).tolist():  # pandas before 3 takes those of 1677 to 2262 only
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            moment = datetime.fromisoformat(str(texts[i]).replace("Z", "+00:00"))
            if not _NANOSECONDS[0] <= moment.year <= _NANOSECONDS[1]:
                moments[i] = np.datetime64(
                    moment.astimezone(timezone.utc).replace(tzinfo=None) if moment.tzinfo else moment, "us"
                )
    return np.asarray((moments - np.datetime64(0, "us")) / np.timedelta64(1, "s"))


_NANOSECONDS = 1678, 2261
"""The years all of whose moments are a number of nanoseconds since 1970 in 64 bits."""


def is_sound(values: Floats, declared: Param) -> Any:
    """Tell which values are finite numbers in a declared range; of scores, minus infinity is one."""
    sound = np.isfinite(values)
    if declared.low == -math.inf:
        sound = values < math.inf
    if declared.dtype is int:
        sound &= (values == np.floor(values)) & (np.abs(values) <= LARGEST_INT)
    if declared.dtype is bool:
        sound &= (values == 0) | (values == 1)
    for bound, holds in (
        (declared.low, np.greater_equal),
        (declared.high, np.less_equal),
        (declared.above, np.greater),
        (declared.below, np.less),
    ):
        if bound is not None:
            sound &= holds(values, bound)
    return sound


def listed_cells(cells: Cells) -> list[Any]:
    return cells if isinstance(cells, list) else cells.to_pylist()


def objects(cells: Cells) -> Array:
    return np.fromiter(listed_cells(cells), object, len(cells))


def is_missing(cell: Any) -> bool:
    """Tell whether a cell has no value."""
    if isinstance(cell, str):
        return len(cell) < 9 and cell.strip(BLANKS).casefold() in _MISSING
    return (
        cell is None
        or bool(isinstance(cell, (float, np.floating)) and cell != cell)
        or type(cell).__name__ in ("NAType", "NaTType")
    )


def cell_text(cell: Any) -> str:
    """Return a cell as a string: whole numbers without a decimal point, an empty string for a missing value."""
    if isinstance(cell, str):
        return cell
    if is_missing(cell):
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def must_be(declared: Param, name: str = "") -> str:
    """Return a sentence that says what a value must be."""
    expected = declared.expects().removesuffix(" or None")
    for in_python, in_a_table in _KINDS.items():
        if expected.startswith(in_python):
            expected = in_a_table + expected.removeprefix(in_python)
    return f"{f'the {name}' if name else 'It'} must be {expected}."


_KINDS = {"True or False": "1 or 0", "an int": "a whole number", "a float": "a number", "a string": "a text"}
"""The names of types in messages on parameters, and in messages on tables."""


def shown_cell(cell: Any) -> str:
    """Return a cell for a message."""
    return str(cell) if isinstance(cell, date) else value_repr(cell)


_TWO_DAYS = 2 * 86400.0
_FIRST, _LAST = -62135596800.0 + _TWO_DAYS, 253402300799.0 - _TWO_DAYS
"""The first second of the year 1 and the last of 9999, with a margin for time zones; a date is between them."""


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
    whole = values % 1 == 0
    year = (values >= 1000) & (values < 3000) & whole
    month, day_of_month = values // 100 % 100, values % 100
    day = (values >= 10_000_000) & (values < 30_000_000) & (month >= 1) & (month <= 12)
    day &= (day_of_month >= 1) & (day_of_month <= 31) & whole
    misread = year | day
    if 2 * misread.sum() <= (~np.isnan(values) & (values != 0)).sum():
        misread = np.zeros(len(values), dtype=bool)
    for i in np.flatnonzero(misread | (values < _FIRST) | (values > _LAST))[:1].tolist():
        like = "looks like a year" if year[i] else "looks like a day written YYYYMMDD"
        what = like if misread[i] else "is not a date within the years 1 to 9999"
        raise DataError(
            f"The {name} {values[i]:.15g} of {where(i)} {what}. Numeric dates are seconds since 1970: divide milliseconds by 1000, "
            "and write years and days as strings, such as 1914-01-01; in pandas, .astype('Int64').astype('string') turns whole "
            "numbers into strings."
        )
