"""``irmx sensitivity``: for which users one system is better than another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from irmx import Grid, UsageError, registry
from irmx.toolkit import FormatOption, Option, picture_option, print_rows, visible, write_picture
from irmx_study.commands.scored import label_of, labelled, labels_of, scored
from irmx_study.commands.shared_options import (
    ArgumentsOption,
    CorrectionOption,
    DrawsOption,
    LabelOption,
    LevelOption,
    MeasureOption,
    PlacesByFormatOption,
    ScoresOption,
    SeedOption,
    TestOption,
    TieThresholdOption,
    decimal_places,
)

if TYPE_CHECKING:
    from irmx import Scores
    from irmx_study.users.sensitivity_result import Sensitivity


def sensitivity_of_runs(
    arguments: ArgumentsOption,
    grid: Annotated[
        list[str] | None,
        Option("-g", "--grid", help="The settings of the measure, as in irmx sweep. Repeat for each parameter."),
    ] = None,
    population: Annotated[
        str | None,
        Option(
            "--population",
            metavar="FILE",
            help="The users, a table: a column per parameter of the measure, and optionally weight, the share of users.",
        ),
    ] = None,
    sweep: Annotated[
        bool, Option("--sweep", help="The argument is a results file of irmx sweep, .parquet, .csv or .tsv.")
    ] = False,
    system: Annotated[
        list[str] | None,
        Option("--system", help="The run to compare with the baseline; by default all others. May be repeated."),
    ] = None,
    baseline: Annotated[
        str | None, Option("--baseline", help="The run to compare the others with; by default the first.")
    ] = None,
    test: TestOption = "t",
    correction: CorrectionOption = None,
    family: Annotated[
        str,
        Option("--family", help="What is corrected together: the comparisons in each setting (measure), or all."),
    ] = "measure",
    level: LevelOption = 0.05,
    draws: DrawsOption = 10_000,
    seed: SeedOption = 0,
    tie_threshold: TieThresholdOption = 0.0,
    rank_bands: Annotated[
        bool, Option("--rank-bands", help="Print the best, median and worst rank of every run over all users.")
    ] = False,
    border: Annotated[
        bool, Option("--border", help="Print where along each parameter the better run changes.")
    ] = False,
    plot: Annotated[
        Path | None,
        picture_option(
            "--plot", help="Also draw the differences, or with --rank-bands the ranks: FILE.png, .svg or .pdf."
        ),
    ] = None,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Tell for which users, the settings of a measure, one run is better than another.

    The measure stands for several settings, as 'MP(model=*)' or 'RBP(p=0.5:0.9:9)' do, or --grid or --population give them.
    The runs are compared in each. Prints for how many users each run is better than the first, then one row per setting for
    two runs, one row per run for more. With -o csv, tsv or jsonl, one row per setting and run.
    """
    from irmx_study.users.sensitivity import sensitivity

    if rank_bands and border:
        raise UsageError("--rank-bands and --border print different tables. Give one of the two.")
    users = None
    if population is not None:
        arguments, users = _of_population(arguments, population, grid, sweep or scores)
    elif grid:
        if sweep or scores:
            raise UsageError("--grid goes with runs to score; results have their settings already.")
        *others, last = arguments
        arguments = [*others, *map(str, Grid(last, grid).measures())]
    labels = label or []
    result = sensitivity(
        _scores(arguments, sweep, scores, measure, labels), labels_of(system, labels),
        label_of(baseline, labels), population=users, test=test, correction=correction, family=family, level=level, draws=draws, seed=seed, tie_threshold=tie_threshold,
    )  # fmt: skip
    if plot is not None:
        display = result.plot_rank_bands() if rank_bands else result.plot()
        write_picture(display.figure_, plot)
    _print(result, rank_bands, border, output_format, decimal_places(places, output_format))


def _scores(arguments: list[str], sweep: bool, from_files: bool, measure: str | None, labels: list[str]) -> Scores:
    """Return the scores: of a sweep, or as in irmx compare."""
    if not sweep:
        return scored("sensitivity", arguments, from_files, measure, labels)
    from irmx_study.settings.sweep_scores import scores_of_sweep

    if from_files or measure is not None or len(arguments) != 1:
        raise UsageError("--sweep takes one results file: irmx sensitivity --sweep results.parquet.")
    return labelled(scores_of_sweep(arguments[0]), labels)


def _of_population(
    arguments: list[str], path: str, grid: list[str] | None, of_results: bool
) -> tuple[list[str], dict[Any, float]]:
    """Return the arguments with the settings of a population in place of the measure, and the population."""
    from irmx_study.settings.user_populations import population

    if grid or of_results:
        raise UsageError("--population has the settings to score. Leave --grid, --sweep and --scores out.")
    *others, last = arguments
    users = population(last, path)
    return [*others, *map(str, users)], users


def _print(result: Sensitivity, rank_bands: bool, border: bool, output_format: str, places: int) -> None:
    from irmx_study.comparison.tables_for_reading import write_facts_below
    from irmx_study.users.sensitivity import SENTENCES

    for_reading = registry().output_formats()[output_format].WIDE
    summary = result.summary()
    sentences = "".join(f"{visible(sentence)}\n" for sentence in result.sentences()[:SENTENCES])
    if output_format == "table":
        click.echo(sentences)
    if rank_bands:
        rows = result.rank_bands()
    elif border:
        rows = result.border()
    elif not for_reading:
        rows = result.frame()
    elif len(summary) > 1:
        rows = summary
    else:
        means = {f"mean_{side}": f"mean {summary[side].iloc[0]}" for side in ("a", "b")}
        rows = result.frame().drop(columns=["measure", "a", "b", "topics"]).rename(columns=means)
        repeated = {"share": not result.weighted, "p_corrected": result.choices.correction.NAME == "none"}
        rows = rows.drop(columns=[name for name, same in repeated.items() if same])
    if for_reading and rows.empty:
        click.echo("There is no border: along no parameter with an order does the better run change.")
    else:
        print_rows(rows, output_format, places=places)
    click.echo("" if output_format == "table" else sentences, nl=output_format == "table", err=output_format != "table")
    write_facts_below(result, output_format)
