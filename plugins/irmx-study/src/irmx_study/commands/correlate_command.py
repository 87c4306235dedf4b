"""``irmx correlate``: how far measures rank the same runs alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from irmx import UsageError, registry
from irmx.toolkit import FormatOption, Option, in_markdown, picture_option, print_rows, visible, write_picture
from irmx_study.commands.scored import chosen, scored
from irmx_study.commands.shared_options import (
    ArgumentsOption,
    BestOption,
    EveryTopicOption,
    LabelOption,
    MeasureOption,
    OnlyOption,
    PlacesByFormatOption,
    ScoresOption,
    SeedOption,
    decimal_places,
)

if TYPE_CHECKING:
    from irmx_study.correlation.agreement_of_measures import Agreement


_SHORT = {"smallest": "min", "largest": "max"}
"""Names of columns in the tables for reading, so that they fit a terminal."""


def correlate_measures(
    arguments: ArgumentsOption,
    reference: Annotated[
        str | None,
        Option(
            "-r",
            "--reference",
            metavar="MEASURE",
            help="The measure to correlate all others with; by default all pairs.",
        ),
    ] = None,
    coefficient: Annotated[
        str,
        Option(
            "--coefficient",
            help="Of the matrix: tau, tau_ap_a, tau_ap_b, tau_ap, rbo, spearman or pearson.",
        ),
    ] = "tau",
    decimals: Annotated[
        int | None,
        Option("--round", min=0, metavar="PLACES", help="Round the means first, as papers that start from tables do."),
    ] = None,
    per_topic: Annotated[
        bool, Option("--per-topic", help="Print the agreement topic by topic: tau of the runs on each topic.")
    ] = False,
    stability: Annotated[
        bool, Option("--stability", help="Print the stability of tau under resampling of topics.")
    ] = False,
    rbo: Annotated[
        bool, Option("--rbo", help="Print RBO with all treatments of ties: extrapolated, min, max and residual.")
    ] = False,
    rbo_p: Annotated[float, Option("--rbo-p", help="The persistence of RBO, between 0 and 1.")] = 0.9,
    rbo_ties: Annotated[str, Option("--rbo-ties", help="The treatment of ties of RBO: w, a or b.")] = "b",
    resamples: Annotated[int, Option("--resamples", help="The number of resamples of topics; 0 for none.")] = 1000,
    level: Annotated[float, Option("--level", help="The share of resamples outside the range of stability.")] = 0.05,
    seed: SeedOption = 0,
    only: OnlyOption = None,
    every_topic: EveryTopicOption = False,
    best: BestOption = None,
    plot: Annotated[Path | None, picture_option("--plot", help="Also draw a heat map: FILE.png, .svg or .pdf.")] = None,
    order: Annotated[
        str, Option("--order", help="The order of the heat map: listed, or similar for neighbours that agree.")
    ] = "listed",
    scatter: Annotated[
        Path | None,
        picture_option("--scatter", help="Also draw the means of the runs by one measure over those by another."),
    ] = None,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Tell how far measures rank the same runs alike.

    Every measure ranks the runs by their means. Prints Kendall's tau-b between all measures with its stability under resampling
    of topics, or with --reference all coefficients of every measure with one. With -o csv, tsv or jsonl, one row per pair of
    measures with all coefficients. A measure that stands for several settings, such as 'MP(model=*)', is as many measures.
    """
    from irmx_study.comparison.tables_for_reading import write_facts_below
    from irmx_study.correlation.agreement_tables import Stated, shows_stability
    from irmx_study.correlation.coefficients import check_coefficient
    from irmx_study.correlation.correlate import check_parameters, correlate

    check_coefficient(coefficient)
    check_parameters(decimals, rbo_p, rbo_ties, resamples, seed, level)
    if per_topic + stability + rbo > 1:
        raise UsageError("--per-topic, --stability and --rbo print different tables. Give one of them.")
    values = chosen(scored("correlate", arguments, scores, measure, label or (), only, best), only, every_topic, best)
    agreement = correlate(
        values,
        reference,
        decimals=decimals,
        rbo_p=rbo_p,
        rbo_ties=rbo_ties,
        resamples=resamples,
        seed=seed,
        level=level,
    )
    if plot is not None:
        write_picture(agreement.plot(coefficient=coefficient, order=order).figure_, plot)
    if scatter is not None:
        write_picture(agreement.plot_scatter().figure_, scatter)
    for_reading = registry().output_formats()[output_format].WIDE
    facts = agreement.facts
    if stability:
        table, below = agreement.stability(), facts(taus=False, rbo=False)
    elif rbo:
        table, below = agreement.rbo_frame(), facts(taus=False, rbo=False, stability=False)
        below = {"systems": below["systems"], "RBO": f"p = {agreement.rbo_p:g}"} | below
    elif per_topic:
        table = agreement.topics_summary() if for_reading else agreement.per_topic()
        below = facts(taus=False, rbo=False, stability=False)
    elif for_reading:
        table, with_all = None, reference is not None
        below = facts(
            taus=with_all or coefficient == "tau", rbo=with_all or coefficient == "rbo",
            stability=shows_stability(agreement, coefficient),
        )  # fmt: skip
    else:
        table, below = agreement.frame(), facts(taus=False, stability=False)
    places = decimal_places(places, output_format)
    if table is not None and for_reading:
        table = table.drop(columns=["systems", "p" if rbo else "topics"]).rename(columns=_SHORT)
    if table is None:
        _print_tables(agreement, coefficient, output_format, places)
    else:
        print_rows(table, output_format, places=places)
    write_facts_below(Stated(below, agreement.notes), output_format)


def _print_tables(agreement: Agreement, coefficient: str, output_format: str, places: int) -> None:
    """Print the tables for reading under their titles."""
    from irmx_study.correlation.agreement_tables import titled_tables

    for title, rows in titled_tables(agreement, coefficient, places):
        if output_format in ("table", "markdown"):
            click.echo(f"**{in_markdown(title)}**\n" if output_format == "markdown" else visible(title))
        print_rows(rows, output_format, places=places)
        if output_format == "markdown":
            click.echo()
