"""``irmx pool``: how robust measures are to missing judgments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmx import UsageError, registry
from irmx.toolkit import (
    QRELS_HELP,
    Argument,
    FormatOption,
    Option,
    counted,
    note,
    picture_option,
    print_rows,
    runs_and_measures,
    write_picture,
)
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

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.pooling.cut_means import CutMeans
    from irmx_study.pooling.cut_study import CutStudy
    from irmx_study.pooling.left_out_result import LeftOutGroups
    from irmx_study.pooling.smaller_pools_result import SmallerPools

USAGE = "irmx pool QRELS RUN... MEASURE..."
EACH_RUN = "each-run"
_LEVELS = "90,70,50,30,10"
_ROWS_OF_GROUPS = 10
"""Up to so many groups, a table for reading has one row per measure and group."""


def missing_judgments(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        Argument(metavar="RUN... MEASURE...", help="Three or more run files or quoted globs, then measures."),
    ],
    keep: Annotated[
        str | None,
        Option(
            "--keep",
            help="The percentages of the judgments to keep, separated by commas; by default 90,70,50,30,10.",
        ),
    ] = None,
    samples: Annotated[
        int | None, Option("--samples", help="The number of random samples at each percentage; by default 10.")
    ] = None,
    seed: SeedOption = 0,
    leave_out: Annotated[
        str | None,
        Option(
            "--leave-out",
            metavar="GROUPS",
            help="Instead of samples, leave out what one group brought into the pool, for every group: a table with the columns run and group, or each-run.",
        ),
    ] = None,
    pool_depth: Annotated[
        int | None,
        Option(
            "--pool-depth", help="With --leave-out: how many documents of each run are in the pool; by default 100."
        ),
    ] = None,
    rel: Annotated[
        float,
        Option("--rel", help="The smallest relevant grade, of which samples keep at least 1 document per topic."),
    ] = 1,
    only: OnlyOption = None,
    every_topic: EveryTopicOption = False,
    best: BestOption = None,
    drops: Annotated[bool, Option("--drops", help="Print how far the values fall, instead of tau.")] = False,
    per_run: Annotated[
        bool, Option("--per-run", help="With --leave-out: print how each run fares without its group.")
    ] = False,
    out: Annotated[
        str | None,
        Option("--out", help="A file for the mean of every run: .parquet, .csv or .tsv. A stopped study resumes."),
    ] = None,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    plot: Annotated[
        Path | None,
        picture_option(
            "--plot",
            help="Also draw tau against the percentage, or with --leave-out how far runs fall: FILE.png, .svg or .pdf.",
        ),
    ] = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Show how robust measures are to missing judgments.

    Ranks the runs with random parts of the judgments, and compares every ranking with that by all judgments. Prints one row
    per measure and percentage: the mean, the smallest and the largest tau of the samples, and the mean value.

    With --leave-out, prints one row per measure and group: how many judgments are lost without it, tau, and how the values and
    ranks of its runs change; of more than 10 groups one row per measure, except with -o csv, tsv or jsonl.
    """
    from irmx.toolkit import check_backend, check_jobs
    from irmx_study.comparison.tables_for_reading import write_facts_below
    from irmx_study.filters.chosen_systems import check_best, listed_names

    check_backend(backend, scheduler)
    check_jobs(jobs)
    check_best(best)
    _check_options(leave_out, {"--keep": keep, "--samples": samples, "--drops": drops},
                   {"--pool-depth": pool_depth, "--per-run": per_run})  # fmt: skip
    paths, measures = runs_and_measures(run_and_measures, USAGE)
    names = None if only is None else listed_names(only)
    result: SmallerPools | LeftOutGroups

    def computed(study: CutStudy) -> CutMeans:
        return _computed(study, out, jobs, scheduler)

    if leave_out is None:
        levels, number = _LEVELS if keep is None else keep, 10 if samples is None else samples
        result = _smaller(computed, (measures, qrels, paths, levels, number, seed, rel, names, out), every_topic, best)
        rows = _as_typed(result.drops() if drops else result.frame(), registry().output_formats()[output_format].WIDE)
    else:
        groups = None if leave_out == EACH_RUN else leave_out
        result = _left_out(computed, (measures, qrels, paths, groups, 100 if pool_depth is None else pool_depth, out), rel, every_topic,
                           best, names)  # fmt: skip
        short = registry().output_formats()[output_format].WIDE and len(result.groups) > _ROWS_OF_GROUPS
        rows = result.runs() if per_run else result.summary() if short else result.frame()
    if plot is not None:
        write_picture(result.plot().figure_, plot)
    print_rows(rows, output_format, places=decimal_places(places, output_format))
    write_facts_below(result, output_format)


def _as_typed(rows: pd.DataFrame, for_reading: bool) -> pd.DataFrame:
    """Return rows with percentages that are printed as users type them: 50 and 33.3, not 50.0 and 33.3000."""
    import pandas as pd

    levels = [int(level) if level == int(level) else float(level) for level in rows["keep"]]
    if for_reading and not all(isinstance(level, int) for level in levels):
        return rows.assign(keep=[str(level) for level in levels])
    return rows.assign(keep=pd.Series(levels, dtype=object, index=rows.index))


def _check_options(leave_out: str | None, of_samples: dict[str, Any], of_groups: dict[str, Any]) -> None:
    """Raise for an option that goes with the other kind of study."""
    others = of_groups if leave_out is None else of_samples
    wrong = [name for name, value in others.items() if value is not None and value is not False]
    if wrong and leave_out is None:
        raise UsageError(f"{wrong[0]} goes with --leave-out.")
    if wrong:
        raise UsageError(f"{wrong[0]} is about random samples, and --leave-out takes none. Leave one of the two out.")


def _smaller(
    computed: Callable[[CutStudy], CutMeans], arguments: tuple[Any, ...], every_topic: bool, best: float | None
) -> SmallerPools:
    from irmx_study.pooling.smaller_pools import pool_study
    from irmx_study.pooling.smaller_pools_result import SmallerPools

    study, cuts = pool_study(*arguments)
    return SmallerPools.of(computed(study).chosen(every_topic, best), cuts, study.judgments)


def _left_out(
    computed: Callable[[CutStudy], CutMeans], arguments: tuple[Any, ...], rel: float, every_topic: bool, best: float | None,
    only: list[str] | None,
) -> LeftOutGroups:  # fmt: skip
    from irmx_study.pooling.left_out_groups import leave_out_study
    from irmx_study.pooling.left_out_result import LeftOutGroups

    study, cuts, group_of = leave_out_study(*arguments)
    means = computed(study).chosen(every_topic, best, only)
    return LeftOutGroups.of(means, cuts, group_of, study.judgments, arguments[4], rel)


def _computed(study: CutStudy, out: str | None, jobs: int | None, scheduler: str | None) -> CutMeans:
    """Compute a study, and say what was already done, and what is kept if it is stopped."""
    total = counted(len(study.runs), "run")
    if study.complete:
        note(f"{out} is complete: {total}")
    elif study.done:
        note(f"{study.done} of {total} are already done")
    try:
        return study.compute(jobs, None, scheduler)
    except KeyboardInterrupt:
        if out is not None and study.done:
            note(f"{study.done} of {total} are done and kept; the same command resumes from there")
        raise
