"""Sessions of the study of Jiang and Allan (CHIIR 2016): equality with the values of its authors' software."""

import csv
import gzip
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_cwl import fit_to_ratings

pytestmark = pytest.mark.real
K = 9


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(os.environ["IRMX_DATA"]) / "sessions_chiir16"


@pytest.fixture(scope="module")
def run(folder: Path) -> pd.DataFrame:
    with gzip.open(folder / "results.gz", "rt", encoding="utf-8") as file:
        next(file)
        cells = [line.rstrip("\n").split("\t") for line in file]
    rows = [(c[0], int(c[1]), *((c[3], -float(c[2])) if len(c) > 3 else ("", None))) for c in cells]
    return pd.DataFrame(rows, columns=["query_id", "query_number", "doc_id", "score"])


@pytest.fixture(scope="module")
def qrels(folder: Path) -> pd.DataFrame:
    table = pd.read_csv(folder / "qrels.gz", sep="\t", dtype={"SessionID": str})
    return table.set_axis(["query_id", "doc_id", "relevance"], axis=1)


@pytest.fixture(scope="module")
def reference(folder: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    with (folder / "per_session.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found[row["metric"]][row["session"]] = float(row["value"])
    return found


def values(measure: str, qrels: Any, run: Any) -> dict[str, float]:
    [found] = irmx.evaluator(measure, qrels).values(run).values()
    assert len(found) == 80
    return found


@pytest.mark.parametrize(
    ("metric", "measure"),
    [
        ("sDCG", "sDCG(b=2,bq=4)@9"),
        ("sDCG_noq", "sDCG(b=2,bq=4,discount_queries=False)@9"),
        ("nsDCG", "nsDCG(b=2,bq=4)@9"),
        ("nsDCG_noq", "nsDCG(b=2,bq=4,discount_queries=False)@9"),
        ("sDCG/q", "sDCG_q(b=2,bq=4)@9"),
        ("sDCG/q_noq", "sDCG_q(b=2,bq=4,discount_queries=False)@9"),
    ],
)
def test_discounted_gain(metric: str, measure: str, qrels: Any, run: Any, reference: Any) -> None:
    assert values(measure, qrels, run) == pytest.approx(reference[metric], abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "measure"),
    [
        ("esNDCG(0.9,0.7) exact", "esNDCG(pref=.9,pdown=.7)@9"),
        ("esNCG(0.8,0.7) exact", "esNCG(pref=.8,pdown=.7)@9"),
    ],
)
def test_expectations(metric: str, measure: str, qrels: Any, run: Any, reference: Any) -> None:
    """Documents of grade -1 are unjudged, as in trec_eval; in the ideal path of the software they come last, with a gain of -1/2."""
    longest = run[run.doc_id != ""].groupby("query_id").size()
    judged = qrels[qrels.relevance >= 0].groupby("query_id").size()
    negative = set(qrels[qrels.relevance < 0].query_id)
    reached = {s for s in negative if longest[s] > judged[s]}
    found = values(measure, qrels, run)
    assert len(reached) == 3
    for session, value in reference[metric].items():
        assert found[session] == pytest.approx(value, abs=2e-8 if session in reached else 1e-9)


@pytest.mark.parametrize("over", ["sum", "mean", "max", "min", "first", "last"])
def test_ndcg_of_the_queries(over: str, qrels: Any, run: Any, reference: Any, folder: Path) -> None:
    """The software divides DCG by the discounts of the ranks that a query has filled, usual nDCG by those of all nine."""
    found = values(f"Session(measure=\"nDCG(dcg='exp-log2')@9\",over='{over}')", qrels, run)
    size = run[run.doc_id != ""].groupby(["query_id", "query_number"]).size().to_dict()
    short = {
        session for session, m in zip(run.query_id, run.query_number, strict=True) if size.get((session, m), 0) < K
    }
    full = {session: value for session, value in reference[f"{over} nDCG"].items() if session not in short}
    assert len(full) == 69
    assert {session: found[session] for session in full} == pytest.approx(full, abs=1e-9)
    discounts = np.cumsum(1 / np.log2(np.arange(2, K + 2)))
    by_session: dict[str, list[float]] = defaultdict(list)
    with gzip.open(folder / "per_query.tsv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["metric"] == "nDCG/static":
                n = size.get((row["session"], int(row["qno"])), 0)
                by_session[row["session"]].append(float(row["value"]) * (discounts[n - 1] / discounts[-1] if n else 0))
    put_together: Any = {
        "sum": sum,
        "mean": np.mean,
        "max": max,
        "min": min,
        "first": lambda v: v[0],
        "last": lambda v: v[-1],
    }
    assert found == pytest.approx({session: put_together[over](v) for session, v in by_session.items()}, abs=1e-9)


@pytest.mark.parametrize("correlation", ["pearson", "spearman"])
def test_agreement_with_ratings(correlation: str, qrels: Any, run: Any, folder: Path) -> None:
    """The correlations with performance and difficulty that the authors' values have; TBG and U are of each query."""
    times = "times=[9.8,23.0,37.6]"
    measures = {
        "#queries": "SessionCost(of='queries')",
        "sDCG": "sDCG(b=2,bq=4)@9",
        "nsDCG": "nsDCG(b=2,bq=4)@9",
        "sDCG/q": "sDCG_q(b=2,bq=4)@9",
        "mean TBG": f"Session(measure='TBG({times},p_click=[.26,.5,.55],p_save=[0,.2,.8],half_life=31)@9')",
        "mean Umeasure": f"Session(measure='UMeasure(L=99,max_grade=2,{times})@9')",
        "mean ERR/time": "Session(measure='Effort(measure=ERR,max_grade=2,effort=[9.8,23.0,37.6])@9')",
        "mean P/param": "Session(measure='Effort(measure=P,max_grade=2,effort=[.25,1,1])@9')",
    }
    ratings = pd.read_csv(folder / "session.gz", sep="\t", dtype={"SessionID": str})
    ratings = ratings.rename(
        columns={"SessionID": "query_id", "Performance": "performance", "Difficulty": "difficulty"}
    )
    published = pd.read_csv(folder / "correlations.tsv", sep="\t").set_index(["metric", "user_metric"])[correlation]
    for said in ("performance", "difficulty"):
        found = fit_to_ratings(
            list(measures.values()), qrels, run, ratings, said, correlation=correlation, resamples=100, repeats=1
        ).measures
        for metric, value in zip(measures, found["correlation"], strict=True):
            split = (
                correlation == "spearman" and metric == "mean Umeasure"
            )  # ties that the software's rounding errors split
            assert value == pytest.approx(published[metric, said], abs=1e-3 if split else 1e-9), metric
        assert (found["sessions"] == 80).all()
