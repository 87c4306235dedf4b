"""The files of the track, plain or packed, and what each of them is by its content."""

from __future__ import annotations

import re
from pathlib import Path

from irmx import content_of

_HEAD = 65536
"""Bytes that are looked at to tell what a file is."""

LATEST = 1e11
"""The latest time that can be meant, in seconds since 1970: as milliseconds it is a day of 1973."""

HEADERS = {
    "nuggets": ("query_id", "nugget_id", "timestamp", "importance"),
    "matches": ("query_id", "update_id", "nugget_id", "match_start", "match_end"),
    "updates": ("query_id", "update_id", "duplicate_id"),
}
"""The columns by which a table is known."""

RELEASED_UPDATES = (
    "query_id",
    "update_id",
    "document_id",
    "sentence_id",
    "update_len",
    "duplicate_id",
    "update_text",
)
"""The columns of a file of updates without a header, as the extended pool was released."""


def kind_of(path: Path) -> str:
    """Return what a file is: ``"nuggets"``, ``"matches"``, ``"updates"``, ``"topics"``, or ``""`` for none of them."""
    start = content_of(path, size=_HEAD).lstrip()
    if start.startswith(b"<"):
        return "topics" if b"<event" in start else ""
    first = start.split(b"\n", 1)[0].decode("utf-8", errors="replace")
    names = set(first.split())
    for kind, columns in HEADERS.items():
        if names.issuperset(columns):
            return kind
    return "updates" if is_released_update(first) else ""


def is_released_update(line: str) -> bool:
    r"""Tell whether a line is a row of a file of updates without a header: its id is document and sentence.

    >>> is_released_update("\t".join(["TS14.11", "1326-ab-4", "1326-ab", "4", "12", "NULL", "Two words"]))
    True
    """
    fields = line.split("\t")
    return len(fields) >= len(RELEASED_UPDATES) - 1 and fields[1] == f"{fields[2]}-{fields[3]}"


def topic_of(text: str) -> str:
    """Return a topic's number: the tables write ``TS14.11`` where runs and topic files write ``11``.

    >>> topic_of("TS14.11"), topic_of("11")
    ('11', '11')
    """
    return re.sub(r"^TS\d\d\.", "", text)


def too_late(name: str, value: str) -> str:
    """Return what is wrong with a time beyond :data:`LATEST`."""
    return f"the {name} {value} is not in seconds: it would be after the year 5100. Give seconds, not milliseconds."


def place(path: Path, line: int) -> str:
    """Return a file and a line as a message starts."""
    return f"{path}, line {line}"
