"""The commands about measures and plugins: measures, cite, plugins, new-plugin."""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import groupby
from typing import Annotated, Any

import ir_measures

from irmx.adapters.ir_datasets import is_taken
from irmx.adapters.papers import papers_of
from irmx.cli.app import problems
from irmx.cli.click_command import Argument, FormatOption, Option, print_rows
from irmx.cli.run_arguments import names
from irmx.declare.columns import Column, Symbol
from irmx.declare.described import IR_MEASURES, TOOLS, Formula, parameters_of
from irmx.declare.described import described as described_in_html
from irmx.declare.expressions import is_trec_name, measure_names, measures_named, split_measures, trec_measures
from irmx.declare.measures import Measure, bounds, refuse_broken, takes_silence
from irmx.errors import UnknownNameError, UsageError
from irmx.plugin.discovery import HOST
from irmx.registry import registry
from irmx.score.backends import not_installed
from irmx.score.evaluator import as_measures
from irmx.text import note, readable, suggest, visible, visible_lines

# -- the page of a measure or a named object -------------------------------------------------------------------------


class MeasurePage:
    """The page of a measure or a named object; a generator of documentation that has more to say, such as links, overrides sections."""

    def __init__(self, name: str, measure: Any) -> None:
        self.name, self.measure = name, measure
        scorer = None if isinstance(measure, (Measure, Symbol)) else registry().scorer(str(measure.NAME))
        self.described: Any = scorer or measure

    def text(self) -> str:
        """Return the page."""
        sections = {title: text for title, text in self.sections().items() if text}
        body = "\n\n".join(f"## {title}\n\n{text}" for title, text in sections.items())
        return f"# {self.name}\n\n{self.about()}\n\n{body}\n"

    def sections(self) -> dict[str, str]:
        """Return the sections by title; those without text are left out."""
        sections = {"Formula": self.formula(), "Definition": self.definition(), "Parameters": self.parameters()}
        if isinstance(self.measure, Symbol):
            return {**sections, "Definition": ""}
        return {
            **sections,
            "Columns": self.columns(),
            "Values": self.values(),
            "Computed by": self.computed_by(),
            "Citation": self.citations(),
        }

    def about(self) -> str:
        """Return the name written out, and what the measure or the object is."""
        if isinstance(self.measure, Symbol):
            return f"{self.measure.KIND}: {self.measure.SHORT_DESC}"
        return f"**{self.described.PRETTY_NAME or self.name}.** {self.described.SHORT_DESC}"

    def formula(self) -> str:
        """Return the formula with the meanings of its symbols."""
        return formula_in_markdown(getattr(self.described, "FORMULA", None))

    def definition(self) -> str:
        """Return the docstring."""
        return docstring_in_markdown(type(self.described).__doc__ or "")

    def parameters(self) -> str:
        """Return the table of parameters."""
        return parameters_table(self.described.SUPPORTED_PARAMS, self.measure.params)

    def columns(self) -> str:
        """Return the table of the columns that it reads; empty for a measure of ir_measures."""
        if not isinstance(self.measure, Measure):
            return ""
        columns = (*self.measure.RUN_COLUMNS, *self.measure.QREL_COLUMNS)
        if not columns:
            return f"It reads {self.columns_of_all()}, and no others."
        rows = [[c.table, self.column(c), c.desc, c.unit, "may be missing" if c.optional else c.how] for c in columns]
        listed = table(["table", "column", "meaning", "unit", "how to get it"], rows)
        return f"Beyond {self.columns_of_all()}, it reads, depending on its parameters:\n\n{listed}"

    def column(self, column: Column) -> str:
        """Return the name of a column."""
        return f"`{column.name}`"

    def columns_of_all(self) -> str:
        """Return what to call the columns that every table has."""
        return "the columns that every run and qrels table has"

    def values(self) -> str:
        """Return the range of values; empty for a measure of ir_measures."""
        if not isinstance(self.measure, Measure):
            return ""
        low, high = bounds(self.measure.RANGE)
        default = f"A topic of the qrels for which the run has no documents counts as {self.measure.DEFAULT:g}."
        if takes_silence(self.measure):
            default = "To return nothing for a topic is an answer, which has a value of its own."
        can = "never lowers" if self.measure.MONOTONE else "can lower"
        return (
            f"From {low:g} to {high:g}. {default} Replacing a non-relevant document by a relevant one {can} the value."
        )

    def computed_by(self) -> str:
        """Return the plugin and the providers that compute a measure of ir_measures; empty for one of irmx."""
        if isinstance(self.measure, Measure):
            return ""
        if missing := not_installed(self.measure):
            return f"Provider: {missing}."
        name = self.measure.NAME
        able = [
            one
            for one in ir_measures.DefaultPipeline.providers
            if any(name == other.NAME for other in one.SUPPORTED_MEASURES)
        ]
        # those that are called as their package are not imported for this: ranx takes seconds
        names = [str(one.NAME) for one in able if find_spec(str(one.NAME)) is not None or one.is_available()]
        of_irmx = f"The plugin {registry().source_of(self.described)}" if isinstance(self.described, Measure) else ""
        which = ", or with --provider one of " if of_irmx else "The first of these that takes the parameters: "
        return f"{of_irmx}{which}{', '.join(names)}." if names else f"{of_irmx}."

    def citations(self) -> str:
        """Return the publications to cite, with their BibTeX entries."""
        cited = papers_of(self.measure) or (IR_MEASURES,)
        return "\n\n".join(f"{one}\n\n```bibtex\n{one.bibtex()}\n```" for one in cited)


