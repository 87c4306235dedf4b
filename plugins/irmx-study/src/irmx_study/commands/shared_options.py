"""The options that several commands have, with the same names, defaults and help everywhere."""

from __future__ import annotations

from typing import Annotated

from irmx import registry
from irmx.toolkit import QRELS_HELP, Argument, Option


def _named(kind: str) -> list[tuple[str, str]]:
    """Return the named objects of a kind as users type them, for completion in the shell."""
    return [(name.replace("_", "-"), one.SHORT_DESC) for name, one in registry().symbols(kind).items()]


ArgumentsOption = Annotated[
    list[str],
    Argument(
        metavar="QRELS RUN... MEASURE...",
        help=f"{QRELS_HELP} Then run files or quoted globs, then measures. With --scores: files of per-topic results.",
    ),
]
ScoresOption = Annotated[
    bool,
    Option(
        "--scores",
        help="The arguments are files of per-topic results: of irmx, trec_eval -q, ir_measures -q, or a table with a column query_id.",
    ),
]
MeasureOption = Annotated[
    str | None,
    Option("--measure", help="With --scores: the measure of a table that has one column per system."),
]
LabelOption = Annotated[
    list[str] | None,
    Option("--label", metavar="RUN=NAME", help="The name to print for a run. May be repeated."),
]
BaselinesOption = Annotated[
    list[str] | None,
    Option(
        "--baseline", metavar="RUN", help="The run to compare the others with; by default the first. May be repeated."
    ),
]
OnlyOption = Annotated[
    str | None,
    Option(
        "--only",
        metavar="FILE",
        help="A file with the names of the runs to keep, one per line, such as automatic runs.",
    ),
]
EveryTopicOption = Annotated[
    bool, Option("--every-topic", help="Leave out runs that retrieve nothing for one of the topics.")
]
BestOption = Annotated[
    float | None,
    Option("--best", metavar="PERCENT", help="Keep the best runs: 75 for three quarters, by the first measure."),
]

JobsOption = Annotated[int | None, Option("-j", "--jobs", help="Number of processes; by default the number of cores.")]
BackendOption = Annotated[str | None, Option("--backend", metavar="dask", help="Compute on a Dask cluster.")]
SchedulerOption = Annotated[
    str | None, Option("--scheduler", metavar="ADDRESS", help="The address of the Dask scheduler.")
]

TestOption = Annotated[
    str,
    Option(
        "--test",
        complete=lambda: _named("significance test"),
        help="The test: t, permutation, bootstrap, wilcoxon, sign, tukey, randomised-tukey, or one of a plugin.",
    ),
]
CorrectionOption = Annotated[
    str | None,
    Option(
        "--correction",
        complete=lambda: _named("correction of p-values"),
        help="The correction: holm, bonferroni, hommel, bh, maxt, none, or one of a plugin; by default holm for several comparisons.",
    ),
]
LevelOption = Annotated[float, Option("--level", help="The level of significance.")]
DrawsOption = Annotated[int, Option("--draws", help="The number of random draws.")]
SeedOption = Annotated[int, Option("--seed", help="The seed of the random draws.")]
TieThresholdOption = Annotated[
    float, Option("--tie-threshold", help="The largest difference on a topic that is a tie.")
]

PlacesByFormatOption = Annotated[
    int | None,
    Option("-p", "--places", min=-1, max=100, help="Decimal places, -1 for all; 4, and all in tsv and csv."),
]
"""Tables for reading have few places; what another program reads has all, because p-values are small."""


def decimal_places(places: int | None, output_format: str) -> int:
    """Return the decimal places to print, which depend on the output format if the user names none."""
    if places is not None:
        return places
    return 4 if registry().output_formats()[output_format].WIDE else -1
