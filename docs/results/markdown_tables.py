"""Tables in Markdown, for the pages of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """Return a table, its first columns texts and the others numbers; whole numbers have commas between thousands."""
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, Integral) and not isinstance(value, bool) else str(value)
