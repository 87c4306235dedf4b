"""Spans of traces, whichever tool wrote them: OTLP JSON, or one object per span as OpenTelemetry's SDK, Phoenix and LangSmith write it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

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
