"""Files: their content, also at addresses and compressed, amounts of memory, and new files, whole or not at all."""

from __future__ import annotations

import bz2
import contextlib
import errno
import glob
import gzip
import importlib.util
import io
import lzma
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO
from urllib.parse import urlsplit

from irmx.errors import DataError, UsageError, located, too_little_memory
from irmx.text import suggest

# -- files at addresses with a scheme --------------------------------------------------------------------------------


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # a letter alone is a drive of Windows
_HALF_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/(?!/)")
_OF_ARROW = ("file", "s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs")
"""The schemes that pyarrow reads, if it was built with them; fsspec is asked for others."""
_PACKAGES = {
    **dict.fromkeys(("http", "https"), "'fsspec[http]'"),
    "hf": "fsspec huggingface_hub",
    "s3": "s3fs",
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss"), "adlfs"),
    **dict.fromkeys(("sftp", "ssh"), "fsspec paramiko"),
}
"""What to install for a scheme; for others fsspec says it."""
_PATIENCE = "retry_limit_seconds=20"
"""How long Google's library tries again, 15 minutes by default."""
_WITHOUT_FOLDERS = ("http", "https")


def is_address(source: Any) -> bool:
    """Tell whether a source is a text such as ``s3://bucket/run.txt``, or an :class:`Address`."""
    return isinstance(source, (str, os.PathLike)) and _SCHEME.match(str(os.fspath(source))) is not None


def lost_a_slash(path: str) -> bool:
    """Tell whether a path was an address before pathlib made one slash of two."""
    return _HALF_SCHEME.match(path) is not None


def as_path(source: str | os.PathLike[str]) -> Path:
    """Return a path, or an address as one; ``file://`` is a path of this machine."""
    text = without_file_scheme(os.fspath(source))
    return Address(text) if is_address(text) else Path(text)


def without_file_scheme(text: str) -> str:
    """Return the path of an address such as ``file:///data/run.txt``, anything else as it is."""
    if text[:8].lower() != "file:///":
        return text
    from urllib.request import url2pathname

    return url2pathname(urlsplit(text).path)


def address_shown(address: str) -> str:
    """Return an address as it is shown, without the query and the user, which may be secrets.

    >>> address_shown("https://user:password@host/run.txt?token=1"), address_shown("abfs://container@account/run")
    ('https://host/run.txt', 'abfs://container@account/run')
    """
    scheme, _, rest = address.partition("://")
    host, slash, path = re.split("[?#]", rest, maxsplit=1)[0].partition("/")
    user, _, machine = host.rpartition("@")
    return f"{scheme}://{host if scheme.lower().startswith('abfs') and ':' not in user else machine}{slash}{path}"


class Address(type(Path())):  # type: ignore[misc]
    """An address as a path: its name and suffixes are those of the file, its text is the whole address."""

    def __new__(cls, address: str) -> Address:
        path: Address = super().__new__(cls, _path_in(address))
        path._address = address
        return path

    def __init__(self, address: str) -> None:
        if sys.version_info >= (3, 12):
            super().__init__(_path_in(address))

    def __str__(self) -> str:
        address: str = self._address
        return address

    def __reduce__(self) -> Any:
        return Address, (self._address,)

    def is_file(self, **_: Any) -> bool:
        """Return False: it is no file of this machine."""
        return False

    def is_dir(self, **_: Any) -> bool:
        """Return False: folders at addresses are not read."""
        return False


def _path_in(address: str) -> str:
    return address_shown(address).partition("://")[2]


def content_at(address: str, what: str = "file") -> bytes:
    """Return the content of a file at an address, as it is there.

    Raises
    ------
    irmx.DataError
        If the scheme is unknown, or what reads it is not installed; if there is no such file, for a folder, and if the network
        or the server fails. The message does not begin with the address.
    """
    with _errors_explained(address, what):
        system, path = _file_system(address)
        try:
            if hasattr(system, "cat_file"):
                return bytes(system.cat_file(path))
            with system.open_input_stream(path, compression=None) as file:
                return bytes(file.read())
        except Exception:
            if _scheme(address) not in _WITHOUT_FOLDERS and _is_folder(system, path):
                raise DataError(
                    "This is a folder. At an address, one file is read: name it, or copy the folder to this machine."
                ) from None
            raise


