"""The track's files, plain or compressed, recognised by their content, and its tables: a header and checked numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from irmx import DataError
from irmx.toolkit import content_of
from irmx_stream.times import LATEST, too_late

# -- the track's files -----------------------------------------------------------------------------------------------


_HEAD = 65536
"""Number of bytes that are read to recognise a file."""

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


# -- a folder with the track's files ---------------------------------------------------------------------------------


NEEDED = {
    "nuggets": f"a table with the columns {', '.join(HEADERS['nuggets'])}",
    "matches": f"a table with the columns {', '.join(HEADERS['matches'])}",
    "updates": f"the pool, a table with the columns {', '.join(HEADERS['updates'])}",
    "topics": "an XML file of events with id, start and end",
}
"""The files that a folder must contain, and how each is recognised."""


@dataclass(frozen=True)
class TstFolder:
    """The track's files of one year, read.

    Attributes
    ----------
    path : Path
        The folder.
    nuggets, matches, pool : TstTable
        The tables.
    extended : TstTable, optional
        The extended pool: near-duplicates found later.
    topics : dict of str to Topic
        The topics.
    """

    path: Path
    nuggets: TstTable
    matches: TstTable
    pool: TstTable
    extended: TstTable | None
    topics: dict[str, Topic]


def read_folder(path: Path) -> TstFolder:
    """Return the track's files in a folder, recognised by their content; other files are ignored.

    Raises
    ------
    irmx.DataError
        If one is missing, or two qualify; lists the files of the folder.
    """
    if not path.is_dir():
        raise DataError(f"{path} is not a folder. The track's qrels are several files in one folder: tst:FOLDER.")
    files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
    kinds = {p: kind_of(p) for p in files}
    by_kind = {kind: [p for p in files if kinds[p] == kind] for kind in NEEDED}
    missing = [kind for kind, found in by_kind.items() if not found]
    if missing:
        found = ", ".join(f"{p.name} ({kinds[p] or 'not recognised'})" for p in files) or "nothing"
        wanted = "; ".join(f"{kind}, {NEEDED[kind]}" for kind in missing)
        raise DataError(f"The folder {path} lacks the track's {wanted}. It holds: {found}.")
    for kind in ("nuggets", "matches", "topics"):
        if len(by_kind[kind]) > 1:
            raise _ambiguous(path, kind, by_kind[kind])
    pool, extended = _pools(path, by_kind["updates"])
    return TstFolder(
        path,
        nuggets=read_table(by_kind["nuggets"][0]),
        matches=read_table(by_kind["matches"][0]),
        pool=pool,
        extended=extended,
        topics=read_topics(by_kind["topics"][0]),
    )


def _pools(path: Path, files: list[Path]) -> tuple[TstTable, TstTable | None]:
    """Return the pool and the extended pool, a superset of the pool; distinguished by name if neither is a superset."""
    if len(files) > 2:
        raise _ambiguous(path, "updates", files)
    tables = [read_table(p) for p in files]
    if len(tables) == 1:
        if "extended" in files[0].name.lower():
            raise DataError(
                f"The folder {path} holds an extended pool, {files[0].name}, but not the pool that it extends."
            )
        return tables[0], None
    first, second = ({*zip(t["query_id"], t["update_id"], strict=True)} for t in tables)
    named = ["extended" in p.name.lower() for p in files]
    if first < second or (not second < first and named == [False, True]):
        return tables[0], tables[1]
    if second < first or named == [True, False]:
        return tables[1], tables[0]
    raise _ambiguous(path, "updates", files)


def _ambiguous(path: Path, kind: str, files: list[Path]) -> DataError:
    names = " and ".join(p.name for p in files)
    return DataError(
        f"The folder {path} holds several files that could be the track's {kind}: {names}. "
        "Put the one you want into a separate folder together with the other files; links will do."
    )


@dataclass
class Topic:
    """An event.

    Attributes
    ----------
    query_id : str
        Its number.
    start, end : float
        Its time window, in seconds since 1970.
    fields : dict of str to str
        Its elements, such as ``title``, ``query`` and ``type``.
    line : int
        Its line in the file.
    """

    query_id: str = ""
    start: float = 0.0
    end: float = 0.0
    fields: dict[str, str] = field(default_factory=dict)
    line: int = 0


def read_topics(path: Path) -> dict[str, Topic]:
    """Return the topics by number.

    Raises
    ------
    irmx.DataError
        For malformed XML, or a topic without an id or a window, repeated, or ending before it starts; names the line.
    """
    topics: dict[str, Topic] = {}
    for event in _events(path):
        where = place(path, event.line)
        for name in ("id", "start", "end"):
            if not event.fields.get(name):
                raise DataError(f"{where}: the event has no <{name}>. It has: {', '.join(event.fields) or 'nothing'}.")
        event.query_id = topic_of(event.fields["id"])
        event.start, event.end = (_seconds(event, name, where) for name in ("start", "end"))
        if event.end < event.start:
            raise DataError(
                f"{where}: topic {event.query_id} ends before it starts: {event.end:.0f} < {event.start:.0f}."
            )
        if event.query_id in topics:
            raise DataError(f"{where}: topic {event.query_id} is already in line {topics[event.query_id].line}.")
        topics[event.query_id] = event
    return topics


def _seconds(event: Topic, name: str, where: str) -> float:
    text = event.fields[name]
    try:
        found = float(text) if text.isascii() and "_" not in text else math.nan  # Python takes 1_000
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise DataError(f"{where}: the <{name}> {text!r} of topic {event.query_id} is not a number of seconds.")
    if found > LATEST:
        raise DataError(f"{where}: topic {event.query_id}: {too_late(f'<{name}>', text)}")
    return found


def _events(path: Path) -> list[Topic]:
    """Return the events of the file, with the text of their elements and their lines."""
    events: list[Topic] = []
    inside: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse_entity(name: str, *_: object) -> None:
        """Raise: entities that contain entities would make a short file huge."""
        raise DataError(
            f"{place(path, parser.CurrentLineNumber)}: the entity {name!r} is declared; topics have none. Remove its declaration."
        )

    def start(name: str, attributes: dict[str, str]) -> None:
        inside.append(name)
        if name == "event":
            events.append(Topic(line=parser.CurrentLineNumber))
        elif inside[-2:-1] == ["event"]:
            if name in events[-1].fields:
                raise DataError(
                    f"{place(path, parser.CurrentLineNumber)}: the event has two <{name}>. Remove one, or close the event first."
                )
            events[-1].fields[name] = ""

    def text(found: str) -> None:
        if len(inside) > 1 and inside[-2] == "event":
            fields = events[-1].fields
            fields[inside[-1]] = fields.get(inside[-1], "") + found

    parser.EntityDeclHandler = refuse_entity
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: inside.pop()
    parser.CharacterDataHandler = text
    try:
        parser.Parse(content_of(path), True)
    except expat.ExpatError as error:
        raise DataError(f"{place(path, error.lineno)}: not well-formed XML: {expat.ErrorString(error.code)}.") from None
    for event in events:
        event.fields = {name: value.strip() for name, value in event.fields.items()}
    return events
