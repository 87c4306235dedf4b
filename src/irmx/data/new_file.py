"""A new file: whole, or not at all."""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from irmx.errors import DataError

UNFINISHED = ".unfinished"
"""The end of the name that a file has until it is whole."""

_SHOWN = 40
"""So many characters of its later name are in that name, which must not be longer than systems allow."""


@contextmanager
def new_file(path: str | os.PathLike[str], advice: str = "") -> Iterator[BinaryIO]:
    r"""Give an open file in which to write, and at the end put it where it belongs, in place of a file that was there.

    What is written goes to a new file in the same folder, hidden and with a name that nobody can guess, which is flushed to
    disk and renamed once it is whole. Whoever reads meanwhile, or is at work on the same file in another process, sees the old
    file or a whole new one. If anything fails, or Ctrl-C is pressed, the old file stays and nothing else is left; if the
    process is killed, the hidden file, ``.NAME.????.unfinished``, is left beside it.

    A symbolic link stays, and the file that it leads to is replaced. A pipe or a device, such as ``/dev/stdout``, gets
    everything at the end. A file that is replaced keeps its permissions, and must be writable.

    Parameters
    ----------
    path : path
        The file.
    advice : str
        The end of the message if it cannot be written: what to do.

    Yields
    ------
    binary file
        Where to write. Do nothing else meanwhile: an ``OSError`` is taken for one of this file.

    Raises
    ------
    irmx.errors.DataError
        If it cannot be written, for instance because the disk is full. The message names the file and the reason.

    Examples
    --------
    >>> import irmx, tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "means.csv")
    >>> with irmx.new_file(path) as file:
    ...     _ = file.write(b"system,AP\n")
    >>> try:
    ...     with irmx.new_file(path) as file:
    ...         _ = file.write(b"system,")
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     print(path.read_text().strip(), [file.name for file in path.parent.iterdir()])
    system,AP ['means.csv']
    >>> folder.cleanup()
    """
    try:
        there = _stat_of(path)
        if there is None or (stat.S_ISREG(there.st_mode) and _stream_at(there) is None):
            yield from _replaced(os.path.realpath(path), there)
        else:
            content = io.BytesIO()
            yield content
            _send(content.getbuffer(), path, _stream_at(there))
    except OSError as error:
        raise cannot_be_written(path, error, advice) from None


def cannot_be_written(path: str | os.PathLike[str], error: OSError, advice: str = "") -> DataError:
    """Return the error that names a file, or a folder, that cannot be written.

    Parameters
    ----------
    path : path
        What the user asked to be written.
    error : OSError
        Why it cannot be.
    advice : str
        The end of the message.

    Examples
    --------
    >>> print(cannot_be_written("means.csv", OSError(errno.ENOSPC, "..."), "Make room there."))
    means.csv cannot be written: No space left on device. Make room there.
    """
    path = os.fspath(path)
    folder = os.path.dirname(os.path.realpath(path))
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno == errno.ENOENT and not os.path.isdir(folder):
        reason = f"there is no folder {folder}"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and os.path.isfile(path) and os.access(path, os.W_OK):
        reason = f"a new file that would replace it cannot be made in the folder {folder} ({reason})"
    return DataError(f"{path} cannot be written: {reason}.{' ' * bool(advice)}{advice}")


def _stat_of(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return what is at a path, None for nothing; raise for a folder, and for a file that may not be written."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISREG(there.st_mode):
        os.close(os.open(path, os.O_WRONLY))
    return there


def _stream_at(there: os.stat_result) -> int | None:
    """Return 1 or 2 if standard output or standard error goes there, which others write to as well; otherwise None."""
    for stream in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(there, os.fstat(stream)):
                return stream
    return None


def _replaced(target: str, there: os.stat_result | None) -> Iterator[BinaryIO]:
    """Give a new file, and put it in the place of a regular file, or where there is none."""
    folder, name = os.path.split(target)
    unfinished = os.path.join(folder, f".{name[:_SHOWN]}.{secrets.token_hex(8)}{UNFINISHED}")
    try:
        with open(unfinished, "xb") as file:  # x: never an existing file, nor what a symbolic link leads to
            if there is not None:
                _like(file.fileno(), there)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def _like(file: int, there: os.stat_result) -> None:
    """Give a file the owner, if that is allowed, and the permissions of another."""
    made = os.fstat(file)
    if hasattr(os, "fchown") and (made.st_uid, made.st_gid) != (there.st_uid, there.st_gid):
        with suppress(OSError):
            os.fchown(file, there.st_uid, there.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(file, stat.S_IMODE(there.st_mode))


def _send(content: memoryview, path: str | os.PathLike[str], stream: int | None) -> None:
    """Write to a pipe or a device, after what standard output or standard error has got so far if it is one of these."""
    if stream is not None:
        (sys.stdout if stream == 1 else sys.stderr).flush()
    with open(path if stream is None else os.dup(stream), "wb") as file:
        file.write(content)
