"""One table for every input: Arrow columns that know the file and the line of each row, and the only checks of their cells."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from irmx.declare.columns import Column
from irmx.declare.params import LARGEST_INT, Param
from irmx.errors import DataError
from irmx.ragged import Array, Bools, Floats, Ints, offsets_of
from irmx.text import list_some, not_finite, plural, suggest, value_repr

if TYPE_CHECKING:
    import pandas as pd
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


def numbered(cells: Cells) -> tuple[Ints, pa.Array] | None:
    """Return the number of each text of a dictionary-encoded column, and the distinct texts, in order of appearance; None for other columns."""
    import pyarrow as pa

    if isinstance(cells, list) or not pa.types.is_dictionary(cells.type) or kind_of(cells) != "text":
        return None
    if not len(cells) or cells.null_count or cells.dictionary.null_count:
        return None
    indices = to_numpy(cells.indices)
    starts = np.flatnonzero(np.append(True, indices[1:] != indices[:-1]))  # of equal ones, which mostly stand together
    codes, used = encoded(from_ints(indices[starts]))
    texts = cells.dictionary.take(used)
    codes = np.repeat(codes, np.diff(starts, append=len(indices)))
    return (codes, texts) if len(texts.unique()) == len(texts) else None


def encoded(values: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the number of each value, and the distinct values by number, in order of appearance; none is missing."""
    by_number = values.dictionary_encode()
    return to_numpy(by_number.indices).astype(np.int64), by_number.dictionary


def first_rows(codes: Ints) -> Ints:
    """Return the first row of each number, of numbers in order of appearance."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))


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


_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: multiplication by it spreads the low bits of a number over all bits."""
_BLOCK = 2**14
"""So many texts are read at a time, whose numbers fit into the processor's cache."""
_BELONGS = [
    np.array([(1 << 64) - (1 << 8 * (8 - n)) for n in of], np.uint64) for of in ([*range(9)], [0] * 8 + [*range(9)])
]
"""The bits that belong to a text, by its length, of the 8 bytes before its end and of the 8 before these."""


class Fingerprints(NamedTuple):
    """Of texts, their lengths in bytes, their last 8 bytes and the 8 before, 0 where a text has fewer, and a number made of all three."""

    length: Ints
    last: Array
    before: Array
    mixed: Array

    def by_topic(self, topic: Ints, text: Any = slice(None)) -> tuple[Ints, Array]:
        """Return documents, given their topics and texts, in the order of a number made of both, and these: most differ if the documents do."""
        keys = (topic.astype(np.uint64) << np.uint64(40)) | (self.mixed[text] >> np.uint64(24))
        if (unused := 24 - int(topic.max(initial=0)).bit_length()) < 0:  # at the upper end
            raise DataError(f"There are more topics than {1 << 24:,}. Split the files by topic.")
        # places at the lower end, where the first bits have told most apart: faster than argsort, and all topics at once do not hold
        # up other threads, as one after the other would
        places = np.uint64((1 << len(keys).bit_length()) - 1)
        packed = np.sort(((keys << np.uint64(unused)) & ~places) | np.arange(len(keys), dtype=np.uint64))
        order = (packed & places).astype(np.int64)
        keys = keys[order]
        if np.any(keys[1:] < keys[:-1]):
            again = np.argsort(keys, kind="stable")
            order, keys = order[again], keys[again]
        return order, keys

    def are_same(
        self, rows: Ints, texts: pa.Array, other: Fingerprints, other_rows: Ints, other_texts: pa.Array
    ) -> Bools:
        """Tell which texts in some rows are equal to other texts in other rows."""
        import pyarrow.compute as pc

        is_same = np.ones(len(rows), dtype=bool)
        for of_one, of_other in zip(self[:3], other[:3], strict=True):
            is_same &= of_one[rows] == of_other[other_rows]
        if len(long := np.flatnonzero(is_same & (self.length[rows] > 16))):
            one, two = texts.take(from_ints(rows[long])), other_texts.take(from_ints(other_rows[long]))
            is_same[long] = to_numpy(pc.equal(one, two).cast("uint8"))  # pyarrow's own way imports pandas
        return is_same

    @classmethod
    def of(cls, texts: pa.Array) -> Fingerprints:
        """Return the fingerprints of texts."""
        offsets, content = byte_offsets(texts)
        lengths = np.diff(offsets)
        words = np.empty((3, len(lengths)), dtype=np.uint64)
        for start in range(0, len(lengths), _BLOCK):
            block = slice(start, start + _BLOCK)
            ends, length = offsets[start : start + _BLOCK + 1], lengths[block]
            padded = np.concatenate([np.zeros(16, dtype=np.uint8), content[ends[0] : ends[-1]]])
            at_each_byte = np.ndarray((len(padded) - 7,), "<u8", buffer=padded.data, strides=(1,))
            mixed = length.astype(np.uint64) << np.uint64(48)
            for word, before_end, belongs in zip(words, (8, 16), _BELONGS, strict=False):
                word[block] = at_each_byte[ends[1:] + (16 - before_end - ends[0])] & belongs.take(length, mode="clip")
                mixed = (mixed ^ word[block]) * _ODD
                mixed ^= mixed >> np.uint64(32)
            words[2, block] = mixed * _ODD
        return cls(lengths, *words)


