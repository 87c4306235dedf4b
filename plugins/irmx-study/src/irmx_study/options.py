"""The options that commands share, with the same names, defaults and help everywhere; and the scores that they work on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

from irmx import Scores, UsageError, parse_measure, scores
from irmx.toolkit import (
    QRELS_HELP,
    Argument,
    FormatOption,
    MissingTopicsWarning,
    Option,
    check_backend,
    check_jobs,
    file_to_write,
    new_file,
    picture_option,
    runs_and_measures,
    write_picture,
)
from irmx_study.inputs.choices import refuse_unknown
from irmx_study.inputs.views import by_run, check_best, choose_systems, labelled_runs, listed, listed_names
from irmx_study.inputs.views import population as read_population
from irmx_study.showing.result import Result

ArgumentsOption = Annotated[
    list[str],
    Argument(
        metavar="QRELS RUN... MEASURE...",
        help=f"{QRELS_HELP} Then run files or quoted globs, then measures. With --scores: files of per-topic results.",
    ),
]


LabelOption = Annotated[
    list[str] | None,
    Option(
        "--label",
        metavar="FILE=NAME",
        help="The name of a run, or of the system in a file with --scores; also SYSTEM=NAME, or MEASURE=NAME in latex. May be repeated.",
    ),
]


@dataclass
class ResultFiles:
    """The options on files of per-topic results in place of qrels, runs and measures."""

    labels: LabelOption = None
    from_files: Annotated[
        bool,
        Option(
            "--scores",
            help="The arguments are per-topic results, FILE or NAME=FILE: of irmx (also sweep), trec_eval -q, ir_measures -q, or tables.",
        ),
    ] = False
    table_measure: Annotated[
        str | None, Option("--measure", help="With --scores: the measure of a table that has one column per system.")
    ] = None
    less_is_better: Annotated[
        list[str] | None,
        Option(
            "--less-is-better",
            metavar="NAME",
            help="With --scores: a measure irmx does not know, of which less is better. May be repeated.",
        ),
    ] = None


BaselinesOption = Annotated[
    list[str] | None,
    Option(
        "--baseline",
        metavar="RUN",
        help="The run to compare others with; by default the first of two, of more the best.",
    ),
]
AllPairsOption = Annotated[bool, Option("--all-pairs", help="Compare all pairs of runs.")]


@dataclass(frozen=True)
class SystemsToKeep:
    """The options on the runs that a study of measures is about; see :func:`irmx_study.choose_systems`."""

    only: Annotated[
        str | None, Option("--only", metavar="FILE", help="A file with the names of the runs to keep, one per line.")
    ] = None
    every_topic: Annotated[
        bool, Option("--every-topic", help="Leave out runs that retrieve nothing for one of the topics.")
    ] = False
    best: Annotated[
        float | None,
        Option("--best", metavar="PERCENT", help="Keep the best runs: 75 for three quarters, by the first measure."),
    ] = None

    def names(self) -> list[str] | None:
        """Return the names in the file, None without one; a percentage that is none is refused."""
        check_best(self.best)
        return None if self.only is None else listed_names(self.only)


@dataclass(frozen=True)
class Workers:
    """The options on where a study is computed."""

    jobs: Annotated[int | None, Option("-j", "--jobs", help="Number of processes; by default the number of cores.")] = (
        None
    )
    backend: Annotated[str | None, Option("--backend", metavar="dask", help="Compute on a Dask cluster.")] = None
    scheduler: Annotated[
        str | None, Option("--scheduler", metavar="ADDRESS", help="The address of the Dask scheduler.")
    ] = None

    def check(self) -> None:
        """Raise for options that cannot be met, before anything is read."""
        check_backend(self.backend, self.scheduler)
        check_jobs(self.jobs)


LevelOption = Annotated[float, Option("--level", help="The level of significance.")]
SeedOption = Annotated[int, Option("--seed", help="The seed of the random draws.")]
JudgesRelOption = Annotated[
    list[str] | None,
    Option("--rel", metavar="[NAME=]N", help="The smallest relevant grade, of all judges or of one; by default 1."),
]
JudgesGradesOption = Annotated[
    list[str] | None,
    Option(
        "--grades",
        metavar="OLD=NEW,...",
        help="What grades stand for, numbers or texts: FULL=2,PARTIAL=1,NONE=0 of all judges, umbrela=0:0,1:0,2:2,3:3 of one.",
    ),
]
TextsOption = Annotated[
    Path | None,
    Option("--texts", metavar="FILE", help="The texts of documents: a table with doc_id, and title or text."),
]
QueriesOption = Annotated[
    Path | None,
    Option("--queries", metavar="FILE", help="The texts of topics: a table with query_id, and query, title or text."),
]
SnapshotsOption = Annotated[
    str | None,
    Option("--snapshots", metavar="FILE", help="A table with name, qrels, baseline and run, the original first."),
]


def _one_of(noun: str, names: Collection[str]) -> Callable[[str], str]:
    """Return the check of an option that takes one of some names."""

    def check(name: str) -> str:
        refuse_unknown(noun, name, names)
        return name

    return check


MissingOption = Annotated[
    str,
    Option(
        "--missing",
        complete=lambda: Scores.MISSING,
        check=_one_of("treatment of missing values", Scores.MISSING),
        help="Missing values: refuse a system that lacks more than half, and in persist and verdict those that would help; zero for the default of the measure; both for the topics that all have.",
    ),
]
PlacesByFormatOption = Annotated[
    int | None,
    Option("-p", "--places", min=-1, max=100, help="Decimal places, -1 for all; 4, and all in tsv and csv."),
]
"""Tables for reading have few places; what another program reads has all, because p-values are small."""


def text_option(name: str, metavar: str, help: str) -> Option:
    """Return the option for a file of text that a command also writes; its folder is checked before anything is computed."""
    return Option(name, metavar=metavar, check=lambda path: path and file_to_write(path, "text"), help=help)


MethodsOption = Annotated[
    Path | None, text_option("--methods", "FILE.tex", help="Also write sentences for the method section of a paper.")
]


def write_text(path: Path | None, text: Callable[[], str]) -> None:
    """Write a text to the file of an option, if it was given."""
    if path is not None:
        with new_file(path) as file:
            file.write(f"{text()}\n".encode())


REPORT_ENDINGS = (".html", ".htm")


def report_file(path: Path) -> Path:
    """Return the file for a report, checked before anything is computed."""
    return file_to_write(path, "report", REPORT_ENDINGS)


def _format_or_report(text: str) -> str:
    """Return the name of an output format, or of the file of a report, checked."""
    if text.endswith(REPORT_ENDINGS):
        return str(report_file(Path(text)))
    return str(get_args(FormatOption)[1].check(text))


FormatOrReportOption = Annotated[
    str,
    Option(
        "-o",
        "--output-format",
        check=_format_or_report,
        help="Output format: table, tsv, csv, jsonl, markdown, latex, html, or one of a plugin; or a report: FILE.html.",
    ),
]
"""The option ``-o`` of a command that can also write a report."""


def table_option(**tables: str) -> Option:
    """Return the option for the table to print; the tables with what they hold, of which the first is the default."""
    listed = ", ".join(tables)
    return Option(
        "--table",
        check=_one_of("table", tables),
        complete=lambda: list(tables.items()),
        help=f"The table to print: {listed}.",
    )


def plot_option(*kinds: str) -> Option:
    """Return the option for pictures, written ``[KIND=]FILE``."""
    of_file: Any = picture_option("--plot", help="").check

    def check(values: Sequence[str]) -> list[str]:
        for value in values:
            kind, file = _kind_and_file(value)
            if kind is not None:
                _one_of("picture", kinds)(kind)
            of_file(Path(file))
        return list(values)

    help = f"Also draw: FILE.png, .svg or .pdf; or KIND=FILE, the kinds: {', '.join(kinds)}. May be repeated."
    return Option("--plot", metavar="[KIND=]FILE", check=check, help=help)


def _kind_and_file(value: str) -> tuple[str | None, str]:
    kind, equals, file = value.partition("=")
    return (kind, file) if equals and kind.isidentifier() else (None, value)


def check_kinds(plots: Sequence[str] | None, kinds: Collection[str], when: str) -> None:
    """Raise for a picture that the result of a command with these options will not have."""
    for kind in filter(None, (_kind_and_file(value)[0] for value in plots or ())):
        if kind not in kinds:
            raise UsageError(f"There is no picture {kind!r} of this study: {when}.")


def draw(result: Result, plots: Sequence[str] | None, width: float | None = None, **options: dict[str, Any]) -> None:
    """Write the pictures of a result, of a width; options by kind of picture."""
    if width is not None and not plots:
        raise UsageError("--width is the width of pictures. Add --plot, or leave it out.")
    for value in plots or ():
        kind, file = _kind_and_file(value)
        kind = next(iter(result.pictures), None) if kind is None else kind
        write_picture(result.plot(kind, width=width, **options.get(str(kind), {})).figure, file)


# -- the scores that commands work on ----------------------------------------------------------------------


def scored(
    command: str,
    arguments: Sequence[str],
    files: ResultFiles,
    kept: SystemsToKeep = SystemsToKeep(),
    population: str | None = None,
    reference: str | None = None,
) -> Scores:
    """Return the scores that a command works on: from qrels, runs and measures, or from files of per-topic results."""
    names = kept.names()
    if files.from_files:
        from irmx_study.inputs.per_topic import read_per_topic

        if population is not None:
            raise UsageError("--population has the settings to score. Leave --scores out.")
        found = read_per_topic(list(arguments), files.table_measure, by_run(files.labels))
        found = found.less_is_better(*files.less_is_better or ())
        return choose_systems(found, names, kept.every_topic, kept.best)
    usage = usage_without_scores(command, arguments, files)
    users: dict[Any, float] = {}
    if population is not None:
        *arguments, last = arguments
        users = read_population(last, population)
        arguments = [*arguments, *map(str, users)]
    paths, measures = runs_and_measures(list(arguments[1:]), usage)
    if reference is not None and reference not in map(str, measures):
        added = parse_measure(reference)
        if str(added.NAME) not in (str(one.NAME) for one in measures):  # otherwise it is a setting that is scored
            measures = [*measures, added]
    runs = labelled_runs(paths, files.labels)
    if names is not None:
        listed(runs, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingTopicsWarning)  # the notes of results count the topics that runs lack
        found = scores(measures, arguments[0], runs)
    if users:
        shares = {str(setting): share for setting, share in users.items()}
        found = found.marked(weight=tuple(shares.get(str(one), "") for one in found.measures))
    return choose_systems(found, names, kept.every_topic, kept.best)


def usage_without_scores(command: str, arguments: Sequence[str], files: ResultFiles) -> str:
    """Return how a command is called on qrels, runs and measures; arguments are refused that these do not have, or lack."""
    refuse_without_scores(files)
    usage = f"irmx {command} QRELS RUN... MEASURE..."
    if len(arguments) < 3:
        raise UsageError(f"irmx {command} needs qrels, runs and measures: {usage}")
    return usage


def refuse_without_scores(files: ResultFiles) -> None:
    """Raise for options that are about files of per-topic results, where there are none."""
    if files.table_measure is not None:
        raise UsageError("--measure goes with --scores; otherwise the measures follow the runs.")
    if files.less_is_better:
        raise UsageError("--less-is-better goes with --scores: irmx knows the direction of what it computes.")
