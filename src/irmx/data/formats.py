"""File formats: what a plugin's reader is, and how the format of a file is found."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from irmx.data.files import STANDARD_INPUT, as_path, check_text, content_of, filled_lines, is_address, name_of
from irmx.data.table import Source, Table
from irmx.declare.columns import REQUIRED, TableName, canonical_names, params_text
from irmx.declare.params import Param, check_params
from irmx.declare.written_values import Span, ValueParser, positions_outside_brackets
from irmx.errors import (
    DataError,
    EmptyFileError,
    IrmxError,
    PluginError,
    PluginWarning,
    UsageError,
    failure_of,
    too_little_memory,
)
from irmx.parallel import prints_on_stderr
from irmx.registry import registry

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx.data.judgments import Judgments

START = 4096
"""The number of bytes by which a format is recognised."""


class Format(ABC):
    """A file format for qrels, runs or scores; a plugin registers instances through ``irmx_formats``.

    Attributes
    ----------
    NAME : str
        The name; ``NAME:path`` reads a path in this format, whatever its content.
    SHORT_DESC : str
        A description in one sentence.
    EXAMPLES : tuple of str
        How files of it are given, such as ``("run.csv", "csv:run.txt")``.
    TABLES : tuple of {"run", "qrels", "scores"}
        The tables that it can hold. Scores are the results of another tool by topic: ``query_id``, ``measure``, ``value``, and
        ``system`` if the file names it.
    FOLDERS : tuple of {"run", "qrels"}
        The tables that it can read from a folder, given as ``NAME:path``.
    IDS : bool
        Whether it reads datasets by their ids, by :meth:`judgments`, instead of files.
    SUPPORTED_PARAMS : dict of str to Param
        Its parameters, each of which has a default; ``NAME(parameter=value):path`` gives others, ``self["parameter"]`` returns one.
    SIGNS : dict of {"run", "qrels", "scores"} to tuple of bytes
        How files begin that hold such a table: regular expressions, the first for their very start after white space, the others
        for anything in their first 4096 bytes. A format without is read where it is named, or overrides :meth:`recognises`.
    LINES : str
        Which lines are rows, for messages: ``"all"``, ``"after header"``, or ``""`` if rows are not lines. Blank lines never are.
    """

    NAME: ClassVar[str]
    SHORT_DESC: ClassVar[str] = ""
    EXAMPLES: ClassVar[tuple[str, ...]] = ()
    TABLES: ClassVar[tuple[TableName, ...]] = ("run", "qrels")
    FOLDERS: ClassVar[tuple[TableName, ...]] = ()
    IDS: ClassVar[bool] = False
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]] = {}
    SIGNS: ClassVar[Mapping[TableName, tuple[bytes, ...]]] = {}
    LINES: ClassVar[Literal["all", "after header", ""]] = ""

    def __init__(self, **params: Any) -> None:
        self.params = check_params(params, self.SUPPORTED_PARAMS, f"The format {self.NAME}")

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.SUPPORTED_PARAMS[name].default)

    def __repr__(self) -> str:
        return f"<Format {self.NAME}{params_text(self.params)}>"

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """Tell whether a file is of this format, by its name and the first bytes of its (decompressed) content; by default by ``SIGNS``."""
        beginning = start.lstrip()
        first, *others = self.SIGNS.get(table, (b"(?!)",))
        return re.match(first, beginning) is not None and all(re.search(sign, beginning) for sign in others)

    def topic(self, text: str) -> str:
        """Return the query id that tables of this format use for a topic, which files may write in several ways."""
        return text

    @abstractmethod
    def read(self, table: TableName, path: Path, content: bytes) -> pa.Table | Table:
        """Return the (decompressed) content of a file as a table with the vocabulary's columns.

        Raises
        ------
        irmx.errors.DataError
            If the content is malformed; the message names the file and the line, and says what was found and what to do.
        """

    def judgments(self, dataset_id: str, columns: Sequence[str]) -> Judgments:
        """Return the qrels of a dataset, with extra columns if all of them can be found; only for formats with ``IDS``."""
        raise NotImplementedError

    def runs(self, path: Path, content: bytes) -> list[str]:
        """Return the names of the runs in a file, of which the parameter ``run`` chooses one; by default a file is one run, without a name."""
        return []

    def read_ranking(self, path: Path, content: bytes, name: str) -> pa.Table | Table:
        """Return the ranking of a name from a file that may hold several per topic, as a run.

        Only formats with such files define it.

        Raises
        ------
        irmx.errors.UsageError
            For other formats.
        irmx.errors.DataError
            If there is no such ranking, and as :meth:`read` does.
        """
        raise UsageError(
            f"{path} is read as {self.NAME}, which holds one ranking per topic; there is no ranking {name!r} to choose. Omit the "
            "name of the ranking, or name another format: FORMAT:PATH."
        )


def read_file(table: TableName, source: str | os.PathLike[str], ranking: str | None = None) -> Table:
    """Return a file as a table whose columns have the vocabulary's names.

    ``FORMAT:path`` or ``FORMAT(parameter=value):path`` names the format, and ``ranking`` the one to read from a run file that holds several per topic.
    """
    path = path_of(source)
    content = b"" if path.is_dir() else content_of(path, table)
    reader = format_of(table, source, content[:START])
    path = as_path(name_of(path))
    if not content.strip() and not path.is_dir() and _is_of_host(reader):
        raise EmptyFileError(f"The {table} {path} is empty.", place=str(path))
    return _read_by(reader, table, source, path, content, ranking)


def taken_for(other: TableName, table: TableName, source: str | os.PathLike[str]) -> str:
    """Return a sentence on a file that could not be read as one table, if its format holds only another; empty if not."""
    path = path_of(source)
    if named_format(source) or not path.is_file():
        return ""
    reader = next(_recognising(other, path, content_of(path, other)[:START]), None)
    if reader is None or table in reader.TABLES:
        return ""
    return f" The file is {'a run' if other == 'run' else other} of the format {reader.NAME} ({reader.SHORT_DESC.partition(':')[0]})."


def scores_in_format(source: str | os.PathLike[str], content: bytes) -> Table | None:
    """Return the scores in a file of a plugin's format, None if the file is of none.

    Parameters
    ----------
    source : str or Path
        A path, or ``FORMAT:path`` to name the format; see :func:`path_of`.
    content : bytes
        The (decompressed) content of the file.

    Returns
    -------
    Table or None
        The columns ``query_id``, ``measure``, ``value``, which is NaN where there is none, and ``system`` if the file names it.

    Raises
    ------
    irmx.UsageError
        If the format that is named holds no scores.
    irmx.DataError
        If the file cannot be read in its format.

    Examples
    --------
    >>> scores_in_format("results.txt", b"map 401 0.5") is None
    True
    """
    path = as_path(name_of(path_of(source)))
    named = named_format(source)
    reader = _holding("scores", *named) if named else next(_recognising("scores", path, content[:START]), None)
    if reader is None:
        return None
    table = _read_by(reader, "scores", source, path, content)
    table.declare(
        {name: Param(str, "", required=True) for name in ("query_id", "measure", "system")}
        | {"value": Param(float, "the value", nullable=True)}
    )
    return table


def _holding(table: TableName, reader: Format, path: Path) -> Format:
    """Return a format that is named for a file; raise if it does not hold such tables."""
    if table not in (*reader.TABLES, *reader.FOLDERS):
        raise UsageError(
            f"The format {reader.NAME} holds {' and '.join(reader.TABLES)}, not {'a run' if table == 'run' else table}. Name another for "
            f"{path}, or none: irmx recognises files by their content."
        )
    return reader


def _recognising(table: TableName, path: Path, start: bytes) -> Iterator[Format]:
    """Yield the formats that recognise a file or folder, the first of which reads it; warn of one that fails."""
    is_folder = path.is_dir()
    for reader in registry().formats().values():
        if table not in (reader.FOLDERS if is_folder else reader.TABLES):
            continue
        try:
            with prints_on_stderr:
                answer = reader.recognises(table, path, start)
            if not isinstance(answer, bool):
                raise PluginError(f"{_the(reader)} was asked about {path}, and returned {type(answer).__name__}.")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            warnings.warn(str(_error_of(reader, path, error)), PluginWarning, stacklevel=2)
        else:
            if answer:
                yield reader


def _read_by(
    reader: Format,
    table: TableName,
    source: str | os.PathLike[str],
    path: Path,
    content: bytes,
    ranking: str | None = None,
) -> Table:
    """Return a file as a format reads it, with the vocabulary's names."""
    try:
        with errors_of(reader, path):
            rows = reader.read(table, path, content) if ranking is None else reader.read_ranking(path, content, ranking)
        if not isinstance(rows, Table):
            rows = _table_of_plugin(reader, table, path, rows, content, named_format(source) is None)
    except (DataError, PluginError) as error:
        if _is_of_host(reader) or named_format(source):
            raise
        text = f"{error}{_other_ways(reader, table, path, content)}"
        raise (DataError(text, error.rows) if isinstance(error, DataError) else PluginError(text)) from error
    return rows.renamed(canonical_names(table, rows.names))


