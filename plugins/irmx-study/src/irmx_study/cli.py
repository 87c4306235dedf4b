"""``irmx sweep``: score runs in every setting of a grid of parameters."""

from __future__ import annotations

import os
from typing import Annotated

import typer


def sweep(
    qrels: Annotated[
        str, typer.Argument(help="Qrels: a file, - for standard input, an ir_datasets id, or FORMAT:PATH.")
    ],
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Run files or quoted globs, or - for standard input.")
    ],
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="A measure of an irmx plugin, with what is the same in all settings.")
    ],
    grid: Annotated[
        list[str],
        typer.Option(
            "-g",
            "--grid",
            help="PARAMETER=VALUE,VALUE,... or PARAMETER=LOW:HIGH:NUMBER; a value may be a multiple of another parameter, such as 0.5*MD. Once for each parameter.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", help="The file of results: .parquet, .csv or .tsv.")],
    reference: Annotated[
        list[str] | None, typer.Option("-r", "--reference", help="A further measure, computed once for every run.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("-j", "--jobs", help="Processes; the number of cores by default.")] = None,
    backend: Annotated[str | None, typer.Option("--backend", help="dask: work on a cluster.")] = None,
    scheduler: Annotated[str | None, typer.Option("--scheduler", help="The address of the scheduler of Dask.")] = None,
) -> None:
    """Score runs in every setting of a grid of parameters.

    Writes one row per run, topic and setting. Every finished setting is kept in the folder OUT.parts; after a stop the same
    command goes on from there.
    """
    from irmx import UsageError, counted, matching_files
    from irmx_study.backends import check_backend, check_jobs
    from irmx_study.sweeps import Sweep

    check_backend(backend, scheduler)
    check_jobs(jobs)
    for argument in runs:
        if not os.path.exists(argument) and _is_measure(argument):
            raise UsageError(
                f"{argument} is a measure, and no run file has this name. Every reference has a --reference of its own."
            )
    paths = [path for argument in runs for path in matching_files(argument)]
    asked = Sweep(measure, grid, qrels, paths, reference or (), out)
    total = len(asked.settings)
    all_of_them = f"{counted(total, 'setting')} of {counted(len(paths), 'run')}"
    if asked.complete:
        note(f"{out} is complete: {all_of_them}")
        return
    if asked.done:
        note(f"{asked.done} of {total} settings are there already")
    try:
        asked.compute(jobs, None, backend, scheduler)
    except KeyboardInterrupt:
        if asked.done:
            note(f"{asked.done} of {total} settings are done and kept; the same command goes on from there")
        raise
    note(f"{out}: {all_of_them}")


def _is_measure(text: str) -> bool:
    from irmx import UsageError, parse_measure

    try:
        parse_measure(text)
    except UsageError:
        return False
    return True


def note(text: str) -> None:
    """Print a line on standard error, as irmx does."""
    typer.echo(f"irmx: {text}", err=True)
