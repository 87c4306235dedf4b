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
    from irmx.cli.app import DATA, STOPPED, run
    from irmx.text import note

    try:
        try:
            irmx_command.stop_cleanly()
            run()
        except SystemExit as stop:
            irmx_command.stop_at_once()
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
            if "joblib" in sys.modules:  # it removes its temporary files at exit
                atexit._run_exitfuncs()
            lost = _close_output()
            if lost and code == 0:
                note(f"The output cannot be written: {lost}")
                code = DATA
            _leave(code)
    except KeyboardInterrupt:  # while the command was being left
        irmx_command.stop_at_once()
        note("stopped")
        _leave(STOPPED)


def _close_output() -> str:
    """Write what standard output still holds, and return why it cannot be written; some file systems tell it only now."""
    try:
        sys.stdout.close()
    except (BrokenPipeError, ValueError, AttributeError):  # nothing reads it, or it is closed
        pass
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _leave(code: int) -> None:
    """Exit, with what was said on standard error."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    os._exit(code)
