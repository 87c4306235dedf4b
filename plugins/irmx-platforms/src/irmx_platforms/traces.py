"""The format of runs that reads the searches of agents and assistants from their traces."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from irmx import DataError, Format, Param, read_table
from irmx.toolkit import list_some, plural
from irmx_platforms.decoding import columns_of_parquet, decoded, number, texts, understanding, warn
from irmx_platforms.rankings import falling
from irmx_platforms.searches import (
    Search,
    numbered,
    search_of_object,
    searches_of_browsecomp,
    searches_of_spans,
)
from irmx_platforms.spans import Json, Span, spans_of

if TYPE_CHECKING:
    import pyarrow as pa


_BLANKS = re.compile(r"[ \t\r\n]*")


class Row(NamedTuple):
    """A row of the run."""

    query_id: str
    query_number: int
    doc_id: str
    score: float | None
    time: float | None
    tokens: float | None
    price: float | None


class Traces(Format):
    r"""Traces of agents as a run: a topic is a session, and its queries are the searches of the session, in the order of their start.

    The columns ``time`` (seconds), ``tokens`` and ``price`` are those of the search, in each of its rows, as far as the file has them.

    Examples
    --------
    >>> import irmx, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "searches.jsonl"
    >>> _ = path.write_text('{"session": "s", "documents": ["b", "a"]}\n{"session": "s", "documents": ["c"]}')
    >>> run = irmx.read_run(path)
    >>> run.docs(0), run.column("query_number").tolist()
    (['b', 'a', 'c'], [1.0, 1.0, 2.0])
    """

    NAME = "traces"
    SHORT_DESC = (
        "searches of agents: OTLP JSON or spans with GenAI or OpenInference attributes, runs of LangSmith, logs of BrowseComp-Plus, or one "
        "JSON object per search, with session and documents"
    )
    EXAMPLES = ("traces:spans.jsonl", "traces(topic=query):spans.jsonl", "traces(doc_id=metadata.source):spans.jsonl")
    TABLES = ("run",)
    FOLDERS = ("run",)
    SUPPORTED_PARAMS = {
        "topic": Param(str, "what a topic is: a session, or the text of a query", default="session", choices=("session", "query")),
        "queries": Param(str, "with topic=query: a table with query_id and query, whose ids are then the topics", default=""),
        "doc_id": Param(str, "where the id of a document is, such as metadata.source", default="id"),
    }  # fmt: skip

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Tell from the first bytes whether a file has this format."""
        if start.startswith(b"PAR1"):
            return table == "run" and "context.span_id" in columns_of_parquet(path)
        beginning = b"".join(start.split()).removeprefix(b"\xef\xbb\xbf").removeprefix(b"[")
        if (
            table != "run"
            or not beginning.startswith(b"{")
            or (b'"query_id":' in beginning and b'"doc_id":' in beginning)
        ):
            return False
        lists = b'"documents":[' in beginning or b'"doc_ids":[' in beginning
        is_long = b"\n" not in start.strip() and len(start) > 4000  # of which only the beginning is seen
        is_span = b'"trace_id":' in beginning and b'"span_id":' in beginning
        is_search = b'"session":' in beginning and (lists or is_long)
        is_span |= b'"run_type":' in beginning and b'"extra":' in beginning
        is_log = b'"tool_call_counts":' in beginning
        return beginning.startswith(b'{"resourceSpans":') or is_span or is_search or is_log

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the searches as a run."""
        if content.startswith(b"PAR1"):
            raise DataError(
                f"{path} is a table of Phoenix, whose columns are parts of spans. Give the spans as JSON Lines: one object a line, as get_spans of "
                "its client returns them."
            )
        sessions = _sessions(path, content)
        searches = [search for of_session in sessions.values() for search in of_session]
        if not searches:
            raise DataError(f"{path} has no search: no span of the operation retrieval, or of the kind RETRIEVER.")
        _tell_of_unrecorded(path, searches)
        self._refuse_nameless(path, searches)
        if self["topic"] == "query":
            return _table(self._by_query(path, searches), "query_number")
        if self["queries"]:
            raise DataError(f"{path}: queries={self['queries']} goes with topic=query.")
        numbers = [
            (session, number, search)
            for session, of_session in sessions.items()
            for number, search in enumerate(of_session, 1)
        ]
        rows = [row for numbered_search in numbers for row in self._rows(*numbered_search)]
        _tell_of_orders(path, searches)
        return _table(rows)

    def _rows(self, topic: str, number: int, search: Search) -> Iterator[Row]:
        """Yield the documents of a search, each once; a row without a document if it found none."""
        of_search = search.time, search.tokens, search.price
        scores = falling([_score(document) for document in search.documents or ()])
        seen: set[str] = set()
        for document, score in zip(search.documents or (), scores, strict=True):
            if (doc_id := self._id(document)) not in seen:
                yield Row(topic, number, doc_id, score, *of_search)
            seen.add(doc_id)
        if not seen:
            yield Row(topic, number, "", None, *of_search)

    def _by_query(self, path: Path, searches: Sequence[Search]) -> list[Row]:
        """Return the rows of the searches by what they asked for; of equal ones the first."""
        if silent := [search for search in searches if not search.query.strip()]:
            raise DataError(
                f"{path}: {len(silent)} of {_searches(len(searches))} have no text, first on {silent[0].place}, so that "
                "they cannot be topics."
            )
        ids = self._ids_of_queries()
        first: dict[str, Search] = {}
        unknown, again = [], 0
        for search in searches:
            topic = ids.get(_plain(search.query), "") if ids else " ".join(search.query.split())
            if not topic:
                unknown.append(search.query)
                continue
            again += topic in first
            first.setdefault(topic, search)
        if not first:
            raise DataError(
                f"{path}: no search asks for a query of {self['queries']}. They ask for {list_some(unknown)}."
            )
        if unknown:
            what = f"{_searches(len(unknown))} ask{'s' * (len(unknown) == 1)}"
            warn(path, f"{what} for no query of {self['queries']}: {list_some(unknown)}")
        if again:
            repeat = (
                "repeats the query of an earlier one, and is"
                if again == 1
                else "repeat the queries of earlier ones, and are"
            )
            warn(path, f"{_searches(again)} {repeat} left out")
        _tell_of_orders(path, list(first.values()))
        return [row for topic, search in first.items() for row in self._rows(topic, 1, search) if row.doc_id]

    def _ids_of_queries(self) -> dict[str, str]:
        """Return the id of every query by its text."""
        if not self["queries"]:
            return {}
        table = read_table(self["queries"], {"query_id": str, "query": str}, "queries")
        return {
            _plain(text): query_id
            for query_id, text in zip(table["query_id"].tolist(), table["query"].tolist(), strict=True)
        }

    def _id(self, document: Json) -> str:
        """Return the id of a document; empty if it has none where it should be."""
        value: Any = document
        for key in self["doc_id"].split("."):
            value = value.get(key) if isinstance(value, dict) else None
        is_id = isinstance(value, (str, int)) and not isinstance(value, bool)
        return str(value) if is_id else ""

    def _refuse_nameless(self, path: Path, searches: Sequence[Search]) -> None:
        """Raise if documents have no id, and say where there is something that might be one."""
        documents = [(document, search) for search in searches for document in search.documents or ()]
        nameless = [(document, search) for document, search in documents if not self._id(document)]
        if not nameless:
            return
        paths = [
            name
            for document, _ in nameless
            for key, value in document.items()
            for name in ([f"{key}.{inner}" for inner in value] if isinstance(value, dict) else [key])
            if key != "score"
        ]
        elsewhere = next((name for name in paths if name.startswith("metadata.")), "metadata.source")
        raise DataError(
            f"{path}: {len(nameless)} of {plural(len(documents), 'document')} have no {self['doc_id']}, first on "
            f"{nameless[0][1].place}. They have {list_some(dict.fromkeys(paths)) or 'nothing'}. Say where ids are: "
            f"'traces(doc_id={elsewhere}):{path}'."
        )


def _searches(number: int) -> str:
    return f"{number:,} search{'es' * (number != 1)}"


def _plain(text: str) -> str:
    """Return a query without differences of case and blanks."""
    return " ".join(text.split()).casefold()


def _score(document: Json) -> float:
    """Return the score of a document, NaN if it has none."""
    score = document.get("score")
    return math.nan if isinstance(score, str) else number(score)


def _tell_of_unrecorded(path: Path, searches: Sequence[Search]) -> None:
    """Raise if no search has documents recorded; warn if some have none."""
    lacking = [search for search in searches if search.documents is None]
    if len(lacking) == len(searches):
        raise DataError(
            f"{path}: no documents are recorded of {_searches(len(searches))}. Switch the capture of content on where "
            "the agent is traced."
        )
    if lacking:
        what = f"of {len(lacking)} of {len(searches)} searches, no documents are recorded, first on {lacking[0].place}"
        warn(path, f"{what}; they count as searches that found nothing")


def _tell_of_orders(path: Path, searches: Sequence[Search]) -> None:
    """Warn if scores rise along lists, as distances do."""
    rising = 0
    for search in searches:
        known = [score for score in map(_score, search.documents or ()) if not math.isnan(score)]
        rising += any(a < b for a, b in itertools.pairwise(known))
    if rising:
        what = f"in {_searches(rising)}, scores rise along the list of documents, as distances do"
        warn(path, f"{what}; the order of the list is taken as the ranking")


def _sessions(path: Path, content: bytes) -> dict[str, list[Search]]:
    """Return the searches of every session of a file, or of all JSON files of a folder."""
    spans: list[Span] = []
    searches: list[Search] = []
    for name, record, line in _records(path, content):
        place = f"line {line}" if name == path else f"line {line} of {name.name}"
        with understanding("This object", "a search or a span", f"{name}, line {line}"):
            if "resourceSpans" in record or "context" in record or "run_type" in record:
                spans += spans_of(record, place)
            elif "retrieved_docids" in record or "tool_call_counts" in record:
                searches += searches_of_browsecomp(record, place)
            elif "session" in record:
                searches.append(search_of_object(record, place))
            else:
                raise ValueError(f"it is no span, and no search with a session; it has {list_some(record)}")
    try:
        return numbered([*searches_of_spans(path, spans), *searches])
    except ValueError as error:
        raise DataError(f"{path}: {error}.") from None


def _records(path: Path, content: bytes) -> Iterator[tuple[Path, Json, int]]:
    """Yield the JSON objects of a file, one after the other in whatever lines, or in a list; with the lines where they begin."""
    if path.is_dir():
        for name in sorted(p for ending in ("json", "jsonl") for p in path.glob(f"*.{ending}")):
            yield from _records(name, name.read_bytes())
        return
    text, at, line = decoded(path, content), 0, 1
    decoder = json.JSONDecoder()
    while True:
        start = at + len(_BLANKS.match(text, at)[0])  # type: ignore[index]
        line += text.count("\n", at, start)
        if start == len(text):
            return
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            why = "too deeply nested" if isinstance(error, RecursionError) else f"not JSON, {error}"
            raise DataError(f"This is {why}.", place=f"{path}, line {line}") from None
        for record in value if isinstance(value, list) else [value]:
            if not isinstance(record, dict):
                raise DataError(
                    f"A search or a span is a JSON object. Got {str(record)[:80]!r} instead.",
                    place=f"{path}, line {line}",
                )
            yield path, record, line
        line += text.count("\n", start, end)
        at = end


def _table(rows: Sequence[Row], *without: str) -> pa.Table:
    """Return rows as a table, with the columns that have values."""
    import pyarrow as pa

    types = {
        "query_number": pa.int64(),
        "score": pa.float64(),
        "time": pa.float64(),
        "tokens": pa.float64(),
        "price": pa.float64(),
    }
    columns = {
        name: pa.array(values, types[name]) if name in types else texts(values)
        for name, values in zip(Row._fields, zip(*rows, strict=True), strict=True)
        if name not in without
    }
    known = {
        name: column for name, column in columns.items() if name in Row._fields[:4] or column.null_count < len(rows)
    }
    return pa.table(known)
