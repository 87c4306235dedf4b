"""The commands of irmx itself; each is imported when it is used."""

from __future__ import annotations

from irmx.declare.command import Command
from irmx.hookspecs import hookimpl

COMMANDS = [
    Command("eval", "irmx.cli.eval:evaluate", SHORT_DESC="Score one or several runs."),
    Command("measures", "irmx.cli.measures:measures", SHORT_DESC="List all measures, or describe one in full."),
    Command("plugins", "irmx.cli.plugins:plugins", SHORT_DESC="Show every plugin and what it offers."),
    Command("datasets", "irmx.cli.datasets:datasets", SHORT_DESC="List the datasets that may stand for qrels."),
    Command("explain", "irmx.cli.explain:explain", SHORT_DESC="Show what a topic's score is made of."),
    Command("cite", "irmx.cli.cite:cite", SHORT_DESC="Print BibTeX of what was computed."),
    Command("demo", "irmx.cli.demo:demo", SHORT_DESC="Score three systems of a small collection."),
    Command("new-plugin", "irmx.cli.new_plugin:new_plugin", SHORT_DESC="Write the distribution of a new plugin."),
]
"""The host's own commands, in the order of the help."""


@hookimpl
def irmx_commands() -> list[Command]:
    return COMMANDS
