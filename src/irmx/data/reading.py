"""Reading of qrels, runs and other tables from files, folders, dataset ids, data frames, dicts and rows."""

from __future__ import annotations

import contextlib
import ctypes
import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.data.files import (
    STANDARD_INPUT,
    addresses_matching,
    as_path,
    content_of,
    is_address,
    is_path,
    name_of,
    without_file_scheme,
)
from irmx.data.formats import (
    START,
    Format,
    dataset_named,
    errors_of,
    format_of,
    named_format,
    path_of,
    read_file,
    taken_for,
)
from irmx.data.judgments import Judgments
from irmx.data.parquet import is_parquet_folder, partitions_by_run, read_parquet, table_of_arrow
from irmx.data.runs import Run
from irmx.data.table import PROGRAM, Cells, Table, refuse_twice
from irmx.data.text_formats import read_delimited, read_json_lines
from irmx.declare.columns import ALIASES, REQUIRED, TableName, canonical_names, params_text
from irmx.declare.params import Param
from irmx.declare.written_values import positions_outside_brackets
from irmx.errors import DataError, EmptyFileError, UsageError
from irmx.parallel import prints_on_stderr
from irmx.registry import registry
from irmx.text import list_some, suggest

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# -- reading of qrels ------------------------------------------------------------------------------------------------


_KINDS = (
    "a dict of dicts, a DataFrame, anything that speaks Arrow, an iterable of namedtuples with the fields query_id, doc_id and score or "
    "relevance, the path of a file, or an ir_datasets id"
)
_TABLE_KINDS = "the path of a table file, a DataFrame, anything that speaks Arrow, a dict of columns, or rows that are dicts or namedtuples"
_MANY = 10**5
"""After so many judgments were read, the memory that reading them took is given back."""


def read_qrels(qrels: Any, columns: Sequence[str] = (), grades: Mapping[Any, float] | None = None) -> Judgments:
    """Read qrels from any source as :class:`Judgments`.

    Parameters
    ----------
    qrels : Judgments, dict of dict, DataFrame, Arrow table, iterable of namedtuples, str or Path
        A string is the path of a file, an address such as ``s3://bucket/qrels`` or, if there is no such file, an ir_datasets id; ``irds:ID`` is always an id.
    columns : sequence of str
        Extra columns that are needed. If the qrels of an ir_datasets id lack them, and the documents have all of them, they
        are taken from the documents; see :func:`irmx.collections.judgments`.
    grades : mapping to float, optional
        What each grade of the qrels, a text or a number, stands for, such as ``{"FULL": 2, "PARTIAL": 1, "NONE": 0}``. Grades below 0
        stay as they are if they are not among them. Without it, true and false are 1 and 0, and other texts are refused.

    Raises
    ------
    irmx.errors.DataError
        If the qrels cannot be read; the message says what was found, where, and what to do.
    """
    if isinstance(qrels, Judgments):
        return qrels if grades is None else Judgments.from_table(as_table("qrels", list(qrels)), grades)
    if isinstance(qrels, Mapping):
        return Judgments.from_dict(qrels, grades)
    if is_path(qrels) and (named := dataset_named(os.fspath(qrels))) is not None:
        reader, dataset_id = named
        with errors_of(reader, dataset_id):
            of_dataset = reader.judgments(dataset_id, columns)
        return of_dataset if grades is None else read_qrels(of_dataset, grades=grades)
    try:
        judgments = Judgments.from_table(as_table("qrels", qrels), grades)
    except DataError as error:
        if told := taken_for("run", "qrels", qrels) if is_path(qrels) else "":
            raise DataError(f"{error}{told} Qrels stand before the runs.") from error
        raise
    if len(judgments) > _MANY:
        release_memory()
    return judgments


def release_memory() -> None:
    """Give back to the system what Arrow and the library of C keep of the memory that was freed."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError, TypeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def read_run(run: Any, empty: bool = False) -> Run:
    """Read a run from any source as :class:`Run`.

    Parameters
    ----------
    run : Run, dict of dict, DataFrame, Arrow table, iterable of namedtuples, str or Path
        A string is the path of a file, or an address such as ``s3://bucket/run``.
    empty : bool
        Whether a file may be empty: it is then a run without documents, and otherwise an error, as most such files are a mistake.

    Raises
    ------
    irmx.errors.DataError
        If the run cannot be read; the message says what was found, where, and what to do.
    """
    if isinstance(run, Run):
        return run
    try:
        return Run.from_dict(run) if isinstance(run, Mapping) else Run.from_table(as_table("run", run))
    except EmptyFileError:
        if not empty:
            raise
        return Run.from_dict({})


def as_table(what: TableName, source: Any) -> Table:
    """Return a run or qrels as a table whose columns have the vocabulary's names."""
    if isinstance(source, Table):
        return source
    if is_path(source):
        table = read_file(what, source)
        if not len(table) and not table.topics:
            raise EmptyFileError(f"The {what} {name_of(source)} {'are' if what == 'qrels' else 'is'} empty.")
        return table
    table = _of_program(what, source, _KINDS, records=False)
    return table.renamed(canonical_names(what, table.names))


