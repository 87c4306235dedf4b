"""The worked example: two subtopics, two windows, four relevant documents, one ranking; six decimals."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

import irmx

VALUES = {
    "TIA_P@1": 0.375, "TIA_P@2": 0.1875, "TIA_P@3": 0.166667, "TIA_P@4": 0.21875, "TIA_AP": 0.190104, "TIA_AP@4": 0.190104,
    "TIA_nDCG@4": 0.453934, "IA_nDCG@4": 0.591894, "TIA_ERR@4": 0.510417, "IA_ERR@4": 0.666667, "T_StRecall@1": 0.5,
    "T_StRecall@3": 1.0, "TIA_StRecall@1": 0.625, "TIA_StRecall(a=0.7)@1": 0.575, "TIA_StRecall@3": 1.0, "I_rec@1": 0.5,
    "T_SBR@1": 0.5, "TIA_SBR(a=0.7)@3": 1.0, "IA_P@4": 0.375, "TimeAware(measure='P@4')": 0.21875,
    "TIA_ERR(err='mixed')@4": 0.552083, "TIA_ERR(err='text')@4": 0.583333,
    "TIA_ERR(err='mixed',subtopics_in_window='counted')@4": 3 / 4 * (2 / 3 + 1 / 3 / 4) + 1 / 4 * 1 / 3,
    "TIA_ERR(err='text',subtopics_in_window='counted')@4": 3 / 4 * (2 / 3 + 1 / 3 / 3) + 1 / 4 * 1 / 3,
    "TIA_ERR(stop='window')@4": 3 / 4 * 1 / 2 * (1 + 1 / 4) + 1 / 4 * 1 / 2 * 1 / 3 * 1 / 3,
    "SBR@1": 0.5, "TIA_MAP": 0.190104,
    "TimeAware(measure='alpha_nDCG@4')": 0.75 * 0.760622 + 0.25 * 0.5, "IntentAware(measure='AP')": 0.458333, "TIA_nDCG(cells='nonempty')@4": 0.453934 / 0.875,
}  # fmt: skip


@pytest.fixture
def qrels(frame: Any) -> Any:
    return frame(("d1", "c1", "t1"), ("d2", "c1", "t1"), ("d3", "c2", "t1"), ("d4", "c2", "t2"))


@pytest.mark.parametrize(("text", "value"), VALUES.items())
def test_value(text: str, value: float, qrels: Any, ranked: Any) -> None:
    [found] = irmx.calc_aggregate(text, qrels, ranked("d1", "x", "d4", "d3")).values()
    assert found == pytest.approx(value, abs=5.1e-7)


def test_matrix(qrels: Any, ranked: Any) -> None:
    e = irmx.explain("TIA_nDCG@4", qrels, ranked("d1", "x", "d4", "d3"), "q")
    table = {(row["subtopic"], row["window"]): row for row in e.frame().to_dict("records")}
    assert {pair: (row["weight"], row["rank"], row["doc_id"]) for pair, row in table.items()} == {
        ("c1", "t1"): (0.375, 1, "d1"),
        ("c2", "t1"): (0.375, 4, "d3"),
        ("c2", "t2"): (0.125, 3, "d4"),
    }
    value = {pair: row["contribution"] / row["weight"] for pair, row in table.items()}
    assert value == pytest.approx({("c1", "t1"): 0.613147, ("c2", "t1"): 0.430677, ("c2", "t2"): 0.5}, abs=5.1e-7)


def test_what_was_missed(qrels: Any, ranked: Any) -> None:
    e = irmx.explain("TIA_StRecall(a=0.7)@1", qrels, ranked("d1", "x", "d4", "d3"), "q")
    rows = e.frame().to_dict("records")
    assert [(r["covers"], r["name"], r["rank"], r["doc_id"]) for r in rows] == [
        ("subtopic", "c1", 1, "d1"),
        ("subtopic", "c2", "-", "(missed)"),
        ("window", "t1", 1, "d1"),
        ("window", "t2", "-", "(missed)"),
    ]
    assert (e.depth, e.retrieved, e.recall_base) == (1, 1, 4)
    assert [r["weight"] for r in rows] == pytest.approx([0.35, 0.35, 0.225, 0.075])
    assert [r["contribution"] for r in rows] == pytest.approx([0.35, 0, 0.225, 0])


def test_relevance_is_binary_as_in_the_paper_unless_grades_are_asked_for() -> None:
    rows = [("q", "a", 2, "c", "t"), ("q", "b", 1, "c", "t")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    run = {"q": {"b": 2.0, "a": 1.0}}
    graded = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    for name in ("IA_nDCG", "TIA_nDCG"):
        found = irmx.calc_aggregate(f"{name}@2 {name}(gain='exponential')@2", qrels, run)
        assert list(found.values()) == pytest.approx([1, graded])
        assert graded == pytest.approx(0.7967, abs=1e-4)
