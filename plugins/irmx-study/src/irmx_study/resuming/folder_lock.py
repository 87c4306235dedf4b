"""A folder in which one process is at work at a time."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataError

if TYPE_CHECKING:
    import filelock

PROCESS = "process.txt"
"""The file, in the folder, with the name of the process that is at work there."""


def this_process() -> str:
    """Return the name of this process, for a message to another one."""
    return f"process {os.getpid()} on {socket.gethostname()}"


class FolderLock:
    """A lock on a folder, which need not be there yet.

    It is one of the operating system on the file ``NAME.lock`` beside it, and ends with the process that holds it, however that
    ends; the file may stay.

    Parameters
    ----------
    folder : Path
        The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder.with_suffix(".lock")
        self._lock: filelock.BaseFileLock | None = None

    def acquire(self) -> None:
        """Keep other processes out, or raise if one is at work."""
        import filelock

        lock = filelock.FileLock(self._path)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            self._refuse_unless_writable()
            raise DataError(
                f"Another process is at work on {self.folder}{self._other_process()}. Wait until it is done, or choose "
                f"another --out. If it has ended, for instance with its host, remove {self._path}."
            ) from None
        except OSError as error:
            raise cannot_be_made(self.folder, error) from None
        self._lock = lock

    def _refuse_unless_writable(self) -> None:
        """Raise where no lock can be made, which filelock does not tell from one that another process holds."""
        try:
            self._path.open("a").close()
        except OSError as error:
            raise cannot_be_made(self.folder, error) from None

    def _other_process(self) -> str:
        """Return the process that holds the lock, empty if it has not written its name yet."""
        try:
            return ": " + (self.folder / PROCESS).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def release(self) -> None:
        """Let other processes in."""
        if self._lock is None:
            return
        for path in (self.folder / PROCESS, self._path):
            with contextlib.suppress(OSError):  # it is gone already; or it is open, and stays on Windows
                path.unlink()
        self._lock.release()
        self._lock = None


def cannot_be_made(folder: Path, error: OSError) -> DataError:
    """Return the error of a folder that cannot be made, or cannot be locked."""
    return DataError(f"The folder {folder} cannot be created: {error.strerror}. Choose another --out.")