def read_table(
    source: Any,
    columns: Mapping[str, Param | type],
    what: str = "table",
    *,
    empty: bool = False,
    content: bytes | None = None,
) -> Table:
    """Read and check declared columns of a table from any source.

    Parameters
    ----------
    source : str, Path, DataFrame, Arrow table, dict of columns, or iterable of dicts or namedtuples
        A file is comma- or tab-separated with a header, JSON Lines or Parquet, which is detected by its content and name;
        plain, or compressed with gzip, bzip2, xz, zstd or LZ4; ``-`` is standard input. Spaces around the fields of a line
        are ignored. Ids may have the names that they have in runs, such as ``qid`` and ``docno``.
    columns : dict of str to Param or type
        The columns to read, by name; other columns are ignored. A :class:`irmx.Param` declares the type (``str``, ``int``,
        ``float``, ``bool``, also as 1 and 0, ``datetime.datetime`` for seconds or dates, which become seconds since 1970, or
        ``object`` for any value), the range of numbers (``low``, ``high``, ``above``) or the ``choices`` of strings, whether
        the column is ``required``, the ``default`` of one that is not, and whether cells may be missing (``nullable``).
        A type alone declares a required column.
    what : str
        The name of the table in messages, such as ``"click log"``.
    empty : bool
        Whether it may have no rows; an empty file or list then has all required columns.
    content : bytes, optional
        The (decompressed) content of the file, if it has already been read.

    Returns
    -------
    Table
        The arrays by column. A missing number is NaN, a missing string is empty. A column that is not in the source, not
        required and without a default is left out.

    Raises
    ------
    irmx.DataError
        If the table cannot be read, has no rows, or lacks a column or a value, or if a value is illegal; the message names
        the file and the line, or the row.

    Examples
    --------
    >>> import irmx
    >>> columns = {"user": str, "seconds": irmx.Param(float, "time spent", low=0, required=True)}
    >>> table = irmx.read_table({"user": ["a", "b"], "seconds": ["2.5", 4]}, columns)
    >>> table["seconds"], table.place([0, 1])
    (array([2.5, 4. ]), 'The table, rows 0 and 1 (counted from 0)')
    >>> irmx.read_table({"user": ["a"], "seconds": [-1]}, columns, "log of times")
    Traceback (most recent call last):
    ...
    irmx.errors.DataError: The log of times, row 0 (counted from 0): the seconds must be a number in the range [0, inf). Got -1 instead.
    """
    declared = {n: c if isinstance(c, Param) else Param(c, "", required=True) for n, c in columns.items()}
    if is_path(source):
        table = _of_content(what, source, content_of(source, what) if content is None else content, empty)
    else:
        table = _of_program(what, source, _TABLE_KINDS, records=True)
    aliases = {n: a for n, a in ALIASES["run"].items() if n not in declared and a in declared and a not in table}
    table = table.renamed([aliases.get(name, name) for name in table.names])
    for name, column in declared.items():
        if column.required and name not in table and table.names:
            meaning = f", {column.desc}" if column.desc else ""
            raise DataError(
                f"{table.name} lacks the column {name!r}{meaning}. It has: {list_some(table.names, 20)}.{suggest(name, table.names)}"
            )
    if not len(table) and not empty:
        raise DataError(f"{table.name} has no rows.")
    if not table.names:
        table = Table(what, {name: [] for name, column in declared.items() if column.required}, 0, table.source)
    table.declare(declared)
    return table


def _of_content(what: str, path: str | os.PathLike[str], content: bytes, empty: bool) -> Table:
    """Return the table in a file, whose kind is detected by its first bytes and its name."""
    name = name_of(path)
    suffixes = as_path(name).suffixes[-2:]
    if content[:4] == b"PAR1" or ".parquet" in suffixes:
        return read_parquet(what, as_path(name), content)
    if not content.strip() and empty:
        return Table(what, {}, 0)
    if ".jsonl" in suffixes or content.lstrip()[:1] == b"{":
        return read_json_lines(what, name, content)
    first = content.lstrip().split(b"\n", 1)[0]
    tabs = ".tsv" in suffixes or (".csv" not in suffixes and b"\t" in first)
    return read_delimited(what, name, content, "\t" if tabs else ",")


