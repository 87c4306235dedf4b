"""The commands of irmx itself; each is imported when it is used."""

from __future__ import annotations

from irmx.declare.command import Command
from irmx.hookspecs import hookimpl

COMMANDS = [
    Command(
        "eval",
        "irmx.cli.eval:evaluate",
        SHORT_DESC="Score one or several runs.",
        EXAMPLES=("irmx eval qrels.txt run.txt AP nDCG@10", "irmx eval qrels.txt 'runs/*.run' AP nDCG@10 -o table"),
    ),
    Command(
        "measures",
        "irmx.cli.measures:measures",
        SHORT_DESC="List all measures, or describe one in full.",
        EXAMPLES=("irmx measures", "irmx measures nDCG"),
    ),
    Command(
        "plugins",
        "irmx.cli.plugins:plugins",
        SHORT_DESC="List the installed plugins and what they offer.",
        EXAMPLES=("irmx plugins",),
    ),
    Command(
        "datasets",
        "irmx.cli.datasets:datasets",
        SHORT_DESC="List the datasets that can be used as qrels.",
        EXAMPLES=("irmx datasets robust", "irmx datasets clueweb12 -o tsv"),
    ),
    Command(
        "explain",
        "irmx.cli.explain:explain",
        SHORT_DESC="Break a topic's score down by document.",
        EXAMPLES=("irmx explain qrels.txt run.txt nDCG@10 --topic 1",),
    ),
    Command(
        "plot",
        "irmx.cli.plot:plot_user",
        SHORT_DESC="Draw the user of a measure on one topic.",
        EXAMPLES=(
            "irmx plot qrels.txt run.txt 'MP(model=GL_AD_ID)' --topic 1 -o user.pdf",
            "irmx plot qrels.txt 'runs/*.run' nDCG@10 --topic 1 -o contributions.svg",
        ),
    ),
    Command(
        "cite",
        "irmx.cli.cite:cite",
        SHORT_DESC="Print BibTeX entries of the papers to cite.",
        EXAMPLES=("irmx cite AP 'nDCG(dcg=\"exp-log2\")@10' > measures.bib",),
    ),
    Command(
        "demo",
        "irmx.cli.demo:demo",
        SHORT_DESC="Score three systems on a small built-in collection.",
        EXAMPLES=("irmx demo", "irmx demo --into demo"),
    ),
    Command(
        "new-plugin",
        "irmx.cli.new_plugin:new_plugin",
        SHORT_DESC="Create the distribution of a new plugin.",
        EXAMPLES=("irmx new-plugin word-budget",),
    ),
]
"""The host's own commands, in the order in which the help lists them."""


@hookimpl
def irmx_commands() -> list[Command]:
    return COMMANDS
