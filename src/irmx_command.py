"""The script ``irmx``: it handles Ctrl-C, then imports irmx, so that Ctrl-C ends it without a traceback during imports, too.

It imports next to nothing itself, because nothing can be seen to before that.
"""

from __future__ import annotations

import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_TWICE = 1.0
"""The time, in seconds, in which a second Ctrl-C means no more than the first, which is being obeyed."""
_obeyed_since = 0.0


def main() -> None:
    """Run the command."""
    stop_at_once()
    open_streams()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start one per core: .1 s of CPU time
    from irmx.cli import main as irmx

    irmx()


def open_streams() -> None:
    """Take the numbers of standard streams that are closed, lest a file that is opened get one, and the messages with it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the lowest free number


def stop_at_once() -> None:
    """Have Ctrl-C end the process on the spot, which it may where there is nothing to clean up."""
    _on_ctrl_c(_leave)


def stop_cleanly() -> None:
    """Have Ctrl-C raise ``KeyboardInterrupt``; where that leads nowhere for a while, the next one ends the process."""
    _on_ctrl_c(_interrupt)


def _on_ctrl_c(handler: Any) -> None:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as it is in the background
        signal.signal(signal.SIGINT, handler)


def _leave(number: int, frame: Any) -> NoReturn:
    os.write(2, b"irmx: stopped\n")
    os._exit(130)


def _interrupt(number: int, frame: Any) -> None:
    global _obeyed_since
    now = time.monotonic()
    if not _obeyed_since:
        _obeyed_since = now
        raise KeyboardInterrupt
    if now - _obeyed_since > _TWICE:
        _leave(number, frame)
