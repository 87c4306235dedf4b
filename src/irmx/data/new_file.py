"""New files and folders: whole, or not at all."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from irmx.errors import DataError, UsageError


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
