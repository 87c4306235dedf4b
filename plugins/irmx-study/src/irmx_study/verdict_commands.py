"""The commands ``irmx judges`` and ``irmx verdict``."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import click

from irmx import DataError, Scores, UsageError
from irmx.toolkit import (
    QRELS_HELP,
    Argument,
    Fields,
    FormatOption,
    Option,
    WidthOption,
    as_measures,
    is_file,
    list_some,
    matching_files,
    split_measures,
    suggest,
)
from irmx_study.inputs.choices import Choices, beside, is_number, refuse_unknown
from irmx_study.inputs.judge_labels import judge_name, refuse_unnamed
from irmx_study.inputs.views import labels_of, named_path
from irmx_study.options import (
    JudgesGradesOption,
    JudgesRelOption,
    MethodsOption,
    MissingOption,
    PlacesByFormatOption,
    QueriesOption,
    ResultFiles,
    TextsOption,
    draw,
    plot_option,
    refuse_without_scores,
    scored,
    table_option,
    write_text,
)

if TYPE_CHECKING:
    from irmx_study.verdicts.verdict import Verdict


# -- the command ``irmx judges`` -------------------------------------------------------------------------------------


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
    from irmx_study.judging.judges import judges
    from irmx_study.reporting.documents import read_document_texts, read_query_texts

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


def rels_of(values: Sequence[str], names: Sequence[str], others: float | Mapping[str, float] = 1.0) -> dict[str, float]:
    """Return the smallest relevant grade of every judge, from ``N`` for all and ``NAME=N`` for one; of those not named, what is given.

    >>> rels_of(["2", "llm=1"], ["human", "llm"])
    {'human': 2.0, 'llm': 1.0}
    """
    given: dict[str, float] = {}
    for text in values:
        name, _, value = text.rpartition("=")
        if name in given:
            raise UsageError(f"--rel is given twice for {name or 'all judges'}.")
        given[name] = _grade(value, f"--rel {text}")
    others = given.pop("", others)
    return {**(others if isinstance(others, Mapping) else dict.fromkeys(names, others)), **given}


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


# -- the command ``irmx verdict`` ------------------------------------------------------------------------------------


_TABLE = "tool", "irmx", "verdict"
"""Where pyproject.toml has the configuration."""

_CONFIGURED = {
    "measure": str, "claim": str, "margin": float, "level": float, "users": str, "measures": str, "slices": str, "weights": str, "collections": str, "missing": str,
    "judges": dict, "rel": dict, "grades": dict,
}  # fmt: skip
"""What a configuration may hold, and the type of each value."""


@dataclass
class _ResultFiles(ResultFiles):
    """Those of a verdict, whose other arguments are the systems."""

    from_files: Annotated[
        bool,
        Option(
            "--scores",
            help="The first argument is per-topic results of any tool: a file, a quoted glob, or several in quotes, also NAME=FILE; BASELINE and RUN are systems in them.",
        ),
    ] = False


@dataclass
class _Chosen:
    """The options on what is claimed, and what may take it away; a configuration may hold them, too."""

    claim: Annotated[
        str | None,
        Option(
            "--claim",
            complete=lambda: ["better", "no-worse", "equal"],
            help="What is claimed: better, no-worse or equal; by default better.",
        ),
    ] = None
    margin: Annotated[
        float | None,
        Option(
            "--margin",
            help="By how much, in units of the measure; no-worse and equal need one, better takes 0 by default.",
        ),
    ] = None
    judges: Annotated[
        list[str] | None, Option("--judges", metavar="[NAME=]FILE", help="The qrels of another judge. May be repeated.")
    ] = None
    rel: JudgesRelOption = None
    grades: JudgesGradesOption = None
    users: Annotated[
        list[str] | None,
        Option(
            "--users", metavar="MEASURE", help="Settings of the measure, such as 'RBP(p=.5:.95:10)'. May be repeated."
        ),
    ] = None
    measures: Annotated[
        list[str] | None,
        Option("--measures", metavar="'MEASURE ...'", help="Other measures, such as 'nDCG@10 AP'. May be repeated."),
    ] = None
    slices: Annotated[
        str | None,
        Option(
            "--slices",
            metavar="FILE",
            help="Groups of topics: a table with query_id, and a column per grouping; or difficulty, for thirds by the mean of both runs.",
        ),
    ] = None
    weights: Annotated[
        str | None,
        Option(
            "--weights", metavar="FILE", help="Weights of topics, such as traffic: a table with query_id and weight."
        ),
    ] = None
    collections: Annotated[
        str | None,
        Option(
            "--collections", metavar="FILE", help="Other collections: a table with collection, qrels, baseline and run."
        ),
    ] = None
    level: Annotated[float | None, Option("--level", help="The level of significance; by default 0.05.")] = None


def verdict_on_runs(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    baseline: Annotated[
        str,
        Argument(
            metavar="BASELINE", help="The run file of the baseline; a quoted glob for one run per seed, also NAME=GLOB."
        ),
    ],
    run: Annotated[
        str,
        Argument(metavar="RUN", help="The run file of which something is claimed; a quoted glob for one run per seed."),
    ],
    measure: Annotated[
        str | None, Argument(metavar="MEASURE", help="The measure of the claim; or in --config.")
    ] = None,
    *,
    chosen: _Chosen,
    expect: Annotated[
        Path | None,
        Option(
            "--expect",
            metavar="FILE",
            help="An earlier verdict (-o jsonl), which must be of the same measure, on the same qrels, judges and topics.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        Option(
            "--config",
            metavar="FILE",
            help="A TOML file with these options; or pyproject.toml, its table tool.irmx.verdict.",
        ),
    ] = None,
    check_config: Annotated[
        Path | None,
        Option(
            "--check-config",
            metavar="FILE",
            eager=True,
            check=lambda path: _check_config(path),
            help="Instead of a verdict, check such a file, without qrels and runs.",
        ),
    ] = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
    table: Annotated[
        str, table_option(views="one row per view", doubts="one row per doubt", topics="one row per topic")
    ] = "views",
    plot: Annotated[list[str] | None, plot_option("views")] = None,
    width: WidthOption = None,
    methods: MethodsOption = None,
    missing: Annotated[str | None, get_args(MissingOption)[1]] = None,
    results: _ResultFiles,
) -> None:
    """Say whether a run is better than a baseline, and whether the conclusion survives every doubt.

    Prints one sentence, then for every doubt (judges, users, measures, seeds, topics, unjudged documents) in how
    many of its views the claim holds, how many break it, and the worst of them. With -o csv, one row per view.
    The exit code is 0 if the claim holds, 3 if a doubt breaks it or it is not shown, and 4 if it is contradicted.
    """
    named = judges_named(chosen.judges) if chosen.judges else None
    given: dict[str, Any] = vars(chosen) | {"measure": measure, "missing": missing, "judges": named}
    options = _configured(config) if config is not None else {}
    judged = list(named or options.get("judges", ()))
    given["rel"] = rels_of(chosen.rel, judged, options.get("rel", 1.0)) if chosen.rel else None
    given["grades"] = mapped_grades(chosen.grades) if chosen.grades else None
    options |= {name: value for name, value in given.items() if value is not None}
    if results.from_files:
        files = [qrels] if is_file(named_path(qrels)[1]) else qrels.split()
        values = scored("verdict", files, results)
        found = _on_scores(values, labels_of([baseline, run], results.labels) or [], options, expect)
    else:
        refuse_without_scores(results)
        if results.labels:
            raise UsageError("--label goes with --scores. Name a run by NAME=FILE.")
        found = _on_runs(qrels, baseline, run, options, expect)
    draw(found, plot, width)
    write_text(methods, found.methods)
    with contextlib.suppress(BrokenPipeError):  # head has enough, and a gate still asks for the exit code
        found.show(output_format, table, places)
    sys.exit(found.exit_code)


def _on_runs(qrels: str, baseline: str, run: str, chosen: dict[str, Any], expect: Path | None) -> Verdict:
    """Return the verdict on two runs, which are scored in all views."""
    from irmx_study.verdicts.verdict import verdict

    if "measure" not in chosen:
        raise UsageError(
            "irmx verdict needs a measure: irmx verdict QRELS BASELINE RUN MEASURE, or measure = in --config."
        )
    if chosen.get("judges") is None and (alone := [name for name in ("rel", "grades") if name in chosen]):
        raise UsageError(f"--{alone[0]} is about --judges. Name a judge, or leave it out.")
    names = [named_path(one) for one in (baseline, run)]
    runs: Any = [path for _, path in names]
    if any(name for name, _ in names):
        runs = {name or os.path.basename(path): path for name, path in names}
    return verdict(chosen.pop("measure"), qrels, runs, expect=expect, **chosen)


def _on_scores(values: Scores, systems: list[str], chosen: dict[str, Any], expect: Path | None) -> Verdict:
    """Return the verdict on two systems of results that another tool computed; their other measures are chosen by name."""
    from irmx_study.verdicts.verdict import verdict

    if needing := [name for name in ("judges", "rel", "grades", "collections") if name in chosen]:
        raise UsageError(f"--{needing[0]} needs qrels and runs. Leave it out, or leave out --scores.")
    if "measure" not in chosen and len(values.names) > 1:
        raise UsageError(
            f"The results have {len(values.names)} measures: {list_some(values.names, 10)}. Name that of the claim."
        )
    both, known = values.select(systems=systems), {*map(str, values.measures)}
    parts = {}
    for option in [name for name in ("measure", "users", "measures") if name in chosen]:
        texts = chosen.pop(option)
        listed = [
            [text] if text in known else split_measures(text) or [text]
            for text in ([texts] if isinstance(texts, str) else texts)
        ]
        parts[option] = both.select(measures=[*chain(*listed)])
    if "measure" in parts and len(several := dict.fromkeys(map(str, parts["measure"].measures))) > 1:
        raise UsageError(
            f"A claim is about one measure. Got {len(several)}: {list_some(several)}. Give the others as --measures."
        )
    views = list(dict.fromkeys(name for part in parts.values() for name in part.names)) or list(both.names)
    if "users" in parts:
        chosen["users"] = parts["users"].measures
    return verdict(both.select(views=views), baseline=systems[0], expect=expect, **chosen)


def _check_config(path: Path) -> None:
    """Exit with 0 if the options of a file could be those of a verdict; what qrels and runs would show is not looked at."""
    from irmx_study.verdicts.doubts import Claim, one_measure, refuse_wide

    read = _configured(path)
    Claim(read.get("claim", "better"), read.get("margin", 1.0), read.get("level", 0.05))
    for name in {"users", "measures"} & read.keys():
        as_measures(read[name])
    if "measure" in read:
        refuse_wide(one_measure(read["measure"]), read.get("margin", 0.0))
    if "judges" in read:
        refuse_unnamed("judge", read["judges"])
    refuse_unknown("treatment of missing values", read.get("missing", "refuse"), Scores.MISSING)
    raise click.exceptions.Exit


def _configured(path: Path) -> dict[str, Any]:
    """Return the options of a file, checked; those of pyproject.toml are in its table tool.irmx.verdict."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        read: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as TOML: {error}.") from None
    if path.name == "pyproject.toml" or "tool" in read:
        for name in _TABLE:
            odd = [key for key, of in read.items() if key != name and (key in _CONFIGURED or not isinstance(of, dict))]
            if odd:
                raise UsageError(
                    f"{path} has {list_some(odd)} outside the table [tool.irmx.verdict], which is the one that is read. Put every option "
                    "into the table, or leave the table out."
                )
            read = read.get(name)  # type: ignore[assignment]
            if not isinstance(read, dict):
                raise DataError(f"{path} has no table [tool.irmx.verdict].")
    if not read:
        raise UsageError(f"{path} holds no option. Known: {', '.join(_CONFIGURED)}.")
    for name, value in read.items():
        if name not in _CONFIGURED:
            raise UsageError(
                f"{path} has the unknown key {name!r}.{suggest(name, _CONFIGURED)} Known: {', '.join(_CONFIGURED)}."
            )
        kind = _CONFIGURED[name]
        if name == "rel" and is_number(value):
            continue
        files = value.values() if name == "judges" and isinstance(value, dict) else ()
        if name == "judges" and value == {}:
            raise UsageError(f"{path} has a table of judges, and none in it. Name a judge, or leave the table out.")
        if odd := [one for one in files if not isinstance(one, str)]:
            raise UsageError(f"{path}: judges are files by name. Got {odd[0]!r} among them.")
        if not (is_number(value) if kind is float else isinstance(value, kind)):
            raise UsageError(
                f"{path}: {name} must be {'a table' if kind is dict else 'a number' if kind is float else 'a text'}. Got {value!r} instead."
            )
    if "grades" in read:
        of_judges = [of for of in read["grades"].values() if isinstance(of, dict)] or [read["grades"]]
        for grade in [new for of in of_judges for new in of.values()]:
            if not is_number(grade):
                raise UsageError(
                    f"{path}: grades are numbers by grade, for all judges or for each. Got {grade!r} among them."
                )
    for name in {"weights", "collections"} & read.keys():
        read[name] = beside(str(path.parent), read[name])
    if read.get("slices", "difficulty") != "difficulty":
        read["slices"] = beside(str(path.parent), read["slices"])
    if "judges" in read:
        read["judges"] = {judge: beside(str(path.parent), file) for judge, file in read["judges"].items()}
    return read
