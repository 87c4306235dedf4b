"""The classes with which a plugin adds a command to ``irmx``, and a function to the module ``irmx``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from irmx.ragged import short_repr

SECTIONS = {
    "score": "Score",
    "compare": "Compare systems",
    "study": "Study measures",
    "families": "Families (irmx WORD --help)",
    "extend": "Extend irmx",
}
"""The parts of ``irmx --help``."""


@dataclass(frozen=True)
class Command:
    """A command of ``irmx``.

    Attributes
    ----------
    NAME : str
        Its name.
    function : str
        The location of the command's function, such as ``"irmx_news.commands:fit"``; it is imported when the command
        is used. Its parameters are annotated with
        :class:`irmx.toolkit.Option` or :class:`irmx.toolkit.Argument`, and its docstring is the help text; or a command of click.
    group : str
        The word before the name, such as ``"news"`` in ``irmx news fit``; empty for none.
    SHORT_DESC : str
        One sentence, for lists of commands.
    EXAMPLES : tuple of str
        Command lines that its help shows, such as ``("irmx news fit log.csv",)``.
    SECTION : str
        The part of ``irmx --help`` that lists it: ``"score"``, ``"compare"``, ``"study"`` (of measures) or ``"extend"``;
        ``"families"`` lists the words that several commands begin with.
    MEANT_BY : tuple of str
        Other words that people type for it; the error for such a word names the command.
    """

    NAME: str
    function: str
    group: str = ""
    SHORT_DESC: str = ""
    EXAMPLES: tuple[str, ...] = ()
    SECTION: str = "extend"
    MEANT_BY: tuple[str, ...] = ()

    __repr__ = short_repr

    @property
    def words(self) -> str:
        """The words that a user types after ``irmx``.

        >>> Command("fit", "irmx_news.commands:fit", group="news").words
        'news fit'
        """
        return f"{self.group} {self.NAME}".strip()

    def load(self) -> Callable[..., Any]:
        """Import and return the function."""
        function: Callable[..., Any] = resolve_name(self.function)
        return function


@dataclass(frozen=True)
class Function:
    """A function that ``irmx`` has when a plugin is installed: ``irmx.NAME``.

    Attributes
    ----------
    NAME : str
        Its name.
    function : str
        The location of the function, such as ``"irmx_news:fit"``; it is imported when it is first used.
    SHORT_DESC : str
        One sentence, for lists.
    """

    NAME: str
    function: str
    SHORT_DESC: str = ""

    __repr__ = short_repr

    def load(self) -> Callable[..., Any]:
        """Import and return the function."""
        function: Callable[..., Any] = resolve_name(self.function)
        return function


QRELS_HELP = "Qrels: a TREC file, a table file with a header, - for standard input, an ir_datasets id, or FORMAT:PATH."
