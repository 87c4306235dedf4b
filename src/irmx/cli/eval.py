"""``irmx eval``: score runs, with the arguments and the output of the ``ir_measures`` command."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import ir_measures

from irmx.cli.click_command import Argument, Option
from irmx.cli.printing import FormatOption, output_format_named, print_rows
from irmx.cli.run_arguments import runs_and_measures
from irmx.data.files import STANDARD_INPUT, bytes_of, file_to_write
from irmx.data.parquet import MEMORY
from irmx.declare.columns import QRELS_HELP
from irmx.errors import PluginError, TooLittleMemoryError, UsageError
from irmx.parallel import check_backend, chosen_jobs, dask, progress_bar
from irmx.score.evaluator import Evaluator, mean_of, metrics_of
from irmx.score.scored_runs import Failures, RunScores, run_names, scored_runs
from irmx.score.scoring import scores
from irmx.text import note

SUMMARY = "all"
"""The query id under which the mean over topics is printed."""
_COLUMNS = ("run", "query_id", "measure", "value")


def evaluate(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        Argument(
            metavar="RUN... MEASURE...",
            help="One or more run files or quoted globs, or - for standard input; then measures, such as 'MP(model=GL_AD_ID)' AP nDCG@10, or map P_10; 'MP(model=*)' is one measure per model, and 'NCP(law=uniform|first)' and 'RBP(p=0.5:0.9:5)' one per value.",
        ),
    ],
    places: Annotated[
        int | None,
        Option("-p", "--places", min=-1, max=100, help="Decimal places; -1 for all, as in csv; otherwise 4."),
    ] = None,
    by_query: Annotated[bool, Option("-q", "--by-query", help="Also print the value of every topic.")] = False,
    no_summary: Annotated[bool, Option("-n", "--no-summary", help="With -q: omit the mean over topics.")] = False,
    output_format: FormatOption = "tsv",
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE.parquet",
            check=lambda path: path and file_to_write(path, "file of scores", [".parquet"]),
            help="Instead of printing, write the values of every topic, and what they are, for compare --scores and other commands.",
        ),
    ] = None,
    provider: Annotated[
        str | None,
        Option(
            "--provider",
            metavar="NAME",
            help="Use only this provider of ir_measures, such as pytrec_eval; irmx stands for the plugins of irmx.",
        ),
    ] = None,
    memory: Annotated[
        str,
        Option(
            "--memory",
            metavar="SIZE",
            help="The memory that runs may take, such as 500MB; larger files are read in chunks.",
        ),
    ] = MEMORY,
    jobs: Annotated[
        int | None,
        Option(
            "-j",
            "--jobs",
            help="Number of processes that score runs, and chunks of large ones; 1 by default, on a cluster all.",
        ),
    ] = None,
    backend: Annotated[str | None, Option("--backend", metavar="dask", help="Compute on a Dask cluster.")] = None,
    scheduler: Annotated[
        str | None, Option("--scheduler", metavar="ADDRESS", help="The address of the Dask scheduler.")
    ] = None,
) -> None:
    """Score one or several runs.

    Prints tab-separated lines of measure and value, in the order given; with -q, of query, measure and value.
    Several runs give a table with one row per run. Topics of the qrels that a run lacks get the measure's default value.
    """
    if no_summary and not by_query:
        raise UsageError("--no-summary (-n) goes with --by-query (-q).")
    check_backend(backend, scheduler)
    chosen_jobs(jobs)
    bytes_of(memory)
    paths, measures = runs_and_measures(run_and_measures, "irmx eval QRELS RUN... MEASURE...")
    if out is not None and (by_query or places is not None):
        raise UsageError(
            "--out writes the values of every topic, with all places, and prints nothing. Leave -q and -p out."
        )
    if output_format == "jsonl" and places is not None:
        note("--places is ignored with -o jsonl, which has full precision")
    evaluator = Evaluator(measures, qrels, provider)
    with contextlib.ExitStack() as stack:
        if scheduler is not None:
            stack.enter_context(stack.enter_context(dask(scheduler))([evaluator]))
        if out is not None:
            scores(
                measures, qrels if qrels != STANDARD_INPUT else evaluator.judgments, paths, provider, memory, jobs
            ).to_parquet(out)
            return
        scored = scored_runs(evaluator, dict(zip(paths, paths, strict=True)), memory, jobs, sound_only=True)
        failures: Failures = {}
        every = list(
            _results(paths, scored, evaluator, by_query, not no_summary, failures)
        )  # all or nothing is printed
    broken = set(map(str, failures))  # in any run, so that its values of others count for nothing
    rows = [row for row in every if row["measure"] not in broken]
    if (rows or not broken) and not sys.stdout.closed:  # by a measure, which is named below
        shown = (-1 if output_format == "csv" else 4) if places is None else places
        _print(rows, output_format, shown, len(paths) > 1, by_query)
        sys.stdout.flush()
    errors = list(failures.values())
    for error in errors[:-1]:
        print(f"irmx: {error}", file=sys.stderr)
    if errors:
        raise errors[-1]


def _results(
    paths: list[str],
    scored: Iterable[RunScores],
    evaluator: Evaluator,
    by_query: bool,
    summary: bool,
    failures: Failures,
) -> Iterator[dict[str, Any]]:
    """Yield one row per value: the run, the topic, the measure, the value, and further fields of the measure.

    The first error of each measure that fails is added to ``failures``.
    """
    names = dict(zip(paths, run_names(paths), strict=True))
    topics = list(evaluator.judgments.index)
    with progress_bar("Scoring runs", len(paths), shown=None if len(paths) > 1 else False) as advance:
        for run in scored:
            place = f"{names[run.name]}: " if len(paths) > 1 else ""
            for measure, error in run.failures.items():
                failures.setdefault(measure, _of_run(place, error))
            measures = [measure for measure in evaluator.measures if measure in run.scores]
            columns = [metrics_of(measure, topics, run.scores[measure]) for measure in measures] if by_query else []
            for metric in (one for of_topic in zip(*columns, strict=True) for one in of_topic if one):
                fields = getattr(metric, "fields", {})
                yield _row(names[run.name], metric.query_id, metric.measure, metric.value, fields)
            for measure in measures if summary else ():
                try:
                    mean = mean_of(measure, run.scores[measure])
                except (PluginError, TooLittleMemoryError) as error:
                    failures.setdefault(measure, _of_run(place, error))
                    continue
                yield _row(names[run.name], SUMMARY, measure, mean, run.scores[measure].of_mean())
            advance(1)


def _of_run(place: str, error: PluginError | TooLittleMemoryError) -> PluginError | TooLittleMemoryError:
    """Return the error of a measure with the run before its text."""
    placed = type(error)(f"{place}{error}")
    placed.__cause__ = error.__cause__
    return placed


def _row(
    run: str, query_id: str, measure: ir_measures.Measure, value: float, fields: Mapping[str, float]
) -> dict[str, Any]:
    return {"run": run, "query_id": query_id, "measure": str(measure), "value": value, **fields}


def _print(rows: list[dict[str, Any]], output_format: str, places: int, several_runs: bool, by_query: bool) -> None:
    """Print one row per value; in formats for reading, and for several runs, one row per run or topic."""
    keys = ["run"] * several_runs + ["query_id"] * by_query
    delimited = output_format in ("tsv", "csv")
    if output_format_named(output_format).WIDE or (several_runs and not by_query and delimited):
        keys = keys or ["run"]
        wide: dict[tuple[str, str], dict[str, Any]] = {}
        for row in rows:
            cells = wide.setdefault((row["run"], row["query_id"]), {key: row[key] for key in keys})
            cells[row["measure"]] = row["value"]
        print_rows(wide.values(), output_format, places=places)
        return
    fields = () if delimited else dict.fromkeys(name for row in rows for name in row if name not in _COLUMNS)
    columns = [*keys, "measure", "value", *fields]
    print_rows(rows, output_format, places=places, columns=columns, header=False)
