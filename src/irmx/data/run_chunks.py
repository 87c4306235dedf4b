"""Runs in chunks of whole topics, so that a run larger than memory can be scored."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.data.content import content_in_blocks, is_compressed
from irmx.data.formats.detect import format_of, named
from irmx.data.formats.table import Parquet
from irmx.data.formats.trec import Trec
from irmx.data.lines import lines_until
from irmx.data.origin import Origin
from irmx.data.parquet_files import parquet_batches, parquet_rows
from irmx.data.runs import TableRun
from irmx.data.tables import is_path
from irmx.declare.columns import canonical_names
from irmx.errors import DataError, IrmxError

if TYPE_CHECKING:
    import pyarrow as pa

MEMORY = "1GB"
"""The memory that a run may take by default."""
_EXPANSION = 10
"""By how much compression makes a run smaller, at most; a file that cannot be larger than a chunk is read at once."""
_ROW_BYTES = 50
"""What a row of a run takes in a file of text, about."""


class Chunk(Origin):
    """Some whole topics of a run, in any process: what its file holds of them, not yet as a run.

    Attributes
    ----------
    path : Path
        The file or folder of the run.
    """

    path: Path

    @abstractmethod
    def rows(self) -> pa.Table:
        """Return the rows as a table."""

    def run(self) -> TableRun:
        """Return the topics as a run, whose errors have the lines of the file."""
        rows = self.rows()
        try:
            return TableRun(rows.rename_columns(canonical_names("run", rows.column_names)), self)
        except DataError as error:
            raise self.located(error) from None


@dataclass(frozen=True)
class TextChunk(Chunk):
    """Topics of a TREC file: their lines, and the number of lines before them."""

    path: Path
    content: bytes
    lines_before: int

    def rows(self) -> pa.Table:
        return Trec().read("run", self.path, self.content, self.lines_before)

    def place(self, rows: Sequence[int]) -> str:
        """Return the file and the lines of some rows of the chunk."""
        return Trec().place("run", self.path, self.content, tuple(rows), self.lines_before)


@dataclass(frozen=True)
class RowsChunk(Chunk):
    """Topics of a file, or of a folder of files, in Parquet, which has no lines; and the number of rows before them."""

    path: Path
    table: pa.Table
    rows_before: int

    def rows(self) -> pa.Table:
        return self.table

    def place(self, rows: Sequence[int]) -> str:
        """Return the file and the numbers of some rows in it."""
        numbers = [str(row + self.rows_before) for row in rows]
        many = "s" if len(numbers) > 1 else ""
        return f"{self.path}, row{many} {' and '.join(numbers)} (counted from 0)" if numbers else str(self.path)

    def located(self, error: DataError) -> DataError:
        """Return an error about the table with the file before its text, in which rows are numbered as in the file."""
        text, count = _ROW_NUMBER.subn(lambda row: f"row {int(row[1]) + self.rows_before} (", str(error))
        return DataError(text).at(str(self.path) if count else self.place(error.rows))


_ROW_NUMBER = re.compile(r"\brow (\d+) \((?=counted from 0\))")


def run_chunks(source: Any, size: int) -> Iterator[Chunk] | None:
    """Return the chunks of a large run file.

    A topic whose rows stand together in the file is in one chunk. A topic that returns after another one may be in several.

    Parameters
    ----------
    source : any
        A run as for :func:`irmx.read_run`.
    size : int
        The size of a chunk, in bytes of text. A topic that is larger is a chunk of its own.

    Returns
    -------
    iterator of Chunk, or None
        None if the run is not a file, is small, or is in a format that is always read at once, and if it cannot be read at
        all: then :func:`irmx.read_run` reads it, or says what is wrong.
    """
    if not is_path(source):
        return None
    format_and_path = named(source)
    path = Path(source) if format_and_path is None else format_and_path[1]
    if not path.is_dir() and (not path.is_file() or os.path.getsize(path) * _EXPANSION <= size):
        return None  # a pipe, of which the start can be read only once, or a small file
    try:
        reader, path = format_of("run", source)
        if isinstance(reader, Trec) and path.is_file():
            largest = os.path.getsize(path) * (_EXPANSION if is_compressed(path) else 1)
            return None if largest <= size else _text_chunks(path, size)
        if isinstance(reader, Parquet) and not (path.is_file() and is_compressed(path)):
            return None if parquet_rows(path) * _ROW_BYTES <= size else _rows_chunks(path, size)
    except (IrmxError, OSError):
        pass
    return None


# -- text ------------------------------------------------------------------------------------------------------------


def _text_chunks(path: Path, size: int) -> Iterator[TextChunk]:
    """Yield the chunks of a TREC file; nothing of one is kept here when the next one is read."""
    blocks: list[bytes] = []
    lines_before = wanted = 0
    for block in chain(content_in_blocks(path, "run", size), [b""]):
        blocks.append(block)
        if block and sum(map(len, blocks)) < wanted:
            continue
        del block
        held = b"".join(blocks)
        blocks.clear()
        cut = _start_of_last_topic(held)
        if cut:
            lines = lines_until(held, cut)
            yield TextChunk(path, held[:cut], lines_before)
            lines_before += lines
        # a topic that is larger than a block is not searched again after every block
        wanted = 0 if cut else 2 * len(held)
        blocks.append(held[cut:])
        del held
    if any(blocks):
        yield TextChunk(path, b"".join(blocks), lines_before)


def _start_of_last_topic(content: bytes) -> int:
    """Return where the last topic of whole lines starts, 0 if no other topic is before it.

    Where a comment begins as a row of the topic does, the cut may be in the wrong place; a topic is then in two chunks, as one
    that returns is.
    """
    line = _last_row(content, content.rfind(b"\n"))
    if line is None:
        return 0
    row_of_topic = rb"\n[^\S\n]*" + re.escape(line.split(maxsplit=1)[0]) + rb"\s"
    first = re.match(row_of_topic[2:], content) or re.search(row_of_topic, content)
    start = first.start() + 1 if first and first.start() else 0
    return start if start and _last_row(content, start - 1) is not None else 0


def _last_row(content: bytes, end: int) -> bytes | None:
    """Return the last line before an end of line that may be a row, because it is neither blank nor a comment."""
    while end >= 0:
        start = content.rfind(b"\n", 0, end) + 1
        line = content[start:end]
        fields = line.split(maxsplit=6)
        if len(fields) >= 6 and fields[0] != b"#":
            return line
        end = start - 1
    return None


# -- Parquet ---------------------------------------------------------------------------------------------------------


def _rows_chunks(path: Path, size: int) -> Iterator[RowsChunk]:
    import pyarrow as pa

    held: list[pa.Table] = []
    rows_before = 0
    for table in parquet_batches(path, max(1, min(size // _ROW_BYTES, 2**17))):
        held.append(table)
        if sum(part.nbytes for part in held) >= size:
            rows = pa.concat_tables(held)
            cut = _first_row_of_last_topic(rows)
            if cut:
                yield RowsChunk(path, rows.slice(0, cut), rows_before)
            held, rows_before = [rows.slice(cut)], rows_before + cut
    if held:
        yield RowsChunk(path, pa.concat_tables(held), rows_before)


def _first_row_of_last_topic(rows: pa.Table) -> int:
    """Return where the last topic starts; 0 if there is no other, no column of topics, or no id, which reading will refuse."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = canonical_names("run", rows.column_names)
    if "query_id" not in names:
        return 0
    topics = rows.column(names.index("query_id"))
    if pa.types.is_dictionary(topics.type):
        topics = topics.cast(topics.type.value_type)
    return max(0, int(pc.index(topics, topics[-1]).as_py()))


def lines_of_topic(topic: str, chunks: Iterable[Chunk]) -> Iterator[str]:
    """Yield, for every chunk that has a topic, the place of its first row there."""
    for chunk in chunks:
        run = chunk.run()
        if topic in run.topics:
            yield run.place([int(run.offsets[run.topics.index(topic)])])
