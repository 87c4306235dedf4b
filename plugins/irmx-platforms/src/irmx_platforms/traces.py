"""The format of runs that reads the searches of agents and assistants from their traces."""

from __future__ import annotations

import itertools
import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from irmx import DataError, Format, Param, read_table
from irmx.toolkit import list_some, plural
from irmx_platforms.decoding import columns_of_parquet, decoded, number, texts, understanding, warn
from irmx_platforms.rankings import falling

if TYPE_CHECKING:
    import pyarrow as pa


# -- spans of traces -------------------------------------------------------------------------------------------------


Json = dict[str, Any]


@dataclass
class Span:
    """A piece of work of a trace: a search, a call of a model, or an agent that contains both.

    ``start`` and ``end`` are in seconds since 1970; ``end`` is None if the span has none. ``place`` says where it stands in its file.
    """

    id: str
    parent: str
    trace: str
    start: float
    end: float | None
    attributes: Mapping[str, Any]
    place: str = field(default="", compare=False)

    @property
    def kind(self) -> str:
        """What the span is: ``"retrieval"``, ``"chat"``, or as its tool says."""
        named = str(
            self.attributes.get("gen_ai.operation.name") or self.attributes.get("openinference.span.kind") or ""
        )
        return {"RETRIEVER": "retrieval", "LLM": "chat", "text_completion": "chat", "generate_content": "chat"}.get(
            named, named
        )

    @property
    def conversation(self) -> str:
        """The id of the conversation or session, empty if the span has none."""
        found = (self.attributes.get(name) for name in ("gen_ai.conversation.id", "session.id"))
        return next((str(value) for value in found if value not in (None, "")), "")

    @property
    def tokens(self) -> float | None:
        """The number of tokens that a call of a model took, None if it is not recorded."""
        for names in _TOKENS:
            counts = [token_count(self.attributes.get(name)) for name in names]
            if any(name in self.attributes for name in names):
                return None if None in counts else sum(counts)  # type: ignore[arg-type]
        return None


_TOKENS = (
    ("llm.token_count.total",),
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("llm.token_count.prompt", "llm.token_count.completion"),
)
"""Attributes whose sum is the number of tokens of a call; the first that are there count, of which each is needed."""


@dataclass
class Trace:
    """All spans of a file, and what they say together.

    A span that a file has more than once is one span: the last copy that has an end, or the last if none has. ``differing`` are
    copies with an end that say something else than the one before.
    """

    spans: Sequence[Span]
    by_id: dict[tuple[str, str], Span] = field(init=False, default_factory=dict)
    differing: list[Span] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        for span in self.spans:
            known = self.by_id.get((span.trace, span.id))
            if known is None or known.end is None or span.end is not None:
                self.by_id[span.trace, span.id] = span
            if known is not None and None not in (known.end, span.end) and span != known:
                self.differing.append(span)
        self.spans = list(self.by_id.values())
        named: dict[str, str] = {}
        for span in self.spans:
            if span.conversation:
                named.setdefault(span.trace, span.conversation)
        self._of_trace = named

    def above(self, span: Span) -> Iterator[Span]:
        """Yield the spans that contain a span, from the inside."""
        seen = {span.id}
        while (parent := self.by_id.get((span.trace, span.parent))) is not None and parent.id not in seen:
            yield parent
            seen.add(parent.id)
            span = parent

    def session(self, span: Span) -> str:
        """Return the conversation of a span: its own, of the spans around it, of any span of its trace, or the trace itself."""
        around = (one.conversation for one in (span, *self.above(span)))
        return next(filter(None, around), "") or self._of_trace.get(span.trace, span.trace)

    def cut_off(self) -> list[Span]:
        """Return the spans without an end at which a trace was cut off: what contains others, or what nothing comes after.

        A search or a call of a model without an end that others follow failed alone.
        """
        of_trace: dict[str, list[Span]] = {span.trace: [] for span in self.spans if span.end is None}
        for span in self.spans:
            if span.trace in of_trace:
                of_trace[span.trace].append(span)
        return [
            span
            for spans in of_trace.values()
            for span in spans
            if span.end is None
            and (
                span.kind not in ("retrieval", "chat")
                or not any(one.start > span.start and span not in self.above(one) for one in spans)
            )
        ]

    def outermost(self, kind: str) -> list[Span]:
        """Return the spans of a kind that are not inside others of it, by their start."""
        of_kind = [span for span in self.spans if span.kind == kind]
        return sorted(
            (span for span in of_kind if all(one.kind != kind for one in self.above(span))), key=lambda s: s.start
        )


