"""The values that were looked up in documents, kept in files so that the next evaluation need not look."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from irmx.adapters.ir_datasets.fields import Field
from irmx.errors import DataWarning

if TYPE_CHECKING:
    import pyarrow as pa

_LAYOUT = "1"
"""Changes when older files are not to be read any more."""

_COLUMNS = ("doc_id", "number", "text", "rule", "unreadable")


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

    A file is written whole or not at all. One that cannot be read is made anew, with a warning.

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
        self._unreadable = False

    def read(self) -> dict[str, Value]:
        """Return the values by document."""
        if not self.path.exists():
            return {}
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(self.path)
            columns = [table.column(name).to_pylist() for name in _COLUMNS]
        except (pa.ArrowException, OSError, KeyError) as error:
            self._unreadable = True
            reason = str(error).partition("\n")[0]
            warnings.warn(
                f"The file {self.path} of the cache cannot be read ({reason}). The documents are looked up again, and it is "
                "made anew.",
                DataWarning,
                stacklevel=2,
            )
            return {}
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
            with FileLock(self.path.with_suffix(".lock")):
                part = self.path.with_suffix(".part")
                pq.write_table(_table(values if self._unreadable else self.read() | values), part)
                os.replace(part, self.path)
        except OSError as error:
            warnings.warn(
                f"What was looked up cannot be kept in the cache {folder()} ({error}); the next evaluation looks again. The "
                "environment variable IRMX_CACHE names another folder.",
                DataWarning,
                stacklevel=2,
            )


def _table(values: dict[str, Value]) -> pa.Table:
    import pyarrow as pa

    kept = list(values.values())
    return pa.table(
        {
            "doc_id": pa.array(values, pa.large_string()),
            "number": pa.array([v.value if isinstance(v.value, float) else None for v in kept], pa.float64()),
            "text": pa.array([v.value if isinstance(v.value, str) else None for v in kept], pa.large_string()),
            "rule": pa.array([v.rule for v in kept], pa.large_string()),
            "unreadable": pa.array([v.unreadable for v in kept], pa.large_string()),
        }
    )
