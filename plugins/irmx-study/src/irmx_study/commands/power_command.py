"""``irmx power``: which differences an experiment can find, and how many topics it needs."""

from __future__ import annotations

from typing import Annotated

from irmx import UsageError
from irmx.toolkit import QRELS_HELP, Argument, FormatOption, Option, print_rows
from irmx_study.commands.scored import scored
from irmx_study.commands.shared_options import (
    LabelOption,
    LevelOption,
    MeasureOption,
    PlacesByFormatOption,
    ScoresOption,
    decimal_places,
)


def plan_topics(
    arguments: Annotated[
        list[str] | None,
        Argument(
            metavar="QRELS RUN... MEASURE...",
            help=f"Earlier systems, whose differences vary as those to come. {QRELS_HELP} Then run files or quoted globs, then measures. With --scores: files of per-topic results. Nothing with --sd or --variance.",
        ),
    ] = None,
    sd: Annotated[
        float | None, Option("--sd", help="The standard deviation of the differences of two systems by topic.")
    ] = None,
    variance: Annotated[float | None, Option("--variance", help="Their variance.")] = None,
    topics: Annotated[
        int | None, Option("--topics", help="The number of topics; by default those of the earlier systems.")
    ] = None,
    difference: Annotated[
        list[float] | None, Option("--difference", help="A difference to find. May be repeated.")
    ] = None,
    width: Annotated[
        float | None, Option("--width", help="The width that the interval of a difference is to have.")
    ] = None,
    systems: Annotated[
        int | None,
        Option(
            "--systems",
            help="Also the topics needed by the analysis of variance of so many systems, for the difference of the best and the worst.",
        ),
    ] = None,
    level: LevelOption = 0.05,
    power: Annotated[float, Option("--power", help="The probability of finding the difference.")] = 0.8,
    comparisons: Annotated[
        int, Option("--comparisons", help="How many comparisons the level is divided by, as Bonferroni does.")
    ] = 1,
    by_pair: Annotated[bool, Option("--by-pair", help="One row per pair of systems.")] = False,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Plan an experiment: which differences it can find, and how many topics it needs.

    Prints one row per measure: the standard deviation of the differences of two systems, and the difference that the paired t
    test detects, for the median pair of systems and for the one with the largest deviation. With --difference, also the
    number of topics needed.
    """
    from irmx_study.comparison.tables_for_reading import write_facts_below
    from irmx_study.planning import experiment_plans  # its function has the name of an option

    if not arguments and (scores or measure is not None or label):
        raise UsageError(
            "--scores, --measure and --label are about results of earlier systems. Give these, or leave them out."
        )
    if bool(arguments) == (sd is not None or variance is not None):
        raise UsageError("irmx power needs either qrels, runs and measures, or --sd or --variance.")
    plan = experiment_plans.power(
        scored("power", arguments, scores, measure, label or ()) if arguments else None,
        sd=sd,
        variance=variance,
        topics=topics,
        difference=difference or (),
        width=width,
        systems=systems,
        level=level,
        power=power,
        comparisons=comparisons,
        by_pair=by_pair,
    )
    print_rows(plan.frame(), output_format, places=decimal_places(places, output_format))
    write_facts_below(plan, output_format)
