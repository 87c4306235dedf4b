"""The measures of the Temporal Summarization track equal their definitions, followed update by update in plain Python."""

import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

from . import example


def plainly(
    qrels: list[dict[str, Any]],
    run: list[dict[str, Any]],
    gain: str,
    track: str,
    duplicates: str,
    words: str,
    unimportant: str,
) -> dict[str, float]:
    """All measures of one topic in plain Python."""
    if unimportant == "drop":
        qrels = [{**r, "iteration": ""} if r["iteration"] and r["importance"] == 0 else r for r in qrels]
    judged = [r for r in qrels if r["doc_id"] and (duplicates == "all" or r["pooled"])]
    nuggets = {r["iteration"]: r for r in qrels if r["iteration"]}
    pooled = {r["doc_id"] for r in judged}
    stream = [u for u in run if track == "2014" or u["doc_id"] in pooled]
    stream.sort(key=lambda u: u["doc_id"], reverse=True)
    stream.sort(key=lambda u: u["timestamp"])

    def worth(n: dict[str, Any]) -> float:
        return math.exp(n["importance"]) / math.exp(3) if gain == "graded" else float(n["importance"] > 0)

    of = "track_" if words == "track" else ""
    mean_words = sum(n[f"{of}nugget_length"] for n in nuggets.values()) / max(len(nuggets), 1)
    seen: set[str] = set()
    found = in_time = early = verbosity = 0.0
    for u in stream:
        rows = [r for r in judged if r["doc_id"] == u["doc_id"]]
        held = [r for r in rows if r["iteration"] and r["relevance"] >= 1 and not r["replaced"]]
        own = [r for r in held if r["iteration"] not in seen]
        for name in {r["iteration"] for r in own}:
            late = 1 - 2 / math.pi * math.atan((u["timestamp"] - nuggets[name]["timestamp"]) / 21600)
            found += worth(nuggets[name])
            in_time += worth(nuggets[name]) * late
            early += late
        spans = [(int(r[f"{of}match_start"]), int(r[f"{of}match_end"])) for r in own]
        matched = {w for start, end in spans for w in range(start, end)}
        length = 1.0
        if rows and words == "track":
            length = rows[0]["track_length"]
        elif rows:
            copied = rows[0]["original_length"]
            length = rows[0]["length"] if copied is None else copied
        verbosity += 1 + max(0, length - len(matched)) / mean_words if nuggets else 0
        seen |= {r["iteration"] for r in own}
    everything = sum(map(worth, nuggets.values()))
    top = sorted(map(worth, nuggets.values()), reverse=True)[: len(stream)]
    best = sum(top) / len(top) if top else 0

    def over(a: float, b: float) -> float:
        return a / b if b else 0.0

    eg, elg = over(found, verbosity), over(in_time, verbosity)
    comp, lc = over(found, everything), over(in_time, everything)
    nelg = over(elg, best)
    return {
        "EG": eg, "nEG": over(eg, best), "ELG": elg, "nELG": nelg, "Comp": comp, "LC": lc,
        "TS_H": over(2 * nelg * lc, nelg + lc), "TS_Verbosity": over(verbosity, len(stream)),
        "TS_Latency": over(early, len(stream) if track == "2014" else len(seen)),
    }  # fmt: skip


@st.composite
def topics(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The judgments and the updates of one topic, with many ties and repeats."""
    nuggets = {
        f"n{i}": {
            "importance": float(draw(st.integers(0, 3))),
            "timestamp": float(draw(st.integers(0, 9)) * 7200),
            "nugget_length": float(draw(st.integers(1, 9))),
            "track_nugget_length": float(draw(st.integers(1, 9))),
        }
        for i in range(draw(st.integers(0, 4)))
    }
    rows: list[dict[str, Any]] = []
    for i in range(draw(st.integers(0, 6))):
        update = {
            "doc_id": f"u{i}",
            "length": float(draw(st.integers(0, 20))),
            "pooled": float(draw(st.integers(0, 1))),
            "original_length": draw(st.sampled_from([None, None, 3.0, 25.0])),
            "track_length": float(draw(st.integers(1, 20))),
        }
        held = draw(st.lists(st.sampled_from(list(nuggets)), max_size=4)) if nuggets else []
        for name in held:
            start = draw(st.integers(0, 8))
            place = {"match_start": float(start), "match_end": float(start + draw(st.integers(0, 6)))}
            place |= {"track_match_start": float(start + 1), "track_match_end": float(start + draw(st.integers(1, 6)))}
            rows.append(
                {
                    **update,
                    **place,
                    **nuggets[name],
                    "iteration": name,
                    "relevance": draw(st.sampled_from([1, 1, 1, 0])),
                    "replaced": draw(st.sampled_from([0, 0, 0, 1])),
                }
            )
        if not held:
            rows.append({**update, "iteration": "", "relevance": 0, "replaced": 0})
    for name, nugget in nuggets.items():
        if name not in {r["iteration"] for r in rows}:
            rows.append({**nugget, "doc_id": "", "iteration": name, "relevance": 1, "pooled": 1.0, "replaced": 0})
    ids = st.sampled_from([f"u{i}" for i in range(6)] + ["x", "y"])
    stream = draw(st.lists(st.tuples(ids, st.integers(-3, 12)), min_size=1, max_size=10))
    return rows, [{"doc_id": doc, "timestamp": time * 3600.0, "score": 1.0} for doc, time in stream]


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn that do
@given(
    given_topics=st.lists(topics(), min_size=1, max_size=3),
    gain=st.sampled_from(["graded", "binary"]),
    track=st.sampled_from(["2014", "2013"]),
    duplicates=st.sampled_from(["pool", "all"]),
    words=st.sampled_from(["white_space", "track"]),
    unimportant=st.sampled_from(["drop", "keep"]),
)
def test_both_ways_give_the_same(
    given_topics: list[Any], gain: str, track: str, duplicates: str, words: str, unimportant: str
) -> None:
    there = {f"q{i}": topic for i, topic in enumerate(given_topics) if topic[0]}
    if not there:
        return
    qrels = pd.concat(
        [pd.DataFrame(rows).reindex(columns=example.ALL).assign(query_id=q) for q, (rows, _) in there.items()]
    ).astype({"original_length": float})
    run = pd.concat([pd.DataFrame(stream).assign(query_id=q) for q, (_, stream) in there.items()])
    setting = f"(gain='{gain}',track='{track}',duplicates='{duplicates}',words='{words}',unimportant='{unimportant}')"
    evaluator = irmx.evaluator([name + setting for name in example.NAMES], qrels)
    for measure, by_topic in evaluator.values(run.sample(frac=1, random_state=0).sort_index(kind="stable")).items():
        low, high = type(measure).RANGE
        for query_id, value in by_topic.items():
            wanted = plainly(*there[query_id], gain, track, duplicates, words, unimportant)[measure.NAME]
            assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12), (measure, query_id)
            assert low <= value <= high


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn that do
@given(topic=topics(), data=st.data())
def test_contributions_add_up_to_the_score(topic: Any, data: st.DataObject) -> None:
    rows, stream = topic
    if not rows:
        return
    name = data.draw(st.sampled_from(example.NAMES))
    qrels = pd.DataFrame(rows).reindex(columns=example.ALL).assign(query_id="q").astype({"original_length": float})
    explanation = irmx.explain(name, qrels, pd.DataFrame(stream).assign(query_id="q"), "q")
    assert sum(explanation.columns["contribution"]) == pytest.approx(explanation.value, rel=1e-12, abs=1e-12)
    assert len({len(column) for column in explanation.columns.values()}) == 1
