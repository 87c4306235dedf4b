"""Cells: columns of Arrow as arrays, single values, and those of dicts of dicts."""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timezone
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irmx.declare.columns import TableName
from irmx.declare.params import LARGEST_INT, Param
from irmx.errors import DataError
from irmx.ragged import Array, Floats, Ints, offsets_of
from irmx.text import value_repr

if TYPE_CHECKING:
    import pyarrow as pa


# -- columns of Arrow as arrays of numpy and back --------------------------------------------------------------------


Cells: TypeAlias = "pa.Array | list[Any]"
"""A column as read: an Arrow array, or Python objects of several types."""

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def kind_of(cells: Cells) -> str:
    """Return what a column holds; ``"objects"`` for a list."""
    import pyarrow as pa

    if isinstance(cells, list):
        return "objects"
    is_a = pa.types
    dtype = cells.type.value_type if is_a.is_dictionary(cells.type) else cells.type
    if is_a.is_string(dtype) or is_a.is_large_string(dtype) or is_a.is_string_view(dtype):
        return "text"
    if is_a.is_integer(dtype):
        return "integer"
    if is_a.is_floating(dtype) or is_a.is_decimal(dtype):
        return "number"
    if is_a.is_timestamp(dtype) or is_a.is_date(dtype):
        return "date"
    return "null" if is_a.is_null(dtype) else "boolean" if is_a.is_boolean(dtype) else "other"


def seconds_of_dates(array: pa.Array) -> Floats:
    """Return dates as seconds since 1970, NaN if missing."""
    import pyarrow as pa

    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("s" if pa.types.is_date32(array.type) else "ms"))
    whole = array.cast(pa.int64()).cast(pa.float64(), safe=False)
    seconds: Floats = to_numpy(whole, missing=math.nan) / _PER_SECOND[array.type.unit]
    return seconds


def first_rows(cells: Cells) -> Ints | None:
    """Return the first row of each text of a dictionary-encoded column without missing ones; None unless in order of appearance."""
    import pyarrow as pa

    if isinstance(cells, list) or not pa.types.is_dictionary(cells.type) or kind_of(cells) != "text":
        return None
    if not len(cells) or cells.null_count or cells.dictionary.null_count:
        return None
    largest = np.maximum.accumulate(to_numpy(cells.indices), dtype=np.int64)
    new = np.diff(largest, prepend=-1)
    is_in_order = new.max() <= 1 and largest[-1] == len(cells.dictionary) - 1
    return np.flatnonzero(new) if is_in_order else None


def encoded(texts: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the number of each text, and the distinct texts by number, in order of appearance; none is missing."""
    by_number = texts.dictionary_encode()
    return to_numpy(by_number.indices).astype(np.int64), by_number.dictionary


def codes_in_use(distinct: pa.Array, code: Ints, rows: Ints) -> tuple[pa.Array, Ints]:
    """Return the distinct texts of some rows, given those of all and the number of each row's, and the number of each."""
    code = code[rows]
    if 8 * len(code) < len(distinct):  # of a few, sorting takes less than a look at all texts
        used, code = np.unique(code, return_inverse=True)
    else:
        is_used = np.zeros(len(distinct), dtype=bool)
        is_used[code] = True
        used, number = np.flatnonzero(is_used), np.empty(len(distinct), dtype=np.int64)
        number[used] = np.arange(len(used))
        code = number[code]
    return distinct.take(from_ints(used)), code


def to_numpy(numbers: pa.Array, missing: float = 0) -> Array:
    """Return an Arrow array of numbers as a numpy array, with a number in place of missing values."""
    import pyarrow as pa

    if not numbers.null_count:
        return np.from_dlpack(numbers)
    valid, values = numbers.buffers()
    filled = pa.Array.from_buffers(numbers.type, len(numbers), [None, values], offset=numbers.offset)
    is_valid = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")[numbers.offset :][: len(numbers)]
    return np.where(is_valid, np.from_dlpack(filled), missing)


def from_ints(numbers: Ints) -> pa.Array:
    """Return whole numbers as an Arrow array."""
    import pyarrow as pa

    return pa.Array.from_buffers(
        pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers, dtype=np.int64))]
    )


def from_texts(texts: Sequence[str], errors: str = "strict") -> pa.Array:
    """Return strings as an Arrow array; a TypeError for what is no string, by default a UnicodeEncodeError for half a surrogate pair."""
    import pyarrow as pa

    joined = "".join(texts)
    lengths = map(len, texts) if joined.isascii() else (len(text.encode(errors=errors)) for text in texts)
    offsets = offsets_of(np.fromiter(lengths, np.int64, len(texts)))
    content = pa.py_buffer(joined.encode(errors=errors))
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(offsets), content)


