"""The ``irmx`` command: one file per subcommand, each registered through the hook ``irmx_commands``."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys

import irmx_command


def main() -> None:
    """Run the command, and leave the process.

    The process exits at once, without an orderly shutdown: in rare cases a thread started by Arrow aborts the shutdown
    after all results have been printed. Ctrl-C before and after the command ends it on the spot.
    """
    irmx_command.stop_at_once()
    from irmx.cli.app import STOPPED, run
    from irmx.errors import note

    try:
        try:
            irmx_command.stop_cleanly()
            run()
        except SystemExit as stop:
            irmx_command.stop_at_once()
            _leave(stop.code if isinstance(stop.code, int) else int(stop.code is not None))
    except KeyboardInterrupt:  # while the command was being left
        irmx_command.stop_at_once()
        note("stopped")
        _leave(STOPPED)


def _leave(code: int) -> None:
    """Exit, with the results written and the temporary files of joblib removed."""
    if "joblib" in sys.modules:  # it removes its temporary files at exit
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or nothing reads it
            stream.flush()
    os._exit(code)
