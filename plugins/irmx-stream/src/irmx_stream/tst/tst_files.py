"""The files of the track, plain or compressed, recognised by their content."""

from __future__ import annotations

import re
from pathlib import Path

from irmx.toolkit import content_of

_HEAD = 65536
"""Number of bytes that are read to recognise a file."""

LATEST = 1e11
"""The latest plausible time, in seconds since 1970; read as milliseconds it is in 1973."""

HEADERS = {
    "nuggets": ("query_id", "nugget_id", "timestamp", "importance"),
    "matches": ("query_id", "update_id", "nugget_id", "match_start", "match_end"),
    "updates": ("query_id", "update_id", "duplicate_id"),
}
"""The columns by which a table is recognised."""

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
    """Return the kind of a file: ``"nuggets"``, ``"matches"``, ``"updates"``, ``"topics"``, or ``""`` for none of them."""
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
    r"""Tell whether a line is a row of an updates file without a header: the id is that of a document and a sentence.

    >>> is_released_update("\t".join(["TS14.11", "1326-ab-4", "1326-ab", "4", "12", "NULL", "Two words"]))
    True
    """
    fields = line.split("\t")
    return len(fields) >= len(RELEASED_UPDATES) - 1 and fields[1] == f"{fields[2]}-{fields[3]}"


def topic_of(text: str) -> str:
    """Return the number of a topic: ``TS14.11`` in the tables is ``11`` in runs and topic files.

    >>> topic_of("TS14.11"), topic_of("11")
    ('11', '11')
    """
    return re.sub(r"^TS\d\d\.", "", text)


def too_late(name: str, value: str) -> str:
    """Return the message about a time after :data:`LATEST`."""
    return f"the {name} {value} is not in seconds: it would be after the year 5100. Give seconds, not milliseconds."


def place(path: Path, line: int) -> str:
    """Return a file and a line as the start of a message."""
    return f"{path}, line {line}"