def first_of_each(topic: Ints, prints: Fingerprints, texts: pa.Array) -> Ints:
    """Return the first row with the same topic and the same text as each row, given the fingerprints of the texts."""
    order, keys = prints.by_topic(topic)
    is_new = np.append(True, keys[1:] != keys[:-1])[: len(order)]
    if is_new.all():
        return np.arange(len(order))
    starts, first = np.flatnonzero(is_new), np.empty_like(order)
    first[order] = np.repeat(np.minimum.reduceat(order, starts), np.diff(starts, append=len(order)))
    again = np.flatnonzero(first != np.arange(len(order)))
    if not prints.are_same(again, texts, prints, first[again], texts).all():
        code, distinct = encoded(texts)
        _, row, number = np.unique(topic * np.int64(len(distinct)) + code, return_index=True, return_inverse=True)
        first = row[number]
    return first


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


# -- one table for every input ---------------------------------------------------------------------------------------


_BYTE_ORDER_MARK = "\ufeff"
_ZERO = "has a zero byte in it. Texts have none."

GRADE = Param(float, "")
"""What a grade may be."""
SCORE = Param(float, "", low=-math.inf)
"""What a score may be: minus infinity is that of a filtered document, which is ranked last."""
NUMBER = Param(float, "", nullable=True)
"""What a cell of an extra column of numbers may be."""


@dataclass(frozen=True, eq=False)
class Source:
    """Where the rows of a table came from: a file, a dataset, or neither."""

    path: str = ""
    lines: Callable[[], Sequence[int]] | Sequence[int] | int | None = None
    """The line of each row, or a function that returns them, asked only for an error; a number is that of row 0, if the others
    follow it line after line. None if rows are not lines."""
    rows: Sequence[int] | int = 0
    """The number of each row in the file, if rows are not lines; a number is that of row 0, if the others follow it."""
    dataset_id: str = ""

    def place(self, rows: Sequence[int], what: str = "") -> str:
        """Return the file, or else what the table is, and the lines or the numbers of some rows, for the start of a message."""
        name = self.path or what
        if not len(rows) or not name:
            return name
        numbers = self.numbers(rows)
        noun, counted_from = ("row", " (counted from 0)") if self.lines is None else ("line", "")
        return f"{name}, {noun}{'s' if len(numbers) > 1 else ''} {' and '.join(map(str, numbers))}{counted_from}"

    def numbers(self, rows: Sequence[int]) -> list[int]:
        """Return the lines of some rows, or their numbers in the file if they are no lines."""
        of = self.rows if self.lines is None else self.lines() if callable(self.lines) else self.lines
        return [row + of for row in rows] if isinstance(of, int) else [int(of[row]) for row in rows if row < len(of)]

    def how_to_get(self, column: str) -> str:
        """Return a sentence on how to get a missing column; empty if there is nothing to say."""
        return ""


