"""The sections of a report on topics and rankings: what they show, and what they embed for their scripts."""

from collections.abc import Iterator
from dataclasses import replace
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
from irmx.score.backends import scorer_of
from irmx_study.html_report.one_page import one_page
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section
from irmx_study.html_report.shown_systems import shown_systems
from irmx_study.html_report.side_by_side import rankings
from irmx_study.html_report.topic_bars import MOST_BARS, topics

MEASURES = "AP nDCG@10 MP(model=GL_AD_ID) infAP"


def reported(measures: str, qrels: Any, runs: dict[str, Any], **more: Any) -> Reported:
    judgments = irmx.read_qrels(qrels)
    runs = {name: irmx.read_run(run) for name, run in runs.items()}
    return Reported(irmx_study.compare(irmx.scores(measures, judgments, runs)), judgments, runs, **more)


@pytest.fixture(scope="module")
def demo() -> Reported:
    return reported(MEASURES, qrels_path(), {system: run_path(system) for system in SYSTEMS})


@pytest.fixture(scope="module")
def section(demo: Reported) -> Section:
    section = rankings(demo)
    assert section is not None
    return section


def page(section: Section) -> BeautifulSoup:
    return BeautifulSoup(one_page("title", [section]), "html.parser")


def cells(row: Any) -> list[str]:
    return [cell.get_text(strip=True) for cell in row.find_all(["th", "td"])]


# -- topics ------------------------------------------------------------------------------------------------


def test_topics_are_sorted_by_difference_and_counted_as_by_the_comparison(demo):
    section = topics(demo)
    a, b = demo.pair
    values = demo.comparison.scores["AP"][:, [SYSTEMS.index(a), SYSTEMS.index(b)]]
    rows = [cells(row) for row in page(section).select("#topics-table tbody tr")]
    expected = sorted(zip(demo.comparison.scores.topics, *values.T, strict=True), key=lambda row: row[2] - row[1])
    assert rows == [[t, f"{x:.4f}", f"{y:.4f}", f"{x - y:+.4f}"] for t, x, y in expected]
    frame = irmx_study.compare(demo.comparison.scores, all_pairs=True).frame()
    [row] = frame[(frame.measure == "AP") & frame.a.isin([a, b]) & frame.b.isin([a, b])].to_dict("records")
    counts = [row["wins"], row["ties"], row["losses"]][:: 1 if row["a"] == a else -1]
    assert [section.content[name] for name in ("wins", "ties", "losses")] == counts


def test_values_for_the_script_are_those_of_the_scores(demo):
    data = topics(demo).data
    scores = demo.comparison.scores.select(systems=data["systems"])
    values = np.array(data["values"], dtype=float)
    assert values.shape == (len(scores.measures), len(scores.systems), len(scores.topics))
    assert values.transpose(2, 1, 0) == pytest.approx(scores.values, rel=1e-5)


def test_a_topic_without_a_value_is_left_out():
    qrels = {"p": {"a": 1}, "q": {"a": 0}, "r": {"a": 1}, "s": {"b": 1}}
    run = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    other = {q: {"b": 2.0, "a": 1.0} for q in qrels}
    section = topics(reported("NCP(law=first,no_relevant='nan')", qrels, {"one": run, "two": other}))
    assert [row["topic"] for row in section.content["rows"]] in (["p", "r", "s"], ["s", "p", "r"])
    assert section.content["without"] == 1
    assert section.data["values"][0][0][1] is None
    assert "1 without a value of every system" in page(section).text


def test_ties_have_no_height_and_a_threshold_is_used(demo):
    same = dict.fromkeys(("one", "two"), demo.runs["bm25"])
    section = topics(reported("AP", demo.judgments, same))
    assert (section.content["wins"], section.content["ties"], section.content["losses"]) == (0, 30, 0)
    assert {row["height"] for row in section.content["rows"]} == {0}
    lenient = irmx_study.compare(demo.comparison.scores, tie_threshold=0.25)
    assert topics(replace(demo, comparison=lenient)).content["ties"] > topics(demo).content["ties"]


