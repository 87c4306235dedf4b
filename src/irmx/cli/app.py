"""The ``irmx`` command: its options, its commands, and how it ends."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import io
import os
import select
import sys
import traceback
import warnings
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn

import click
from click.shell_completion import CompletionItem

from irmx.cli.click_command import Option, click_command
from irmx.data.files import MAX_DECOMPRESSED, bytes_of
from irmx.declare.columns import CALLED_OTHERWISE, SECTIONS, Command, column_named
from irmx.errors import (
    DataWarning,
    IrmxError,
    PluginError,
    PluginWarning,
    UsageError,
    text_of,
    too_little_memory,
)
from irmx.hookspecs import hookimpl
from irmx.parallel import prints_on_stderr
from irmx.registry import entry_points, folder_of, registry
from irmx.text import closest, note, visible, visible_lines

# -- the commands of irmx itself -------------------------------------------------------------------------------------


COMMANDS = [
    Command(name, f"irmx.cli.{function}", "", about, tuple(f"irmx {name}{one}" for one in examples), section, tuple(synonyms))
    for name, function, section, about, examples, *synonyms in (
        ("eval", "eval:evaluate", "score", "Score one or several runs.",
         (" qrels.txt run.txt AP nDCG@10", " qrels.txt 'runs/*.run' AP nDCG@10 -o table"), "score", "evaluate", "trec_eval"),
        ("explain", "eval:explain", "score", "Break a topic's score down by document.",
         (" qrels.txt run.txt nDCG@10 --topic 1",)),
        ("plot", "eval:plot_user", "score", "Draw the user of a measure on one topic.",
         (" qrels.txt run.txt 'MP(model=GL_AD_ID)' --topic 1 -o user.pdf",
          " qrels.txt 'runs/*.run' nDCG@10 --topic 1 -o contributions.svg")),
        ("demo", "eval:demo", "score", "Score three systems on a small built-in collection.", ("", " --into demo")),
        ("measures", "measures:measures", "score", "List all measures, or describe one in full.", ("", " nDCG"), "list"),
        ("cite", "measures:cite", "score", "Print BibTeX entries of the papers to cite.",
         (" AP 'nDCG(dcg=\"exp-log2\")@10' > measures.bib",)),
        ("datasets", "eval:datasets", "score", "List the datasets that can be used as qrels.",
         (" disks45/nocr", " clueweb12 -o tsv")),
        ("plugins", "measures:plugins", "extend", "List the installed plugins and what they offer.", ("",)),
        ("new-plugin", "measures:new_plugin", "extend", "Create the distribution of a new plugin.", (" word-budget",)),
    )
]  # fmt: skip
"""The host's own commands, in the order in which the help lists them."""


@hookimpl
def irmx_commands() -> list[Command]:
    return COMMANDS


