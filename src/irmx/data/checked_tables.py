"""Tables with declared columns from any source: arrays by column, and the place of every row for messages."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from irmx.data.numerals import as_number
from irmx.data.raw_tables import RawTable, raw_table
from irmx.declare.params import LARGEST_INT, Param
from irmx.errors import DataError, counted, some, suggest
from irmx.ragged import Array, Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

_ALIASES = {"qid": "query_id", "topic": "query_id", "docno": "doc_id"}
_NOTHING = {"", "na", "n/a", "nan", "none", "null"}
"""The texts that stand for a missing number, in lower case."""
_BINARY = {"1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0}


class CheckedTable:
    """The checked columns of a table; returned by :func:`read_table`.

    Attributes
    ----------
    name : str
        The name of the table in messages: the path of its file, or a phrase such as ``"The click log"``.
    columns : dict of str to array
        The values by column: float64, int64, bool, or an object array of strings.
    """

    def __init__(self, raw: RawTable, declared: Mapping[str, Param]) -> None:
        self._raw, self.name = raw, raw.name
        self.columns: dict[str, Array] = {}
        for name, column in declared.items():
            if name in raw.columns:
                self.columns[name] = self._converted(name, column, raw.columns[name])
            elif column.has_default:
                dtype = object if column.dtype in (str, object) else type(column.default)
                self.columns[name] = np.full(len(raw), column.default, dtype=dtype)

    def __len__(self) -> int:
        return len(self._raw)

    def __repr__(self) -> str:
        return f"<Table {os.path.basename(self.name)!r}: {counted(len(self), 'row')}, {counted(len(self.columns), 'column')}>"

    def __contains__(self, name: str) -> bool:
        """Tell whether the source has a column; the table may have one that the source lacks, by its default."""
        return name in self._raw.columns

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def labels(self, name: str) -> tuple[Ints, list[str]]:
        """Return the number of each row's label in a column of strings, and the labels in order of first appearance."""
        values = self.columns[name].tolist()
        number = {text: i for i, text in enumerate(dict.fromkeys(values))}
        return np.array([number[text] for text in values], dtype=np.int64), list(number)

    def frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame; undeclared columns are kept as written, or as numbers if all their cells are."""
        import pandas as pd

        frame = pd.DataFrame(
            {name: self.columns.get(name, _as_list(cells)) for name, cells in self._raw.columns.items()}
        )
        for name in self._raw.columns.keys() - self.columns.keys():
            with contextlib.suppress(ValueError, TypeError):
                frame[name] = pd.to_numeric(frame[name])
        return frame

    def place(self, rows: int | Sequence[int]) -> str:
        """Return the place of rows, counted from 0, for the start of a message, such as ``"some.csv, lines 3 and 7"``."""
        return self._raw.place(_several(rows))

    def refuse(self, rows: int | Sequence[int], text: str) -> NoReturn:
        """Raise an error about rows.

        Raises
        ------
        irmx.DataError
            Always; the message is the place of the rows and the text.
        """
        raise DataError(f"{self.place(rows)}: {text}", _several(rows))

    def _converted(self, name: str, declared: Param, cells: Any) -> Array:
        if declared.dtype in (int, float, bool):
            values = self._floats(name, declared, cells)
            if declared.dtype is bool:
                return np.asarray(values == 1)
            return values.astype(np.int64) if declared.dtype is int and not np.isnan(values).any() else values
        if declared.dtype is str:
            return self._texts(name, declared, cells)
        cells = _as_list(cells)
        if declared.dtype is object:
            out = np.empty(len(cells), dtype=object)
            out[:] = cells
            return out
        return self._seconds(name, declared, cells)

    def _texts(self, name: str, declared: Param, cells: Any) -> Array:
        out = (
            np.array(_as_list(cells), dtype=object)
            if hasattr(cells, "to_pylist")
            else np.empty(len(cells), dtype=object)
        )
        for row, cell in enumerate(() if hasattr(cells, "to_pylist") else cells):
            if isinstance(cell, (list, tuple, dict, set, bytes)):
                self.refuse(row, f"the {name} must be a text or a number. Got {cell!r} instead.")
            out[row] = _text(cell)
        if any("\0" in text for text in out):
            row = next(row for row, text in enumerate(out) if "\0" in text)
            self.refuse(row, f"the {name} {out[row][:100]!r} has a zero byte in it. Texts have none.")
        if not declared.nullable:
            for row in np.flatnonzero(out == "")[:1].tolist():
                self.refuse(row, f"the {name} is missing.")
        if declared.allowed is not None:
            for row, text in enumerate(out):
                if text and text not in declared.allowed:
                    self.refuse(row, f"{_must(declared, name)} Got {text!r} instead.{suggest(text, declared.allowed)}")
        return out

    def _floats(self, name: str, declared: Param, cells: Any) -> Floats:
        """Return numbers, checked against the declared range; NaN for a missing one if that is allowed."""
        values = _parsed(cells, _BINARY if declared.dtype is bool else {})
        sound = np.isfinite(values)
        if declared.dtype is int:
            sound &= (values == np.floor(values)) & (np.abs(values) <= LARGEST_INT)
        if declared.dtype is bool:
            sound &= (values == 0) | (values == 1)
        if declared.low is not None:
            sound &= values >= declared.low
        if declared.high is not None:
            sound &= values <= declared.high
        if declared.above is not None:
            sound &= values > declared.above
        if declared.below is not None:
            sound &= values < declared.below
        cells = cells if sound.all() else _as_list(cells)
        for row in np.flatnonzero(~sound).tolist():
            if not _is_nothing(cells[row]):
                self.refuse(row, f"{_must(declared, name)} Got {cells[row]!r} instead.")
            if not declared.nullable:
                self.refuse(row, f"the {name} is missing. {_must(declared)}")
        return values

    def _seconds(self, name: str, declared: Param, cells: Sequence[Any]) -> Floats:
        """Return numbers unchanged, and dates, if all cells are dates, as seconds since 1970."""
        import pandas as pd

        def is_number(cell: Any) -> bool:
            return not isinstance(cell, date) and not math.isnan(_number(cell, {}))

        if any(map(is_number, cells)) or all(map(_is_nothing, cells)):
            return self._floats(name, declared, cells)
        dates = pd.to_datetime(
            pd.Series([None if _is_nothing(c) else str(c) for c in cells]), utc=True, errors="coerce", format="ISO8601"
        )
        seconds = (dates - pd.Timestamp(0, tz="UTC").as_unit(dates.dt.unit)) / pd.Timedelta(seconds=1)
        for row in np.flatnonzero(dates.isna()).tolist():
            if _is_nothing(cells[row]):
                self.refuse(row, f"the {name} is missing. {_must(declared)}")
            self.refuse(row, f"{_must(declared, name)} Got {cells[row]!r} instead.")
        return np.asarray(seconds, dtype=np.float64)


def read_table(
    source: Any,
    columns: Mapping[str, Param | type],
    what: str = "table",
    *,
    empty: bool = False,
    content: bytes | None = None,
) -> CheckedTable:
    """Read and check declared columns of a table from any source.

    Parameters
    ----------
    source : str, Path, DataFrame, Arrow table, dict of columns, or iterable of dicts or namedtuples
        A file is comma- or tab-separated with a header, JSON Lines or Parquet, which is detected by its content and name;
        plain, or compressed with gzip, bzip2, xz, zstd or zip; ``-`` is standard input. Spaces around the fields of a line
        are ignored. ``qid`` and ``topic`` are read as ``query_id``, ``docno`` as ``doc_id``.
    columns : dict of str to Param or type
        The columns to read, by name; other columns are ignored. A :class:`irmx.Param` declares the type (``str``, ``int``,
        ``float``, ``bool``, also as 1 and 0, ``datetime.datetime`` for seconds or dates, which become seconds since 1970, or
        ``object`` for any value), the range of numbers (``low``, ``high``, ``above``) or the ``choices`` of strings, whether
        the column is ``required``, the ``default`` of one that is not, and whether cells may be missing (``nullable``).
        A type alone declares a required column.
    what : str
        The name of the table in messages, such as ``"click log"``.
    empty : bool
        Whether it may have no rows; an empty file or list then has all required columns.
    content : bytes, optional
        The (decompressed) content of the file, if it has already been read.

    Returns
    -------
    CheckedTable
        The arrays by column. A missing number is NaN, a missing string is empty. A column that is not in the source, not
        required and without a default is left out.

    Raises
    ------
    irmx.DataError
        If the table cannot be read, has no rows, or lacks a column or a value, or if a value is illegal; the message names
        the file and the line, or the row.

    Examples
    --------
    >>> import irmx
    >>> columns = {"user": str, "seconds": irmx.Param(float, "time spent", low=0, required=True)}
    >>> table = irmx.read_table({"user": ["a", "b"], "seconds": ["2.5", 4]}, columns)
    >>> table["seconds"], table.place([0, 1])
    (array([2.5, 4. ]), 'The table, rows 0 and 1 (counted from 0)')
    >>> irmx.read_table({"user": ["a"], "seconds": [-1]}, columns, "log of times")
    Traceback (most recent call last):
    ...
    irmx.errors.DataError: The log of times, row 0 (counted from 0): the seconds must be a number in the range [0, inf). Got -1 instead.
    """
    declared = {n: c if isinstance(c, Param) else Param(c, "", required=True) for n, c in columns.items()}
    raw = raw_table(source, what, content, empty)
    names = {n: a for n, a in _ALIASES.items() if n in raw.columns and n not in declared and a in declared}
    names = {n: a for n, a in names.items() if a not in raw.columns}
    for name in set(names.values()):
        aliases = [n for n in names if names[n] == name]
        if len(aliases) > 1:
            raise DataError(
                f"{raw.name} has two columns for {name!r}: {' and '.join(map(repr, aliases))}. Rename or drop one."
            )
    raw = RawTable(raw.name, {names.get(n, n): values for n, values in raw.columns.items()}, raw.lines)
    if raw.columns:
        _refuse_lacking(raw, declared)
    if not len(raw) and not empty:
        raise DataError(f"{raw.name} has no rows.")
    if not raw.columns:
        raw = RawTable(raw.name, {n: () for n, column in declared.items() if column.required})
    return CheckedTable(raw, declared)


def _refuse_lacking(raw: RawTable, declared: Mapping[str, Param]) -> None:
    """Raise if a table lacks a required column."""
    for name, column in declared.items():
        if column.required and name not in raw.columns:
            meaning = f", {column.desc}" if column.desc else ""
            known = some(raw.columns, 20) or "none"
            raise DataError(
                f"{raw.name} lacks the column {name!r}{meaning}. It has: {known}.{suggest(name, raw.columns)}"
            )


def _several(rows: int | Sequence[int]) -> tuple[int, ...]:
    return (int(rows),) if isinstance(rows, (int, np.integer)) else tuple(map(int, rows))


def _must(declared: Param, name: str = "") -> str:
    """Return a sentence that says what a value must be."""
    expected = declared.expects().removesuffix(" or None")
    for in_python, in_a_table in _KINDS.items():
        if expected.startswith(in_python):
            expected = in_a_table + expected.removeprefix(in_python)
    return f"{f'the {name}' if name else 'It'} must be {expected}."


_KINDS = {"True or False": "1 or 0", "an int": "a whole number", "a float": "a number", "a string": "a text"}
"""The names of types in messages on parameters, and in messages on tables."""


def _is_nothing(cell: Any) -> bool:
    """Tell whether a cell is missing a value."""
    if isinstance(cell, str):
        return cell.strip().casefold() in _NOTHING
    return cell is None or cell != cell


def _as_list(cells: Any) -> Any:
    return cells.to_pylist() if hasattr(cells, "to_pylist") else cells


def _parsed(cells: Any, words: Mapping[str, float]) -> Floats:
    """Return cells as numbers, NaN for a cell that is not a number."""
    try:
        if hasattr(cells, "to_pylist"):
            return np.array(cells.cast("float64"))
        if set(map(type, cells)) <= {int, float} or not any(_is_of_python(cell, words) for cell in cells):
            return np.array(cells, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    return np.array([_number(cell, words) for cell in _as_list(cells)], dtype=np.float64)


def _is_of_python(cell: Any, words: Mapping[str, float]) -> bool:
    """Tell whether a cell is a number to Python or numpy alone: 1_000, a date, or True in a column that is not of truth values."""
    if isinstance(cell, str):
        return "_" in cell or not cell.isascii()
    if isinstance(cell, (bytes, np.datetime64, np.timedelta64)):
        return True
    return isinstance(cell, (bool, np.bool_)) and not words


def _number(cell: Any, words: Mapping[str, float]) -> float:
    """Return a cell as a number, NaN if it is not a number."""
    if _is_of_python(cell, words):
        return math.nan
    if isinstance(cell, str):
        number = words.get(cell.strip().casefold(), as_number(cell))
        return math.nan if number is None else number
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _text(cell: Any) -> str:
    """Return a cell as a string: whole numbers without a decimal point, an empty string for a missing value."""
    if isinstance(cell, str):
        return cell
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
