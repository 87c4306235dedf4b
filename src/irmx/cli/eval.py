"""The commands that score runs: eval, explain, plot, demo; and datasets, what runs can be scored against."""

from __future__ import annotations

import contextlib
import math
import shlex
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import ir_measures

from irmx.adapters.ir_datasets import Listed, listed
from irmx.adapters.pictures import picture_width, plot, write_picture
from irmx.cli.click_command import (
    Argument,
    FormatOption,
    Option,
    PlacesOption,
    WidthOption,
    output_format_named,
    picture_option,
    print_rows,
)
from irmx.cli.run_arguments import runs_and_measures
from irmx.data.chunks import MEMORY
from irmx.data.files import STANDARD_INPUT, bytes_of, file_to_write
from irmx.data.formats import read_file
from irmx.data.judgments import Judgments
from irmx.data.reading import matching_file, read_qrels, read_run
from irmx.data.runs import Run
from irmx.declare.columns import ITERATION, QRELS_HELP, REQUIRED, Column, vocabulary
from irmx.declare.described import cell_text
from irmx.declare.measures import Measure
from irmx.demo import (
    SYSTEMS,
    block_table,
    columns_needed,
    demo_measures,
    judgments_path,
    label_columns,
    left_out,
    run_table,
)
from irmx.errors import DataError, PluginError, TooLittleMemoryError, UsageError
from irmx.parallel import check_backend, chosen_jobs, dask, progress_bar
from irmx.registry import registry
from irmx.score.evaluator import Evaluator, mean_of, metrics_of
from irmx.score.explain import explain as explanation
from irmx.score.scored_runs import Failures, RunScores, reading_ahead, run_names, scored_runs
from irmx.score.scoring import scores
from irmx.text import list_some, note, plural, suggest, visible

# -- ``irmx eval`` ---------------------------------------------------------------------------------------------------


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
            help="How many threads score the chunks of a large run, and how many processes many runs that take long; 1 by default, on a cluster all.",
        ),
    ] = None,
    backend: Annotated[str | None, Option("--backend", metavar="dask", help="Compute on a Dask cluster.")] = None,
    scheduler: Annotated[
        str | None, Option("--scheduler", metavar="ADDRESS", help="The address of the Dask scheduler.")
    ] = None,
    verbose: Annotated[
        bool, Option("-v", "--verbose", help="Say on standard error in how many parts runs were scored, and by what.")
    ] = False,
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
    with contextlib.ExitStack() as stack:
        on_cluster = None if scheduler is None else stack.enter_context(dask(scheduler))
        if out is not None:
            judged = qrels if qrels != STANDARD_INPUT else Evaluator(measures, qrels, provider).judgments
            stack.enter_context(on_cluster([]) if on_cluster else contextlib.nullcontext())
            scores(measures, judged, paths, provider, memory, jobs).to_parquet(out)
            return
        runs = stack.enter_context(
            reading_ahead(dict(zip(paths, paths, strict=True)), memory, 1 if on_cluster else jobs)
        )
        evaluator = Evaluator(measures, qrels, provider)
        stack.enter_context(on_cluster([evaluator]) if on_cluster else contextlib.nullcontext())
        scored = scored_runs(evaluator, runs, memory, jobs, sound_only=True)
        failures, how = Failures(), Counter[str]()
        every = list(
            _results(paths, scored, evaluator, by_query, not no_summary, failures, how)
        )  # all or nothing is printed
    for way, count in how.items() if verbose else ():
        note(f"{plural(count, 'run')} {way}")
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
    how: Counter[str],
) -> Iterator[dict[str, Any]]:
    """Yield one row per value: the run, the topic, the measure, the value, and further fields of the measure.

    The first error of each measure that fails is added to ``failures``, and the number of runs that were scored in some way to ``how``.
    """
    names = dict(zip(paths, run_names(paths), strict=True))
    topics = list(evaluator.judgments.index)
    with progress_bar("Scoring runs", len(paths), shown=None if len(paths) > 1 else False) as advance:
        for run in scored:
            how[run.how] += 1
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
    if output_format_named(output_format).FOR_READING or (several_runs and not by_query and delimited):
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


# -- ``irmx explain``: one topic's score, broken down by document ----------------------------------------------------


