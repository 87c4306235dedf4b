"""Parquet: files and folders of them as Arrow tables, at once or in batches."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from irmx.data.files import decompressed_limit, too_large
from irmx.data.formats import Format
from irmx.data.table import Source, Table, refuse_twice
from irmx.declare.columns import TableName
from irmx.errors import DataError
from irmx.text import list_some

if TYPE_CHECKING:
    import pyarrow as pa


# -- parquet files and folders of them, Hive partitions among them, as Arrow tables ----------------------------------


_VALUE_BYTES = 8
"""What a value of a Parquet file takes in memory, at least."""
_SMALL = 10**7
"""A file of fewer bytes is searched for long texts that many rows may repeat, which takes some 30 ms for 10^5 texts."""
PARTITION = "run="
"""How the folder of one run begins in a folder partitioned by run."""


class Parquet(Format):
    """Apache Parquet."""

    NAME, FOLDERS = "parquet", ("run",)
    SHORT_DESC = "Apache Parquet table; a run may be a folder of them"
    EXAMPLES = ("run.parquet", "parquet:run.pq")

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """Tell by the first four bytes; a folder by the names of the files in it."""
        return is_parquet_folder(path) or start[:4] == b"PAR1" or ".parquet" in path.suffixes[-2:]

    def read(self, table: TableName, path: Path, content: bytes) -> Table:
        """Return the content of a file, or the parts in a folder, as a table."""
        return read_parquet(table, path, content)


def read_parquet(what: str, path: Path, content: bytes = b"") -> Table:
    """Return a file, by its content if that is given, or the parts in a folder, as a table."""
    import pyarrow as pa
    from pyarrow import parquet

    name = str(path)
    if path.is_dir():
        if len(runs := partitions_by_run(path)) > 1:
            raise DataError(f"{name} holds {len(runs)} runs: {list_some(runs)}. Name one of them.")
        with _parquet_errors(name):
            rows, columns = _dataset(path), {}
            refuse_twice(rows.schema.names, name)
            for column in rows.schema.names:
                columns[column] = partial(_column_of_folder, path, column)
            return Table(what, columns, rows.count_rows(), Source(name))
    with _parquet_errors(name):
        file = parquet.ParquetFile(pa.BufferReader(content))
        names = file.schema_arrow.names
    compressed = min(len(content), path.stat().st_size) if path.is_file() else len(content)
    _refuse_too_large(name, file.metadata, compressed)
    refuse_twice(names, name)
    cells = {column: partial(_column_of, content, name, column) for column in names}
    return Table(what, cells, file.metadata.num_rows, Source(name))


def _column_of(content: bytes, name: str, column: str) -> Any:
    """Return a column of a file, the only one that is read: another may take far more memory than the file.

    It takes the content, because a table goes to other processes, and an open file of Arrow does not.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with _parquet_errors(name):
        file = parquet.ParquetFile(pa.BufferReader(content))
        repeating = _repeating(pa.BufferReader(content), file.metadata, [column], len(content))
        if repeating:
            file = parquet.ParquetFile(pa.BufferReader(content), read_dictionary=repeating)
        read = file.read(columns=[column], use_threads=False)
        if read.column_names != [column]:  # a full stop in a name is a path to Arrow
            read = file.read(use_threads=False)
        return _refuse_repeated(read.column(column), len(content), name)


def _column_of_folder(folder: Path, column: str) -> Any:
    """Return a column of the files in a folder."""
    with _parquet_errors(str(folder)):
        read = _dataset(folder).to_table(columns=[column]).column(0)
        return _refuse_repeated(read, sum(map(os.path.getsize, _parts(folder))), str(folder))


