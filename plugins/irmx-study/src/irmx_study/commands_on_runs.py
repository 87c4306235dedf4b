"""The commands that read runs and judgments themselves: pool, unjudged, sweep, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from irmx import UsageError, parse_measure
from irmx.toolkit import (
    QRELS_HELP,
    Argument,
    FormatOption,
    Option,
    WidthOption,
    check_backend,
    check_jobs,
    matching_files,
    note,
    plural,
    runs_and_measures,
)
from irmx_study.choices import Choices
from irmx_study.commands import write_report
from irmx_study.options import (
    AllPairsOption,
    ArgumentsOption,
    BackendOption,
    BaselinesOption,
    BestOption,
    EveryTopicOption,
    JobsOption,
    LabelOption,
    MissingOption,
    OnlyOption,
    PlacesByFormatOption,
    QueriesOption,
    ResultFiles,
    SchedulerOption,
    SeedOption,
    TextsOption,
    check_kinds,
    draw,
    plot_option,
    report_file,
    table_option,
)
from irmx_study.system_names import labelled_runs, labels_of


def missing_judgments(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        Argument(metavar="RUN... MEASURE...", help="Three or more run files or quoted globs, then measures."),
    ],
    keep: Annotated[
        list[str] | None,
        Option(
            "--keep",
            help="The percentages of the judgments to keep, separated by commas; by default 90,70,50,30,10. May be repeated.",
        ),
    ] = None,
    samples: Annotated[
        int | None, Option("--samples", help="The number of random samples at each percentage; by default 10.")
    ] = None,
    leave_out: Annotated[
        str | None,
        Option(
            "--leave-out",
            metavar="GROUPS",
            help="Leave out what one group brought into the pool instead: a table with the columns run and group, or each-run.",
        ),
    ] = None,
    pool_depth: Annotated[
        int | None,
        Option("--pool-depth", help="With --leave-out: how many documents of each run are in the pool; 100."),
    ] = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
    table: Annotated[
        str | None,
        table_option(
            levels="by percentage",
            samples="every sample",
            drops="how far values fall",
            sizes="numbers of judgments",
            values="every mean",
            groups="by left-out group",
            measures="over all groups",
            runs="how each run fares without its group",
        ),
    ] = None,
    plot: Annotated[list[str] | None, plot_option("robustness", "means", "falls")] = None,
    width: WidthOption = None,
    only: OnlyOption = None,
    every_topic: EveryTopicOption = False,
    best: BestOption = None,
    rel: Annotated[
        float,
        Option("--rel", help="The smallest relevant grade, of which samples keep at least 1 document per topic."),
    ] = 1,
    seed: SeedOption = 0,
    out: Annotated[
        str | None, Option("--out", help="A file for all means: .parquet, .csv or .tsv. A stopped study resumes.")
    ] = None,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Show which measures cope with missing judgments.

    Ranks the runs with random parts of the judgments, and compares every ranking with that by all judgments. Prints one row
    per measure and percentage: the mean, the smallest and the largest tau of the samples, and the mean value.

    With --leave-out, prints one row per measure and group: how many judgments are lost without it, tau, and how the values and
    ranks of its runs change; of more than 10 groups one row per measure.
    """
    from irmx_study import cutting
    from irmx_study import missing_judgments as studies
    from irmx_study.chosen_systems import check_best, listed_names

    check_backend(backend, scheduler)
    check_jobs(jobs)
    check_best(best)
    of_groups = {"--pool-depth": pool_depth}
    of_samples = {"--keep": keep, "--samples": samples}
    for option, value in (of_groups if leave_out is None else of_samples).items():
        if value is not None:
            raise UsageError(
                f"{option} goes with --leave-out." if leave_out is None
                else f"{option} is about random samples, and --leave-out takes none. Leave one of the two out."
            )  # fmt: skip
    kinds = ["robustness", "means"] if leave_out is None else ["falls"]
    check_kinds(plot, kinds, "falls with --leave-out, without robustness and means")
    paths, measures = runs_and_measures(run_and_measures, "irmx pool QRELS RUN... MEASURE...")
    names = None if only is None else listed_names(only)
    study: Any
    if leave_out is None:
        levels, number = (
            cutting.KEEP if keep is None else ",".join(keep),
            cutting.SAMPLES if samples is None else samples,
        )
        study = cutting.SampleStudy(measures, qrels, paths, levels, number, seed, rel, names, out)
    else:
        groups = None if leave_out == "each-run" else leave_out
        depth = cutting.DEPTH if pool_depth is None else pool_depth
        study = cutting.GroupStudy(measures, qrels, paths, groups, depth, out)
    values = _computed(study, plural(len(study.runs), "run"), out, jobs, scheduler)
    if leave_out is None:
        result = studies.pool_result(study, values, every_topic, best)
    else:
        result = studies.groups_result(study, values, depth, rel, every_topic, best, names)
    draw(result, plot, width)
    result.show(output_format, table, places)


def _computed(study: Any, every: str, out: str | None, jobs: int | None, scheduler: str | None, of: str = "") -> Any:
    """Compute a study of so many runs or settings; say what is already done, and if it is stopped, what is kept."""
    if study.work.complete:
        note(f"{out} is complete: {every}{of}")
    elif study.done:
        note(f"{study.done} of {every} are already done")
    try:
        return study.compute(jobs, None, scheduler)
    except KeyboardInterrupt:
        if out is not None and study.done:
            note(f"{study.done} of {every} are done and kept; the same command resumes from there")
        raise


