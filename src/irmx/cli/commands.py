"""The commands of irmx itself, and the words after ``irmx``: those of plugins are known without importing a plugin."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from irmx.cli.click_command import click_command
from irmx.data.files import new_file
from irmx.declare.columns import SECTIONS, Command
from irmx.errors import DataError, IrmxError, PluginError, UsageError, text_of
from irmx.hookspecs import hookimpl
from irmx.registry import entry_points, is_filled, registry
from irmx.text import suggest, visible, visible_lines

COMMANDS = [
    Command(name, f"irmx.cli.{function}", "", about, tuple(f"irmx {name}{one}" for one in examples), section, tuple(meant_by))
    for name, function, section, about, examples, *meant_by in (
        ("eval", "eval:evaluate", "score", "Score one or several runs.",
         (" qrels.txt run.txt AP nDCG@10", " qrels.txt 'runs/*.run' AP nDCG@10 -o table"), "score", "evaluate", "trec_eval"),
        ("explain", "explain:explain", "score", "Break a topic's score down by document.",
         (" qrels.txt run.txt nDCG@10 --topic 1",)),
        ("plot", "plot:plot_user", "score", "Draw the user of a measure on one topic.",
         (" qrels.txt run.txt 'MP(model=GL_AD_ID)' --topic 1 -o user.pdf",
          " qrels.txt 'runs/*.run' nDCG@10 --topic 1 -o contributions.svg")),
        ("demo", "demo:demo", "score", "Score three systems on a small built-in collection.", ("", " --into demo")),
        ("measures", "measures:measures", "score", "List all measures, or describe one in full.", ("", " nDCG"), "list"),
        ("cite", "cite:cite", "score", "Print BibTeX entries of the papers to cite.",
         (" AP 'nDCG(dcg=\"exp-log2\")@10' > measures.bib",)),
        ("datasets", "datasets:datasets", "score", "List the datasets that can be used as qrels.",
         (" disks45/nocr", " clueweb12 -o tsv")),
        ("plugins", "plugins:plugins", "extend", "List the installed plugins and what they offer.", ("",)),
        ("new-plugin", "new_plugin:new_plugin", "extend", "Create the distribution of a new plugin.", (" word-budget",)),
    )
]  # fmt: skip
"""The host's own commands, in the order in which the help lists them."""


@hookimpl
def irmx_commands() -> list[Command]:
    return COMMANDS


def catalogue() -> list[Command]:
    """Return all commands for lists; plugins are not loaded for theirs as long as the file in the cache is of these plugins."""
    if is_filled():
        return list(registry().commands().values())
    file, key = _cache_file(), _key_of_plugins()
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return [*COMMANDS, *(Command(*fields) for fields in kept["commands"])]
    except (OSError, ValueError, TypeError, KeyError):
        pass
    of_plugins = [one for one in registry().commands().values() if one not in COMMANDS]
    fields = [
        [one.NAME, "", one.group, one.SHORT_DESC, [], one.SECTION] for one in of_plugins
    ]  # nothing to be imported
    if not any(info.failure for info in registry().plugins.values()):  # whose message is to be seen again
        _keep(file, json.dumps({"key": key, "commands": fields}))
    return [*COMMANDS, *of_plugins]


def _cache_file() -> Path:
    return Path(os.environ.get("IRMX_CACHE") or Path.home() / ".cache" / "irmx") / "commands.json"


def _keep(file: Path, text: str) -> None:
    """Write a file of the cache; where that is not possible, the next command does without."""
    with contextlib.suppress(OSError, DataError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with new_file(file) as out:
            out.write(text.encode())


def _key_of_plugins() -> str:
    """Return a text that changes when a plugin is installed, removed, edited, or left out by the environment."""
    import hashlib

    key = [str(sorted((name, value) for name, value in os.environ.items() if name.startswith("IRMX_")))]
    for point in entry_points()[0]:
        package, *inner = point.value.partition(":")[0].strip().split(".")
        try:
            found = importlib.util.find_spec(package)
            module = Path(str(found and found.origin)).parent.joinpath(*inner).with_suffix(".py") if inner else None
            changed = os.stat(module or str(found and found.origin)).st_mtime_ns
        except (OSError, ValueError, ImportError):
            changed = 0
        key.append(f"{point.name}={point.value} {getattr(point.dist, '_path', '')} {changed}")
    return hashlib.sha256("\n".join([sys.prefix, *sorted(key)]).encode()).hexdigest()


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
        return list(self._next_words(catalogue()))

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
        meant = {other: one.words for one in registry().commands().values() for other in one.MEANT_BY}
        near = meant.get(word, "") or suggest(word, {**last, **words}).removeprefix(" Did you mean ").removesuffix("?")
        near = near and f" Did you mean {near if near in words else last.get(near, near)}?"
        return f"There is no command '{f'{self._word} {word}'.strip()}'.{near} 'irmx --help' lists the commands."

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for; of the commands behind one word, only their names."""
        sections: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        for word, commands in self._next_words(catalogue()).items():
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
        words = sorted(self._next_words(catalogue()).items())
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
