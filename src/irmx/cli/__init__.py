"""The ``irmx`` command: one file per subcommand, each registered through the hook ``irmx_commands``."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys


def main() -> None:
    """Run the command; the entry point of the script ``irmx``.

    The process leaves at once, without an orderly exit: a thread that Arrow has started can abort that, very rarely,
    when all results are already printed.
    """
    from irmx.cli.app import run

    try:
        run()
    except SystemExit as stop:
        if "joblib" in sys.modules:  # it has temporary files to account for
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or without a reader
                stream.flush()
        os._exit(stop.code if isinstance(stop.code, int) else int(stop.code is not None))
