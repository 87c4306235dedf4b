"""The files that the arguments of a command are: paths, and quoted globs, which match on every system alike."""

from __future__ import annotations

import glob
import os

from irmx.errors import DataError, UsageError, some


def matching_files(argument: str) -> list[str]:
    """Return the files that an argument is, or that match it.

    Parameters
    ----------
    argument : str
        A path, a glob such as ``'runs/*.run'``, either with ``FORMAT:`` before it, or ``-`` for standard input.

    Returns
    -------
    list of str
        The argument itself where it is the path of a file or no glob; otherwise the files that match, in alphabetical order.

    Raises
    ------
    irmx.DataError
        Where no file matches.
    irmx.UsageError
        For a folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.run", "a.run", "qrels"):
    ...         open(os.path.join(folder, name), "w").close()
    ...     [os.path.basename(path) for path in matching_files(os.path.join(folder, "*.run"))]
    ['a.run', 'b.run']
    """
    from irmx.data.formats.detect import named

    if os.path.isdir(argument):
        raise UsageError(f"{argument} is a folder. For all files in it: '{os.path.join(argument, '*')}'.")
    if os.path.exists(argument) or not glob.has_magic(argument):
        return [argument]
    asked = named(argument)
    pattern, form = (argument, "") if asked is None else (os.fspath(asked[1]), f"{asked[0].NAME}:")
    found = sorted(path for path in glob.glob(pattern) if os.path.isfile(path))
    if not found:
        raise DataError(f"No file matches the pattern {argument!r}.")
    return [form + path for path in found]


def matching_file(argument: str) -> str:
    """Return the one file that an argument is, or that matches it.

    Parameters
    ----------
    argument : str
        As for :func:`matching_files`.

    Returns
    -------
    str
        The path.

    Raises
    ------
    irmx.DataError
        Where no file matches.
    irmx.UsageError
        Where several files match, or for a folder.

    Examples
    --------
    >>> matching_file("some.run")
    'some.run'
    """
    found = matching_files(argument)
    if len(found) > 1:
        raise UsageError(f"{argument!r} matches {len(found)} files: {some(found)}. One is expected here.")
    return found[0]


def is_file(argument: str) -> bool:
    """Tell whether an argument is a file, a glob that some file matches, or standard input; ``FORMAT:`` may stand before.

    >>> is_file("-"), is_file("no.such.file"), is_file("nDCG@10")
    (True, False, False)
    """
    from irmx.data.content import STANDARD_INPUT
    from irmx.data.formats.detect import named

    asked = named(argument)
    path = argument if asked is None else os.fspath(asked[1])
    return path == STANDARD_INPUT or os.path.exists(path) or any(glob.iglob(path))
