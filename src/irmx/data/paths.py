"""Files from the arguments of a command: paths, addresses, and quoted globs, which are expanded in the same way on every system."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from irmx.data.addresses import addresses_matching, is_address, without_file_scheme
from irmx.data.files import STANDARD_INPUT
from irmx.data.formats import named_format
from irmx.data.parquet import is_parquet_folder, partitions_by_run
from irmx.declare.written_values import outside
from irmx.errors import DataError, UsageError
from irmx.text import list_some


def matching_files(argument: str) -> list[str]:
    """Return the files that an argument names or matches.

    Parameters
    ----------
    argument : str
        A path or a glob such as ``'runs/*.run'``, optionally prefixed with ``FORMAT:`` or ``FORMAT(parameter=value):``; an address such as
        ``s3://bucket/run``; or ``-`` for standard input.

    Returns
    -------
    list of str
        The argument itself if it is the path of a file, or of a folder of Parquet files, or not a glob; otherwise the files that
        match, in alphabetical order. A folder partitioned by run gives the folders of its runs.

    Raises
    ------
    irmx.DataError
        If no file matches.
    irmx.UsageError
        For another folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.run", "a.run", "qrels"):
    ...         open(os.path.join(folder, name), "w").close()
    ...     [os.path.basename(path) for path in matching_files(os.path.join(folder, "*.run"))]
    ['a.run', 'b.run']
    """
    argument = without_file_scheme(argument)
    if os.path.isdir(argument):
        if runs := partitions_by_run(Path(argument)):
            return runs
        if not is_parquet_folder(Path(argument)):
            raise UsageError(
                f"{argument} is a folder. For all files in it: '{os.path.join(argument, '*')}'. A folder is one run if all files "
                "in it are its parts in Parquet, with names that end with .parquet."
            )
    if os.path.exists(argument) or not (glob.has_magic(argument) or is_address(_path_in(argument))):
        return [argument]
    pattern, prefix = argument, ""
    if (format_and_path := named_format(argument)) is not None:
        pattern = os.fspath(format_and_path[1])
        prefix = argument[: next(outside(argument, ":"))[0] + 1]
    if is_address(pattern):
        paths = addresses_matching(pattern)
    else:
        paths = sorted(path for path in glob.glob(pattern) if os.path.isfile(path) or is_parquet_folder(Path(path)))
    if not paths:
        raise DataError(f"No file matches the pattern {argument!r}.")
    return [prefix + path for path in paths]


def matching_file(argument: str) -> str:
    """Return the one file that an argument names or matches.

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
        If no file matches.
    irmx.UsageError
        If several files match, or for a folder.

    Examples
    --------
    >>> matching_file("some.run")
    'some.run'
    """
    paths = matching_files(argument)
    if len(paths) > 1:
        raise UsageError(f"{argument!r} matches {len(paths)} files: {list_some(paths)}. One is expected here.")
    return paths[0]


def is_file(argument: str) -> bool:
    """Tell whether an argument is a file, a glob that matches a file, or standard input, with or without ``FORMAT:``."""
    path = _path_in(argument)
    return path == STANDARD_INPUT or is_address(path) or os.path.exists(path) or any(glob.iglob(path))


def _path_in(argument: str) -> str:
    """Return an argument without the name of a format."""
    named = named_format(argument)
    return os.fspath(named[1]) if named else argument
