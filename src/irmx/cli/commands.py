"""The commands of irmx itself; each is imported when it is used."""

from __future__ import annotations

from irmx.declare.command import Command
from irmx.hookspecs import hookimpl

COMMANDS = [
    Command("eval", "irmx.cli.eval:evaluate", SHORT_DESC="Score one or several runs."),
    Command("measures", "irmx.cli.measures:measures", SHORT_DESC="List all measures, or describe one in full."),
    Command("plugins", "irmx.cli.plugins:plugins", SHORT_DESC="List the installed plugins and what they offer."),
    Command("datasets", "irmx.cli.datasets:datasets", SHORT_DESC="List the datasets that can be used as qrels."),
    Command("explain", "irmx.cli.explain:explain", SHORT_DESC="Break a topic's score down by document."),
    Command("cite", "irmx.cli.cite:cite", SHORT_DESC="Print BibTeX entries of the papers to cite."),
    Command("demo", "irmx.cli.demo:demo", SHORT_DESC="Score three systems on a small built-in collection."),
    Command("new-plugin", "irmx.cli.new_plugin:new_plugin", SHORT_DESC="Create the distribution of a new plugin."),
]
"""The host's own commands, in the order in which the help lists them."""


@hookimpl
def irmx_commands() -> list[Command]:
    return COMMANDS
