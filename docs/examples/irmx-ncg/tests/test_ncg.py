"""NCG: the paper's example, by hand, against measures of ir_measures, and the checks of irmx."""

import doctest

import ir_measures
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import P, R

import irmx
import irmx_ncg.measure
from irmx.testing import parametrize_with_checks
from irmx_ncg import NCG

IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
RANKING = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
"""G' and I' of the paper: the grades of its ranking and of the ideal one."""

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no reason for a test to fail."""


def data(ranking, ideal):
    """Qrels and a run with these grades; documents of grade 0 in the ranking are not judged."""
    qrels = {f"d{i}": grade for i, grade in enumerate(ideal)}
    left, docs = dict(qrels), []
    for rank, grade in enumerate(ranking):
        doc = next((d for d, g in left.items() if g == grade), f"x{rank}")
        left.pop(doc, None)
        docs.append(doc)
    return {"q": qrels}, {"q": {doc: -float(rank) for rank, doc in enumerate(docs)}}


def test_the_papers_example():
    """CG' is 3, 5, 8, 8, 8, 9, 11, 13, 16, 16 and ICG' is 3, 6, 9, 11, 13, 15, 16, 17, 18, 19; nCG' is their quotient."""
    qrels, run = data(RANKING, IDEAL)
    found = [irmx.calc_aggregate(NCG @ k, qrels, run)[NCG @ k] for k in range(1, 11)]
    assert [round(value, 2) for value in found] == [1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84]


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (NCG, 16 / 19),
        (NCG(gains=[0, 1, 10, 100]) @ 3, 210 / 300),
        (NCG(gains=[0, 1, 3, 7]) @ 6, (7 + 3 + 7 + 1) / (3 * 7 + 3 * 3)),
        (NCG(rel=2) @ 10, 15 / 15),
        (NCG(rel=3) @ 2, 3 / 6),
        (NCG @ 1000, 16 / 19),
        (NCG(judged_only=True) @ 6, 13 / 15),
    ],
    ids=str,
)
def test_by_hand(measure, value):
    qrels, run = data(RANKING, IDEAL)
    assert irmx.calc_aggregate(measure, qrels, run)[measure] == pytest.approx(value, abs=1e-15)


def plain(ranking, ideal, k):
    """NCG@k in plain Python."""
    best = sum(sorted(ideal, reverse=True)[:k])
    return sum(ranking[:k]) / best if best else 0.0


@UNTIMED
@given(
    st.permutations(range(8)),
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
    st.integers(1, 8),
    st.integers(1, 10),
)
def test_against_plain_python(order, grades, depth, k):
    run = {"q": {f"d{doc}": -float(rank) for rank, doc in enumerate(order[:depth])}}
    qrels = {"q": {f"d{doc}": grade for doc, grade in enumerate(grades)}}
    assert irmx.calc_aggregate(NCG @ k, qrels, run)[NCG @ k] == pytest.approx(plain([grades[d] for d in order[:depth]], grades, k))  # fmt: skip


@UNTIMED
@given(st.permutations(range(8)), st.lists(st.integers(0, 1), min_size=8, max_size=8), st.integers(1, 10))
def test_of_binary_grades_it_is_the_larger_of_precision_and_recall(order, grades, k):
    """With gains 0 and 1, ICG[k] is the smaller of k and RB, so NCG@k = max(P@k, R@k)."""
    run = {"q": {f"d{doc}": -float(rank) for rank, doc in enumerate(order)}}
    qrels = {"q": {f"d{doc}": grade for doc, grade in enumerate(grades)}}
    found = ir_measures.calc_aggregate([NCG @ k, P @ k, R @ k], qrels, run)
    assert found[NCG @ k] == pytest.approx(max(found[P @ k], found[R @ k]))


def test_explained():
    qrels, run = data(RANKING, IDEAL)
    explained = irmx.explain(NCG(gains=[0, 1, 10, 100]) @ 6, qrels, run, "q")
    assert explained.columns["gain"] == [100, 10, 100, 1]
    assert sum(explained.columns["contribution"]) == pytest.approx(211 / 330)
    assert explained.value == pytest.approx(211 / 330)


@pytest.mark.parametrize("gains", [[], [0, 2, 1]])
def test_gains_that_are_none_are_refused(gains):
    with pytest.raises(irmx.UsageError, match="non-empty list of gains in ascending order"):
        NCG(gains=gains)


@pytest.mark.parametrize("grade", [4, 0.5])
def test_a_grade_without_a_gain_is_an_error_of_the_data(grade):
    measure = NCG(gains=[0, 1, 10, 100], rel=0.5)
    with pytest.raises(irmx.DataError, match=rf"NCG.*grades 0 to 3. Found the grade {grade}"):
        irmx.calc_aggregate(measure, {"q": {"a": grade}}, {"q": {"a": 1.0}})


@parametrize_with_checks([NCG, NCG(gains=[0, 1, 3, 7, 15, 31, 63, 127]) @ 3])
def test_checks(measure, check):
    check(measure)


def test_examples():
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(irmx_ncg.measure, optionflags=flags) == (0, 5)
