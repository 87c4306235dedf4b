"""The values that were looked up in documents, kept in files so that the next evaluation need not look."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from irmx.adapters.ir_datasets.fields import Field
from irmx.data.new_file import new_file
from irmx.errors import DataError, DataWarning

if TYPE_CHECKING:
    import pyarrow as pa

_LAYOUT = "1"
"""Changes when older files are not to be read any more."""

_COLUMNS = ["doc_id", "number", "text", "rule", "unreadable"]

_PATIENCE = 60
"""So many seconds a process waits for others that are adding to the same file."""


class Value(NamedTuple):
    """What a document gives for a column.

    Attributes
    ----------
    value : float, str or None
        The value.
    rule : str
        The rule that it follows from, empty for none.
    unreadable : str
        What stands in the field where it is no value, shortened; empty otherwise.
    """

    value: float | str | None
    rule: str = ""
    unreadable: str = ""


def folder() -> Path:
    """Return the folder of the cache: what the environment variable ``IRMX_CACHE`` names, ``~/.cache/irmx`` by default."""
    return Path(os.environ.get("IRMX_CACHE") or Path.home() / ".cache" / "irmx")


class Cache:
    """The values of one field of the documents of one dataset.

    Several processes may read and add to it at the same time; none loses what another one added. A file that cannot be read is
    made anew, with a warning. Without a folder to write to, everything is looked up again, with a warning.

    Parameters
    ----------
    dataset_id : str
        The id of the dataset.
    field : Field
        The field.
    source : str
        Which version of which plugin declares it, so that another one does not read old values.
    """

    def __init__(self, dataset_id: str, field: Field, source: str) -> None:
        key = "\n".join([_LAYOUT, dataset_id, field.column, field.field, field.form, source])
        name = re.sub(r"[^\w.-]+", "-", f"{dataset_id}-{field.column}")
        self.path = folder() / "fields" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.parquet"

    def read(self) -> dict[str, Value]:
        """Return the values by document."""
        try:
            return self._values()
        except _UnreadableError as error:
            warnings.warn(
                f"The file {self.path} of the cache cannot be read ({error}). The documents are looked up again, and it is "
                "made anew.",
                DataWarning,
                stacklevel=2,
            )
            return {}

    def _values(self) -> dict[str, Value]:
        """Return what is in the file; it is opened once, because another process may put a new one in its place."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with open(self.path, "rb") as file:
                table = pq.ParquetFile(file).read()
            if table.schema.names != _COLUMNS or table.schema.types != _types():
                raise _UnreadableError("it has other columns")
            columns = [column.to_pylist() for column in table.columns]
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _UnreadableError(str(error).partition("\n")[0]) from None
        return {
            doc_id: Value(text if number is None else number, rule, unreadable)
            for doc_id, number, text, rule, unreadable in zip(*columns, strict=True)
        }

    def add(self, values: dict[str, Value]) -> None:
        """Keep more values; what other processes keep at the same time stays."""
        import pyarrow.parquet as pq
        from filelock import FileLock

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=_PATIENCE):
                try:
                    kept = self._values()
                except _UnreadableError:
                    kept = {}
                with new_file(self.path) as file:
                    pq.write_table(_table(kept | values), file)
        except (DataError, OSError) as error:
            warnings.warn(
                f"What was looked up cannot be kept in the cache {folder()} ({error}); the next evaluation looks again. The "
                "environment variable IRMX_CACHE names another folder.",
                DataWarning,
                stacklevel=2,
            )


class _UnreadableError(Exception):
    """A file of the cache is damaged; the text says in which way."""


def _types() -> list[pa.DataType]:
    import pyarrow as pa

    return [pa.float64() if name == "number" else pa.large_string() for name in _COLUMNS]


def _table(values: dict[str, Value]) -> pa.Table:
    import pyarrow as pa

    kept = list(values.values())
    columns = (
        list(values),
        [v.value if isinstance(v.value, float) else None for v in kept],
        [v.value if isinstance(v.value, str) else None for v in kept],
        [v.rule for v in kept],
        [v.unreadable for v in kept],
    )
    return pa.table([pa.array(c, kind) for c, kind in zip(columns, _types(), strict=True)], names=_COLUMNS)
