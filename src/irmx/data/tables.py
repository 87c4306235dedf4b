"""Tabular input as Arrow tables with the vocabulary's column names, and their columns as checked arrays."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from irmx.data.arrow import byte_lengths, byte_offsets, encoded, to_numpy
from irmx.data.id_words import IdWords
from irmx.data.numerals import as_number
from irmx.declare.columns import REQUIRED, Table
from irmx.errors import DataError, not_finite
from irmx.ragged import Array, Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa


def is_path(source: Any) -> bool:
    """Tell whether a source is a path or a string, which may also be a dataset id."""
    return isinstance(source, (str, os.PathLike))


KINDS = (
    "a dict of dicts, a DataFrame, an iterable of namedtuples with the fields query_id, doc_id and score or "
    "relevance, the path of a file, or an ir_datasets id"
)


class FrameTable:
    """A pandas data frame with the interface of an Arrow table; a column is converted when it is first read.

    Data frames of PyTerrier have columns of texts, vectors and dicts of tokens, which no measure reads and Arrow may refuse.
    """

    def __init__(self, table: Table, frame: Any, names: Sequence[str]) -> None:
        self._table, self._frame, self.column_names = table, frame, list(names)
        self.num_rows = len(frame)
        self._made: dict[str, pa.ChunkedArray] = {}

    def rename_columns(self, names: Sequence[str]) -> FrameTable:
        """Return the table with its columns renamed."""
        return FrameTable(self._table, self._frame, names)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        if name not in self._made:
            self._made[name] = self._converted(name)
        return self._made[name]

    def _converted(self, name: str) -> pa.ChunkedArray:
        import pyarrow as pa

        series = self._frame.iloc[:, self.column_names.index(name)]
        try:
            values = pa.array(series, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            row, value = _odd_value(series)
            raise DataError(
                f"The column {name!r} of the {self._table} mixes types: row {row} holds {value!r} ({type(value).__name__}). "
                "Use one type in the column."
            ) from None
        except OverflowError:
            values = pa.array(series.astype(float), from_pandas=True)
        except UnicodeEncodeError as error:
            raise no_utf8(self._table, name, error) from None
        return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])


def no_utf8(table: str, column: str, error: UnicodeEncodeError) -> DataError:
    """Return the error that names a string with an unpaired surrogate."""
    return DataError(
        f"The column {column!r} of the {table} holds {error.object[:100]!r}, which UTF-8 cannot encode ({error.reason}). "
        "Read the input with the right encoding."
    )


def _odd_value(series: Any) -> tuple[Any, Any]:
    """Return the index and the value of the first element whose type differs from that of most elements."""
    [(kind, _)] = Counter(map(type, series)).most_common(1)
    return next(
        ((i, v) for i, v in zip(series.index, series, strict=True) if type(v) is not kind),
        (series.index[0], series.iloc[0]),
    )


def from_namedtuples(table: Table, rows: Iterable[Any]) -> pa.Table:
    """Return an iterable of namedtuples as an Arrow table; their fields are the columns."""
    import pyarrow as pa

    iterator = iter(rows)
    first = next(iterator, None)
    if first is None:
        return pa.table(
            {
                name: pa.array([], pa.float64() if name in ("score", "relevance") else pa.large_string())
                for name in REQUIRED[table]
            }
        )
    fields = getattr(first, "_fields", None)
    if fields is None:
        raise DataError(f"The {table} must be {KINDS}. Got an iterable of {type(first).__name__} instead.")
    all_rows = [first, *iterator]
    try:
        if len(set(map(len, all_rows))) > 1:
            raise ValueError("they do not all have the same number of fields.")
        columns = [pa.array(list(map(itemgetter(i), all_rows))) for i in range(len(fields))]
        return pa.table(columns, names=list(fields))
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, ValueError, OverflowError) as error:
        raise DataError(f"The rows of the {table} do not all have the types of the first, {first!r}: {error}") from None


class LazyTexts(Sequence[str]):
    """Some elements of an Arrow string array, converted to Python strings when the first is accessed."""

    def __init__(self, texts: pa.Array, where: Ints) -> None:
        self._texts, self._where = texts, where

    @cached_property
    def _made(self) -> list[str]:
        texts = self._texts.to_pylist()
        return [texts[row] for row in self._where.tolist()]

    def words(self, chosen: Ints) -> IdWords:
        """Return some of the elements as numbers, which takes no Python string."""
        return IdWords(self._texts, self._where[chosen])

    def __len__(self) -> int:
        return len(self._where)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...
    def __getitem__(self, key: int | slice) -> str | list[str]:
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)


class Columns:
    """The columns of an Arrow table as checked arrays, as irmx computes with them."""

    def __init__(self, table: Table, data: pa.Table) -> None:
        self.table, self.data = table, data
        names = data.column_names  # Arrow builds a new list on every access
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise DataError(f"The {table} has two columns named {twice[0]!r}. Rename or drop one.")
        missing = [c for c in REQUIRED[table] if c not in names]
        if missing:
            raise DataError(
                f"The {table} lacks the column {missing[0]!r}. It has: {', '.join(map(str, names)) or 'none'}. "
                f"Needed: {', '.join(REQUIRED[table])}."
            )

    def __contains__(self, name: str) -> bool:
        return name in self.data.column_names

    def _array(self, name: str) -> pa.Array:
        import pyarrow as pa

        column = self.data.column(name)
        if pa.types.is_dictionary(column.type):
            column = pa.chunked_array([_decoded(c) for c in column.chunks], type=_plain_type(column.type.value_type))
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)

    def texts(self, name: str) -> pa.Array:
        """Return an id column as strings; whole numbers are converted to their digits."""
        import pyarrow as pa

        array = self._array(name)
        if array.null_count:
            row = int(np.flatnonzero(np.asarray(array.is_null()))[0])
            raise DataError(
                f"The column {name!r} of the {self.table} has no value in row {row} (counted from 0).", (row,)
            )
        if len(array) == 0:
            return pa.array([], pa.large_string())
        if pa.types.is_floating(array.type):
            raise DataError(
                f"The column {name!r} of the {self.table} holds floats, such as {array[0].as_py()!r}; ids are texts. "
                "Read the column as text."
            )
        if not (_is_text(array.type) or pa.types.is_integer(array.type)):
            raise DataError(f"The column {name!r} of the {self.table} must hold texts. Found {array.type}.")
        return self._sound(name, array if pa.types.is_large_string(array.type) else array.cast(pa.large_string()))

    def _sound(self, name: str, array: pa.Array, numbers: Ints | None = None) -> pa.Array:
        """Return texts, large strings if they were views; raise if one is not UTF-8 or has a zero byte.

        Tools written in C end a text, or the process, at a zero byte. ``numbers`` holds the place of each row's text in the array if these are the distinct ones.
        """
        import pyarrow as pa

        texts = array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array
        offsets, content = byte_offsets(texts)
        if not content.min(initial=1):
            wrong = int(np.searchsorted(offsets, np.argmin(content), side="right")) - 1
            why = ZERO
        elif content.max(initial=0) < _FIRST_NOT_ASCII or _is_utf_8(texts):
            return texts
        else:
            bounds = enumerate(zip(offsets.tolist(), offsets[1:].tolist(), strict=False))
            wrong = next(i for i, (a, b) in bounds if not _is_utf_8(texts.slice(i, 1)) and a < b)
            why = "which is not UTF-8"
        row = wrong if numbers is None else int(np.argmax(numbers == wrong))
        text = texts[wrong].as_buffer().to_pybytes().decode(errors="backslashreplace")
        raise DataError(
            f"The column {name!r} of the {self.table} holds {text[:100]!r}, {why}: row {row} (counted from 0).", (row,)
        )

    def topics(self) -> tuple[Ints, list[Any]]:
        """Return the number of each row's topic, and the query ids as given, in order of first appearance."""
        import pyarrow as pa

        column = self.data.column("query_id")
        by_number = _in_order_of_appearance(column)
        if by_number is None:
            numbers, distinct = encoded(self.texts("query_id"))
        else:
            numbers, distinct = to_numpy(by_number.indices).astype(np.int64), by_number.dictionary
            self._sound("query_id", distinct, numbers)
        self.refuse_empty("query_id", distinct, numbers)
        texts = distinct.to_pylist()
        return numbers, [int(t) for t in texts] if pa.types.is_integer(column.type) else texts

    def refuse_empty(self, name: str, ids: pa.Array, numbers: Ints | None = None) -> None:
        """Raise if an id is empty; ``numbers`` holds the place of each row's id among ``ids`` if these are the distinct ones."""
        lengths = byte_lengths(ids)
        if not lengths.all():
            row = int(np.flatnonzero((lengths if numbers is None else lengths[numbers]) == 0)[0])
            raise DataError(f"The column {name!r} of the {self.table} is empty in row {row} (counted from 0).", (row,))

    def floats(self, name: str) -> Floats:
        """Return a column of finite numbers; dates are converted to seconds since 1970."""
        values = self.values(name)
        if values.dtype.kind != "f":
            self._refuse(name, 0)
        finite = np.isfinite(values)
        if not finite.all():
            self._refuse(name, int(np.flatnonzero(~finite)[0]))
        return values

    def values(self, name: str) -> Array:
        """Return a column as floats (missing: NaN), or as an object array of strings (missing: None)."""
        import pyarrow as pa

        array = self._array(name)
        is_number = (
            pa.types.is_boolean(array.type)
            or pa.types.is_integer(array.type)
            or pa.types.is_floating(array.type)
            or pa.types.is_null(array.type)
            or pa.types.is_decimal(array.type)
        )
        if name in ("score", "relevance") and (not is_number or pa.types.is_boolean(array.type)):
            return self._numbers_in_texts(name, array)
        if is_number:
            return _as_floats(array)
        if pa.types.is_date(array.type):
            array = array.cast(pa.timestamp("s" if pa.types.is_date32(array.type) else "ms"))
        if pa.types.is_timestamp(array.type):
            return _as_floats(array.cast(pa.int64())) / _PER_SECOND[array.type.unit]
        if _is_text(array.type):
            array = self._sound(name, array)
        return np.array(array.to_pylist(), dtype=object)

    def labels(self, name: str) -> tuple[Ints, tuple[Any, ...]]:
        """Return the number of each row's label, -1 if it is missing or empty, and the labels by number."""
        array = self._array(name)
        if not _is_text(array.type):
            values = self.values(name)
            if values.dtype.kind != "f":
                raise DataError(
                    f"The column {name!r} of the {self.table} must hold texts or numbers. Found {array.type}."
                )
            distinct, numbers = np.unique(values, return_inverse=True)
            numbers[np.isnan(values)] = -1
            return numbers, tuple(int(v) if v.is_integer() else v for v in distinct.tolist())
        encoded = array.dictionary_encode()
        numbers = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
        texts = self._sound(name, encoded.dictionary, numbers).to_pylist()
        if "" in texts:
            numbers[numbers == texts.index("")] = -1
        return numbers, tuple(texts)

    def _numbers_in_texts(self, name: str, array: pa.Array) -> Floats:
        array = self._sound(name, array) if _is_text(array.type) else array
        out = np.empty(len(array))
        for row, value in enumerate(array.to_pylist()):
            number = as_number(value)
            if number is None:
                self._refuse(name, row)
            out[row] = number
        return out

    def _refuse(self, name: str, row: int) -> NoReturn:
        value = self.data.column(name)[row].as_py()
        what = (
            f"of the {self.table} is missing or NaN"
            if value is None or value == ""
            else f"{value if isinstance(value, date) else repr(value)} of the {self.table} {why_no_number(value)}"
        )
        at = " ".join(str(self.data.column(c)[row].as_py()) for c in ("query_id", "doc_id"))
        raise DataError(f"The {name} {what}: row {row} (counted from 0), {at}.", (row,))


