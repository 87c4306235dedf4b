"""Reading of qrels and runs from files, whose format is detected by name and content."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from irmx.data.content import content_of, name_of
from irmx.data.formats.base import Format
from irmx.data.lines import check_text
from irmx.data.pipes import STANDARD_INPUT
from irmx.declare.columns import REQUIRED, Table, canonical_names
from irmx.declare.standard_output import to_standard_error
from irmx.errors import DataError, IrmxError, PluginError, PluginWarning, failure_of, too_little_memory
from irmx.registry import registry

if TYPE_CHECKING:
    import pyarrow as pa


_START = 4096
"""The number of bytes by which a format is recognised."""


def read(table: Table, source: str | os.PathLike[str], ranking: str | None = None) -> pa.Table:
    """Return a file as an Arrow table.

    Parameters
    ----------
    table : {"run", "qrels"}
        What the file holds.
    source : str or Path
        The path of a file, or ``-`` for standard input; ``FORMAT:path`` names the format.
    ranking : str, optional
        The name of the ranking to read from a run file that holds several per topic.

    Raises
    ------
    irmx.errors.DataError
        If there is no such file, or it cannot be read.
    irmx.errors.UsageError
        If a ranking is named, but files of the format hold one per topic.
    """
    reader, path, content = _opened(table, source)
    try:
        with errors_of(reader, path):
            rows = reader.read(table, path, content) if ranking is None else reader.read_ranking(path, content, ranking)
        return rows if _is_of_host(reader) else _checked(reader, table, path, rows)
    except DataError as error:
        raise DataError(f"{error}{_other_ways(reader, table, source, path, content)}", error.rows) from error.__cause__
    except PluginError as error:
        raise PluginError(f"{error}{_other_ways(reader, table, source, path, content)}") from error.__cause__


def _other_ways(reader: Format, table: Table, source: str | os.PathLike[str], path: Path, content: bytes) -> str:
    """Return a line on a file that the format of a plugin took unasked and could not read: how it is read otherwise."""
    if _is_of_host(reader) or named(source) is not None:
        return ""
    ways = [
        f"{other.NAME}:{path}"
        for other in registry().formats().values()
        if other is not reader
        and table in other.TABLES
        and not path.is_dir()
        and _recognises(other, table, path, content[:_START])
    ]
    plugin = registry().source_of(reader)
    return (
        f"\n{path} was taken for {reader.NAME}, a format of the plugin {plugin}, which IRMX_DISABLED_PLUGINS="
        f"{plugin.partition(' (')[0]} leaves out. To read it in another format: {' or '.join(ways) or f'FORMAT:{path}'}."
    )


def place_of(table: Table, source: str | os.PathLike[str], rows: tuple[int, ...], content: bytes | None = None) -> str:
    """Return the file, and the lines of some rows of its table, for the start of a message.

    The file is read again, unless its content is given, which a pipe gives only once.
    """
    read: Callable[..., Any] = content_of if content is None else lambda path, what: content
    reader, path, content_read = _opened(table, source, read)
    if _is_of_host(reader):
        return reader.place(table, path, content_read, rows)
    where: object = None
    with contextlib.suppress(IrmxError, OSError), errors_of(reader, path):  # the error whose place this is must be told
        where = reader.place(table, path, content_read, rows)
    return f"{where if isinstance(where, str) else path}" + (
        f" (read as {reader.NAME})" if named(source) is None else ""
    )


def spelled(query_id: str, topics: Container[str]) -> str:
    """Return the topic that a query id means: the id itself, or the topic that the files of a format write in this way."""
    if query_id in topics:
        return query_id
    spellings = (_topic(reader, query_id) for reader in registry().formats().values())
    return next((t for t in spellings if t in topics), query_id)


def _topic(reader: Format, text: str) -> str:
    """Return the topic that a format means by a text; a format that fails is skipped with a warning."""
    try:
        with errors_of(reader, text):
            return str(reader.topic(text))
    except (IrmxError, OSError) as error:
        warnings.warn(str(error), PluginWarning, stacklevel=2)
        return text


def dataset_named(source: str) -> tuple[Format, str] | None:
    """Return the format and the id of a dataset given as ``FORMAT:ID``, or as a text that is neither a file nor ``-``; else None."""
    if os.path.exists(source) or source == STANDARD_INPUT:
        return None
    format_and_path = named(source)
    if format_and_path is not None:
        return (format_and_path[0], source.partition(":")[2]) if format_and_path[0].IDS else None
    return next(((reader, source) for reader in registry().formats().values() if reader.IDS), None)


def named(source: str | os.PathLike[str]) -> tuple[Format, Path] | None:
    """Return the format and the path of ``FORMAT:path``, None if the source is not of that form."""
    name, _, rest = os.fspath(source).partition(":")
    reader: Format | None = registry().formats().get(name)
    return (reader, Path(rest)) if rest and reader is not None and not os.path.exists(source) else None


def format_of(table: Table, source: str | os.PathLike[str]) -> tuple[Format, Path]:
    """Return the reader of a file or folder, and its path, without reading more than its start."""
    reader, path, _ = _opened(table, source, lambda path, what: content_of(path, what, _START))
    return reader, path


def _opened(
    table: Table, source: str | os.PathLike[str], content_of: Callable[..., bytes] = content_of
) -> tuple[Format, Path, bytes]:
    """Return the reader of a file, its path and its content, which is empty for a folder."""
    format_and_path = named(source)
    path = Path(source) if format_and_path is None else format_and_path[1]
    formats = registry().formats()
    content = b"" if path.is_dir() else content_of(path, table)
    path = Path(name_of(path))
    if format_and_path is not None:
        return format_and_path[0], path, content
    start = content[:_START]
    for reader in formats.values():
        if table in (reader.FOLDERS if path.is_dir() else reader.TABLES) and _recognises(reader, table, path, start):
            return reader, path, content
    if path.is_dir():
        readers = [f"{name}:{path}" for name, reader in formats.items() if table in reader.FOLDERS]
        how = f" To read the files in it as one, name the format: {' or '.join(readers)}." if readers else ""
        raise DataError(f"{path} is a folder, not a {table} file.{how}")
    why = ""
    if b"\0" in start:
        try:
            check_text(str(path), start)
        except DataError as error:
            why = f" If it is text: {error}"
    raise DataError(f"{path} is in none of the known formats of a {table} file: {', '.join(formats)}.{why}")


def _recognises(reader: Format, table: Table, path: Path, start: bytes) -> bool:
    """Tell whether a format recognises a file; a format that fails is skipped with a warning."""
    try:
        with errors_of(reader, path):
            answer = reader.recognises(table, path, start)
        if not isinstance(answer, bool):
            raise PluginError(
                f"{_the(reader)} was asked whether {path} is one of its files, and returned neither True nor False."
            )
    except (IrmxError, OSError) as error:
        warnings.warn(str(error), PluginWarning, stacklevel=2)
        return False
    return answer


@contextlib.contextmanager
def errors_of(reader: Format, path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the format of a plugin where it raises what is not meant for users, and keep what it prints off the results."""
    try:
        with contextlib.nullcontext() if _is_of_host(reader) else to_standard_error():
            yield
    except (IrmxError, KeyboardInterrupt):
        raise
    except MemoryError as error:
        raise too_little_memory(f"Reading {path}", error) from error
    except BaseException as error:  # sys.exit among them, which would end irmx without a word
        if isinstance(error, OSError) and (error.filename or _is_of_host(reader)):
            raise
        raise failure_of(_the(reader), cast(Exception, error), f" on {path}", type(reader).__module__) from error


def _checked(reader: Format, table: Table, path: Path, rows: Any) -> pa.Table:
    """Return what the format of a plugin read: a table with the columns that every run or qrels must have, once each."""
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
    return rows


def _the(reader: Format) -> str:
    """Return the format with its plugin, for messages."""
    return f"The format {reader.NAME}" + (
        "" if _is_of_host(reader) else f" of the plugin {registry().source_of(reader)}"
    )


def _is_of_host(reader: Format) -> bool:
    return type(reader).__module__.partition(".")[0] == "irmx"
