"""The page of a measure or a named object: on a terminal, in Markdown, and in the reference of irmx."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ir_measures

from irmx.adapters.papers import papers_of
from irmx.declare.columns import Column, Symbol
from irmx.declare.described import IR_MEASURES, Formula, parameters_section
from irmx.declare.measures import Measure, bounds
from irmx.declare.params import Param, has_default
from irmx.registry import registry
from irmx.score.backends import not_installed


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
        providers = [one for one in ir_measures.DefaultPipeline.providers if one.is_available()]
        names = [str(one.NAME) for one in providers if any(name == other.NAME for other in one.SUPPORTED_MEASURES)]
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
        listed = parameters_section(self.described.SUPPORTED_PARAMS, self.measure.params).split("\n  ")[1:]
        lines = (f"  {one.strip()}" if one.startswith(" ") else f"- **{one.replace(':', ':**', 1)}." for one in listed)
        return "\n".join(lines)

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
    if not declared:
        return "It has no parameters."
    rows = []
    for name, param in declared.items():
        of_ours = isinstance(param, Param)
        values = param.expects() if of_ours else getattr(param.dtype, "__name__", "any")
        rows.append(
            [f"`{name}`", param.desc or "", values, param.unit if of_ours else "", default_text(name, param, given)]
        )
    return table(["parameter", "meaning", "values", "unit", "default"], rows)


def default_text(name: str, param: Any, given: Mapping[str, Any]) -> str:
    """Return the default of a parameter as code, or that it is required, or an empty string."""
    if name in given:
        return f"`{given[name]!r}`"
    if getattr(param, "required", False):
        return "required"
    return f"`{param.default!r}`" if has_default(param) else ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table in Markdown; a bar in a cell stays a bar.

    >>> print(table(["a"], [["b|c"]]))
    | a |
    | --- |
    | b\|c |
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |" for line in lines)
