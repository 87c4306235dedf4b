"""Why a number differs: values under conventions against plain routes and other tools, and the search that finds conventions."""

from __future__ import annotations

import csv
import functools
import gzip
import itertools
import lzma
import math
import os
import tarfile
from collections import defaultdict
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

import irmx
from irmx import DataError, UsageError
from irmx.demo import qrels_path, run_path
from irmx_trec.conventions import CONVENTIONS, TOOLS

QRELS = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2, "e": -1}, "t2": {"f": 1}, "t3": {"g": 0}}
ROWS = [
    ("t1", "x", 9), ("t1", "b", 8), ("t1", "a", 8), ("t1", "e", 7), ("t1", "a", 6), ("t1", "t1", 5), ("t1", "c", 4),
    ("t3", "g", 2), ("t3", "y", 2), ("t4", "z", 1),
]  # fmt: skip
"""Topic t2 is missing, t4 unknown; b and a tie, a comes twice, x, t1, y and z are unjudged, and one document is the query."""

NO_NUMBER = "0.123456789"
"""Comes out under no conventions, so that nothing is explained, where a test asks for values only."""

LOG = {i: math.log2(i) for i in range(2, 12)}


def run_of(rows: Any = ROWS) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def value(measure: str, **changes: str) -> float:
    """The mean under some changes, as an explanation of it says it."""
    return float(topics_of(measure).mean({name.replace("_", "-"): option for name, option in changes.items()}))


@functools.cache
def topics_of(measure: str) -> Any:
    return irmx.reconcile(QRELS, run_of(), measure, NO_NUMBER).topics


BEST = 3 + 2 / LOG[3] + 1 / 2
"""The ideal DCG of t1 with linear gains, cut or not."""

WORKED = [
    # t1 is x, b, a, e, t1, c: trec_eval's order of a tie is by id, largest first, and a keeps its last score
    ("nDCG@10", {}, (1 / LOG[3] + 3 / LOG[5]) / BEST / 3),
    ("nDCG@10", {"duplicates": "first"}, (1 / LOG[3] + 3 / 2) / BEST / 3),
    ("nDCG@10", {"duplicates": "twice"}, (1 / LOG[3] + 3 / 2 + 3 / LOG[6]) / BEST / 3),
    ("nDCG@10", {"duplicates": "once"}, (1 / LOG[3] + 3 / 2) / BEST / 3),
    ("nDCG@10", {"duplicates": "first", "ties": "docid-ascending"}, (3 / LOG[3] + 1 / 2) / BEST / 3),
    ("nDCG@10", {"duplicates": "first", "ties": "file"}, (1 / LOG[3] + 3 / 2) / BEST / 3),
    ("nDCG@10", {"duplicates": "first", "ties": "best"}, (3 / LOG[3] + 1 / 2) / BEST / 3),
    ("nDCG@10", {"duplicates": "first", "ties": "worst"}, (1 / LOG[3] + 3 / 2) / BEST / 3),
    ("nDCG@10", {"duplicates": "first", "ties": "averaged"}, (2 / LOG[3] + 2 / 2) / BEST / 3),
    ("nDCG@10", {"gain": "exp2"}, (1 / LOG[3] + 7 / LOG[5]) / (7 + 3 / LOG[3] + 1 / 2) / 3),
    ("nDCG@10", {"gain": "binary"}, (1 / LOG[3] + 1 / LOG[5]) / (1 + 1 / LOG[3] + 1 / 2) / 3),
    ("nDCG@10", {"gain": "judged", "topics": "both"}, ((1 / LOG[3] + 1 / 2 + 1 / LOG[5] + 1 / LOG[7]) / sum(1 / LOG[i] for i in range(2, 7)) + 1 / LOG[3]) / 2),
    ("nDCG@10", {"discount": "1/i"}, (1 / 2 + 3 / 4) / (3 + 2 / 2 + 1 / 3) / 3),
    ("nDCG@10", {"discount": "from-b"}, (1 / 1 + 3 / 2) / (3 + 2 / 1 + 1 / LOG[3]) / 3),
    ("nDCG@2", {"ideal": "uncut"}, 1 / LOG[3] / BEST / 3),
    ("nDCG@2", {"ideal": "top-k"}, 1 / LOG[3] / 1 / 3),
    ("nDCG@2", {"ideal": "ones"}, 1 / LOG[3] / (1 + 1 / LOG[3]) / 3),
    ("nDCG@10", {"judged": "retrieved"}, (1 / LOG[3] + 3 / LOG[5]) / (3 + 1 / LOG[3]) / 3),
    ("nDCG@10", {"negatives": "kept"}, (1 / LOG[3] - 1 / 2 + 3 / LOG[5]) / (BEST - 1 / LOG[6]) / 3),
    ("nDCG@10", {"threshold": "2"}, (3 / LOG[5]) / (3 + 2 / LOG[3]) / 3),
    ("nDCG@10", {"self": "dropped", "unjudged": "removed"}, (1 + 3 / LOG[4]) / BEST / 3),
    ("nDCG@10", {"cutoff": "3"}, 1 / LOG[3] / BEST / 3),
    ("nDCG@10", {"topics": "both"}, (1 / LOG[3] + 3 / LOG[5]) / BEST / 2),
    ("nDCG@10", {"topics": "run"}, (1 / LOG[3] + 3 / LOG[5]) / BEST / 3),
    ("nDCG@10", {"topics": "relevant"}, (1 / LOG[3] + 3 / LOG[5]) / BEST / 2),
    ("nDCG@10", {"topics": "hit"}, (1 / LOG[3] + 3 / LOG[5]) / BEST),
    ("nDCG@10", {"no-relevant": "1"}, ((1 / LOG[3] + 3 / LOG[5]) / BEST + 1) / 3),
    ("nDCG@10", {"no-relevant": "skipped"}, (1 / LOG[3] + 3 / LOG[5]) / BEST / 2),
    ("nDCG@10", {"rounding": "2"}, round((1 / LOG[3] + 3 / LOG[5]) / BEST, 2) / 3),
    ("nDCG@10", {"mean": "micro"}, (1 / LOG[3] + 3 / LOG[5]) / (BEST + 1)),
    ("AP", {}, (1 / 2 + 2 / 4) / 3 / 3),
    ("AP@2", {}, (1 / 2) / 3 / 3),
    ("AP@2", {"divisor": "min(R,k)"}, (1 / 2) / 2 / 3),
    ("AP@2", {"divisor": "found"}, (1 / 2) / 1 / 3),
    ("AP@5", {"divisor": "k"}, (1 / 2 + 2 / 4) / 5 / 3),
    ("AP", {"judged": "retrieved"}, (1 / 2 + 2 / 4) / 2 / 3),
    ("AP", {"threshold": "2"}, (1 / 4) / 2 / 3),
    ("AP", {"threshold": "judged"}, ((1 / 2 + 2 / 3 + 3 / 4 + 4 / 6) / 5 + 1 / 2) / 3),
    ("P@10", {}, 0.2 / 3),
    ("P@10", {"divisor": "retrieved"}, 2 / 6 / 3),
    ("P@10", {"divisor": "min(R,k)"}, 2 / 3 / 3),
    ("P@10", {"divisor": "min(R,k)", "mean": "micro"}, 2 / (3 + 1)),
    ("P(rel=3)@10", {}, 0.1 / 3),
    ("R@10", {}, 2 / 3 / 3),
    ("R@2", {"divisor": "min(R,k)"}, 1 / 2 / 3),
    ("R@2", {"divisor": "any"}, 1 / 3),
    ("R@10", {"mean": "micro"}, 2 / (3 + 1)),
    ("RR", {}, 1 / 2 / 3),
    ("RR", {"unjudged": "removed"}, 1 / 3),
    ("RR", {"threshold": "3"}, 1 / 4 / 3),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "changes", "expected"), WORKED)
