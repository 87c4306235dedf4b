"""Standard output diverted to standard error, for one thread and a while, so that it holds results only."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def diverted() -> Iterator[None]:
    """Divert what this thread writes, where there is a standard output; who keeps the stream may use it later as it was."""
    if sys.stdout is None or sys.stderr is None:
        yield
        return
    stream = _Diverted()
    try:
        with contextlib.redirect_stdout(stream):
            yield
    finally:
        stream.thread = None


class _Diverted(io.TextIOBase):
    """In the place of standard output: what the thread that made it writes goes to standard error, all else where it went."""

    def __init__(self) -> None:
        self._own = sys.stdout
        self.thread: int | None = threading.get_ident()

    def _stream(self) -> TextIO:
        return sys.stderr if threading.get_ident() == self.thread else self._own

    def write(self, text: str) -> int:
        return self._stream().write(text)

    def flush(self) -> None:
        self._stream().flush()

    def isatty(self) -> bool:
        return self._stream().isatty()

    def fileno(self) -> int:
        return self._stream().fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream().encoding
