"""``irmx pool``: how robust measures are to missing judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from irmx import QRELS_HELP, FormatOption, counted, print_rows, runs_and_measures
from irmx_study.commands.shared_options import (
    BackendOption,
    BestOption,
    EveryTopicOption,
    JobsOption,
    OnlyOption,
    PlacesByFormatOption,
    SchedulerOption,
    SeedOption,
    decimal_places,
)
from irmx_study.pictures.picture_files import picture_file, write_picture

USAGE = "irmx pool QRELS RUN... MEASURE..."


def smaller_pools(
    qrels: Annotated[str, typer.Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        typer.Argument(metavar="RUN... MEASURE...", help="Three or more run files or quoted globs, then measures."),
    ],
    keep: Annotated[
        str, typer.Option("--keep", help="The percentages of the judgments to keep, separated by commas.")
    ] = "90,70,50,30,10",
    samples: Annotated[int, typer.Option("--samples", help="The number of random samples at each percentage.")] = 10,
    seed: SeedOption = 0,
    rel: Annotated[
        float, typer.Option("--rel", help="The smallest relevant grade, of which at least 1 document is kept.")
    ] = 1,
    only: OnlyOption = None,
    every_topic: EveryTopicOption = False,
    best: BestOption = None,
    drops: Annotated[bool, typer.Option("--drops", help="Print how far the values fall, instead of tau.")] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", help="A file for the mean of every run: .parquet, .csv or .tsv. A stopped study resumes."
        ),
    ] = None,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            callback=picture_file,
            help="Also draw tau against the percentage: FILE.png, .svg or .pdf.",
        ),
    ] = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Show how robust measures are to missing judgments.

    Ranks the runs with random parts of the judgments, and compares every ranking with that by all judgments. Prints one row
    per measure and percentage: the mean, the smallest and the largest tau of the samples, and the mean value.
    """
    from irmx.parallel import check_backend, check_jobs
    from irmx_study.comparison.tables_for_reading import write_facts_below
    from irmx_study.filters.chosen_systems import listed_names
    from irmx_study.pooling.smaller_pools import pool_study
    from irmx_study.pooling.smaller_pools_result import SmallerPools

    check_backend(backend, scheduler)
    check_jobs(jobs)
    paths, measures = runs_and_measures(run_and_measures, USAGE)
    names = None if only is None else listed_names(only)
    study, cuts = pool_study(measures, qrels, paths, keep, samples, seed, rel, names, out)
    total = counted(len(study.runs), "run")
    if study.complete:
        note(f"{out} is complete: {total}")
    elif study.done:
        note(f"{study.done} of {total} are already done")
    try:
        means = study.compute(jobs, None, scheduler)
    except KeyboardInterrupt:
        if out is not None and study.done:
            note(f"{study.done} of {total} are done and kept; the same command resumes from there")
        raise
    result = SmallerPools.of(means.chosen(every_topic, best), cuts, study.judgments)
    if plot is not None:
        write_picture(result.plot().figure_, plot)
    print_rows(result.drops() if drops else result.frame(), output_format, places=decimal_places(places, output_format))
    write_facts_below(result, output_format)


def note(text: str) -> None:
    """Print a line to standard error, prefixed as those of irmx."""
    typer.echo(f"irmx: {text}", err=True)