def test_worked_by_hand(measure: str, changes: dict[str, str], expected: float) -> None:
    assert value(measure, **changes) == pytest.approx(expected, abs=1e-12)


def test_scores_that_tie_in_single_precision_only() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 100000.0000002, "b": 100000.0000001, "c": 100000.0000001}}
    found = irmx.reconcile(qrels, run, "RR", "1.0000")
    assert found.value == 1 / 3
    assert found.topics.mean({"ties": "docid-descending-64"}) == 1
    assert any("trec_eval 10" in one.tools for one in found.explanations)


def test_every_option_of_every_convention_is_worked_or_of_irmx() -> None:
    worked = {(name, option) for _, changes, _ in WORKED for name, option in changes.items()}
    options = {(name, option) for name, one in CONVENTIONS.items() for option in list(one.options)[1:]}
    unworked = {
        ("ideal", "min(k,retrieved)"),
        ("ties", "docid-descending-64"),
        ("grades", "cut"),
        ("grades", "refused"),
        *(("rounding", f"{i}{half}") for i in (2, 3, 4, 5) for half in ("", "-half-up") if (i, half) != (2, "")),
    }
    assert options - worked == unworked, "these are in other tests"
    for tool in TOOLS:
        for name, option in tool.changes.items():
            known = (
                {*CONVENTIONS[name].options, "judged", *map(str, range(1, 101))}
                if name in ("threshold", "cutoff")
                else CONVENTIONS[name].options
            )
            assert option in known, tool
            assert set(tool.measures) <= set(CONVENTIONS[name].measures), tool


grades = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(-1, 4), min_size=1)
scores = st.dictionaries(st.sampled_from("abcdefghijxyz"), st.integers(0, 4), min_size=1)
data = st.tuples(
    st.dictionaries(st.sampled_from(["1", "2", "3"]), grades, min_size=1),
    st.dictionaries(st.sampled_from(["1", "2", "3", "4"]), scores, min_size=1),
).filter(lambda both: set(both[0]) & set(both[1]))


