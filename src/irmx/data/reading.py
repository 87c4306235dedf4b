"""Reading of qrels and runs from files, folders, dataset ids, data frames, dicts and rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irmx.data import tables
from irmx.data.content import kept_content, name_of
from irmx.data.formats.detect import dataset_named, errors_of, named, place_of, read
from irmx.data.judgments import Judgments
from irmx.data.origin import NO_ORIGIN, Origin
from irmx.data.pipes import is_pipe
from irmx.data.runs import DictRun, Run, TableRun
from irmx.declare.columns import Table, canonical_names
from irmx.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


class FileOrigin(Origin):
    """The file from which qrels or a run were read.

    Parameters
    ----------
    table : {"run", "qrels"}
        What it holds.
    source : str
        Its path, or ``FORMAT:PATH``.
    """

    def __init__(self, table: Table, source: str) -> None:
        self._table, self.source = table, source
        format_and_path = named(source)
        self._path = source if format_and_path is None else os.fspath(format_and_path[1])
        self._content = kept_content(self._path)  # in any process: nobody can read a pipe again
        self._version = _version_of(self._path)

    def place(self, rows: Sequence[int]) -> str:
        """Return the file and the lines of some rows, which are found by reading it again, unless it has changed since."""
        if self._content is None and (is_pipe(self._path) or _version_of(self._path) != self._version):
            return name_of(self._path)
        return place_of(self._table, self.source, tuple(rows), self._content)


def _version_of(path: str) -> tuple[int, int] | None:
    """Return what differs after a file has changed; None if there is no file."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


def as_table(table: Table, source: Any) -> pa.Table:
    """Return a DataFrame, Arrow table, file, dataset id or iterable of namedtuples as an Arrow table."""
    import pyarrow as pa

    if tables.is_path(source):
        rows = read(table, source)
    elif isinstance(source, pa.Table):
        rows = source
    elif hasattr(source, "itertuples"):
        rows = tables.FrameTable(table, source.copy(deep=False), [str(c) for c in source.columns])
    elif hasattr(source, "__arrow_c_stream__") or isinstance(source, pa.RecordBatch):
        rows = pa.table(source)
    elif isinstance(source, Iterable):
        rows = tables.from_namedtuples(table, source)
    else:
        raise DataError(f"The {table} must be {tables.KINDS}. Got {type(source).__name__} instead.")
    return rows.rename_columns(canonical_names(table, rows.column_names))


def read_qrels(qrels: Any, columns: Sequence[str] = ()) -> Judgments:
    """Read qrels from any source as :class:`Judgments`.

    Parameters
    ----------
    qrels : Judgments, dict of dict, DataFrame, pyarrow Table, iterable of namedtuples, str or Path
        A string is the path of a file or, if there is no such file, an ir_datasets id; ``irds:ID`` is always an id.
    columns : sequence of str
        Extra columns that are needed. If the qrels of an ir_datasets id lack them, and the documents have all of them, they
        are taken from the documents; see :func:`irmx.collections.judgments`.

    Raises
    ------
    irmx.errors.DataError
        If the qrels cannot be read; the message says what was found, where, and what to do.
    """
    if isinstance(qrels, Judgments):
        return qrels
    if isinstance(qrels, Mapping):
        return Judgments.from_dict(qrels)
    if tables.is_path(qrels):
        return _read_text(os.fspath(qrels), columns)
    return Judgments.from_table(as_table("qrels", qrels))


def _read_text(source: str, columns: Sequence[str]) -> Judgments:
    """Return the judgments of a file or of a dataset."""
    named = dataset_named(source)
    if named is not None:
        reader, dataset_id = named
        with errors_of(reader, dataset_id):
            return reader.judgments(dataset_id, columns)
    table = as_table("qrels", source)
    if table.num_rows == 0:
        raise DataError(f"The qrels {source} are empty.")
    origin = FileOrigin("qrels", source)
    try:
        return Judgments.from_table(table, origin)
    except DataError as error:
        raise origin.located(error) from None


def read_run(run: Any) -> Run:
    """Read a run from any source as :class:`Run`.

    Parameters
    ----------
    run : Run, dict of dict, DataFrame, pyarrow Table, iterable of namedtuples, str or Path
        A string is the path of a file.

    Raises
    ------
    irmx.errors.DataError
        If the run cannot be read; the message says what was found, where, and what to do.
    """
    if isinstance(run, Run):
        return run
    if isinstance(run, Mapping):
        return DictRun(run)
    table = as_table("run", run)
    if table.num_rows == 0 and tables.is_path(run):
        raise DataError(f"The run {run} is empty.")
    origin = FileOrigin("run", os.fspath(run)) if tables.is_path(run) else NO_ORIGIN
    try:
        return TableRun(table, origin)
    except DataError as error:
        raise origin.located(error) from None
