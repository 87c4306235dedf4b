"""A results file: its formats, and the identity of the work in it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataError, UsageError
from irmx.toolkit import content_of, new_file
from irmx_study.resuming.identity import Identity
from irmx_study.resuming.parts import KEPT, Kind, Parts, refuse_other, write_parquet

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {".csv": ",", ".tsv": "\t"}


class ResultsFile:
    """A results file, .parquet, .csv or .tsv.

    Parameters
    ----------
    kind : Kind
        The kind of work.
    out : str or Path
        Its path.

    Raises
    ------
    irmx.errors.UsageError
        If the name has another extension.
    irmx.errors.DataError
        If the folder does not exist.
    """

    def __init__(self, kind: Kind, out: str | os.PathLike[str]) -> None:
        self.kind = kind
        self.path = Path(out)
        if self.path.suffix not in (".parquet", *SEPARATORS):
            raise UsageError(f"The results {os.fspath(out)!r} must end in .parquet, .csv or .tsv.")
        if not self.path.parent.is_dir():
            raise DataError(
                f"There is no folder {self.path.parent} for the results {os.fspath(out)!r}. Create it first."
            )

    def is_complete(self, identity: Identity, parts: Parts) -> bool:
        """Tell whether the file holds the results of the work with an identity.

        Raises
        ------
        irmx.errors.DataError
            If the file exists, but is not of this work.
        """
        if not self.path.exists():
            return False
        if self.path.suffix in SEPARATORS:
            if parts.folder is not None and parts.folder.exists():
                return False
            raise DataError(
                f"{self.path} already exists, and a {self.path.suffix} file does not record which {self.kind.name} it is of. "
                "Remove it, or choose another --out; a .parquet file does record it."
            )
        refuse_other(self.kind, f"{self.path} holds the results", self._identity(), identity)
        return True

    @property
    def _key(self) -> bytes:
        return f"irmx_{Path(self.kind.manifest).stem}".encode()

    def _identity(self) -> Identity:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            identity: Identity = json.loads((pq.read_schema(self.path).metadata or {})[self._key])
        except (pa.ArrowInvalid, OSError, KeyError, ValueError):
            raise DataError(
                f"{self.path} already exists and is not a results file of a {self.kind.name}. Choose another --out."
            ) from None
        return identity

    def write(self, frame: pd.DataFrame, identity: Identity) -> None:
        """Write the results: the file is complete or does not exist."""
        import pyarrow as pa

        if self.path.suffix in SEPARATORS:
            separator = SEPARATORS[self.path.suffix]
            with new_file(self.path, KEPT) as file:
                frame.to_csv(file, sep=separator, index=False, lineterminator="\n")
            return
        table = pa.Table.from_pandas(frame, preserve_index=False)
        marked = {**(table.schema.metadata or {}), self._key: json.dumps(identity).encode()}
        write_parquet(self.path, table.replace_schema_metadata(marked))

    def read(self) -> pd.DataFrame:
        """Return the results."""
        return table_of(self.path)


def table_of(path: Path) -> pd.DataFrame:
    """Return a results file as a table; in a .csv or .tsv only empty cells are missing, because None is a value there."""
    import pandas as pd
    import pyarrow as pa

    separator = SEPARATORS.get(path.suffix)
    try:
        if separator is None:
            return pd.read_parquet(path)
        texts = {"run": str, "query_id": str}
        return pd.read_csv(
            io.BytesIO(content_of(path, "results")), sep=separator, dtype=texts, keep_default_na=False, na_values=[""]
        )
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise DataError(f"{path} cannot be read as a results file, which is .parquet, .csv or .tsv: {error}") from None
