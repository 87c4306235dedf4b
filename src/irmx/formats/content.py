"""The bytes of a file, unpacked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from pathlib import Path

from irmx.errors import DataError

_PACKED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}


def content_of(path: Path) -> bytes:
    """Return the content of a file; gzip, bzip2 and xz are known by their first bytes.

    Raises
    ------
    irmx.errors.DataError
        Where the file cannot be opened, or is packed and cut off or damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    for magic, unpack in _PACKED.items():
        if content.startswith(magic):
            try:
                content = unpack(content)
            except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
                raise DataError(
                    f"{path} is packed, but cut off or damaged ({error}). Fetch or copy it again."
                ) from None
            break
    return content.removeprefix(b"\xef\xbb\xbf")


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
