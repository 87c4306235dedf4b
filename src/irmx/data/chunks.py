"""Runs larger than memory: chunks of whole topics, and topics brought together in files where their rows stand apart."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irmx.data.files import content_in_blocks, content_of, is_compressed, is_path
from irmx.data.formats import START, format_of, path_of
from irmx.data.parquet import Parquet, batches, parquet_rows, table_of_arrow
from irmx.data.runs import Run
from irmx.data.table import Source, Table, from_ints, to_numpy
from irmx.data.text_formats import Trec, end_of_whole_topics, read_trec
from irmx.declare.columns import canonical_names
from irmx.errors import DataError, IrmxError
from irmx.ragged import offsets_of

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
_FILES = 256
"""The most files to which topics are brought together: all are open at once."""
_PLACE = "place in the file"
"""The column of the line or the number that a row of a run has in its file."""
_Read = Callable[[], Table]


class _LargeRun(NamedTuple):
    """A run in a file of lines, or else in Parquet, with about so many bytes of text at most."""

    path: Path
    is_lines: bool
    size: int


def _large_run(source: Any, size: int) -> _LargeRun | None:
    """Return a run that may have more bytes of text than that; None if it is none, or in a format that is always read at once."""
    if not is_path(source):
        return None
    path = path_of(source)
    if not path.is_dir() and (not path.is_file() or os.path.getsize(path) * _EXPANSION <= size):
        return None  # a pipe, of which the start can be read only once, or a small file
    run = None
    with contextlib.suppress(IrmxError, OSError):  # irmx.read_run says what is wrong
        reader = format_of("run", source, b"" if path.is_dir() else content_of(path, "run", START))
        if isinstance(reader, Trec) and path.is_file():
            run = _LargeRun(path, True, os.path.getsize(path) * (_EXPANSION if is_compressed(path) else 1))
        elif isinstance(reader, Parquet) and not (path.is_file() and is_compressed(path)):
            run = _LargeRun(path, False, parquet_rows(path) * _ROW_BYTES)
    return run if run and run.size > size else None


# -- chunks of a file in which the rows of a topic stand together ----------------------------------------------------


def run_chunks(source: Any, size: int) -> Iterator[Callable[[], Run]] | None:
    """Return functions that read the chunks of a large run file, of about ``size`` bytes of text each.

    A topic whose rows stand together in the file is in one chunk; one that returns after another may be in several. Errors have the
    lines of the file. None if the run is not a file, is small, or is in a format that is always read at once, and if it cannot be
    read at all: then :func:`irmx.read_run` reads it, or says what is wrong.
    """
    run = _large_run(source, size)
    return None if run is None else (partial(_run_of, read) for read in _tables(run, size))


def _run_of(read: _Read) -> Run:
    return Run.from_table(read())


def _tables(run: _LargeRun, size: int) -> Iterator[_Read]:
    return _tables_of_lines(run.path, size) if run.is_lines else _tables_of_rows(run.path, min(size, _CACHED))


def _tables_of_lines(path: Path, size: int) -> Iterator[_Read]:
    """Yield the chunks of a TREC file; nothing of one is kept here when the next one is read."""
    held, lines_before, wanted = b"", 0, 0
    for block in content_in_blocks(path, "run", size):
        held += block
        del block
        if len(held) < wanted:
            continue
        cut = end_of_whole_topics(held, is_first=lines_before == 0)
        wanted = 0 if cut else 2 * len(held)  # a large topic is not searched again after every block
        if cut:
            yield partial(read_trec, "run", str(path), held[:cut], lines_before)
            lines_before += held.count(b"\n", 0, cut)
            held = held[cut:]
    cut = end_of_whole_topics(held, is_first=lines_before == 0) if held else 0
    for content in (held[:cut], held[cut:]):
        if any(fields and fields[0] != b"#" for fields in map(bytes.split, content.splitlines())):  # not only comments
            yield partial(read_trec, "run", str(path), content, lines_before)
            lines_before += content.count(b"\n")


def _tables_of_rows(path: Path, size: int) -> Iterator[_Read]:
    """Yield the chunks of a Parquet file, or of a folder of them."""
    import pyarrow as pa

    held: list[pa.Table] = []
    rows_before = 0
    for table in batches(path, max(1, min(size // _ROW_BYTES, 2**17))):
        held.append(table)
        if sum(part.nbytes for part in held) >= size:
            rows = pa.concat_tables(held)
            cut = _rows_of_whole_topics(rows)
            if cut:
                yield partial(_table_of_rows, str(path), rows.slice(0, cut), rows_before)
                held, rows_before = [rows.slice(cut)], rows_before + cut
    if sum(map(len, held)):
        yield partial(_table_of_rows, str(path), pa.concat_tables(held), rows_before)


def _table_of_rows(name: str, rows: pa.Table, rows_before: int) -> Table:
    table = table_of_arrow("run", rows, Source(name, rows=rows_before))
    return table.renamed(canonical_names("run", table.names))


def _rows_of_whole_topics(rows: pa.Table) -> int:
    """Return where the last topic starts, or the end if another is between its rows; 0 if there is no other.

    It is 0, too, if there is no column of topics, or no id, which reading will refuse.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names = canonical_names("run", rows.column_names)
    if "query_id" not in names:
        return 0
    topics = rows.column(names.index("query_id")).combine_chunks()
    if pa.types.is_dictionary(topics.type):
        topics = topics.indices
    start = max(0, int(pc.index(topics, topics[-1]).as_py()))
    return len(topics) if len(topics.slice(start).unique()) > 1 else start


