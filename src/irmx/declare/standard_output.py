"""What plugins print while they are loaded or read a file goes to standard error: standard output holds results only."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any


@contextlib.contextmanager
def to_standard_error() -> Iterator[None]:
    """Send to standard error what Python, a library in C or another process writes to standard output.

    The descriptor is that of the whole process, so the output of other threads takes the same way.
    """
    with contextlib.redirect_stdout(sys.stderr), _descriptor_moved():
        yield


@contextlib.contextmanager
def _descriptor_moved() -> Iterator[None]:
    """Have the descriptor of standard output lead to standard error, if there are both."""
    try:
        if sys.__stdout__ is None or sys.__stdout__.fileno() != 1:  # then the number may be that of any file
            raise OSError
        kept = os.dup(1)
    except (OSError, ValueError):
        yield
        return
    try:
        _flush()
        with contextlib.suppress(OSError):  # without standard error
            os.dup2(2, 1)
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)


def _flush() -> None:
    """Write out what Python and the library of C hold back, so that it goes where it was meant to."""
    with contextlib.suppress(OSError, ValueError):  # nobody reads it any more, or it is closed
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
    if os.name == "posix":
        _library_of_c().fflush(None)


@cache
def _library_of_c() -> Any:
    import ctypes

    return ctypes.CDLL(None)
