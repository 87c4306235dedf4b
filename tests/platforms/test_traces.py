"""Traces of agents as runs: the same searches in every dialect, and what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import irmx
from irmx import DataError, DataWarning, Run, UsageError

Spans = list[dict[str, Any]]


def span(number: int, kind: str, start: float, parent: int = 0, **more: Any) -> dict[str, Any]:
    return {"number": number, "kind": kind, "start": start, "parent": parent, "end": start + 0.5, **more}


AGENT: Spans = [
    # in the order of their ends, children first, as tools write them
    span(2, "chat", 10.5, 1, tokens=(20, 7)),
    span(4, "retrieval", 11.1, 3, query="capital of france", docs=[("d9", 9.0)]),  # of a wrapper, with the same results
    span(3, "retrieval", 11, 1, query="capital of france", docs=[("d1", 0.9), ("d2", 0.5)]),
    span(5, "chat", 12, 1, tokens=(30, 3)),
    span(7, "chat", 14, 1, tokens=(5, 5)),
    span(6, "retrieval", 13, 1, query="rivers  of france", docs=[("d2", None), ("d1", None), ("d3", None)]),
    span(1, "invoke_agent", 10, session="conversation", tokens=(55, 15)),
]
EXPECTED = [
    ("conversation", 1, "d1", 0.9, 60),
    ("conversation", 1, "d2", 0.5, 60),
    ("conversation", 2, "d2", 3, 10),
    ("conversation", 2, "d1", 2, 10),
    ("conversation", 2, "d3", 1, 10),
]
"""Topic, query number, document, score, and the tokens of the chat that begins before the next search; 27 + 33 before, and after the first."""


def genai(one: dict[str, Any]) -> dict[str, Any]:
    """The attributes of OpenTelemetry's GenAI conventions."""
    out: dict[str, Any] = {"gen_ai.operation.name": one["kind"]}
    if "session" in one:
        out["gen_ai.conversation.id"] = one["session"]
    if "tokens" in one:
        counts = zip(("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"), one["tokens"], strict=True)
        out |= {name: count for name, count in counts if count is not None}
    if "docs" in one:
        out["gen_ai.retrieval.query.text"] = one["query"]
        out["gen_ai.retrieval.documents"] = json.dumps([{"id": doc, "score": score} for doc, score in one["docs"]])
    return out


def openinference(one: dict[str, Any]) -> dict[str, Any]:
    """The attributes of OpenInference; twelve documents show that their numbers are not sorted as texts."""
    kinds = {"retrieval": "RETRIEVER", "chat": "LLM", "invoke_agent": "AGENT"}
    out: dict[str, Any] = {"openinference.span.kind": kinds[one["kind"]]}
    if "session" in one:
        out["session.id"] = one["session"]
    if "tokens" in one:
        out["llm.token_count.total"] = sum(one["tokens"])
    if "docs" in one:
        out["input.value"] = json.dumps({"query": one["query"]})
        for i, (doc, score) in enumerate(one["docs"]):
            out[f"retrieval.documents.{i}.document.id"] = doc
            if score is not None:
                out[f"retrieval.documents.{i}.document.score"] = score
    return out


def value(of: Any) -> dict[str, Any]:
    return (
        {"intValue": str(of)}
        if isinstance(of, int)
        else {"doubleValue" if isinstance(of, float) else "stringValue": of}
    )


def otlp(spans: Spans, attributes: Callable[[Any], dict[str, Any]], **dump: Any) -> str:
    """An export of OTLP: one object."""
    listed = [
        {
            "traceId": "t1", "spanId": f"s{one['number']}", "parentSpanId": f"s{one['parent']}" if one["parent"] else "",
            "startTimeUnixNano": str(round(one["start"] * 1e9)), "endTimeUnixNano": str(round(one["end"] * 1e9)),
            "attributes": [{"key": key, "value": value(of)} for key, of in attributes(one).items()],
        }
        for one in spans
    ]  # fmt: skip
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": listed}]}]}, **dump)


