"""A new folder of files: all of them, or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from irmx.data.new_file import cannot_be_written
from irmx.errors import UsageError


@contextmanager
def new_folder(target: Path, advice: str = "Choose another name.") -> Iterator[Path]:
    """Give the folder in which to write files, and at the end put it where it belongs.

    Parameters
    ----------
    target : Path
        The folder to create. The folders above it are created, too.
    advice : str
        The end of the message for one that is there already.

    Raises
    ------
    irmx.errors.UsageError
        If it already exists; nothing is overwritten.
    irmx.errors.DataError
        If it cannot be written; no partial files are left.
    """
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