# -- data of a program -----------------------------------------------------------------------------------------------


def _of_program(what: str, source: Any, kinds: str, records: bool) -> Table:
    """Return a DataFrame, an Arrow table, rows, or a dict of columns as a table."""
    if (table := arrow_of(source)) is not None:
        return table_of_arrow(what, table, PROGRAM)
    if hasattr(source, "itertuples"):
        return _of_frame(what, source)
    if isinstance(source, Mapping) and records:
        lengths = {column: len(values) for column, values in source.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{column!r} has {length}" for column, length in lengths.items())
            raise DataError(f"The columns of the {what} must have the same length: {listed}.")
        cells = {str(name): _cells_of(values) for name, values in source.items()}
        return Table(what, cells, next(iter(lengths.values()), 0))
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        rows = list(source)
        if not rows and isinstance(source, Iterator):
            raise DataError(
                f"The rows of the {what} come from an iterator that has none: it was read before, or is empty. Make a list of it first."
            )
        return _of_rows(what, rows, kinds, records)
    raise DataError(f"The {what} must be {kinds}. Got {type(source).__name__} instead.")


def arrow_of(source: Any) -> pa.Table | None:
    """Return the Arrow table of whatever speaks Arrow, also a dataset that is not read yet or a list of batches; None for others."""
    import pyarrow as pa

    if (
        isinstance(source, (list, tuple))
        and source
        and all(isinstance(one, (pa.RecordBatch, pa.Table)) for one in source)
    ):
        return pa.concat_tables([pa.table(one) for one in source])
    library = type(source).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(source, "to_table"):  # a Dataset or a Scanner
        source = source.to_table()
    elif library == "polars" and hasattr(source, "collect"):  # a LazyFrame
        source = source.collect()
    elif library == "datasets" and hasattr(source, "with_format"):  # of Hugging Face
        source = source.with_format("arrow")[:]
    if isinstance(source, (pa.Table, pa.RecordBatch)) or (
        hasattr(source, "__arrow_c_stream__") and not hasattr(source, "itertuples")
    ):
        try:
            return _with_plain_texts(pa.table(source))
        except pa.ArrowException as error:
            raise DataError(f"The {type(source).__name__} cannot be read as an Arrow table: {error}.") from None
    return None


def _with_plain_texts(table: pa.Table) -> pa.Table:
    """Return a table in which the texts of dictionaries are plain: of views, as polars has them, Arrow takes none."""
    import pyarrow as pa

    for i, column in enumerate(table.columns):
        if pa.types.is_dictionary(column.type) and pa.types.is_string_view(column.type.value_type):
            parts = [
                pa.DictionaryArray.from_arrays(part.indices, part.dictionary.cast(pa.string()))
                for part in column.chunks
            ]
            plain = pa.chunked_array(parts, pa.dictionary(column.type.index_type, pa.string()))
            table = table.set_column(i, table.field(i).name, plain)
    return table


def _of_frame(what: str, frame: pd.DataFrame) -> Table:
    """Return a DataFrame, whose columns are converted when they are first read: those of texts and vectors never are."""
    names = [str(column) for column in frame.columns]
    refuse_twice(names, f"The {what}")
    copied = frame.copy(deep=False)
    cells: dict[str, Callable[[], Cells]] = {
        name: partial(_cells_of_series, copied.iloc[:, i]) for i, name in enumerate(names)
    }
    return Table(what, cells, len(frame))


def _cells_of_series(series: pd.Series[Any]) -> Cells:
    import pyarrow as pa

    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, UnicodeEncodeError):
        return list(series.astype(object).where(series.notna(), None))


def _cells_of(values: Any) -> Cells:
    """Return the elements of a sequence as Python objects; numpy would make whole numbers of dates in nanoseconds."""
    if getattr(getattr(values, "dtype", None), "kind", "") == "M" and hasattr(values, "astype"):
        values = values.astype("datetime64[us]")
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _of_rows(what: str, rows: list[Any], kinds: str, records: bool) -> Table:
    """Return namedtuples, or dicts if these are allowed, as a table; a key that a dict lacks is a missing cell."""
    if not rows:
        return Table(what, {} if records else {name: [] for name in REQUIRED[what]}, 0)
    types = dict.fromkeys(map(type, rows))
    for one in types:
        if not (hasattr(one, "_fields") or (records and issubclass(one, Mapping))):
            raise DataError(f"The {what} must be {kinds}. Got rows of the type {one.__name__} instead.")
    first = getattr(rows[0], "_fields", ())
    if all(getattr(one, "_fields", None) == first for one in types):
        # not zip(*rows): so many iterators at once would make Python look for garbage among all rows
        return Table(what, {name: list(map(itemgetter(i), rows)) for i, name in enumerate(first)}, len(rows))
    asked = [row._asdict() if hasattr(row, "_asdict") else row for row in rows]
    names = dict.fromkeys(name for row in asked for name in row)
    return Table(what, {str(name): [row.get(name) for row in asked] for name in names}, len(rows))


