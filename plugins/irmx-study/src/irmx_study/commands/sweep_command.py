"""``irmx sweep``: score runs in every setting of a grid of parameters."""

from __future__ import annotations

import os
from typing import Annotated

from irmx.toolkit import Argument, Option


def sweep(
    qrels: Annotated[str, Argument(help="Qrels: a file, - for standard input, an ir_datasets id, or FORMAT:PATH.")],
    runs: Annotated[list[str], Argument(metavar="RUN...", help="Run files or quoted globs, or - for standard input.")],
    measure: Annotated[
        str,
        Option(
            "-m",
            "--measure",
            help="A measure of an irmx plugin, with the parameters that are the same in all settings.",
        ),
    ],
    grid: Annotated[
        list[str],
        Option(
            "-g",
            "--grid",
            help="PARAMETER=VALUE,VALUE,... or PARAMETER=LOW:HIGH:NUMBER; a value may be a multiple of another parameter, such as 0.5*MD. Repeat for each parameter.",
        ),
    ],
    out: Annotated[str, Option("--out", help="The results file: .parquet, .csv or .tsv.")],
    reference: Annotated[
        list[str] | None,
        Option("-r", "--reference", help="Another measure to compute once for every run. May be repeated."),
    ] = None,
    jobs: Annotated[
        int | None, Option("-j", "--jobs", help="Number of processes; by default the number of cores.")
    ] = None,
    backend: Annotated[str | None, Option("--backend", metavar="dask", help="Compute on a Dask cluster.")] = None,
    scheduler: Annotated[
        str | None, Option("--scheduler", metavar="ADDRESS", help="The address of the Dask scheduler.")
    ] = None,
) -> None:
    """Score runs in every setting of a grid of parameters.

    Writes one row per run, topic and setting. Every finished setting is kept in the folder OUT.parts, from which the same
    command resumes after it was stopped.
    """
    from irmx import UsageError
    from irmx.toolkit import check_backend, check_jobs, counted, matching_files, note
    from irmx_study.sweeping.sweeps import Sweep

    check_backend(backend, scheduler)
    check_jobs(jobs)
    for argument in runs:
        if not os.path.exists(argument) and _is_measure(argument):
            raise UsageError(
                f"{argument} is a measure, and no run file has this name. Give every reference its own --reference."
            )
    paths = [path for argument in runs for path in matching_files(argument)]
    the_sweep = Sweep(measure, grid, qrels, paths, reference or (), out)
    total = len(the_sweep.settings)
    size = f"{counted(total, 'setting')} of {counted(len(paths), 'run')}"
    if the_sweep.complete:
        note(f"{out} is complete: {size}")
        return
    if the_sweep.done:
        note(f"{the_sweep.done} of {total} settings are already done")
    try:
        the_sweep.compute(jobs, None, backend, scheduler)
    except KeyboardInterrupt:
        if the_sweep.done:
            note(f"{the_sweep.done} of {total} settings are done and kept; the same command resumes from there")
        raise
    note(f"{out}: {size}")


def _is_measure(text: str) -> bool:
    from irmx import UsageError, parse_measure

    try:
        parse_measure(text)
    except UsageError:
        return False
    return True
