"""Measures of diversity lifted over windows: the value of every window is pyndeval's for its rows of the qrels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyndeval
import pytest

import irmx
from irmx_temporal import TimeAware

NDEVAL = {
    "alpha_nDCG@3": ("alpha-nDCG@3", {}),
    "alpha_nDCG(alpha=0.2)@10": ("alpha-nDCG@10", {"alpha": 0.2}),
    "alpha_nDCG(rel=2)@5": ("alpha-nDCG@5", {"relevance_level": 2}),
    "alpha_DCG@5": ("alpha-DCG@5", {}),
    "ERR_IA@5": ("ERR-IA@5", {}),
    "nERR_IA@5": ("nERR-IA@5", {}),
    "AP_IA": ("MAP-IA", {}),
    "P_IA@5": ("P-IA@5", {}),
    "StRecall@2": ("strec@2", {}),
    "NRBP": ("NRBP", {}),
    "nNRBP(alpha=0.3,beta=0.6)": ("nNRBP", {"alpha": 0.3, "beta": 0.6}),
}
"""Measures of ir_measures, and their names and options in pyndeval."""


def made(seed: int) -> tuple[pd.DataFrame, dict[str, dict[str, float]]]:
    """Qrels of two topics, whose many documents of equal gain let the order of ids matter in ideal rankings; and a run."""
    random = np.random.default_rng(seed)
    rows = []
    for topic in ("p", "q"):
        for doc in random.permutation(14):
            window = random.choice(["t1", "t2", "t3"])
            rows += [
                (topic, f"d{doc}", int(random.integers(0, 4)), f"c{c}", window)
                for c in range(5)
                if random.random() < 0.4
            ]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    run = {
        topic: {
            doc: float(-i) for i, doc in enumerate(random.permutation([*(f"d{i}" for i in range(14)), "x", "y"])[:11])
        }
        for topic in ("p", "q")
    }
    return qrels, run


def of_window(rows: pd.DataFrame, run: dict[str, float], name: str, options: dict[str, Any]) -> float:
    """The value of pyndeval, given the rows of one window."""
    judged = [pyndeval.SubtopicQrel("w", r.iteration, r.doc_id, r.relevance) for r in rows.itertuples()]
    documents = [pyndeval.ScoredDoc("w", doc, score) for doc, score in run.items()]
    [found] = pyndeval.RelevanceEvaluator(judged, [name], **options).evaluate_iter(documents)
    return float(found[name])


@pytest.mark.parametrize("text", NDEVAL)
@pytest.mark.parametrize("seed", range(6))
def test_every_window_is_scored_by_ndeval(text: str, seed: int) -> None:
    name, options = NDEVAL[text]
    qrels, run = made(seed)
    rel = options.get("relevance_level", 1)
    expected = {}
    for topic, of_topic in qrels.groupby("query_id"):
        share = of_topic[of_topic["relevance"] >= rel].drop_duplicates("doc_id")["window"].value_counts(normalize=True)
        expected[topic] = sum(
            share[window] * of_window(of_topic[of_topic["window"] == window], run[topic], name, options)
            for window in share.index
        )
    found = {m.query_id: m.value for m in irmx.iter_calc([TimeAware(text)], qrels, run)}
    assert found == pytest.approx(expected, abs=1e-12)
    assert min(expected.values()) > 0
    e = irmx.explain(TimeAware(text), qrels, run, "q")
    relevant = qrels[(qrels["query_id"] == "q") & (qrels["relevance"] >= rel)]
    assert e.columns["window"] == sorted(relevant["window"].unique())
    assert sum(e.columns["contribution"]) == pytest.approx(found["q"], abs=1e-12)


def test_one_window_is_the_measure_itself() -> None:
    qrels, run = made(0)
    for text in NDEVAL:
        lifted, plain = irmx.calc_aggregate([TimeAware(text), text], qrels.assign(window="all"), run).values()
        assert lifted == pytest.approx(plain, abs=1e-12)


def test_a_cutoff_from_outside_and_windows_from_dates(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "2"), ("c", "1")).assign(timestamp=["2014-03-01", "2014-03-09", "2014-05-02"])
    measure = irmx.parse_measure("TimeAware(measure='alpha_nDCG',window='1mo')@2")
    assert measure == TimeAware("alpha_nDCG@2", window="1mo")
    [value] = irmx.calc_aggregate(measure, qrels, ranked("a", "c")).values()
    ideal = 1 + 1 / np.log2(3)
    assert value == pytest.approx(2 / 3 * 1 / ideal + 1 / 3 / np.log2(3), abs=1e-6)


def test_windows_of_one_subtopic_are_not_doubted(frame: Any, ranked: Any, capfd: pytest.CaptureFixture[str]) -> None:
    qrels = frame(("a", "1", "t"), ("b", "2", "u"))
    [value] = irmx.calc_aggregate("TimeAware(measure='alpha_nDCG@2')", qrels, ranked("a", "b")).values()
    assert value == pytest.approx(0.5 + 0.5 / np.log2(3), abs=1e-6)
    assert capfd.readouterr().err == ""


def test_weights_of_windows_and_empty_ones(frame: Any, ranked: Any) -> None:
    """A window that is only declared counts 0, or drops out; a column of weights of subtopics is left alone."""
    qrels = frame(("a", "1", "t"), ("b", "2", "t"), ("", "1", "u", 0), subtopic_weight=[0.9, 0.1, 0.9])
    text = "TimeAware(measure='StRecall@1'{}window_weights='uniform')"
    for cells, value in ((",", 0.25), (",cells='nonempty',", 0.5)):
        assert list(irmx.calc_aggregate(text.format(cells), qrels, ranked("a")).values()) == [value]


def test_what_pyndeval_does_not_do(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "2"))
    for text in ("alpha_nDCG@50", "alpha_nDCG", "ERR_IA(judged_only=True)@30"):
        [value] = irmx.calc_aggregate(TimeAware(text), qrels, ranked("a", "b")).values()
        [alone] = irmx.calc_aggregate(text, qrels, ranked("a", "b")).values()
        assert value == pytest.approx(alone)


def test_a_relevant_document_without_a_subtopic(frame: Any, ranked: Any) -> None:
    with pytest.raises(irmx.DataError, match="no subtopic for query q, a relevant document in row 2 of the topic"):
        irmx.calc_aggregate(TimeAware("alpha_nDCG@5"), frame(("a", "1"), ("b", None)), ranked("a"))
    with pytest.raises(irmx.DataError, match="the qrels have no subtopics"):
        irmx.calc_aggregate(TimeAware("alpha_nDCG@5"), frame(("a", "0"), ("b", "0")), ranked("a"))
