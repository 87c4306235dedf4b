"""The commands that compare systems and study measures."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import click

from irmx import UsageError, parse_measure, registry
from irmx.toolkit import (
    QRELS_HELP,
    Argument,
    Fields,
    FormatOption,
    Option,
    WidthOption,
    matching_file,
    matching_files,
    named_runs,
    note,
    parse_measures,
    plural,
    runs_and_measures,
    visible,
)
from irmx_study.inputs.choices import Choices, refuse_unknown
from irmx_study.inputs.views import by_run, labelled_runs, labels_of, measures_labelled, repeated
from irmx_study.options import (
    REPORT_ENDINGS,
    AllPairsOption,
    ArgumentsOption,
    BaselinesOption,
    FormatOrReportOption,
    LabelOption,
    LevelOption,
    MethodsOption,
    MissingOption,
    PlacesByFormatOption,
    QueriesOption,
    ResultFiles,
    SeedOption,
    SnapshotsOption,
    SystemsToKeep,
    TextsOption,
    Workers,
    check_kinds,
    draw,
    plot_option,
    report_file,
    scored,
    table_option,
    text_option,
    usage_without_scores,
    write_text,
)

# -- the commands on scores ------------------------------------------------------------------------------------------


@dataclass
class _Paper:
    """The options on what goes into a paper."""

    intervals: Annotated[bool, Option("--intervals", help="With -o latex: also print intervals.")] = False
    column: Annotated[
        float | None,
        Option("--column", metavar="POINTS", help="With -o latex: the width of a column of the paper; by default 229."),
    ] = None
    methods: MethodsOption = None
    bib: Annotated[
        Path | None, text_option("--bib", "FILE.bib", help="Also write BibTeX entries of what --methods cites.")
    ] = None


def compare_runs(
    arguments: ArgumentsOption,
    baseline: BaselinesOption = None,
    all_pairs: AllPairsOption = False,
    *,
    sort: Annotated[
        str | None,
        Option(
            "--sort",
            complete=lambda: ["mean", "difference", "effect", "p", "p_corrected", "system"],
            help="Sort the runs by mean (the default), difference, effect, p, p_corrected or system.",
        ),
    ] = None,
    output_format: FormatOrReportOption = "table",
    places: PlacesByFormatOption = None,
    table: Annotated[
        str,
        table_option(
            comparisons="the comparisons",
            systems="one row per run and view",
            views="one row per view and pair",
            over="in how many views each is better",
            border="where along parameters that changes",
            ranks="over all views",
        ),
    ] = "comparisons",
    plot: Annotated[
        list[str] | None, plot_option("differences", "topics", "groups", "p", "cost", "views", "ranks")
    ] = None,
    width: WidthOption = None,
    top: Annotated[
        int | None,
        Option("--top", min=0, help="The number of best runs to show; by default 20 in table and latex; 0 for all."),
    ] = None,
    paper: _Paper,
    choices: Choices,
    population: Annotated[
        str | None,
        Option(
            "--population", metavar="FILE", help="The users of the last measure: a column per parameter, and weight."
        ),
    ] = None,
    missing: MissingOption = "refuse",
    files: ResultFiles,
) -> None:
    """Compare systems: which is better, by how much, how sure; and for which users.

    Prints the means of the runs, their differences to the baseline with the interval, the effect size, the corrected p-value,
    and the number of topics won, tied and lost; of more than two runs also which cannot be told apart. Of a measure in several
    settings, such as 'MP(model=*)', also for how many of these users each run is better. With -o csv, tsv or jsonl, one row
    per comparison; with -o latex the table of a paper; with -o FILE.html a report.
    """
    from irmx_study.systems.compare import compare
    from irmx_study.systems.pairs import check_order

    check_order(sort, all_pairs)  # a mistyped option is refused before the runs are scored
    if output_format.endswith(REPORT_ENDINGS):
        for option, given in (
            ("--sort", sort),
            ("--methods", paper.methods),
            ("--bib", paper.bib),
            ("--plot", plot),
            ("--population", population),
        ):
            if given:
                raise UsageError(f"{option} changes what is printed; a report has its own. Leave {option} out.")
        how = {"choices": choices, "all_pairs": all_pairs, "missing": missing}
        write_report(Path(output_format), arguments, baseline, files, how)
        return
    if sort is not None and (table != "comparisons" or not registry().output_formats()[output_format].FOR_READING):
        raise UsageError("--sort orders the table of runs for reading, not the rows of other tables.")
    heads, files.labels = measures_labelled(files.labels)
    latex = {"intervals": paper.intervals, "column": paper.column, "heads": heads} if output_format == "latex" else {}
    for option, is_given in (
        ("--intervals", paper.intervals),
        ("--column", paper.column is not None),
        ("--label of a measure", bool(heads)),
    ):
        if is_given and not latex:
            raise UsageError(f"{option} is about the table of a paper. Add -o latex, or leave it out.")
    values = scored("compare", arguments, files, population=population)
    comparison = compare(
        values, baseline=labels_of(baseline, files.labels), all_pairs=all_pairs, choices=choices, missing=missing
    )
    draw(comparison, plot, width)
    for file, text in ((paper.methods, comparison.methods), (paper.bib, comparison.bibtex)):
        write_text(file, text)
    if top is None:
        top = 20 if output_format in ("table", "latex") else 0
    comparison.show(output_format, table, places, sort=sort, most=top or None, **latex)


@dataclass
class _Ranked:
    """What :func:`irmx_study.correlate` takes beside scores and the reference."""

    decimals: Annotated[
        int | None,
        Option("--round", min=0, metavar="PLACES", help="Round the means first, as papers that start from tables do."),
    ] = None
    rbo_p: Annotated[float, Option("--rbo-p", help="The persistence of RBO, between 0 and 1.")] = 0.9
    rbo_ties: Annotated[str, Option("--rbo-ties", help="The treatment of ties of RBO: w, a or b.")] = "b"
    resamples: Annotated[int, Option("--resamples", help="The number of resamples of topics; 0 for none.")] = 1000
    level: Annotated[float, Option("--level", help="The share of resamples outside the range of stability.")] = 0.05
    seed: SeedOption = 0


def correlate_measures(
    arguments: ArgumentsOption,
    reference: Annotated[
        str | None,
        Option(
            "-r",
            "--reference",
            metavar="MEASURE",
            help="The measure, or the setting, to correlate all others with; by default all pairs. Or COLUMN=VALUE of views, such as judgments=human or RBP.p=0.5.",
        ),
    ] = None,
    coefficient: Annotated[
        str,
        Option("--coefficient", help="Of the matrix: tau, tau_ap, tau_ap_b, rbo, spearman or pearson."),
    ] = "tau",
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
    table: Annotated[
        str,
        table_option(
            pairs="all coefficients",
            stability="tau under resampling of topics",
            topics="taus topic by topic, summarised",
            per_topic="tau on every topic",
            rbo="RBO with all treatments of ties",
            views="with a reference, one row per setting",
            extremes="with a reference, the lowest, the median and the highest",
        ),
    ] = "pairs",
    plot: Annotated[list[str] | None, plot_option("map", "scatter", "views")] = None,
    width: WidthOption = None,
    order: Annotated[
        str, Option("--order", help="The order of the heat map: listed, or similar for neighbours that agree.")
    ] = "listed",
    along: Annotated[
        list[str] | None, Option("--along", metavar="PARAMETER", help="With --plot views=FILE: a parameter on an axis.")
    ] = None,
    *,
    kept: SystemsToKeep,
    files: ResultFiles,
    ranked: _Ranked,
) -> None:
    """Show which measures, or settings of a measure, rank systems the same way.

    Every measure ranks the runs by their means. Prints Kendall's tau-b between all measures with its stability under resampling
    of topics, or with --reference all coefficients of every measure with one; of very many settings the lowest, the
    median and the highest. With -o csv, tsv or jsonl, one row per pair of measures with all coefficients.
    """
    from irmx_study.measures.correlate import COEFFICIENTS, check_parameters, correlate

    refuse_unknown("coefficient", coefficient, COEFFICIENTS)
    check_parameters(**vars(ranked))
    column, _, value = (reference or "").partition("=")
    of_column: dict[str, Any] | None = None
    if value and (column in _COLUMNS or re.fullmatch(r"\w+(\.\w+)+", column)):
        of_column = {column: value}
        if "." in column or column in ("keep", "sample"):
            with contextlib.suppress(ValueError):  # it is a text
                of_column = {column: float(value)}
    added = None if files.from_files or of_column else reference
    values = scored("correlate", arguments, files, kept, reference=added)
    agreement = correlate(values, reference=of_column or reference, **vars(ranked))
    draw(agreement, plot, width, map={"coefficient": coefficient, "order": order}, views={"along": along})
    agreement.show(output_format, table, places, coefficient=coefficient)


_COLUMNS = ("measure", "judgments", "unjudged", "keep", "sample", "without", "slice", "seed", "collection")


def discriminate_measures(
    arguments: ArgumentsOption,
    *,
    choices: Annotated[Choices, Fields("test", "level", "draws", "seed", "tie_threshold")],
    correction: Annotated[
        str,
        Option(
            "--correction",
            help="A correction: none, holm, bonferroni, hommel, bh, by, maxt, or one of a plugin, for all pairs.",
        ),
    ] = "none",
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
    table: Annotated[
        str,
        table_option(
            measures="one row per measure",
            asl="the achieved significance levels of all pairs, sorted",
            swaps="the swap rates by the difference of means",
        ),
    ] = "measures",
    plot: Annotated[list[str] | None, plot_option("levels", "log", "swaps")] = None,
    width: WidthOption = None,
    splits: Annotated[
        int, Option("--splits", help="How often to split the topics into halves; 0 for no swap rates.")
    ] = 1000,
    bin_width: Annotated[
        float, Option("--bin-width", help="The width of the bins of differences for swap rates.")
    ] = 0.01,
    kept: SystemsToKeep,
    files: ResultFiles,
) -> None:
    """Show which measures separate systems: discriminative power and swap rates.

    All pairs of runs are tested by each measure. Prints for how many the difference is significant, their share (the
    discriminative power), the difference of means from which on all pairs are significant, and how often random halves of the topics
    put two runs into opposite orders (the swap rate); the measure with the largest power first.
    """
    from irmx_study.measures.discriminate import discriminate

    if not splits and (table == "swaps" or any(str(one).startswith("swaps=") for one in plot or ())):
        raise UsageError("Swap rates need --splits of at least 1.")
    values = scored("discriminate", arguments, files, kept)
    result = discriminate(values, choices=replace(choices, correction=correction), splits=splits, bin_width=bin_width)
    draw(result, plot, width)
    result.show(output_format, table, places)


@dataclass
class _Planned:
    """What :func:`irmx_study.power` takes beside earlier results."""

    difference: Annotated[list[float] | None, Option("--difference", help="A difference to find. May be repeated.")] = (
        None
    )
    topics: Annotated[
        int | None, Option("--topics", help="The number of topics; by default those of the earlier systems.")
    ] = None
    sd: Annotated[
        float | None, Option("--sd", help="The standard deviation of the differences of two systems by topic.")
    ] = None
    variance: Annotated[float | None, Option("--variance", help="Their variance.")] = None
    width: Annotated[
        float | None, Option("--width", help="The width that the interval of a difference is to have.")
    ] = None
    systems: Annotated[
        int | None,
        Option("--systems", help="Also the topics needed to tell the best from the worst of so many systems (ANOVA)."),
    ] = None
    level: LevelOption = 0.05
    power: Annotated[float, Option("--power", help="The probability of finding the difference.")] = 0.8
    comparisons: Annotated[
        int, Option("--comparisons", help="How many comparisons the level is divided by, as Bonferroni does.")
    ] = 1
    by_pair: Annotated[bool, Option("--by-pair", help="One row per pair of systems.")] = False


def plan_topics(
    arguments: Annotated[
        list[str] | None,
        Argument(
            metavar="QRELS RUN... MEASURE...",
            help=f"Earlier systems, whose differences vary as those to come. {QRELS_HELP} Then run files or quoted globs, then measures. With --scores: files of per-topic results. Nothing with --sd or --variance.",
        ),
    ] = None,
    *,
    planned: _Planned,
    files: ResultFiles,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Plan an experiment: which differences it can find, and how many topics it needs.

    Prints one row per measure: the standard deviation of the differences of two systems, and the difference that the paired t
    test detects, for the median pair of systems and for the one with the largest deviation. With --difference, also the
    number of topics needed.
    """
    from irmx_study.systems import planning

    if not arguments and (files.from_files or files.table_measure is not None or files.labels):
        raise UsageError(
            "--scores, --measure and --label are about results of earlier systems. Give these, or leave them out."
        )
    if bool(arguments) == (planned.sd is not None or planned.variance is not None):
        raise UsageError("irmx power needs either qrels, runs and measures, or --sd or --variance.")
    values = scored("power", arguments, files) if arguments else None
    planning.power(values, **vars(planned)).show(output_format, None, places)


