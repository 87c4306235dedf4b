"""The ``irmx`` command as a whole: its options, and errors turned into messages and exit codes."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import sys
import traceback
import warnings
from typing import Annotated, Any, NoReturn

import click

from irmx.cli.click_command import Option, click_command
from irmx.cli.commands import CommandGroup
from irmx.cli.load import LOADED, load_file
from irmx.data.files import MAX_DECOMPRESSED, bytes_of
from irmx.declare.columns import CALLED_OTHERWISE, column_named
from irmx.errors import DataWarning, IrmxError, PluginError, PluginWarning, UsageError, text_of, too_little_memory
from irmx.registry import entry_points, folder_of
from irmx.text import note

USAGE, DATA, STOPPED = 2, 1, 130

EXIT_CODES: tuple[tuple[tuple[type[BaseException], ...], int], ...] = (
    ((KeyboardInterrupt, click.Abort), STOPPED),
    ((UsageError, click.UsageError), USAGE),
    ((BaseException,), DATA),
)
"""The exit code of an error: that of the first line that fits."""

_LOST = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Errors of writing; one that names no file is of standard output, as those of files name them."""

_HOW = "'irmx --traceback COMMAND ...' shows the traceback."

_HELP = "Score runs with AP, nDCG and measures that model the user, and compare systems."


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run ``irmx`` with the given arguments, by default those of the process, and exit."""
    stdout, code = None, 0
    try:
        _prepare_output()
        stdout = sys.stdout
        for kind in (DataWarning, PluginWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = _show_warning
        code = _run(sys.argv[1:] if arguments is None else arguments)
        stdout.flush()
    except BaseException as error:
        _leave(error, stdout, code)
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """Run a command, or complete a word for the shell, and return the exit code."""
    command = build()
    if instruction := os.environ.get("_IRMX_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, "irmx", "_IRMX_COMPLETE", instruction)
    try:
        with command.make_context("irmx", list(arguments)) as context:
            command.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def _leave(error: BaseException, stdout: Any, ended: int) -> NoReturn:
    """Exit with the message and the code of an error; with the code of the command where nobody reads the rest of its output."""
    stopped = error
    while not isinstance(stopped, (KeyboardInterrupt, click.Abort)) and (stopped.__cause__ or stopped.__context__):
        stopped = stopped.__cause__ or stopped.__context__  # type: ignore[assignment]
    if isinstance(
        stopped, (KeyboardInterrupt, click.Abort)
    ):  # which a plugin or a library put another error in the place of
        error = KeyboardInterrupt()
    has_enough = isinstance(error, BrokenPipeError)  # whatever reads the output, such as head
    code = ended if has_enough else next(code for kinds, code in EXIT_CODES if isinstance(error, kinds))
    if code == STOPPED:
        note("stopped")
    elif has_enough:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        if os.environ.get("IRMX_TRACEBACK"):
            traceback.print_exception(error)
        note(_message(error, stdout))
        if isinstance(error, PluginError) and error.__cause__ and "--traceback" not in str(error):
            note(_HOW)
    sys.exit(code)


def _message(error: BaseException, stdout: Any) -> str:
    """Return what to say of an error."""
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        return f"{error.format_message()} '{context.command_path if context else 'irmx'} --help' shows what it takes."
    if isinstance(error, UnicodeEncodeError):
        lacking = error.object[error.start : error.end]
        return (
            f"The encoding of the output, {error.encoding}, has no {lacking!r}. "
            "To use UTF-8, set the environment variable PYTHONIOENCODING=utf-8."
        )
    if isinstance(error, OSError) and error.strerror:
        place = error.filename or ("The output cannot be written" if error.errno in _LOST else "")
        return f"{place}: {error.strerror}" if place else error.strerror
    if isinstance(error, MemoryError) and not isinstance(error, IrmxError):
        return str(too_little_memory("This command", error))
    return str(error) if isinstance(error, IrmxError) else _mistake(error, stdout)


def _mistake(error: BaseException, stdout: Any) -> str:
    """Return whose mistake an error is that nobody expected: that of a plugin, of a user's file, or of irmx itself."""
    names = {
        point.value.partition(".")[0].partition(":")[0]: f"plugin {point.name} ({folder_of(point.dist)[0]})"
        for point in entry_points()[0]
    }
    names |= {module: f"file {path}" for module, path in LOADED.items()}
    author = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in names:
            author = (
                f"The {names[package]} failed with {text_of(error)} ({frame.f_code.co_filename}, line {line}). {_HOW}"
            )
    if author:
        return author
    if stdout is not sys.stdout or getattr(stdout, "closed", False):
        return f"A plugin closed standard output, or put something else in its place: {text_of(error)}."
    if isinstance(error, SystemExit):
        return f"Something ended irmx before its time, with {text_of(error)}. {_HOW}"
    return f"This is a mistake in irmx, not one of yours: {text_of(error)}. Please report it; {_HOW}"


