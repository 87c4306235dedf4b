"""``irmx --load FILE.py``: measures that a user defines in a file."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec

from irmx.errors import IrmxError, PluginError, UsageError, text_of

LOADED: dict[str, str] = {}
"""The files that were loaded, by the names of their modules."""


def load_file(path: str) -> None:
    """Import a Python file as a module named after it; its folder is put on the path, as for a script."""
    file = os.path.realpath(path)
    folder, name = os.path.split(os.path.splitext(file)[0])
    if not os.path.isfile(file) or not path.endswith(".py"):
        raise UsageError(
            f"--load takes a Python file. {'There is no file' if not os.path.isfile(file) else 'Got'} {path}."
        )
    if not name.isidentifier():
        raise UsageError(
            f"--load imports the file as a module, and {name!r} is not a valid module name. Rename {path}."
        )
    sys.path.insert(0, folder)
    if _origin_of(name) != file:
        raise UsageError(f"--load imports the file as a module, and there is already a module {name!r}. Rename {path}.")
    LOADED[name] = path
    try:
        with redirect_stdout(sys.stderr):
            import_module(name)
    except IrmxError as error:
        raise type(error)(f"{path}, line {_line(error, file)}: {error}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit among them, which would end irmx without a word
        raise PluginError(f"{path}, line {_line(error, file)}: {text_of(error)}") from error


def _origin_of(name: str) -> str:
    """Return the file that a module was, or would be, loaded from."""
    loaded = sys.modules.get(name)
    spec = find_spec(name) if loaded is None else loaded.__spec__
    return os.path.realpath(spec.origin) if spec is not None and spec.origin else ""


def _line(error: BaseException, file: str) -> int:
    """Return the innermost line of a file in an error's traceback."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return error.lineno
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else 1
