"""The order of documents, the common parameters, and the definitions in plain Python beside them."""

from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

import irmx
from irmx_ncp import FIRST, NCP, UNIFORM

pytestmark = pytest.mark.filterwarnings("ignore:No document of the run is judged", "ignore:No document is relevant for")

DOCS = [f"d{i:02d}" for i in range(12)] + ["D1", "é", "z", "漢", "\U0001f600", "d", "d0"]
"""Some sort differently by code point, by UTF-16 unit and by what a person would say."""

NEAR = [
    100000.1546100,
    100000.1546101,
    100000.15,
    100000.16,
    1.0,
    1.0 + 1e-9,
    0.1,
    -0.0,
    0.0,
    -1.0,
    1e-46,
    1e300,
    2e300,
]
"""Scores of which some are equal in 32 bits only."""

scores = st.one_of(st.sampled_from(NEAR), st.floats(100000.15, 100000.17), st.integers(0, 2).map(float))
documents = st.dictionaries(st.sampled_from(DOCS), scores, max_size=len(DOCS))
judged = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1, max_size=len(DOCS))
"""``pytrec_eval`` can crash on a topic where all grades are -2 or less."""
runs = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), documents, max_size=4)
qrels_of = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), judged, min_size=1, max_size=3)


def forms(run: dict[str, dict[str, float]]) -> list[Any]:
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    return [run, pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])]


def by_topic(measure: Any, qrels: Any, run: Any) -> dict[str, float]:
    return {m.query_id: m.value for m in irmx.iter_calc(measure, qrels, run)}


@given(qrels_of, runs, st.sampled_from([1, 2, 3]))
def test_ap_and_rr_are_those_of_pytrec_eval_to_1e_12(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], rel: int
) -> None:
    assume(any(run.get(topic) for topic in qrels))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recip_rank"}, relevance_level=rel).evaluate(run)
    for form in forms(run):
        for law, name in ((UNIFORM, "map"), (FIRST, "recip_rank")):
            found = by_topic(NCP(law=law, rel=rel), qrels, form)
            assert set(found) == set(qrels)
            for topic, value in found.items():
                assert value == pytest.approx(theirs.get(topic, {name: 0.0})[name], abs=1e-12)


@given(qrels_of, runs)
def test_condensed_lists_are_those_of_pytrec_eval(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> None:
    assume(any(run.get(topic) for topic in qrels))
    qrels = {q: {d: max(g, 0) for d, g in docs.items()} for q, docs in qrels.items()}  # -1 means unjudged there
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}, judged_docs_only_flag=True).evaluate(run)
    for form in forms(run):
        for topic, value in by_topic(NCP(law=UNIFORM, judged_only=True), qrels, form).items():
            assert value == pytest.approx(theirs.get(topic, {"map": 0.0})["map"], abs=1e-12)


@given(qrels_of, runs, st.integers(1, 12))
def test_cutoffs_are_those_of_pytrec_eval(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], cutoff: int
) -> None:
    assume(any(run.get(topic) for topic in qrels))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {f"map_cut.{cutoff}"}).evaluate(run)
    for form in forms(run):
        for topic, value in by_topic(NCP(law=UNIFORM) @ cutoff, qrels, form).items():
            expected = theirs.get(topic, {f"map_cut_{cutoff}": 0.0})[f"map_cut_{cutoff}"]
            assert value == pytest.approx(expected, abs=1e-12)


def ranked(run: dict[str, float], ties: str) -> list[str]:
    if ties == "run":
        return sorted(run, key=lambda d: -run[d])
    with np.errstate(over="ignore"):
        return sorted(sorted(run, reverse=True), key=lambda d: -np.float32(run[d]))


def average_precision(
    judged: dict[str, float], run: dict[str, float], rel: float, cutoff: int | None, judged_only: bool, ties: str
) -> float:
    """Return AP by its definition, document by document."""
    ranking = [d for d in ranked(run, ties) if not judged_only or judged.get(d, -9) >= min(0, rel)][:cutoff]
    relevant = {d for d, grade in judged.items() if grade >= rel}
    seen, total = 0, 0.0
    for rank, doc in enumerate(ranking, start=1):
        if doc in relevant:
            seen += 1
            total += seen / rank
    return total / len(relevant) if relevant else 0.0


graded = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 2.5]), min_size=1)


@given(
    st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), graded, min_size=1),
    runs,
    st.fixed_dictionaries(
        {
            "rel": st.sampled_from([-1, 0, 0.25, 0.5, 1, 2]),
            "cutoff": st.sampled_from([None, 1, 2, 5, 100]),
            "judged_only": st.booleans(),
            "ties": st.sampled_from(["trec", "run"]),
        }
    ),
)
def test_the_common_parameters_mean_what_plain_python_says(
    qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]], common: dict[str, Any]
) -> None:
    assume(any(run.get(topic) for topic in qrels))
    measure = NCP(law=UNIFORM, **{k: v for k, v in common.items() if v is not None})
    for form in forms(run):
        for topic, value in by_topic(measure, qrels, form).items():
            expected = average_precision(qrels[topic], run.get(topic, {}), **common)
            assert value == pytest.approx(expected, abs=1e-12)