def spans_of(record: Json, place: str) -> Iterator[Span]:
    """Yield the spans of a JSON object: all of an OTLP export, or the one that it is.

    Raises
    ------
    ValueError
        If a span lacks an id or a time.
    """
    if "run_type" in record:
        yield _of_langsmith(record, place)
        return
    if "resourceSpans" not in record:
        context = record["context"]
        attributes = dict(record.get("attributes") or {})
        attributes.setdefault("openinference.span.kind", record.get("span_kind"))
        yield Span(
            id_in(context, "span_id"), str(record.get("parent_id") or ""), id_in(context, "trace_id"),
            seconds(record["start_time"]), _end(record.get("end_time")), attributes, place,
        )  # fmt: skip
        return
    for resource in record["resourceSpans"]:
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                yield Span(
                    id_in(span, "spanId"), str(span.get("parentSpanId") or ""), id_in(span, "traceId"),
                    seconds(float(span["startTimeUnixNano"]) / 1e9), _end(float(span.get("endTimeUnixNano") or 0) / 1e9),
                    {one["key"]: any_value(one.get("value") or {}) for one in span.get("attributes", ())}, place,
                )  # fmt: skip


def _of_langsmith(record: Json, place: str) -> Span:
    """Return a run of LangSmith as a span."""
    about = (record.get("extra") or {}).get("metadata") or {}
    named = (about.get(name) for name in ("session_id", "thread_id", "conversation_id"))
    attributes = {
        "openinference.span.kind": {"retriever": "RETRIEVER", "llm": "LLM"}.get(record["run_type"], record["run_type"]),
        "session.id": next(filter(None, named), ""),
        "input.value": (record.get("inputs") or {}).get("query", ""),
        "retrieval.documents": (record.get("outputs") or {}).get("documents"),
    }
    return Span(
        id_in(record, "id"), str(record.get("parent_run_id") or ""), id_in(record, "trace_id"),
        seconds(record["start_time"]), _end(record.get("end_time")), attributes, place,
    )  # fmt: skip


def _end(time: Any) -> float | None:
    return seconds(time) if time else None


def any_value(value: Json) -> Any:
    """Return a value of OTLP, of which whole numbers are texts.

    >>> any_value({"arrayValue": {"values": [{"intValue": "3"}, {"kvlistValue": {"values": [{"key": "id", "value": {"stringValue": "d1"}}]}}]}})
    [3, {'id': 'd1'}]
    """
    for kind, content in value.items():
        if kind == "intValue":
            return int(content)
        if kind == "arrayValue":
            return [any_value(one) for one in content.get("values", ())]
        if kind == "kvlistValue":
            return {one["key"]: any_value(one.get("value") or {}) for one in content.get("values", ())}
        return content
    return None


