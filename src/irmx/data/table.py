"""One table for every input: Arrow columns that know the file and the line of each row, and the only checks of their cells."""

from __future__ import annotations

import contextlib
import math
import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from irmx.data.cells import (
    TRUTH,
    Cells,
    byte_offsets,
    cell_text,
    encoded,
    first_odd,
    first_rows,
    from_texts,
    is_missing,
    is_sound,
    is_utf_8,
    kind_of,
    listed_cells,
    must_be,
    number_of,
    objects,
    parsed,
    seconds_of_dates,
    seconds_of_texts,
    shown_cell,
    to_numpy,
)
from irmx.declare.columns import REQUIRED, Column, TableName, missing_column
from irmx.declare.params import Param
from irmx.errors import DataError
from irmx.ragged import Array, Floats, Ints, read_only, shared
from irmx.text import list_some, not_finite, plural, suggest, value_repr, visible

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


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
    first_row: int = 0
    """The number of row 0 in the file, if rows are not lines."""
    dataset_id: str = ""

    def place(self, rows: Sequence[int], what: str = "") -> str:
        """Return the file, or else what the table is, and the lines or the numbers of some rows, for the start of a message."""
        name = self.path or what
        if not len(rows) or not name:
            return name
        lines = self.lines() if callable(self.lines) else self.lines
        if lines is None:
            numbers = [row + self.first_row for row in rows]
        elif isinstance(lines, int):
            numbers = [row + lines for row in rows]
        else:
            numbers = [int(lines[row]) for row in rows if row < len(lines)]
        noun, counted_from = ("row", " (counted from 0)") if lines is None else ("line", "")
        return f"{name}, {noun}{'s' if len(numbers) > 1 else ''} {' and '.join(map(str, numbers))}{counted_from}"

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
        """Return the number of each row's id, and the distinct ids in order of appearance; whole numbers stay ints."""
        cells = self._as_read(name)
        first = first_rows(cells)
        if first is not None:
            codes = to_numpy(cells.indices).astype(np.int64)  # type: ignore[union-attr]
            distinct = self._texts(name, cells.dictionary, ids=True, rows=first)  # type: ignore[union-attr]
        else:
            codes, distinct = encoded(self.ids(name))
        texts = distinct.to_pylist()
        is_whole = kind_of(cells) == "integer" or (isinstance(cells, list) and set(map(type, cells)) == {int})
        return codes, list(map(int, texts)) if is_whole else texts

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
        where = f" in row {row + self.source.first_row} (counted from 0)" if self.source.lines is None else ""
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


# -- what runs and judgments share -----------------------------------------------------------------------------------


Labels = tuple[Ints, tuple[Any, ...]]
"""The number of each row's label, -1 if it is missing, and the labels by number."""


class SourceColumns:
    """The columns of a run or of judgments, over rows that are in another order than in the table, or more."""

    KIND: ClassVar[TableName]

    def __init__(self, topics: list[Any], source: Source) -> None:
        self.topics, self.source = topics, source
        self.table: Table | None = None
        self._labels: dict[str, Labels] = {}
        self._numbers: dict[Column, Floats] = {}

    @abstractmethod
    def _main_numbers(self) -> Floats:
        """Return the scores or the grades of all rows."""

    @abstractmethod
    def _over_rows(self, values: Array, nothing: float | None) -> Array:
        """Return values of the rows of the table as those of all rows here; ``nothing`` for a row that has none."""

    @abstractmethod
    def _rows_of_table(self, rows: Sequence[int]) -> list[int]:
        """Return the rows of the table of some rows."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(REQUIRED[self.KIND]) if self.table is None else self.table.names

    def column(self, name: str) -> Array | None:
        """Return a column over the rows as given, as floats or as objects; None if there is none."""
        if name == REQUIRED[self.KIND][-1]:
            return self._main_numbers()
        if self.table is None or name not in self.table:
            return None
        values = self.table.values(name)
        return read_only(self._over_rows(values, np.nan if values.dtype.kind == "f" else None))

    def labels(self, column: Column | str) -> Labels | None:
        """Return, over the rows as given, the number of each label, -1 if missing, and the labels; None without the column."""
        name = column if isinstance(column, str) else column.name
        if self.table is None or name not in self.table:
            return None
        if name not in self._labels:
            self._labels[name] = shared(self.table.labels(column))
        number, names = self._labels[name]
        return self._over_rows(number, -1), names

    def numbers(self, column: Column) -> Floats | None:
        """Return a column of finite numbers over the rows as given, NaN if a cell is empty; None if there is none."""
        if column.name == REQUIRED[self.KIND][-1]:
            return self._main_numbers()
        if self.table is None or column.name not in self.table:
            return None
        if column not in self._numbers:
            self._numbers[column] = read_only(self.table.numbers(column.name, NUMBER, dates=True))
        return self._over_rows(self._numbers[column], np.nan)

    def place(self, rows: Sequence[int]) -> str:
        """Return the file, and the lines of some rows, for the start of a message; empty if there is no file."""
        of_table = self._rows_of_table(rows)
        return self.source.place(of_table) if of_table or not len(rows) else ""

    def lacking(self, column: Column) -> str:
        """Return the message about a missing column: what it is, which columns there are, and how to get it."""
        return missing_column(column, self.columns) + self.source.how_to_get(column.name)

    def __len__(self) -> int:
        return len(self._main_numbers())

    def __repr__(self) -> str:
        source = os.path.basename(self.source.path) or self.source.dataset_id
        size = f"{plural(len(self.topics), 'topic')}, {plural(len(self), 'document')}"
        return f"<{type(self).__name__}: {size}{', ' if source else ''}{visible(source)}>"