@given(data, st.sampled_from(["nDCG@3", "nDCG(dcg='exp-log2')", "AP(rel=2)@3", "P@3", "R(rel=2)@2", "RR"]))
def test_without_changes_it_is_what_irmx_computes(both: Any, measure: str) -> None:
    expected = irmx.calc_aggregate(measure, *both)[irmx.parse_measure(measure)]
    assert irmx.reconcile(*both, measure, NO_NUMBER).value == pytest.approx(expected, abs=1e-12)


@given(grades, scores)
def test_nothing_but_the_retrieved_and_averaged_ties_are_those_of_scikit_learn(
    judged: dict[str, int], run: dict[str, int]
) -> None:
    gains = [max(0, judged.get(doc, 0)) for doc in run]
    if len(run) < 2:
        return
    topics = irmx.reconcile({"1": judged}, {"1": run}, "nDCG@3", NO_NUMBER).topics
    found = topics.mean({"judged": "retrieved", "ties": "averaged"})
    assert found == pytest.approx(ndcg_score([gains], [list(run.values())], k=3), abs=1e-12)


@settings(max_examples=15)
@given(data, st.data())
def test_a_number_made_by_one_change_is_explained_by_it(both: Any, choice: st.DataObject) -> None:
    topics = irmx.reconcile(*both, "nDCG@3", NO_NUMBER).topics
    name, options = choice.draw(st.sampled_from(sorted(topics.options().items())))
    option = choice.draw(st.sampled_from(options))
    mean = topics.mean({name: option})
    assume(not math.isnan(mean))
    found = irmx.reconcile(*both, "nDCG@3", f"{mean:.9f}")
    assert all(one.value == pytest.approx(mean, abs=1e-9) for one in found.explanations)
    fits = [dict(one.changes) for one in found.explanations]
    assert any(
        set(fit.items()) <= {(name, option)} or topics.mean(fit) == pytest.approx(mean, abs=1e-9) for fit in fits
    )
    assert min(len(fit) for fit in fits) <= 1


# -- what is printed ---------------------------------------------------------------------------------------


@pytest.fixture
def demo() -> tuple[str, str]:
    return str(qrels_path()), str(run_path("bm25"))


@pytest.mark.parametrize(
    ("measure", "changes", "named"),
    [
        ("nDCG@10", {"gain": "exp2"}, "nDCG(dcg='exp-log2')@10"),
        ("nDCG@10", {"gain": "exp2", "ties": "averaged"}, "Expected(measure='nDCG',dcg='exp-log2')@10"),
        ("AP", {"unjudged": "removed"}, "AP(judged_only=True)"),
        ("RR@10", {"threshold": "2"}, "RR(rel=2)@10"),
        ("AP@100", {"cutoff": "10"}, "AP@10"),
        ("AP@10", {"cutoff": "none"}, "AP"),
        ("AP@10", {"divisor": "min(R,k)"}, None),
    ],
)
def test_an_explanation_has_the_name_of_a_measure(
    demo: Any, measure: str, changes: dict[str, str], named: str | None
) -> None:
    """One that gives the same number, to the last decimal."""
    topics = irmx.reconcile(*demo, measure, NO_NUMBER).topics
    value = topics.mean(changes)
    found = irmx.reconcile(*demo, measure, f"{value:.12f}")
    [one] = [one for one in found.explanations if dict(one.changes) == changes]
    assert found.as_measure(one) == (named and irmx.parse_measure(named))
    if named:
        assert list(irmx.calc_aggregate(named, *demo).values()) == [pytest.approx(value, abs=1e-12)]
        assert f"In irmx: {named}" in found.summary()


def test_steps_add_up_and_tools_are_named(demo: Any, command: Any) -> None:
    ideal = irmx.reconcile(*demo, "nDCG@10", NO_NUMBER).topics.mean({"gain": "exp2", "judged": "retrieved"})
    found = irmx.reconcile(*demo, "nDCG@10", f"{ideal:.4f}")
    table = found.frame()
    first = table[table["explanation"] == 1]
    assert list(table.columns) == ["explanation", "step", "convention", "option", "change", "value", "tools", "percent"]
    assert set(zip(first["convention"], first["option"], strict=True)) == {("gain", "exp2"), ("judged", "retrieved")}
    assert first["value"].iloc[-1] == pytest.approx(ideal)
    assert found.value + first["change"].sum() == pytest.approx(ideal)
    assert "LightGBM" in first["tools"].iloc[0]
    done = command("reconcile", *demo, "nDCG@10", "--value", f"{ideal:.4f}")
    assert (done.code, done.err) == (0, "")
    assert "Tools: LightGBM" in done.out
    assert "chance of a hit by luck" in done.out
    assert "Not testable here: " in done.out
    assert max(map(len, done.out.splitlines())) <= 110
    rows = list(
        csv.DictReader(
            command("reconcile", *demo, "nDCG@10", "--value", f"{ideal:.4f}", "-o", "csv", "-p", "-1").out.splitlines()
        )
    )
    assert [float(row["value"]) for row in rows] == table["value"].tolist()