def seconds(time: Any) -> float:
    """Return a time as seconds since 1970; a text is in ISO 8601, by default UTC, a large number in milli-, micro- or nanoseconds.

    >>> seconds("1970-01-01T00:01:00.5Z")
    60.5
    """
    if isinstance(time, (int, float)) and not isinstance(time, bool):
        if not math.isfinite(time):
            raise ValueError(f"a time must be a number or a date. Got {time}")
        return float(time) / next((unit for unit in (1e9, 1e6, 1e3) if abs(time) > 1e8 * unit), 1)
    text = re.sub(
        r"\.(\d{1,6})\d*", lambda part: f".{part[1]:0<6}", str(time).replace("Z", "+00:00")
    )  # as Python 3.10 takes it
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def token_count(value: Any) -> float | None:
    """Return a count of tokens; None for what is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e300:
        return float(value)
    return None


def id_in(record: Json, key: str) -> str:
    """Return an id, which must be a text or a whole number."""
    value = record[key]
    if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
        return str(value)
    raise ValueError(f"its {key} must be a text. Got {value!r}")


# -- searches of sessions --------------------------------------------------------------------------------------------


_FLAT = re.compile(r"retrieval\.documents\.(\d{1,9})\.document\.(\w+)")
"""An attribute of OpenInference, such as ``retrieval.documents.0.document.score``."""


@dataclass
class Search:
    """One search of a session.

    ``documents`` are objects with ``id``, ``score``, ``content`` and ``metadata``, as far as they are known, best first; None if
    they were not recorded, or the search failed. ``time`` is in seconds; ``number`` is the number that the file states, None to count.
    """

    session: str
    query: str
    documents: Sequence[Json] | None
    place: str
    time: float | None = None
    tokens: float | None = None
    price: float | None = None
    number: int | None = None
    is_search: bool = True
    """False for what stands for a session without a search, which has tokens nevertheless."""


def searches_of_spans(path: Path, spans: Sequence[Span]) -> list[Search]:
    """Return the searches of traces in the order of their starts.

    The tokens of a search are those of the calls of models from its start to the next search of the session; those before the first
    search are its own, too. If more than a twentieth of the calls have no tokens recorded, the searches of these calls have none. Nor
    has the last search of a trace that was cut off.
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
    last = {key: i for i, (session, span) in enumerate(found) for key in ((session, span.trace), session)}
    cut: dict[str, Span] = {}
    without: set[int] = set()
    for span in trace.cut_off():
        if (session := trace.session(span)) in starts:
            cut.setdefault(session, span)
            without.add(last.get((session, span.trace), last[session]))
    if cut and len(uncounted) < len(every):
        what = f"a span without an end, as where a trace was cut off, is in {plural(len(cut), 'session')}"
        first = f"first on {next(iter(cut.values())).place}"
        warn(path, f"{what}, {first}; its last search has no tokens: {list_some(cut)}")
    counted: dict[str, int] = {}
    searches = []
    for i, (session, span) in enumerate(found):
        at = counted[session] = counted.get(session, -1) + 1
        of_search = calls.get((session, at), [])
        is_known = len(uncounted) < len(every) and not (are_many and any(call.tokens is None for call in of_search))
        tokens = sum(call.tokens or 0.0 for call in of_search) if is_known and i not in without else None
        time = span.end - span.start if span.end is not None and span.end >= span.start else None
        with understanding(f"The span {span.id}", "a search", f"{path}, {span.place}"):
            documents = _documents(span.attributes)
        searches.append(Search(session, _query(span.attributes), documents, span.place, time, tokens))
    return searches


def _query(attributes: Mapping[str, Any]) -> str:
    """Return what a search asked for."""
    text = attributes.get("gen_ai.retrieval.query.text") or attributes.get("input.value") or ""
    asked = parsed(text)
    return str(asked.get("query") or text) if isinstance(asked, dict) else str(text)


def _documents(attributes: Mapping[str, Any]) -> Sequence[Json] | None:
    """Return the documents of a search as objects, best first; None if none are recorded.

    What the attributes say counts. The output, which often repeats them as texts, gives only what they lack.

    Raises
    ------
    ValueError
        If they are a text that was cut.
    """
    listed = attributes.get("gen_ai.retrieval.documents") or None
    flat: dict[int, Json] = {}
    for key, value in attributes.items():
        if match := _FLAT.fullmatch(key):
            flat.setdefault(int(match[1]), {})[match[2]] = value
    lists: list[Any] = [
        _whole(listed, "gen_ai.retrieval.documents", every=True),
        [flat[i] for i in sorted(flat)] or None,
        attributes.get("retrieval.documents"),
    ]
    recorded = [one for one in lists if isinstance(one, list)]
    output = attributes.get("output.value")
    output = parsed(output) if recorded else _whole(output, "output.value")
    also = output.get("documents") if isinstance(output, dict) else None
    recorded += [also] if isinstance(also, list) else []
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