def explain(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run: Annotated[str, Argument(help="A run file, a quoted glob of one, or - for standard input.")],
    measure: Annotated[
        str, Argument(help="A measure that a plugin computes, such as 'MP(model=GL_AD_ID)' or nDCG@10.")
    ],
    topic: Annotated[str, Option("-t", "--topic", help="The query id of the topic.")],
    ranking: Annotated[
        str | None,
        Option("--ranking", metavar="ID", help="Which ranking, if the run file has several per topic."),
    ] = None,
    places: PlacesOption = 6,
    all_documents: Annotated[
        bool, Option("-a", "--all", help="Also show the documents that contribute nothing.")
    ] = False,
    output_format: FormatOption = "table",
) -> None:
    """Break a topic's score down by document.

    Prints one row per part of the score, such as a relevant document with its rank, precision and weight; the contributions add up to the score.
    """
    path = matching_file(run)
    parts = explanation(
        measure, qrels, path if ranking is None else read_file("run", path, ranking), topic, all_documents
    )
    if output_format == "table":
        print(f"{parts.measure}  topic {visible(parts.query_id)}  value {cell_text(parts.value, places)}")
        for name, value in parts.fields.items():
            print(f"{name} {cell_text(_whole(value), places)}")
        documents = plural(parts.depth, "document")
        print(f"{documents}, among them {parts.retrieved} of {parts.recall_base} relevant ones")
    columns = [
        [_whole(v) if name == "grade" else _defined(v) for v in values] for name, values in parts.columns.items()
    ]
    rows = [dict(zip(parts.columns, cells, strict=True)) for cells in zip(*columns, strict=True)]
    footer = {name: float(sum(values)) for name, values in parts.columns.items() if name == "contribution"}
    print_rows(rows, output_format, places=places, columns=list(parts.columns), footer=footer)


def _whole(value: Any) -> Any:
    """Return a whole number, such as most grades, as an int, and anything else unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else _defined(value)


def _defined(value: Any) -> Any:
    """Return a value, with None in place of NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


# -- ``irmx plot``: the user of a measure on one topic, as a picture -------------------------------------------------


def plot_user(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        Argument(metavar="RUN... MEASURE...", help="Run files or quoted globs, then measures: a panel for each."),
    ],
    topic: Annotated[str, Option("-t", "--topic", help="The query id of the topic.")],
    out: Annotated[Path, picture_option("-o", "--out", help="Where to: FILE.svg, .png or .pdf.")],
    width: WidthOption = None,
) -> None:
    """Draw the user of a measure on one topic.

    Draws where the user of MP is, when users of MSU look in and what they read, what the reader of a page examines; of other
    measures, the weight and the contribution of every relevant document.
    """
    runs, measures = runs_and_measures(run_and_measures, "irmx plot QRELS RUN... MEASURE... --topic ID -o FILE")
    with picture_width(width):
        display = plot(measures, qrels, runs, topic)
    write_picture(display.figure_, out)


# -- ``irmx demo``: score the runs of the small collection in the package --------------------------------------------


Row = tuple[str, ir_measures.Measure, list[float]]
"""Where a measure comes from, the measure, and its mean for every system."""


SHOWN = 4
"""The demo shows so many measures; ``--all`` shows all."""


