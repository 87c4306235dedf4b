"""The features of a collection, against counts in plain Python."""

import io
from collections import Counter
from typing import Any

import pandas as pd
import pytest

import irmx
import irmx_study
from irmx import UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

RUNS = [run_path(system) for system in SYSTEMS]


def ranked(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def test_the_features_of_the_demo_collection(command: Any) -> None:
    qrels = irmx.read_qrels(qrels_path()).as_dict()
    runs = [irmx.read_run(path).as_dict() for path in RUNS]
    grades = Counter(grade for grades in qrels.values() for grade in grades.values())
    relevant = [sum(grade >= 2 for grade in grades.values()) for grades in qrels.values()]
    lengths = [len(run[topic]) for run in runs for topic in qrels]
    depths = [
        min(rank for topic in qrels for rank, doc in enumerate(ranked(run[topic])) if doc not in qrels[topic])
        for run in runs
    ]
    done = command("collection", qrels_path(), *RUNS, "--rel", "2", "-o", "csv")
    found = pd.read_csv(io.StringIO(done.out)).set_index("feature")
    assert done.code == 0
    assert found.loc["topics", "number"] == len(qrels)
    assert found.loc["judged", "number"] == sum(grades.values())
    assert [found.loc[f"of grade {g}", "number"] for g in (0, 1, 2)] == [grades[g] for g in (0, 1, 2)]
    for feature, counts in (("relevant", relevant), ("retrieved", lengths)):
        row = [sum(counts), min(counts), sum(counts) / len(counts), max(counts)]
        assert found.loc[feature].tolist() == pytest.approx(row, abs=1e-12)
    assert found.loc["judged to rank"].tolist()[1:] == [min(depths), sum(depths) / 3, max(depths)]


@pytest.mark.filterwarnings("ignore:.*no results for")
def test_topics_that_lack_something_and_documents_not_judged() -> None:
    qrels = {"p": {"a": 1, "b": 0, "u": -1}, "q": {"c": 0}, "r": {"d": 1}}
    runs = {"one": {"p": {"a": 3.0, "u": 2.0, "b": 1.0}}, "two": {"p": {"b": 2.0}, "q": {"c": 1.0}}}
    rows = irmx_study.collection(qrels, runs).frame().set_index("feature")
    assert rows["number"].to_dict() == {
        "topics": 3, "topics without relevant": 1, "judged": 4, "relevant": 2, "of grade 0": 2, "of grade 1": 2,
        "runs": 2, "retrieved": 5, "judged to rank": None,
    }  # fmt: skip
    assert rows.loc["runs"].tolist() == [2, 0, 1.0, 2]  # topic r has none
    assert rows.loc["judged to rank"].tolist() == [None, 1, 1.0, 1]
    assert len(irmx_study.collection(qrels).frame()) == 6
    for nothing in ({"one": {"p": {}}}, {"one": {}}):
        empty = irmx_study.collection(qrels, nothing).frame().set_index("feature")
        assert (empty.loc["retrieved"].tolist(), empty.loc["judged to rank", "largest"]) == ([0, None, None, None], 0)
    assert irmx_study.collection({}).frame()["number"].tolist() == [0, 0, 0, 0]
    with pytest.raises(UsageError, match="nan"):
        irmx_study.collection(qrels, rel=float("nan"))


@pytest.mark.real
def test_published_features_of_trec_8(trec8: Any) -> None:
    rows = irmx_study.collection(trec8.qrels_path, trec8.run_paths).frame().set_index("feature")
    assert rows.loc["relevant"].tolist() == [4728, 6, 94.56, 347]
    assert rows["number"][["topics", "judged", "runs"]].tolist() == [50, 86_830, 129]
    assert rows.loc["judged to rank", "largest"] >= 100  # the depth of the pool, of the runs that were in it