def addresses_matching(pattern: str) -> list[str]:
    """Return the addresses of the files that match a pattern such as ``s3://bucket/runs/*.run``, in alphabetical order.

    A pattern has a ``*`` in the name of the file; a question mark begins a query. What is not a pattern is returned as it is.

    Raises
    ------
    irmx.DataError
        As for :func:`content_at`.
    """
    path, mark, query = pattern.partition("?")
    folder, _, name = path.rpartition("/")
    if "*" not in name or folder.endswith(":/") or _scheme(pattern) in _WITHOUT_FOLDERS:
        return [pattern]
    from pyarrow import fs

    with located(address_shown(pattern)), _errors_explained(pattern, "matching"):
        system, path = _file_system(f"{folder}{mark}{query}")
        if not isinstance(system, fs.FileSystem):
            system = fs.PyFileSystem(fs.FSSpecHandler(system))
        files = [info.base_name for info in system.get_file_info(fs.FileSelector(path)) if info.is_file]
    return [f"{folder}/{file}{mark}{query}" for file in sorted(files) if fnmatchcase(file, name)]


@contextlib.contextmanager
def _errors_explained(address: str, what: str) -> Iterator[None]:
    """Turn whatever goes wrong at an address, in any library, into an error."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except ImportError as error:
        packages = _PACKAGES.get(_scheme(address))
        how = f"Install it: python -m pip install {packages}" if packages else str(error).rstrip(".")
        raise DataError(f"What reads {_scheme(address)}:// is not installed. {how}.") from None
    except FileNotFoundError:
        raise DataError(f"There is no such {what} file.") from None
    except Exception as error:
        reason = _without_secrets(str(error), address).strip().partition("\n")[0][:300].rstrip(".")
        raise DataError(f"It cannot be read: {reason or type(error).__name__}.") from None


def _scheme(address: str) -> str:
    return address.partition("://")[0].lower()


def _file_system(address: str) -> tuple[Any, str]:
    """Return the file system of pyarrow or fsspec for an address, and the path in it."""
    import pyarrow as pa
    from pyarrow import fs

    scheme = _scheme(address)
    address = f"{scheme}://{address.partition('://')[2]}"
    if scheme in _OF_ARROW:
        with contextlib.suppress(pa.ArrowNotImplementedError):  # built without it
            if scheme in ("gs", "gcs") and _PATIENCE.partition("=")[0] not in address:
                address += ("&" if "?" in address else "?") + _PATIENCE
            found: tuple[Any, str] = fs.FileSystem.from_uri(address)
            return found
    known, more = {*_OF_ARROW, *_PACKAGES}, " fsspec reads more: python -m pip install fsspec."
    if importlib.util.find_spec("fsspec") is not None:
        import fsspec

        known, more = known | set(fsspec.available_protocols()), ""
    if scheme not in known:
        hint = (
            suggest(scheme, known) or " Known are s3://, gs://, abfs://, https://, hf:// and other schemes of fsspec."
        )
        raise DataError(f"The scheme {scheme}:// is unknown.{hint}{more}")
    import fsspec.core

    system, path = fsspec.core.url_to_fs(address)
    return system, path


def _is_folder(system: Any, path: str) -> bool:
    with contextlib.suppress(Exception):
        if hasattr(system, "isdir"):
            return bool(system.isdir(path))
        from pyarrow import fs

        return bool(system.get_file_info(path).type == fs.FileType.Directory)
    return False


def _without_secrets(text: str, address: str) -> str:
    """Return the text of an error without the query and the user of an address."""
    user = address.partition("://")[2].partition("/")[0].rpartition("@")[0]
    text = text.replace(f"{user}@", "") if user else text
    return re.sub(r"\?[^\s'\")]+", "", text)


# -- the content of files, pipes and compressed files, and amounts of memory -----------------------------------------


STANDARD_INPUT = "-"
"""The name of standard input in place of a path; a file of that name is ``./-``."""

MAX_DECOMPRESSED = "IRMX_MAX_DECOMPRESSED"
"""The environment variable that sets how large a file may be when decompressed; processes that score runs inherit it."""

_MAX_RATIO, _MIN_LIMIT = 100, 64_000_000
"""Default limit of a decompressed file: 100 times its compressed size, at least 64 MB."""
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
    return max(_MIN_LIMIT, _MAX_RATIO * compressed)


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


# -- new files and folders: whole, or not at all ---------------------------------------------------------------------


def file_to_write(path: Path, noun: str, endings: Sequence[str] = ()) -> Path:
    """Return the path of a file that a command will write, checked before anything is computed.

    Raises
    ------
    irmx.errors.UsageError
        If it has another ending, is a folder, or its folder does not exist.
    """
    if endings and path.suffix.lower() not in endings:
        raise UsageError(f"A {noun} is written to a file that ends in {', '.join(endings)}. Got {path} instead.")
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file for the {noun}.")
    if not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent} for the {noun} {path.name}.")
    return path


_named = Counter[str]()
"""How many arguments of the command that is run name a file."""


@contextmanager
def arguments_name_files(values: Iterable[Any]) -> Iterator[None]:
    """Refuse, in a block, to write a file that two arguments of a command name, alone or after a comma, a name or a format."""
    lists = [value if isinstance(value, (list, tuple)) else [value] for value in values]
    for text in (os.fspath(one) for of in lists for one in of if is_path(one)):
        parts = {part for one in text.split(",") for part in _ends(one)}
        paths = {path for part in parts for path in (glob.iglob(part) if glob.has_magic(part) else [part])}
        _named.update({os.path.realpath(path) for path in paths if path})
    try:
        yield
    finally:
        _named.clear()


def _ends(text: str) -> Iterator[str]:
    """Yield a text, and what follows each of its equals signs and colons."""
    yield text
    for place, letter in enumerate(text):
        if letter in "=:":
            yield text[place + 1 :]


@contextmanager
def new_file(path: str | os.PathLike[str], advice: str = "") -> Iterator[BinaryIO]:
    r"""Give an open file in which to write, and at the end put it where it belongs, in place of a file that was there.

    What is written goes to a hidden file in the same folder, which is renamed once it is whole: if anything fails, the old file
    stays and nothing else is left. The target of a symbolic link is replaced, if it is writable, and keeps its permissions. A
    pipe or a device, such as ``/dev/stdout``, gets everything at the end.

    Parameters
    ----------
    path : path
        The file.
    advice : str
        The end of the message if it cannot be written: what to do.

    Yields
    ------
    binary file
        Where to write. An ``OSError`` raised at the same time is taken for one of this file.

    Raises
    ------
    irmx.errors.DataError
        If it cannot be written; the message names the file and the reason.
    irmx.errors.UsageError
        If another argument of the command that is run names the same file, which would be lost.

    Examples
    --------
    >>> import irmx, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with irmx.toolkit.new_file(Path(folder, "means.csv")) as file:
    ...         _ = file.write(b"system,AP")
    ...     Path(folder, "means.csv").read_text()
    'system,AP'
    """
    if _named[os.path.realpath(path)] > 1:
        raise UsageError(
            f"{os.fspath(path)} is also named by another argument, and one would replace the other. Write to another file."
        )
    try:
        old = _stat_of(path)
        stream = None if old is None else _stream_at(old)
        if old is None or (stat.S_ISREG(old.st_mode) and stream is None):
            yield from _replaced(os.path.realpath(path), old)
            return
        content = io.BytesIO()
        yield content
        if stream is not None:  # after what the stream has got so far
            (sys.stdout if stream == 1 else sys.stderr).flush()
        with open(path if stream is None else os.dup(stream), "wb") as file:
            file.write(content.getbuffer())
    except OSError as error:
        raise cannot_be_written(path, error, advice) from None


def cannot_be_written(path: str | os.PathLike[str], error: OSError, advice: str = "") -> DataError:
    """Return the error that names a file, or a folder, that cannot be written, with advice at its end."""
    folder = os.path.dirname(os.path.realpath(path))
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno == errno.ENOENT and not os.path.isdir(folder):
        reason = f"there is no folder {folder}"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and os.path.isfile(path) and os.access(path, os.W_OK):
        reason = f"a new file that would replace it cannot be made in the folder {folder} ({reason})"
    return DataError(f"{os.fspath(path)} cannot be written: {reason}.{' ' if advice else ''}{advice}")


def _stat_of(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return what is at a path, None for nothing; raise for a folder, and for a file that may not be written."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISREG(old.st_mode):
        os.close(os.open(path, os.O_WRONLY))
    return old


def _stream_at(old: os.stat_result) -> int | None:
    """Return 1 or 2 if standard output or standard error goes there, which others write to as well; otherwise None."""
    for stream in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(old, os.fstat(stream)):
                return stream
    return None


def _replaced(target: str, old: os.stat_result | None) -> Iterator[BinaryIO]:
    """Give a new file, and put it in the place of a regular file, or where there is none."""
    import secrets

    folder, name = os.path.split(target)
    unfinished = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}.unfinished")
    try:
        with open(unfinished, "xb") as file:  # x: never an existing file, nor what a symbolic link leads to
            if old is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


@contextmanager
def new_folder(target: Path, advice: str = "Choose another name.") -> Iterator[Path]:
    """Give a folder in which to write files, and at the end put it where it belongs, with the folders above it."""
    if os.path.lexists(target):
        raise UsageError(f"{target} already exists, and nothing is overwritten. {advice}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            made = unfinished / target.name
            made.mkdir()
            yield made
            made.rename(target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise cannot_be_written(target, error) from None
