"""The command ``irmx judges``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from irmx import UsageError
from irmx.toolkit import Argument, Fields, FormatOption, Option, WidthOption, matching_files
from irmx_study.choices import Choices
from irmx_study.judge_labels import judge_name
from irmx_study.options import (
    JudgesGradesOption,
    JudgesRelOption,
    PlacesByFormatOption,
    QueriesOption,
    TextsOption,
    draw,
    plot_option,
    table_option,
)
from irmx_study.system_names import named_path


def compare_judges(
    qrels: Annotated[
        list[str],
        Argument(
            metavar="QRELS...", help="Two or more qrels, one per judge: FILE or NAME=FILE. The first is the reference."
        ),
    ],
    runs: Annotated[
        list[str] | None,
        Option(
            "--runs", metavar="RUN", help="A run file or a quoted glob, for the agreement on systems. May be repeated."
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        Option("--measures", metavar="'MEASURE ...'", help="The measures to rank runs by. May be repeated."),
    ] = None,
    rel: JudgesRelOption = None,
    grades: JudgesGradesOption = None,
    by_topic: Annotated[bool, Option("-q", "--by-topic", help="Print one row per topic.")] = False,
    disagreements: Annotated[
        int | None,
        Option("--disagreements", min=1, help="Print the documents that judges disagree about most, so many."),
    ] = None,
    texts: TextsOption = None,
    queries: QueriesOption = None,
    groups: Annotated[
        str | None,
        Option(
            "--groups", metavar="FILE", help="Which runs does a judge favour: a table with the columns run and group."
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        Option(
            "--calibrate",
            metavar="JUDGE",
            help="Estimate means under this judge, from its labels on some topics and others' on more.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        Option("--baseline", metavar="RUN", help="With --calibrate: the run of differences; by default the best."),
    ] = None,
    top: Annotated[int, Option("--top", help="How many of the best runs a tau of the best is of.")] = 10,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
    table: Annotated[
        str | None,
        table_option(
            pairs="one row per pair of judges",
            intervals="the coefficients with intervals, pooled and as the mean of topics",
            topics="by topic",
            confusion="how often which grades meet",
            judges="one row per judge",
            repeats="a judge and itself",
            together="alpha of all judges",
            disagreements="the documents that judges disagree about most",
            systems="with --runs, the agreement on systems",
            runs="with --runs, one row per run",
            groups="with --groups, whom a judge favours",
            calibrated="with --calibrate, the means under a judge",
        ),
    ] = None,
    plot: Annotated[list[str] | None, plot_option("confusion", "leaderboards", "kappa")] = None,
    width: WidthOption = None,
    resamples: Annotated[int, Option("--resamples", help="The number of resamples of topics for intervals.")] = 1000,
    *,
    choices: Annotated[Choices, Fields("test", "correction", "level", "draws", "seed")],
) -> None:
    """Show whether judges agree, people or LLMs: on labels, and on systems.

    Prints agreement on labels: equal grades, Cohen's kappa, Krippendorff's alpha, Gwet's AC1 and AC2, over the documents of all
    topics and as the mean of topics, with intervals; the grades of two judges side by side; and how generous every judge is.
    Only documents that both judged count. With --runs and --measures, also whether judges rank the runs alike, find the same
    significant differences, and which runs they lift or lower. With -o csv, one row per pair of judges, and measure.
    """
    from irmx_study.judging import judges
    from irmx_study.reporting.texts import read_document_texts, read_query_texts

    asked = [name for name, given in (("topics", by_topic), ("disagreements", disagreements is not None)) if given]
    if len({*asked, *([table] if table else [])}) > 1:
        raise UsageError("-q, --disagreements and --table each choose what is printed. Give one of them.")
    named = judges_named(qrels)
    result = judges(
        named, runs=runs, measures=measures, rel=rels_of(rel or (), list(named)), grades=mapped_grades(grades or ()),
        disagreements=disagreements or 10, groups=groups, calibrate=calibrate, baseline=baseline, top=top, resamples=resamples, choices=choices,
        texts=read_document_texts(texts), queries=read_query_texts(queries),
    )  # fmt: skip
    draw(result, plot, width)
    result.show(output_format, asked[0] if asked else table, places)


def judges_named(arguments: Sequence[str]) -> dict[str, str]:
    """Return the qrels of arguments ``FILE`` or ``NAME=FILE`` by the name of the judge."""
    named: dict[str, str] = {}
    for argument in arguments:
        name, path = named_path(argument)
        for file in matching_files(path):
            of_file = name or judge_name(file)
            if of_file in named:
                raise UsageError(
                    f"Two judges have the name {of_file!r}: {named[of_file]} and {file}. Give names, NAME=FILE."
                )
            named[of_file] = file
    return named


def rels_of(values: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    """Return the smallest relevant grade of every judge, from ``N`` for all and ``NAME=N`` for one.

    >>> rels_of(["2", "llm=1"], ["human", "llm"])
    {'human': 2.0, 'llm': 1.0}
    """
    given: dict[str, float] = {}
    for text in values:
        name, _, value = text.rpartition("=")
        if name in given:
            raise UsageError(f"--rel is given twice for {name or 'all judges'}.")
        given[name] = _grade(value, f"--rel {text}")
    of_all = given.pop("", 1.0)
    return {**dict.fromkeys(names, of_all), **given}


def mapped_grades(values: Sequence[str]) -> dict[str, dict[str, float]] | dict[str, float]:
    """Return what the grades of each judge stand for, or those of all judges.

    >>> mapped_grades(["umbrela=0:0,1:0,2:2"]), mapped_grades(["FULL=2,NONE=0"])
    ({'umbrela': {'0': 0.0, '1': 0.0, '2': 2.0}}, {'FULL': 2.0, 'NONE': 0.0})
    """
    mapped: dict[str, dict[str, float]] = {}
    for text in values:
        name, _, pairs = text.rpartition("=") if ":" in text else ("", "", text)
        if name in mapped:
            raise UsageError(f"--grades is given twice for {name or 'all judges'}.")
        mapped[name] = {}
        for pair in pairs.split(","):
            old, sign, new = pair.rpartition(":" if name else "=")
            if not sign or not old:
                raise UsageError(
                    f"Grades are written OLD=NEW,OLD=NEW,... for all judges, NAME=OLD:NEW,OLD:NEW,... for one. Got {text!r} instead."
                )
            mapped[name][old.strip()] = _grade(new, f"--grades {text}")
    if "" in mapped and len(mapped) > 1:
        raise UsageError("--grades is given for all judges, and for one of them. Give those of each judge.")
    return mapped.get("", mapped)


def _grade(text: str, where: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise UsageError(f"{where}: {text!r} is no grade.")
    return grade