_show_other_warning = warnings.showwarning


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning about the data or a plugin as a note, without its line in the code."""
    if issubclass(category, (DataWarning, PluginWarning)):
        note(str(message))
    else:
        _show_other_warning(message, category, *place, **more)


def _prepare_output() -> None:
    """Give a process without standard output or error one, and escape characters that the terminal's encoding lacks."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # where print(file=None) prints errors among the results
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="backslashreplace")
    with contextlib.suppress(OSError, AttributeError):  # no file of the system; Windows has no such pipes
        is_raw, number = isinstance(sys.stdout.buffer, io.RawIOBase), sys.stdout.fileno()
        if sys.stdout is sys.__stdout__ and (is_raw or not os.get_blocking(number)):
            sys.stdout = io.TextIOWrapper(
                io.BufferedWriter(_WaitingFile(number, "wb", closefd=False)),
                encoding=sys.stdout.encoding,
                errors=sys.stdout.errors,
                line_buffering=is_raw or sys.stdout.line_buffering,
            )


class _WaitingFile(io.FileIO):
    """A file that waits where a pipe takes nothing now.

    With a buffer around it, all is written or an error is raised. PYTHONUNBUFFERED takes that buffer away, so that the rest of what a
    full disk takes in part is lost without a word.
    """

    def write(self, data: Any, /) -> int:
        written: int | None = super().write(data)
        while written is None:
            select.select([], [self], [])
            written = super().write(data)
        return written


def build() -> click.Group:
    """Return the command; each subcommand is built when it is used."""
    options = click_command("irmx", _options)
    return CommandGroup(
        help=_HELP,
        callback=_options,
        params=options.params,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "token_normalize_func": lambda name: name.replace("_", "-"),  # ir_measures writes --by_query
            "max_content_width": 100,
        },
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        import irmx

        print(f"irmx {irmx.__version__}")
        raise click.exceptions.Exit


def _show_completion(shell: str) -> None:
    from click.shell_completion import get_completion_class

    program = get_completion_class(shell)
    if program is None:
        raise UsageError(f"There is no completion for {shell!r}. Known: bash, fish, zsh.")
    print(program(build(), {}, "irmx", "_IRMX_COMPLETE").source())
    raise click.exceptions.Exit


def _set(variable: str, value: str) -> None:
    """Set an environment variable until the command ends, also for the processes that read files for it."""
    before = os.environ.get(variable)
    os.environ[variable] = value
    click.get_current_context().call_on_close(lambda: _restore(variable, before))


def _restore(variable: str, before: str | None) -> None:
    """Give an environment variable the value that it had."""
    if before is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = before


def _options(
    version: Annotated[
        bool, Option("--version", eager=True, check=_show_version, help="Show the version and exit.")
    ] = False,
    load: Annotated[
        list[str] | None,
        Option(
            "--load",
            metavar="FILE.py",
            help="Run a Python file that defines measures.",
        ),
    ] = None,
    max_decompressed: Annotated[
        str | None,
        Option(
            "--max-decompressed",
            metavar="SIZE",
            help="Limit for decompressed files, such as 20GB.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        Option(
            "--column",
            metavar="COLUMN=NAME",
            help="What files call a column, such as grade=gain; also id, topic, score.",
        ),
    ] = None,
    whole: Annotated[bool, Option("--traceback", help="Show the traceback of an error.")] = False,
    completion: Annotated[
        str | None,
        Option(
            "--completion",
            metavar="SHELL",
            eager=True,
            check=_show_completion,
            complete=lambda: ["bash", "fish", "zsh"],
            help="Print the completion for bash, fish or zsh.",
        ),
    ] = None,
) -> None:
    """Handle the options before the subcommand."""
    if whole:
        os.environ["IRMX_TRACEBACK"] = "1"  # processes that score runs inherit it, and the next one
    if max_decompressed is not None:
        bytes_of(max_decompressed, "size in --max-decompressed")
        _set(MAX_DECOMPRESSED, max_decompressed)
    for path in load or ():
        load_file(path)
    for text in column or ():
        column_named(text)
    if column:
        _set(CALLED_OTHERWISE, "\n".join(column))