class CommandGroup(click.Group):
    """The words after ``irmx``, or after one that several commands begin with, such as ``irmx pages``."""

    def __init__(self, word: str = "", **options: Any) -> None:
        super().__init__(name=word or "irmx", no_args_is_help=False, **options)
        self._word = word

    def _next_words(self, commands: Iterable[Command]) -> dict[str, list[Command]]:
        """Return the words that can come next, each with its commands; a group of commands has no name of its own."""
        words: dict[str, list[Command]] = {}
        for one in commands:
            if not self._word or one.group == self._word:
                words.setdefault(one.NAME if self._word else one.group or one.NAME, []).append(one)
        return words

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; without a command the help is printed, and the exit code is that of a wrong request."""
        if not args and not ctx.resilient_parsing:
            print(self.get_help(ctx), file=sys.stderr)
            raise click.exceptions.Exit(2)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the next words."""
        return list(self._next_words(registry().commands().values()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or the group, of a word; no plugin is loaded for a command of irmx itself."""
        of_word = [] if self._word else [one for one in COMMANDS if cmd_name == one.NAME]
        of_word = of_word or self._next_words(registry().commands().values()).get(cmd_name, [])
        if not of_word:
            return None
        return load_command(of_word[0]) if self._word or not of_word[0].group else CommandGroup(cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that the arguments begin with; the error for an unknown word suggests a known one."""
        if (command := self.get_command(ctx, args[0])) is None:
            raise UsageError(self._unknown(args[0]))
        return args[0], command, args[1:]

    def _unknown(self, word: str) -> str:
        """Return the message about an unknown word."""
        for info in registry().plugins.values():
            if word in (info.name, info.point):
                offers = "".join(f" It offers {kind.replace('_', ' ')}: {', '.join(names)}."
                                 for kind, names in info.offers.items())  # fmt: skip
                return (
                    f"The plugin {info.source} is not in use: {info.failure}"
                    if info.failure
                    else f"{word} is a plugin ({info.source}), not a command.{offers}"
                )
        words = self._next_words(registry().commands().values())
        last = {} if self._word else {one.NAME: one.words for one in registry().commands().values()}
        meant = {other: one.words for one in registry().commands().values() for other in one.SYNONYMS}
        near = meant.get(word, "") or closest(word, {**last, **words})
        near = near and f" Did you mean {near if near in words else last.get(near, near)}?"
        return f"There is no command '{f'{self._word} {word}'.strip()}'.{near} 'irmx --help' lists the commands."

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for; of the commands behind one word, only their names."""
        sections: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        for word, commands in self._next_words(registry().commands().values()).items():
            if self._word or not commands[0].group:
                section = commands[0].SECTION if commands[0].SECTION in SECTIONS else "extend"
                sections[section].append((word, commands[0].SHORT_DESC))
            else:
                sections["families"].append((word, ", ".join(one.NAME for one in commands)))
        for section, rows in sections.items():
            if rows:
                with formatter.section(SECTIONS[section]):
                    formatter.write_dl(rows)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text."""
        return visible_lines(super().get_help(ctx))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the words and the options that begin with what was typed."""
        words = sorted(self._next_words(registry().commands().values()).items())
        abouts = [(word, of[0].SHORT_DESC if len(of) == 1 else "") for word, of in words if word.startswith(incomplete)]
        items = [CompletionItem(word, help=visible(about) or None) for word, about in abouts]
        return items + click.Command.shell_complete(self, ctx, incomplete)


def load_command(command: Command) -> click.Command:
    """Import a command, and return it as a command of click."""
    try:
        made = click_command(command.NAME, command.load(), command.EXAMPLES)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failure(command, "is not in use", error) from error
    if command not in COMMANDS:
        made.callback = _named(command, made.callback)
    return made


_FOR_USERS = (
    IrmxError, OSError, MemoryError, UnicodeError, KeyboardInterrupt, click.ClickException, click.Abort, click.exceptions.Exit,
)  # fmt: skip
"""The errors of a command that say enough for themselves, and the ends of a command."""


def _named(command: Command, function: Any) -> Any:
    """Return the function of a plugin's command: it may end by ``sys.exit``, and errors not meant for users name the command."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except SystemExit as stop:
            if isinstance(stop.code, str):
                print(stop.code, file=sys.stderr)
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
            raise click.exceptions.Exit(code if 0 <= code <= 255 else 1) from stop
        except _FOR_USERS:
            raise
        except BaseException as error:
            raise _failure(command, "failed", error) from error

    return call


def _failure(command: Command, how: str, error: BaseException) -> PluginError:
    return PluginError(f"The command '{command.words}' of {registry().source_of(command)} {how}: {text_of(error)}")


def problems(commands: Iterable[Command]) -> Iterable[str]:
    """Import commands, and yield why some of them cannot be used."""
    for command in commands:
        try:
            load_command(command)
        except PluginError as error:
            yield str(error)


# -- ``irmx --load FILE.py``: measures that a user defines in a file -------------------------------------------------


LOADED: dict[str, str] = {}
"""The files that were loaded, by the names of their modules."""


def load_file(path: str) -> None:
    """Import a Python file as a module named after it; its folder is put on the path, as for a script."""
    file = os.path.realpath(path)
    folder, name = os.path.split(os.path.splitext(file)[0])
    if not os.path.isfile(file) or not path.endswith(".py"):
        raise UsageError(
            f"--load takes a Python file. {'There is no file' if not os.path.isfile(file) else 'Got'} {path}."
        )
    if not name.isidentifier():
        raise UsageError(
            f"--load imports the file as a module, and {name!r} is not a valid module name. Rename {path}."
        )
    sys.path.insert(0, folder)
    if _origin_of(name) != file:
        raise UsageError(f"--load imports the file as a module, and there is already a module {name!r}. Rename {path}.")
    LOADED[name] = path
    try:
        with prints_on_stderr:
            import_module(name)
    except IrmxError as error:
        raise type(error)(f"{path}, line {_line(error, file)}: {error}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit among them, which would end irmx without a word
        raise PluginError(f"{path}, line {_line(error, file)}: {text_of(error)}") from error


def _origin_of(name: str) -> str:
    """Return the file that a module was, or would be, loaded from."""
    loaded = sys.modules.get(name)
    spec = find_spec(name) if loaded is None else loaded.__spec__
    return os.path.realpath(spec.origin) if spec is not None and spec.origin else ""


def _line(error: BaseException, file: str) -> int:
    """Return the innermost line of a file in an error's traceback."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return error.lineno
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else 1


# -- the ``irmx`` command as a whole ---------------------------------------------------------------------------------


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
    code = 0
    try:
        _prepare_output()
        _keep_memory()
        stdout = sys.stdout
        for kind in (DataWarning, PluginWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = _show_warning
        code = _run(sys.argv[1:] if arguments is None else arguments)
        if sys.stdout is not stdout:
            raise PluginError("A plugin put something else in the place of standard output, which lacks results now.")
        stdout.flush()
    except BaseException as error:
        _leave(error, code)
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


def _leave(error: BaseException, ended: int) -> NoReturn:
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
        note(_message(error))
        if isinstance(error, PluginError) and error.__cause__ and "--traceback" not in str(error):
            note(_HOW)
    sys.exit(code)


def _message(error: BaseException) -> str:
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
    return str(error) if isinstance(error, IrmxError) else _mistake(error)


def _mistake(error: BaseException) -> str:
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


def _keep_memory() -> None:
    """Have the C library, also for Arrow, keep what is freed for the next run, here and in processes that score runs; a fifth of the time."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    for option, name, size in ((-1, "MALLOC_TRIM_THRESHOLD_", 1 << 28), (-3, "MALLOC_MMAP_THRESHOLD_", 1 << 25)):
        if os.environ.setdefault(name, str(size)) == str(size):
            with contextlib.suppress(OSError, AttributeError, TypeError):  # only glibc has it
                ctypes.CDLL(None).mallopt(option, size)


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
        from importlib.metadata import version

        print(f"irmx {version('irmx')}")
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
