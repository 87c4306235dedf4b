"""How commands show their help: placeholders in capital letters, lines that break between words, and examples."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import CompletionItem, TyperCommand  # type: ignore[attr-defined]

from irmx.declare.command import Command
from irmx.errors import visible, visible_lines

WIDTH = 78
"""The widest line of a help text; a terminal of 80 columns shows it whole."""

_Formatter: Any = typer.Context.formatter_class
_HYPHEN, _SPACE = "\N{NON-BREAKING HYPHEN}", "\N{NO-BREAK SPACE}"
_TOGETHER = re.compile(r"\[(?:default|required)[^\]]*\]")
_NUMBERS = {
    "int": "N",
    "integer": "N",
    "int range": "N",
    "integer range": "N",
    "float": "NUMBER",
    "float range": "NUMBER",
}


class HelpPage(_Formatter):  # type: ignore[misc]
    """A help text whose lines break neither at the hyphen of a word nor in the default of an option; plugins and authors of packages write parts of it."""

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        super().write_text(_tied(text))

    def write_dl(self, rows: Sequence[tuple[str, str]], *more: Any, **options: Any) -> None:
        """Write names and what they mean."""
        super().write_dl([(name, _tied(about)) for name, about in rows], *more, **options)

    def write(self, string: str) -> None:
        """Write lines that are broken already."""
        super().write(visible_lines(string.replace(_HYPHEN, "-").replace(_SPACE, " ")))


def _tied(text: str) -> str:
    return _TOGETHER.sub(lambda found: found[0].replace(" ", _SPACE), text).replace("-", _HYPHEN)


def dashed(name: str) -> str:
    """Return the name of an option as it is looked up: ``--by_query`` and ``--by-query`` are the same.

    >>> dashed("by_query")
    'by-query'
    """
    return name.replace("_", "-")


class OneCommand(TyperCommand):
    """A command; the names of types, such as ``<str>`` and ``<list[str]>``, are not shown to users."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for param in self.params:
            if param.metavar is None:
                param.metavar = _placeholder(param)
            if "MEASURE" in param.metavar:
                param.shell_complete = functools.partial(_measures, param)  # type: ignore[method-assign]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the name of the command: ``[OPTIONS] QRELS RUN... MEASURE...``."""
        arguments = [param for param in self.get_params(ctx) if param.param_type_name == "argument"]
        shown = [str(param.metavar) for param in arguments]
        return [
            str(self.options_metavar),
            *(name if param.required else f"[{name}]" for name, param in zip(shown, arguments, strict=True)),
        ]

    def get_help(self, ctx: Any) -> str:
        """Return the help text."""
        ctx.formatter_class = HelpPage
        return super().get_help(ctx)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the options that begin with what was typed, with ``-`` or ``_`` between their words."""
        found = super().shell_complete(ctx, incomplete)
        if not found and incomplete.startswith("--"):
            found = super().shell_complete(ctx, "--")
            for item in found:
                item.value = "--" + dashed(item.value[2:])
        return [item for item in found if item.value.startswith(incomplete)]


def _measures(param: Any, ctx: Any, incomplete: str) -> list[CompletionItem]:
    """Return what the shell offers for an argument or an option that is a measure, or runs and then measures."""
    from irmx.cli.completing import runs_or_measures

    given = ctx.params.get(param.name) or ()
    words = str(param.metavar).split()
    found = runs_or_measures(words, [given] if isinstance(given, str) else list(given), incomplete)
    return [CompletionItem(text, help=visible(about)) for text, about in found if visible(text) == text]


def _placeholder(param: Any) -> str:
    """Return what stands for the value of a parameter: its name; for an option the last word of its name, or a number."""
    if param.param_type_name == "argument":
        return str(param.name).upper() + ("..." if param.nargs != 1 else "")
    kind = str(param.type.name).strip("<>")
    return _NUMBERS.get(kind, str(param.name).rpartition("_")[2].upper())


def examples(command: Command) -> str | None:
    r"""Return the examples of a command for its help, with the mark that keeps the lines apart."""
    lines = [line for example in command.EXAMPLES for line in folded_line(example, WIDTH - 4)]
    return "\n".join(["\b", "For example:", *(f"  {line}" for line in lines)]) if lines else None


def folded_line(line: str, width: int) -> list[str]:
    r"""Return a command line in lines of at most a width, as far as its words allow; each but the last ends with ``\``.

    >>> folded_line("irmx eval qrels.txt run.txt 'RBP(p=0.5, rel=1)'", 30)
    ['irmx eval qrels.txt run.txt \\', "    'RBP(p=0.5, rel=1)'"]
    """
    lines = [""]
    for word in _words(line):
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > width - 2:
            lines[-1] += " \\"
            lines.append("    " + word)
        else:
            lines[-1] += " " * bool(lines[-1]) + word
    return lines


def _words(line: str) -> list[str]:
    """Return the words of a command line as they are written, quotes included."""
    return re.findall(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""", line)
