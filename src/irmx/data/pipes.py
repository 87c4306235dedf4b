"""Pipes, standard input among them: their content can be read once."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from pathlib import Path

from irmx.errors import DataError, UsageError

STANDARD_INPUT = "-"
"""The name of standard input in place of a path; a file of that name is ``./-``."""
_WAIT_SECONDS = 5
"""How long a pipe that was read before may be without a program that writes to it."""
_POLL_SECONDS = 0.05


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is neither a file nor a folder, so that its content can be read once: a pipe, or ``-``."""
    if os.fspath(path) == STANDARD_INPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


class Pipes:
    """The pipes that this process has read, and what is kept of them."""

    def __init__(self) -> None:
        self._read_as: dict[tuple[int, int], str] = {}
        self._begun: dict[tuple[int, int], bytes] = {}
        self._standard_input = b""
        self._standard_input_is = ""
        self._kept = threading.local()

    def content(self, path: str | os.PathLike[str], what: str, again: bool) -> bytes:
        """Return the whole content of a pipe.

        Parameters
        ----------
        path : str or Path
            The pipe.
        what : str
            What it holds, such as ``run``.
        again : bool
            Whether the next call is to return the same, because only the start is needed now.

        Raises
        ------
        irmx.UsageError
            If it was read before, and nothing more comes.
        irmx.DataError
            If it is a device without an end.
        """
        if os.fspath(path) == STANDARD_INPUT:
            return self._of_standard_input(what)
        state = os.stat(path)
        if not stat.S_ISFIFO(state.st_mode):
            return _of_device(path)
        key = (state.st_dev, state.st_ino)
        content = self._begun.pop(key, None)
        if content is None:
            read_as = self._read_as.get(key)
            content = Path(path).read_bytes() if read_as is None else _read_again(path, read_as, what)
            self._read_as[key] = what
        if again:
            self._begun[key] = content
        return content

    def _of_standard_input(self, what: str) -> bytes:
        """Return the whole content of standard input; it can be read for one purpose only."""
        if not self._standard_input_is:
            if sys.stdin is None:
                raise DataError("This process has no standard input.")
            self._standard_input_is, self._standard_input = what, sys.stdin.buffer.read()
        if self._standard_input_is != what:
            raise UsageError(
                f"Standard input is already read as the {self._standard_input_is}, and can be read once. "
                f"Give the {what} as a file."
            )
        return self._standard_input

    def keep(self, path: str | os.PathLike[str], content: bytes) -> None:
        """Keep the decompressed content that was just read from a pipe, until that of another one is kept in this thread."""
        self._kept.path, self._kept.content = os.fspath(path), content

    def kept(self, path: str | os.PathLike[str]) -> bytes | None:
        """Return the content of a pipe if it was just read, and keep it no longer; None if it is not kept."""
        if getattr(self._kept, "path", None) != os.fspath(path):
            return None
        self._kept.path = None
        content: bytes = self._kept.content
        del self._kept.content
        return content


pipes = Pipes()


def _of_device(path: str | os.PathLike[str]) -> bytes:
    """Return what a terminal or the empty device gives; other devices may have no end."""
    with open(path, "rb") as file:
        is_empty = os.path.exists(os.devnull) and os.path.samestat(os.fstat(file.fileno()), os.stat(os.devnull))
        if not (is_empty or file.isatty()):
            raise DataError("This is a device, not a file or a pipe.")
        return file.read()


def _read_again(path: str | os.PathLike[str], read_as: str, what: str) -> bytes:
    """Return what a program writes to a pipe that was read before; the ordinary way to open it would wait for one for ever."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        end = time.monotonic() + _WAIT_SECONDS
        first = pipe.read(1)
        while first == b"":  # nobody has opened it for writing
            if time.monotonic() > end:
                raise UsageError(
                    f"This pipe was already read, as the {read_as}; a pipe can be read once, and nothing has been written to it "
                    f"since. Give the {what} as a file."
                )
            time.sleep(_POLL_SECONDS)
            first = pipe.read(1)
        os.set_blocking(pipe.fileno(), True)
        return (first or b"") + pipe.readall()