def why_no_number(value: object) -> str:
    """Return why a value is no finite number, as the end of a sentence."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, str) and as_number(value) is None):
        return "is not a number"
    return "is not a number" if isinstance(value, bytes | np.datetime64 | np.timedelta64) else not_finite(value)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_utf_8(texts: pa.Array) -> bool:
    import pyarrow as pa

    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


ZERO = "in which there is a zero byte. Ids are texts without them"
_FIRST_NOT_ASCII = 0x80
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _as_floats(array: pa.Array) -> Floats:
    """Return numbers as the nearest floats, and missing ones as NaN."""
    import pyarrow as pa

    if not pa.types.is_float64(array.type):
        array = array.cast(pa.float64(), safe=False)
    return to_numpy(array, missing=math.nan)


def _plain_type(value_type: pa.DataType) -> pa.DataType:
    """Return the type of a dictionary's values; for strings, the type that every Arrow function accepts."""
    import pyarrow as pa

    return pa.large_string() if pa.types.is_string_view(value_type) else value_type


def _decoded(array: pa.DictionaryArray) -> pa.Array:
    """Return the values of a dictionary-encoded array."""
    return array.dictionary.cast(_plain_type(array.type.value_type)).take(array.indices)


def _in_order_of_appearance(column: pa.ChunkedArray) -> pa.DictionaryArray | None:
    """Return a dictionary-encoded column as one array if its dictionary holds its values in order of appearance, else None."""
    import pyarrow as pa

    if not (pa.types.is_dictionary(column.type) and pa.types.is_string(column.type.value_type)) or column.null_count:
        return None
    encoded = column.unify_dictionaries().combine_chunks()
    if encoded.dictionary.null_count:
        return None
    code = to_numpy(encoded.indices)
    largest = np.maximum.accumulate(code, dtype=np.int64)
    new = np.diff(largest, prepend=-1)
    return encoded if len(code) and new.max() <= 1 and largest[-1] == len(encoded.dictionary) - 1 else None