def path_of(source: str | os.PathLike[str]) -> Path:
    """Return the path of a source, without the name of a format."""
    return named[1] if (named := named_format(source)) else as_path(source)


def named_format(source: str | os.PathLike[str]) -> tuple[Format, Path] | None:
    """Return the format and the path of ``FORMAT:path`` or ``FORMAT(parameter=value):path``, None if the source is not of that form.

    Raises
    ------
    irmx.errors.UsageError
        For a parameter that the format does not have, or an illegal value.
    """
    text = os.fspath(source)
    colon = next((place for place, _ in positions_outside_brackets(text, ":")), len(text))
    if not text[colon + 1 :]:
        return None
    name, parenthesis, _ = text[:colon].partition("(")
    reader: Format | None = registry().formats().get(name)
    if reader is None or os.path.exists(source):
        return None
    if parenthesis:
        if text[colon - 1] != ")":
            return None
        values = ValueParser(reader).of_arguments(Span(text, len(name) + 1, colon - 1))
        if several := next((key for key, found in values.items() if len(found) > 1), None):
            raise UsageError(f"{text} has several values of {several!r}. A file is read with one.")
        reader = type(reader)(**{key: found[0] for key, found in values.items()})
    return reader, as_path(text[colon + 1 :])


def format_of(table: TableName, source: str | os.PathLike[str], start: bytes) -> Format:
    """Return the format of a file or folder: that which is named, or recognised by the path and the start of the content."""
    if named := named_format(source):
        return _holding(table, named[0], named[1])
    path, formats = as_path(source), dict[str, Format](registry().formats())
    if (reader := next(_recognising(table, path, start), None)) is not None:
        return reader
    if path.is_dir():
        readers = [f"{name}:{path}" for name, reader in formats.items() if table in reader.FOLDERS]
        how = f" To read the files in it as one, name the format: {' or '.join(readers)}." if readers else ""
        raise DataError(f"{path} is a folder, not a {table} file.{how}")
    check_text(name_of(path), start)
    known = [name for name, one in formats.items() if table in one.TABLES]
    raise DataError(f"{name_of(path)} is in none of the known formats of a {table} file: {', '.join(known)}.")


