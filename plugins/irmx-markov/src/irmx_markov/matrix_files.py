"""Transition matrices in files, which may be damaged, of another kind, or too large."""

from __future__ import annotations

import io
import lzma
import os
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from irmx import DataError, UsageError
from irmx.ragged import Floats
from irmx.toolkit import content_of, plural
from irmx_markov.finite_chains import check_shape

DELIMITERS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = ".npy, .npz, .csv or .tsv"

_SHOWN = 50
"""How many characters of a field a message repeats."""

_MOST_BYTES = 1 << 31
"""How many bytes the arrays of a sparse matrix may have once they are decompressed."""

_NOT_NUMPY = (
    ValueError,
    TypeError,
    OSError,
    EOFError,
    SyntaxError,
    tokenize.TokenError,
    ArithmeticError,
    RecursionError,
)
"""What numpy raises for a .npy file that is damaged or of another kind: its header is a line of Python."""

_NOT_SCIPY = (
    *_NOT_NUMPY,
    LookupError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
)


def load_matrix(path: Path) -> Any:
    """Read a matrix from a file, without unpickling anything.

    Parameters
    ----------
    path : Path
        A .npy, .npz (scipy.sparse), .csv or .tsv file.

    Returns
    -------
    array or scipy.sparse array
        The matrix. Its shape and size are sound, its values are not checked.

    Raises
    ------
    irmx.DataError
        If the file cannot be read as a matrix of numbers; a text file is named with the line.
    irmx.UsageError
        If the matrix is too large, or the name ends otherwise.
    """
    load = _LOADERS.get(path.suffix)
    if load is None:
        raise UsageError(f"A transition matrix is read from {SUFFIXES}. Got {os.fspath(path)!r} instead.")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file with a transition matrix.")
    if not path.is_file():
        raise DataError(f"There is no file {os.fspath(path)!r} with a transition matrix.")
    if not path.stat().st_size:
        raise DataError(f"{path} does not hold a transition matrix: it is empty.")
    try:
        return load(path)
    except PermissionError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    except MemoryError:
        raise DataError(f"There is not enough memory for the transition matrix in {path}.") from None


def _npy(path: Path) -> Any:
    """Return the array in a .npy file, whose header is compared with the size of the file before it is read."""
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = np.lib.format.open_memmap(path, mode="r")
    except _NOT_NUMPY as error:
        if "Python objects" in str(error):
            raise DataError(
                f"{path} does not hold a transition matrix: it holds Python objects, which are not read, because they can run "
                "code. Save an array of numbers."
            ) from None
        raise _not_a_matrix(path, ".npy", "numpy.save") from None
    if values.dtype.kind not in "biufc":
        raise DataError(f"{path} does not hold a transition matrix: its values are not numbers, but {values.dtype}.")
    check_shape(values, _name(path))
    return np.array(values)


def _npz(path: Path) -> Any:
    """Return the sparse array in a .npz file, whose size is known before it is decompressed."""
    from scipy.sparse import load_npz

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except _NOT_SCIPY:
        raise _not_a_matrix(path, ".npz", "scipy.sparse.save_npz") from None
    if size > _MOST_BYTES:
        raise UsageError(
            f"{_name(path)} has {size:,} bytes once it is decompressed; {_MOST_BYTES:,} are the most. Use fewer ranks."
        )
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matrix = load_npz(path)
            if hasattr(matrix, "check_format"):
                matrix.check_format(full_check=True)  # an index outside the matrix would be read from other memory
    except _NOT_SCIPY:
        raise _not_a_matrix(path, ".npz", "scipy.sparse.save_npz") from None
    if matrix.dtype.kind not in "biufc":
        raise DataError(f"{path} does not hold a transition matrix: its values are not numbers, but {matrix.dtype}.")
    return matrix


def _text(path: Path) -> Floats:
    """Return the numbers in a delimited file without a header."""
    delimiter = DELIMITERS[path.suffix]
    try:
        text = content_of(path, "transition matrix").decode()
    except UnicodeDecodeError:
        raise DataError(f"{path} does not hold a transition matrix: it is not text in UTF-8.") from None
    if not text.strip():
        raise DataError(f"{path} does not hold a transition matrix: it is empty.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a file of comments alone; its shape tells
            values: Floats = np.loadtxt(io.StringIO(text), delimiter=delimiter, ndmin=2)
    except ValueError:
        raise DataError(f"{path} does not hold a transition matrix: {_fault(text, delimiter)}") from None
    return values


def _fault(text: str, delimiter: str) -> str:
    """Return what is wrong with the first line that does not have as many numbers as the lines before."""
    width = 0
    for number, line in enumerate(io.StringIO(text), start=1):
        fields = line.partition("#")[0].strip().split(delimiter)
        if fields == [""]:
            continue
        width = width or len(fields)
        if len(fields) != width:
            return f"line {number} has {plural(len(fields), 'field')}, the lines before have {width}."
        for field in fields:
            try:
                float(field)
            except ValueError:
                shown = field if len(field) <= _SHOWN else f"{field[:_SHOWN]}..."
                return f"{shown!r} in line {number} is not a number."
    return "its lines are not numbers."


def _not_a_matrix(path: Path, suffix: str, how: str) -> DataError:
    return DataError(
        f"{path} does not hold a transition matrix: it is not a {suffix} file, or truncated or damaged. Write it again, with "
        f"'irmx markov learn-chain' or {how}."
    )


def _name(path: Path) -> str:
    """Return the name of the matrix in a file, for messages."""
    return f"The transition matrix in {path}"


_LOADERS: dict[str, Callable[[Path], Any]] = {".npy": _npy, ".npz": _npz, ".csv": _text, ".tsv": _text}
