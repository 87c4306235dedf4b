"""``irmx eval``: score runs, with the arguments and output of the ``ir_measures`` command."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import Annotated

import ir_measures
import typer

from irmx.cli.files import is_file, matching_files
from irmx.data.reading import read_run
from irmx.declare.command import QRELS_HELP
from irmx.declare.expressions import names_a_measure, parse_measure, split_measures
from irmx.declare.output_format import SUMMARY, Layout, Result
from irmx.errors import DataWarning, UsageError
from irmx.registry import registry
from irmx.score.evaluator import Evaluator, as_measures
from irmx.score.named_runs import lacking_topics, of_run, run_names
from irmx.score.once import Said
from irmx.score.scoring import aggregate


def evaluate(
    qrels: Annotated[str, typer.Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN... MEASURE...",
            help="One or more run files or quoted globs, or - for standard input, then measures, such as 'MP(model=GL_AD_ID)' AP nDCG@10, or map P_10.",
        ),
    ],
    places: Annotated[int, typer.Option("-p", "--places", min=-1, help="Decimal places; -1 for all.")] = 4,
    by_query: Annotated[bool, typer.Option("-q", "--by_query", help="Show every topic, too.")] = False,
    no_summary: Annotated[
        bool, typer.Option("-n", "--no_summary", help="With -q: leave out the mean over topics.")
    ] = False,
    output_format: Annotated[
        str, typer.Option("-o", "--output_format", help="tsv, jsonl, table, or a plugin's.")
    ] = "tsv",
    provider: Annotated[
        str | None, typer.Option("--provider", help="Only this provider of ir_measures, such as pytrec_eval.")
    ] = None,
) -> None:
    """Score one or several runs.

    Prints tab-separated lines of measure and value, in the order asked; with -q query, measure and value.
    Several runs make a table with a row a run. Topics of the qrels that a run lacks count with the measure's default.
    """
    if no_summary and not by_query:
        raise UsageError("--no_summary (-n) goes with --by_query (-q).")
    reports = registry().reports()
    if output_format not in reports:
        raise UsageError(f"There is no output format {output_format!r}. Known: {', '.join(reports)}.")
    paths, measures = runs_and_measures(run_and_measures)
    if output_format == "jsonl" and places != 4:
        print("irmx: --places is ignored with -o jsonl, which has full precision", file=sys.stderr)
    evaluator = Evaluator(measures, qrels, provider)
    layout = Layout(measures, by_query, len(paths) > 1, places)
    said = Said()
    first = _Loaded(paths[0], evaluator, said)
    results = list(_results(paths, first, evaluator, layout, said, not no_summary))  # all or nothing is printed
    reports[output_format].write(results, layout, sys.stdout)
    sys.stdout.flush()


def runs_and_measures(arguments: list[str]) -> tuple[list[str], list[ir_measures.Measure]]:
    """Return the leading arguments that are runs, and the measures that follow.

    The first is a run. Each further one is a run while it is a file, a glob of some, or ``-``, and not a measure.
    """
    paths, rest = matching_files(arguments[0]), list(arguments[1:])
    while rest and _is_run(rest[0]):
        paths += matching_files(rest.pop(0))
    if not rest:
        raise UsageError(
            "No measure is asked for: irmx eval QRELS RUN MEASURE..., such as 'MP(model=GL_AD_ID)' AP nDCG@10."
        )
    asked: list[ir_measures.Measure] = []
    for text in rest:
        try:
            asked += as_measures(split_measures(text) or [parse_measure(text)])
        except UsageError as error:
            raise type(error)(f"{error}{_advice(text)}") from None
    return list(dict.fromkeys(paths)), as_measures(asked)


def _advice(text: str) -> str:
    """Return a line on what an argument that is no measure may be meant to be, or nothing."""
    outside = re.sub(r"\(.*\)", "", text)
    if is_file(text):
        return f"\nIf {text!r} is meant to be a run: runs stand before the measures."
    if "/" in text or os.path.splitext(outside)[1][1:].isidentifier():
        return f"\nIf {text!r} is meant to be a run: there is no such file."
    if "(" in outside or ")" in outside:
        return "\nA measure with spaces inside its parentheses stands in quotes as a whole."
    if "," in outside:
        return "\nMeasures are set apart by spaces, not by commas."
    return ""


def _is_run(argument: str) -> bool:
    return not names_a_measure(argument) and is_file(argument)


class _Loaded:
    """A run that was read, and its values; read before anything is printed. What is noted names the run."""

    def __init__(self, path: str, evaluator: Evaluator, said: Said) -> None:
        self.path = path
        with said.once(path), of_run(path, path):
            run = read_run(path)
            lacking = lacking_topics(run, evaluator.judgments)
            if lacking:
                warnings.warn(lacking, DataWarning, stacklevel=2)
            self.values = evaluator.values(run)
        self.fields, self.fields_of_means = evaluator.fields, evaluator.fields_of_means


def _results(
    paths: list[str], first: _Loaded, evaluator: Evaluator, layout: Layout, said: Said, summary: bool
) -> Iterator[Result]:
    loaded: Iterable[_Loaded] = (first if p == first.path else _Loaded(p, evaluator, said) for p in _progress(paths))
    names = dict(zip(paths, run_names(paths), strict=True))
    for one in loaded:
        name = names[one.path]
        if layout.by_query:
            for query_id in evaluator.judgments.index:
                for measure in layout.measures:
                    if query_id in one.values[measure]:
                        fields = one.fields.get(measure, {}).get(query_id, {})
                        yield Result(name, query_id, measure, one.values[measure][query_id], fields)
        if summary:
            for measure in layout.measures:
                mean = aggregate(measure, one.values[measure].values())
                yield Result(name, SUMMARY, measure, mean, one.fields_of_means.get(measure, {}))


def _progress(paths: list[str]) -> Iterable[str]:
    """Yield the paths, with a progress bar on standard error where that is a terminal."""
    if len(paths) == 1 or not sys.stderr.isatty():
        return paths
    from rich.console import Console
    from rich.progress import track

    return track(paths, description="Scoring runs", console=Console(stderr=True), transient=True)
