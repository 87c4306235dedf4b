"""``irmx measures``: list all measures, or describe one."""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from typing import Annotated, Any

import ir_measures
import typer

from irmx.adapters.ir_measures.papers import papers_of
from irmx.cli.completing import measures_and_objects
from irmx.cli.fitted_text import fitted
from irmx.cli.measure_pages import MeasurePage, formula_in_markdown, of_monotonicity, parameters_table
from irmx.cli.output.printing import FormatOption, print_rows
from irmx.declare.citation import IR_MEASURES
from irmx.declare.declared import bounds
from irmx.declare.described import described
from irmx.declare.expressions import measure_names
from irmx.declare.formula import Formula
from irmx.declare.mathml import mathml_as_text
from irmx.declare.measures import Measure
from irmx.declare.parameter_help import parameters_section
from irmx.declare.symbols import Symbol
from irmx.declare.trec_names import is_trec_name, trec_measures
from irmx.errors import UnknownNameError, UsageError, suggest, visible, visible_lines
from irmx.registry import registry
from irmx.score.backends import not_installed


def measures(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A measure, or a named object such as GL_AD_ID, to describe in full.",
            autocompletion=measures_and_objects,
        ),
    ] = None,
    output_format: FormatOption = "table",
) -> None:
    """List all measures, or describe one in full.

    For one measure: its description, formula, parameters and citation; for one of irmx also its columns and range of values.
    -o markdown prints the same as a page of documentation, -o html what a notebook shows.
    """
    if name is None:
        _list(output_format)
        return
    if output_format not in _OF_ONE:
        raise UsageError(
            f"-o {output_format} applies to the list of all measures only; one is printed as {', '.join(_OF_ONE)}. "
            f"Omit {name!r}, or -o."
        )
    known = measure_names()
    name = name.partition("(")[0].partition("@")[0].strip()
    if name in known:
        _describe(name, known[name], output_format)
        return
    if is_trec_name(name):
        for same in dict.fromkeys(str(measure.NAME) for measure in trec_measures(name)):
            _describe(same, known[same], output_format)
        return
    symbols = [symbol for symbol in registry().all_symbols() if name == symbol.NAME]
    if not symbols:
        names = [*known, *(symbol.NAME for symbol in registry().all_symbols())]
        raise UnknownNameError(f"There is no measure or named object {name!r}.{suggest(name, names)}")
    for symbol in symbols:
        _describe_symbol(symbol, output_format)


def _list(output_format: str) -> None:
    own = registry().measures()
    kinds: dict[str, list[tuple[str, str]]] = {
        "Measures of irmx plugins": [(n, str(m.SHORT_DESC)) for n, m in own.items()]
    }
    for symbol in registry().all_symbols():
        kinds.setdefault(f"Named objects: {symbol.KIND}", []).append((symbol.NAME, symbol.SHORT_DESC))
    others = {n: m for n, m in measure_names().items() if n not in own and n == m.NAME}
    kinds["Measures of ir_measures"] = [(n, _about(m)) for n, m in sorted(others.items())]
    if output_format == "table":
        for title, rows in kinds.items():
            _rows(title, rows)
        return
    print_rows(
        ({"kind": kind, "name": name, "description": about} for kind, rows in kinds.items() for name, about in rows),
        output_format,
    )


def _about(measure: Any) -> str:
    """Return the description of a measure of ir_measures, with the provider that it needs if that is not installed."""
    about, missing = getattr(measure, "SHORT_DESC", "") or "", not_installed(measure)
    return f"{about} [needs {missing}]" if missing else about


def _rows(title: str, rows: list[tuple[str, str]]) -> None:
    if not sys.stdout.isatty():  # for grep: one line per entry
        width = max((len(name) for name, _ in rows), default=0)
        lines = (f"  {name:<{width}}  {visible(about)}".rstrip() for name, about in rows)
        print(title, *lines, "", sep="\n")
        return
    from rich.console import Console
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for row in rows:
        grid.add_row("  " + row[0], visible(row[1]))
    console = Console(markup=False, highlight=False, emoji=False)
    console.print(title)
    console.print(grid)
    console.print()


_OF_ONE = ("table", "markdown", "html")
"""The output formats of one measure or named object; ``table`` is text for a terminal."""


