"""The ``irmx`` command as a whole: its options, and errors turned into messages and exit codes."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
import warnings
from typing import Annotated, Any, NoReturn

import typer

from irmx.cli.command_help import dashed
from irmx.cli.mistakes import ended_by_a_stranger, mistake
from irmx.cli.words import Words
from irmx.data.files import MAX_DECOMPRESSED, bytes_of
from irmx.errors import DataWarning, IrmxError, PluginError, PluginWarning, UsageError, note, too_little_memory
from irmx.plugin.checks import comes_from_ctrl_c

USAGE, DATA, STOPPED = 2, 1, 130
"""Exit codes: a wrong request; a problem of the data or of a plugin; Ctrl-C."""

_LOST = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Errors of writing; one that names no file is of standard output, as those of files name them."""

_HELP = """User-model-based evaluation measures beside those of ir_measures.

    irmx eval QRELS RUN MEASURE...     irmx demo     irmx measures
"""


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run ``irmx`` with the given arguments, by default those of the process, and exit."""
    try:
        _prepare_output()
        for kind in (DataWarning, PluginWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = _show_warning
        try:
            build()(arguments, prog_name="irmx", standalone_mode=True)
        finally:
            sys.stdout.flush()
    except SystemExit as stop:  # typer turns a broken pipe into exit code 1
        if isinstance(stop.__context__, BrokenPipeError):
            _leave(stop.__context__)
        if stop.code == STOPPED and comes_from_ctrl_c(stop):
            _stop()
        if ended_by_a_stranger(stop):
            _leave(mistake(stop), stop)
        raise
    except (IrmxError, OSError, UnicodeEncodeError) as error:
        _leave(error)
    except MemoryError as error:
        _leave(too_little_memory("This command", error).with_traceback(error.__traceback__))
    except KeyboardInterrupt:
        _stop()
    except BaseException as error:
        _leave(mistake(error), error)
    sys.exit(0)


_show_other_warning = warnings.showwarning


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning about the data or a plugin as a note, without its line in the code."""
    if issubclass(category, (DataWarning, PluginWarning)):
        note(str(message))
    else:
        _show_other_warning(message, category, *place, **more)


def _stop() -> NoReturn:
    """Exit after Ctrl-C."""
    note("stopped")
    sys.exit(STOPPED)


def _prepare_output() -> None:
    """Give a process without standard output or error one, and escape characters that the terminal's encoding lacks."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # where print(file=None) prints errors among the results
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty():
        sys.stdout.reconfigure(errors="backslashreplace")


def _leave(error: Exception, cause: BaseException | None = None) -> NoReturn:
    """Exit with the code and the message of an error; a reader that closes the pipe, such as head, is not an error.

    The traceback, where it is asked for, is that of the cause.
    """
    if comes_from_ctrl_c(cause or error):
        _stop()
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    if os.environ.get("IRMX_TRACEBACK"):
        traceback.print_exception(cause or error)
    if isinstance(error, UnicodeEncodeError):
        lacking = error.object[error.start : error.end]
        note(
            f"The encoding of the output, {error.encoding}, has no {lacking!r}. "
            "To use UTF-8, set the environment variable PYTHONIOENCODING=utf-8."
        )
    elif isinstance(error, OSError) and error.strerror:
        lost = "The output cannot be written" if error.errno in _LOST else ""
        place = error.filename or lost
        note(f"{place}: {error.strerror}" if place else error.strerror)
    else:
        note(str(error))
        if isinstance(error, PluginError) and error.__cause__ and "--traceback" not in str(error):
            note("'irmx --traceback COMMAND ...' shows the traceback.")
    sys.exit(USAGE if isinstance(error, UsageError) else DATA)


def build() -> typer.Typer:
    """Return the command; each subcommand is built when it is used."""
    app = typer.Typer(
        name="irmx",
        cls=Words,
        help=_HELP,
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": dashed},
    )
    app.callback()(_options)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        import irmx

        print(f"irmx {irmx.__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
    ),
    load: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE.py",
            help="Run a Python file of yours that defines measures with @irmx.measure. May be repeated.",
        ),
    ] = None,
    max_decompressed: Annotated[
        str | None,
        typer.Option(
            "--max-decompressed",
            metavar="SIZE",
            help="How large a compressed file may become, such as 20GB; by default 100 times its size, and 64MB in any case.",
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--traceback", help="Show the traceback of an error, for authors of measures and plugins.")
    ] = False,
) -> None:
    """Handle the options before the subcommand."""
    if whole:
        os.environ["IRMX_TRACEBACK"] = "1"  # processes that score runs inherit it, and the next one
    if max_decompressed is not None:
        bytes_of(max_decompressed, "size in --max-decompressed")
        os.environ[MAX_DECOMPRESSED] = max_decompressed
    from irmx.cli.load import load_file

    for path in load or ():
        load_file(path)
