"""The decompressed bytes of a file or of standard input, at once or in blocks."""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from irmx.data.decompression import Decompressed, decompressed, opener_of
from irmx.data.pipes import STANDARD_INPUT, is_pipe, pipes
from irmx.errors import DataError, UsageError, suggest, too_little_memory

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def content_of(path: str | os.PathLike[str], what: str = "file", size: int = -1) -> bytes:
    """Return the decompressed content of a file, without a byte order mark.

    Parameters
    ----------
    path : str or Path
        The path of a file, or ``-`` for standard input. It is plain, compressed with gzip, bzip2, xz or zstd, or a zip
        archive of one file; this is detected by the first bytes, not by the name.
    what : str
        What the file holds, such as ``run``, for messages. Standard input is read once, for one such purpose.
    size : int
        The number of bytes to read from the start; -1 for all.

    Returns
    -------
    bytes
        The content.

    Raises
    ------
    irmx.DataError
        If the file cannot be opened, is compressed and truncated or damaged, or is an archive of several files. If it is
        larger than 100 times its compressed size and 64 MB, or than the environment variable ``IRMX_MAX_DECOMPRESSED``.
    irmx.UsageError
        If standard input is to be read for two purposes, or a pipe twice.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "some.run"
    ...     _ = path.write_bytes(gzip.compress(b"q Q0 a 1 2.5 tag"))
    ...     content_of(path), content_of(path, size=4)
    (b'q Q0 a 1 2.5 tag', b'q Q0')
    """
    with _errors_named(path, what):
        if not is_pipe(path):
            return _start_of(path, size) if size >= 0 else _without_mark(decompressed(Path(path).read_bytes()))
        packed = pipes.content(path, what, again=size >= 0)
        if size >= 0:
            return _without_mark(_read(Decompressed(io.BytesIO(packed), len(packed)), size))
        content = _without_mark(decompressed(packed))
    pipes.keep(path, content)
    return content


def _start_of(path: str | os.PathLike[str], size: int) -> bytes:
    with open(path, "rb") as file, _stream(file) as stream:
        return _without_mark(_read(stream, size))


def _stream(file: BinaryIO) -> contextlib.closing[Decompressed]:
    return contextlib.closing(Decompressed(file, os.fstat(file.fileno()).st_size))


def _without_mark(content: bytes) -> bytes:
    return content.removeprefix(_BYTE_ORDER_MARK)


def content_in_blocks(path: str | os.PathLike[str], what: str, size: int) -> Iterator[bytes]:
    """Yield the decompressed content of a file, without a byte order mark, in blocks of at most so many bytes.

    No block is kept when the next one is read.

    Raises
    ------
    irmx.DataError
        As :func:`content_of` does, once the block that cannot be read is reached.
    """
    with _errors_named(path, what), open(path, "rb") as file, _stream(file) as stream:
        yield _without_mark(_read(stream, len(_BYTE_ORDER_MARK)))
        yield from iter(lambda: _read(stream, size), b"")


def _read(stream: Decompressed, size: int) -> bytes:
    """Return the next bytes, fewer only at the end; a decompressor may return fewer than it is asked for."""
    blocks: list[bytes] = []
    while size > 0 and (block := stream.read(size)):
        size -= len(block)
        blocks.append(block)
    return b"".join(blocks)


def _can_be_a_name(path: str | os.PathLike[str]) -> bool:
    r"""Tell whether a file can have a name.

    >>> [_can_be_a_name(name) for name in ("a.run", "caf\udce9.run", "\ud800", "a\0b")]
    [True, True, False, False]
    """
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


@contextlib.contextmanager
def _errors_named(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn whatever goes wrong when a file is read into an error that names it."""
    name = name_of(path)
    if not _can_be_a_name(path):
        raise DataError(f"There is no {what} file {name!r}: no file can have such a name.")
    try:
        yield
    except DataError as error:
        raise error.at(name) from None
    except UsageError as error:
        raise error if name_of(path) != os.fspath(path) else UsageError(f"{name}: {error}") from None
    except MemoryError as error:
        raise too_little_memory(f"Reading {name}", error) from error
    except FileNotFoundError:
        raise DataError(f"There is no {what} file {name!r}.{_neighbour(Path(path))}") from None
    except OSError as error:
        if error.errno is not None:
            raise DataError(f"{name} cannot be read: {error.strerror}.") from None
        raise _damaged(name, error) from None
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise _damaged(name, error) from None


def kept_content(path: str | os.PathLike[str]) -> bytes | None:
    """Return the content that was just read from a pipe, which cannot be read again to find the lines of an error; else None."""
    return pipes.kept(path) if is_pipe(path) else None


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the name of a path in messages."""
    return "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)


def _neighbour(path: Path) -> str:
    """Return a hint at a file of similar name."""
    folder = path.parent
    return suggest(path.name, sorted(os.listdir(folder))) if folder.is_dir() else f" There is no folder {folder}."


def _damaged(name: str, error: Exception) -> DataError:
    return DataError(f"{name} is compressed, but truncated or damaged ({error}). Download or copy it again.")


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Tell by its first bytes whether a file is compressed."""
    with open(path, "rb") as file:
        return opener_of(file) is not None


def place(path: Path, content: bytes, rows: tuple[int, ...], before: int, lines_before: int = 0) -> str:
    """Return a path with the numbers, from 1, of the lines of some rows of its table.

    Parameters
    ----------
    path : Path
        The file.
    content : bytes
        The content; blank lines are not rows.
    rows : tuple of int
        The rows, counted from 0.
    before : int
        The number of lines before the first row, such as a header, not counting blank lines.
    lines_before : int
        The number of lines of the file before the content, if that is only a part of it.
    """
    lines_from_one = enumerate(content.splitlines(), start=1 + lines_before)
    filled = [number for number, line in lines_from_one if line.strip()][before:]
    lines = [str(filled[row]) for row in rows if row < len(filled)]
    return f"{path}, line{'s' if len(lines) > 1 else ''} {' and '.join(lines)}" if lines else str(path)