def sdk(spans: Spans, attributes: Callable[[Any], dict[str, Any]], **dump: Any) -> str:
    """Spans as the SDK and Phoenix write them: one object each."""
    lines = [
        json.dumps(
            {
                "name": one["kind"], "context": {"trace_id": "0x1", "span_id": f"0x{one['number']}"},
                "parent_id": f"0x{one['parent']}" if one["parent"] else None,
                "start_time": datetime.fromtimestamp(one["start"], timezone.utc).isoformat(),
                "end_time": datetime.fromtimestamp(one["end"], timezone.utc).isoformat().replace("+00:00", "Z"),
                "attributes": attributes(one),
            },
            **dump,
        )
        for one in spans
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def objects(spans: Spans, attributes: Any) -> str:
    """One object per search, of one's own."""
    tokens = {"capital of france": 60, "rivers  of france": 10}
    return "\n".join(
        json.dumps({"session": "conversation", "query": one["query"], "query_number": number, "time": 0.5,
                    "documents": [{"id": doc, "score": score} for doc, score in one["docs"]], "tokens": tokens[one["query"]]})
        for number, one in ((2, spans[5]), (1, spans[2]))
    )  # fmt: skip


def browsecomp(spans: Spans, attributes: Any) -> str:
    """A log of BrowseComp-Plus, which has the tokens of the session only."""
    calls = [
        {"type": "tool_call", "arguments": json.dumps({"query": one["query"]}),
         "output": json.dumps([{"docid": doc, "score": score} for doc, score in one["docs"]])}
        for one in (spans[2], spans[5])
    ]  # fmt: skip
    about = {"query_id": "conversation", "tool_call_counts": {"search": 2}, "usage": {"total_tokens": 70}}
    return json.dumps({**about, "result": [{"type": "reasoning", "output": ["d8"]}, *calls]}, indent=2)


def langsmith(spans: Spans, attributes: Any) -> str:
    """Runs of LangSmith, which have no scores and no tokens."""
    kinds = {"retrieval": "retriever", "chat": "llm", "invoke_agent": "chain"}
    lines = [
        json.dumps({
            "id": str(one["number"]), "run_type": kinds[one["kind"]], "extra": {"metadata": {"thread_id": one.get("session")}},
            "inputs": {"query": one.get("query")}, "outputs": {"documents": [{"id": doc} for doc, _ in one.get("docs", ())]},
            "parent_run_id": str(one["parent"] or ""), "trace_id": "1", "start_time": f"1970-01-01T00:00:{one['start']:09.6f}",
            "end_time": f"1970-01-01T00:00:{one['end']:09.6f}",
        })
        for one in spans
    ]  # fmt: skip
    return "\n".join(lines)


def rows(run: Run) -> list[tuple[Any, ...]]:
    columns = [run.column(name).tolist() for name in ("query_number", "tokens") if name in run.columns]
    docs = [doc for topic in range(len(run.topics)) for doc in run.docs(topic)]
    topics = [t for t, a, b in zip(run.topics, run.offsets, run.offsets[1:], strict=False) for _ in range(b - a)]
    found = list(zip(topics, columns[0], docs, run.score.tolist(), *columns[1:], strict=True))
    return sorted(found, key=lambda row: (row[0], row[1], -row[3]))


@pytest.fixture
def write(write: Any) -> Callable[..., str]:
    return lambda content, name="spans.jsonl": write(content, name)


@pytest.mark.parametrize("attributes", [genai, openinference])
@pytest.mark.parametrize("dialect", [otlp, sdk, objects, browsecomp, langsmith])
def test_the_same_searches_in_every_dialect(write: Any, dialect: Any, attributes: Any) -> None:
    found = rows(irmx.read_run(write(dialect(AGENT, attributes))))
    if dialect is browsecomp:  # the tokens are shared
        assert found == [(*row[:4], 35) for row in EXPECTED]
    elif dialect is langsmith:
        assert found == [(*row[:3], score) for row, score in zip(EXPECTED, (2, 1, 3, 2, 1), strict=True)]
    else:
        assert found == EXPECTED
        assert irmx.read_run(write(dialect(AGENT, attributes))).column("time").tolist() == [0.5] * 5


def test_records_may_stand_in_any_lines(write: Any) -> None:
    indented, lines = sdk(AGENT, genai, indent=2), sdk(AGENT, genai).splitlines()
    for content in (
        indented,
        indented.replace("\n", "\r\n"),
        f"[{','.join(lines)}]",
        "\n\n".join(lines),
        "".join(lines),
    ):
        assert rows(irmx.read_run(write(content))) == EXPECTED
    halves = [otlp(AGENT[:4], genai), otlp(AGENT[4:], genai)]
    assert rows(irmx.read_run(write("\n".join(halves)))) == EXPECTED


def test_a_session_is_found_wherever_it_is_named(write: Any) -> None:
    def topics(*spans: dict[str, Any]) -> list[str]:
        return irmx.read_run(write(otlp(list(spans), genai))).topics

    search = {"query": "q", "docs": [("d", 1.0)]}
    outer, inner = span(1, "invoke_agent", 1, session="outer"), span(2, "tool", 2, 1, session="inner")
    assert topics(outer, inner, span(3, "retrieval", 3, 2, **search)) == ["inner"]
    assert topics(outer, span(3, "retrieval", 3, 9, **search)) == ["outer"], "any span of the trace"
    assert topics(span(3, "retrieval", 3, **search)) == ["t1"], "the trace"
    assert topics(span(3, "retrieval", 3, 4, **search), span(4, "tool", 2, 3)) == ["t1"], (
        "spans that contain each other"
    )
    assert topics(span(3, "retrieval", 3, session="own", **search), outer) == ["own"]


def test_structured_documents_and_metadata(write: Any) -> None:
    documents = {"arrayValue": {"values": [
        {"kvlistValue": {"values": [{"key": "id", "value": {"intValue": "7"}}, {"key": "score", "value": {"doubleValue": 1.5}}]}},
        {"kvlistValue": {"values": [{"key": "id", "value": {"stringValue": "x"}}, {"key": "score", "value": {"intValue": "1"}}]}},
    ]}}  # fmt: skip
    export = json.loads(otlp([span(1, "retrieval", 1, session="s", query="q", docs=[])], genai))
    export["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"][-1]["value"] = documents
    run = irmx.read_run(write(json.dumps(export)))
    assert (run.docs(0), run.score.tolist()) == (["7", "x"], [1.5, 1])
    path = write(
        json.dumps(
            {
                "session": "s",
                "documents": [
                    {"metadata": {"source": "a"}},
                    {"metadata": {"source": "b"}},
                    {"metadata": {"source": "a"}},
                ],
            }
        )
    )
    with pytest.raises(
        DataError, match=r"3 of 3 documents have no id, first on line 1\..*traces\(doc_id=metadata\.source\):"
    ):
        irmx.read_run(path)
    assert irmx.read_run(f"traces(doc_id=metadata.source):{path}").docs(0) == ["a", "b"], (
        "a document counts once in a search"
    )


def test_a_search_that_found_nothing_is_a_query_of_the_session(write: Any, command: Any) -> None:
    path = write('{"session": "s", "documents": []}\n{"session": "s", "documents": ["a"]}')
    qrels = {"s": {"a": 1}}
    assert irmx.calc_aggregate("Session(measure='RR')", qrels, path) == {
        irmx.parse_measure("Session(measure='RR')"): 0.5
    }
    lacking = [span(1, "retrieval", 1, session="s", query="q", docs=[("a", 1.0)]), span(2, "retrieval", 2, session="s")]
    with pytest.warns(DataWarning, match="of 1 of 2 searches, no documents are recorded"):
        run = irmx.read_run(write(otlp(lacking, genai)))
    assert run.column("query_number").tolist() == [1, 2]
    with pytest.raises(DataError, match=r"no documents are recorded of 1 search\. Switch the capture"):
        irmx.read_run(write(otlp(lacking[1:], genai)))
    (Path(path).parent / "qrels").write_text("conversation 0 d1 1\n")
    assert command("eval", Path(path).parent / "qrels", write(otlp(AGENT, genai)), "sDCG", "-q").out.startswith(
        "conversation\tsDCG\t1."
    )


def test_topics_are_queries(write: Any, tmp_path: Path) -> None:
    path = write(otlp(AGENT, genai))
    run = irmx.read_run(f"traces(topic=query):{path}")
    assert run.as_dict() == {
        "capital of france": {"d1": 0.9, "d2": 0.5},
        "rivers of france": {"d2": 3.0, "d1": 2.0, "d3": 1.0},
    }
    (tmp_path / "queries.csv").write_text("query_id,query\n301,Capital of  France\n302,rivers\n")
    with pytest.warns(DataWarning, match="1 search asks for no query of"):
        run = irmx.read_run(f"traces(topic=query,queries='{tmp_path}/queries.csv'):{path}")
    assert run.topics == ["301"]
    again = [*AGENT, span(9, "retrieval", 20, 1, query="capital of france", docs=[("d5", 1.0)])]
    with pytest.warns(DataWarning, match="1 search repeats the query of an earlier one"):
        assert irmx.read_run(f"traces(topic=query):{write(otlp(again, genai))}").as_dict()["capital of france"] == {
            "d1": 0.9,
            "d2": 0.5,
        }
    unknown = [span(10 + i, "retrieval", 20, 1, query=f"other {i}", docs=[("d5", 1.0)]) for i in range(3)]
    with pytest.warns(DataWarning) as caught:
        irmx.read_run(f"traces(topic=query,queries='{tmp_path}/queries.csv'):{write(otlp([*again, *unknown], genai))}")
    assert [" ".join(str(w.message).split()[1:4]) for w in caught] == ["4 searches ask", "1 search repeats"]
    (tmp_path / "queries.csv").write_text("query_id,query\n302,rivers\n")
    with pytest.raises(DataError, match="no search asks for a query of"):
        irmx.read_run(f"traces(topic=query,queries='{tmp_path}/queries.csv'):{path}")
    with pytest.raises(DataError, match="goes with topic=query"):
        irmx.read_run(f"traces(queries='{tmp_path}/queries.csv'):{path}")
    with pytest.raises(DataError, match="1 of 1 search have no text"):
        irmx.read_run("traces(topic=query):" + write('{"session": "s", "documents": ["a"]}'))


def test_the_list_is_the_ranking_where_scores_say_something_else(write: Any) -> None:
    lists = [[("a", 1.0), ("b", 1.0)], [("a", 1.0), ("b", float("nan"))], [("a", "high"), ("b", 2.0)]]
    for docs in lists:
        run = irmx.read_run(write(otlp([span(1, "retrieval", 1, session="s", query="q", docs=docs)], genai)))
        assert run.score.tolist() == [2, 1]
    with pytest.warns(DataWarning, match="in 1 search, scores rise along the list"):
        run = irmx.read_run(
            write(otlp([span(1, "retrieval", 1, session="s", query="q", docs=[("a", 0.1), ("b", 0.9)])], genai))
        )
    assert run.score.tolist() == [2, 1]


OWN = '{"session": "s", "documents": ["a"], "query_number": 1}\n'
FAULTS = {
    "not JSON": (OWN + "{'session'", r"spans\.jsonl, line 2: This is not JSON"),
    "cut": (OWN + OWN[:30], "line 2: This is not JSON"),
    "too deep": ('{"session": "s", "documents": [], "x": ' + "[" * 100_000, "line 1: This is too deeply nested"),
    "not an object": (OWN + "5", "line 2: A search or a span is a JSON object. Got '5'"),
    "no search": (OWN + '{"a": 1}', "line 2: This object cannot be read as a search or a span: .* it has a"),
    "no list": (OWN + '{"session": "s"}', "line 2: .* no list 'documents'"),
    "a number twice": (OWN + OWN, "must have the numbers 1 to 2, or none. Got 1, 1"),
    "a gap": (OWN + OWN.replace("1}", "3}"), "must have the numbers 1 to 2, or none. Got 1, 3"),
    "some numbers": (OWN + '{"session": "s", "documents": []}', "Got 1, None"),
    "number 0": (OWN.replace("1}", "0}"), "query_number must be a whole number of 1 or more. Got 0"),
    "negative tokens": (OWN.replace("1}", '1, "tokens": -1}'), "tokens must be a number of 0 or more. Got -1"),
    "a time that is none": (OWN.replace("1}", '1, "time": NaN}'), "time must be a number of 0 or more. Got nan"),
    "no span id": ('{"context": {"trace_id": "1"}, "attributes": {"span_id": 1}}', "it lacks 'span_id'"),
    "no start": ('{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId": "1", "spanId": "1"}]}]}]}', "it lacks 'startTimeUnixNano'"),
    "spans of nothing": ('{"resourceSpans":[3]}', "cannot be read as a search or a span"),
    "no searches": (otlp(AGENT[-1:], genai), "has no search"),
    "a session that is none": ('{"session": null, "documents": ["a"]}', "its session must be a text. Got None"),
    "endless tokens": (OWN.replace("1}", '1, "tokens": 1e400}'), "tokens must be a number of 0 or more. Got inf"),
    "half a character": ('{"session": "s", "documents": ["\\ud800x"]}', "has a part of a character"),
    "an endless time": ('{"context": {"trace_id": "1", "span_id": "2"}, "start_time": 1e400, "attributes": {}}', "a time must be a number or a date"),
    "ids that are none": (OWN.replace('"a"', "null, true"), "2 of 2 documents have no id"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_read_is_told_with_its_line(write: Any, fault: str) -> None:
    content, said = FAULTS[fault]
    with pytest.raises(DataError, match=said):
        irmx.read_run(write(content))


def test_more_that_is_read_or_told(write: Any, tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b'{"session": "s", "documents": ["\xe9"]}')
    with pytest.raises(DataError, match="is not UTF-8"):
        irmx.read_run(tmp_path / "latin")
    close = {
        "session": "s",
        "documents": [
            {"id": "a", "score": 0.50000000002},
            {"id": "b", "score": 0.50000000001},
            {"id": "c", "score": 10**400},
        ],
    }
    assert irmx.read_run(write(json.dumps(close))).score.tolist() == [3, 2, 1], "they would tie in single precision"
    late = {"session": "s", "query": "x" * 6000, "documents": ["a"]}
    assert irmx.read_run(write(json.dumps(late))).docs(0) == ["a"]
    ordinary = {
        "query_id": "q1",
        "doc_id": "d",
        "score": 1.0,
        "session": "s1",
        "documents": ["x"],
        "trace_id": "t",
        "span_id": "s",
    }
    assert irmx.read_run(write(json.dumps(ordinary) + "\n")).as_dict() == {"q1": {"d": 1.0}}
    nanoseconds = {"context": {"trace_id": "t", "span_id": "s"}, "start_time": 1795520270 * 10**9, "end_time": 1795520272 * 10**9,
                   "attributes": {"openinference.span.kind": "RETRIEVER", "retrieval.documents": ["a"], "llm.token_count.total": 10**400}}  # fmt: skip
    assert irmx.read_run(write(json.dumps(nanoseconds))).column("time").tolist() == [2.0]
    with pytest.raises(UsageError, match="The format traces holds run, not qrels"):
        irmx.read_qrels("traces:" + write(OWN))
    many = OWN.replace(', "query_number": 1', ', "query": "%s"' % ("x" * 1000)) * 20_000
    assert len(irmx.read_run(write(many))) == 20_000


def test_parameters_of_a_format_are_checked_and_go_with_globs(write: Any, tmp_path: Path) -> None:
    path = write(otlp(AGENT, genai))
    write(otlp(AGENT, genai), "more.jsonl")
    given = f"traces(topic=query):{tmp_path}/*.jsonl"
    assert irmx.toolkit.matching_files(given) == [
        f"traces(topic=query):{tmp_path}/{name}" for name in ("more.jsonl", "spans.jsonl")
    ]
    for text, said in {
        "traces(topi=query)": "no parameter 'topi'. Did you mean topic",
        "traces(topic=querys)": "Did you mean query",
        "traces(query)": "Parameters are given by name",
        "traces(topic=session|query)": "several values of 'topic'",
        "jsonl(topic=query)": "no parameter 'topic'",
    }.items():
        with pytest.raises(UsageError, match=said.replace("(", r"\(")):
            irmx.read_run(f"{text}:{path}")


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("otlp_genai/otlp_genai.jsonl", {"conv-1": 2, "conv-2": 3, "conv-3": 1}),
        ("otlp_genai/otlp_protobuf_json_base64_ids.json", {"conv-1": 2, "conv-2": 3, "conv-3": 1}),
        ("otlp_genai/console_spans.jsonl", {"conv-1": 2, "conv-2": 3, "conv-3": 1}),
        ("phoenix/spans.jsonl", {"session-A": 4, "session-B": 2}),
        ("traces(doc_id=metadata.source):openinference/otlp_openinference_langchain.jsonl", {"session-A": 2}),
        ("traces(doc_id=metadata.source):langsmith/langchain_tracer_runs.jsonl", {"session-A": 2}),
        ("constructed/browsecomp_plus/run_20260101T000000Z_q1.json", {"q1": 2}),
        ("traces:constructed/browsecomp_plus", {"q1": 2}),
    ],
)
def test_files_of_real_tools(name: str, sizes: dict[str, int], platforms: Path) -> None:
    form, _, path = name.rpartition(":")
    run = irmx.read_run(f"{form}:" * bool(form) + str(platforms / path))
    numbers = run.column("query_number")
    assert {
        t: int(numbers[a:b].max()) for t, a, b in zip(run.topics, run.offsets, run.offsets[1:], strict=False)
    } == sizes


@pytest.mark.parametrize("key", ["price", "cost"])
def test_the_price_of_a_search_is_no_cost_of_each_document(key: str, write: Any) -> None:
    path = write(json.dumps({"session": "s", "documents": ["x", "y"], key: 0.5}))
    [price, cost] = irmx.calc_aggregate(
        "SessionCost(of='price') CWL(user=precision(k=2),value=ETC)", {"s": {"x": 1}}, path
    ).values()
    assert (price, cost) == (0.5, 2)  # of two documents, at the default of 1


# -- what is missing or doubled ----------------------------------------------------------------------------

COST = "SessionCost(of='{}')"
QRELS = {"conversation": {"d1": 1}}


def costs(path: str, *of: str) -> list[float]:
    """What the conversation costs."""
    return list(irmx.calc_aggregate([COST.format(one) for one in of], QRELS, path).values())


@pytest.mark.parametrize("dialect", [otlp, sdk, langsmith])
def test_a_span_that_was_exported_twice_is_one_span(write: Any, dialect: Any) -> None:
    once = dialect(AGENT, genai)
    assert rows(irmx.read_run(write(once + "\n" + once))) == rows(irmx.read_run(write(once)))


def test_of_a_span_that_comes_again_the_last_that_ended_counts(write: Any) -> None:
    search = {"query": "q", "docs": [("d1", 1.0)], "session": "conversation"}
    begun = {**span(1, "retrieval", 1, session="conversation"), "end": 0}
    whole, later = span(1, "retrieval", 1, **search), {**span(1, "retrieval", 1, **search), "end": 9}
    for spans in ([begun, whole], [whole, begun], [begun, whole, begun]):
        path = write(otlp(spans, genai))
        assert (irmx.read_run(path).docs(0), costs(path, "time", "queries")) == (["d1"], [0.5, 1])
    with pytest.warns(DataWarning, match="1 span differ"):
        assert costs(write(otlp([whole, later], genai)), "time", "queries") == [8, 1]


def test_a_log_of_a_session_that_has_one_is_refused(write: Any, tmp_path: Path) -> None:
    for name in "ab":
        write(log("s", ["d1"]), f"logs/{name}.json")
    with pytest.raises(DataError, match=r"'s'.*line 1 of a\.json and on line 1 of b\.json"):
        irmx.read_run(f"traces:{tmp_path}/logs")


DOUBLED: dict[str, tuple[str, dict[str, Any], bool]] = {
    # searches, each a session and a document; what each has besides; whether they are refused
    "a search with its tokens": ("sa sb sa", {"tokens": 3}, True),
    "a search with its time": ("sa sa", {"time": 0.25}, True),
    "a file after itself": ("sa sb ta sa sb ta", {}, True),
    "a file after itself, with one search a session": ("sa ta sa ta", {}, True),
    "every line twice": ("sa sa sb sb", {}, True),
    "a search again": ("sa sb sa", {}, False),
    "a search again in one session": ("sa sa ta", {}, False),
    "a fixed price": ("sa sb sa", {"price": 0.1}, False),
    "the same search of two sessions": ("sa ta", {"tokens": 3}, False),
}


@pytest.mark.parametrize("case", DOUBLED)
def test_searches_that_stand_twice_do_not_count_twice(write: Any, case: str) -> None:
    given, more, is_refused = DOUBLED[case]
    searches = given.split()
    path = write("\n".join(json.dumps({"session": s, "documents": [doc], **more}) for s, doc in searches))
    if is_refused:
        with pytest.raises(DataError, match="line 1 and on line"):
            irmx.read_run(path)
    else:
        assert len(irmx.read_run(path)) == len(searches)
    counted = [
        {"session": s, "documents": [doc], "query_number": sum(one[0] == s for one in searches[: i + 1]), **more}
        for i, (s, doc) in enumerate(searches)
    ]
    assert len(irmx.read_run(write("\n".join(map(json.dumps, counted))))) == len(searches)


def agents(lacking: int, tokens: Any = (None, None)) -> str:
    """Forty calls of models in two conversations, of which the last of the first conversation lack tokens, or one of two counts."""
    spans = []
    for conversation, number in (("conversation", 100), ("other", 200)):
        root = span(number, "invoke_agent", 0, session=conversation)
        search = span(number + 1, "retrieval", 1, number, query="q", docs=[("d1", 1.0)])
        calls = [span(number + 2 + i, "chat", 2 + i, number, tokens=(6, 4)) for i in range(20)]
        spans += [root, search, *calls]
    for i in range(lacking):
        spans[21 - i]["tokens"] = tokens
    return otlp(spans, genai)


def test_calls_without_tokens_are_counted_and_many_are_no_zero(write: Any, command: Any, tmp_path: Path) -> None:
    assert costs(write(agents(0)), "tokens") == [200]
    with pytest.warns(DataWarning, match="2 of 40 calls"):
        assert costs(write(agents(2)), "tokens") == [180]
    with pytest.warns(DataWarning, match="2 of 40 calls"):  # half a usage is none
        assert costs(write(agents(2, (None, 4))), "tokens") == [180]
    path = write(agents(3))
    with pytest.warns(DataWarning, match="3 of 40 calls"):
        tokens = irmx.read_run(path).column("tokens").tolist()
    assert str(tokens) == "[nan, 200.0]"
    (tmp_path / "qrels").write_text("conversation 0 d1 1\nother 0 d1 1\n")
    (tmp_path / "others").write_text("other 0 d1 1\n")
    done = command("eval", "qrels", path, COST.format("tokens"))
    done.assert_refused(1)
    for qrels, measure, value in (("others", "tokens", 200), ("qrels", "time", 0.5)):
        done = command("eval", qrels, path, COST.format(measure), "-o", "csv")
        assert (done.code, f"{value}" in done.out) == (0, True), done.err


@pytest.mark.parametrize("end", [0, 0.5])
@pytest.mark.parametrize("dialect", [otlp, sdk, langsmith])
def test_a_search_without_an_end_has_no_time(write: Any, dialect: Any, end: float) -> None:
    """Nor has one that ends before it starts; one that ends at once took no time."""
    sound = span(1, "retrieval", 1, session="conversation", query="q", docs=[("d1", 1.0)])
    odd = {**span(2, "retrieval", 2, query="r", docs=[("d2", 1.0)]), "end": end}
    content = dialect([sound, odd], openinference)
    if not end:
        content = content.replace('"1970-01-01T00:00:00Z"', "null").replace('"1970-01-01T00:00:00.000000"', "null")
    path = write(content)
    topic = irmx.read_run(path)
    assert str(topic.column("time").tolist()) == "[0.5, nan]"
    with pytest.raises(DataError, match="1 of 2 queries"):
        costs(path, "time")
    assert costs(path, "queries") == [2]
    at_once = dialect([sound, {**odd, "end": odd["start"]}], openinference)
    assert costs(write(at_once), "time") == [0.5]


@pytest.mark.parametrize("cut", ["agent", "last call", "last search"])
def test_a_trace_that_was_cut_off_has_no_known_cost(write: Any, cut: str) -> None:
    """Nor is it cheaper than the same one that ended; a search in its midst that has no end cuts nothing off."""

    def traces(unended: int, without: tuple[int, ...] = ()) -> str:
        spans = [{**one, **({"end": 0} if one["number"] == unended else {})} for one in AGENT]
        return write(otlp([one for one in spans if one["number"] not in without], genai))

    assert costs(traces(4), "tokens") == [70]
    number, without = {"agent": (1, (7,)), "last call": (7, (1,)), "last search": (6, (1, 7))}[cut]
    path = traces(number, without)
    qrels = {"t1": {"d1": 1}, **QRELS}
    with pytest.warns(DataWarning, match="in 1 session, .*: (conversation|t1)"):
        tokens = irmx.read_run(path).column("tokens").tolist()
    assert str(tokens) == "[60.0, 60.0, nan, nan, nan]"
    with pytest.warns(DataWarning), pytest.raises(DataError, match="1 of 2 queries"):
        irmx.calc_aggregate(COST.format("tokens"), qrels, path)
    with pytest.warns(DataWarning):
        assert irmx.calc_aggregate("sDCG", qrels, path)


# -- documents that a span has twice -----------------------------------------------------------------------


def found_by(write: Any, output: Any, **attributes: Any) -> list[str]:
    """The documents of a search whose span has an output and other attributes."""
    about = {
        "openinference.span.kind": "RETRIEVER",
        "session.id": "s",
        "output.value": json.dumps(output),
        **attributes,
    }
    context = {"trace_id": "t", "span_id": "s"}
    line = {"context": context, "start_time": 1, "end_time": 2, "attributes": about}
    return irmx.read_run(write(json.dumps(line))).docs(0)


FLAT = {"retrieval.documents.0.document.id": "d1", "retrieval.documents.1.document.id": "d2"}
LISTS = {
    "OpenInference": FLAT,
    "Phoenix": {"retrieval.documents": [{"id": "d1"}, {"id": "d2"}]},
}


@pytest.mark.parametrize("tool", LISTS)
@pytest.mark.parametrize(
    "output",
    [["Document(id=d1, content: 'x')", "Document(id=d2, content: 'y')"], [{"id": "0"}, {"id": "1"}], ["d2", "d1"]],
)
def test_the_attributes_of_a_span_win_over_its_output(write: Any, tool: str, output: Any) -> None:
    assert found_by(write, {"documents": output}, **LISTS[tool]) == ["d1", "d2"]


def test_the_output_of_a_span_fills_what_its_attributes_lack(write: Any) -> None:
    texts = {f"retrieval.documents.{i}.document.content": f"text {i}" for i in range(2)}
    objects = [{"id": "d1", "page_content": "text 0"}, {"id": "d2", "page_content": "text 1"}]
    assert found_by(write, {"documents": objects}, **texts) == ["d1", "d2"]
    assert found_by(write, {"documents": objects}, **{"gen_ai.retrieval.documents": [{"score": 2}, {"id": ""}]}) == [
        "d1",
        "d2",
    ]
    assert found_by(write, {"documents": ["d1", "d2"]}) == ["d1", "d2"], "no documents in attributes"
    with pytest.raises(DataError, match="2 of 2 documents have no id"):
        found_by(write, {"documents": ["text 0", "text 1"]}, **texts)


@pytest.mark.parametrize("attributes", [{"retrieval.documents": []}, {}])
def test_an_empty_list_of_documents_is_recorded(write: Any, attributes: Any) -> None:
    assert found_by(write, {"documents": []}, **attributes) == [""]


def test_documents_that_a_limit_cut_are_no_search_that_found_nothing(write: Any) -> None:
    whole = json.dumps([{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.5}])
    name, kind = "gen_ai.retrieval.documents", {"gen_ai.operation.name": "retrieval"}

    def search(number: int, **attributes: Any) -> dict[str, Any]:
        about = {"session.id": "s", **kind, **attributes}
        context = {"trace_id": "t", "span_id": f"span{number}"}
        return {"context": context, "start_time": number, "end_time": number + 1, "attributes": about}

    for cut in ({name: whole[:30]}, {"output.value": f'{{"documents": {whole[:30]}'}):
        path = write("\n".join(map(json.dumps, [search(1, **{name: whole}), search(2, **cut)])))
        with pytest.raises(DataError, match=r"line 2.*span2.*cut"):
            irmx.read_run(path)
    rest = {"output.value": f'{{"documents": {whole[:30]}'}
    assert found_by(write, None, **{name: whole}, **rest) == ["d1", "d2"], "the attributes have all"
    log = {"query_id": "s", "tool_call_counts": {}, "result": [{"type": "tool_call", "output": '[{"docid": "1"}, {'}]}
    with pytest.raises(DataError, match=r"line 1.*cut"):
        irmx.read_run(write(json.dumps(log)))


def log(session: str, *outputs: Any, **about: Any) -> str:
    """A log of BrowseComp-Plus whose searches returned documents, nothing, or an error."""
    calls = [
        {"type": "tool_call", "tool_name": "search", "arguments": '{"query": "q"}',
         "output": json.dumps([{"docid": doc} for doc in one]) if isinstance(one, list) else one}
        for one in outputs
    ]  # fmt: skip
    counts = {"search": len(outputs)}
    return json.dumps(
        {
            "query_id": session,
            "tool_call_counts": counts,
            "usage": {"total_tokens": 90},
            "status": "completed",
            "result": calls,
        }
        | about
    )


def test_a_search_that_failed_in_a_log_is_a_search_that_found_nothing(write: Any) -> None:
    mean = "Session(measure='RR')"
    for failed in (None, "Error: timeout", '{"error": "x"}'):
        path = write(log("conversation", ["d1"], failed))
        with pytest.warns(DataWarning, match="1 of 2 searches"):
            assert list(irmx.calc_aggregate(mean, QRELS, path).values()) == [0.5]
        with pytest.warns(DataWarning):
            assert costs(path, "queries", "tokens") == [2, 90]
    named = json.loads(log("other", None, tool_call_counts={}))
    named["result"][0]["tool_name"] = "lookup"
    sound = json.loads(log("conversation", ["d1"], tool_call_counts={}))
    sound["result"][0]["tool_name"] = "lookup"
    document = {"type": "tool_call", "tool_name": "get_document", "output": '{"docid": "d1"}'}
    sound["result"].append(document)
    with pytest.warns(DataWarning, match="1 of 2 searches"):
        run = irmx.read_run(write(json.dumps(named) + json.dumps(sound)))
    assert (run.topics, run.column("query_number").tolist()) == (["other", "conversation"], [1, 1])
    with pytest.raises(DataError):
        irmx.read_run(write(log("conversation", None)))


def test_what_a_log_says_of_itself_is_told_where_it_differs(write: Any, recwarn: Any) -> None:
    sound = log("conversation", ["d1"], ["d2"])
    for odd, said in (
        (log("other", ["d1"], tool_call_counts={"search": 3, "get_document": 1}), "another number of searches"),
        (log("other", ["d1"], ["d1"], tool_call_counts={"search": 1}), "another number of searches"),
        (log("other", ["d1"], status="incomplete"), "did not complete"),
    ):
        with pytest.warns(DataWarning, match=f"1 of 2 logs .*{said}.*: other"):
            assert irmx.read_run(write(sound + odd)).topics == ["conversation", "other"]
    recwarn.clear()
    irmx.read_run(write(sound + log("other", ["d1"], status="completed", tool_call_counts={"search": 1})))
    assert not recwarn


def test_a_log_without_a_search_keeps_its_tokens(write: Any) -> None:
    path = write(log("conversation", tool_call_counts={}) + log("other", ["d1"]))
    with pytest.warns(DataWarning, match="1 of 2 logs have no search"):
        assert costs(path, "tokens", "documents") == [90, 0]
    with pytest.warns(DataWarning):
        assert irmx.read_run(f"traces(topic=query):{path}").as_dict() == {"q": {"d1": 1.0}}
    unknown = write(log("conversation", tool_call_counts={}, usage={}) + log("other", ["d1"]))
    with pytest.warns(DataWarning), pytest.raises(DataError, match="1 of 1 queries"):
        costs(unknown, "tokens")
    with pytest.warns(DataWarning), pytest.raises(DataError, match="has no search"):
        irmx.read_run(write(log("conversation", tool_call_counts={})))


def test_doors_that_a_trace_does_not_go_through(tmp_path: Path, command: Any) -> None:
    lines = [
        {"session": "c", "documents": ["a", "b"]},
        {"session": "c", "documents": ["b", "d"]},
        {"session": "e", "documents": ["a"]},
    ]
    (tmp_path / "agent.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "chats.qrels").write_text("c 0 d 1\ne 0 a 1\n")
    for measure in ("AP", "P@5", "RBP(p=0.5)"):
        command("eval", "chats.qrels", "agent.jsonl", measure).assert_refused(1, f"Session(measure='{measure}')")
    assert command("eval", "chats.qrels", "agent.jsonl", "Session(measure='AP')").code == 0
    lines[1]["documents"] = ["x"]  # no document occurs twice, and searches are still no one ranking
    (tmp_path / "agent.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    command("eval", "chats.qrels", "agent.jsonl", "AP").assert_refused(1, "Session")
    command("eval", "agent.jsonl", "agent.jsonl", "AP").assert_refused(1, "traces")
    parquet.write_table(pa.table({"context.span_id": ["1"], "name": ["search"]}), tmp_path / "spans.parquet")
    command("eval", "chats.qrels", "spans.parquet", "Session(measure='AP')").assert_refused(1, "JSON Lines")