def demo(
    everything: Annotated[bool, Option("--all", help="Show all measures that run on the collection.")] = False,
    into: Annotated[
        str | None,
        Option("--into", metavar="DIR", help="Instead, write the collection as files into a new folder."),
    ] = None,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Score three systems on a small built-in collection.

    Prints the means of four measures, which system is better and how sure that is, and what to type next. The collection was written
    for irmx and is part of the package; nothing is downloaded. With --into, its files are written under the names that the examples of
    the documentation use.
    """
    if into is not None:
        _write(into)
        return
    judgments = read_qrels(judgments_path())
    rows = list(scored(judgments)) if everything else few(scored(judgments))
    values = [dict(zip(SYSTEMS, of_systems, strict=True)) for _, _, of_systems in rows]
    if output_format != "table":
        named = [
            {"source": name, "measure": str(measure)} | of for (name, measure, _), of in zip(rows, values, strict=True)
        ]
        print_rows(named, output_format, places=places)
        return
    print(f"Three systems, {len(judgments.topics)} topics about a town invented for irmx:")
    if everything:
        _print_all(rows, values, places)
    else:
        print_rows([{"measure": str(row[1])} | of for row, of in zip(rows, values, strict=True)], places=places)
        _print_finding(judgments, [measure for _, measure, _ in rows])
    print("To do the same with files, write the collection into a folder:")
    print("  irmx demo --into demo && cd demo")
    if everything:
        print(f"  irmx eval judgments.csv 'runs/*.run' {some(rows)}")
        print("Next: irmx measures, irmx explain, irmx plugins.")
        return
    command = "compare" if "compare" in registry().functions() else "eval"
    print(f"  irmx {command} qrels.txt 'runs/*.run' {' '.join(_quoted(str(measure)) for _, measure, _ in rows)}")
    print("irmx demo --all shows all measures, irmx measures NAME one of them in full.")


def few(rows: Iterable[Row]) -> list[Row]:
    """Return two measures of ir_measures, and of each plugin one that needs no more columns and has values of its own."""
    chosen: list[Row] = []
    for name, measure, means in rows:
        of_source = sum(name == source for source, *_ in chosen)
        is_new = all(means != of_other for *_, of_other in chosen)
        if of_source < (1 if isinstance(measure, Measure) else 2) and is_new and not columns_needed(measure):
            chosen.append((name, measure, means))
        if len(chosen) == SHOWN:
            break
    return chosen


def _print_finding(judgments: Judgments, measures: list[ir_measures.Measure]) -> None:
    """Print which system is better and how sure that is, if a plugin compares systems."""
    compare = registry().functions().get("compare")
    if compare is not None:
        found = compare.load()(measures, judgments, {system: read_run(run_table(system)) for system in SYSTEMS})
        print(*textwrap.wrap(found.headline(), 80, break_long_words=False), sep="\n")


def _print_all(rows: list[Row], values: list[dict[str, float]], places: int) -> None:
    """Print the means of all measures by where they come from."""
    printed: list[dict[str, Any]] = []
    for name, group in groupby(zip(rows, values, strict=True), key=lambda row: row[0][0]):
        printed += [{"measure": name}, *({"measure": f"  {row[1]}"} | of for row, of in group)]
    print_rows(printed, places=places)
    for name in dict.fromkeys(column.name for _, measure, _ in rows for column in label_columns(measure)):
        print(
            f"Measures that read the {name} of results get the first ten results, with those of each {name} as one block."
        )


def _write(into: str) -> None:
    """Write the collection as files, and say which."""
    from irmx.demo import CONTENTS, write_demo

    folder = write_demo(into)
    names = [name for name in CONTENTS if (folder / name).exists()]
    print(f"{visible(str(folder))}: the demo collection. In it:")
    print(*(f"  {name:<{max(map(len, names))}}  {CONTENTS[name]}" for name in names), sep="\n")
    print("Next:")
    print(f"  cd {visible(shlex.quote(str(folder)))}")
    print("  irmx eval qrels.txt run.txt AP nDCG@10")


def scored(judgments: Judgments) -> Iterator[Row]:
    """Yield the measures with their values; a plugin's measure that fails is left out, with a warning."""
    runs: dict[Column | None, list[Run]] = {None: [read_run(run_table(system)) for system in SYSTEMS]}
    for measure in demo_measures():
        try:
            evaluator = Evaluator([measure], judgments)
            grouping = next(iter(label_columns(measure)), None)
            if grouping is not None and grouping not in runs:
                runs[grouping] = [
                    read_run(block_table(system, grouping.name, grouping.sample.alone or ())) for system in SYSTEMS
                ]
            yield source(measure), measure, [float(evaluator.calc_aggregate(run)[measure]) for run in runs[grouping]]
        except (Exception, SystemExit) as error:
            if not isinstance(measure, Measure):
                raise
            left_out(measure, measure, error)


def source(measure: ir_measures.Measure) -> str:
    """Return the plugin that a measure comes from, with its version."""
    return (
        registry().source_of(registry().measures()[str(measure.NAME)])
        if isinstance(measure, Measure)
        else "ir_measures"
    )


def some(rows: list[Row]) -> str:
    """Return the first measure of every source that needs no extra run column, quoted for the shell."""
    first = {
        name: measure
        for name, measure, _ in reversed(rows)
        if not any(column.table == "run" for column in columns_needed(measure))
    }
    return " ".join(_quoted(str(measure)) for measure in reversed(first.values()))


def _quoted(measure: str) -> str:
    r"""Return a measure quoted as one word for the shell.

    >>> _quoted("MP(model=GL_AD_LID,rescale='recall')")
    '"MP(model=GL_AD_LID,rescale=\'recall\')"'
    """
    if "(" not in measure:
        return measure
    return f'"{measure}"' if "'" in measure else f"'{measure}'"


# -- ``irmx datasets`` -----------------------------------------------------------------------------------------------


_OF_DATASETS = ("dataset", "qrels", "columns", "source")
"""What is printed: the dataset's id, the extra fields of its qrels, the columns that measures find and where each comes from
(the qrels, or a field of the documents), and what provides the dataset."""


def datasets(
    part: Annotated[
        str | None, Argument(metavar="ID", help="Only this dataset and its subsets, such as clueweb09.")
    ] = None,
    measures: Annotated[
        list[str] | None,
        Option("--for", metavar="MEASURE", help="Only datasets with the columns that this measure needs."),
    ] = None,
    has: Annotated[
        list[str] | None,
        Option("--has", metavar="COLUMN", help="Only datasets with this column or field."),
    ] = None,
    output_format: FormatOption = "table",
) -> None:
    """List the datasets that can be used as qrels.

    These are the datasets of ir_datasets and of plugins that have qrels. For each, it shows the extra fields of the qrels, the
    columns that measures find and where each comes from (the qrels, or a field of the documents), and what provides the
    dataset. Only declarations are read; nothing is downloaded.
    """
    wanted, of_runs = _needed(measures or ())
    every, failed = listed()
    if part is not None and not any(_belongs(one.NAME, part) for one in every):
        for dataset_id, reason in failed.items():
            if _belongs(dataset_id, part):
                raise DataError(f"The dataset {dataset_id!r} cannot be inspected: {reason}")
        within = sorted(name for name in _names(every) if part.lower() in name)
        near = f" These contain the word: {list_some(within)}." if within else suggest(part, _names(every))
        raise UsageError(f"No dataset with qrels is {part!r} or a subset of it.{near}")
    for name in has or ():
        _check_known(name, every)
    found = [
        one
        for one in every
        if (part is None or _belongs(one.NAME, part))
        and all(c.name in one.columns or c.instead in one.columns for c in wanted)
        and all(name in one.columns or name in one.qrels for name in has or ())
    ]
    print_rows(map(_row_of_dataset, found), output_format, columns=_OF_DATASETS)
    note(f"{len(found)} of {len(every)} datasets with qrels")
    for column in wanted:
        if not any(column.name in one.columns for one in every):
            instead = f"; those with {column.instead!r} are listed" if column.instead else ""
            note(f"no dataset has {column.name!r}, {column.desc}{instead}{_how(column)}")
    for column in of_runs:
        note(f"the run must have the column {column.name!r}, {column.desc}{_how(column)}")
    if failed:
        first, reason = next(iter(failed.items()))
        note(f"{len(failed)} datasets cannot be inspected, such as {first}: {reason}")


def _needed(measures: Sequence[str]) -> tuple[list[Column], list[Column]]:
    """Return the columns that measures require: those of the qrels, and those of the run."""
    from irmx.score.evaluator import as_measures

    diversity = {m.NAME for m in ir_measures.providers.registry["pyndeval"].SUPPORTED_MEASURES}
    qrels: list[Column] = []
    run: list[Column] = []
    for measure in as_measures(measures):
        if isinstance(measure, Measure):
            measure.validate_params()
            qrels += [c for c in measure.qrel_columns() if not c.optional]
            run += [c for c in measure.run_columns() if not c.optional]
        elif measure.NAME in diversity:
            qrels.append(ITERATION)
    return list({c.name: c for c in qrels}.values()), list({c.name: c for c in run}.values())


def _belongs(dataset_id: str, part: str) -> bool:
    return f"{dataset_id}/".startswith(f"{part.rstrip('/')}/")


def _names(every: Iterable[Listed]) -> set[str]:
    """Return the ids of the datasets, and of those that they are subsets of."""
    return {"/".join(words[: i + 1]) for one in every for words in [one.NAME.split("/")] for i in range(len(words))}


def _check_known(name: str, every: Iterable[Listed]) -> None:
    """Raise :class:`UsageError` for a column that nothing declares."""
    known = {c.name for c in vocabulary() if c.table == "qrels"}
    known |= {field for one in every for field in (*one.qrels, *one.columns)}
    if name not in known:
        raise UsageError(f"No dataset and no measure has a column {name!r}.{suggest(name, known)}")


def _how(column: Column) -> str:
    return f": {column.how}" if column.how else ""


def _row_of_dataset(one: Listed) -> dict[str, Any]:
    return {
        "dataset": one.NAME,
        "qrels": [name for name in one.qrels if name not in REQUIRED["qrels"]],
        "columns": one.columns,
        "source": one.source,
    }