def _repeating(source: Any, metadata: Any, columns: Iterable[str], size: int) -> set[str]:
    """Return those of some columns to read as dictionaries: of texts that repeat, or may repeat a long one into all memory.

    A text that is written out takes four bytes for its length alone; where all take less, they are numbers of texts.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    is_text = {pa.string(), pa.large_string()}
    texts = {field.name for field in metadata.schema.to_arrow_schema() if field.type in is_text}.intersection(columns)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    repeating = set()
    for name in texts:
        chunks = [
            (i, chunk)
            for i, group in enumerate(groups)
            for chunk in map(group.column, range(group.num_columns))
            if chunk.path_in_schema == name
        ]
        if any("DELTA_BYTE_ARRAY" in chunk.encodings for _, chunk in chunks):
            continue  # which Arrow does not read as a dictionary
        written = sum(chunk.total_uncompressed_size for _, chunk in chunks)
        if written > 4 * metadata.num_rows:
            file = parquet.ParquetFile(source, metadata=metadata, read_dictionary=[name])
            for i in (i for i, chunk in chunks if size < _SMALL and chunk.has_dictionary_page):
                texts_of_group = next(file.iter_batches(1, row_groups=[i], columns=[name])).column(0).dictionary
                written += groups[i].num_rows * (pc.max(pc.binary_length(texts_of_group)).as_py() or 0)
            if written <= decompressed_limit(size):
                continue
        repeating.add(name)
    return repeating


def _refuse_repeated(column: Any, compressed: int, name: str) -> Any:
    """Return a column; raise if it is a dictionary of which the rows repeat so much that they would fill the memory."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        limit = decompressed_limit(compressed)
        lengths = (pc.sum(pc.take(pc.binary_length(part.dictionary), part.indices)).as_py() for part in column.chunks)
        if sum(filter(None, lengths)) > limit:
            raise too_large(compressed, limit).at(name)
    return column


def table_of_arrow(what: str, rows: pa.Table, source: Source) -> Table:
    """Return an Arrow table as a table."""
    try:
        names = rows.column_names
    except UnicodeDecodeError as error:
        raise DataError(f"The name of a column is not UTF-8: {error}.", place=source.path or f"The {what}") from None
    refuse_twice(names, source.path or f"The {what}")
    return Table(what, dict(zip(names, rows.columns, strict=True)), rows.num_rows, source)


def _refuse_too_large(name: str, metadata: Any, compressed: int) -> None:
    """Raise if a file declares far more than its size; a billion equal values take some bytes."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    declared = sum(group.total_byte_size for group in groups)
    limit = decompressed_limit(compressed)
    if max(declared, metadata.num_rows * metadata.num_columns * _VALUE_BYTES) > limit:
        raise too_large(compressed, limit).at(name)


def _parts(folder: Path) -> list[str]:
    """Return the files below a folder in alphabetical order, without what tools leave beside the parts."""
    found: list[str] = []
    for below, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        found += [os.path.join(below, name) for name in sorted(files) if name[0] not in "._"]
    return found


def is_parquet_folder(path: Path) -> bool:
    """Tell whether a path is a folder of Parquet files, and of nothing else.

    On its first level are files, or folders such as ``query_id=1``, so that no other folder, such as /, is listed as a whole.
    """
    names: list[str] = []
    with contextlib.suppress(OSError):  # no folder, or one that may not be read
        names = os.listdir(path)
    parts = _parts(path) if any(name.endswith(".parquet") or "=" in name for name in names) else []
    return len(parts) > 0 and all(part.endswith(".parquet") for part in parts)


def partitions_by_run(folder: Path) -> list[str]:
    """Return the folders of the runs in a folder that is partitioned by run, as ``run=bm25/part-0.parquet``; none otherwise."""
    inside = sorted(entry.name for entry in os.scandir(folder) if entry.name[0] not in "._") if folder.is_dir() else []
    if not inside or not all(name.startswith(PARTITION) for name in inside):
        return []
    runs = [folder / name for name in inside]
    return [str(run) for run in runs] if all(map(is_parquet_folder, runs)) else []


def run_of_partition(path: str) -> str | None:
    """Return the name of the run in a folder such as ``run=bm25``, in which Hive's writers escape characters; None for others."""
    name = os.path.basename(os.path.normpath(path))
    return unquote(name.removeprefix(PARTITION)) if name.startswith(PARTITION) and os.path.isdir(path) else None


def parquet_rows(path: Path) -> int:
    """Return the number of rows of a Parquet file, or of a folder of parts, without reading them."""
    with _parquet_errors(str(path)):
        return int(_dataset(path).count_rows() if path.is_dir() else _file(path).metadata.num_rows)


