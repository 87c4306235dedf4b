"""The scores of irmx-trec, broken down by document."""

import math

import pandas as pd
import pytest

import irmx
from irmx_trec.plugin import irmx_scorers

QRELS = {"q": {"a": 2, "b": 1, "c": 0, "d": -1, "m": 1}}
RUN = {"q": {"c": 5.0, "x": 4.0, "b": 3.0, "d": 2.0, "a": 1.0}}


@pytest.mark.parametrize("all_documents", [False, True])
@pytest.mark.parametrize(
    "measure",
    [
        *(text for scorer in irmx_scorers() for text in scorer.EXAMPLES if scorer.NAME not in ("NumRel", "NumQ")),
        "nDCG(gains={-1:3})",
    ],
)
def test_contributions_add_up_to_the_score(measure, all_documents):
    explained = irmx.explain(measure, QRELS, RUN, "q", all_documents)
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)
    (value,) = irmx.calc_aggregate(measure, QRELS, RUN).values()
    assert explained.value == value
    if all_documents:
        assert len(explained.columns["rank"]) == explained.depth


def test_gain_and_discount():
    columns = irmx.explain("nDCG(dcg='exp-log2')", QRELS, RUN, "q").columns
    assert list(columns) == ["rank", "doc_id", "grade", "gain", "discount", "contribution"]
    assert (columns["rank"], list(columns["doc_id"]), columns["grade"]) == ([3, 5], ["b", "a"], [1, 2])
    assert columns["gain"] == [1, 3]
    assert columns["discount"] == pytest.approx([1 / 2, 1 / math.log2(6)], abs=1e-15)
    ideal = 3 + 1 / math.log2(3) + 1 / 2
    assert columns["contribution"] == pytest.approx([1 / 2 / ideal, 3 / math.log2(6) / ideal], abs=1e-15)


def test_all_documents_of_a_measure_with_a_discount():
    columns = irmx.explain("RBP(p=0.5)", QRELS, RUN, "q", all_documents=True).columns
    assert list(columns["doc_id"]) == ["c", "x", "b", "d", "a"]
    assert columns["gain"] == pytest.approx([math.nan, math.nan, 0.5, math.nan, 1], nan_ok=True)
    assert columns["contribution"][:2] == [0, 0]


def test_ranks_of_its_own():
    """The document of grade -1 has a gain, so that it is among the judged ones of this measure only."""
    measure = "nDCG(gains={-1:1},judged_only=True)"
    columns = irmx.explain(measure, QRELS, RUN, "q", all_documents=True).columns
    assert list(zip(columns["rank"], columns["doc_id"], strict=True)) == [(2, "b"), (3, "d"), (4, "a")]


def test_relevant_documents_whether_retrieved_or_not():
    explained = irmx.explain("NumRel", QRELS, RUN, "q")
    assert explained.columns == {"doc_id": ["a", "b", "m"], "grade": [2, 1, 1], "contribution": [1, 1, 1]}
    assert (explained.value, explained.retrieved) == (3, 2)
    subtopics = pd.DataFrame(
        [("q", "a", "1", 0), ("q", "a", "2", 1), ("q", "a", "3", 2), ("q", "b", "1", 1), ("q", "", "4", 1)],
        columns=["query_id", "doc_id", "iteration", "relevance"],
    )
    columns = irmx.explain("NumRel", subtopics, RUN, "q").columns
    assert (columns["doc_id"], columns["grade"]) == (["a", "b"], [2, 1])
    assert irmx.explain("NumRel(rel=2)", subtopics, RUN, "q").columns["doc_id"] == ["a"]


def test_nothing_to_explain():
    with pytest.raises(irmx.UsageError, match="Accuracy is a measure of ir_measures, of which no plugin has a scorer"):
        irmx.explain("Accuracy", QRELS, RUN, "q")


def test_command(command, tmp_path):
    (tmp_path / "qrels").write_text("".join(f"q 0 {doc} {grade}\n" for doc, grade in QRELS["q"].items()))
    (tmp_path / "run").write_text("".join(f"q Q0 {doc} 1 {score} r\n" for doc, score in RUN["q"].items()))
    done = command("explain", tmp_path / "qrels", tmp_path / "run", "AP", "-t", "q", "-o", "csv", "-p", "3")
    assert done.out.splitlines()[:2] == ["rank,doc_id,grade,precision,contribution", "3,b,1,0.333,0.111"]