# -- files from the arguments of a command ---------------------------------------------------------------------------


def matching_files(argument: str) -> list[str]:
    """Return the files that an argument names or matches.

    Parameters
    ----------
    argument : str
        A path or a glob such as ``'runs/*.run'``, optionally prefixed with ``FORMAT:`` or ``FORMAT(parameter=value):``; an address such as
        ``s3://bucket/run``; or ``-`` for standard input.

    Returns
    -------
    list of str
        The argument itself if it is the path of a file, or of a folder of Parquet files, or not a glob; otherwise the files that
        match, in alphabetical order. A folder partitioned by run gives the folders of its runs.

    Raises
    ------
    irmx.DataError
        If no file matches.
    irmx.UsageError
        For another folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.run", "a.run", "qrels"):
    ...         open(os.path.join(folder, name), "w").close()
    ...     [os.path.basename(path) for path in matching_files(os.path.join(folder, "*.run"))]
    ['a.run', 'b.run']
    """
    argument = without_file_scheme(argument)
    if os.path.isdir(argument):
        if runs := partitions_by_run(Path(argument)):
            return runs
        if not is_parquet_folder(Path(argument)):
            raise UsageError(
                f"{argument} is a folder. For all files in it: '{os.path.join(argument, '*')}'. A folder is one run if all files "
                "in it are its parts in Parquet, with names that end with .parquet."
            )
    if os.path.exists(argument) or not (glob.has_magic(argument) or is_address(_path_in(argument))):
        return [argument]
    pattern, prefix = argument, ""
    if (format_and_path := named_format(argument)) is not None:
        pattern = os.fspath(format_and_path[1])
        prefix = argument[: next(positions_outside_brackets(argument, ":"))[0] + 1]
    if is_address(pattern):
        paths = addresses_matching(pattern)
    else:
        paths = sorted(path for path in glob.glob(pattern) if os.path.isfile(path) or is_parquet_folder(Path(path)))
    if not paths:
        raise DataError(f"No file matches the pattern {argument!r}.")
    return [prefix + path for path in paths]


def matching_runs(argument: str) -> list[str]:
    """Return the runs that an argument names or matches: of a file of several, ``FORMAT(run=NAME):path`` of each."""
    return [run for file in matching_files(argument) for run in _runs_in(file)]


def _runs_in(argument: str) -> list[str]:
    """Return each of the runs in a file as an argument; the argument itself if there is one, or the file is not sound."""
    path = path_of(argument)
    several = [reader for reader in registry().formats().values() if type(reader).runs is not Format.runs]
    with contextlib.suppress(Exception), prints_on_stderr:  # whatever it is, it is told where the file is read
        start = content_of(path, "run", START) if path.is_file() else b""
        if start and (named_format(argument) or any(reader.recognises("run", path, start) for reader in several)):
            reader = format_of("run", argument, start)
            if type(reader).runs is not Format.runs and "run" not in reader.params:
                names = reader.runs(path, content_of(path, "run"))
                if len(names) > 1:
                    return [f"{reader.NAME}{params_text({**reader.params, 'run': name})}:{path}" for name in names]
    return [argument]


def matching_file(argument: str) -> str:
    """Return the one file that an argument names or matches.

    Parameters
    ----------
    argument : str
        As for :func:`matching_files`.

    Returns
    -------
    str
        The path.

    Raises
    ------
    irmx.DataError
        If no file matches.
    irmx.UsageError
        If several files match, or for a folder.

    Examples
    --------
    >>> matching_file("some.run")
    'some.run'
    """
    paths = matching_files(argument)
    if len(paths) > 1:
        raise UsageError(f"{argument!r} matches {len(paths)} files: {list_some(paths)}. One is expected here.")
    return paths[0]


def is_file(argument: str) -> bool:
    """Tell whether an argument is a file, a glob that matches a file, or standard input, with or without ``FORMAT:``."""
    path = _path_in(argument)
    return path == STANDARD_INPUT or is_address(path) or os.path.exists(path) or any(glob.iglob(path))


def _path_in(argument: str) -> str:
    """Return an argument without the name of a format."""
    named = named_format(argument)
    return os.fspath(named[1]) if named else argument
