"""Large runs as chunks of whole topics, so that a run larger than memory can be scored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.data.arrow_columns import encoded, from_ints, to_numpy
from irmx.data.files import content_in_blocks, content_of, is_compressed, is_path
from irmx.data.formats import START, format_of, path_of
from irmx.data.parquet import Parquet, parquet_batches, parquet_groups, parquet_rows, table_of_arrow
from irmx.data.runs import Run
from irmx.data.table import Source
from irmx.data.trec import Trec, read_trec, start_of_last_topic
from irmx.declare.columns import canonical_names
from irmx.errors import IrmxError
from irmx.ragged import Array, Ints

if TYPE_CHECKING:
    import pyarrow as pa

MEMORY = "1GB"
"""The memory that a run may take by default."""
_EXPANSION = 10
"""By how much compression makes a run smaller, at most; a file that cannot be larger than a chunk is read at once."""
_ROW_BYTES = 50
"""What a row of a run takes in a file of text, about."""
_CACHED = 5_000_000
"""A chunk of a Parquet file of so many bytes, some 200,000 rows, is scored faster than a larger one: it fits into the processor's cache."""
_PARTS = 4
"""How many parts of a Parquet file each process reads, so that all end at about the same time."""
_GROUPS = 8
"""How many row groups such a part has at least, since Arrow reads all of the one in which it ends, and some of the next."""
_Read = Callable[[], Run]


@dataclass(frozen=True)
class Chunk:
    """Some whole topics of a run file.

    ``runs`` yields them in any process, as runs of about the size of a chunk; their errors have the lines of the file.
    ``returning`` is a topic whose rows do not stand together in the file, and its place, if that is why the chunk is any size.
    """

    runs: Callable[[], Iterator[Run]]
    returning: tuple[str, str] = ("", "")


def run_chunks(source: Any, size: int, jobs: int = 1) -> Iterator[Chunk] | None:
    """Return the chunks of a large run file, of about ``size`` bytes of text each.

    A topic whose rows stand together in the file is in one chunk; one that returns after another may be in several. None if the
    run is not a file, is small, or is in a format that is always read at once, and if it cannot be read at all: then
    :func:`irmx.read_run` reads it, or says what is wrong. Several ``jobs`` on this machine read a Parquet file themselves.
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
            return None if largest <= size else map(_of_one, _chunks_of_lines(path, size))
        if isinstance(reader, Parquet) and not (path.is_file() and is_compressed(path)):
            if parquet_rows(path) * _ROW_BYTES <= size:
                return None
            size = min(size, _CACHED)
            parts = _parts_of_rows(path, size, jobs) if jobs > 1 else []
            return iter(parts) if len(parts) > 1 else map(_of_one, _chunks_of_rows(path, size))
    except (IrmxError, OSError):
        pass
    return None


def _of_one(read: _Read) -> Chunk:
    return Chunk(partial(_runs_of, read))


def _runs_of(*reads: _Read) -> Iterator[Run]:
    return (read() for read in reads)


def _chunks_of_lines(path: Path, size: int) -> Iterator[_Read]:
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


def _chunks_of_rows(path: Path, size: int, start: int = 0, stop: int | None = None) -> Iterator[_Read]:
    """Yield the chunks of a Parquet file, or of a folder of them, from one row to another."""
    import pyarrow as pa

    held: list[pa.Table] = []
    rows_before = start
    for table in parquet_batches(path, max(1, min(size // _ROW_BYTES, 2**17)), start, stop):
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


# -- Parquet files that several processes read ---------------------------------------------------------------------------


def _parts_of_rows(path: Path, size: int, jobs: int) -> list[Chunk]:
    """Return the parts of a Parquet file that so many processes read: rows from one to another, or else topics; none if it has no topics."""
    names, groups = parquet_groups(path)
    known = canonical_names("run", names)
    column = names[known.index("query_id")] if "query_id" in known else ""
    topics = _topics_of_rows(path, column) if column else None
    if topics is None:
        return []
    ids, first, last = topics
    parts = jobs * max(1, min(_PARTS, len(groups) // (_GROUPS * jobs)))
    wanted = np.linspace(0, groups[-1], parts + 1).astype(np.int64)
    if len(groups) > parts:
        wanted = groups[np.searchsorted((groups[1:] + groups[:-1]) // 2, wanted)]  # the nearest
    is_cut = np.append(True, np.maximum.accumulate(last)[:-1] < first[1:])  # all topics before have ended
    cuts = np.append(first[is_cut], groups[-1])
    starts = np.unique(cuts[np.searchsorted(cuts, wanted)]).tolist()
    if len(starts) > 2:
        return [Chunk(partial(_runs_of_rows, path, size, start, stop)) for start, stop in pairwise(starts)]
    returning = np.flatnonzero(last[:-1] > first[1:])[:1].tolist()
    return [
        Chunk(
            partial(_runs_of_topics, path, column, ids.take(from_ints(np.arange(job, len(ids), jobs)))),
            (str(ids[topic].as_py()), " and ".join(Source(str(path)).place([row[topic]]) for row in (first, last))),
        )
        for topic in returning
        for job in range(jobs)
    ]


def _topics_of_rows(path: Path, column: str) -> tuple[pa.Array, Ints, Ints] | None:
    """Return the topics of a Parquet file in order of appearance, and the first and the last row of each; None if some row has none."""
    import pyarrow as pa

    found, before = [], 0
    for table in parquet_batches(path, columns=[column]):
        cells = table.column(0).chunk(0)
        if not pa.types.is_dictionary(cells.type):
            try:
                cells = cells.dictionary_encode()
            except pa.ArrowException:  # lists, which are no ids
                return None
        if cells.null_count or cells.dictionary.null_count:
            return None
        code = to_numpy(cells.indices)
        first, last = _first_and_last(code, len(cells.dictionary), *2 * [np.arange(before, before + len(code))])
        used = np.flatnonzero(last >= 0)
        found.append((cells.dictionary.take(from_ints(used)), first[used], last[used]))
        before += len(code)
    ids, firsts, lasts = zip(*found, strict=True)
    code, distinct = encoded(pa.concat_arrays(ids))
    first, last = _first_and_last(code, len(distinct), np.concatenate(firsts), np.concatenate(lasts))
    order = np.argsort(first)
    return distinct.take(from_ints(order)), first[order], last[order]


def _first_and_last(code: Array, count: int, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Return the least of ``first`` and the largest of ``last`` for every code; the latter is -1 for one that does not occur."""
    least, largest = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(least, code, first)
    np.maximum.at(largest, code, last)
    return least, largest


def _runs_of_rows(path: Path, size: int, start: int, stop: int) -> Iterator[Run]:
    return (read() for read in _chunks_of_rows(path, size, start, stop))


def _runs_of_topics(path: Path, column: str, topics: pa.Array) -> Iterator[Run]:
    """Yield some topics of a Parquet file, whose rows stand anywhere in it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held = []
    for table in parquet_batches(path):
        cells = table.column(column)
        held.append(table.filter(pc.is_in(cells, topics)))
    yield _run_of_rows(str(path), pa.concat_tables(held), 0)
