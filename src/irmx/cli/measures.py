"""``irmx measures``: list all measures, or describe one."""

from __future__ import annotations

import functools
import inspect
import re
import shutil
import sys
import textwrap
from itertools import groupby
from typing import Annotated, Any

import ir_measures

from irmx.adapters.ir_measures.papers import papers_of
from irmx.cli.click_command import Argument
from irmx.cli.completing import names
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
from irmx.score.evaluator import as_measures


def measures(
    name: Annotated[
        str | None,
        Argument(
            help="A measure, with parameters if you like, or a named object such as GL_AD_ID, to describe in full; or a plugin, to list its measures only.",
            complete=names,
        ),
    ] = None,
    output_format: FormatOption = "table",
) -> None:
    """List all measures, or describe one in full.

    For one measure: its description, formula, parameters and citation; for one of irmx also its columns and range of values.
    -o markdown prints the same as a page of documentation, -o html what a notebook shows.
    """
    plugins = [info.name for info in registry().plugins.values() if name in (info.name, info.point, info.distribution)]
    if name is None or plugins:
        _list(output_format, plugins)
        return
    if output_format not in _OF_ONE:
        raise UsageError(
            f"-o {output_format} applies to the list of all measures only; one is printed as {', '.join(_OF_ONE)}. "
            f"Omit {name!r}, or -o."
        )
    known, text = measure_names(), name
    name = name.partition("(")[0].partition("@")[0].strip()
    if name in known:
        if name != text.strip():
            as_measures([text])  # refuses wrong parameters
        _describe(name, known[name], output_format)
        return
    if is_trec_name(name):
        for same in dict.fromkeys(str(measure.NAME) for measure in trec_measures(name)):
            _describe(same, known[same], output_format)
        return
    symbols = [symbol for symbol in registry().all_symbols() if name == symbol.NAME]
    if not symbols:
        every = [*known, *(symbol.NAME for symbol in registry().all_symbols()), *registry().plugins]
        raise UnknownNameError(f"There is no measure, named object or plugin {name!r}.{suggest(name, every)}")
    for symbol in symbols:
        _describe_symbol(symbol, output_format)


def _list(output_format: str, plugins: list[str]) -> None:
    """List the measures by plugin, and after them the named objects that are values of their parameters."""
    own, titles = registry().measures(), {info.source: info.name for info in registry().plugins.values()}
    rows = [(registry().source_of(measure), "", name, str(measure.SHORT_DESC)) for name, measure in own.items()]
    kinds = {
        param.kind for one in (*own.values(), *registry().all_symbols()) for param in one.SUPPORTED_PARAMS.values()
    }
    rows += [
        (registry().source_of(one), one.KIND, one.NAME, one.SHORT_DESC)
        for one in registry().all_symbols()
        if one.KIND in kinds
    ]  # others, such as significance tests, are values of options of commands
    rows.sort(key=lambda row: list(titles).index(row[0]) if row[0] in titles else len(titles))
    rows = [row for row in rows if not plugins or titles.get(row[0]) in plugins]
    if not plugins:
        others = {n: m for n, m in measure_names().items() if n not in own and n == m.NAME}
        rows += [("ir_measures", "", n, _about(m)) for n, m in sorted(others.items())]
    if output_format != "table":
        columns = ("plugin", "kind", "name", "description")
        print_rows(
            ({**dict(zip(columns, row, strict=True)), "kind": row[1] or "measure"} for row in rows), output_format
        )
        return
    for (source, kind), of in groupby(rows, key=lambda row: row[:2]):
        print(f"{visible(source)}{': ' * bool(kind)}{visible(kind)}")
        lines = [(name, about) for _, _, name, about in of]
        width = max(len(name) for name, _ in lines)
        for name, about in lines:
            line = f"  {name:<{width}}  {visible(about)}".rstrip()  # for grep one line each
            print(_folded(line, shutil.get_terminal_size().columns, width + 4) if sys.stdout.isatty() else line)
        print()


def _about(measure: Any) -> str:
    """Return the description of a measure of ir_measures, with the provider that it needs if that is not installed."""
    about, missing = getattr(measure, "SHORT_DESC", "") or "", not_installed(measure)
    return f"{about} [needs {missing}]" if missing else about


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
    """Print a text in lines that fit the terminal: paragraphs are filled, rows that stand indented are folded."""
    width = shutil.get_terminal_size().columns
    print(*(_folded(block, width) for block in visible_lines(text).split("\n\n")), sep="\n\n")


def _folded(block: str, width: int, indent: int = 6) -> str:
    lines = block.split("\n")
    if ">>>" in block or not block.strip():
        return block
    if not any(line.startswith((" ", "---")) for line in lines):
        return textwrap.fill(block, width, break_on_hyphens=False)
    fold = functools.partial(textwrap.fill, width=width, subsequent_indent=" " * indent, break_on_hyphens=False)
    return "\n".join(fold(line, drop_whitespace=True) if len(line) > width else line for line in lines)


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
