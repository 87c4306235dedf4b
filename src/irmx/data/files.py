"""The content of files, pipes and compressed files, and amounts of memory."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from irmx.data.addresses import address_shown, content_at, is_address, lost_a_slash
from irmx.errors import DataError, UsageError, too_little_memory
from irmx.text import suggest

STANDARD_INPUT = "-"
"""The name of standard input in place of a path; a file of that name is ``./-``."""

MAX_DECOMPRESSED = "IRMX_MAX_DECOMPRESSED"
"""The environment variable that sets how large a file may be when decompressed; processes that score runs inherit it."""

_TIMES, _ALWAYS = 100, 64_000_000
"""Without it, a file may become so many times as large, and always so many bytes."""
_BLOCK = 1 << 22
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def is_path(source: Any) -> bool:
    """Tell whether a source is a path or a string, which may also be a dataset id."""
    return isinstance(source, (str, os.PathLike))


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the name of a path in messages."""
    if is_address(path):
        return address_shown(os.fspath(path))
    return "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)


# -- content ---------------------------------------------------------------------------------------------------------


def content_of(path: str | os.PathLike[str], what: str = "file", size: int = -1) -> bytes:
    """Return the decompressed content of a file, without a byte order mark.

    Parameters
    ----------
    path : str or Path
        The path of a file or a pipe, an address such as ``s3://bucket/file``, or ``-`` for standard input. It is plain, or compressed with gzip, bzip2, xz, zstd or LZ4, which
        is detected by the first bytes, not by the name. A pipe can be read once.
    what : str
        What the file holds, such as ``run``, for messages.
    size : int
        The number of bytes to read from the start; -1 for all.

    Returns
    -------
    bytes
        The content.

    Raises
    ------
    irmx.DataError
        If the file cannot be opened or fetched, or is compressed and truncated or damaged. If it is larger than 100 times its compressed
        size and 64 MB, or than the environment variable ``IRMX_MAX_DECOMPRESSED``.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "some.run"
    ...     _ = path.write_bytes(gzip.compress(b"q Q0 a 1 2.5 tag"))
    ...     content_of(path), content_of(path, size=4)
    (b'q Q0 a 1 2.5 tag', b'q Q0')
    """
    blocks = content_in_blocks(path, what, _BLOCK if size < 0 else max(size, 1))
    return next(blocks, b"")[:size] if size >= 0 else b"".join(blocks)


def content_in_blocks(path: str | os.PathLike[str], what: str, size: int) -> Iterator[bytes]:
    """Yield the decompressed content of a file, without a byte order mark, in blocks of so many bytes; the last may be smaller.

    No block is kept when the next one is read.

    Raises
    ------
    irmx.DataError
        As :func:`content_of` does, once the block that cannot be read is reached.
    """
    with _errors_named(path, what), _opened(path, what) as file:
        start = file.peek(6)[:6]
        opener = next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), None)
        compressed = 0
        if opener is not None and os.fspath(path) != STANDARD_INPUT and file.seekable():
            compressed = file.seek(0, io.SEEK_END)
            file.seek(0)
        limit, length = decompressed_limit(compressed), 0
        with contextlib.closing(file if opener is None else opener(file)) as stream:
            held = stream.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK)
            while block := held + stream.read(max(0, size - len(held))):
                length += len(block)
                if opener is not None and length > limit:
                    raise too_large(compressed, limit)
                yield block
                held = b""
                del block


def _opened(path: str | os.PathLike[str], what: str) -> io.BufferedReader:
    """Open a file or a pipe, or fetch a file; of other devices, which may have no end, only the empty one and terminals."""
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise DataError("This process has no standard input.")
        return io.BufferedReader(io.BytesIO(_standard_input()))
    if is_address(path):
        return io.BufferedReader(io.BytesIO(content_at(os.fspath(path), what)))
    file = open(path, "rb")  # noqa: SIM115  the caller closes it
    mode = os.fstat(file.fileno()).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or file.isatty() or os.path.samefile(path, os.devnull)):
        file.close()
        raise DataError("This is a device, not a file or a pipe.")
    return file


def _standard_input() -> bytes:
    """Return all of standard input, which several readers of one command may ask for."""
    if _standard_input_read[:1] != [sys.stdin]:
        _standard_input_read[:] = [sys.stdin, sys.stdin.buffer.read()]
    content: bytes = _standard_input_read[1]
    return content


_standard_input_read: list[Any] = []


def _by_arrow(codec: str, file: IO[bytes]) -> Any:
    import pyarrow as pa

    stream: Any = pa.CompressedInputStream(pa.PythonFile(file, "r"), codec)
    return io.BufferedReader(stream)  # which returns as many bytes as it is asked for


_zstd = partial(_by_arrow, "zstd")


_OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zX": lzma.open,
    b"\x28\xb5\x2f\xfd": _zstd,
    b"\x50\x2a\x4d\x18": _zstd,  # a skippable frame, with which some writers begin
    b"\x04\x22\x4d\x18": partial(_by_arrow, "lz4"),
}
"""What opens a compressed file, by its first bytes."""


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Tell by its first bytes whether a file is compressed."""
    with open(path, "rb") as file:
        return file.read(4).startswith(tuple(_OPENERS))


def decompressed_limit(compressed: int) -> int:
    """Return how many bytes a file of a compressed size may have when it is decompressed."""
    chosen = os.environ.get(MAX_DECOMPRESSED)
    if chosen:
        return bytes_of(chosen, f"environment variable {MAX_DECOMPRESSED}")
    return max(_ALWAYS, _TIMES * compressed)


def too_large(compressed: int, limit: int) -> DataError:
    """Return the error about a file of a compressed size that is larger than its limit."""
    larger = f"{max(1, round(limit / 10**8))}GB"  # some ten times as much
    return DataError(
        f"The file has {compressed / 1e6:.1f} MB, and more than {limit / 1e6:.1f} MB when it is decompressed, the limit. If it is "
        f"sound, allow more: irmx --max-decompressed {larger} COMMAND ..., or the environment variable {MAX_DECOMPRESSED}={larger}."
    )


@contextlib.contextmanager
def _errors_named(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn whatever goes wrong when a file is read into an error that names it."""
    name = name_of(path)
    try:
        yield
    except DataError as error:
        raise error.at(name) from None
    except MemoryError as error:
        raise too_little_memory(f"Reading {name}", error) from error
    except FileNotFoundError:
        folder = Path(path).parent
        hint = f" There is no folder {folder}."
        if folder.is_dir():
            hint = suggest(Path(path).name, sorted(os.listdir(folder)))
        elif lost_a_slash(name):
            hint = " pathlib makes one slash of the two in an address: give it as a text."
        raise DataError(f"There is no {what} file {name!r}.{hint}") from None
    except OSError as error:
        if error.errno is not None:
            raise DataError(f"{name} cannot be read: {error.strerror}.") from None
        raise _damaged(name, error) from None
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(name, error) from None
    except ValueError as error:  # a zero byte, or half of a surrogate pair, in the name
        if isinstance(error, UsageError):
            raise
        raise DataError(f"There is no {what} file {name!r}: no file can have such a name.") from None


def _damaged(name: str, error: Exception) -> DataError:
    return DataError(f"{name} is compressed, but truncated or damaged ({error}). Download or copy it again.")


def check_text(name: str, content: bytes, lines_before: int = 0) -> None:
    """Raise if content is not text, naming the line: a zero byte ends a text, or the process, in tools written in C."""
    if content.startswith(b"PK\3\4"):
        raise DataError("This is a ZIP archive. Unpack it, or compress the file with gzip.", place=name)
    at, what = content.find(b"\0"), "a zero byte at column {}. The file is damaged, or UTF-16: save it as UTF-8."
    if at < 0 and not content.isascii():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            at = error.start
            what = f"the byte {content[at]:#04x} at column {{}} is not UTF-8. Save the file as UTF-8."
    if at >= 0:
        lines = (content[:at] + b"?").splitlines()
        raise DataError(what.format(len(lines[-1])), place=f"{name}, line {lines_before + len(lines)}")


def filled_lines(content: bytes, skip: int = 0) -> list[int]:
    """Return the numbers of the lines that are not blank, without so many at the start."""
    return [number for number, line in enumerate(content.splitlines(), start=1) if line.strip()][skip:]


def cut_off(content: bytes) -> str:
    """Return a sentence about a last line that cannot be read, if the file ends in the middle of it; else nothing."""
    if content.endswith((b"\n", b"\r")):
        return ""
    return " The file ends in the middle of this line, without an end of line: it is probably truncated. Copy it again."


# -- amounts ---------------------------------------------------------------------------------------------------------


def bytes_of(amount: str | float, what: str = "memory") -> int:
    """Return an amount of memory, such as ``"1GB"`` or a number, in bytes; 1 GB is 10^9 bytes.

    >>> bytes_of("500MB"), bytes_of("1.5G"), bytes_of(4096)
    (500000000, 1500000000, 4096)
    """
    parts = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{0,15})?)\s*([KMGT]?)B?", str(amount)[:99].strip(), re.IGNORECASE)
    size = int(float(parts[1]) * _UNITS[parts[2].upper()]) if parts else 0
    if size < _UNITS["K"]:
        shown = str(amount)[:99]
        raise UsageError(f"The {what} must be an amount such as 500MB or 1GB, at least 1KB. Got {shown!r} instead.")
    return size