# -- topics brought together in files --------------------------------------------------------------------------------


def run_by_topics(source: Any, size: int, folder: str) -> Iterator[Callable[[], Run]]:
    """Yield functions that read the parts of a large run file, of about ``size`` bytes of text each, whatever the order of its rows.

    A part has all rows of some topics, in the order of the run. All parts are written to a folder before the first is read.
    """
    import pyarrow as pa

    run = _large_run(source, size)
    assert run is not None, "a run that is not large has no parts"
    count = min(_FILES, -(-run.size // size))
    part_of: dict[str, int] = {}
    written: dict[str, Any] = {}
    try:
        with contextlib.ExitStack() as files:
            for table in (read() for read in _tables(run, size)):
                topic, topics = table.codes("query_id")
                part = np.array([part_of.setdefault(str(t), len(part_of) % count) for t in topics])[topic]
                place = from_ints(np.array(table.source.numbers(range(len(table)))))
                rows = pa.table({column: table.cells(column) for column in table.names} | {_PLACE: place})
                rows = rows.take(from_ints(np.argsort(part, kind="stable")))
                ends = offsets_of(np.bincount(part)).tolist()
                for number in np.unique(part).tolist():
                    path = os.path.join(folder, str(number))
                    if path not in written:
                        written[path] = files.enter_context(pa.ipc.new_stream(path, rows.schema))
                    written[path].write_table(rows.slice(ends[number], ends[number + 1] - ends[number]))
    except OSError as error:
        raise DataError(
            f"The rows of each topic cannot be brought together in {folder}: {error}. Set TMPDIR to a folder with room for the run, "
            "or sort the run by topic.",
            place=str(run.path),
        ) from None
    for path in written:
        yield partial(_run_of_part, str(run.path), path, run.is_lines)


def _run_of_part(name: str, path: str, is_lines: bool) -> Run:
    import pyarrow as pa

    with pa.OSFile(path) as file:
        rows = pa.ipc.open_stream(file).read_all()
    place = to_numpy(rows.column(_PLACE).combine_chunks())
    source = Source(name, lines=place) if is_lines else Source(name, rows=place)  # type: ignore[arg-type]
    return Run.from_table(table_of_arrow("run", rows.drop_columns([_PLACE]), source))