@given(judged, documents.filter(bool), st.sampled_from(["trec", "run"]), st.booleans(), st.sampled_from([None, 3]))
def test_one_rankings_object_tells_one_story(
    judged: dict[str, int], docs: dict[str, float], ties: str, judged_only: bool, cutoff: int | None
) -> None:
    qrels, judged = judged, {d: grade for d, grade in judged.items() if grade >= 0}
    for form in forms({"q": docs}):
        rankings = irmx.rankings({"q": qrels}, form, ties=ties, judged_only=judged_only, cutoff=cutoff)
        ranking = next(iter(rankings))
        expected = [d for d in ranked(docs, ties) if not judged_only or d in judged][:cutoff]
        assert ranking.ranked.doc_ids == tuple(expected)
        assert ranking.depth == len(expected) == rankings.depth[0]
        assert tuple(expected[r - 1] for r in ranking.judged.rank) == rankings.judged.doc_ids
        assert ranking.judged.rank.tolist() == [r for r, d in enumerate(expected, 1) if d in judged]
        assert ranking.judged.grade.tolist() == [judged[d] for d in expected if d in judged]
        relevant = [r for r, d in enumerate(expected, 1) if judged.get(d, 0) >= 1]
        assert ranking.relevant.rank.tolist() == relevant
        assert ranking.precision.tolist() == pytest.approx([i / r for i, r in enumerate(relevant, 1)])
        assert ranking.recall_base == sum(g >= 1 for g in judged.values())
        assert ranking.judged_nonrelevant == sum(g < 1 for g in judged.values())


def test_scores_equal_in_32_bits_are_ties() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 100000.1546101, "b": 100000.1546100}}
    for form in forms(run):
        assert by_topic("NCP(law=first)", qrels, form) == {"q": 0.5}
        assert by_topic("NCP(law=first,ties='run')", qrels, form) == {"q": 1.0}


def test_ties_are_broken_by_document_id_descending_in_the_order_of_utf8() -> None:
    docs = sorted(DOCS, key=lambda d: d.encode(), reverse=True)
    for rank, doc in enumerate(docs, start=1):
        for form in forms({"q": dict.fromkeys(DOCS, 1.0)}):
            assert by_topic("NCP(law=first)", {"q": {doc: 1}}, form) == {"q": 1 / rank}


def test_half_a_grade() -> None:
    qrels, run = {"q": {"a": 0.5, "b": 0.25, "c": 1.0}}, {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    assert by_topic("NCP(law=uniform,rel=0.5)", qrels, run) == {"q": pytest.approx((1 / 2 + 2 / 3) / 2)}
    assert by_topic("NCP(law=uniform)", qrels, run) == {"q": pytest.approx(1 / 3)}


def test_negative_grades_are_not_judged_as_in_trec_eval() -> None:
    qrels, run = {"q": {"a": -1, "b": 1, "c": -2, "d": 0}}, {"q": {"a": 3.0, "x": 2.0, "c": 1.5, "b": 1.0}}
    assert by_topic("NCP(law=first)", qrels, run) == {"q": 0.25}
    theirs = ir_measures.calc_aggregate([ir_measures.RR(judged_only=True)], qrels, run)
    assert by_topic("NCP(law=first,judged_only=True)", qrels, run) == {"q": theirs[ir_measures.RR(judged_only=True)]}
    assert by_topic("NCP(law=first,rel=-1)", qrels, run) == {"q": 1.0}
    assert irmx.rankings(qrels, run).judged_nonrelevant.tolist() == [1]


def test_a_topic_without_relevant_documents_is_left_out_on_request() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 0}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    assert by_topic("NCP(law=uniform)", qrels, run) == {"q": 1.0, "r": 0.0}
    found = by_topic("NCP(law=uniform,no_relevant='nan')", qrels, run)
    assert found["q"] == 1.0
    assert np.isnan(found["r"])
    measures = "NCP(law=uniform) NCP(law=uniform,no_relevant='nan')"
    assert list(irmx.calc_aggregate(measures, qrels, run).values()) == [0.5, 1.0]
    assert list(irmx.calc_aggregate(measures, {"q": {"a": 1}, "r": {"a": 0}}, {}).values()) == [0.0, 0.0]


def test_a_topic_that_is_missing_on_either_side() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "s": {"a": 1.0}}
    for form in forms(run):
        assert by_topic("NCP(law=first)", qrels, form) == {"q": 1.0, "r": 0.0}
        assert irmx.calc_aggregate("NCP(law=first)", qrels, form) == {NCP(law=FIRST): 0.5}


@given(judged, documents.filter(bool), st.sampled_from(["trec", "run"]), st.permutations([None, 1.0, 2.0]))
def test_judged_documents_have_the_same_ranks_in_whichever_order_grades_are_asked_for(
    judged: dict[str, int], docs: dict[str, float], ties: str, grades: list[float | None]
) -> None:
    position = {doc: i for i, doc in enumerate(judged)}
    for form in forms({"q": docs}):
        join = irmx.Join(irmx.read_run(form), irmx.read_qrels({"q": judged}))
        for rel in grades:
            hits = join.hits(rel, ties)
            chosen = [d for d in ranked(docs, ties) if d in judged and (rel is None or judged[d] >= rel)]
            assert hits.doc.tolist() == [position[d] for d in chosen]
            assert hits.rank.tolist() == [ranked(docs, ties).index(d) + 1 for d in chosen]
            assert hits.offsets.tolist() == [0, len(chosen)]
            assert [list(docs)[row] for row in hits.row.tolist()] == chosen
