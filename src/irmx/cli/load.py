"""``irmx --load FILE.py``: measures that a user defines in a file."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from importlib.util import find_spec

from irmx.errors import IrmxError, PluginError, UsageError


def load_file(path: str) -> None:
    """Run a Python file as a module of the name of the file; its folder is on the path, as for a script.

    Raises
    ------
    irmx.errors.UsageError
        Where there is no such file, or a module of that name already.
    irmx.errors.PluginError
        Where the file fails; says the line.
    """
    file = os.path.realpath(path)
    folder, name = os.path.split(os.path.splitext(file)[0])
    if not os.path.isfile(file) or not path.endswith(".py"):
        raise UsageError(
            f"--load takes a Python file. {'There is no file' if not os.path.isfile(file) else 'Got'} {path}."
        )
    if not name.isidentifier():
        raise UsageError(f"--load makes a module of the file, and {name!r} cannot be the name of one. Rename {path}.")
    sys.path.insert(0, folder)
    there = _place_of(name)
    if there != file:
        raise UsageError(f"--load makes a module of the file, and there is a module {name!r} already. Rename {path}.")
    try:
        import_module(name)
    except IrmxError as error:
        raise type(error)(f"{path}, line {_line(error, file)}: {error}") from error
    except Exception as error:
        raise PluginError(f"{path}, line {_line(error, file)}: {type(error).__name__}: {error}") from error


def _place_of(name: str) -> str:
    """Return the file that a module is, or would be, loaded from."""
    loaded = sys.modules.get(name)
    spec = find_spec(name) if loaded is None else loaded.__spec__
    return os.path.realpath(spec.origin) if spec is not None and spec.origin else ""


def _line(error: Exception, file: str) -> int:
    """Return the last line of a file that an error came through."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return error.lineno
    return [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file][-1]
