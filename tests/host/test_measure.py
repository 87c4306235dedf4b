"""The base class of measures: the forms of scoring, what it checks, what it hands a measure, copies of measures."""

import math
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import COMMON_PARAMS, Column, DataError, Measure, Param, PluginError, Ranking, Rankings

QRELS = {"q": {"a": 1, "b": 2, "c": 0}, "r": {"a": 1}, "s": {"a": 0}}
RUN = {"q": {"c": 3.0, "a": 2.0, "x": 1.5, "b": 1.0}, "s": {"a": 1.0}}
READING = Column("run", "reading", "time spent", "s", how="measure it")
WINDOW = Column("qrels", "window_days", "length of the topic's window", "days")


class ByTopic(Measure):
    """The mean rank of the relevant documents, one topic at a time."""

    NAME = "ZMeanRank"
    SUPPORTED_PARAMS = {"scale": Param(float, "factor", default=1.0), **COMMON_PARAMS}
    DEFAULT = -1.0
    RANGE = (-1.0, math.inf)

    def score_topic(self, ranking: Ranking) -> float:
        return float(self["scale"] * np.mean(ranking.relevant.rank)) if len(ranking.relevant) else 0.0


class ByBatch(ByTopic):
    """The same, all topics at once."""

    NAME = "ZMeanRankBatch"

    def score(self, rankings: Rankings) -> Any:
        total = rankings.relevant.sum(rankings.relevant.rank)
        return self["scale"] * total / np.maximum(rankings.relevant.count, 1)


class Reading(Measure):
    NAME = "ZReading"
    RANGE = (0.0, math.inf)
    SUPPORTED_PARAMS = {**COMMON_PARAMS}
    RUN_COLUMNS = (READING,)

    def score(self, rankings: Rankings) -> Any:
        return rankings.relevant.sum(rankings.relevant.column(READING))


class ReadingByTopic(Reading):
    NAME = "ZReadingByTopic"
    RANGE = (0.0, math.inf)
    score = Measure.score

    def score_topic(self, ranking: Ranking) -> float:
        return float(ranking.relevant.column(READING).sum())


class Window(Measure):
    NAME = "ZWindow"
    RANGE = (0.0, math.inf)
    QREL_COLUMNS = (WINDOW,)

    def score_topic(self, ranking: Ranking) -> float:
        return float(ranking.topic_column(WINDOW))


def values(measure: Measure, qrels: Any = QRELS, run: Any = RUN) -> dict[str, float]:
    return {m.query_id: m.value for m in irmx.iter_calc(measure, qrels, run)}


@pytest.mark.parametrize("make", [ByTopic, ByBatch])
@pytest.mark.parametrize("run", [RUN, pd.DataFrame([(q, d, s) for q, r in RUN.items() for d, s in r.items()],
                                                   columns=["query_id", "doc_id", "score"])])  # fmt: skip
def test_both_forms_of_scoring_and_a_default_other_than_0(make: type[Measure], run: Any) -> None:
    assert values(make(), run=run) == {"q": 3.0, "r": -1.0, "s": 0.0}
    assert values(make(scale=2, rel=2) @ 3, run=run) == {"q": 0.0, "r": -1.0, "s": 0.0}
    assert values(make(judged_only=True), run=run) == {"q": 2.5, "r": -1.0, "s": 0.0}
    assert values(make(), run={}) == {"q": -1.0, "r": -1.0, "s": -1.0}
    assert ir_measures.calc_aggregate([make(), ir_measures.AP], QRELS, RUN)[make()] == pytest.approx(2 / 3)


def contributing(contributions: Callable[[Rankings], dict[str, Any]]) -> Measure:
    """Return a measure that defines its contributions alone."""
    body = {"NAME": "ZSum", "contributions": lambda self, rankings: contributions(rankings)}
    return type("ZSum", (Measure,), body)()


