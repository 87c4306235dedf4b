"""Conversions between Arrow and numpy without pandas, which pyarrow's own conversions import at a cost of 0.4 seconds.

A few texts are encoded and looked up without ``pyarrow.compute``, too, whose import takes longer than that.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from irmx.ragged import Array, Ints, offsets_of

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 100_000
"""So many texts are encoded and looked up in Python in less time than the import of ``pyarrow.compute`` takes."""
_in_python = 0
"""How many have been, in this process."""


def are_few(texts: int) -> bool:
    """Tell whether texts are left to Python: while all of a process are few, and nothing has imported ``pyarrow.compute``."""
    global _in_python
    if "pyarrow.compute" in sys.modules:
        return False
    _in_python += texts
    return _in_python <= FEW


def to_numpy(numbers: pa.Array, missing: float = 0) -> Array:
    """Return an Arrow array of numbers as a numpy array, with a number in place of missing values.

    >>> import pyarrow as pa
    >>> to_numpy(pa.array([3, 4, None]).slice(1), missing=-1)
    array([ 4, -1])
    """
    import pyarrow as pa

    if not numbers.null_count:
        return np.from_dlpack(numbers)
    valid, values = numbers.buffers()
    filled = pa.Array.from_buffers(numbers.type, len(numbers), [None, values], offset=numbers.offset)
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
    return np.where(bits[numbers.offset : numbers.offset + len(numbers)], np.from_dlpack(filled), missing)


def from_ints(numbers: Ints) -> pa.Array:
    """Return whole numbers as an Arrow array.

    >>> from_ints(np.array([1, 2])).to_pylist()
    [1, 2]
    """
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(numbers, dtype=np.int64))
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, buffer])


def from_texts(texts: Sequence[str]) -> pa.Array:
    """Return strings as an Arrow array.

    Raises
    ------
    TypeError
        If an element is not a string.
    UnicodeEncodeError
        If a string contains an unpaired surrogate.

    Examples
    --------
    >>> from_texts(["a", "größe", ""]).to_pylist()
    ['a', 'größe', '']
    """
    import pyarrow as pa

    joined = "".join(texts)
    lengths = map(len, texts) if joined.isascii() else (len(text.encode()) for text in texts)
    offsets = offsets_of(np.fromiter(lengths, np.int64, len(texts)))
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(joined.encode()))


def byte_offsets(texts: pa.Array) -> tuple[Ints, NDArray[np.uint8]]:
    """Return where the bytes of each text start and end, and the bytes of all texts; none is missing. Neither is a copy if it can be.

    >>> import pyarrow as pa
    >>> byte_offsets(pa.array(["a", "größe", ""]).slice(1))[0]
    array([0, 7, 7])
    """
    import pyarrow as pa

    kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    if not len(texts):
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    _, offset_buffer, content = texts.buffers()
    offsets = np.frombuffer(offset_buffer, kind)[texts.offset : texts.offset + len(texts) + 1]
    offsets = offsets.astype(np.int64, copy=False)
    if offsets[0] == offsets[-1]:  # Arrow may have no buffer for empty texts
        return np.zeros(len(offsets), dtype=np.int64), np.empty(0, dtype=np.uint8)
    content_of_all = np.frombuffer(content, np.uint8)[offsets[0] : offsets[-1]]
    return offsets - offsets[0] if offsets[0] else offsets, content_of_all


def byte_lengths(texts: pa.Array) -> Ints:
    """Return the length of each text in bytes; none is missing.

    >>> import pyarrow as pa
    >>> byte_lengths(pa.array(["a", "größe", ""]).slice(1))
    array([7, 0])
    """
    return np.diff(byte_offsets(texts)[0])


def encoded(texts: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the number of each text, and the distinct texts by number, as they first appear; none is missing.

    >>> import pyarrow as pa
    >>> numbers, distinct = encoded(pa.array(["b", "a", "b"], pa.large_string()))
    >>> numbers, distinct.to_pylist()
    (array([0, 1, 0]), ['b', 'a'])
    """
    if not are_few(len(texts)):
        by_number = texts.dictionary_encode()
        return to_numpy(by_number.indices).astype(np.int64), by_number.dictionary
    number_of: dict[str, int] = {}
    numbers = [number_of.setdefault(text, len(number_of)) for text in texts.to_pylist()]
    return np.array(numbers, dtype=np.int64), from_texts(list(number_of))


def taken(texts: pa.Array, order: Ints) -> pa.Array:
    """Return texts in another order.

    >>> import pyarrow as pa
    >>> taken(pa.array(["a", "b"], pa.large_string()), np.array([1, 0])).to_pylist()
    ['b', 'a']
    """
    if not are_few(len(texts)):
        return texts.take(from_ints(order))
    in_python = texts.to_pylist()
    return from_texts([in_python[place] for place in order.tolist()])
