"""Reading of qrels and runs from files, whose format is detected by name and content."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Container
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.data.content import content_of, name_of
from irmx.data.formats.base import Format
from irmx.data.lines import check_text
from irmx.data.pipes import STANDARD_INPUT
from irmx.declare.columns import Table
from irmx.errors import DataError, IrmxError, PluginError, PluginWarning
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
        if ranking is None:
            return reader.read(table, path, content)
        return reader.read_ranking(path, content, ranking)
    except (IrmxError, OSError):
        raise
    except Exception as error:
        raise PluginError(f"The format {reader.NAME} failed on {path} with {type(error).__name__}: {error}") from error


def place_of(table: Table, source: str | os.PathLike[str], rows: tuple[int, ...], content: bytes | None = None) -> str:
    """Return the file, and the lines of some rows of its table, for the start of a message.

    The file is read again, unless its content is given, which a pipe gives only once.
    """
    read: Callable[..., Any] = content_of if content is None else lambda path, what: content
    reader, path, content_read = _opened(table, source, read)
    return reader.place(table, path, content_read, rows)


def spelled(query_id: str, topics: Container[str]) -> str:
    """Return the topic that a query id means: the id itself, or the topic that the files of a format write in this way."""
    spellings = [query_id, *(reader.topic(query_id) for reader in registry().formats().values())]
    return next((t for t in spellings if t in topics), query_id)


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
        return reader.recognises(table, path, start)
    except Exception as error:
        warnings.warn(
            f"The format {reader.NAME} failed on {path} with {type(error).__name__}: {error}",
            PluginWarning,
            stacklevel=2,
        )
        return False
