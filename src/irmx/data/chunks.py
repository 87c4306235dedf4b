"""Large runs as chunks of whole topics, so that a run larger than memory can be scored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.data.files import content_in_blocks, content_of, is_compressed, is_path
from irmx.data.formats import START, format_of, path_of
from irmx.data.parquet import Parquet, parquet_batches, parquet_rows, table_of_arrow
from irmx.data.runs import Run
from irmx.data.table import Source
from irmx.data.trec import Trec, read_trec, start_of_last_topic
from irmx.declare.columns import canonical_names
from irmx.errors import IrmxError

if TYPE_CHECKING:
    import pyarrow as pa

MEMORY = "1GB"
"""The memory that a run may take by default."""
_EXPANSION = 10
"""By how much compression makes a run smaller, at most; a file that cannot be larger than a chunk is read at once."""
_ROW_BYTES = 50
"""What a row of a run takes in a file of text, about."""

Chunk = Callable[[], Run]
"""Makes the run of some whole topics, in any process; its errors have the lines of the file."""


def run_chunks(source: Any, size: int) -> Iterator[Chunk] | None:
    """Return the chunks of a large run file, of about ``size`` bytes of text each.

    A topic whose rows stand together in the file is in one chunk; one that returns after another may be in several. None if the
    run is not a file, is small, or is in a format that is always read at once, and if it cannot be read at all: then
    :func:`irmx.read_run` reads it, or says what is wrong.
    """
    if not is_path(source):
        return None
    path = path_of(source)
    if not path.is_dir() and (not path.is_file() or os.path.getsize(path) * _EXPANSION <= size):
        return None  # a pipe, of which the start can be read only once, or a small file
    try:
        reader = format_of("run", source, b"" if path.is_dir() else content_of(path, "run", START))
        if isinstance(reader, Trec) and path.is_file():
            largest = os.path.getsize(path) * (_EXPANSION if is_compressed(path) else 1)
            return None if largest <= size else _chunks_of_lines(path, size)
        if isinstance(reader, Parquet) and not (path.is_file() and is_compressed(path)):
            return None if parquet_rows(path) * _ROW_BYTES <= size else _chunks_of_rows(path, size)
    except (IrmxError, OSError):
        pass
    return None


def _chunks_of_lines(path: Path, size: int) -> Iterator[Chunk]:
    """Yield the chunks of a TREC file; nothing of one is kept here when the next one is read."""
    held, lines_before, wanted = b"", 0, 0
    for block in content_in_blocks(path, "run", size):
        held += block
        del block
        if len(held) < wanted:
            continue
        cut = start_of_last_topic(held, is_first=lines_before == 0)
        wanted = 0 if cut else 2 * len(held)  # a large topic is not searched again after every block
        if cut:
            yield partial(_run_of_lines, str(path), held[:cut], lines_before)
            lines_before += held.count(b"\n", 0, cut)
            held = held[cut:]
    cut = start_of_last_topic(held, is_first=lines_before == 0) if held else 0
    for content in filter(None, (held[:cut], held[cut:])):
        yield partial(_run_of_lines, str(path), content, lines_before)
        lines_before += content.count(b"\n")


def _run_of_lines(name: str, content: bytes, lines_before: int) -> Run:
    return Run.from_table(read_trec("run", name, content, lines_before))


def _chunks_of_rows(path: Path, size: int) -> Iterator[Chunk]:
    """Yield the chunks of a Parquet file, or of a folder of them."""
    import pyarrow as pa

    held: list[pa.Table] = []
    rows_before = 0
    for table in parquet_batches(path, max(1, min(size // _ROW_BYTES, 2**17))):
        held.append(table)
        if sum(part.nbytes for part in held) >= size:
            rows = pa.concat_tables(held)
            cut = _first_row_of_last_topic(rows)
            if cut:
                yield partial(_run_of_rows, str(path), rows.slice(0, cut), rows_before)
                held, rows_before = [rows.slice(cut)], rows_before + cut
    if held:
        yield partial(_run_of_rows, str(path), pa.concat_tables(held), rows_before)


def _run_of_rows(name: str, rows: pa.Table, rows_before: int) -> Run:
    table = table_of_arrow("run", rows, Source(name, first_row=rows_before))
    return Run.from_table(table.renamed(canonical_names("run", table.names)))


def _first_row_of_last_topic(rows: pa.Table) -> int:
    """Return where the last topic starts; 0 if there is no other, no column of topics, or no id, which reading will refuse."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = canonical_names("run", rows.column_names)
    if "query_id" not in names:
        return 0
    topics = rows.column(names.index("query_id")).combine_chunks()
    if pa.types.is_dictionary(topics.type):
        topics = topics.indices
    return max(0, int(pc.index(topics, topics[-1]).as_py()))