def topics_in_order(
    arguments: ArgumentsOption,
    by: Annotated[
        str, Option("--by", help="The order: difference of two runs; easiest, hardest or disputed over all runs.")
    ] = "difference",
    top: Annotated[
        int | None,
        Option("--top", min=1, help="How many topics to print; by difference, so many from each end. By default all."),
    ] = None,
    system: Annotated[
        str | None, Option("--system", help="The run to compare with the baseline; by default the second.")
    ] = None,
    baseline: Annotated[
        str | None, Option("--baseline", help="The run to compare it with; by default the first.")
    ] = None,
    sort: Annotated[
        str | None, Option("--sort", help="The measure that decides the order; by default the first.")
    ] = None,
    *,
    files: ResultFiles,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Show on which topics two systems differ, or which topics are easy, hard or disputed.

    Prints one row per topic, with the values of all measures side by side. Differences are those of the second run to the
    first, from the largest to the smallest.
    """
    from irmx_study.systems.compare import topics

    values = scored("topics", arguments, files)
    labels = by_run(files.labels)
    a, b = (one if one is None else labels.get(one, one) for one in (system, baseline))
    topics(values, a=a, b=b, by=by, sort=sort, top=top).show(output_format, None, places)


def write_report(
    out: Path,
    arguments: list[str],
    baseline: list[str] | None,
    files: ResultFiles,
    how: dict[str, Any],
    texts: Path | None = None,
    queries: Path | None = None,
) -> None:
    """Write the report on what the arguments of a command name."""
    from irmx_study.reporting.documents import check_libraries, read_document_texts, read_query_texts
    from irmx_study.reporting.report import command_line, report

    check_libraries()
    if how["all_pairs"] and baseline:
        raise UsageError("A comparison is of all pairs, or with a baseline. Give one of the two.")
    how |= {
        "texts": read_document_texts(texts),
        "queries": read_query_texts(queries),
        "command": command_line(("out", "output_format")),
        "baseline": labels_of(baseline, files.labels),
    }
    words = str(click.get_current_context().info_name)
    if files.from_files:
        made = report(scored(words, arguments, files), **how)
    else:
        usage = usage_without_scores(words, arguments, files)
        paths, measures = runs_and_measures(list(arguments[1:]), usage)
        by_label = labelled_runs(paths, files.labels)
        if len(by_label) < 2:
            raise UsageError(f"A comparison needs two systems. There is one: {', '.join(by_label)}.")
        made = report(measures, arguments[0], by_label, **how)
    made.write(out)
    note(f"{visible(str(out))}: {visible(made.heading)}, {out.stat().st_size / 1e6:.1f} MB")


# -- the commands that read runs and judgments themselves: pool, unjudged, sweep, report -----------------------------


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
    *,
    kept: SystemsToKeep,
    rel: Annotated[
        float,
        Option("--rel", help="The smallest relevant grade, of which samples keep at least 1 document per topic."),
    ] = 1,
    seed: SeedOption = 0,
    out: Annotated[
        str | None, Option("--out", help="A file for all means: .parquet, .csv or .tsv. A stopped study resumes.")
    ] = None,
    workers: Workers,
) -> None:
    """Show which measures cope with missing judgments.

    Ranks the runs with random parts of the judgments, and compares every ranking with that by all judgments. Prints one row
    per measure and percentage: the mean, the smallest and the largest tau of the samples, and the mean value.

    With --leave-out, prints one row per measure and group: how many judgments are lost without it, tau, and how the values and
    ranks of its runs change; of more than 10 groups one row per measure.
    """
    from irmx_study.measures import pools as studies
    from irmx_study.measures import samples as cutting

    workers.check()
    names = kept.names()
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
    study: Any
    if leave_out is None:
        levels = cutting.KEEP if keep is None else ",".join(keep)
        number = cutting.SAMPLES if samples is None else samples
        study = cutting.SampleStudy(measures, qrels, paths, levels, number, seed, rel, names, out)
    else:
        groups = None if leave_out == "each-run" else leave_out
        depth = cutting.DEPTH if pool_depth is None else pool_depth
        study = cutting.GroupStudy(measures, qrels, paths, groups, depth, out)
    values = _computed(study, plural(len(study.runs), "run"), out, workers)
    if leave_out is None:
        result = studies.pool_result(study, values, kept.every_topic, kept.best)
    else:
        result = studies.groups_result(study, values, depth, rel, kept.every_topic, kept.best, names)
    draw(result, plot, width)
    result.show(output_format, table, places)


def _computed(study: Any, every: str, out: str | None, workers: Workers, of: str = "") -> Any:
    """Compute a study of so many runs or settings; say what is already done, and if it is stopped, what is kept."""
    if study.work.complete:
        note(f"{out} is complete: {every}{of}")
    elif study.done:
        note(f"{study.done} of {every} are already done")
    try:
        return study.compute(workers.jobs, None, workers.scheduler)
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
    from irmx_study.systems.unjudged import unjudged

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
    from irmx_study.systems.unjudged import collection

    collection(qrels, runs or None, rel=rel).show(output_format, None, places)


def persistence(
    measures: Annotated[list[str], Argument(metavar="MEASURE...", help="Measures, such as AP nDCG@10.")],
    snapshots: SnapshotsOption = None,
    snapshot: Annotated[
        list[str] | None,
        Option("--snapshot", metavar="NAME=QRELS,BASELINE,RUN", help="One snapshot; repeat, the original first."),
    ] = None,
    level: LevelOption = 0.05,
    missing: MissingOption = "refuse",
    plot: Annotated[list[str] | None, plot_option("effects", "means")] = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Tell whether the improvement of a run over a baseline persists on other snapshots of a collection.

    Prints, for each snapshot, the means and their difference, the effect ratio ER, the change of the relative improvement, the relative
    change of the run, with intervals, and a sentence.
    """
    from irmx_study.systems.persistence import persist

    if (snapshots is None) == (snapshot is None):
        raise UsageError(
            "Give the snapshots as a table, --snapshots FILE, or each as --snapshot NAME=QRELS,BASELINE,RUN."
        )
    single = list(map(_snapshot, snapshot or ()))
    if twice := [name for i, (name, _) in enumerate(single) if name in dict(single[:i])]:
        raise UsageError(f"Two snapshots have the name {twice[0]!r}. Give each its own.")
    source: Any = snapshots if snapshot is None else dict(single)
    found = persist(source, parse_measures(" ".join(measures)), level=level, missing=missing)
    draw(found, plot)
    found.show(output_format, None, places)


def _snapshot(text: str) -> tuple[str, Any]:
    """Return the name and the files of a snapshot."""
    name, _, files = text.partition("=")
    paths = files.split(",")
    if len(paths) != 3 or not all((name, *paths)):
        raise UsageError(f"A snapshot is written NAME=QRELS,BASELINE,RUN. Got {text!r} instead.")
    return name, (paths[0], {"baseline": paths[1], "run": paths[2]})


def reruns(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    original: Annotated[str, Argument(metavar="ORIGINAL", help="The original run.")],
    run_and_measures: Annotated[
        list[str], Argument(metavar="RERUN... MEASURE...", help="One or more reruns or quoted globs; then measures.")
    ],
    depth: Annotated[int, Option("--depth", min=1, help="How many documents of a ranking are compared.")] = 1000,
    p: Annotated[float, Option("--p", help="The persistence of rank-biased overlap.")] = 0.95,
    missing: MissingOption = "refuse",
    table: Annotated[
        str | None,
        table_option(
            values="errors of values", rankings="closeness of rankings", topics="both by topic, what moved most first"
        ),
    ] = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Tell how close reruns of a system on the same topics are to the original.

    Prints, for each rerun and measure, both means, the root mean square error of topics and a paired test; and for each rerun how
    close its rankings are.
    """
    from irmx_study.systems.persistence import rerun

    paths, measures = runs_and_measures(run_and_measures, "irmx rerun QRELS ORIGINAL RERUN... MEASURE...")
    if twice := repeated([argument for argument in run_and_measures if argument in paths]):
        raise UsageError(f"The run {twice} is given twice. Give every rerun once.")
    found = rerun(measures, qrels, matching_file(original), named_runs(paths), depth=depth, p=p, missing=missing)
    found.show(output_format, table, places)


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
    *,
    workers: Workers,
) -> None:
    """Score runs in every setting of a grid of parameters.

    Writes one row per run, topic and setting, for irmx compare --scores and irmx correlate --scores. Every finished setting is
    kept in the folder OUT.parts, from which the same command resumes after it was stopped.
    """
    from irmx_study.measures.sweep import Sweep

    workers.check()
    for argument in runs:
        if not Path(argument).exists() and _is_measure(argument):
            raise UsageError(
                f"{argument} is a measure, and no run file has this name. Give every reference its own --reference."
            )
    paths = [path for argument in runs for path in matching_files(argument)]
    the_sweep = Sweep(measure, grid or None, qrels, paths, reference or (), population, out)
    settings, of_runs = plural(len(the_sweep.settings), "setting"), f" of {plural(len(paths), 'run')}"
    was_complete = the_sweep.work.complete
    _computed(the_sweep, settings, out, workers, of_runs)
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
    snapshots: SnapshotsOption = None,
    missing: MissingOption = "refuse",
    choices: Choices,
    files: ResultFiles,
) -> None:
    """Make a report on runs: one page of HTML, which opens in any browser and works offline.

    It begins with what was found, then has a table of the runs that can be sorted, pictures of the differences, the rankings of
    two runs side by side, how far the measures agree, the share of unjudged documents, tables for papers and data to
    download, and how all of it was made. If the qrels are an id of ir_datasets, the texts are those of its documents and topics.
    """
    how = {"choices": choices, "all_pairs": all_pairs, "missing": missing, "title": title, "snapshots": snapshots}
    write_report(out, arguments, baseline, files, how, texts, queries)
