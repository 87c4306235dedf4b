"""Reading qrels and runs from files: the format is found by name and content."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from irmx.columns import Table
from irmx.errors import DataError
from irmx.formats.content import content_of
from irmx.plugins import registry

if TYPE_CHECKING:
    import pyarrow as pa


def read(table: Table, source: str | os.PathLike[str]) -> pa.Table:
    """Return a file, or the qrels of an ir_datasets id, as an Arrow table.

    Parameters
    ----------
    table : {"run", "qrels"}
        What it is.
    source : str or Path
        The path of a file; ``FORMAT:path`` to name the format; for qrels also an ir_datasets id.

    Raises
    ------
    irmx.errors.DataError
        Where nothing is found there or it cannot be read.
    """
    formats = registry().formats()
    name, _, rest = os.fspath(source).partition(":")
    if rest and name in formats and not os.path.exists(source):
        path = Path(rest)
        return formats[name].read(table, path, content_of(path) if path.is_file() else b"")
    path = Path(source)
    if not path.exists():
        if table == "qrels":
            from irmx.collections import qrels_table

            return qrels_table(os.fspath(source))
        raise DataError(f"There is no run file {os.fspath(source)!r}.{_neighbour(path)}")
    content = content_of(path)
    for reader in formats.values():
        if table in reader.TABLES and reader.recognises(table, path, content[:4096]):
            return reader.read(table, path, content)
    raise DataError(f"{path} is in none of the known formats of a {table} file: {', '.join(formats)}.")


def _neighbour(path: Path) -> str:
    """Return a hint at a file of nearly the same name."""
    from irmx.errors import suggest

    folder = path.parent
    return suggest(path.name, sorted(os.listdir(folder))) if folder.is_dir() else f" There is no folder {folder}."