def test_a_number_that_is_irmx_s_own(demo: Any, command: Any) -> None:
    own = irmx.reconcile(*demo, "AP", NO_NUMBER).value
    [same] = irmx.reconcile(*demo, "AP", f"{own:.3f}").explanations
    assert same.changes == ()
    assert "trec_eval -c" in same.tools
    done = command("reconcile", *demo, "AP", "--value", f"{own:.4f}", "-o", "csv", "-p", "4")
    assert [row["value"] for row in csv.DictReader(done.out.splitlines())] == [f"{own:.4f}"]


def test_no_explanation_is_an_answer(demo: Any, command: Any) -> None:
    found = irmx.reconcile(*demo, "AP", "0.123456")
    assert found.explanations == []
    assert found.frame().empty
    assert "No explanation" in found.summary()
    topics = found.topics
    singles = [topics.mean({name: option}) for name, options in topics.options().items() for option in options]
    assert all(abs(found.nearest.value - 0.123456) <= abs(mean - 0.123456) + 1e-12 for mean in singles)
    done = command("reconcile", *demo, "AP", "--value", "0.123456", "-o", "csv")
    assert (done.code, done.err.count("no explanation")) == (0, 1)


def test_percentages_decimals_and_double_rounding(demo: Any) -> None:
    topics = irmx.reconcile(*demo, "nDCG@10", NO_NUMBER).topics
    exact = topics.mean({"gain": "exp2"})
    for text in (f"{exact:.4f}", f"{100 * exact:.2f}", f"{100 * exact:.2f}%", exact, f"{exact:.2e}"):
        assert (("gain", "exp2"),) in [one.changes for one in irmx.reconcile(*demo, "nDCG@10", text).explanations]
    coarse = irmx.reconcile(*demo, "nDCG@10", f"{exact:.2f}")
    assert len(coarse.explanations) > 1
    topic, values = coarse.deciding()
    assert topic in topics.topics
    assert len(set(np.round(values, 6))) > 1
    assert f"topic {topic}" in coarse.summary()
    run = {str(i): {"a": 3.0, "b": 2.0, "c": 1.0} for i in range(1320)}
    qrels = {str(i): {"a": int(i < 100), "z": 1} for i in range(1320)}
    assert irmx.reconcile(qrels, run, "P@1", NO_NUMBER).value == pytest.approx(0.0757576)
    assert irmx.reconcile(qrels, run, "P@1", ".075758").explanations[0].how == "rounded"
    twice = irmx.reconcile(
        {str(i): {"a": int(i < 75747), "z": 1} for i in range(1000000 // 1000)}, {"0": {"a": 1.0}}, "P@1", "0.0010"
    )
    assert twice.explanations[0].changes == ()


TWICE = {"q": {"A": 1}}, pd.DataFrame({"query_id": "q", "doc_id": ["A", "A"], "score": [2.0, 1.0]})


@pytest.mark.parametrize(
    ("measure", "text", "percent"),
    [
        ("nDCG@10", "1.6309", False),
        ("nDCG@10", 1.63093, False),
        ("R@10", "2.0", False),
        ("AP", 2, False),
        ("AP", "100", True),
    ],
)
def test_numbers_above_1_are_read_as_they_are_and_as_percentages(measure: str, text: Any, percent: bool) -> None:
    """One relevant document, which is ranked twice: R = 2, AP = 1 + 1, nDCG = 1 + 1 / log2(3)."""
    found = irmx.reconcile(*TWICE, measure, text)
    [one] = found.explanations
    assert dict(one.changes) == ({} if percent else {"duplicates": "twice"})
    assert found.frame()["percent"].tolist() == [percent]
    assert ("read as a percentage" if percent else "read as it is") in found.summary()


def test_scores_by_topic_are_all_percentages_or_none() -> None:
    qrels = {"q": {"A": 1}, "r": {"A": 1, "B": 1}}
    run = pd.DataFrame({"query_id": ["q", "q", "r"], "doc_id": ["A", "A", "B"], "score": [2.0, 1.0, 1.0]})
    plain = irmx.reconcile(qrels, run, "R@10", scores={"q": "2.0", "r": "0.5"})
    assert [one.changes for one in plain.explanations] == [(("duplicates", "twice"),)]
    percent = irmx.reconcile(qrels, run, "R@10", scores={"q": "100", "r": "50"})
    assert [(one.changes, one.percent) for one in percent.explanations] == [((), True)]
    both = irmx.reconcile(qrels, run, "R@10", scores={"q": "2.0", "r": "50"})
    assert both.explanations == []
    assert "1 of 2 topics differ" in both.summary()


def test_half_is_rounded_up_or_to_even() -> None:
    """Of eight documents retrieved one is relevant: .125 is .12 in Python, and .13 in Java."""
    qrels = {"q": {"d0": 1}, "r": {"d0": 1, "x": 1}}
    run = {topic: {f"d{i}": -float(i) for i in range(8)} for topic in qrels}
    for option, value in (("2", ".12"), ("2-half-up", ".13")):
        found = irmx.reconcile(qrels, run, "P@10", scores={"q": value + "00000", "r": value + "00000"})
        [one] = found.explanations
        assert dict(one.changes) == {"divisor": "retrieved", "rounding": option}
        assert any("OpenSearch" in tool for tool in one.tools) == (option == "2-half-up")


def test_gains_of_binary_grades_do_not_hide_a_tool() -> None:
    qrels = {f"t{i}": {"a": 1, "b": 0, f"d{i}": 1} for i in range(7)} | {"lacking": {"a": 1}}
    run = {f"t{i}": {"b": 2.0, f"d{i}": 2.0, "x": 3.0 - i, "a": 1.0} for i in range(7)}
    rules = {"ties": "file", "rounding": "2-half-up", "topics": "both"}
    mean = irmx.reconcile(qrels, run, "nDCG@3", NO_NUMBER).topics.mean(rules)
    found = irmx.reconcile(qrels, run, "nDCG@3", f"{mean:.6f}").explanations
    assert any("OpenSearch" in tool for one in found for tool in one.tools)


@pytest.mark.parametrize("topics", ["qrels", "both", "relevant", "hit"])
def test_a_tool_is_found_over_other_topics(topics: str) -> None:
    """OpenSearch's nDCG has four changes; the file lacks a topic, and finds nothing in another."""
    qrels = {f"t{i}": {"a": 3, "b": 1, "c": -1, f"d{i}": 2, "z": int(i > 1)} for i in range(9)} | {"n": {"a": 0}}
    run = {f"t{i}": {"c": 2.0, "b": 2.0, f"d{i}": 2.0, "x": 3.0 - i, "a": 1.0} for i in range(8)} | {"n": {"a": 1.0}}
    run["t7"] = {"x": 1.0}
    parts = irmx.reconcile(qrels, run, "nDCG@3", NO_NUMBER).topics
    rules = {"ties": "file", "gain": "exp2", "negatives": "kept", "rounding": "2-half-up", "topics": topics}
    found = irmx.reconcile(qrels, run, "nDCG@3", f"{parts.mean(rules):.6f}")
    named = [one for one in found.explanations if any("OpenSearch" in tool for tool in one.tools)]
    assert named
    assert all(one.value == pytest.approx(parts.mean(rules), abs=1e-12) for one in named)


def test_what_decides_is_a_topic_on_which_explanations_differ() -> None:
    """AP over the relevant documents found: they are divided by, or the others are not known, which is the same."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1, "d": 1, "e": 1}}
    run = {"1": {"a": 2.0, "x": 1.0}, "2": {"y": 3.0, "c": 2.0, "d": 1.0}}
    found = irmx.reconcile(qrels, run, "AP", ".7917")  # (1 + (1/2 + 2/3) / 2) / 2
    assert len(found.explanations) == 2
    assert found.deciding() is None
    assert "No topic here tells them apart" in found.summary()


def test_grades_may_be_cut_to_whole_numbers() -> None:
    """trec_eval reads 0.4 as 0, and 1.9 as 1; pytrec_eval refuses fractions."""
    qrels = {"1": {"a": 1.9, "b": 0.4, "c": 1}, "2": {"a": 0.25, "b": 0.75}}
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    found = irmx.reconcile(qrels, run, "nDCG@10", ".3467")  # ((1/log2(3) + 1/2) / (1 + 1/log2(3)) + 0) / 2
    [one] = [one for one in found.explanations if one.changes == (("grades", "cut"),)]
    assert {"trec_eval", "ranx"} <= set(one.tools)
    assert not {"pytrec_eval", "ir_measures", "BEIR"} & set(one.tools)
    assert irmx.reconcile(qrels, run, "AP(rel=0.5)", "0.2917").explanations[0].changes == (("grades", "cut"),)
    [own] = irmx.reconcile(qrels, run, "nDCG@10", f"{found.value:.4f}").explanations
    assert not {"trec_eval", "pytrec_eval", "ir_measures"} & set(own.tools)


def test_two_numbers_of_one_tool_follow_the_same_conventions(demo: Any, command: Any, tmp_path: Path) -> None:
    of_ndcg, of_ap = (irmx.reconcile(*demo, m, NO_NUMBER).topics for m in ("nDCG@10", "AP@10"))
    shared = {"judged": "retrieved", "threshold": "2"}
    numbers = {"nDCG@10": f"{of_ndcg.mean(shared):.4f}", "AP@10": f"{of_ap.mean(shared):.4f}"}
    found = irmx.reconcile(*demo, numbers)
    for part in found.parts:
        assert dict(part.explanations[0].changes) == shared
    assert set(found.frame()["measure"]) == set(numbers)
    done = command("reconcile", *demo, *(f"{measure}={number}" for measure, number in numbers.items()))
    assert done.out == found.summary() + "\n"
    other = irmx.reconcile(*demo, {"nDCG@10": numbers["nDCG@10"], "AP@10": ".9999"})
    assert other.parts[1].explanations == []
    assert "No conventions explain all" in other.summary()


@pytest.mark.parametrize("form", ["mapping", "csv", "trec_eval", "ir_measures"])
def test_values_by_topic_decide(demo: Any, tmp_path: Path, form: str, command: Any) -> None:
    topics = irmx.reconcile(*demo, "nDCG@10", NO_NUMBER).topics
    truth = {"gain": "exp2", "ideal": "uncut", "ties": "file"}
    values = dict(zip(topics.topics, topics.values(truth)[0].tolist(), strict=True))
    path: Any = tmp_path / "theirs.txt"
    lines = {
        "csv": ["query_id,value", *(f"{t},{v:.4f}" for t, v in values.items())],
        "trec_eval": [
            *(f"ndcg_cut_10 {t} {v:.4f}" for t, v in values.items()),
            *(f"map {t} .5" for t in values),
            "ndcg_cut_10 all .5",
        ],
        "ir_measures": [*(f"{t}\tnDCG@10\t{v:.4f}" for t, v in values.items()), "all\tnDCG@10\t.5"],
    }
    if form == "mapping":
        path = values
    else:
        path.write_text("\n".join(lines[form]))
    found = irmx.reconcile(*demo, "nDCG@10", scores=path)
    assert len(found.explanations) == 1
    np.testing.assert_allclose(topics.values(dict(found.explanations[0].changes))[0], list(values.values()), atol=1e-12)
    if form == "mapping":
        some = dict(itertools.islice(values.items(), 5))
        assert found.explanations[0] in irmx.reconcile(*demo, "nDCG@10", scores=some).explanations
    if form == "csv":
        done = command("reconcile", *demo, "nDCG@10", "--scores", path)
        assert done.out == found.summary() + "\n"
        wrong = {**values, next(iter(values)): 0.123}
        assert "1 of 30 topics differ" in irmx.reconcile(*demo, "nDCG@10", scores=wrong).summary()


def test_topics_that_only_one_side_has_and_a_mean_of_others_are_told(demo: Any, tmp_path: Path, command: Any) -> None:
    topics = irmx.reconcile(*demo, "nDCG@10", NO_NUMBER).topics
    values = dict(zip(topics.topics, topics.values({})[0].tolist(), strict=True))
    some = dict(itertools.islice(values.items(), 25))
    lacking, mean = [topic for topic in values if topic not in some], sum(some.values()) / len(some)

    def reconciled(values: dict[str, float], total: float) -> Any:
        path = tmp_path / "theirs.txt"
        path.write_text("\n".join(f"ndcg_cut_10 {t} {v:.4f}" for t, v in {**values, "all": total}.items()))
        found = irmx.reconcile(*demo, "nDCG@10", scores=path)
        said = found.of_topics()
        assert command("reconcile", *demo, "nDCG@10", "--scores", path).out == found.summary() + "\n"
        assert all(sentence in found.summary() for sentence in said)
        return found, said

    found, said = reconciled(values, found_mean := sum(values.values()) / len(values))
    assert (found.lacking, found.unknown, said) == ([], [], [])
    found, [missing] = reconciled(some, mean)
    assert (found.lacking, found.unknown) == (lacking, [])
    assert all(topic in missing for topic in lacking)
    assert f"{mean:.4f}".lstrip("0") in missing
    found, [missing, other] = reconciled(some, sum(some.values()) / 30)  # which counts 0 for the others
    assert f"{mean:.4f}".lstrip("0") in other
    found, [unknown] = reconciled({**values, "zz": found_mean}, found_mean)
    assert (found.lacking, found.unknown) == ([], ["zz"])
    assert "zz" in unknown
    (tmp_path / "mean.txt").write_text("ndcg_cut_10 all 0.5555\n")
    command("reconcile", *demo, "nDCG@10", "--scores", tmp_path / "mean.txt").assert_refused(1, "--value 0.5555")
    found, [other] = reconciled(values, 0.9)
    assert "0.9" in other
    assert f"{found_mean:.4f}".lstrip("0") in other


@pytest.mark.parametrize("cell", ["nan", "inf", "n/a"])
def test_values_of_topics_that_are_no_numbers_are_told_with_their_lines(
    demo: Any, tmp_path: Path, command: Any, cell: str
) -> None:
    (tmp_path / "table").write_text(f"query_id,value\n1,.5\n2,{cell}\n")
    (tmp_path / "lines").write_text(f"ndcg_cut_10 1 .5\n\nndcg_cut_10 2 {cell}\n")
    (tmp_path / "twice").write_text("ndcg_cut_10 1 .5\nmap 1 .2\nndcg_cut_10 1 .6\n")
    for name, place in {"table": "table, line 3", "lines": "lines, line 3", "twice": "twice, lines 1 and 3"}.items():
        done = command("reconcile", *demo, "nDCG@10", "--scores", name, cwd=tmp_path)
        assert (done.code, done.out) == (1, "")
        assert place in done.err
    with pytest.raises(DataError, match="topic 2"):
        irmx.reconcile(*demo, "nDCG@10", scores={"1": 0.5, "2": float("nan")})


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nDCG@10"], 2, "Give the value that another tool printed"),
        (["nDCG@10", "--value", "high"], 2, "The value to explain is a number"),
        (["nDCG@10", "--value", "nan"], 2, "The value to explain is a number"),
        (["INST(max_rel=1)", "--value", ".5"], 2, "The conventions of INST"),
        (["Bpref", "--value", ".5"], 2, "They are of nDCG, AP, P, R, RR"),
        (["AP(judged_only=True)", "--value", ".5"], 2, "The conventions of AP"),
        (["AP", "RR"], 2, "each has its value"),
        (["AP=.5", "RR"], 2, "RR has none"),
        (["AP=.5", "--value", ".5"], 2, "go with one measure"),
        (["nDGC@10", "--value", ".5"], 2, "Did you mean nDCG"),
        (["nDCG@10=.1", "nDCG@10=.5"], 2, "two values"),
        (["nDCG@10=.1", "nDCG@10", "AP=.5"], 2, "has none"),
        (["nDCG(dcg='log2')@10=.1", "nDCG@10=.5"], 2, "two values"),
        (["nDCG@10", "--value", "1e400"], 2, "finite"),
        (["AP", "--scores", "nowhere"], 1, "There is no scores file"),
        (["AP", "--scores", "other"], 1, "no topic in common"),
        (["AP", "--scores", "twice"], 1, "two values of AP for topic 1"),
        (["AP", "--scores", "measures"], 1, "have no AP. They have RR, nDCG"),
    ],
)  # fmt: skip
def test_what_cannot_be_reconciled(
    demo: Any, command: Any, tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    (tmp_path / "other").write_text("query_id,value\nx,.5\n")
    (tmp_path / "twice").write_text("query_id,value\n1,.5\n1,.6\n")
    (tmp_path / "measures").write_text("query_id,measure,value\n1,RR,.5\n1,nDCG,.6\n")
    done = command("reconcile", *demo, *words, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_files_without_a_common_topic_are_refused() -> None:
    with pytest.raises(DataError, match="no topic in common"):
        irmx.reconcile({"1": {"a": 1}}, {"2": {"a": 1.0}}, "AP", 0.5)
    with pytest.raises(UsageError, match="Several measures are given with their values"):
        irmx.reconcile(QRELS, run_of(), {"AP": 0.5}, 0.5)


# -- numbers of real tools ---------------------------------------------------------------------------------

MEANT = {
    "tie=file order": ("ties", "file"), "tie=id asc": ("ties", "docid-ascending"), "tie=worst first": ("ties", "worst"),
    "dup=counted twice": ("duplicates", "twice"), "dup=once, rank kept": ("duplicates", "once"), "dup=one, best score": ("duplicates", "first"),
    "self=dropped": ("self", "dropped"), "topics=all of qrels": ("topics", "qrels"), "topics=all of run": ("topics", "run"),
    "topics=only with a hit": ("topics", "hit"), "norel=skipped": ("no-relevant", "skipped"), "norel=1": ("no-relevant", "1"),
    "world=retrieved only": ("judged", "retrieved"), "gain=exp2": ("gain", "exp2"), "gain=binary>=1": ("gain", "binary"),
    "gain=judged": ("gain", "judged"), "ideal=judged, uncut": ("ideal", "uncut"), "ideal=top k only": ("ideal", "top-k"),
    "disc=1/i": ("discount", "1/i"), "disc=jarvelin2": ("discount", "from-b"), "neg=kept": ("negatives", "kept"),
    "div=min(R,k)": ("divisor", "min(R,k)"), "div=any hit": ("divisor", "any"), "div=retrieved": ("divisor", "retrieved"),
    "div=rel. retrieved": ("divisor", "found"), "thr=2": ("threshold", "2"), "thr=judged": ("threshold", "judged"),
    "round=2": ("rounding", "2"), "round=4": ("rounding", "4"), "round=5": ("rounding", "5"),
}  # fmt: skip
"""The words for deviations from trec_eval in the table of matches."""


def best_of_dl21() -> pd.DataFrame:
    """The best 100 documents by topic of a run of TREC DL 2021; of documents with one score, those with the largest ids."""
    folder = Path(os.environ["IRMX_DATA"]) / "judges_dl21"
    with tarfile.open(folder / "runs_dl21_judged53.tar.xz") as archive:
        lines = archive.extractfile("dl21j/input.NLE_P_v1.txt")
        assert lines is not None
        rows = [line.split() for line in lines.read().decode().splitlines()]
    ranked = sorted(
        ((topic, doc, float(score)) for topic, _, doc, _, score, _ in rows), key=itemgetter(2, 1), reverse=True
    )
    return run_of(ranked).groupby("query_id").head(100)


@pytest.mark.real
@pytest.mark.slow
def test_the_numbers_of_real_tools_are_explained() -> None:
    """Of means with four decimals, the conventions of the tool are listed first, or among the first three."""
    data = Path(os.environ["IRMX_DATA"]) / "other_tools"
    inputs = {
        "tiny": (data / "numbers/inputs/tiny.qrels", data / "numbers/inputs/tiny.run"),
        "dl21b": (
            irmx.read_qrels(data.parent / "judges_dl21/qrels/human_nist.qrels.xz"),
            irmx.read_run(best_of_dl21()),
        ),
    }

    @functools.cache
    def reconciled(name: str, measure: str, number: str) -> Any:
        return irmx.reconcile(*inputs[name], measure, number)

    numbers: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    for path in data.glob("numbers/*.csv.xz"):
        with lzma.open(path, "rt") as file:
            for row in csv.DictReader(file):
                if not row["value"].startswith("error"):
                    numbers[row["tool"], row["measure"], row["input"]][row["topic"]] = row["value"]
    ranks, done = [], set()
    for row in csv.DictReader((data / "matches.csv").read_text().splitlines()):
        words = [word for word in row["deviations from trec_eval"].split("; ") if word in MEANT or word[:4] != "none"]
        if row["status"] != "reproduced" or not set(words) <= set(MEANT) or (row["kind"] in "PR" and not row["k"]):
            continue
        truth = {"topics": "both", **dict(MEANT[word] for word in words)}
        if row["kind"] == "RR" and truth.get("ties") == "file" and row["tool"] != "beir":
            truth.setdefault("duplicates", "twice")  # lists have them, and it does not matter otherwise
        measure = row["kind"] + f"@{row['k']}" * bool(row["k"])
        for name in ("tiny", "dl21b"):
            stated = numbers[row["tool"], row["measure"], name]
            mean = stated.get("all", stated.get("all (mean of those computed)", "nan"))
            key = measure, name, frozenset(truth.items())
            if name not in row["inputs checked or nearest"].split() or key in done or not math.isfinite(float(mean)):
                continue
            done.add(key)
            found = reconciled(name, measure, f"{float(mean):.4f}")
            of_truth = found.topics.values(truth)[0]
            same = [
                np.allclose(found.topics.values(dict(one.changes))[0], of_truth, atol=1e-9, equal_nan=True)
                for one in found.explanations
            ]
            ranks.append(same.index(True) + 1 if True in same else 0)
    assert len(ranks) > 200
    assert np.mean([rank == 1 for rank in ranks]) >= 0.95
    assert np.mean([0 < rank <= 3 for rank in ranks]) >= 0.96


@pytest.mark.parametrize(
    "qrels", [{"q": {"a": 0.5, "b": 0.25}}, {"q": {"a": 2.5, "b": 0}}, {"q": {"a": 5000, "b": 100, "c": 1}}]
)
def test_grades_may_be_fractions_or_large(qrels: Any) -> None:
    run = {"q": {"b": 2.0, "a": 1.0}}
    expected = irmx.calc_aggregate("nDCG@10", qrels, run)[irmx.parse_measure("nDCG@10")]
    found = irmx.reconcile(qrels, run, "nDCG@10", expected)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert [one.changes for one in found.explanations] == [()]


def test_scores_may_be_compressed_and_must_be_of_the_measure(demo: Any, tmp_path: Path) -> None:
    topics = irmx.reconcile(*demo, "AP", NO_NUMBER).topics
    lines = [
        "runid all my run",
        *(f"map {t} {v:.4f}" for t, v in zip(topics.topics, topics.values({})[0], strict=True)),
    ]
    with gzip.open(tmp_path / "theirs.gz", "wt") as file:
        file.write("\n".join(lines))
    assert [one.changes for one in irmx.reconcile(*demo, "AP", scores=tmp_path / "theirs.gz").explanations] == [()]
    with pytest.raises(DataError, match=r"have no nDCG@10\. They have map"):
        irmx.reconcile(*demo, "nDCG@10", scores=tmp_path / "theirs.gz")
    with pytest.raises(UsageError, match="Several measures are given with their values"):
        irmx.reconcile(*demo, {"AP": None})
