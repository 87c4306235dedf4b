"""The base class of output formats, and the rows that they write."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, TextIO

import numpy as np

from irmx.errors import UsageError
from irmx.ragged import short_repr
from irmx.text import visible

P_VALUES = ("p_value", "p", "p_corrected")
"""The columns of p-values. No p-value is 0: one too small for the decimal places is ``<0.0001`` for reading, and has more places for programs."""


@dataclass(frozen=True)
class PrintedRows:
    """Rows of named cells that an output format writes.

    Attributes
    ----------
    names : sequence of str
        The names of the columns, in order.
    records : sequence of dict of str to object
        The cells of every row by name: strings, numbers, None, True or False, lists of strings, or dicts of strings. A row
        need not have all columns.
    places : int
        The decimal places of floats; -1 for all.
    header : bool
        Whether to write the names, in formats where a header is optional.
    footer : dict of str to object
        Cells below the rows, such as a sum, in formats for reading.
    """

    names: Sequence[str]
    records: Sequence[Mapping[str, Any]]
    places: int = 4
    header: bool = True
    footer: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = short_repr

    @classmethod
    def of(cls, rows: Any, columns: Sequence[str] | None = None, **options: Any) -> PrintedRows:
        """Return rows from a DataFrame or an iterable of dicts; see :func:`irmx.toolkit.print_rows`.

        Parameters
        ----------
        rows : DataFrame, or iterable of dict of str to object
            The rows. A missing value of a DataFrame becomes None.
        columns : sequence of str, optional
            The columns to keep, in order; by default all, in the order in which they first appear.
        **options
            ``places``, ``header`` and ``footer``.

        Raises
        ------
        irmx.errors.UsageError
            Where rows are none.
        """
        records, names = _records(rows)
        return cls(tuple(names if columns is None else columns), records, **options)

    def texts(self, escape: Callable[[str], str] = visible, exact: bool = False) -> list[list[str]]:
        """Return the cells of all rows as strings, each passed through the escape function of the format.

        With ``exact``, for other programs, a p-value that the decimal places would round to 0 is a number such as ``3e-09``.
        """
        return [self.line(record, escape, exact) for record in self.records]

    def line(self, record: Mapping[str, Any], escape: Callable[[str], str] = visible, exact: bool = False) -> list[str]:
        """Return the cells of one row as strings."""
        return [escape(cell_text(record.get(name), self.places, name in P_VALUES, exact)) for name in self.names]

    def of_numbers(self) -> list[bool]:
        """Tell for every column whether it holds numbers, which are aligned right."""
        return [
            any(_is_number(record.get(name)) for record in self.records)
            and all(record.get(name) is None or _is_number(record.get(name)) for record in self.records)
            for name in self.names
        ]


def cell_text(value: Any, places: int, is_p_value: bool = False, exact: bool = False) -> str:
    """Return a cell as text: a float with the given decimal places, the items of lists and dicts separated by commas, nothing for None.

    Examples
    --------
    >>> cell_text(2 / 3, 4), cell_text(2 / 3, -1), cell_text(1e-9, 4, is_p_value=True), cell_text(7, 4)
    ('0.6667', '0.6666666666666666', '<0.0001', '7')
    >>> cell_text(1e-9, 4, is_p_value=True, exact=True)
    '1e-09'
    >>> cell_text(["a", "b"], 4), cell_text({"length": "words"}, 4), cell_text(True, 4), cell_text(None, 4)
    ('a, b', 'length (words)', 'yes', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Real) and not isinstance(value, Integral):
        if places == -1:
            return repr(float(value))
        text = f"{value:.{places}f}"
        if not is_p_value or float(text) or (exact and value == 0):
            return text
        return f"{value:.{max(places, 1)}g}" if exact else f"<{10.0**-places:.{places}f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} ({of_key})" for key, of_key in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


_ROWS = "The rows to print must be a DataFrame or an iterable of mappings from names to cells."


def _records(rows: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows as dicts, and the names of their columns."""
    if hasattr(rows, "itertuples"):
        frame = rows.astype(object).where(rows.notna(), None)
        records, names = frame.to_dict("records"), list(map(str, rows.columns))
    else:
        if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
            raise UsageError(f"{_ROWS} Got a single {type(rows).__name__} instead.")
        records = list(rows)
        for row in records:
            if not isinstance(row, Mapping):
                raise UsageError(f"{_ROWS} Got a row that is a {type(row).__name__} instead.")
        names = list(dict.fromkeys(name for record in records for name in record))
    return [{name: _plain(cell) for name, cell in record.items()} for record in records], names


def _plain(cell: Any) -> Any:
    """Return a cell of numpy or pandas as one of Python, None for what is missing; NaN stays what it is."""
    if isinstance(cell, np.bool_):
        return bool(cell)
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return None if np.isnat(cell) else cell
    pandas = sys.modules.get("pandas")  # where it is not imported, there is none of its cells
    return None if pandas is not None and (cell is pandas.NaT or cell is pandas.NA) else cell


class OutputFormat(ABC):
    """A way to print the rows of any command; a plugin registers instances through ``irmx_output_formats``.

    Attributes
    ----------
    NAME : str
        The name for ``-o NAME``.
    SHORT_DESC : str
        A description in one sentence.
    WIDE : bool
        Whether it is meant for reading, so that ``irmx eval`` writes one row per run or topic with one column per measure,
        rather than one row per value.
    """

    NAME: ClassVar[str]
    SHORT_DESC: ClassVar[str] = ""
    WIDE: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"<Output format {self.NAME}>"

    @abstractmethod
    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write all rows."""