def test_of_many_topics_those_in_between_are_not_drawn():
    names = [f"{i:04}" for i in range(MOST_BARS + 50)]
    values = np.random.default_rng(0).uniform(size=(len(names), 2, 1))
    scores = irmx.Scores(
        values, tuple(names), ("a", "b"), tuple(irmx.toolkit.parse_measures("AP")), np.ones((len(names), 2), dtype=bool)
    )
    section = topics(Reported(irmx_study.compare(scores)))
    drawn = [row["difference"] for row in section.content["rows"]]
    differences = np.sort(values[:, 0, 0] - values[:, 1, 0])
    if section.content["a"] == "b":
        differences = np.sort(-differences)
    assert (len(drawn), section.content["hidden"]) == (MOST_BARS, 50)
    assert drawn == [*differences[: -MOST_BARS // 2 - 1 : -1], *differences[: MOST_BARS // 2][::-1]]


def test_the_pair_comes_first_then_the_best(demo):
    a, b = demo.pair
    assert shown_systems(demo, 2) == (a, b)
    assert set(shown_systems(demo, 8)) == set(SYSTEMS)


# -- rankings ----------------------------------------------------------------------------------------------


def parts(section: Section) -> Iterator[tuple[str, str, str, dict[str, Any], float]]:
    """Yield what makes up every score: topic, system, measure, parts and value."""
    data = section.data
    for topic in data["topics"]:
        for m, measure in enumerate(data["measures"]):
            for s, system in enumerate(data["systems"]):
                of = topic["parts"][m][s]
                if of is not None:
                    yield topic["topic"], system, measure, of, topic["values"][m][s]


def added(of: dict[str, Any]) -> float:
    shown = [row[-1] for row in of["rows"]] if "columns" in of else of["of"]
    return sum(shown) + of["rest"][1]


def test_what_documents_add_is_the_score(section):
    checked = set()
    for _, _, measure, of, value in parts(section):
        assert added(of) == pytest.approx(value, abs=2e-5)
        checked.add(measure)
    assert checked == {"AP", "nDCG@10", "MP(model=GL_AD_ID)"}  # infAP does not say


def test_what_documents_add_is_the_score_of_every_measure():
    by_label: dict[Any, list[str]] = {}
    for measure in demo_measures():
        by_label.setdefault(next(iter(label_columns(measure)), None), []).append(str(measure))
    assert len(by_label) > 1  # rankings, and pages with blocks
    for label, measures in by_label.items():
        runs = {
            s: run_table(s) if label is None else block_table(s, label.name, label.sample.alone or ())
            for s in SYSTEMS[:2]
        }
        section = rankings(reported(" ".join(measures), judgments_path(), runs))
        assert section is not None
        assert page(section).select(".sides table")
        checked = set()
        for _, _, measure, of, value in parts(section):
            assert added(of) == pytest.approx(value, abs=2e-5)
            checked.add(measure)
        assert {m for m in measures if explains_itself(irmx.parse_measure(m))} == checked


def explains_itself(measure: Any) -> bool:
    scorer = scorer_of(measure)
    return scorer is not None and type(scorer).contributions is not irmx.Measure.contributions


def test_parts_are_those_of_explain(demo, section):
    for topic, system, measure, of, _ in parts(section):
        if topic not in ("3", "24"):
            continue
        explained = irmx.explain(measure, demo.judgments, demo.runs[system], topic)
        added = dict(zip(explained.columns["doc_id"], explained.columns["contribution"], strict=True))
        first = irmx.rankings(demo.judgments, demo.runs[system]).ranked.of_topic(int(topic) - 1).doc_ids[:10]
        assert of["of"] == pytest.approx([added.pop(doc, 0) for doc in first], rel=1e-5)
        assert of["rest"] == pytest.approx([sum(map(bool, added.values())), sum(added.values())], rel=1e-5)


def test_ranks_and_grades_are_those_of_the_join(demo, section):
    grades = demo.judgments.as_dict()
    for topic in section.data["topics"]:
        for system, ranks in zip(section.data["systems"], topic["ranks"], strict=True):
            of_topic = irmx.rankings(demo.judgments, demo.runs[system]).ranked.of_topic(int(topic["topic"]) - 1)
            place = {doc: rank for rank, doc in enumerate(of_topic.doc_ids, 1)}
            assert ranks == [place.get(doc, 0) for doc, _ in topic["docs"]]
            assert set(of_topic.doc_ids[:10]) <= {doc for doc, _ in topic["docs"]}
        assert [grade for _, grade in topic["docs"]] == [grades[topic["topic"]].get(doc) for doc, _ in topic["docs"]]


def test_the_document_shows_the_largest_gain_and_the_largest_loss(demo, section):
    shown = list(topics(demo).content["rows"])
    assert [of["topic"] for of in section.content["shown"]] == [shown[0]["topic"], shown[-1]["topic"]]
    for table in page(section).select(".sides table"):
        [total] = [cells(row)[1] for row in table.select("tfoot tr")][1:]
        adds = [float(cells(row)[3]) for row in table.select("tbody tr")]
        below = float(cells(table.select("tfoot tr")[0])[1])
        assert table.caption is not None
        assert table.caption.text.endswith(f"AP {total}")
        assert sum(adds) + below == pytest.approx(float(total), abs=1e-3)  # as printed


def test_kinds_of_judgments_and_what_one_system_lacks():
    qrels = {"q": {"a": 2, "b": 0, "d": -1, "m": 1}, "r": {"a": 1}}
    runs = {"one": {"q": {"a": 3.0, "b": 2.0, "d": 1.0, "x": 0.5}, "r": {"x": 1.0}}, "two": {"r": {"x": 1.0}}}
    with pytest.warns(irmx.DataWarning, match="no results for 1 of 2 topics"):
        study = reported("AP", qrels, runs)
    section = rankings(study)
    assert section is not None
    shown = page(section).select(".sides")[0 if study.pair[0] == "one" else -1]
    words = [td.get_text(" ", strip=True) for td in shown.select("td.judged")]
    assert sorted(words) == ["? unjudged", "? unjudged", "○ not relevant (0)", "● relevant (2)"]
    assert "Nothing is retrieved for this topic." in shown.text
    of_topic, without = section.data["topics"][0], section.data["systems"].index("two")
    assert of_topic["ranks"][without] is None
    assert of_topic["parts"][0][without] is None


def test_which_documents_are_relevant_is_up_to_the_measure(demo):
    section = rankings(reported("AP AP(rel=2) NCP(law=first,rel=2)", demo.judgments, dict(demo.runs)))
    assert section is not None
    assert section.data["relevant"] == [1, 2, 2]


def test_a_ranking_with_tied_scores_is_in_the_order_of_trec_eval():
    runs = {"one": {"q": dict.fromkeys("abc", 1.0), "r": {"a": 1.0}}, "two": {"q": {"a": 1.0}, "r": {"b": 1.0}}}
    section = rankings(reported("RR", {"q": {"c": 1}, "r": {"a": 1}}, runs))
    assert section is not None
    [topic, _] = section.data["topics"]
    at = section.data["systems"].index("one")
    assert dict(zip([doc for doc, _ in topic["docs"]], topic["ranks"][at], strict=True)) == {"c": 1, "b": 2, "a": 3}


def test_a_stream_shows_the_table_of_its_measure():
    nuggets = pd.DataFrame({"query_id": list("qqr"), "doc_id": list("uvu"), "iteration": ["n1", "n2", "n1"],
                            "relevance": 1, "timestamp": 0.0, "query_start": 0.0, "query_end": 86400.0})  # fmt: skip
    rows = [("q", "u", 100.0), ("q", "v", 200.0), ("q", "u", 4000.0), ("r", "u", 100.0)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "timestamp"]).assign(score=1.0, length=10)
    judgments, runs = irmx.read_qrels(nuggets), {"all": irmx.read_run(run), "last": irmx.read_run(run[2:])}
    scores = irmx.scores("MSU", judgments, runs)
    section = rankings(Reported(irmx_study.compare(scores), judgments, runs))
    assert section is not None
    topic, at = section.data["topics"][0], section.data["systems"].index("all")
    assert topic["ranks"][at] is None  # an update repeats
    assert {"doc_id", "contribution"} < set(topic["parts"][0][at]["columns"])
    value = irmx.explain("MSU", judgments, runs["all"], "q").value
    assert added(topic["parts"][0][at]) == pytest.approx(value, rel=1e-5)
    assert "What MSU of all is made of" in page(section).text


def test_texts_are_short_and_those_that_are_missing_left_out(demo):
    texts = {"d073": "word " * 500, "d099": "a\x1b[2J<script>"}
    section = rankings(replace(demo, texts=texts))
    assert section is not None
    [topic] = [t for t in section.data["topics"] if t["topic"] == "24"]
    known = {doc: text for (doc, _), text in zip(topic["docs"], topic["texts"], strict=True) if text}
    assert known.keys() == texts.keys()
    assert len(known["d073"]) < 310
    assert known["d099"] == "a\\x1b[2J<script>"


def test_without_judgments_or_runs_there_are_no_rankings(demo):
    assert rankings(Reported(demo.comparison)) is None
    assert rankings(replace(demo, runs={})) is None
    only = {name: demo.runs[name] for name in demo.pair}
    section = rankings(replace(demo, runs=only))
    assert section is not None
    assert section.data["systems"] == list(demo.pair)


def test_only_some_systems_are_embedded(demo):
    section = rankings(demo, systems=2, top=3)
    assert section is not None
    assert section.data["systems"] == list(demo.pair)
    assert "the rankings of 2 of 3 systems on 30 of 30 topics" in page(section).text
    assert max(len(topic["docs"]) for topic in section.data["topics"]) <= 6


def test_of_many_topics_the_most_different_are_embedded(demo, monkeypatch):
    monkeypatch.setattr("irmx_study.html_report.side_by_side.MOST_DOCUMENTS", 80)
    section = rankings(demo)
    assert section is not None
    rows = [row["topic"] for row in topics(demo).content["rows"]]
    names = [topic["topic"] for topic in section.data["topics"]]
    assert set(names) == {*rows[:2], *rows[-2:]}
    assert [demo.comparison.scores.topics[topic["place"]] for topic in section.data["topics"]] == names
    assert "the rankings of 2 of 3 systems on 4 of 30 topics" in page(section).text


# -- hostile text ------------------------------------------------------------------------------------------


def test_names_are_text():
    hostile = "</script><script>window.hacked = 1</script>\x1b[2J\u202e\"'=cmd"
    qrels = {hostile: {hostile: 1}, "q": {"a": 1}}
    runs = {hostile: {hostile: {hostile: 2.0}, "q": {"a": 1.0}}, "two": {hostile: {"x": 1.0}, "q": {"x": 1.0}}}
    study = reported("AP", qrels, runs, queries={hostile: hostile}, texts={hostile: hostile})
    sections = [section for section in (topics(study), rankings(study)) if section is not None]
    html = one_page("title", sections)
    soup = BeautifulSoup(html, "html.parser")
    assert len(sections) == 2
    assert len(soup.find_all("script")) == 3
    assert not set(html) & {"\x1b", "\u202e"}
    assert "\\x1b[2J\\u202e" in soup.select_one("#rankings-shown").text


# -- sizes -------------------------------------------------------------------------------------------------


@pytest.mark.real
def test_trec8_is_small(trec8):
    judgments = irmx.read_qrels(trec8.qrels_path)
    runs = dict(sorted(trec8.run_paths.items())[:12])
    scores = irmx.scores(f"{MEASURES} RBP(rel=1)", judgments, runs)
    study = Reported(irmx_study.compare(scores), judgments, runs)
    section = rankings(study)
    assert section is not None
    assert len(section.data["systems"]) == 8
    assert len(one_page("TREC-8", [topics(study), section])) < 2_000_000
