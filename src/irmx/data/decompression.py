"""Compressed files, whose kind is told by their first bytes, decompressed no further than a limit."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any, TypeVar

from irmx.data.amounts import bytes_of, size_text
from irmx.errors import DataError, some

LIMIT = "IRMX_MAX_DECOMPRESSED"
"""The environment variable that sets how large a file may be when decompressed; processes that score runs inherit it."""
_TIMES, _ALWAYS = 100, 64_000_000
"""Without it, a file may become so many times as large, and always so many bytes."""
_BLOCK = 1 << 20
"""How many bytes are decompressed at once."""

_Opened = TypeVar("_Opened")


def limit_of(compressed: int) -> int:
    """Return how many bytes a file of a compressed size may have when it is decompressed.

    Raises
    ------
    irmx.UsageError
        If the environment variable is not an amount.
    """
    chosen = os.environ.get(LIMIT)
    return bytes_of(chosen, f"environment variable {LIMIT}") if chosen else max(_ALWAYS, _TIMES * compressed)


def too_large(compressed: int, limit: int) -> DataError:
    """Return the error about a file of a compressed size that is larger than its limit."""
    reason = "" if os.environ.get(LIMIT) else f" ({_TIMES} times its size)" if limit > _ALWAYS else ""
    larger = f"{max(1, round(limit / 10**8))}GB"  # some ten times as much
    return DataError(
        f"The file has {size_text(compressed)}, and more than {size_text(limit)} when it is decompressed: reading stopped at this "
        f"limit{reason}. If it is sound, allow more: irmx --max-decompressed "
        f"{larger} COMMAND ..., or the environment variable {LIMIT}={larger}."
    )


class Decompressed:
    """A stream of the decompressed content of a file.

    Parameters
    ----------
    file : binary file
        The compressed file, at its start.
    compressed : int
        Its size.
    """

    def __init__(self, file: IO[bytes], compressed: int) -> None:
        self._file, self._compressed = file, compressed
        self._limit, self._size = limit_of(compressed), 0
        opener = opener_of(file)
        self._stream = file if opener is None else opener(file)
        self._is_bounded = opener is not None

    def read(self, size: int) -> bytes:
        """Return at most so many of the next bytes, none at the end.

        Raises
        ------
        irmx.DataError
            If the content is larger than the limit.
        """
        content: bytes = self._stream.read(size)
        self._size += len(content)
        if self._is_bounded and self._size > self._limit:
            raise too_large(self._compressed, self._limit)
        return content

    def read_all(self) -> bytes:
        """Return the rest; raises as :meth:`read` does."""
        if not self._is_bounded:
            return self._stream.read()
        return b"".join(iter(lambda: self.read(_BLOCK), b""))

    def close(self) -> None:
        """Close what decompresses the file."""
        self._stream.close()


def decompressed(content: bytes) -> bytes:
    """Return the decompressed content of a file, and a file that is not compressed as it is.

    Raises
    ------
    irmx.DataError
        If it is larger than its limit.
    """
    limit = limit_of(len(content))
    if content[:2] == b"\x1f\x8b":  # one member in one piece is faster; others, and errors, are left to the stream
        member = zlib.decompressobj(wbits=31)
        with contextlib.suppress(zlib.error):
            whole = member.decompress(content, limit + 1)
            if len(whole) > limit:
                raise too_large(len(content), limit)
            if member.eof and not member.unused_data:
                return whole
            del whole
    return Decompressed(io.BytesIO(content), len(content)).read_all()


def opener_of(file: IO[bytes]) -> Callable[[IO[bytes]], Any] | None:
    """Return the function that opens a compressed file, by its first bytes; None if it is not compressed."""
    start = file.read(4)
    file.seek(0)
    return next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), None)


def _zstd(file: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")


def _zip(file: IO[bytes]) -> IO[bytes]:
    """Open the one file of an archive; folders, and the files that macOS adds, do not count."""
    archive = _opened(lambda: zipfile.ZipFile(file))
    members = [member for member in archive.infolist() if not member.is_dir()]
    members = [m for m in members if not m.filename.startswith("__MACOSX/") and not m.filename.endswith(".DS_Store")]
    if len(members) != 1:
        names = f"{len(members)}: {some(m.filename for m in members)}" if members else "none"
        raise DataError(f"A zip archive of one file is expected. It holds {names}. Extract it first.")
    if members[0].compress_type not in (
        zipfile.ZIP_STORED,
        zipfile.ZIP_DEFLATED,
    ):  # Python reads others without a bound
        raise DataError(
            f"The zip archive cannot be extracted: its compression method, {members[0].compress_type}, is neither stored nor "
            "deflated. Extract it first."
        )
    return _opened(lambda: archive.open(members[0]))


def _opened(opening: Callable[[], _Opened]) -> _Opened:
    """Open an archive, or a file in it; Python has several exceptions for a damaged one."""
    try:
        return opening()
    except RuntimeError as error:  # it needs a password, or a later version
        raise DataError(f"The zip archive cannot be extracted: {error}.") from None
    except (ValueError, OverflowError, struct.error) as error:
        raise zipfile.BadZipFile(str(error)) from None


_OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zX": lzma.open,
    b"\x28\xb5\x2f\xfd": _zstd,
    b"\x50\x2a\x4d\x18": _zstd,  # a skippable frame, with which some writers begin
    b"PK\x03\x04": _zip,
    b"PK\x05\x06": _zip,
}
"""What opens a compressed file, by its first bytes."""
