"""The decompressed bytes of a file or of standard input, at once or in blocks."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from irmx.errors import DataError, UsageError, some, suggest

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
STANDARD_INPUT = "-"
"""The name of standard input in place of a path; a file of that name is ``./-``."""


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
        If the file cannot be opened, is compressed and truncated or damaged, or is an archive of several files.
    irmx.UsageError
        If standard input is to be read for two purposes.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "some.run"
    ...     _ = path.write_bytes(gzip.compress(b"q Q0 a 1 2.5 tag"))
    ...     content_of(path), content_of(path, size=4)
    (b'q Q0 a 1 2.5 tag', b'q Q0')
    """
    with _errors_named(path, what), _opened(path, what, size) as file:
        content = _decompressed(file, size).removeprefix(_BYTE_ORDER_MARK)
    if size < 0 and not os.path.isfile(path):
        _from_pipes[name_of(path)] = content
    return content


def content_in_blocks(path: str | os.PathLike[str], what: str, size: int) -> Iterator[bytes]:
    """Yield the decompressed content of a file, without a byte order mark, in blocks of at most so many bytes.

    No block is kept when the next one is read.

    Raises
    ------
    irmx.DataError
        As :func:`content_of` does, once the block that cannot be read is reached.
    """
    with _errors_named(path, what), open(path, "rb") as file, _stream(file) as stream:
        yield b"".join(_reads(stream, len(_BYTE_ORDER_MARK))).removeprefix(_BYTE_ORDER_MARK)
        yield from iter(lambda: b"".join(_reads(stream, size)), b"")


def _reads(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield what a stream returns until there are so many bytes; a decompressor may return fewer than it is asked for."""
    while size > 0 and (some_bytes := stream.read(size)):
        size -= len(some_bytes)
        yield some_bytes


@contextlib.contextmanager
def _errors_named(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn whatever goes wrong when a file is read into an error that names it."""
    name = name_of(path)
    try:
        yield
    except DataError as error:
        raise error.at(name) from None
    except FileNotFoundError:
        raise DataError(f"There is no {what} file {name!r}.{_neighbour(Path(path))}") from None
    except OSError as error:
        if error.errno is not None:
            raise DataError(f"{name} cannot be read: {error.strerror}.") from None
        raise _damaged(name, error) from None
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise _damaged(name, error) from None


_from_pipes: dict[str, bytes] = {}
"""The last content read from each pipe, by name; a pipe cannot be read again."""


def content_again(path: str | os.PathLike[str], what: str) -> bytes:
    """Return the content of a file or a pipe that was read before, to find the place of an error in it."""
    content = _from_pipes.get(name_of(path))
    return content_of(path, what) if content is None else content


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the name of a path in messages."""
    return "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)


def _neighbour(path: Path) -> str:
    """Return a hint at a file of similar name."""
    folder = path.parent
    return suggest(path.name, sorted(os.listdir(folder))) if folder.is_dir() else f" There is no folder {folder}."


def _damaged(name: str, error: Exception) -> DataError:
    return DataError(f"{name} is compressed, but truncated or damaged ({error}). Download or copy it again.")


class _StandardInput:
    """Standard input; its content is kept, so that the place of an error can be found in it."""

    def __init__(self) -> None:
        self.what, self.content = "", b""

    def read(self, what: str) -> bytes:
        """Return the whole content; it can be read for one purpose only."""
        if not self.what:
            if sys.stdin is None:
                raise DataError("This process has no standard input.")
            self.what, self.content = what, sys.stdin.buffer.read()
        if self.what != what:
            raise UsageError(
                f"Standard input is already read as the {self.what}, and can be read once. Give the {what} as a file."
            )
        return self.content


_standard_input = _StandardInput()


def _opened(path: str | os.PathLike[str], what: str, size: int) -> IO[bytes]:
    """Open a file; if all of it is needed, it is read into memory, because a pipe cannot be inspected and then read."""
    if os.fspath(path) == STANDARD_INPUT:
        return io.BytesIO(_standard_input.read(what))
    return io.BytesIO(Path(path).read_bytes()) if size < 0 else open(path, "rb")


def _decompressed(file: IO[bytes], size: int) -> bytes:
    """Return the first ``size`` bytes of a file, decompressed; all of them if it is negative."""
    _, at_once = _decompressor(file)
    if size < 0 and at_once is not None:
        return at_once(file.read())
    with _stream(file) as stream:
        content: bytes = stream.read(size) if size >= 0 else stream.read()
    return content


def _stream(file: IO[bytes]) -> Any:
    """Return a file, or what decompresses it."""
    opener, _ = _decompressor(file)
    return opener(file)


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Tell by its first bytes whether a file is compressed."""
    with open(path, "rb") as file:
        return _decompressor(file) is not _PLAIN


def _decompressor(file: IO[bytes]) -> tuple[Callable[[IO[bytes]], Any], Callable[[bytes], bytes] | None]:
    """Return the function that opens a file, and one, if any, that decompresses all of it."""
    start = file.read(4)
    file.seek(0)
    return next((both for magic, both in _DECOMPRESSORS.items() if start.startswith(magic)), _PLAIN)


def _zstd(file: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")


def _zip(file: IO[bytes]) -> IO[bytes]:
    """Open the one file of an archive; folders, and the files that macOS adds, do not count."""
    archive = zipfile.ZipFile(file)
    names = [member.filename for member in archive.infolist() if not member.is_dir()]
    names = [name for name in names if not name.startswith("__MACOSX/") and not name.endswith(".DS_Store")]
    if len(names) != 1:
        members = f"{len(names)}: {some(names)}" if names else "none"
        raise DataError(f"A zip archive of one file is expected. It holds {members}. Extract it first.")
    try:
        return archive.open(names[0])
    except RuntimeError as error:  # it needs a password, or a compression method that Python lacks
        raise DataError(f"The zip archive cannot be extracted: {error}.") from None


_DECOMPRESSORS: dict[bytes, tuple[Callable[[IO[bytes]], Any], Callable[[bytes], bytes] | None]] = {
    b"\x1f\x8b": (gzip.open, gzip.decompress),
    b"BZh": (bz2.open, bz2.decompress),
    b"\xfd7zX": (lzma.open, lzma.decompress),
    b"\x28\xb5\x2f\xfd": (_zstd, None),
    b"\x50\x2a\x4d\x18": (_zstd, None),  # a skippable frame, with which some writers begin
    b"PK\x03\x04": (_zip, None),
    b"PK\x05\x06": (_zip, None),
}
"""By the first bytes: the function that opens a compressed file, and a faster one, if any, that decompresses all of it."""
_PLAIN: tuple[Callable[[IO[bytes]], Any], None] = (lambda file: file, None)


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
