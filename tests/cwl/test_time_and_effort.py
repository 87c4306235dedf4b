"""TBG, U and measures per effort: worked by hand, and the usual measures where all efforts are equal."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

QRELS = {"q": {"a": 2, "b": 1}}
RUN = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "length": [500, 1000, 200]})

DCG = (3 + 1 / 2) / (1 + 0.25 / math.log2(3) + 0.5 / 2)
"""2^grade - 1 at the ranks 1 and 3, over the efforts 1, 1/4 and 1/2, both discounted."""


def value(measure, qrels=QRELS, run=RUN):
    [values] = irmx.evaluator(measure, qrels).values(run).values()
    return values["q"]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("TBG", 0.64 * 0.77 * (1 + 2 ** (-(15.152 + 14.462) / 224))),
        ("TBG(half_life=31,times=[9.8,23])", 0.64 * 0.77 * (1 + 2 ** (-32.8 / 31))),
        ("UMeasure", (1 - 3000 / 132000) + (1 - 10200 / 132000)),
        ("UMeasure(max_grade=2)", 0.75 * (1 - 3000 / 132000) + 0.25 * (1 - 10200 / 132000)),
        ("UMeasure(L=50,times=[10,20])", 1 - 20 / 50),
        ("Effort(measure='P',effort=[1,2,4])", 2 / (1 + 1 / 4 + 1 / 2)),
        ("Effort(measure='RR',effort=[1,2,4])", 1),
        ("Effort(measure='AP',effort=[1,2,4])", (1 + 2 / 1.75) / 2),
        ("Effort(measure='RBP',p=0.5,effort=[1,2,4])", (1 + 0.25) / (1 + 0.125 + 0.125)),
        ("Effort(measure='ERR',max_grade=2,effort=[1,2,4])", 0.75 + 0.25 * 0.25 / 1.75),
        ("Effort(measure='DCG',effort=[1,2,4])", DCG),
        ("Effort(measure='nDCG',effort=[1,2,4])", DCG / ((3 + 1 / math.log2(3)) / (1 + 0.5 / math.log2(3)))),
        ("Effort(measure='P',effort=[1,2,4],gains=[0,1,5])", 6 / 1.75),
        ("Effort(measure='P')", 2 / ((37.6 + 9.8 + 23) / 37.6)),
        ("Effort(measure='RBP')", (1 + 0.8**2) / ((37.6 + 0.8 * 9.8 + 0.8**2 * 23) / 37.6)),
        ("Effort(measure='ERR')", 3 / 16 + 13 / 16 * 1 / 16 / ((37.6 + 9.8 + 23) / 37.6)),
    ],
)
def test_worked_by_hand(measure, expected):
    assert value(measure) == pytest.approx(expected, abs=1e-12)


@given(st.permutations("abcdefgh"), st.lists(st.integers(0, 4), min_size=8, max_size=8))
def test_equal_efforts_give_the_usual_measures(docs, grades):
    qrels = {"q": dict(zip("abcdefgh", grades, strict=True))}
    run = {"q": {doc: -float(i) for i, doc in enumerate(docs)}}
    for name, other, by in (
        ("P", "P@5", 1),
        ("AP", "AP@5", 1),
        ("RR", "RR@5", 1),
        ("RBP", "RBP(rel=1,p=0.8)@5", 1 / (1 - 0.8**5)),
        ("nDCG", "nDCG(dcg='exp-log2')@5", 1),
    ):
        usual = value(other, qrels, run) * by
        assert value(f"Effort(measure='{name}',effort=[1])@5", qrels, run) == pytest.approx(usual, abs=1e-9)


def test_lists_need_a_value_and_lengths_are_not_negative():
    with pytest.raises(irmx.UsageError, match="'p_click'"):
        value("TBG(p_click=[])")
    with pytest.raises(irmx.DataError, match="'length' must be 0"):
        value("UMeasure", run=RUN.assign(length=[1, -1, 1]))


@pytest.mark.parametrize("measure", ["TBG", "UMeasure", "Effort(measure='nDCG')"])
def test_contributions_add_up(measure):
    parts = irmx.explain(measure, QRELS, RUN, "q")
    assert sum(parts.columns["contribution"]) == pytest.approx(parts.value)
    assert list(parts.columns["doc_id"]) == ["a", "b"]


@pytest.mark.parametrize("name", ["TBG", "UMeasure"])
def test_lengths_are_read_unless_times_are_given(name):
    read = [irmx.parse_measure(text).run_columns() for text in (name, f"{name}(times=[9.8,23])")]
    assert [[column.name for column in columns] for columns in read] == [["length"], []]
