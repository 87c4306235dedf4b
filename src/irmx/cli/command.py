"""What a plugin registers to add a subcommand to ``irmx``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Command:
    """A subcommand of ``irmx``.

    Attributes
    ----------
    NAME : str
        Its name.
    load : callable
        Returns the function that is the command, with typer's annotations; called when ``irmx`` starts,
        so that nothing is imported before. The function's docstring is the help.
    """

    NAME: str
    load: Callable[[], Callable[..., Any]]


QRELS_HELP = "Qrels: a TREC file, a table file with a header, - for standard input, an ir_datasets id, or FORMAT:PATH."
