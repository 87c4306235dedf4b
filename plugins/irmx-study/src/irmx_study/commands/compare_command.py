"""``irmx compare``: which system is better, by how much, how sure."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

from irmx import DataWarning, FormatOption, UsageError, print_rows, registry
from irmx_study.commands.scored import ArgumentsOption, LabelOption, MeasureOption, ScoresOption, by_run, scored


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
    With -o csv, tsv or jsonl, one row per comparison. Below a table, and otherwise on standard error, stands how they were compared.
    """
    from irmx_study.comparison.choices import Choices
    from irmx_study.comparison.compare import compare
    from irmx_study.comparison.tables_for_reading import printed_facts, rows_for_reading

    how: dict[str, Any] = {
        "test": test, "correction": correction, "family": family, "level": level, "interval": interval, "draws": draws,
        "seed": seed, "tie_threshold": tie_threshold,
    }  # fmt: skip
    Choices.of(2, **how)  # refuses a mistyped option before the runs are scored
    for_reading = registry().output_formats()[output_format].WIDE
    if sort is not None and not for_reading:
        raise UsageError(f"--sort orders the table of runs. With -o {output_format}, there is one row per comparison.")
    with warnings.catch_warnings():
        # the notes of the comparison count the topics that runs lack
        warnings.filterwarnings("ignore", r"[\s\S]*no results for \d+ of \d+ topics .*measures' defaults$", DataWarning)
        values = scored("compare", arguments, scores, measure, label or ())
    named = [by_run(label or ()).get(name, name) for name in baseline or ()]
    comparison = compare(values, named or None, all_pairs=all_pairs, **how)
    if for_reading:
        places = 4 if places is None else places
        print_rows(rows_for_reading(comparison, sort, places), output_format, places=places)
    else:
        print_rows(comparison.frame(), output_format, places=-1 if places is None else places)
    typer.echo(printed_facts(comparison), err=output_format != "table")
    if (draws, seed) != (10_000, 0) and not comparison.choices.resampled:
        typer.echo("irmx: --draws and --seed change nothing, because nothing is drawn at random", err=True)
