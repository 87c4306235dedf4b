"""Putting the subcommands together, and turning errors into messages and exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from typing import NoReturn

import typer

from irmx.errors import IrmxError, PluginWarning, UsageError

USAGE, DATA = 2, 1
"""Exit codes: what was asked for is wrong; the data, or a plugin, are."""

_HELP = """User-model-based evaluation measures beside those of ir_measures.

    irmx eval QRELS RUN MEASURE...     irmx demo     irmx measures
"""


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run ``irmx`` with arguments, those of the process by default, and exit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PluginWarning)
        app = build()
    for warning in caught:
        note(str(warning.message))
    try:
        app(arguments, standalone_mode=True)
    except (IrmxError, OSError) as error:
        _leave(error)
    except KeyboardInterrupt:
        print("irmx: stopped", file=sys.stderr)
        sys.exit(130)
    sys.exit(0)


def _leave(error: Exception) -> NoReturn:
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    note(str(error))
    sys.exit(USAGE if isinstance(error, UsageError) else DATA)


def note(text: str) -> None:
    """Print a line on standard error, with the program's name."""
    print(f"irmx: {text}", file=sys.stderr)


def build() -> typer.Typer:
    """Return the command with all registered subcommands."""
    from irmx.plugins import registry

    app = typer.Typer(
        name="irmx",
        help=_HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_version)
    for command in registry().commands().values():
        try:
            app.command(command.NAME)(command.load())
        except Exception as error:
            note(f"the command {command.NAME!r} is not in use: {type(error).__name__}: {error}")
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        import irmx

        print(f"irmx {irmx.__version__}")
        raise typer.Exit


def _version(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
    ),
) -> None:
    """Take the options that stand before a subcommand."""
