"""The words after ``irmx``: the commands of the host and of plugins, each built when it is used."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import typer
from typer.core import CompletionItem, TyperGroup  # type: ignore[attr-defined]

from irmx.cli.command_help import HelpPage, OneCommand, examples
from irmx.cli.commands import COMMANDS
from irmx.cli.mistakes import author_of
from irmx.declare.command import Command
from irmx.declare.standard_output import to_standard_error
from irmx.errors import IrmxError, PluginError, UsageError, readable, suggest, text_of, visible
from irmx.plugin.checks import comes_from_ctrl_c
from irmx.registry import PluginInfo, entry_points, registry


@contextlib.contextmanager
def _readable_errors() -> Iterator[None]:
    """Have typer quote what was typed as text."""
    try:
        yield
    except Exception as error:
        if _is_of_typer(error) and isinstance(getattr(error, "message", None), str):
            error.message = readable(error.message)  # type: ignore[attr-defined]
        raise


class _Lazy(TyperGroup):
    """A group of commands, each built when it is used."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments begin with; the error for an unknown word suggests a known one."""
        command = self.get_command(ctx, args[0])
        if command is None and args[1:] in (["-h"], ["--help"]) and (idle := self.without_commands(args[0])):
            print(readable(idle))
            raise typer.Exit
        if command is None:
            raise UsageError(self.unknown(args[0]))
        return args[0], command, args[1:]

    def get_help(self, ctx: Any) -> str:
        """Return the help text."""
        ctx.formatter_class = HelpPage
        return super().get_help(ctx)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the words and the options that begin with what was typed; no command is imported."""
        found = [
            CompletionItem(word, help=visible(about))
            for word, about in sorted(self.offered())
            if word.startswith(incomplete)
        ]
        return found + super(TyperGroup, self).shell_complete(ctx, incomplete)

    def offered(self) -> Iterable[tuple[str, str]]:
        """Return the words that can come next, with what they are."""
        raise NotImplementedError

    def unknown(self, word: str) -> str:
        """Return the message about an unknown word."""
        raise NotImplementedError

    def without_commands(self, word: str) -> str:
        """Return the message about a word that is a plugin without commands, empty if it is none."""
        return ""


class Words(_Lazy):
    """The first word after ``irmx``: a command of the host, for which no plugin is loaded, or a word of a plugin."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the options of ``irmx``; the errors of typer are readable, as ours are."""
        with _readable_errors():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; the errors of typer are readable, as ours are."""
        with _readable_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands of the host; listing those of plugins would load the plugins."""
        return [command.NAME for command in COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a word, None if there is none."""
        command = next((one for one in COMMANDS if cmd_name == one.NAME), None) or registry().commands().get(cmd_name)
        if command is not None and not command.group:
            return built(command)
        members = _members(cmd_name)
        return PluginWords(cmd_name, members) if members else None

    def offered(self) -> Iterable[tuple[str, str]]:
        """Return the commands of the host and of plugins, and the first words of the others."""
        commands = registry().commands().values()
        groups = {one.group: _summary_of(one.group) for one in commands if one.group}
        return {one.NAME: one.SHORT_DESC for one in commands if not one.group}.items() | groups.items()

    def unknown(self, word: str) -> str:
        """Return the message about an unknown word."""
        for info in _plugins_named(word):
            if info.failure:
                return f"The plugin {info.source} is not in use: {info.failure}"
        if idle := self.without_commands(word):
            return idle
        commands = registry().commands()
        last = {command.NAME: words for words, command in commands.items()}
        near = suggest(word, {*commands, *(command.group for command in commands.values()), *last})
        for name, words in last.items():  # the second word alone
            near = near.replace(f" {name}?", f" {words}?") if name not in commands else near
        return f"There is no command {word!r}.{near} 'irmx --help' lists the commands."

    def without_commands(self, word: str) -> str:
        """Return what a plugin offers that has no command, empty if a word is no such plugin."""
        return "\n".join(
            f"The plugin {info.source} has no command. It offers "
            + (
                "; ".join(f"{kind.replace('_', ' ')}: {', '.join(names)}" for kind, names in info.offers.items())
                or "nothing"
            )
            + "."
            for info in _plugins_named(word)
            if not info.failure
        )

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands of the host, and the names of the plugins, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(command.NAME, command.SHORT_DESC) for command in COMMANDS])
        plugins = sorted({(one.name, _summary(one.dist)) for one in entry_points()[0]})
        if plugins:
            with formatter.section("Plugins"):
                formatter.write_dl(plugins)
        formatter.write_paragraph()
        formatter.write_text(
            "'irmx NAME --help' lists the commands of a plugin, 'irmx plugins' everything that plugins offer."
        )


class PluginWords(_Lazy):
    """The second word: the commands of a plugin, or of several that share a first word.

    Parameters
    ----------
    word : str
        The first word.
    members : dict of str to Command
        The commands by the second word.
    """

    def __init__(self, word: str, members: dict[str, Command]) -> None:
        super().__init__(name=word, help=_summary_of(word) or None, no_args_is_help=True, rich_markup_mode=None)
        self._members = members

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the second words."""
        return list(self._members)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a word, None if there is none."""
        return built(self._members[cmd_name]) if cmd_name in self._members else None

    def offered(self) -> Iterable[tuple[str, str]]:
        """Return the second words."""
        return [(name, one.SHORT_DESC) for name, one in self._members.items()]

    def unknown(self, word: str) -> str:
        """Return the message about an unknown word."""
        near = suggest(word, self._members)
        return f"There is no command '{self.name} {word}'.{near} Known: {', '.join(self._members)}."

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, and for one that cannot be used the reason."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, problem(one) or _about(one)) for name, one in self._members.items()])


def built(command: Command) -> Any:
    """Import a command, and return the command that typer builds from it.

    Raises
    ------
    irmx.PluginError
        If it cannot be imported, or typer cannot build a command from it.
    """
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    try:
        with to_standard_error():
            function = command.load()
        if not callable(function):
            raise TypeError(f"{function!r} is not a function")
        app.command(command.NAME, cls=OneCommand, epilog=examples(command))(function)
        made = typer.main.get_command(app)
    except BaseException as error:
        if comes_from_ctrl_c(error):
            raise KeyboardInterrupt from error
        raise PluginError(
            f"The command '{command.words}' of {registry().source_of(command)} is not in use: {text_of(error)}"
        ) from error
    if command not in COMMANDS:
        made.callback = _named_where_it_fails(made.callback, command)
    return made


def _named_where_it_fails(function: Any, command: Command) -> Callable[..., Any]:
    """Return the function of a plugin's command, whose errors name the command and the plugin.

    Errors of irmx, of files and of the command line say enough already. ``--traceback`` shows authors the others whole.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            answer = function(*args, **kwargs)
            if inspect.iscoroutine(answer) or inspect.isgenerator(answer):
                answer.close()
                raise TypeError(f"it returned a {type(answer).__name__}, which nobody runs")
            return answer
        except KeyboardInterrupt:
            raise
        except SystemExit as stop:  # its exit code is its own
            raise typer.Exit(_exit_code(stop)) from stop
        except BaseException as error:
            if isinstance(error, (IrmxError, OSError, UnicodeEncodeError, MemoryError)) or _is_of_typer(error):
                raise
            raise PluginError(
                f"The command '{command.words}' of {registry().source_of(command)} failed: {text_of(error)}"
                f"{_elsewhere(error, command)}. 'irmx --traceback {command.words} ...' shows where."
            ) from error

    return call


def _elsewhere(error: BaseException, command: Command) -> str:
    """Return where an error comes from if it is not the plugin of the command that it ended, such as a measure that it uses."""
    author = author_of(error)
    if author is None or author.package == command.function.partition(":")[0].partition(".")[0]:
        return ""
    return f", which comes from the {author.name} ({author.place})"


def _exit_code(stop: SystemExit) -> int:
    """Return the exit code of a command that ended by ``sys.exit``; a text is printed, and is exit code 1, as in Python."""
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code if 0 <= stop.code <= 255 else 1
    print(stop.code, file=sys.stderr)
    return 1


def _is_of_typer(error: BaseException) -> bool:
    """Tell whether typer, or the click in it, raised an error to end a command."""
    return any(kind.__module__.partition(".")[0] in ("typer", "click") for kind in type(error).__mro__)


def problem(command: Command) -> str:
    """Import a command, and return why it cannot be used; empty if it can."""
    try:
        built(command)
    except PluginError as error:
        return str(error)
    return ""


def _members(word: str) -> dict[str, Command]:
    """Return the commands of the group or of the plugin that a word names, by their own names."""
    of_plugin = {words for info in _plugins_named(word) for words in info.offers.get("commands", ())}
    commands = registry().commands().items()
    return {one.NAME: one for words, one in commands if one.group == word or words in of_plugin}


def _plugins_named(word: str) -> list[PluginInfo]:
    """Return the plugins whose entry point has a name; several distributions may use one."""
    return [info for info in registry().plugins.values() if word in (info.name, info.point)]


def _about(command: Command) -> str:
    return command.SHORT_DESC or (command.load().__doc__ or "").strip().partition("\n")[0]


def _summary_of(word: str) -> str:
    """Return the summary of the plugin whose entry point is called so, empty if there is none."""
    return next((_summary(one.dist) for one in entry_points()[0] if one.name == word), "")


def _summary(distribution: Any) -> str:
    """Return the summary from a distribution's metadata, empty where these cannot be read."""
    try:
        return distribution.metadata["Summary"] or ""
    except Exception:
        return ""
