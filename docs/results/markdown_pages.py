"""The pages of results: a section per program, tables in Markdown, and long tables beside a page as csv."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from numbers import Integral
from pathlib import Path


def write_section(page: Path, title: str, text: str) -> None:
    """Put a section into a page, in place of the section with its title, or else at the end.

    A page that does not exist is begun with the section.
    """
    heading = f"\n## {title}\n"
    before, _, rest = (page.read_text(encoding="utf-8") if page.exists() else "").partition(heading)
    if page.exists() and not rest:
        before = f"{before.rstrip()}\n"
    _, next_heading, after = rest.partition("\n## ")
    page.write_text(f"{before}{heading}\n{text.strip()}\n{next_heading}{after}".lstrip(), encoding="utf-8")
    print(f"{page.name}: section {title!r} written")


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """Return a table, its first columns texts and the others numbers; whole numbers have commas between thousands."""
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def beside(page: Path, name: str, head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Write a long table as csv beside a page; return the name of its file."""
    path = page.with_name(f"{name}.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return path.name


def _cell(value: object) -> str:
    return str(value) if isinstance(value, bool) or not isinstance(value, Integral) else f"{value:,}"
