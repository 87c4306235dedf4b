"""Parquet files, and folders of them, as Arrow tables."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.data.decompression import limit_of, too_large
from irmx.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_VALUE_BYTES = 8
"""What a value of a Parquet file takes in memory, at least."""


def parquet_table(name: str, content: bytes) -> pa.Table:
    """Return the content of a Parquet file as a table."""
    import pyarrow as pa
    from pyarrow import parquet

    with _parquet_errors(name):
        file = parquet.ParquetFile(pa.BufferReader(content))
    compressed = min(len(content), os.path.getsize(name)) if os.path.isfile(name) else len(content)
    _refuse_too_large(name, file.metadata, compressed)
    with _parquet_errors(name):
        table = file.read()
        _ = table.column_names  # which are decoded here
        return table


def _refuse_too_large(name: str, metadata: Any, compressed: int) -> None:
    """Raise if a file declares far more than its size; a billion equal values take some bytes."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    declared = sum(group.total_byte_size for group in groups)
    limit = limit_of(compressed)
    if max(declared, metadata.num_rows * metadata.num_columns * _VALUE_BYTES) > limit:
        raise too_large(compressed, limit).at(name)


def parquet_parts(folder: Path) -> list[str]:
    """Return the Parquet files in a folder, the parts of a table, in alphabetical order."""
    return [path for path in _visible(folder) if path.endswith(".parquet") and os.path.isfile(path)]


def is_run_in_parts(path: Path) -> bool:
    """Tell whether a path is a folder of Parquet files, and of nothing else."""
    return path.is_dir() and 0 < len(parquet_parts(path)) == len(_visible(path))


def _visible(folder: Path) -> list[str]:
    """Return what is in a folder, without names that begin with a dot or an underscore, which tools leave beside the parts."""
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name[0] not in "._"]


def parquet_rows(path: Path) -> int:
    """Return the number of rows of a Parquet file, or of a folder of parts, without reading them."""
    with _parquet_errors(str(path)):
        return int(_dataset(path).count_rows())


def parquet_batches(path: Path, rows: int = 2**17) -> Iterator[pa.Table]:
    """Yield a Parquet file, or a folder of parts, as tables of at most so many rows."""
    import pyarrow as pa

    with _parquet_errors(str(path)):
        rows_of_file = _dataset(path)
        _ = rows_of_file.schema.names  # which are decoded here
        for batch in rows_of_file.to_batches(batch_size=rows, batch_readahead=1, fragment_readahead=1):
            yield pa.Table.from_batches([batch])


def _dataset(path: Path) -> Any:
    """Return the rows of a file, or of the parts in a folder, all of which have the columns of the first; not yet read."""
    from pyarrow import dataset

    if not path.is_dir():
        rows = dataset.dataset(str(path), format="parquet")
        for part in rows.get_fragments():
            _refuse_too_large(str(path), part.metadata, os.path.getsize(path))
        return rows
    parts = parquet_parts(path)
    if not parts:
        raise DataError(f"{path} holds no file whose name ends with .parquet.")
    rows = dataset.dataset(parts, format="parquet")
    for part in rows.get_fragments():
        _refuse_too_large(part.path, part.metadata, os.path.getsize(part.path))
    for part in rows.get_fragments():  # of a part without a column, Arrow would make the cells empty
        lacking = [name for name in rows.schema.names if name not in part.physical_schema.names]
        if lacking:
            raise DataError(f"{part.path} lacks the column {lacking[0]!r}, which {parts[0]} has.")
    return rows


@contextlib.contextmanager
def _parquet_errors(name: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{name} is not a sound Parquet file: {str(error).rstrip('.')}.") from None
