"""What the script of a report reads: values of every topic, and the first documents of rankings with what they add."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

import irmx
import irmx_study
from irmx.demo import (
    SYSTEMS,
    block_table,
    demo_measures,
    judgments_path,
    label_columns,
    qrels_path,
    run_path,
    run_table,
)

MEASURES = "AP nDCG@10 MP(model=GL_AD_ID) NumQ"
RUNS = {system: run_path(system) for system in SYSTEMS}


def data_of(part: str, *source: Any, **how: Any) -> Any:
    """What a part of the page has for its script; None without the part."""
    page = BeautifulSoup(irmx_study.report(*source, **how).to_html(), "html.parser")
    found = page.find(id=f"data-{part}")
    return None if found is None else json.loads(found.get_text())


@pytest.fixture(scope="module")
def rankings() -> Any:
    return data_of("rankings", MEASURES, qrels_path(), RUNS)


def parts(data: Any) -> Iterator[tuple[str, str, str, Any, float]]:
    """What makes up every score: topic, system, measure, parts and value."""
    for topic in data["topics"]:
        for m, measure in enumerate(data["measures"]):
            for s, system in enumerate(data["systems"]):
                of = topic["parts"][m][s]
                if of is not None:
                    yield topic["topic"], system, measure, of, topic["values"][m][s]


def added(of: Any) -> float:
    shown = [row[-1] for row in of["rows"]] if "columns" in of else of["of"]
    return sum(shown) + of["rest"][1]


# -- topics ------------------------------------------------------------------------------------------------


def test_values_are_those_of_the_scores_the_pair_first_then_the_best() -> None:
    scores = irmx.scores(MEASURES, qrels_path(), RUNS)
    data = data_of("topics", scores, baseline="titles")
    assert data["systems"] == ["bm25", "titles", "recent"]
    values = np.array(data["values"], dtype=float)
    assert values.transpose(2, 1, 0) == pytest.approx(scores.select(systems=data["systems"]).values, rel=1e-5)
    assert data_of("topics", scores)["systems"][0] == "bm25"


def test_a_value_that_is_missing_is_null_and_the_tie_threshold_is_that_of_the_comparison() -> None:
    qrels = {"p": {"a": 1}, "q": {"a": 0}, "r": {"a": 1}, "s": {"b": 1}}
    runs = {"one": {q: {"a": 2.0, "b": 1.0} for q in qrels}, "two": {q: {"b": 2.0, "a": 1.0} for q in qrels}}
    data = data_of("topics", "NCP(law=first,no_relevant='nan')", qrels, runs, tie_threshold=0.25)
    missing = [[value is None for value in of_system] for of_system in data["values"][0]]
    assert missing == [[topic == "q" for topic in data["topics"]]] * 2
    assert data["tie"] == pytest.approx(0.25)


# -- rankings ----------------------------------------------------------------------------------------------


def test_what_documents_add_is_the_score(rankings: Any) -> None:
    checked = set()
    for _, _, measure, of, value in parts(rankings):
        assert added(of) == pytest.approx(value, abs=2e-5)
        checked.add(measure)
    assert checked == {"AP", "nDCG@10", "MP(model=GL_AD_ID)"}  # NumQ does not say


@pytest.mark.slow
@pytest.mark.parametrize("label", [None, "vertical"])
def test_what_documents_add_is_the_score_of_every_measure(label: str | None) -> None:
    by_label: dict[str | None, list[Any]] = {}
    for measure in demo_measures():
        column = next(iter(label_columns(measure)), None)
        by_label.setdefault(column and column.name, []).append((column, measure))
    measures = [measure for _, measure in by_label[label]]
    column = by_label[label][0][0]
    runs = {
        s: run_table(s) if column is None else block_table(s, column.name, column.sample.alone or ())
        for s in SYSTEMS[:2]
    }
    checked = set()
    table = pd.read_csv(judgments_path(), dtype={"query_id": str})
    third = table[table["query_id"].isin(table["query_id"].unique()[::3])]
    for topic, system, measure, of, value in parts(data_of("rankings", measures, third, runs)):
        assert added(of) == pytest.approx(value, rel=5e-6, abs=2e-5), (topic, system, measure)
        checked.add(measure)
    assert len(checked) >= 4


def test_ranks_grades_and_parts_are_those_of_the_join_and_of_explain(rankings: Any) -> None:
    judgments = irmx.read_qrels(qrels_path())
    grades = judgments.as_dict()
    joined = {system: irmx.rankings(judgments, RUNS[system]) for system in rankings["systems"]}
    for topic in rankings["topics"]:
        for system, ranks in zip(rankings["systems"], topic["ranks"], strict=True):
            first = joined[system].ranked.of_topic(int(topic["topic"]) - 1).doc_ids
            place = {doc: rank for rank, doc in enumerate(first, 1)}
            assert ranks == [place.get(doc, 0) for doc, _ in topic["docs"]]
            assert set(first[:10]) <= {doc for doc, _ in topic["docs"]}
        assert [grade for _, grade in topic["docs"]] == [grades[topic["topic"]].get(doc) for doc, _ in topic["docs"]]
    for topic, system, measure, of, _ in parts(rankings):
        if topic not in ("3", "24"):
            continue
        columns = irmx.explain(measure, judgments, RUNS[system], topic).columns
        of_docs = dict(zip(columns["doc_id"], columns["contribution"], strict=True))
        first = joined[system].ranked.of_topic(int(topic) - 1).doc_ids[:10]
        assert of["of"] == pytest.approx([of_docs.pop(doc, 0) for doc in first], rel=1e-5)
        assert of["rest"] == pytest.approx([sum(map(bool, of_docs.values())), sum(of_docs.values())], rel=1e-5)


def test_what_one_system_lacks_and_what_is_not_judged_is_null() -> None:
    qrels = {"q": {"a": 2, "b": 0, "d": -1, "m": 1}, "r": {"a": 1}}
    runs = {"one": {"q": {"a": 3.0, "b": 2.0, "d": 1.0, "x": 0.5}, "r": {"x": 1.0}}, "two": {"r": {"x": 1.0}}}
    with pytest.warns(irmx.DataWarning, match="no results for 1 of 2 topics"):
        data = data_of("rankings", "AP", qrels, runs)
    topic, without = data["topics"][0], data["systems"].index("two")
    assert dict(map(tuple, topic["docs"])) == {"a": 2, "b": 0, "d": None, "x": None}
    assert topic["ranks"][without] is None
    assert topic["parts"][0][without] is None


def test_which_documents_are_relevant_is_up_to_the_measure() -> None:
    assert data_of("rankings", "AP AP(rel=2) NCP(law=first,rel=2)", qrels_path(), RUNS)["relevant"] == [1, 2, 2]


def test_a_ranking_with_tied_scores_is_in_the_order_of_trec_eval() -> None:
    runs = {"one": {"q": dict.fromkeys("abc", 1.0), "r": {"a": 1.0}}, "two": {"q": {"a": 1.0}, "r": {"b": 1.0}}}
    data = data_of("rankings", "RR", {"q": {"c": 1}, "r": {"a": 1}}, runs)
    ranks = data["topics"][0]["ranks"][data["systems"].index("one")]
    assert dict(zip([doc for doc, _ in data["topics"][0]["docs"]], ranks, strict=True)) == {"c": 1, "b": 2, "a": 3}


def test_a_stream_has_the_table_of_its_measure() -> None:
    nuggets = pd.DataFrame({"query_id": list("qqr"), "doc_id": list("uvu"), "iteration": ["n1", "n2", "n1"],
                            "relevance": 1, "timestamp": 0.0, "query_start": 0.0, "query_end": 86400.0})  # fmt: skip
    rows = [("q", "u", 100.0), ("q", "v", 200.0), ("q", "u", 4000.0), ("r", "u", 100.0)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "timestamp"]).assign(score=1.0, length=10)
    judgments, runs = irmx.read_qrels(nuggets), {"all": irmx.read_run(run), "last": irmx.read_run(run[2:])}
    data = data_of("rankings", "MSU", judgments, runs)
    topic, at = data["topics"][0], data["systems"].index("all")
    assert topic["ranks"][at] is None  # an update repeats
    assert {"doc_id", "contribution"} < set(topic["parts"][0][at]["columns"])
    value = irmx.explain("MSU", judgments, runs["all"], "q").value
    assert added(topic["parts"][0][at]) == pytest.approx(value, rel=1e-5)


def test_texts_are_short_their_control_characters_shown_and_those_that_are_missing_left_out() -> None:
    texts, queries = {"d073": "word " * 500, "d099": "a\x1b[2J<script>"}, {"24": "ferry\x1b strike"}
    data = data_of("rankings", "AP", qrels_path(), RUNS, texts=texts, queries=queries)
    [topic] = [t for t in data["topics"] if t["topic"] == "24"]
    known = {doc: text for (doc, _), text in zip(topic["docs"], topic["texts"], strict=True) if text}
    assert known.keys() == texts.keys()
    assert len(known["d073"]) < 310
    assert (known["d099"], topic["query"]) == ("a\\x1b[2J<script>", "ferry\\x1b strike")


def test_texts_of_documents_and_topics_are_read_from_tables(command: Any, tmp_path: Any) -> None:
    rows = [{"doc_id": "d073", "title": "A title", "text": "and text"}, {"doc_id": "d099", "title": "", "text": "text"}]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "q.tsv").write_text("query_id\tquery\n24\tferry strike\n", encoding="utf-8")
    (tmp_path / "bad.csv").write_text("query_id,other\n24,x\n", encoding="utf-8")
    arguments = ("report", qrels_path(), run_path("bm25"), run_path("titles"), "AP", "--queries")
    assert command(*arguments, "q.tsv", "--texts", "d.jsonl").code == 0
    page = BeautifulSoup((tmp_path / "report.html").read_text(encoding="utf-8"), "html.parser")
    [topic] = [t for t in json.loads(page.find(id="data-rankings").get_text())["topics"] if t["topic"] == "24"]  # type: ignore[union-attr]
    known = {doc: text for (doc, _), text in zip(topic["docs"], topic["texts"], strict=True) if text}
    assert (known, topic["query"]) == ({"d073": "A title and text", "d099": "text"}, "ferry strike")
    command(*arguments, "bad.csv").assert_refused(1, "bad.csv")


def test_of_many_topics_and_systems_the_most_different_are_embedded_within_a_limit() -> None:
    rng = np.random.default_rng(0)
    topics = [f"q{i:04}" for i in range(800)]
    qrels = {topic: {"d0": 1, "d1": 1} for topic in topics}
    runs = {
        name: {topic: {f"d{i}": float(score) for i, score in enumerate(rng.random(20))} for topic in topics}
        for name in ("one", "two", "three", "four", "five")
    }
    data = data_of("rankings", "AP", qrels, runs)
    assert len(data["systems"]) * len(data["topics"]) * 10 <= 30_000
    differences = irmx.scores("AP", qrels, runs).select(systems=data["systems"][:2]).values[:, :, 0] @ [1, -1]
    shown = {topic["place"] for topic in data["topics"]}
    assert np.abs(differences).argmax() in shown
    assert [topics[topic["place"]] for topic in data["topics"]] == [topic["topic"] for topic in data["topics"]]


@pytest.mark.real
def test_a_report_on_twelve_runs_of_trec8_is_small(trec8: Any) -> None:
    runs = dict(sorted(trec8.run_paths.items())[:12])
    text = irmx_study.report(f"{MEASURES} RBP(rel=1)", trec8.qrels_path, runs).to_html()
    data = json.loads(BeautifulSoup(text, "html.parser").find(id="data-rankings").get_text())  # type: ignore[union-attr]
    assert len(data["systems"]) == 8
    assert len(text) < 2_000_000