PROGRAM = Source()
"""The source of data from a program, which have no lines."""


def _other_name(what: str) -> str:
    """Return how to name a column of a run or qrels that is called otherwise."""
    grade = {"qrels": "grade", "run": "score"}.get(what)
    return f" If a column has another name: irmx --column {grade}=NAME COMMAND ..., also id and topic." if grade else ""


class Table:
    """The columns of a table as checked arrays; returned by :func:`irmx.read_table`.

    Attributes
    ----------
    name : str
        The name of the table in messages: the path of its file, or a phrase such as ``"The click log"``.
    names : list of str
        The names of the columns of the source.
    columns : dict of str to array
        The values of declared columns: float64, int64, bool, or an object array of strings.
    source : Source
        Where it came from.
    topics : sequence of str
        The query ids that the source names if some have no rows, in order; otherwise none.
    """

    def __init__(
        self,
        what: str,
        cells: Mapping[str, Cells | Callable[[], Cells]],
        length: int,
        source: Source = PROGRAM,
        is_text: bool = False,
        topics: Sequence[str] = (),
    ) -> None:
        self._what, self._cells, self._length = what, dict(cells), length
        self.source, self._is_text, self.topics = source, is_text, topics
        self.name = source.path or f"The {what}"
        self.columns: dict[str, Array] = {}

    @property
    def names(self) -> list[str]:
        """The names of the columns of the source."""
        return list(self._cells)

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return (
            f"<Table {os.path.basename(self.name)!r}: {plural(len(self), 'row')}, {plural(len(self._cells), 'column')}>"
        )

    def __contains__(self, name: str) -> bool:
        """Tell whether the source has a column; the table may have one that the source lacks, by its default."""
        return name in self._cells

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def renamed(self, names: Sequence[str]) -> Table:
        """Return the table with other names of its columns."""
        refuse_twice(names, self.name)
        cells = dict(zip(names, self._cells.values(), strict=True))
        return Table(self._what, cells, self._length, self.source, self._is_text, self.topics)

    def arrow(self) -> pa.Table:
        """Return the columns of the source as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: self._as_read(name) for name in self.names})

    def with_column(self, name: str, cells: Cells) -> Table:
        """Return the table with one more column."""
        return Table(self._what, {**self._cells, name: cells}, self._length, self.source, self._is_text, self.topics)

    def require(self, what: str, names: Sequence[str]) -> None:
        """Raise if the table lacks a column that every run or qrels has."""
        if lacking := [name for name in names if name not in self]:
            raise DataError(
                f"The {what} lacks the column {lacking[0]!r}. It has: {list_some([name[:100] for name in self.names], 20) or 'none'}. Needed: {', '.join(names)}.{_other_name(what) if self.source.path else ''}",
                place=self.source.path,
            )

    # -- messages ----------------------------------------------------------------------------------------

    def place(self, rows: int | Sequence[int]) -> str:
        """Return the place of rows, counted from 0, for the start of a message, such as ``"some.csv, lines 3 and 7"``."""
        return self.source.place(_several(rows), self.name)

    def refuse(self, rows: int | Sequence[int], text: str) -> NoReturn:
        """Raise an error about rows.

        Raises
        ------
        irmx.DataError
            Always; the message is the place of the rows and the text.
        """
        if not self.source.path:
            raise DataError(f"{self.place(rows)}: {text}", _several(rows))
        raise DataError(text, _several(rows), self.place(rows))

    # -- cells -------------------------------------------------------------------------------------------

    def _as_read(self, name: str) -> Cells:
        """Return a column as it was read, which may be dictionary-encoded, in one piece."""
        cells = self._cells[name]
        if callable(cells):
            cells = cells()
        if not isinstance(cells, list) and hasattr(cells, "chunks"):
            cells = cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()
        self._cells[name] = cells
        return cells

    def cells(self, name: str) -> Cells:
        """Return a column as an Arrow array that is not dictionary-encoded, or as a list of Python objects."""
        import pyarrow as pa

        cells = self._as_read(name)
        if isinstance(cells, list) or not pa.types.is_dictionary(cells.type):
            return cells
        return cells.cast(cells.type.value_type)

    def release(self, name: str, instead: Cells | None = None) -> None:
        """Keep the cells of a column no longer, because somebody else has them, or keep others in their place."""
        self._cells[name] = [] if instead is None else instead

    def ids(self, name: str, empty: bool = False) -> pa.Array:
        """Return a column of ids as large strings: texts, or whole numbers as their digits; ``empty`` allows empty ones."""
        return self._texts(name, self.cells(name), empty, ids=True)

    def codes(self, name: str) -> tuple[Ints, list[Any]]:
        """Return the number of each row's id, and the distinct ids in order of appearance; whole numbers stay ints.

        Topics that the source names are in its order, also those without rows.
        """
        cells = self._as_read(name)
        found = numbered(cells)
        if found is None:
            codes, distinct = encoded(self.ids(name))
        else:
            codes, texts = found
            distinct = self._texts(name, texts, ids=True, rows=first_rows(codes))
        ids = distinct.to_pylist()
        is_whole = kind_of(cells) == "integer" or (isinstance(cells, list) and set(map(type, cells)) == {int})
        if name == "query_id" and self.topics:
            place = {topic: i for i, topic in enumerate(self.topics)}
            return np.array([place[topic] for topic in ids], dtype=np.int64)[codes], list(self.topics)
        return codes, list(map(int, ids)) if is_whole else ids

    def _texts(
        self, name: str, cells: Cells, empty: bool = False, ids: bool = False, rows: Ints | None = None
    ) -> pa.Array:
        """Return cells as large strings, checked; ``rows`` has the row of each cell if they are not those of all rows."""
        import pyarrow as pa

        def refuse(cell: int, text: str) -> NoReturn:
            self.refuse(cell if rows is None else int(rows[cell]), f"the {name} {text}")

        if kind_of(cells) == "text":
            texts = cells.cast(pa.large_string())  # type: ignore[union-attr]
            texts = texts.fill_null("") if texts.null_count else texts
        elif set(map(type, listed := listed_cells(cells))) == {str}:
            texts = from_texts(listed, errors="surrogatepass")
        else:
            for row, cell in enumerate(listed):
                if isinstance(cell, str) or is_missing(cell):
                    continue
                if ids and isinstance(cell, float):
                    refuse(row, f"is the float {cell!r}; ids are texts. Read the column as text.")
                if isinstance(cell, (list, tuple, dict, set, bytes, bool)) or (ids and not isinstance(cell, int)):
                    refuse(row, f"must be a text or a number. Got {value_repr(cell)} instead.")
            texts = from_texts(list(map(cell_text, listed)), errors="surrogatepass")
        offsets, content = byte_offsets(texts)
        if not content.min(initial=1) or not (content.max(initial=0) < 0x80 or is_utf_8(texts)):
            row, shown = first_odd(texts)
            refuse(row, f"{shown[:100]!r} {_ZERO if chr(0) in shown else 'is not UTF-8.'}")
        if ids and content.max(initial=0) >= 0xEF and (at := content.tobytes().find(_BYTE_ORDER_MARK.encode())) >= 0:
            row = int(np.searchsorted(offsets, at, side="right")) - 1
            refuse(
                row,
                f"{texts[row].as_py()[:100]!r} has a byte order mark (U+FEFF) in it, as where files are put together. Remove it.",
            )
        lengths = np.diff(offsets)
        if not empty and not lengths.all():
            refuse(_first(lengths == 0), "is missing.")
        return texts

    def labels(self, column: Column | str) -> tuple[Ints, tuple[Any, ...]]:
        """Return the number of each row's label, -1 if it is missing or empty, and the labels by number.

        Labels are texts, or numbers if the column holds numbers, or is declared to.
        """
        name, dtype = (column, "str") if isinstance(column, str) else (column.name, column.dtype)
        if name in self.columns:
            values = self.columns[name].tolist()
            number = {value: i for i, value in enumerate(dict.fromkeys(value for value in values if value != ""))}
            return np.array([number.get(value, -1) for value in values], dtype=np.int64), tuple(number)
        cells = self.cells(name)
        if kind_of(cells) != "text" or (self._is_text and dtype == "float"):
            numbers = self._dates_or_numbers(cells)
            if numbers is not None:
                distinct, codes = np.unique(numbers, return_inverse=True)
                codes[np.isnan(numbers)] = -1
                return codes, tuple(int(v) if v.is_integer() else v for v in distinct.tolist())
        codes, distinct_texts = encoded(self._texts(name, cells, empty=True))
        texts = distinct_texts.to_pylist()
        if "" in texts:
            codes[codes == texts.index("")] = -1
        return codes, tuple(texts)

    def _dates_or_numbers(self, cells: Cells) -> Floats | None:
        """Return a column as numbers, NaN if missing; None if it holds texts, except numbers in a text file."""
        kind = kind_of(cells)
        if kind == "date":
            return seconds_of_dates(cells)
        if not self._is_text and (kind == "text" or (kind == "objects" and any(isinstance(c, str) for c in cells))):
            return None
        values = parsed(cells)
        if kind in ("text", "objects", "other"):
            listed = listed_cells(cells)
            if not all(is_missing(listed[row]) for row in np.flatnonzero(np.isnan(values)).tolist()):
                return None
        return values

    def values(self, name: str) -> Array:
        """Return a column as floats if all its cells are numbers or dates, NaN if missing; otherwise as objects."""
        cells = self.cells(name)
        values = self._dates_or_numbers(cells)
        return objects(cells) if values is None else values

    def numbers(self, name: str, declared: Param, dates: bool = False, truth: bool = False) -> Floats:
        """Return a column as finite numbers in their declared range, NaN for a missing one if that is allowed.

        ``dates`` allows dates, if no cell is a number; they become seconds since 1970. ``truth`` allows true and false, 1 and 0, as do
        columns of truth values.
        """
        cells = self.cells(name)
        kind, truth = kind_of(cells), truth or declared.dtype is bool
        if kind == "date" and dates:
            values = seconds_of_dates(cells)
        elif kind == "boolean" and not truth:
            values = np.full(len(cells), np.nan)
        else:
            values = parsed(cells, TRUTH if truth else {})
        wrong = ~is_sound(values, declared)
        if not wrong.any():
            return values
        listed = listed_cells(cells)
        missing = np.zeros(len(listed), dtype=bool)
        missing[wrong] = [is_missing(listed[row]) for row in np.flatnonzero(wrong).tolist()]
        if dates and np.isnan(values).all() and not missing.all():
            values = self._seconds_of_texts(name, listed, declared)
            wrong = missing = np.isnan(values)
        if (wrong & ~missing).any():
            row = _first(wrong & ~missing)
            self._refuse_cell(row, name, listed[row], declared)
        if missing.any() and not declared.nullable:
            self.refuse(_first(missing), f"the {name} is missing. {must_be(declared)}")
        return values

    def _refuse_cell(self, row: int, name: str, cell: Any, declared: Param) -> NoReturn:
        """Raise the error about a cell, which in a run or in qrels names its query and document."""
        if declared not in (GRADE, SCORE, NUMBER):
            self.refuse(row, f"{must_be(declared, name)} Got {shown_cell(cell)} instead.")
        at = " ".join(str(listed_cells(self.cells(column))[row]) for column in ("query_id", "doc_id"))
        text = f"The {name} {shown_cell(cell)} of the {self._what} {not_finite(cell)}"
        if declared is NUMBER:
            kind = "numbers" if math.isnan(number_of(cell, {})) else "finite numbers"
            text = f"The {self._what} column {name!r} must hold {kind}. Found {shown_cell(cell)}"
        # whoever knows the name of a run adds it; rows that are no lines are in the text
        place = self.source.path if self.source.lines is None else self.place(row)
        where = f" in row {self.source.numbers([row])[0]} (counted from 0)" if self.source.lines is None else ""
        how = (
            " If its grades are texts, `grades` says what they stand for."
            if declared is GRADE and isinstance(cell, str)
            else ""
        )
        raise DataError(f"{text}{where}, {at}.{how}", (row,), place)

    def _seconds_of_texts(self, name: str, listed: Sequence[Any], declared: Param) -> Floats:
        """Return dates as seconds since 1970, NaN if missing; most cells decide what the others should have been."""
        texts = [None if is_missing(cell) else str(cell) for cell in listed]
        seconds, given = seconds_of_texts(texts), np.array([text is not None for text in texts])
        wrong = np.isnan(seconds) & given
        if wrong.any():
            row = _first(wrong)
            if 2 * wrong.sum() > given.sum():
                self._refuse_cell(row, name, listed[row], declared)
            self.refuse(row, f"the {name} must be a date, such as 2014-03-01. Got {shown_cell(listed[row])} instead.")
        return seconds

    # -- declared columns --------------------------------------------------------------------------------

    def declare(self, columns: Mapping[str, Param]) -> None:
        """Check declared columns, and keep their values in ``columns``; a column that is neither there nor has a default is left out."""
        for name, declared in columns.items():
            if name in self._cells:
                self.columns[name] = self._declared(name, declared)
            elif declared.has_default:
                dtype = object if declared.dtype in (str, object) else type(declared.default)
                self.columns[name] = np.full(len(self), declared.default, dtype=dtype)

    def _declared(self, name: str, declared: Param) -> Array:
        if declared.dtype in (int, float, bool, datetime):
            values = self.numbers(name, declared, dates=declared.dtype is datetime)
            if declared.dtype is bool:
                return np.asarray(values == 1)
            return values.astype(np.int64) if declared.dtype is int and not np.isnan(values).any() else values
        cells = self.cells(name)
        if declared.dtype is not str:
            return objects(cells)
        texts = self._texts(name, cells, empty=declared.nullable).to_pylist()
        for row, text in enumerate(texts if declared.allowed is not None else ()):
            if text and text not in (declared.allowed or ()):
                hint = suggest(text, map(str, declared.allowed or ()))
                self.refuse(row, f"{must_be(declared, name)} Got {text!r} instead.{hint}")
        return np.array(texts, dtype=object)

    def frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame; undeclared columns are kept as written, or as numbers if all their cells are."""
        import pandas as pd

        frame = pd.DataFrame(
            {n: self.columns[n] if n in self.columns else listed_cells(self.cells(n)) for n in self.names}
        )
        for name in self.names:
            if name not in self.columns:
                with contextlib.suppress(ValueError, TypeError):
                    frame[name] = pd.to_numeric(frame[name])
        return frame


def refuse_twice(names: Sequence[str], what: str) -> None:
    """Raise if two columns have the same name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{what} has two columns named {twice!r}. Rename or drop one.")


def _several(rows: int | Sequence[int]) -> tuple[int, ...]:
    return (int(rows),) if isinstance(rows, (int, np.integer)) else tuple(map(int, rows))


def _first(where: Any) -> int:
    return int(np.argmax(where))
