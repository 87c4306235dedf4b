"""``irmx measures``: list all measures, or describe one."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any

from irmx.adapters.papers import papers_of
from irmx.cli.click_command import Argument
from irmx.cli.completing import names
from irmx.cli.measure_pages import MeasurePage, PageForATerminal
from irmx.cli.printing import FormatOption, print_rows
from irmx.declare.columns import Symbol
from irmx.declare.described import IR_MEASURES
from irmx.declare.described import described as described_in_html
from irmx.declare.expressions import is_trec_name, measure_names, trec_measures
from irmx.errors import UnknownNameError, UsageError
from irmx.registry import registry
from irmx.score.backends import not_installed
from irmx.score.evaluator import as_measures
from irmx.text import note, suggest, visible, visible_lines


def measures(
    name: Annotated[
        str | None,
        Argument(
            help="A measure, with parameters if you like, or a named object such as GL_AD_ID, to describe in full; or a plugin, or words of descriptions, to list some.",
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
        _list(output_format, _rows(plugins))
        return
    known, text = measure_names(), name
    name = name.partition("(")[0].partition("@")[0].strip()
    symbols = [symbol for symbol in registry().all_symbols() if name == symbol.NAME]
    if name == text.strip() and name not in known and not is_trec_name(name) and not symbols:
        every = [*known, *(symbol.NAME for symbol in registry().all_symbols()), *registry().plugins]
        if not (found := _rows([], name.casefold().split())):
            raise UnknownNameError(f"There is no measure, named object or plugin {name!r}.{suggest(name, every)}")
        _list(output_format, found)
        return
    if output_format not in _OF_ONE:
        raise UsageError(
            f"-o {output_format} applies to the list of all measures only; one is printed as {', '.join(_OF_ONE)}. "
            f"Omit {text!r}, or -o."
        )
    if name in known:
        if name != text.strip():
            as_measures([text])  # refuses wrong parameters
        _describe(name, known[name], output_format)
        return
    if is_trec_name(name):
        for same in dict.fromkeys(str(measure.NAME) for measure in trec_measures(name)):
            _describe(same, known[same], output_format)
        return
    if not symbols:
        every = [*known, *(symbol.NAME for symbol in registry().all_symbols())]
        raise UnknownNameError(f"There is no measure {name!r}.{suggest(name, every)}")
    for symbol in symbols:
        _describe(symbol.NAME, symbol, output_format)


_Row = tuple[str, str, str, str]
"""The plugin, the kind of a named object, the name, and the description."""


def _rows(plugins: list[str], words: Sequence[str] = ()) -> list[_Row]:
    """Return the measures by plugin, and after them the named objects that are values of their parameters; those that have all words."""
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
    if not rows:
        note(f"{' and '.join(plugins)}: no measures. 'irmx plugins' shows what a plugin offers.")
    if not plugins:
        others = {n: m for n, m in measure_names().items() if n not in own and n == m.NAME}
        rows += [("ir_measures", "", n, _about(m)) for n, m in sorted(others.items())]
    if not words:
        return rows
    titled = {n: str(getattr(m, "PRETTY_NAME", "")) for n, m in measure_names().items()}
    texts = (f"{' '.join(row)} {titled.get(row[2], '') if not row[1] else ''}".casefold() for row in rows)
    return [row for row, text in zip(rows, texts, strict=True) if all(word in text for word in words)]


def _list(output_format: str, rows: list[_Row]) -> None:
    """List measures and named objects."""
    if output_format != "table":
        columns = ("plugin", "kind", "name", "description")
        print_rows(
            ({**dict(zip(columns, row, strict=True)), "kind": row[1] or "measure"} for row in rows),
            output_format,
            columns=columns,
        )
        return
    for (source, kind), of in groupby(rows, key=lambda row: row[:2]):
        print(f"{visible(source)}{': ' * bool(kind)}{visible(kind)}")
        lines = [(name, about) for _, _, name, about in of]
        width = max(len(name) for name, _ in lines)
        for name, about in lines:
            line = f"  {name:<{width}}  {visible(about)}".rstrip()  # for grep one line each
            if sys.stdout.isatty():
                fill = shutil.get_terminal_size().columns
                line = textwrap.fill(line, fill, subsequent_indent=" " * (width + 4), break_on_hyphens=False)
            print(line)
        print()


def _about(measure: Any) -> str:
    """Return the description of a measure of ir_measures, with the provider that it needs if that is not installed."""
    about, missing = getattr(measure, "SHORT_DESC", "") or "", not_installed(measure)
    return f"{about} [needs {missing}]" if missing else about


_OF_ONE = ("table", "markdown", "html")
"""The output formats of one measure or named object; ``table`` is text for a terminal."""


def _describe(name: str, described: Any, output_format: str) -> None:
    """Print the page of a measure or a named object, on a terminal with its markup shown."""
    if output_format == "html" and isinstance(described, Symbol):
        text = described._repr_html_()
    elif output_format == "html":
        scorer = MeasurePage(name, described).described
        text = described_in_html(
            name, scorer, f"{scorer.PRETTY_NAME}. {scorer.SHORT_DESC}", papers_of(described) or (IR_MEASURES,)
        )
    else:
        text = (MeasurePage if output_format == "markdown" else PageForATerminal)(name, described).text().rstrip()
    if output_format == "table" and sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console(emoji=False).print(Markdown(visible_lines(text), code_theme="ansi_dark", hyperlinks=False))
    else:
        print(visible_lines(text))
