"""The results of a sweep, from a file or a table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError
from irmx.toolkit import some
from irmx_study.resuming.results_files import table_of
from irmx_study.sweeping.longform import KEYS

if TYPE_CHECKING:
    import pandas as pd


def read_results(results: Any) -> pd.DataFrame:
    """Return the results of a sweep, given as a data frame or as the path of a file.

    Raises
    ------
    irmx.errors.DataError
        If it cannot be read, or lacks the columns of results.
    """
    import pandas as pd

    what = "The results"
    if isinstance(results, (str, os.PathLike)):
        path = Path(results)
        if not path.exists():
            raise DataError(f"There are no results {os.fspath(path)!r}.")
        frame, what = table_of(path), f"The results in {path}"
    elif isinstance(results, pd.DataFrame):
        frame = results
    else:
        raise DataError(f"Results are a data frame or the path of a file. Got {type(results).__name__} instead.")
    lacking = [c for c in ("run", "query_id", "measure", "value") if c not in frame.columns]
    if lacking:
        raise DataError(
            f"{what} lack the column {lacking[0]!r}. Results are what irmx_study.sweep returns; these have "
            f"{some(map(str, frame.columns), 20)}."
        )
    return _checked(frame, what)


def _checked(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the results with numbers as values.

    Raises
    ------
    irmx.errors.DataError
        If a row has no run, topic or measure, or a value that is not a number; names the row.
    """
    import pandas as pd

    for name in KEYS:
        for row in np.flatnonzero(frame[name].isna())[:1].tolist():
            raise DataError(f"{what} have no {name} in row {row} (counted from 0).")
    values = pd.to_numeric(frame["value"], errors="coerce")
    wrong = (values.isna() & frame["value"].notna()) | values.isin([np.inf, -np.inf])
    for row in np.flatnonzero(wrong)[:1].tolist():
        raise DataError(
            f"{what} have the value {str(frame['value'].iloc[row])[:50]!r} in row {row} (counted from 0), which is not a finite number."
        )
    return frame.assign(value=values)