class PageForATerminal(MeasurePage):
    """The page with the formula as its source, and the parameters as a list."""

    def parameters(self) -> str:
        """Return the list of parameters."""
        of_params = parameters_of(self.described.SUPPORTED_PARAMS, self.measure.params)
        lines = [f"- **{one.name}:** {one.meaning}.\n  {one.says}" for one in of_params]
        return "\n".join(lines) or "It has no parameters."

    def formula(self) -> str:
        """Return the formula in LaTeX, with the meanings of its symbols."""
        of: Formula | None = getattr(self.described, "FORMULA", None)
        return f"```latex\n{of}\n```" if of is not None else ""

    def citations(self) -> str:
        """Return the publications to cite."""
        return "\n\n".join(f"{one}" for one in papers_of(self.measure) or (IR_MEASURES,))


def formula_in_markdown(formula: Formula | None) -> str:
    r"""Return a formula between dollar signs and a table of its symbols; empty without a formula.

    >>> print(formula_in_markdown(Formula(r"\mathrm{P@}k = \frac{r_k}{k}", {"k": "the ``cutoff``"}, "a book")))
    $$
    \mathrm{P@}k = \frac{r_k}{k}
    $$
    <BLANKLINE>
    | symbol | meaning |
    | --- | --- |
    | $k$ | the `cutoff` |
    <BLANKLINE>
    Source: a book.
    """
    if formula is None:
        return ""
    symbols = table(
        ["symbol", "meaning"], [[f"${one}$", meaning.replace("``", "`")] for one, meaning in formula.symbols.items()]
    )
    source = f"\n\nSource: {formula.source}." if formula.source else ""
    return f"$$\n{formula.latex}\n$$\n\n{symbols}{source}"