_DOCUMENTS = re.compile(r"""\[\s*\{\s*"|\{\s*"documents"\s*:""")
"""How a text begins that is JSON with documents, where others may be there, too."""


def _whole(value: Any, name: str, every: bool = False) -> Any:
    """Return the JSON of a text, None of one that is none; raise for one that must be JSON, as all or as its beginning says, and was perhaps cut."""
    if not isinstance(value, str):
        return value if every else None
    found = parsed(value)
    if found is None and (every or _DOCUMENTS.match(value)):
        raise ValueError(
            f"its {name} is no valid JSON, and ends with {value[-40:]!r}; perhaps a limit cut it after {len(value)} characters, such as "
            "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT. Raise the limit where the agent is traced, and run it again"
        )
    return found


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


@dataclass
class Log:
    """A log of BrowseComp-Plus: one session."""

    record: Json
    place: str
    where: str
    """The file and the line."""
    session: str = field(init=False)
    calls: list[tuple[str, Json, list[Any] | None]] = field(init=False)
    """The tool of every call, the call, and the documents that it returned; None if it returned no list."""

    def __post_init__(self) -> None:
        self.session = id_in(self.record, "query_id")
        self.calls = [
            (str(one.get("tool_name")), one, _list_of(one.get("output")))
            for one in self.record.get("result") or ()
            if isinstance(one, dict) and one.get("type") == "tool_call"
        ]

    @property
    def status(self) -> Any:
        """How the session ended; ``"completed"`` if the log does not say."""
        return self.record.get("status", "completed")

    def says_otherwise(self, searches: Sequence[list[Any] | None]) -> bool:
        """Tell whether the log counts more searches than it has, or fewer than returned a list; clients differ in whether failed ones count."""
        counts = self.record.get("tool_call_counts")
        counted = (
            [token_count(count) for tool, count in counts.items() if _is_search_tool(tool)]
            if isinstance(counts, dict)
            else []
        )
        stated = [count for count in counted if count is not None]
        return bool(stated) and not sum(one is not None for one in searches) <= sum(stated) <= len(searches)


def _list_of(output: Any) -> list[Any] | None:
    """Return the list that a call returned, perhaps as JSON; None if it returned something else."""
    found = output if isinstance(output, list) else _whole(output, "output")
    return found if isinstance(found, list) else None


def _is_search_tool(name: str) -> bool:
    return (
        name.lower() == "search" or "retrieval" in name.lower()
    )  # the two names that the clients of BrowseComp-Plus have


def searches_of_logs(path: Path, logs: Sequence[Log]) -> list[Search]:
    """Return the searches of logs of BrowseComp-Plus; the tokens of one are those of the whole session, shared among its searches.

    A search is a call of a tool that somewhere returned a list of documents, or that is named so; without a list it failed. A session
    without a search has one that is none, for its tokens.
    """
    first: dict[str, Log] = {}
    for log in logs:
        if (earlier := first.setdefault(log.session, log)) is not log:
            raise DataError(
                f"{path}: the query_id {log.session!r} has two logs, on {earlier.place} and on {log.place}. Leave one out, such as that of an "
                "attempt that was repeated."
            )
    tools = {tool for log in logs for tool, _, output in log.calls if output is not None}
    found: list[Search] = []
    otherwise, silent = [], []
    for log in logs:
        calls = [(call, output) for tool, call, output in log.calls if tool in tools or _is_search_tool(tool)]
        if log.says_otherwise([output for _, output in calls]):
            otherwise.append(log)
        total = token_count((log.record.get("usage") or {}).get("total_tokens"))
        if not calls:
            silent.append(log)
            found.append(Search(log.session, "", [], log.place, tokens=total, is_search=False))
        for call, output in calls:
            with understanding("This object", "a log of BrowseComp-Plus", log.where):
                documents = (
                    None if output is None else [{"id": one.get("docid"), **one} for one in map(_object, output)]
                )
            query = parsed(call.get("arguments"))
            asked = str(query.get("query") or query.get("user_query") or "") if isinstance(query, dict) else ""
            tokens = total / len(calls) if total else None
            found.append(Search(log.session, asked, documents, log.place, tokens=tokens))
    broken = [log for log in logs if log.status != "completed"]
    for some, what in (
        (broken, "did not complete; what they found and spent until then counts"),
        (otherwise, "state another number of searches than they have; those that they have count"),
        (silent, "have no search; each counts as one query that found nothing, so that its tokens are not lost"),
    ):
        if some:
            warn(path, f"{len(some)} of {plural(len(logs), 'log')} {what}: {list_some(log.session for log in some)}")
    return found


