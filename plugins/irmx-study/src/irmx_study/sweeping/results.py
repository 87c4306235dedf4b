"""The results of a sweep, from a file or a table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx import DataError
from irmx_study.resuming.results_files import table_of

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

    if isinstance(results, (str, os.PathLike)):
        path = Path(results)
        if not path.exists():
            raise DataError(f"There are no results {os.fspath(path)!r}.")
        frame = table_of(path)
    elif isinstance(results, pd.DataFrame):
        frame = results
    else:
        raise DataError(f"Results are a data frame or the path of a file. Got {type(results).__name__} instead.")
    lacking = [c for c in ("run", "query_id", "measure", "value") if c not in frame.columns]
    if lacking:
        raise DataError(
            f"The results lack the column {lacking[0]!r}. Results are what irmx_study.sweep returns; these have "
            f"{', '.join(map(str, frame.columns))}."
        )
    return frame
