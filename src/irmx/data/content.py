"""The bytes of a file or of standard input, unpacked; the one place that unpacks."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from irmx.errors import DataError, UsageError, some, suggest

STANDARD_INPUT = "-"
"""What stands for standard input in place of a path; a file of that name is ``./-``."""


def content_of(path: str | os.PathLike[str], what: str = "file", size: int = -1) -> bytes:
    """Return the content of a file, unpacked, without the mark of UTF-8.

    Parameters
    ----------
    path : str or Path
        The path of a file, or ``-`` for standard input. It is plain, packed with gzip, bzip2, xz or zstd, or a zip archive of
        one file; that is known by the first bytes, not by the name.
    what : str
        What it is, such as ``run``, for messages. Standard input is read once, and is one thing only.
    size : int
        So many bytes from the start; -1 for all.

    Returns
    -------
    bytes
        The content.

    Raises
    ------
    irmx.DataError
        Where the file cannot be opened, is packed and cut off or damaged, or is an archive of several files.
    irmx.UsageError
        Where standard input is asked for as two things.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "some.run"
    ...     _ = path.write_bytes(gzip.compress(b"q Q0 a 1 2.5 tag"))
    ...     content_of(path), content_of(path, size=4)
    (b'q Q0 a 1 2.5 tag', b'q Q0')
    """
    name = name_of(path)
    try:
        with _opened(path, what, size) as file:
            content = _unpacked(file, size).removeprefix(b"\xef\xbb\xbf")
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
    if size < 0 and not os.path.isfile(path):
        _from_pipes[name] = content
    return content


_from_pipes: dict[str, bytes] = {}
"""What was read last from pipes, which cannot be read again, by name."""


def content_again(path: str | os.PathLike[str], what: str) -> bytes:
    """Return the content of what was read before, a pipe too, to look for the place of an error in it."""
    kept = _from_pipes.get(name_of(path))
    return content_of(path, what) if kept is None else kept


def name_of(path: str | os.PathLike[str]) -> str:
    """Return what a path is called in messages."""
    return "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)


def _neighbour(path: Path) -> str:
    """Return a hint at a file of nearly the same name."""
    folder = path.parent
    return suggest(path.name, sorted(os.listdir(folder))) if folder.is_dir() else f" There is no folder {folder}."


def _damaged(name: str, error: Exception) -> DataError:
    return DataError(f"{name} is packed, but cut off or damaged ({error}). Fetch or copy it again.")


class _StandardInput:
    """Standard input, kept once it was read: the place of an error is looked for in it again."""

    def __init__(self) -> None:
        self.what, self.content = "", b""

    def read(self, what: str) -> bytes:
        """Return all of it; it can be one thing only."""
        if not self.what:
            if sys.stdin is None:
                raise DataError("There is none.")
            self.what, self.content = what, sys.stdin.buffer.read()
        if self.what != what:
            raise UsageError(
                f"Standard input is the {self.what} already, and can be read once. Give the {what} as a file."
            )
        return self.content


_standard_input = _StandardInput()


def _opened(path: str | os.PathLike[str], what: str, size: int) -> IO[bytes]:
    """Open a file; where all of it is wanted it is read first, as a pipe cannot be looked at and read again."""
    if os.fspath(path) == STANDARD_INPUT:
        return io.BytesIO(_standard_input.read(what))
    return io.BytesIO(Path(path).read_bytes()) if size < 0 else open(path, "rb")


def _unpacked(file: IO[bytes], size: int) -> bytes:
    """Return so many bytes of a file, unpacked."""
    start = file.read(4)
    file.seek(0)
    for magic, (opener, at_once) in _PACKED.items():
        if start.startswith(magic):
            if size < 0 and at_once is not None:
                return at_once(file.read())
            with opener(file) as unpacked:
                content: bytes = unpacked.read(size) if size >= 0 else unpacked.read()
            return content
    return file.read(size)


def _zstd(file: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")


def _zip(file: IO[bytes]) -> IO[bytes]:
    """Open the one file of an archive; folders, and what macOS adds, are none."""
    archive = zipfile.ZipFile(file)
    names = [one.filename for one in archive.infolist() if not one.is_dir()]
    names = [name for name in names if not name.startswith("__MACOSX/") and not name.endswith(".DS_Store")]
    if len(names) != 1:
        found = f"{len(names)}: {some(names)}" if names else "none"
        raise DataError(f"A zip archive of one file is expected. It holds {found}. Unpack it.")
    try:
        return archive.open(names[0])
    except RuntimeError as error:  # it needs a password, or an unpacker that Python lacks
        raise DataError(f"The zip archive cannot be unpacked: {error}.") from None


_PACKED: dict[bytes, tuple[Callable[[IO[bytes]], Any], Callable[[bytes], bytes] | None]] = {
    b"\x1f\x8b": (gzip.open, gzip.decompress),
    b"BZh": (bz2.open, bz2.decompress),
    b"\xfd7zX": (lzma.open, lzma.decompress),
    b"\x28\xb5\x2f\xfd": (_zstd, None),
    b"\x50\x2a\x4d\x18": (_zstd, None),  # a frame to be skipped, with which some writers begin
    b"PK\x03\x04": (_zip, None),
    b"PK\x05\x06": (_zip, None),
}
"""By the first bytes: what opens a packed file, and where there is one, what unpacks all of it, which is quicker."""


def place(path: Path, content: bytes, rows: tuple[int, ...], before: int) -> str:
    """Return a path with the lines, from 1, on which rows of its table stand.

    Parameters
    ----------
    path : Path
        The file.
    content : bytes
        What is in it; blank lines are no rows.
    rows : tuple of int
        The rows, counted from 0.
    before : int
        The lines, blank ones not counted, that stand before the first row, such as a header.
    """
    filled = [number for number, line in enumerate(content.splitlines(), start=1) if line.strip()][before:]
    lines = [str(filled[row]) for row in rows if row < len(filled)]
    return f"{path}, line{'s' if len(lines) > 1 else ''} {' and '.join(lines)}" if lines else str(path)
