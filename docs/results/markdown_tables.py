"""Tables in Markdown, for the pages of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """Return a table, its first columns texts and the others numbers."""
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
