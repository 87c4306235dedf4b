"""Edges: nothing relevant, nothing retrieved, repeated rows, odd labels, common parameters, several topics and settings."""

from __future__ import annotations

import pickle
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx_temporal import cut

FIRST, LAST = -62135596800.0 + 2 * 86400, 253402300799.0 - 2 * 86400
"""The first second of the year 1 and the last of 9999 in every time zone."""

EVERY = (
    "TIA_nDCG@5 TIA_ERR@5 TIA_P@5 TIA_AP@5 T_StRecall@5 TIA_StRecall@5 IA_nDCG@5 IA_ERR@5 IA_P@5 IA_AP@5 I_rec@5 D_nDCG@5 "
    "Dsharp_nDCG@5 IntentAware(measure='AP') TimeAware(measure='AP') TimeAware(measure='alpha_nDCG@5')"
)


def values(text: str, qrels: Any, run: Any) -> list[float]:
    return list(irmx.calc_aggregate(text, qrels, run).values())


def test_names_and_aliases() -> None:
    assert irmx.parse_measure("T_SBR@5") == irmx.T_SBR @ 5 == irmx.T_StRecall @ 5
    assert irmx.parse_measure("SBR@5") == irmx.SBR @ 5 == irmx.I_rec @ 5
    assert irmx.parse_measure("TIA_MAP(window='1mo')") == irmx.TIA_AP(window="1mo")
    assert repr(irmx.parse_measure("TIA_SBR(a=0.7)")) == "TIA_StRecall(a=0.7)"
    assert irmx.parse_measure("TIA_nDCG(window='3600s')@5") == irmx.TIA_nDCG(window="1h") @ 5
    for measure in irmx.toolkit.parse_measures(EVERY):
        assert irmx.parse_measure(repr(measure)) == measure == pickle.loads(pickle.dumps(measure))


def test_through_ir_measures_two_settings_at_once(frame: Any, ranked: Any) -> None:
    qrels, run = frame(("a", "1"), ("b", "2")), ranked("a", "x", "b")
    measures = [irmx.IA_P @ 1, irmx.IA_P @ 30, irmx.TIA_nDCG @ 3, ir_measures.StRecall @ 3]
    found = ir_measures.calc_aggregate(
        measures, qrels, pd.DataFrame(list(ir_measures.util.RunConverter(run).as_namedtuple_iter()))
    )
    assert found[irmx.IA_P @ 1] == 0.5
    assert found[irmx.IA_P @ 30] == pytest.approx(1 / 30)
    assert found[ir_measures.StRecall @ 3] == 1


def test_nothing_relevant_and_nothing_retrieved(ranked: Any) -> None:
    """Topic q has nothing relevant, r has nothing retrieved that is, s is not in the run."""
    rows = [("q", "a", 0, "1"), ("r", "a", 1, "1"), ("s", "a", 1, "1")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"]).assign(window="w")
    run = {"q": {"a": 1.0}, "r": {"x": 1.0}}
    for metric in irmx.iter_calc(EVERY, qrels, run):
        assert metric.value == 0
    asked = irmx.parse_measure("IA_P(no_relevant='nan')@1")
    by_topic = {m.query_id: m.value for m in irmx.iter_calc([asked], qrels, run)}
    assert np.isnan(by_topic["q"])
    assert by_topic["r"] == by_topic["s"] == 0


def test_a_subtopic_without_a_relevant_document_does_not_count_unless_it_is_declared(frame: Any, ranked: Any) -> None:
    judged, declared = ("x", "2", "w", 0), ("", "2", "w", 0)
    assert values("I_rec@5 IA_P@1 D_nDCG", frame(("a", "1"), judged), ranked("a")) == [1, 1, 1]
    assert values("I_rec@5 IA_P@1 D_nDCG", frame(("a", "1"), declared), ranked("a")) == [0.5, 0.5, 1]
    assert values("T_StRecall TIA_P@1 TIA_P(cells='nonempty')@1", frame(("a", "1"), declared), ranked("a")) == [
        2 / 3,
        0.5,
        1,
    ]
    window = ("", "1", "v", 0)
    assert values("T_StRecall TIA_StRecall(window_weights='uniform')", frame(("a", "1"), window), ranked("a")) == [
        2 / 3,
        0.75,
    ]


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn, or given, that do
def test_repeated_rows_count_once(frame: Any, ranked: Any) -> None:
    once = frame(("a", "1", "t", 2), ("b", "2", "u"))
    twice = frame(("a", "1", "t", 1), ("a", "1", "t", 2), ("b", "2", "u"), ("b", "2", "u"))
    text = EVERY + " IA_P(subtopic_weights='proportional')@5"
    assert values(text, twice, ranked("x", "a")) == values(text, once, ranked("x", "a"))


@pytest.mark.parametrize(
    "labels",
    [
        [1, 2, 10],
        [1.0, 2.0, 10.0],
        ["1", "2", "10"],
        pd.Categorical(["b", "a", "c"]),
        np.array(["x", "y", "z"], dtype=object),
    ],
)
def test_labels_of_any_kind(labels: Any, frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "?"), ("b", "?"), ("c", "?")).assign(iteration=labels, window=labels)
    assert values("I_rec@1 T_StRecall@2 IA_P@3", qrels, ranked("a", "b", "x")) == pytest.approx([1 / 3, 2 / 3, 2 / 9])
    [e] = [irmx.explain("I_rec", qrels, ranked("a"), "q")]
    names = e.columns["name"]
    assert names == (["1", "2", "10"] if "1" in names else sorted(names))


