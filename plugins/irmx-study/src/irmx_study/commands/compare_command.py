"""``irmx compare``: which system is better, by how much, how sure."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from irmx import DataWarning, UsageError, registry
from irmx.toolkit import (
    MissingTopicsWarning,
    Option,
    named_runs,
    note,
    picture_option,
    print_rows,
    runs_and_measures,
    visible,
)
from irmx_study.commands.report_files import REPORT_ENDINGS, FormatOrReportOption, write_report
from irmx_study.commands.scored import labels_of, scored
from irmx_study.commands.shared_options import (
    ArgumentsOption,
    BaselinesOption,
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
    from irmx_study.comparison.comparison import Comparison


def compare_runs(
    arguments: ArgumentsOption,
    baseline: BaselinesOption = None,
    all_pairs: Annotated[bool, Option("--all-pairs", help="Compare all pairs of runs.")] = False,
    test: TestOption = "t",
    correction: CorrectionOption = None,
    family: Annotated[
        str,
        Option(
            "--family",
            complete=lambda: ["measure", "all"],
            help="What is corrected together: the comparisons of each measure, or all.",
        ),
    ] = "measure",
    level: LevelOption = 0.05,
    interval: Annotated[
        str,
        Option("--interval", complete=lambda: ["t", "bca"], help="The interval of the difference: t or bca."),
    ] = "t",
    draws: DrawsOption = 10_000,
    seed: SeedOption = 0,
    tie_threshold: TieThresholdOption = 0.0,
    sort: Annotated[
        str | None,
        Option(
            "--sort",
            complete=lambda: ["mean", "difference", "effect", "p", "p_corrected", "system"],
            help="Sort the runs by mean, difference, effect, p, p_corrected or system.",
        ),
    ] = None,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    methods: Annotated[
        bool, Option("--methods", help="Print sentences for the method section of a paper, and BibTeX.")
    ] = False,
    plot: Annotated[
        Path | None, picture_option("--plot", help="Also draw the differences with intervals: FILE.png, .svg or .pdf.")
    ] = None,
    plot_topics: Annotated[
        Path | None, picture_option("--plot-topics", help="Also draw the differences of two runs topic by topic.")
    ] = None,
    unjudged: Annotated[
        bool,
        Option("--unjudged", help="Also print what documents that nobody judged could change; see irmx unjudged."),
    ] = False,
    output_format: FormatOrReportOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Compare systems: which is better, by how much, how sure.

    The first run is the baseline. Prints for each measure the means of the runs, and the differences to the baseline with the
    interval, the effect size, the p-value, the corrected one, and the number of topics won, tied and lost. Of more than two
    runs, those that share a letter cannot be told apart. With -o csv, tsv or jsonl, one row per comparison; with -o latex, the
    table of a paper; with -o FILE.html, the page that irmx report writes. How the runs were compared is printed below a table, and otherwise on standard error.
    """
    from irmx.toolkit import axes_for, write_picture
    from irmx_study.comparison.choices import Choices
    from irmx_study.comparison.compare import compare
    from irmx_study.comparison.comparison import check_order
    from irmx_study.comparison.tables_for_reading import write_facts_below, write_tables
    from irmx_study.users.sensitivity import lines_on_users

    how: dict[str, Any] = {
        "test": test, "correction": correction, "family": family, "level": level, "interval": interval, "draws": draws,
        "seed": seed, "tie_threshold": tie_threshold,
    }  # fmt: skip
    Choices.of(2, **how)  # refuses a mistyped option before the runs are scored, as does the next line
    check_order(sort, all_pairs)
    if output_format.endswith(REPORT_ENDINGS):
        for option, is_given in (("--sort", sort is not None), ("--methods", methods), ("--unjudged", unjudged)):
            if is_given:
                raise UsageError(f"{option} changes what is printed; a report has all of it. Leave {option} out.")
        if plot is not None or plot_topics is not None:
            raise UsageError("A report has pictures in it. Leave --plot and --plot-topics out, or give another -o.")
        how["all_pairs"] = all_pairs
        write_report(Path(output_format), arguments, baseline, label, scores, measure, "", None, None, how)
        return
    for_reading = registry().output_formats()[output_format].WIDE
    if sort is not None and not for_reading:
        raise UsageError(f"--sort orders the table of runs. With -o {output_format}, there is one row per comparison.")
    if unjudged:
        _refuse_unjudged(scores, all_pairs, output_format, methods)
    with warnings.catch_warnings():
        # the notes of the comparison count the topics that runs lack
        warnings.simplefilter("ignore", MissingTopicsWarning)
        values = scored("compare", arguments, scores, measure, label or ())
    if plot_topics is not None and len(values.systems) != 2:
        raise UsageError(f"--plot-topics draws the differences of two runs. There are {len(values.systems)}; give two.")
    comparison = compare(values, labels_of(baseline, label), all_pairs=all_pairs, **how)
    places = decimal_places(places, output_format)
    if plot is not None:
        write_picture(comparison.plot().figure_, plot)
    if plot_topics is not None:
        measures = list(map(str, comparison.scores.measures))
        axes = axes_for(None, len(measures), (6, 3.6), shared=False)
        for name, ax in zip(measures, axes, strict=True):
            comparison.plot_topics(measure=name, ax=ax)
        write_picture(axes[0].figure, plot_topics)
    if methods:
        click.echo(comparison.methods())
        return
    if not for_reading:
        print_rows(comparison.frame(), output_format, places=places)
    elif output_format == "latex":
        click.echo(comparison.to_latex(sort, places), nl=False)
    elif output_format == "markdown":
        click.echo(comparison.to_markdown(sort, places), nl=False)
    else:
        write_tables(comparison, output_format, sys.stdout, sort, places)
    if unjudged:
        _print_unjudged(arguments, comparison, output_format, places)
    if output_format != "markdown":  # which has them in its text
        of_table = output_format == "table"
        if lines := "\n".join(map(visible, lines_on_users(comparison))):
            click.echo(lines + "\n" * of_table, err=not of_table)
        write_facts_below(comparison, output_format)
    if (draws, seed) != (10_000, 0) and not comparison.choices.resampled:
        note("--draws and --seed change nothing, because nothing is drawn at random")


def _refuse_unjudged(from_files: bool, all_pairs: bool, output_format: str, methods: bool) -> None:
    """Refuse ``--unjudged`` where there are no judgments, no baseline, or no table for reading."""
    if from_files:
        raise UsageError("--unjudged needs qrels and runs. Per-topic results do not tell which documents were judged.")
    if all_pairs:
        raise UsageError(
            "--unjudged tells of which runs the order with the baseline could flip. Leave --all-pairs out."
        )
    if methods or output_format not in ("table", "markdown"):
        raise UsageError(
            "--unjudged prints a table for reading, with -o table or markdown. irmx unjudged prints it in any format."
        )


def _print_unjudged(arguments: list[str], comparison: Comparison, output_format: str, places: int) -> None:
    """Print the table of ``irmx unjudged`` for the runs of a comparison, by the names that they have there."""
    from irmx_study.assumptions.unjudged import unjudged

    paths, measures = runs_and_measures(arguments[1:], "irmx compare QRELS RUN... MEASURE...")
    runs = dict(zip(comparison.scores.systems, named_runs(paths).values(), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the comparison has given them
        result = unjudged(measures, arguments[0], runs, baseline=comparison.baseline)
    title = "unjudged documents (k = 10), and values if all were non-relevant or relevant"
    click.echo(f"**{title}**\n" if output_format == "markdown" else title)
    print_rows(result.frame(), output_format, places=places)
    for text in result.notes:
        note(text)