def search_of_object(record: Json, place: str) -> Search:
    """Return the search that an object of one's own says: session, documents, and perhaps query, query_number, time, tokens, price."""
    documents = record.get("documents", record.get("doc_ids"))
    if not isinstance(documents, list):
        raise ValueError("it has no list 'documents' of ids, or of objects with id and score")
    stated = record.get("query_number")
    if stated is not None and (not isinstance(stated, int) or isinstance(stated, bool) or stated < 1):
        raise ValueError(f"its query_number must be a whole number of 1 or more. Got {stated!r} instead")
    numbers: dict[str, Any] = {}
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


_TELLING = ("id", "timestamp", "time", "tokens")
"""Values of a search that another search with the same query and documents would hardly have, too."""


def refuse_doubled(path: Path, records: Sequence[tuple[Json, str]]) -> None:
    """Raise if objects stand twice: one with a value that tells, or all of a session that has several, or all of every session."""
    sessions: dict[str, dict[str, list[str]]] = {}
    for record, place in records:
        places = sessions.setdefault(str(record["session"]), {}).setdefault(json.dumps(record, sort_keys=True), [])
        places.append(place)
        if len(places) == 2 and any(record.get(name) for name in _TELLING):
            break
    else:
        whole = [one for one in sessions.values() if all(len(places) > 1 for places in one.values())]
        suspect = whole if 1 < len(sessions) == len(whole) else [one for one in whole if len(one) > 1]
        if not suspect:
            return
        places = next(iter(suspect[0].values()))
    raise DataError(
        f"{path}: the same search stands on {places[0]} and on {places[1]}, so that it would count twice. Leave the second out or, if the "
        "agent did search twice, give searches a query_number."
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


# -- the format of runs that reads the searches of agents and assistants from their traces ---------------------------


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
        if not any(search.is_search for search in searches):
            raise DataError(f"{path} has no search: no span of the operation retrieval, or of the kind RETRIEVER.")
        _tell_of_unrecorded(path, searches)
        self._refuse_nameless(path, searches)
        if self["topic"] == "query":
            return _table(self._by_query(path, [one for one in searches if one.is_search]), "query_number")
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
    searches = [search for search in searches if search.is_search]
    lacking = [search for search in searches if search.documents is None]
    if len(lacking) == len(searches):
        raise DataError(
            f"{path}: no documents are recorded of {_searches(len(searches))}. Switch the capture of content on where "
            "the agent is traced; if all searches failed, there is nothing to measure."
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
    logs: list[Log] = []
    objects: list[tuple[Json, str]] = []
    for name, record, line in _records(path, content):
        place = f"line {line}" if name == path else f"line {line} of {name.name}"
        where = f"{name}, line {line}"
        with understanding("This object", "a search or a span", where):
            if "resourceSpans" in record or "context" in record or "run_type" in record:
                spans += spans_of(record, place)
            elif "retrieved_docids" in record or "tool_call_counts" in record:
                logs.append(Log(record, place, where))
            elif "session" in record:
                objects.append((record, place))
                searches.append(search_of_object(record, place))
            else:
                raise ValueError(f"it is no span, and no search with a session; it has {list_some(record)}")
    refuse_doubled(path, objects)
    searches += [*searches_of_spans(path, spans), *searches_of_logs(path, logs)]
    try:
        return numbered(searches)
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
