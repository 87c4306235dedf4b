"""Runs in chunks of whole topics, so that a run larger than memory can be scored."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
from irmx.data.runs import Run, TableRun
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

Chunk = Callable[[], Run]
"""Makes a run of some whole topics, in any process; it holds what the file has of them."""


def run_chunks(source: Any, size: int) -> Iterator[Chunk] | None:
    """Return the chunks of a large run file.

    A topic whose rows stand together in the file is in one chunk. A topic that returns after another one may be in several. A
    topic that is larger than ``size``, in bytes of text, is a chunk of its own. The result is None if the run is not a file, is
    small, or is in a format that is always read at once, and if it cannot be read at all: then :func:`irmx.read_run` reads it,
    or says what is wrong.
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
            return None if parquet_rows(path) * _ROW_BYTES <= size else _table_chunks(path, size)
    except (IrmxError, OSError):
        pass
    return None


class _PartOfFile(Origin):
    """The part of a file from which a chunk was made; ``where`` returns the file and the lines of some rows of the chunk."""

    def __init__(self, source: str, where: Callable[[Sequence[int]], str]) -> None:
        self.source, self._where = source, where

    def place(self, rows: Sequence[int]) -> str:
        return self._where(rows)


def _run_of(rows: pa.Table, origin: Origin) -> Run:
    """Return rows as a run, whose errors have the place in the file."""
    try:
        return TableRun(rows.rename_columns(canonical_names("run", rows.column_names)), origin)
    except DataError as error:
        raise origin.located(error) from None


# -- text ------------------------------------------------------------------------------------------------------------


def _run_of_text(path: Path, content: bytes, lines_before: int) -> Run:
    """Return the run of some lines of a TREC file, with so many lines before them."""

    def lines(rows: Sequence[int]) -> str:
        return Trec().place("run", path, content, tuple(rows), lines_before)

    return _run_of(Trec().read("run", path, content, lines_before), _PartOfFile(str(path), lines))


def _text_chunks(path: Path, size: int) -> Iterator[Chunk]:
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
            yield partial(_run_of_text, path, held[:cut], lines_before)
            lines_before += lines
        # a topic that is larger than a block is not searched again after every block
        wanted = 0 if cut else 2 * len(held)
        blocks.append(held[cut:])
        del held
    if any(blocks):
        yield partial(_run_of_text, path, b"".join(blocks), lines_before)


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


def _run_of_rows(path: Path, table: pa.Table, rows_before: int) -> Run:
    """Return the run of some rows of a Parquet file or folder, with so many rows before them."""

    def numbers(rows: Sequence[int]) -> str:
        many = "s" if len(rows) > 1 else ""
        shown = " and ".join(str(row + rows_before) for row in rows)
        return f"{path}, row{many} {shown} (counted from 0)" if rows else str(path)

    return _run_of(table, _PartOfFile(str(path), numbers))


def _table_chunks(path: Path, size: int) -> Iterator[Chunk]:
    import pyarrow as pa

    held: list[pa.Table] = []
    rows_before = 0
    for table in parquet_batches(path, max(1, min(size // _ROW_BYTES, 2**17))):
        held.append(table)
        if sum(part.nbytes for part in held) >= size:
            rows = pa.concat_tables(held)
            cut = _first_row_of_last_topic(rows)
            if cut:
                yield partial(_run_of_rows, path, rows.slice(0, cut), rows_before)
            held, rows_before = [rows.slice(cut)], rows_before + cut
    if held:
        yield partial(_run_of_rows, path, pa.concat_tables(held), rows_before)


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
