"""The ``irmx`` command: one file per subcommand, each registered through the hook ``irmx_commands``."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys


def main() -> None:
    """Run the command; the entry point of the script ``irmx``.

    The process exits at once, without an orderly shutdown: in rare cases a thread started by Arrow aborts the shutdown
    after all results have been printed.
    """
    from irmx.cli.app import run

    try:
        run()
    except SystemExit as stop:
        if "joblib" in sys.modules:  # it removes its temporary files at exit
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or nothing reads it
                stream.flush()
        os._exit(stop.code if isinstance(stop.code, int) else int(stop.code is not None))
