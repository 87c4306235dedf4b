"""``irmx demo``: score the runs of the small collection in the package."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Annotated, Any

import ir_measures

from irmx.cli.click_command import Option
from irmx.cli.printing import FormatOption, PlacesOption, print_rows
from irmx.data.judgments import Judgments
from irmx.data.reading import read_qrels, read_run
from irmx.data.runs import Run
from irmx.declare.columns import Column
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
from irmx.registry import registry
from irmx.score.evaluator import Evaluator
from irmx.text import visible

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
    from irmx.demo.demo_folder import CONTENTS, write_demo

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
