"""MP times relative recall: r over the most that one run of a set retrieves (M3)."""

import pytest

import irmx
from irmx_markov import add_best_retrieved

QRELS = {"q1": {"a": 1, "b": 1, "c": 1, "n": 0}, "q2": {"a": 1}}
RUNS = [
    {"q1": {"a": 3.0, "n": 2.0}, "q2": {"x": 1.0}},
    {"q1": {"n": 3.0, "a": 2.0, "b": 1.0}, "q2": {"x": 1.0}},
]
MEASURE = "MP(model=constant,rescale='relative_recall')"


def test_by_hand():
    """q1: the best run has 2 relevant; the first run's MP is 1, times 1/2. q2: nobody finds anything: 0."""
    qrels = add_best_retrieved(QRELS, RUNS)
    assert qrels.groupby("query_id")["best_retrieved"].first().to_dict() == {"q1": 2, "q2": 0}
    values = {m.query_id: m.value for m in irmx.iter_calc(MEASURE, qrels, RUNS[0])}
    assert values == {"q1": 0.5, "q2": 0.0}
    second = {m.query_id: m.value for m in irmx.iter_calc(MEASURE, qrels, RUNS[1])}
    assert second["q1"] == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_a_run_outside_the_set_is_refused():
    with pytest.raises(irmx.DataError, match=r"'best_retrieved' is 1 for query q1, but this run retrieves 2"):
        irmx.calc_aggregate(MEASURE, add_best_retrieved(QRELS, RUNS[:1]), RUNS[1])


def test_without_the_column():
    with pytest.raises(irmx.DataError, match=r"qrels column 'best_retrieved'.*irmx markov best-retrieved"):
        irmx.calc_aggregate(MEASURE, QRELS, RUNS[0])


def test_two_values_for_a_topic_are_refused():
    table = add_best_retrieved(QRELS, RUNS)
    table.loc[0, "best_retrieved"] = 7
    with pytest.raises(irmx.DataError, match=r"one value for query q1. Found \[2.0, 7.0\]"):
        irmx.calc_aggregate(MEASURE, table, RUNS[0])


def test_cutoff_counts_on_both_sides():
    qrels = add_best_retrieved(QRELS, RUNS, cutoff=1)
    values = {m.query_id: m.value for m in irmx.iter_calc(MEASURE + "@1", qrels, RUNS[0])}
    assert values["q1"] == 1.0
