"""``irmx compare``: which system is better, by how much, how sure."""

from __future__ import annotations

from typing import Annotated

import typer

from irmx import FormatOption, print_rows, registry
from irmx_study.commands.scored import ArgumentsOption, LabelOption, MeasureOption, ScoresOption, scored


def compare_runs(
    arguments: ArgumentsOption,
    baseline: Annotated[
        list[str] | None,
        typer.Option("--baseline", help="The run to compare the others with; by default the first. May be repeated."),
    ] = None,
    all_pairs: Annotated[bool, typer.Option("--all-pairs", help="Compare all pairs of runs.")] = False,
    test: Annotated[
        str,
        typer.Option(
            "--test", help="t, permutation, bootstrap, wilcoxon, sign, tukey, randomised-tukey, or one of a plugin."
        ),
    ] = "t",
    correction: Annotated[
        str | None,
        typer.Option(
            "--correction",
            help="holm, bonferroni, hommel, bh, maxt, none, or one of a plugin; by default holm for several comparisons.",
        ),
    ] = None,
    family: Annotated[
        str, typer.Option("--family", help="What is corrected together: the comparisons of each measure, or all.")
    ] = "measure",
    level: Annotated[float, typer.Option("--level", help="The level of significance.")] = 0.05,
    interval: Annotated[str, typer.Option("--interval", help="The interval of the difference: t or bca.")] = "t",
    draws: Annotated[int, typer.Option("--draws", help="The number of random draws.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random draws.")] = 0,
    tie_threshold: Annotated[
        float, typer.Option("--tie-threshold", help="The largest difference on a topic that is a tie.")
    ] = 0.0,
    sort: Annotated[
        str | None,
        typer.Option("--sort", help="Sort the runs by mean, difference, effect, p, p_corrected or system."),
    ] = None,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    output_format: FormatOption = "table",
    places: Annotated[
        int | None,
        typer.Option("-p", "--places", min=-1, help="Decimal places, -1 for all; 4, and all in tsv and csv."),
    ] = None,
) -> None:
    """Compare systems: which is better, by how much, how sure.

    The first run is the baseline. Prints one row per measure and run: the mean, the difference to the baseline with its
    interval, the effect size, the p-value, the corrected one, and on how many topics the run wins, ties and loses.
    With -o csv, tsv or jsonl, one row per comparison.
    """
    from irmx_study.comparison.compare import compare
    from irmx_study.comparison.tables_for_reading import printed_facts, rows_for_reading

    comparison = compare(
        scored("compare", arguments, scores, measure, label or ()),
        baseline or None,
        all_pairs=all_pairs,
        test=test,
        correction=correction,
        family=family,
        level=level,
        interval=interval,
        draws=draws,
        seed=seed,
        tie_threshold=tie_threshold,
    )
    if not registry().output_formats()[output_format].WIDE:
        print_rows(comparison.frame(), output_format, places=-1 if places is None else places)
        for note in comparison.notes:
            typer.echo(f"irmx: {note}", err=True)
        return
    places = 4 if places is None else places
    print_rows(rows_for_reading(comparison, sort, places), output_format, places=places)
    typer.echo(printed_facts(comparison), err=output_format != "table")
