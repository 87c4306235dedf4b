"""The results file of a sweep: its formats, and the identity of the sweep in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx import DataError, UsageError
from irmx_study.sweeping.identity import Identity
from irmx_study.sweeping.parts import Parts, refuse_other, write_parquet, write_whole

if TYPE_CHECKING:
    import pandas as pd

_IDENTITY = b"irmx_sweep"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


class ResultsFile:
    """A results file, .parquet, .csv or .tsv.

    Parameters
    ----------
    out : str or Path
        Its path.

    Raises
    ------
    irmx.errors.UsageError
        If the name has another extension.
    irmx.errors.DataError
        If the folder does not exist.
    """

    def __init__(self, out: str | os.PathLike[str]) -> None:
        self.path = Path(out)
        if self.path.suffix not in (".parquet", *_SEPARATORS):
            raise UsageError(f"The results {os.fspath(out)!r} must end in .parquet, .csv or .tsv.")
        if not self.path.parent.is_dir():
            raise DataError(
                f"There is no folder {self.path.parent} for the results {os.fspath(out)!r}. Create it first."
            )

    def is_complete(self, identity: Identity, parts: Parts) -> bool:
        """Tell whether the file holds the results of a sweep.

        Raises
        ------
        irmx.errors.DataError
            If the file exists, but is not of this sweep.
        """
        if not self.path.exists():
            return False
        if self.path.suffix in _SEPARATORS:
            if parts.folder is not None and parts.folder.exists():
                return False
            raise DataError(
                f"{self.path} already exists, and a {self.path.suffix} file does not record which sweep it is of. "
                "Remove it, or choose another --out; a .parquet file does record it."
            )
        refuse_other(f"{self.path} holds the results", self._identity(), identity)
        return True

    def _identity(self) -> Identity:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            identity: Identity = json.loads((pq.read_schema(self.path).metadata or {})[_IDENTITY])
        except (pa.ArrowInvalid, OSError, KeyError, ValueError):
            raise DataError(
                f"{self.path} already exists and is not a results file of a sweep. Choose another --out."
            ) from None
        return identity

    def write(self, frame: pd.DataFrame, identity: Identity) -> None:
        """Write the results atomically: the file is complete or does not exist."""
        import pyarrow as pa

        if self.path.suffix in _SEPARATORS:
            separator = _SEPARATORS[self.path.suffix]
            write_whole(self.path, lambda unfinished: frame.to_csv(unfinished, sep=separator, index=False))
            return
        table = pa.Table.from_pandas(frame, preserve_index=False)
        marked = {**(table.schema.metadata or {}), _IDENTITY: json.dumps(identity).encode()}
        write_parquet(self.path, table.replace_schema_metadata(marked))

    def read(self) -> pd.DataFrame:
        """Return the results."""
        return read_results(self.path)


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
        frame = _table(path)
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


def _table(path: Path) -> pd.DataFrame:
    """Return a file as a table; in a .csv or .tsv only empty cells are missing, because None is a value there."""
    import pandas as pd
    import pyarrow as pa

    separator = _SEPARATORS.get(path.suffix)
    try:
        if separator is None:
            return pd.read_parquet(path)
        texts = {"run": str, "query_id": str}
        return pd.read_csv(path, sep=separator, dtype=texts, keep_default_na=False, na_values=[""])
    except (pa.ArrowInvalid, OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as a results file, which is .parquet, .csv or .tsv: {error}") from None
