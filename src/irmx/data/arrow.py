"""Numbers and texts between Arrow and numpy without pandas, which pyarrow's own conversions import: that takes 0.4 seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmx.ragged import Array, Ints, offsets_of

if TYPE_CHECKING:
    import pyarrow as pa


def to_numpy(numbers: pa.Array, missing: float = 0) -> Array:
    """Return an Arrow array of numbers as one of numpy, with a number in the place of those that are missing.

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
    """Return texts as an Arrow array.

    Raises
    ------
    TypeError
        Where one is no text.
    UnicodeEncodeError
        Where one holds half a pair of surrogates.

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