def byte_offsets(texts: pa.Array) -> tuple[Ints, Any]:
    """Return where the bytes of each of large strings start and end, and the bytes of all; none is missing."""
    _, offset_buffer, content = texts.buffers()
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    if len(texts):
        offsets = np.frombuffer(offset_buffer, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    if offsets[0] == offsets[-1]:  # Arrow may have no buffer for empty texts
        return np.zeros_like(offsets), np.empty(0, dtype=np.uint8)
    return offsets - offsets[0], np.frombuffer(content, np.uint8)[offsets[0] : offsets[-1]]


def is_utf_8(texts: pa.Array) -> bool:
    import pyarrow as pa

    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def first_odd(texts: pa.Array) -> tuple[int, str]:
    """Return the first text with a zero byte, or that is not UTF-8, and its place."""
    import pyarrow as pa

    for place, content in enumerate(texts.cast(pa.large_binary()).to_pylist()):
        shown = content.decode(errors="backslashreplace")
        if "\0" in shown or shown.encode() != content:
            return place, shown
    raise AssertionError("every text is sound")


# -- single cells of a column ----------------------------------------------------------------------------------------


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


# -- ids and numbers of dicts of dicts, checked ----------------------------------------------------------------------


_IDS = {"doc_id": "document id", "query_id": "query id"}


def topics_of_dict(table: TableName, data: Mapping[Any, Any]) -> dict[Any, Mapping[str, Any]]:
    """Return a dict of dicts, in which ids of documents that are whole numbers are their digits; raise for an invalid id.

    Of a query, the first and the last document tell whether there are such; whoever reads the ids checks them by :func:`check_texts`.
    """
    data = dict(data)
    for query_id, docs in data.items():
        if isinstance(query_id, (float, tuple)) or query_id is None or query_id == "":
            raise DataError(f"A query id of the {table} is {query_id!r}; ids are texts.")
        if not isinstance(docs, Mapping):
            raise DataError(
                f"The {table} must map every query id to a dict of documents. Query {query_id!r} holds {type(docs).__name__}."
            )
        for doc in ("",) if "" in docs else (next(iter(docs)), next(reversed(docs))) if docs else ():
            if not isinstance(doc, str) or not doc:
                data[query_id] = _with_digits(table, query_id, docs)
                break
    topics = list(map(str, data))
    check_texts(table, "query_id", topics)
    if len(set(topics)) < len(topics):
        twice = next(topic for topic in topics if topics.count(topic) > 1)
        raise DataError(f"The {table} has the query id {twice} twice, as a number and as a string.")
    return data


def _with_digits(table: TableName, query_id: Any, docs: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the documents of a query by their ids as texts."""
    out = {}
    for doc, value in docs.items():
        if isinstance(doc, bool) or not isinstance(doc, (str, int, np.integer)) or doc == "":
            raise DataError(
                f"A document id of the {table} is {doc!r} (query {query_id}); ids are texts or whole numbers, not empty."
            )
        out[str(doc)] = value
    if len(out) < len(docs):
        raise DataError(f"The {table} has a document of query {query_id} twice, as a number and as a text.")
    return out


def numbers_of_dict(table: TableName, column: str, data: Mapping[Any, Mapping[str, Any]], declared: Param) -> Floats:
    """Return the values of a dict of dicts; raise for the first that is not a number as declared."""
    numbers, at = np.empty(sum(map(len, data.values()))), 0
    try:
        for docs in data.values():  # numpy would also take b"1", "1_000" and dates for numbers, and is no faster
            struct.pack_into(f"{len(docs)}d", numbers.data, at, *docs.values())
            at += numbers.itemsize * len(docs)
    except struct.error:
        values = chain.from_iterable(docs.values() for docs in data.values())
        words = TRUTH if table == "qrels" else {}
        numbers = np.array(
            [float(value) if isinstance(value, (bool, np.bool_)) else number_of(value, words) for value in values],
            dtype=np.float64,
        )
    sound = np.isfinite(numbers) if declared.low is None else numbers < math.inf
    if not sound.all():
        ids = ((query_id, doc_id, value) for query_id, docs in data.items() for doc_id, value in docs.items())
        query_id, doc_id, value = next(row for row, fine in zip(ids, sound.tolist(), strict=True) if not fine)
        raise DataError(
            f"The {column} of the {table} must be a finite number. Got {value_repr(value)} instead: query {query_id}, document {doc_id}."
        )
    return numbers


def check_texts(table: TableName, column: str, ids: Sequence[Any]) -> None:
    """Raise if an id is not a string, or one that tools written in C cannot take: it ends the process of some."""
    try:
        joined = "".join(ids)
        if "\0" not in joined and (joined.isascii() or joined.encode()):
            return
    except (TypeError, UnicodeEncodeError):
        pass
    for text in ids:
        what = f"A {_IDS[column]} of the {table} is"
        if not isinstance(text, str):
            raise DataError(f"{what} {text!r}; ids are texts.")
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise DataError(f"{what} {text[:100]!r}: a zero byte, or half a character that UTF-8 cannot encode.")
