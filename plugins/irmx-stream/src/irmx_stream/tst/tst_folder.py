"""A folder with the track's files: the nuggets, the matches, the pool, and the topics with their time windows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from irmx import DataError
from irmx.toolkit import content_of
from irmx_stream.tst.tst_tables import HEADERS, LATEST, TstTable, kind_of, place, read_table, too_late, topic_of

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
