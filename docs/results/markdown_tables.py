"""Tables for the pages of results: in Markdown, or beside the page as csv."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from numbers import Integral
from pathlib import Path


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """Return a table, its first columns texts and the others numbers; whole numbers have commas between thousands."""
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def beside(page: Path, name: str, head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Write a long table as csv beside a page; return the name of its file."""
    path = page.with_name(f"{page.stem}_{name}.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return path.name


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, Integral) and not isinstance(value, bool) else str(value)