def docstring_in_markdown(text: str) -> str:
    r"""Return a docstring in the style of numpydoc as Markdown.

    >>> print(docstring_in_markdown("Of a :class:`run`, as ``Run``.\n\nReferences\n----------\nA book."))
    Of a `run`, as `Run`.
    <BLANKLINE>
    ### References
    <BLANKLINE>
    A book.
    """
    text = re.sub(r"^\.\. .*$", "", inspect.cleandoc(text), flags=re.MULTILINE)  # for Sphinx only
    text = re.sub(r":(?:\w+:)?\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    text = re.sub(r"^(\w[\w ]*)\n-{3,}\n", r"### \1\n\n", text, flags=re.MULTILINE)
    return re.sub(r"^>>> .*(?:\n.+)*", lambda code: f"```pycon\n{code[0]}\n```", text.strip(), flags=re.MULTILINE)


def parameters_table(declared: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Return a table of parameters: meaning, values, unit, default; values that the object has replace the defaults."""
    rows = [
        [f"`{one.name}`", one.meaning, one.facts[0], one.facts[2], f"`{one.value}`" if one.value else one.need]
        for one in parameters_of(declared, given)
    ]
    return table(["parameter", "meaning", "values", "unit", "default"], rows) if rows else "It has no parameters."


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table in Markdown; a bar in a cell stays a bar.

    >>> print(table(["a"], [["b|c"]]))
    | a |
    | --- |
    | b\|c |
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |" for line in lines)


# -- ``irmx measures``: list all measures, or describe one -----------------------------------------------------------


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


# -- ``irmx cite``: BibTeX entries of the papers to cite -------------------------------------------------------------


def cite(measures: Annotated[list[str], Argument(help="Measures, as for irmx eval; or irmx, ir_measures.")]) -> None:
    """Print BibTeX entries of the papers to cite.

    Covers the measures of irmx plugins and of ir_measures, ir_measures itself, and irmx.
    """
    tools = [TOOLS[name] for name in measures if name in TOOLS]
    texts = [text for name in measures if name not in TOOLS for text in split_measures(name)]
    named = [one for text in texts for one in measures_named(text, complete=False)]
    for measure in named:
        if isinstance(measure, Measure):
            refuse_broken(measure)
    papers = {str(measure): papers_of(measure) for measure in named}
    of_tools = (tools,) if tools and not papers else (tools, (IR_MEASURES,))
    entries = {paper.key: paper for cited in (*papers.values(), *of_tools) for paper in cited}
    print(visible_lines("\n\n".join(paper.bibtex() for paper in entries.values())))
    if without := [name for name, cited in papers.items() if not cited]:
        note(f"{', '.join(without)}: no paper to cite but that of ir_measures")


# -- ``irmx plugins``: the installed plugins, what they offer, and what failed and why -------------------------------


_COLUMNS = ("plugin", "distribution", "version", "kind", "names", "refused", "failure")


def plugins(output_format: FormatOption = "table") -> None:
    """List the installed plugins and what they offer.

    Shows the version of each and, for one that is not in use, why not.
    """
    if output_format != "table":
        print_rows(_rows_of_plugins(), output_format, columns=_COLUMNS)
        return
    for info in registry().plugins.values():
        title = info.name if info.name == HOST else f"{info.name} ({info.distribution or 'no distribution'})"
        _print(f"{title} {info.version}")
        if info.failure:
            _print(f"  not in use: {info.failure}")
        for what, offered in info.offers.items():
            _print(_wrapped(f"  {what.replace('_', ' ')}: {', '.join(offered)}"))
        for what, reasons in info.refused.items():
            for name, reason in reasons.items():
                _print(f"  refused: {what.replace('_', ' ')} {name}: {reason}")
        for why in problems(registry().commands()[words] for words in info.offers.get("commands", ())):
            _print(f"  {why}")
        for name in filter(is_taken, info.offers.get("datasets", ())):
            _print(f"  not in use: the dataset {name!r}, because ir_datasets has one of this name")


def _print(text: str) -> None:
    print(readable(text))


def _wrapped(line: str) -> str:
    """Return a line, on a terminal in lines that fit it."""
    if not sys.stdout.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return textwrap.fill(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _rows_of_plugins() -> Iterator[dict[str, Any]]:
    """Yield one row per plugin and kind of object it offers, or one for a plugin that offers none."""
    for info in registry().plugins.values():
        plugin = {
            "plugin": info.name,
            "distribution": info.distribution,
            "version": info.version,
            "failure": info.failure or None,
        }
        for kind in dict.fromkeys([*info.offers, *info.refused]) or [""]:
            yield plugin | {
                "kind": kind,
                "names": info.offers.get(kind, []),
                "refused": list(info.refused.get(kind, ())),
            }


# -- ``irmx new-plugin``: create the distribution of a new plugin ----------------------------------------------------


def new_plugin(
    name: Annotated[
        str,
        Argument(help="Name of the plugin, such as word-budget; the distribution is called irmx-word-budget."),
    ],
    into: Annotated[str, Option("--into", metavar="DIR", help="The folder in which to create its folder.")] = ".",
    measure: Annotated[str | None, Option("-m", "--measure", help="Name of its measure, such as WordBudget.")] = None,
) -> None:
    """Create the distribution of a new plugin.

    It has one working measure with its tests, and the files for building and continuous integration. Nothing is overwritten.
    """
    import irmx
    from irmx.plugin.templates import Names, new_plugin

    names = Names.of(name, measure, reserved=irmx.__all__)
    folder = new_plugin(names, into)
    print(f"{irmx.toolkit.visible(str(folder))}: a plugin with the measure {names.measure}. Next:")
    print(f"  cd {irmx.toolkit.visible(shlex.quote(str(folder)))}")
    print("  python -m pip install -e '.[test]' && python -m pytest")
    print(f"  irmx measures {names.measure}")
    print(
        f"Then write your own definition in {irmx.toolkit.visible(str(folder / 'src' / names.package / 'measure.py'))},"
    )
    print(
        f"and the values that you work out by hand in {irmx.toolkit.visible(str(folder / 'tests' / 'test_measure.py'))}."
    )