def test_subtopic_id_is_the_subtopic(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "2")).rename(columns={"iteration": "subtopic_id"})
    assert values("I_rec@1 TIA_P@1", qrels, ranked("a")) == [0.5, 0.5]


def test_common_parameters(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1", "t", 1), ("b", "2", "t", 2), ("n", "1", "t", 0))
    run = ranked("x", "a", "n", "b")
    assert values(
        "IA_P@2 IA_P(rel=2)@4 IA_P(judged_only=True)@1 TIA_P(judged_only=True)@3", qrels, run
    ) == pytest.approx([0.25, 0.25, 0.5, 1 / 3])
    tied = {"q": {"a": 1.0, "x": 1.0, "b": 0.5}}
    assert values("IA_P@1 IA_P(ties='run')@1 TIA_P(ties='run')@1", qrels, tied) == [0, 0.5, 0.5]
    assert values("IA_P IA_P@100 IA_nDCG@100", qrels, ranked("a")) == pytest.approx([0.5, 0.005, 0.5])
    assert values("IA_nDCG(rel=0)@3 IA_nDCG(gain='exponential',rel=0)@3", frame(("n", "1", "t", 0)), ranked("n")) == [
        1,
        0,
    ]


def test_the_largest_grade_is_that_of_the_qrels_whatever_the_run_has(ranked: Any) -> None:
    rows = [("q", "a", 1, "1"), ("other", "b", 4, "1")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    measure = irmx.IA_ERR(stop="graded")
    alone = irmx.calc([measure], qrels, ranked("a")).per_query
    both = irmx.calc([measure], qrels, {**ranked("a"), "other": {"b": 1.0}}).per_query
    assert [m.value for m in alone] == [1 / 16, 0]
    assert [m.value for m in both] == [1 / 16, 15 / 16]


def test_one_evaluator_for_runs_with_different_topics(ranked: Any) -> None:
    """What is kept of the qrels from run to run is not mixed up between runs, settings and topics."""
    rows = [
        (q, d, g, s, w) for q in "pqr" for d, g, s, w in (("a", 1, "1", "t"), ("b", 2, "2", "u"), ("c", 0, "1", "t"))
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    text = EVERY + " IA_nDCG(rel=2)@5 TIA_P(window_weights='uniform')@5 IA_P(judged_only=True)@2"
    evaluator = irmx.evaluator(text, qrels)
    runs = [{q: {"x": 3.0, "b": 2.0, "a": 1.0} for q in topics} for topics in ("pqr", "r", "rp", "pqr", "q")]
    runs.append({"p": {"a": 1.0}, "q": {"b": 1.0}})
    for run in runs:
        assert evaluator.calc(run) == irmx.calc(text, qrels, run)


def test_weights_from_columns(frame: Any, ranked: Any) -> None:
    """Weight of a subtopic that holds no relevant document stays with it."""
    qrels = frame(
        ("a", "1", "t"),
        ("b", "2", "u"),
        ("n", "3", "t", 0),
        subtopic_weight=[0.5, 0.3, 0.2],
        window_weight=[0.9, 0.1, 0.9],
    )
    text = "IA_P@1 IA_P(subtopic_weights='uniform')@1 TIA_P@1 TIA_P(cells='nonempty')@1 TIA_P(window_weights='proportional')@1"
    assert values(text, qrels, ranked("a")) == pytest.approx([0.5, 0.5, 0.45, 0.45 / 0.48, 0.25])


def test_weights_may_stand_in_one_row_of_a_subtopic(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "2"), ("c", "1"), subtopic_weight=[0.75, 0.25, np.nan])
    assert values("IA_P@1", qrels, ranked("c")) == [0.75]


@pytest.mark.parametrize("window", ["1d", "1h", "3000y", "9000y", "200000w", "burst", "300000000000"])
@pytest.mark.parametrize("tz", ["UTC", "America/New_York", "Asia/Tokyo"])
def test_dates_of_the_first_and_the_last_year(frame: Any, ranked: Any, window: str, tz: str) -> None:
    qrels = frame(("a", "1"), ("b", "1")).assign(timestamp=[FIRST, LAST])
    number = window if not window.isdecimal() else float(window)
    found = irmx.calc_aggregate(f"TIA_P(window={number!r},tz={tz!r})@2", qrels, ranked("a", "b"))
    assert list(found.values()) == [0.5 if window != "burst" else 1.0]


def test_the_start_of_a_window_before_all_dates_is_the_first_date() -> None:
    for window, first, second in (
        ("300000000000s", "0001-01-03 00:00:00", "1970-01-01 00:00:00"),
        ("9000y", "0001", "1970"),
        ("200000w", "0001-01-01", "1969-12-22"),
    ):
        numbers, names = cut(np.array([-4e6, 1.0]), window, "UTC")
        assert numbers.tolist() == [0, 1]
        assert names == [first, second]


def test_grades_whose_gains_are_no_numbers(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1", "w", 1001), ("b", "1"))
    for text in ("IA_nDCG(gain='exponential')", "D_nDCG(gain='exponential')"):
        with pytest.raises(irmx.DataError, match=r"grades up to 1000\. The qrels have 1001; scale them"):
            irmx.calc_aggregate(text, qrels, ranked("a", "b"))
    found = irmx.calc_aggregate(
        "IA_ERR(stop='graded') D_nDCG", frame(("a", "1", "w", 2000), ("b", "1")), ranked("a", "b")
    )
    assert list(found.values()) == [1.0, 1.0]


def test_the_count_of_undated_documents_is_told_once(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "1"), ("c", "2")).assign(timestamp=[0.0, np.nan, 90000.0])
    measures = "TIA_P(window='1d')@3 TIA_AP(window='1d') TIA_AP(window='1mo') TIA_ERR(window='burst')"
    evaluator = irmx.evaluator(measures, qrels)
    with pytest.warns(irmx.DataWarning, match="1 of 3 relevant documents") as told:
        _ = [evaluator.calc_aggregate(ranked(*docs)) for docs in ("a", "b", "cab")]
    assert len(told) == 1


def test_dates_before_1677(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "1"), ("c", "1")).assign(
        timestamp=["1066-10-14", "1648-10-24", "2014-03-01T12:30:00Z"]
    )
    assert values("TIA_P(window='1d')@3", qrels, ranked("a", "b", "c")) == pytest.approx([1 / 3])


def test_a_swept_measure_does_not_hide_which_measure_it_is_lifted_by(frame: Any, ranked: Any) -> None:
    lifted = {"measure": ["AP", "P@1"]}
    found = irmx_study.sweep(
        "IntentAware", lifted, frame(("a", "1"), ("b", "2")), {"one": ranked("a")}, reference="AP", jobs=1
    )
    assert found.names == ("IntentAware(measure='AP')", "IntentAware(measure='P@1')", "AP")
    assert found.means().loc["one"].tolist() == [0.5] * 3


def test_settings_of_diversity_of_ir_measures_at_once_and_its_cutoffs(frame: Any, ranked: Any) -> None:
    qrels, run = frame(("a", "1"), ("b", "2"), ("c", "2", "w", 2)), ranked("a", "c", "b")
    texts = [
        "alpha_nDCG@5",
        "alpha_nDCG(alpha=0.2)@5",
        "P_IA@5",
        "P_IA(rel=2)@5",
        "NRBP(beta=0.2)",
        "NRBP(beta=0.8)",
        "AP",
    ]
    together = irmx.calc_aggregate(texts, qrels, run)
    for text in texts:
        alone = irmx.calc_aggregate(text, qrels, run)
        assert alone.items() <= together.items()
        assert min(alone.values()) > 0
    assert list(irmx.calc_aggregate("AP StRecall@50", qrels, run).values()) == [1, 1]


def test_a_period_without_quotes() -> None:
    assert irmx.parse_measure("TIA_P(window=1mo)@5") == irmx.parse_measure("TIA_P(window='1mo')@5")


def test_a_document_that_is_dated_in_one_of_its_rows(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "1"), ("a", "2"), ("b", "2"))
    every, some = (qrels.assign(timestamp=t) for t in ([0.0, 9e6, 0.0, 9e6], [0.0, np.nan, np.nan, 9e6]))
    for text in ("TIA_P(window='1mo')@2 TIA_AP(window='1mo')", "TIA_nDCG(window='burst')@2"):
        assert values(text, some, ranked("b", "x", "a")) == values(text, every, ranked("b", "x", "a"))


def test_a_grade_that_the_measure_lifted_does_not_take() -> None:
    with pytest.raises(irmx.UsageError, match=r"IntentAware cannot lift P\(rel=0.5\)@2, a measure of ir_measures"):
        irmx.parse_measure("IntentAware(measure='P@2',rel=0.5)")
