"""Rankings that may stop: the worked examples, plain Python, and to return nothing as an answer everywhere."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
import irmx_study
from irmx import DataError, DataWarning

from .plain import truncated

FOUR = "TruncatedRR TruncatedRBP TruncatedNDCG TruncatedAP"
ROWS: list[tuple[list[int], list[int], tuple[float, ...]]] = [
    ([1, 0, 1], [1, 1, 1], (1, 0.708333, 0.697655, 0.527778)),
    ([0, 0], [], (0.333333, 0.25, 0.5, 0.333333)),
    ([], [], (1, 1, 1, 1)),
    ([], [1, 1], (0, 0, 0, 0)),
    ([0, 1], [1], (0.5, 0.5, 0.693426, 0.583333)),
    ([10, 0, 1], [10, 5, 1], (1, 5.210938, 0.766478, 0.718473)),
    ([1, 0, 0, 0], [1], (1, 0.5625, 0.850345, 0.7)),
]
"""The gains retrieved, those of all relevant documents, and the values; the design notes of the project have them."""


def topic(retrieved: list[float], relevant: list[float]) -> tuple[dict[str, float], dict[str, float]]:
    """Return qrels and run of a topic; a document that is not relevant is judged."""
    left = list(relevant)
    for gain in filter(None, retrieved):
        left.remove(gain)
    docs = {f"d{i}": gain for i, gain in enumerate(retrieved)} | {f"m{i}": gain for i, gain in enumerate(left)}
    return {"other": 0.0, **docs}, {f"d{i}": -float(i) for i in range(len(retrieved))}


def values(measures: str, qrels: Any, run: Any) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for metric in irmx.iter_calc(measures, qrels, run):
        found.setdefault(metric.query_id, []).append(metric.value)
    return found


def test_the_worked_examples() -> None:
    topics = {f"q{n}": topic(list(map(float, got)), list(map(float, every))) for n, (got, every, _) in enumerate(ROWS)}
    run = {name: docs for name, (_, docs) in topics.items() if docs}
    found = values(FOUR, {name: judged for name, (judged, _) in topics.items()}, run)
    assert list(found.values()) == [pytest.approx(expected, abs=5e-7) for *_, expected in ROWS]


GAIN = st.sampled_from([0.0, 0.0, 1.0, 2.0, 1.1, 5.0, 10.0])
TOPIC = st.tuples(st.lists(GAIN, max_size=6), st.lists(GAIN.filter(bool), max_size=4))


@given(st.lists(TOPIC, min_size=1, max_size=4), st.sampled_from([0.5, 0.8]))
def test_values_are_those_of_plain_python(topics: list[tuple[list[float], list[float]]], p: float) -> None:
    given = [(got, [*filter(None, got), *missed]) for got, missed in topics]
    made = {f"q{n}": topic(got, every) for n, (got, every) in enumerate(given)}
    run = {name: docs for name, (_, docs) in made.items() if docs}
    found = values(FOUR.replace("RBP", f"RBP(p={p})"), {name: judged for name, (judged, _) in made.items()}, run)
    expected = [truncated(got, every, p) for got, every in given]
    assert list(found.values()) == [pytest.approx(of_topic, abs=1e-12) for of_topic in expected]


QRELS = {"news": {"a": 1, "b": 2}, "none": {"a": 0}, "quiet": {"c": 0}, "more": {"d": 1}}
SILENT: dict[str, Any] = {}
NOISY = {name: {"x": 3.0, "y": 2.0, "a": 1.0} for name in QRELS}


def test_binary_gains_scaled_gains_and_gains_that_are_refused() -> None:
    run = {"news": {"b": 1.0}}
    assert values(
        "TruncatedRBP TruncatedRBP(binary=True) TruncatedRBP(max_gain=2.0)", {"news": QRELS["news"]}, run
    ) == {"news": pytest.approx([0.5 * 2 + 0.5 * 2 / 3, 0.5 + 0.5 / 2, 0.5 + 0.5 * 2 / 3])}
    half = {"news": {"a": 0.5, "b": 1}}
    assert values("TruncatedRBP(rel=0.5) TruncatedRR(rel=0.5)", half, {"news": {"a": 1.0}})["news"][1] == 1
    for measure in ("TruncatedNDCG(rel=0.5)", "TruncatedAP(rel=0.5)", "TruncatedRBP(rel=0)"):
        with pytest.raises(DataError, match="binary=True"):
            irmx.calc_aggregate(measure, {"news": {"a": 0.5, "b": 0}}, {"news": {"a": 1.0}})


# -- to return nothing is an answer ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in rows))
    (tmp_path / "silent.run").write_text("")
    lines = [f"{topic} Q0 {doc} 1 {score} t\n" for topic, docs in NOISY.items() for doc, score in docs.items()]
    (tmp_path / "noisy.run").write_text("".join(lines))
    return tmp_path


def test_an_empty_run_is_a_run_of_which_nobody_warns(files: Path, command: Callable[..., Any]) -> None:
    done = command("eval", "qrels", "silent.run", "noisy.run", "TruncatedAP", "-o", "jsonl", "-q", "-n", cwd=files)
    assert (done.code, done.err) == (0, "")
    found = [json.loads(line)["value"] for line in done.out.splitlines()]
    assert found[:4] == [0, 1, 1, 0]
    assert irmx.calc_aggregate("TruncatedAP", files / "qrels", files / "silent.run") == {
        irmx.parse_measure("TruncatedAP"): 0.5
    }
    for measures in (["AP"], ["TruncatedAP", "AP"]):  # to AP it is none
        assert command("eval", "qrels", "silent.run", *measures, cwd=files).code == 1


def test_silence_is_compared_as_any_value(files: Path) -> None:
    runs = {"silent": files / "silent.run", "noisy": NOISY, "dict": SILENT}
    scores = irmx.scores(FOUR, files / "qrels", runs)
    assert not scores.missing.any()
    assert scores["TruncatedRR"].tolist() == [[0, 1 / 3, 0], [1, 1 / 4, 1], [1, 1 / 4, 1], [0, 0, 0]]
    comparison = irmx_study.compare(scores.select(systems=["silent", "noisy"]), baseline="noisy")
    assert (comparison.frame()["missing"] == 0).all()
    on_purpose: dict[str, dict[str, float]] = {topic: {} for topic in QRELS}
    assert irmx_study.verdict("TruncatedAP", QRELS, {"noisy": NOISY, "silent": on_purpose}).left_out == 0
    with pytest.raises(DataError, match="empty"):
        irmx_study.verdict("TruncatedAP", QRELS, {"noisy": NOISY, "silent": SILENT})
    with pytest.warns(DataWarning, match="no results for 4 of 4 topics"):
        assert irmx.scores("AP TruncatedAP", QRELS, {"silent": SILENT}).missing[:, 0].tolist() == [[True, False]] * 4


def test_a_run_in_chunks_and_through_ir_measures_has_the_same_values(files: Path) -> None:
    import ir_measures

    some = {name: docs for name, docs in NOISY.items() if name in ("none", "news")}
    lines = [f"{topic} Q0 {doc} 1 {score} t\n" for topic, docs in some.items() for doc, score in docs.items()]
    (files / "some.run").write_text("".join(lines))
    expected = irmx.calc(FOUR, QRELS, some).aggregated
    assert irmx.evaluator(FOUR, QRELS).scores(files / "some.run", memory="1KB").keys() == expected.keys()
    chunked = irmx.scores(FOUR, QRELS, {"": files / "some.run"}, memory="1KB").means().iloc[0]
    assert chunked.tolist() == list(expected.values())
    assert ir_measures.calc_aggregate(irmx.toolkit.parse_measures(FOUR), QRELS, some) == expected


def test_a_file_of_another_collection_is_refused_all_the_same(files: Path) -> None:
    with pytest.raises(DataError, match="No topic of the run is in the qrels"):
        irmx.calc_aggregate("TruncatedAP", QRELS, {"elsewhere": {"a": 1.0}})


def test_explanations_show_the_end_and_nothing(files: Path, command: Callable[..., Any]) -> None:
    found = irmx.explain("TruncatedRBP", QRELS, {"news": {"b": 2.0, "x": 1.0}}, "news")
    assert found.columns["doc_id"] == ["b", "(the end)"]
    assert sum(found.columns["contribution"]) == pytest.approx(found.value)
    assert found.columns["rank"] == [1, 3]
    for name, value in (("none", 1.0), ("more", 0.0)):
        nothing = irmx.explain("TruncatedRBP", QRELS, SILENT, name)
        assert (nothing.value, nothing.columns["contribution"], nothing.recall_base) == (value, [value], 1 - value)
    assert command("explain", "qrels", "silent.run", "TruncatedAP", "-t", "none", cwd=files).code == 0
    assert command("explain", "qrels", "silent.run", "AP", "-t", "none", cwd=files).code == 1
    assert command("plot", "qrels", "noisy.run", "TruncatedAP", "-t", "none", "--out", "a.png", cwd=files).code == 0
    done = command("plot", "qrels", "silent.run", "TruncatedAP", "-t", "none", "--out", "b.png", cwd=files)
    assert (done.code, "no documents for topic 'none'" in done.err, (files / "b.png").exists()) == (1, True, False)
