"""Extra columns as finite numbers, with errors that name the cell that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irmx.data.numerals import as_number, finite_or_missing
from irmx.data.origin import Origin
from irmx.data.tables import Columns
from irmx.declare.columns import Column
from irmx.errors import DataError
from irmx.ragged import Floats

if TYPE_CHECKING:
    import pyarrow as pa


def numbers(data: pa.Table, column: Column, origin: Origin) -> Floats | None:
    """Return an extra column of finite numbers, NaN if a cell is empty; None if the table lacks the column.

    Parameters
    ----------
    data : pyarrow Table
        The table.
    column : Column
        The column.
    origin : Origin
        Where the table came from.

    Raises
    ------
    irmx.errors.DataError
        If a cell is text or an infinite number. (A single wrong cell in a file makes the whole column text.) The message
        names the first row that is infinite, or that differs from most others, which are numbers or dates.
    """
    if column.name not in data.column_names:
        return None
    columns = Columns(column.table, data)
    values = columns.values(column.name)
    if values.dtype.kind != "f":
        if all(cell is None or cell == "" for cell in values.tolist()):
            return np.full(len(values), np.nan)
        parsed = [finite_or_missing(cell) for cell in values.tolist()]
        if None in parsed:
            raise origin.located(_first_wrong(columns, column.name))
        return np.array(parsed, dtype=np.float64)
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values)))
        raise origin.located(_wrong(columns, column.name, "finite numbers", values[row].item(), row))
    return values


def _first_wrong(columns: Columns, name: str) -> DataError:
    import pandas as pd

    cells = [str(cell) for cell in columns.values(name).tolist()]
    texts = pd.Series([None if cell in ("", "None", "nan") else cell for cell in cells], dtype=object)
    number = texts.notna() & np.array([finite_or_missing(cell) is not None for cell in texts.tolist()])
    date = pd.to_datetime(texts, errors="coerce", utc=True, format="ISO8601").notna() & ~number
    dates = date.sum() > number.sum()
    wrong = texts.notna() & ~(date if dates else number)
    row = int(np.argmax(wrong if wrong.any() else texts.notna()))
    kind = "finite numbers" if as_number(texts[row]) is not None else "numbers"
    expected = "dates such as 2014-03-01T12:00:00, as most of its rows do" if dates else kind
    return _wrong(columns, name, expected, texts[row], row)


def _wrong(columns: Columns, name: str, expected: str, cell: object, row: int) -> DataError:
    at = " ".join(str(columns.data.column(c)[row].as_py()) for c in ("query_id", "doc_id"))
    return DataError(
        f"The {columns.table} column {name!r} must hold {expected}. Found {cell!r} in row {row} (counted from 0), {at}.",
        (row,),
    )
