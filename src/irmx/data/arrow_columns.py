"""Columns of Arrow as arrays of numpy and back, without the conversions of pyarrow that import pandas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irmx.ragged import Array, Floats, Ints, offsets_of

if TYPE_CHECKING:
    import pyarrow as pa

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
