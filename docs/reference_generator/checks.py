"""What the documentation must have for everything that a user can name; the build fails where something lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from irmx import Symbol, registry
from irmx.plugin.discovery import HOOKS
from reference_generator.markdown import parameter_anchor, slug
from reference_generator.vocabulary import column_anchor, meanings

_MADE = {"_build", "reference", "results", "examples"}


def written(docs: Path) -> str:
    """Return the text of the pages that are written by hand, and of the README beside their folder."""
    pages = [p for p in docs.rglob("*.md") if not _MADE & set(p.relative_to(docs).parts)]
    return "\n".join(p.read_text(encoding="utf-8") for p in [*sorted(pages), docs.parent / "README.md"])


def lacking(pages: dict[str, str], guides: str) -> list[str]:
    """Return a line for everything that the documentation lacks.

    Every hook, command, measure, named object, column and public name needs a heading in the reference, and every parameter
    an anchor; hooks, commands, measures and named objects are to be named in a guide besides.

    Parameters
    ----------
    pages : dict of str to str
        The pages of the reference by path.
    guides : str
        What is written by hand.
    """
    return [*_without_a_place(pages), *_in_no_guide(guides)]


def _without_a_place(pages: dict[str, str]) -> Iterator[str]:
    for hook in HOOKS:
        if hook not in headings(pages["hooks.md"]):
            yield f"The hook {hook} has no heading in hooks.md."
    for command in registry().commands():
        if f"irmx {command}" not in headings(pages["commands.md"]):
            yield f"The command irmx {command} has no heading in commands.md."
    for name, measure in registry().measures().items():
        yield from _lacks_on(f"measures/{name}.md", pages, "measure", name, measure.SUPPORTED_PARAMS)
        for column in (*measure.RUN_COLUMNS, *measure.QREL_COLUMNS):
            if f"#{column_anchor(column.table, column.name)})" not in pages.get(f"measures/{name}.md", ""):
                yield f"The column {column.name} of the {column.table} is not on the page of the measure {name}."
    for symbol in registry().all_symbols():
        path = f"{slug(symbol.KIND)}/{symbol.NAME}.md"
        yield from _lacks_on(path, pages, symbol.KIND, symbol.NAME, symbol.SUPPORTED_PARAMS)
    for table, name in meanings():
        section = f"({column_anchor(table, name)})=\n### `{name}` of the {table}\n"
        if section not in pages["columns.md"]:
            yield f"The column {name} of the {table} has no heading in columns.md."


def _lacks_on(path: str, pages: dict[str, str], what: str, name: str, parameters: dict[str, object]) -> Iterator[str]:
    """Yield what lacks on the page of a measure or a named object."""
    page = pages.get(path, "")
    if name not in headings(page):
        yield f"The {what} {name} has no heading in {path}."
    for parameter in parameters:
        if f"`{parameter}`{{#{parameter_anchor(parameter)}}}" not in page:
            yield f"The parameter {parameter} of {name} has no anchor in {path}."


def _in_no_guide(guides: str) -> Iterator[str]:
    symbols: list[Symbol] = registry().all_symbols()
    named = {
        "hook": list(HOOKS),
        "command": [f"irmx {name}" for name in registry().commands()],
        "measure": list(registry().measures()),
        "named object": [symbol.NAME for symbol in symbols],
    }
    for what, names in named.items():
        for name in names:
            if not is_named(name, guides):
                yield f"No guide names the {what} {name}."


def headings(text: str) -> set[str]:
    """Return the headings of a page."""
    return set(re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE))


def is_named(name: str, guides: str) -> bool:
    """Tell whether a page written by hand has a name as a word of its own, in code.

    >>> is_named("MP", "as `MP(model=GL_AD_ID)` does"), is_named("MP", "the measure MP"), is_named("MP", "`MPcont`")
    (True, False, False)
    """
    return re.search(rf"`[^`\n]*(?<![\w-]){re.escape(name)}(?![\w-])[^`\n]*`", guides) is not None
