"""What runs and judgments share: the columns of the table that they were made of, over their rows."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from irmx.data.table import NUMBER, Source, Table
from irmx.declare.columns import REQUIRED, Column, TableName, missing_column
from irmx.ragged import Array, Floats, Ints, read_only, shared
from irmx.text import plural, visible

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
