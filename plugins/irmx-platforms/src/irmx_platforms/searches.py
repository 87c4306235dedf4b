"""Searches of sessions: what was asked, what came back, how long it took, and how many tokens it cost."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irmx.toolkit import plural
from irmx_platforms.decoding import warn
from irmx_platforms.spans import Json, Span, Trace, id_in, token_count

_FLAT = re.compile(r"retrieval\.documents\.(\d{1,9})\.document\.(\w+)")
"""An attribute of OpenInference, such as ``retrieval.documents.0.document.score``."""


@dataclass
class Search:
    """One search of a session.

    ``documents`` are objects with ``id``, ``score``, ``content`` and ``metadata``, as far as they are known, best first; None if
    they were not recorded. ``time`` is in seconds; ``number`` is the number that the file states, None to count.
    """

    session: str
    query: str
    documents: Sequence[Json] | None
    place: str
    time: float | None = None
    tokens: float | None = None
    price: float | None = None
    number: int | None = None


def searches_of_spans(path: Path, spans: Sequence[Span]) -> list[Search]:
    """Return the searches of traces in the order of their starts.

    The tokens of a search are those of the calls of models from its start to the next search of the session; those before the first
    search are its own, too. If more than a twentieth of the calls have no tokens recorded, the searches of these calls have none.
    """
    trace = Trace(spans)
    if trace.differing:
        what = f"{plural(len(trace.differing), 'span')} differ from an earlier one of the same trace and id"
        warn(path, f"{what}, first on {trace.differing[0].place}; the last counts")
    found = [(trace.session(span), span) for span in trace.outermost("retrieval")]
    starts: dict[str, list[float]] = {}
    for session, span in found:
        starts.setdefault(session, []).append(span.start)
    calls: dict[tuple[str, int], list[Span]] = {}
    for call in trace.outermost("chat"):
        if (session := trace.session(call)) in starts:
            key = session, max(0, bisect_right(starts[session], call.start) - 1)
            calls.setdefault(key, []).append(call)
    every = [call for of_search in calls.values() for call in of_search]
    uncounted = [call for call in every if call.tokens is None]
    are_many = 20 * len(uncounted) > len(every)
    if uncounted and len(uncounted) < len(every):
        what = (
            f"{len(uncounted)} of {len(every)} calls of models have no number of tokens, first on {uncounted[0].place}"
        )
        so = "their searches have no tokens" if are_many else "they count 0"
        warn(path, f"{what}; {so}")
    counted: dict[str, int] = {}
    searches = []
    for session, span in found:
        at = counted[session] = counted.get(session, -1) + 1
        of_search = calls.get((session, at), [])
        is_known = len(uncounted) < len(every) and not (are_many and any(call.tokens is None for call in of_search))
        tokens = sum(call.tokens or 0.0 for call in of_search) if is_known else None
        time = span.end - span.start if span.end is not None and span.end >= span.start else None
        searches.append(Search(session, _query(span.attributes), _documents(span.attributes), span.place, time, tokens))
    return searches


def _query(attributes: Mapping[str, Any]) -> str:
    """Return what a search asked for."""
    text = attributes.get("gen_ai.retrieval.query.text") or attributes.get("input.value") or ""
    asked = parsed(text)
    return str(asked.get("query") or text) if isinstance(asked, dict) else str(text)


def _documents(attributes: Mapping[str, Any]) -> Sequence[Json] | None:
    """Return the documents of a search as objects, best first; None if none are recorded.

    What the attributes say counts. The output, which often repeats them as texts, gives only what they lack.
    """
    listed = attributes.get("gen_ai.retrieval.documents")
    flat: dict[int, Json] = {}
    for key, value in attributes.items():
        if match := _FLAT.fullmatch(key):
            flat.setdefault(int(match[1]), {})[match[2]] = value
    output = parsed(attributes.get("output.value"))
    also = output.get("documents") if isinstance(output, dict) else None
    lists: list[Any] = [
        parsed(listed) if isinstance(listed, str) else listed,
        [flat[i] for i in sorted(flat)] or None,
        attributes.get("retrieval.documents"),
        also,
    ]
    recorded = [one for one in lists if isinstance(one, list)]
    if not recorded:
        return None
    documents = next(filter(None, recorded), [])
    objects = [_object(one) for one in documents]
    if documents is not also and isinstance(also, list) and len(also) == len(objects):
        # LangChain has the ids in its output only
        others = [one if isinstance(one, dict) else {} for one in also]
        objects = [
            other | {key: value for key, value in one.items() if value not in (None, "")}
            for other, one in zip(others, objects, strict=True)
        ]
    return [{**one, "metadata": parsed(one.get("metadata")) or one.get("metadata")} for one in objects]


def _object(document: Any) -> Json:
    """Return a document as an object; a text is its id."""
    return document if isinstance(document, dict) else {"id": document}


def parsed(text: Any) -> Any:
    """Return the JSON of a text; None if it is none."""
    if not isinstance(text, str) or text[:1] not in "{[":
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def searches_of_browsecomp(record: Json, place: str) -> Iterator[Search]:
    """Yield the searches of a log of BrowseComp-Plus; its tokens are those of the whole session, shared among its searches."""
    session = id_in(record, "query_id")
    calls = [one for one in record.get("result", ()) if isinstance(one, dict) and one.get("type") == "tool_call"]
    listed = [(call, parsed(call.get("output"))) for call in calls]
    searches = [(call, output) for call, output in listed if isinstance(output, list)]
    total = token_count((record.get("usage") or {}).get("total_tokens"))
    for call, output in searches:
        documents = [{"id": one.get("docid"), **one} for one in map(_object, output)]
        query = parsed(call.get("arguments"))
        asked = str(query.get("query", "")) if isinstance(query, dict) else ""
        yield Search(session, asked, documents, place, tokens=total / len(searches) if total else None)


def search_of_object(record: Json, place: str) -> Search:
    """Return the search that an object of one's own says: session, documents, and perhaps query, query_number, time, tokens, price."""
    documents = record.get("documents", record.get("doc_ids"))
    if not isinstance(documents, list):
        raise ValueError("it has no list 'documents' of ids, or of objects with id and score")
    stated = record.get("query_number")
    if stated is not None and (not isinstance(stated, int) or isinstance(stated, bool) or stated < 1):
        raise ValueError(f"its query_number must be a whole number of 1 or more. Got {stated!r} instead")
    numbers: dict[str, float | None] = {}
    for name, key in (("time", "time"), ("tokens", "tokens"), ("price", "price" if "price" in record else "cost")):
        value = record.get(key)
        if value is not None and (
            not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < 1e300
        ):
            raise ValueError(f"its {key} must be a number of 0 or more. Got {value!r} instead")
        numbers[name] = None if value is None else float(value)
    return Search(
        id_in(record, "session"),
        str(record.get("query") or ""),
        [_object(one) for one in documents],
        place,
        number=stated,
        **numbers,
    )


def numbered(searches: Iterable[Search]) -> dict[str, list[Search]]:
    """Return the searches of every session in order: as they count themselves, or as they stand.

    Raises
    ------
    ValueError
        If only some searches of a session have a number, or two have the same.
    """
    sessions: dict[str, list[Search]] = {}
    for search in searches:
        sessions.setdefault(search.session, []).append(search)
    for session, of_session in sessions.items():
        stated = [search.number for search in of_session if search.number is not None]
        if not stated:
            continue
        if sorted(stated) != list(range(1, len(of_session) + 1)):
            raise ValueError(
                f"the queries of the session {session!r} must have the numbers 1 to {len(of_session)}, or none. Got "
                f"{', '.join(str(search.number) for search in of_session[:10])} instead"
            )
        of_session.sort(key=lambda search: search.number or 0)
    return sessions