def unjudged_documents(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        Argument(metavar="RUN... MEASURE...", help="One or more run files or quoted globs, then measures."),
    ],
    k: Annotated[int, Option("-k", help="The share of unjudged documents is of the top k.")] = 10,
    grade: Annotated[
        str,
        Option(
            "--grade",
            help="The grade of documents that are assumed to be relevant: relevant (1), largest, or a number.",
        ),
    ] = "relevant",
    depth: Annotated[
        int | None,
        Option("--depth", help="The last rank at which unjudged documents get a grade; by default all do."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        Option("--baseline", metavar="RUN", help="The run to compare the others with; by default the first."),
    ] = None,
    table: Annotated[
        str,
        table_option(
            values="one row per measure and run", pairs="differences to the baseline", per_topic="shares by topic"
        ),
    ] = "values",
    label: LabelOption = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Show how unjudged documents could affect results.

    Prints one row per measure and run: the share of unjudged documents in the top k, the value as judged, if all unjudged
    documents were non-relevant and if they were relevant, whether these two are bounds, the residual of RBP, and whether the
    order of the run and the baseline could flip.
    """
    from irmx_study.assuming import unjudged

    paths, measures = runs_and_measures(run_and_measures, "irmx unjudged QRELS RUN... MEASURE...")
    by_label = labelled_runs(paths, label)
    try:
        assumed: float | str = float(grade)
    except ValueError:
        assumed = grade
    result = unjudged(measures, qrels, by_label, k=k, baseline=labels_of(baseline, label), grade=assumed, depth=depth)
    result.show(output_format, table, places)


def features_of_collection(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    runs: Annotated[list[str] | None, Argument(metavar="RUN...", help="Run files or quoted globs.")] = None,
    rel: Annotated[float, Option("--rel", help="The smallest relevant grade.")] = 1,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Describe judgments and runs.

    Prints one row per feature: topics, judged and relevant documents, and those of each grade; with runs, how many documents they
    retrieve, and the rank down to which all of these are judged. The numbers beside are the smallest, the mean and the largest of
    a topic.
    """
    from irmx_study.features import collection

    collection(qrels, runs or None, rel=rel).show(output_format, None, places)


def sweep_settings(
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
    out: Annotated[str, Option("--out", help="The results file: .parquet, .csv or .tsv.")],
    grid: Annotated[
        list[str] | None,
        Option(
            "-g",
            "--grid",
            help="PARAMETER=VALUE,VALUE,... or PARAMETER=LOW:HIGH:NUMBER; a value may be a multiple of another parameter, such as 0.5*MD. Repeat for each parameter.",
        ),
    ] = None,
    population: Annotated[
        str | None,
        Option("--population", metavar="FILE", help="In place of a grid: a column per parameter, and weight."),
    ] = None,
    reference: Annotated[
        list[str] | None,
        Option("-r", "--reference", help="Another measure to compute once for every run. May be repeated."),
    ] = None,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Score runs in every setting of a grid of parameters.

    Writes one row per run, topic and setting, for irmx compare --scores and irmx correlate --scores. Every finished setting is
    kept in the folder OUT.parts, from which the same command resumes after it was stopped.
    """
    from irmx_study.sweeping import Sweep

    check_backend(backend, scheduler)
    check_jobs(jobs)
    for argument in runs:
        if not Path(argument).exists() and _is_measure(argument):
            raise UsageError(
                f"{argument} is a measure, and no run file has this name. Give every reference its own --reference."
            )
    paths = [path for argument in runs for path in matching_files(argument)]
    the_sweep = Sweep(measure, grid or None, qrels, paths, reference or (), population, out)
    settings, of_runs = plural(len(the_sweep.settings), "setting"), f" of {plural(len(paths), 'run')}"
    was_complete = the_sweep.work.complete
    _computed(the_sweep, settings, out, jobs, scheduler, of_runs)
    if not was_complete:
        note(f"{out}: {settings}{of_runs}")


def _is_measure(text: str) -> bool:
    try:
        parse_measure(text)
    except UsageError:
        return False
    return True


def report_on_runs(
    arguments: ArgumentsOption,
    out: Annotated[
        Path, Option("-o", "--out", metavar="FILE", check=report_file, help="The page to write: FILE.html.")
    ] = Path("report.html"),
    title: Annotated[str, Option("--title", help="The title of the page.")] = "",
    baseline: BaselinesOption = None,
    all_pairs: AllPairsOption = False,
    *,
    texts: TextsOption = None,
    queries: QueriesOption = None,
    missing: MissingOption = "refuse",
    choices: Choices,
    files: ResultFiles,
) -> None:
    """Make a report on runs: one page of HTML, which opens in any browser and works offline.

    It begins with what was found, then has a table of the runs that can be sorted, pictures of the differences, the rankings of
    two runs side by side, how far the measures agree, the share of unjudged documents, tables for papers and data to
    download, and how all of it was made. If the qrels are an id of ir_datasets, the texts are those of its documents and topics.
    """
    how = {"choices": choices, "all_pairs": all_pairs, "missing": missing, "title": title}
    write_report(out, arguments, baseline, files, how, texts, queries)
