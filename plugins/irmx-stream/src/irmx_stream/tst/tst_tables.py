"""The track's files, plain or compressed, recognised by their content, and its tables: a header and checked numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from irmx import DataError
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


_IDS = ("query_id", "update_id", "nugget_id")


@dataclass(frozen=True)
class TstTable:
    """A table of the track, as strings by column.

    Attributes
    ----------
    path : Path
        The file.
    columns : dict of str to sequence of str
        The columns by their name in the header; ``query_id`` is the bare number of the topic.
    lines : sequence of int
        The line of each row, from 1.
    """

    path: Path
    columns: dict[str, Sequence[str]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Sequence[str]:
        return self.columns[name]

    def place(self, row: int) -> str:
        """Return the file and the line of a row, as the start of a message."""
        return place(self.path, self.lines[row])

    def times(self, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return a column of times in seconds.

        Raises
        ------
        irmx.DataError
            If one is not a number, or not in seconds; names the file and the line.
        """
        values = self.numbers(name)
        wrong = np.flatnonzero(values > LATEST)
        if len(wrong):
            row = int(wrong[0])
            raise DataError(f"{self.place(row)}: {too_late(name, self.columns[name][row])}")
        return values

    def numbers(self, name: str, low: float = -math.inf) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return a column of finite numbers, none below ``low``.

        Raises
        ------
        irmx.DataError
            Names the file, the line, and the value.
        """
        texts = self.columns[name]
        try:
            values = np.array(texts, dtype=np.float64)
        except ValueError:
            values = np.array([_number(text) for text in texts], dtype=np.float64)
        wrong = np.flatnonzero(~(np.isfinite(values) & (values >= low)))
        if len(wrong):
            row = int(wrong[0])
            what = "is not a number" if not math.isfinite(values[row]) else f"is below {low:g}"
            raise DataError(f"{self.place(row)}: the {name} {texts[row]!r} {what}. Correct the line.")
        return values


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_table(path: Path) -> TstTable:
    """Return a table of the track.

    A line has the fields of the header; a line without a tab is split at white space, and the last field takes
    the rest, so that a text may contain anything.

    Raises
    ------
    irmx.DataError
        For a table without rows; for a line with too few fields, or a byte that is not UTF-8, naming the line.
    """
    content = content_of(path)
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        wrong = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{place(path, wrong)}: the byte {content[error.start]:#04x} is not UTF-8. Save the file as UTF-8."
        ) from None
    headed = not is_released_update(lines[0])
    names = lines[0].split() if headed else RELEASED_UPDATES
    if "query_id" not in names:
        raise DataError(
            f"{place(path, 1)}: the header names no column query_id: {lines[0].strip()[:100]!r}. Copy the file again."
        )
    rows, numbers = [], []
    for number, line in enumerate(lines[headed:], start=1 + headed):
        if not line.strip():
            continue
        fields = line.rstrip("\r").split("\t" if "\t" in line else None, len(names) - 1)
        if len(fields) == len(names) - 1 and names[-1].endswith("_text"):
            fields.append("")
        if len(fields) < len(names):
            raise DataError(
                f"{place(path, number)}: too few fields: {len(fields)} where the columns are {', '.join(names)}: "
                f"{line.strip()[:100]!r}. Fields are separated by tabs."
            )
        rows.append(fields)
        numbers.append(number)
    if not rows:
        raise DataError(f"{path} has a header and no rows: {', '.join(names)}. Fetch or copy the file again.")
    columns: dict[str, Sequence[str]] = dict(zip(names, zip(*rows, strict=True), strict=True))
    for name in _IDS:
        if "" in columns.get(name, ()):
            number = numbers[list(columns[name]).index("")]
            raise DataError(f"{place(path, number)}: the {name} is empty. Correct the line.")
    columns["query_id"] = [topic_of(text) for text in columns["query_id"]]
    return TstTable(path, columns, numbers)
