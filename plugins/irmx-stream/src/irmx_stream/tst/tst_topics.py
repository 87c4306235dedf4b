"""The track's topics: an XML file of events with their time windows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from irmx import DataError
from irmx.toolkit import content_of
from irmx_stream.tst.tst_files import LATEST, place, too_late, topic_of


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
