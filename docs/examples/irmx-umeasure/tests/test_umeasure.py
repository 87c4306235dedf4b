"""U-measure: by hand, against a trailtext that is written out, and the checks of irmx."""

import doctest

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irmx
import irmx_umeasure.measure
import irmx_umeasure.trailtext
from irmx.testing import parametrize_with_checks
from irmx_umeasure import U

QRELS = {"q": {"a": 1, "b": 2, "c": 0}}
DOCS, LENGTHS = ["a", "x", "b", "c"], [1000, 8000, 3000, 500]

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no reason for a test to fail."""


def run(docs=DOCS, lengths=LENGTHS):
    scores = [-float(rank) for rank in range(len(docs))]
    return pd.DataFrame({"query_id": "q", "doc_id": docs, "score": scores, "length": lengths})


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # a ends at 200 + 200, b at 3 * 200 + 200 + 600; gains 1/4 and 3/4
        (U(L=10000), 0.25 * 0.96 + 0.75 * 0.86),
        (U, 0.25 * (1 - 400 / 132000) + 0.75 * (1 - 1400 / 132000)),
        (U(L=10000, N=2), (0.25 * 0.96 + 0.75 * 0.86) / 2),
        (U(L=10000) @ 2, 0.25 * 0.96),
        (U(L=1400), 0.25 * (1 - 400 / 1400)),
        (U(L=10000, max_grade=3), 0.125 * 0.96 + 0.375 * 0.86),
        (U(L=10000, rel=2), 0.75 * 0.88),  # a is not clicked: b ends at 600 + 600
        (U(L=10000, F=0), 0.25 * 0.98 + 0.75 * 0.94),
        (U(L=10000, snippet=0, F=1), 0.25 * 0.9 + 0.75 * 0.6),
        (U(L=10000, judged_only=True), 0.25 * 0.96 + 0.75 * 0.88),
    ],
    ids=str,
)
def test_by_hand(measure, value):
    assert irmx.calc_aggregate(measure, QRELS, run())[measure] == pytest.approx(value, abs=1e-15)


def written_out(grades, lengths, snippet, tenths, limit):
    """U of one ranking from its trailtext, one character after the other, with the gain at each position."""
    gains = []
    for grade, length in zip(grades, lengths, strict=True):
        gains += [0.0] * snippet
        if grade > 0:
            gains += [0.0] * (tenths * length // 10 - 1) + [(2**grade - 1) / 2**3]
    return sum(gain * max(0, 1 - pos / limit) for pos, gain in enumerate(gains, start=1))


@UNTIMED
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 30)), min_size=1, max_size=8),
    st.integers(0, 20),
    st.integers(1, 10),
    st.integers(1, 400),
)
def test_against_a_trailtext_that_is_written_out(documents, snippet, tenths, limit):
    grades, lengths = [g for g, _ in documents], [10 * n for _, n in documents]
    docs = [f"d{i}" for i in range(len(documents))]
    measure = U(snippet=snippet, F=tenths / 10, L=limit, max_grade=3)
    value = irmx.calc_aggregate(measure, {"q": dict(zip(docs, grades, strict=True))}, run(docs, lengths))[measure]
    assert value == pytest.approx(written_out(grades, lengths, snippet, tenths, limit), abs=1e-12)


def test_two_topics_do_not_share_a_trailtext():
    both = pd.concat([run().assign(query_id="p"), run()])
    qrels = {"p": {"x": 1}, **QRELS}
    values = {m.query_id: m.value for m in irmx.iter_calc(U(L=10000), qrels, both)}
    assert values == pytest.approx({"p": 0.25 * 0.8, "q": 0.885})


def test_explained():
    explained = irmx.explain(U(L=10000), QRELS, run(), "q")
    assert explained.columns["position"] == [400, 1400]
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value)


def test_problems_of_the_data_are_named():
    with pytest.raises(
        irmx.DataError, match=r"U cannot be computed: the run column 'length'.*\(characters\), is missing"
    ):
        irmx.calc_aggregate(U, QRELS, {"q": {"a": 1.0}})
    with pytest.raises(irmx.DataError, match="query q, document 'b', is -1; a length cannot be negative"):
        irmx.calc_aggregate(U, QRELS, run(lengths=[1, 1, -1, 1]))
    with pytest.raises(
        irmx.DataError, match="Document 'b' of query q has the grade 2, but the largest of the scale is 1"
    ):
        irmx.calc_aggregate(U(max_grade=1), QRELS, run())


def test_the_largest_grade_of_the_qrels_counts_where_none_is_given():
    qrels = {**QRELS, "p": {"x": 3}}
    assert irmx.calc_aggregate(U, qrels, run())[U] == irmx.calc_aggregate(U(max_grade=3), qrels, run())[U(max_grade=3)]


@parametrize_with_checks([U(max_grade=10), U(L=500, max_grade=10) @ 3])
def test_checks(measure, check):
    check(measure)


@pytest.mark.parametrize("module", [irmx_umeasure.measure, irmx_umeasure.trailtext])
def test_examples(module):
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
    assert found.attempted > 0
