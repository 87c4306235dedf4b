"""Times in seconds: the check that they are not in milliseconds."""

from __future__ import annotations

import numpy as np

from irmx import Column, DataError, Rows
from irmx.ragged import Floats

LATEST = 1e11
"""The latest plausible time, in seconds since 1970; read as milliseconds it is in 1973."""


def too_late(name: str, value: str) -> str:
    """Return the message about a time after :data:`LATEST`."""
    return f"the {name} {value} is not in seconds: it would be after the year 5100. Give seconds, not milliseconds."


def seconds(rows: Rows, column: Column, missing_ok: bool = False) -> Floats:
    """Return a column of times; raise if a row lacks one, unless it may, and for a time after :data:`LATEST`."""
    values = rows.column(column, missing_ok)
    for i in np.flatnonzero(values > LATEST)[:1].tolist():
        where = rows.place([i])
        told = too_late(column.name, f"{values[i]:.15g}")
        raise DataError(f"{where}: {told}" if where else f"The {rows.table}: {told}")
    return values