def test_the_score_follows_from_the_contributions() -> None:
    measure = contributing(lambda rankings: {"contribution": 1 / rankings.relevant.rank})
    rankings = irmx.rankings(QRELS, RUN)
    by_hand = [sum(1 / rank for rank in ranking.relevant.rank) for ranking in rankings]
    assert measure.score(rankings).tolist() == pytest.approx(by_hand)
    topic = str(rankings.topics[0])
    explanation = irmx.explain(measure, QRELS, RUN, topic)
    assert explanation.value == pytest.approx(sum(explanation.columns["contribution"])) == pytest.approx(by_hand[0])


FRAME = pd.DataFrame(
    {
        "query_id": ["r", "q", "q", "r", "q"],
        "doc_id": ["a", "b", "x", "y", "a"],
        "score": [1.0, 1.0, 2.0, 2.0, 3.0],
        "reading": [7.0, 2.0, np.nan, np.nan, 4.0],
    }
)


@pytest.mark.parametrize("make", [Reading, ReadingByTopic])
def test_a_run_column_follows_its_documents(make: type[Measure]) -> None:
    assert values(make(), run=FRAME) == {"q": 6.0, "r": 7.0, "s": 0.0}
    assert values(make() @ 1, run=FRAME) == {"q": 4.0, "r": 0.0, "s": 0.0}
    assert values(make(), run=FRAME.sample(frac=1, random_state=3)) == {"q": 6.0, "r": 7.0, "s": 0.0}


def test_a_run_column_that_is_missing_or_has_a_hole() -> None:
    with pytest.raises(DataError, match=r"ZReading cannot be computed: the run column 'reading', time spent \(s\), is missing"
                       ".*query_id, doc_id, score.*measure it"):  # fmt: skip
        values(Reading(), run=RUN)
    with pytest.raises(DataError, match=r"ZReading: .* 'reading' has no value for query q, document 'a' at rank 1"):
        values(Reading(), run=FRAME.assign(reading=[7.0, 2.0, 1.0, 1.0, np.nan]))
    assert ir_measures.providers.registry["irmx"].run_inputs([Reading()]) == ["query_id", "doc_id", "score", "reading"]
    for empty in ({}, FRAME[["query_id", "doc_id", "score"]].iloc[:0]):
        assert values(Reading(), run=empty) == {"q": 0.0, "r": 0.0, "s": 0.0}


def test_a_column_with_one_value_per_topic() -> None:
    rows = [("q", "a", 1, 30.0), ("r", "a", 1, 7.0), ("q", "b", 0, 30.0)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "window_days"])
    assert values(Window(), qrels=qrels, run=FRAME) == {"q": 30.0, "r": 7.0}
    with pytest.raises(DataError, match=r"'window_days' must have one value for query q. Found \[30.0, 31.0\]"):
        values(Window(), qrels=qrels.assign(window_days=[30.0, 7.0, 31.0]), run=FRAME)
    with pytest.raises(DataError, match="ZWindow cannot be computed: the qrels column 'window_days'"):
        values(Window(), run=FRAME)
    assert ir_measures.providers.registry["irmx"].qrel_inputs([Window()])[-1] == "window_days"


def test_numbers_of_numpy_make_equal_measures() -> None:
    assert ByTopic(rel=np.int64(2), cutoff=np.int32(5), scale=np.float32(0.5)) == ByTopic(rel=2.0, scale=0.5) @ 5
    assert str(ByTopic(rel=1, judged_only=np.bool_(False), scale=1)) == "ZMeanRank"


def test_a_scorer_that_fails_is_told_with_its_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Measure):
        NAME = "SetP"

        def score(self, rankings: Rankings) -> Any:
            raise KeyError("grade")

    monkeypatch.setitem(irmx.registry()._owners["scorers"], "SetP", (Broken(), "late (irmx-late 1.0)"))
    says = r"^The measure SetP, which the plugin late \(irmx-late 1\.0\) computes, failed with KeyError: 'grade' \(.*test_measure\.py, line \d+\)$"
    with pytest.raises(PluginError, match=says):
        irmx.calc_aggregate("AP SetP", {"q": {"a": 1}}, {"q": {"a": 1.0}})