def dataset_named(source: str) -> tuple[Format, str] | None:
    """Return the format and the id of a dataset given as ``FORMAT:ID``, or as a text that is neither a file, an address nor ``-``; else None."""
    if os.path.exists(source) or source == STANDARD_INPUT or is_address(source):
        return None
    if named := named_format(source):
        return (named[0], source.partition(":")[2]) if named[0].IDS else None
    return next(((reader, source) for reader in registry().formats().values() if reader.IDS), None)


def topic_spelled(query_id: str, topics: Container[str]) -> str:
    """Return the topic that a query id means: the id itself, or the topic that the files of a format write in this way."""
    for reader in [] if query_id in topics else registry().formats().values():
        try:
            with errors_of(reader, query_id):
                if (topic := reader.topic(query_id)) in topics:
                    return str(topic)
        except (IrmxError, OSError) as error:
            warnings.warn(str(error), PluginWarning, stacklevel=2)
    return query_id


@contextlib.contextmanager
def errors_of(reader: Format, path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the format of a plugin where it raises what is not meant for users, and keep what it prints off the results."""
    try:
        with contextlib.nullcontext() if _is_of_host(reader) else prints_on_stderr:
            yield
    except BaseException as error:  # sys.exit among them, which would end irmx without a word
        if (named := _error_of(reader, path, error)) is error:
            raise
        raise named from error


def _error_of(reader: Format, path: object, error: BaseException) -> BaseException:
    """Return an error as it is if it is for users, otherwise one that names the format."""
    if isinstance(error, (IrmxError, KeyboardInterrupt)):
        return error
    if isinstance(error, OSError) and (error.filename or _is_of_host(reader)):
        return error
    if isinstance(error, MemoryError):
        return too_little_memory(f"Reading {path}", error)
    return failure_of(_the(reader), error, f" on {path}", type(reader).__module__)


def _table_of_plugin(
    reader: Format, table: TableName, path: Path, rows: Any, content: bytes, is_unasked: bool
) -> Table:
    """Return what the format of a plugin read, which must have the columns of every run or qrels, once each."""
    import pyarrow as pa

    if not isinstance(rows, pa.Table):
        raise PluginError(f"{_the(reader)} read {path} as {type(rows).__name__}, not as a pyarrow.Table.")
    names = canonical_names(table, rows.column_names)
    if lacking := [name for name in REQUIRED[table] if name not in names]:
        raise PluginError(f"{_the(reader)} read {path} as a table without the column {lacking[0]!r}.")
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise PluginError(
            f"{_the(reader)} read {path} as a table in which {twice[0]!r} is the name of several columns."
        )
    lines = partial(filled_lines, content, int(reader.LINES == "after header")) if reader.LINES else None
    source = Source(f"{path} (read as {reader.NAME})" if is_unasked else str(path), lines)
    return Table(table, dict(zip(rows.column_names, rows.columns, strict=True)), rows.num_rows, source)


def _other_ways(reader: Format, table: TableName, path: Path, content: bytes) -> str:
    """Return a line on a file that the format of a plugin took unasked and could not read: how it is read otherwise."""
    others = _recognising(table, path, content[:START])
    ways = [f"{other.NAME}:{path}" for other in others if other.NAME != reader.NAME and path.exists()]
    plugin = _plugin_of(reader)
    return (
        f"\n{path} was taken for {reader.NAME}, a format of the plugin {plugin}, which IRMX_DISABLED_PLUGINS="
        f"{plugin.partition(' (')[0]} leaves out. To read it in another format: {' or '.join(ways) or 'FORMAT:PATH'}."
    )


def _the(reader: Format) -> str:
    """Return the format with its plugin, for messages."""
    plugin = "" if _is_of_host(reader) else f" of the plugin {_plugin_of(reader)}"
    return f"The format {reader.NAME}{plugin}"


def _plugin_of(reader: Format) -> str:
    return registry().source_of(registry().formats()[reader.NAME])


def _is_of_host(reader: Format) -> bool:
    return type(reader).__module__.partition(".")[0] == "irmx"