def _describe(name: str, measure: Any, output_format: str) -> None:
    scorer = measure if isinstance(measure, Measure) else registry().scorer(measure.NAME) or measure
    if output_format == "markdown":
        print(visible_lines(MeasurePage(name, measure).text()), end="")
        return
    papers = papers_of(measure) or (IR_MEASURES,)
    if output_format == "html":
        print(visible_lines(described(name, scorer, f"{scorer.PRETTY_NAME}. {scorer.SHORT_DESC}", papers)))
        return
    _print(f"{name}: {scorer.PRETTY_NAME}\n  {scorer.SHORT_DESC}")
    _print_formula(getattr(scorer, "FORMULA", None))
    doc = re.sub(r"^\.\. .*$", "", inspect.cleandoc(type(scorer).__doc__ or ""), flags=re.MULTILINE)  # for Sphinx only
    if doc:
        _print("\n" + doc.strip())
    _print(f"\n{parameters_section(scorer.SUPPORTED_PARAMS, measure.params)}")
    if missing := not_installed(measure):
        _print(f"\nProvider\n  {missing}")
    if isinstance(measure, Measure):
        _describe_values(measure)
    else:
        _computed_by(measure, scorer)
    _print("\n".join(["\nCite", *(f"  {citation}" for citation in papers)]))


def _describe_symbol(symbol: Symbol, output_format: str) -> None:
    if output_format == "html":
        print(visible_lines(symbol._repr_html_()))
    elif output_format == "markdown":
        formula = formula_in_markdown(symbol.FORMULA)
        parts = [
            f"# {symbol.NAME}",
            f"{symbol.KIND}: {symbol.SHORT_DESC}",
            *([f"## Formula\n\n{formula}"] if formula else []),
        ]
        parts.append(f"## Parameters\n\n{parameters_table(symbol.SUPPORTED_PARAMS, symbol.params)}")
        print(visible_lines("\n\n".join(parts)))
    else:
        _print(f"{symbol.NAME}: {symbol.KIND}, {symbol.SHORT_DESC}")
        _print_formula(symbol.FORMULA)
        _print(f"\n{parameters_section(symbol.SUPPORTED_PARAMS, symbol.params)}")


def _print(text: str) -> None:
    print(fitted(text, shutil.get_terminal_size().columns))


def _print_formula(formula: Formula | None) -> None:
    """Print a formula as plain text and in LaTeX, and what its symbols mean."""
    if formula is None:
        return
    from rich.cells import cell_len

    rows = formula.rows()
    width = max((cell_len(symbol) for symbol, _ in rows), default=0)
    lines = [
        "",
        "Formula",
        f"  {mathml_as_text(formula.latex)}",
        *(f"    {symbol}{' ' * (width - cell_len(symbol))}  {text}" for symbol, text in rows),
    ]
    source = [f"  Source: {formula.source}"] if formula.source else []
    _print("\n".join([*lines, f"  LaTeX: {formula.latex}", *source]))


def _describe_values(measure: Measure) -> None:
    columns = (*measure.RUN_COLUMNS, *measure.QREL_COLUMNS)
    _print("\nColumns read, in addition to those of every run and qrels")
    for column in columns:
        unit = f" ({column.unit})" if column.unit else ""
        _print(f"  {column.table}.{column.name}: {column.desc}{unit}{'; may be missing' if column.optional else ''}")
    if not columns:
        _print("  none")
    low, high = bounds(measure.RANGE)
    _print(f"\nRange of values\n  {low:g} to {high:g}\n  {of_monotonicity(measure)}")


def _computed_by(measure: Any, scorer: Any) -> None:
    """Print which plugin computes a measure of ir_measures, and which providers of ir_measures do."""
    pipeline = ir_measures.DefaultPipeline.providers
    providers = [
        str(p.NAME)
        for p in pipeline
        if any(one.NAME == measure.NAME for one in p.SUPPORTED_MEASURES) and p.is_available()
    ]
    rows = [f"the plugin {registry().source_of(scorer)}"] if isinstance(scorer, Measure) else []
    if providers:
        which = "with --provider, one of these" if rows else "the first of these"
        rows.append(f"{which} providers of ir_measures that takes the parameters: {', '.join(providers)}")
    if rows:
        _print("\n  ".join(["\nComputed by", *rows]))