def batches(path: Path, rows: int) -> Iterator[pa.Table]:
    """Yield a Parquet file, or a folder of parts, as tables of at most so many rows."""
    import pyarrow as pa

    with _parquet_errors(str(path)):
        if path.is_dir():
            whole = _dataset(path)
            found = chain.from_iterable(
                part.subset(row_group_ids=groups).to_batches(whole.schema, batch_size=rows, batch_readahead=1)
                for part in whole.get_fragments()
                for groups in _groups_of_rows(part.metadata, rows)
            )
        else:
            file = _file(path)
            found = chain.from_iterable(
                file.iter_batches(rows, row_groups=groups, use_threads=False)
                for groups in _groups_of_rows(file.metadata, rows)
            )
        yield from (pa.Table.from_batches([batch]) for batch in found if len(batch))


def _groups_of_rows(metadata: Any, rows: int) -> Iterator[list[int]]:
    """Yield row groups, as many at once as have so many rows: Arrow keeps what it has read of all groups that it is asked for."""
    ends = np.cumsum([metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)])
    parts = ends // rows
    for groups in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(parts)) + 1):
        yield groups.tolist()


def _file(path: Path) -> Any:
    """Return a file, not yet read; without pyarrow.dataset, which imports pandas."""
    from pyarrow import parquet

    metadata = parquet.read_metadata(path)
    _refuse_too_large(str(path), metadata, os.path.getsize(path))
    repeating = _repeating(path, metadata, metadata.schema.to_arrow_schema().names, os.path.getsize(path))
    return parquet.ParquetFile(path, metadata=metadata, read_dictionary=repeating)


def _dataset(path: Path) -> Any:
    """Return the rows of the parts in a folder, all of which have the columns of the first; not yet read."""
    from pyarrow import dataset, parquet

    parts = [Path(part) for part in _parts(path) if part.endswith(".parquet")]
    if not parts:
        raise DataError(f"{path} holds no file whose name ends with .parquet.")
    schema = parquet.read_schema(parts[0])
    keys = _keys_of(path, parts)
    hive = {"partitioning": _partitioning(path, parts, keys, schema), "partition_base_dir": str(path)} if keys else {}
    metadata = parquet.read_metadata(parts[0])
    repeating = _repeating(parts[0], metadata, set(schema.names) - keys, os.path.getsize(parts[0]))
    options = dataset.ParquetReadOptions(dictionary_columns=repeating)
    kind = dataset.ParquetFileFormat(read_options=options)
    rows = dataset.dataset(list(map(str, parts)), format=kind, **hive)
    first = next(iter(rows.get_fragments())).physical_schema
    for part in rows.get_fragments():
        _refuse_too_large(part.path, part.metadata, os.path.getsize(part.path))
        lacking = [n for n in first.names if n not in part.physical_schema.names]
        if lacking:  # Arrow would make the cells empty
            raise DataError(f"{part.path} lacks the column {lacking[0]!r}, which {parts[0]} has.")
    return rows


def _keys_of(folder: Path, parts: list[Path]) -> set[str]:
    """Return the columns that the names of folders hold."""
    return {name.partition("=")[0] for part in parts for name in part.relative_to(folder).parts[:-1] if "=" in name}


def _partitioning(folder: Path, parts: list[Path], keys: set[str], schema: pa.Schema) -> Any:
    """Return the columns that the names of folders hold, as texts: Arrow would take the topic 001 for the integer 1."""
    import pyarrow as pa
    from pyarrow import dataset

    for key in sorted(keys & set(schema.names)):
        for part in parts:
            _refuse_contradiction(folder, part, key)
    columns = [(key, schema.field(key).type if key in schema.names else pa.string()) for key in sorted(keys)]
    return dataset.partitioning(pa.schema(columns), flavor="hive")


def _refuse_contradiction(folder: Path, part: Path, key: str) -> None:
    """Raise if a file has another value in a column than the name of its folder says."""
    import pyarrow as pa
    from pyarrow import parquet

    named = dict(name.split("=", 1) for name in part.relative_to(folder).parts[:-1] if "=" in name)
    if key not in named:
        return
    said = unquote(named[key])
    values = parquet.ParquetFile(part).read(columns=[key]).column(key).unique()
    try:
        expected = pa.scalar(said).cast(values.type).as_py()
    except pa.ArrowException:
        expected = said
    if other := [value for value in values.to_pylist() if value != expected]:
        raise DataError(
            f"{part} has the {key} {other[0]!r}, where its folder says {key}={said}. Keep the one that is right."
        )


@contextlib.contextmanager
def _parquet_errors(name: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{name} is not a sound Parquet file: {str(error).rstrip('.')}.") from None
