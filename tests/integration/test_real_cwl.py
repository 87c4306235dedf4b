"""Users of C/W/L: equality with cwl_eval's five values on a generated collection with costs."""

import lzma
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx

pytestmark = pytest.mark.real

USERS = {
    "P@5": "precision(k=5)",
    "P@10": "precision(k=10)",
    "RBP@0.8": "rbp(p=0.8)",
    "RBP@0.9": "rbp(p=0.9)",
    "NDCG-k@10": "dcg(k=10)",
    "RR": "rr",
    "TBG-H@22": "tbg(half_life=22)",
    "TBG-H@31": "tbg(half_life=31)",
    "TBG-H@224": "tbg(half_life=224)",
    "U-L@99": "u(L=99)",
    "U-L@500": "u(L=500)",
    "U-L@2000": "u(L=2000)",
    "AP": "ap",
    "INSQ-T=1": "insq(T=1)",
    "INST-T=1": "inst(T=1)",
    "INST-T=2.5": "inst(T=2.5)",
    "BPM-Static-T=1.2-K=100": "bpm(T=1.2,K=100)",
    # cwl_eval moves the goal, but not the budget
    "BPM-Dynamic-T=1.2-K=100-hb=1.0-hc=1.0": "bpm(T=1.2,K=100,hb=1)",
    "IFT-C1-T=2.0-b1=0.9-R1=1": "ift(rules='goal',T=2,b1=0.9,R1=1)",
    "IFT-C1-T=2.0-b1=0.9-R1=10": "ift(rules='goal',T=2,b1=0.9,R1=10)",
    "IFT-C2-A=0.02-b2=0.9-R2=1": "ift(rules='rate',A=0.02,b2=0.9,R2=1)",
    "IFT-C2-A=0.02-b2=0.9-R2=10": "ift(rules='rate',A=0.02,b2=0.9,R2=10)",
    "IFT-C2-A=0.2-b2=0.9-R2=10": "ift(rules='rate',A=0.2,b2=0.9,R2=10)",
    "IFT-C1-C2-T=2.0-b1=0.9-R1=1-A=0.02-b2=0.9-R2=10": "ift(R1=1,A=0.02,R2=10)",
    "IFT-C1-C2-T=2.0-b1=0.9-R1=10-A=0.02-b2=0.9-R2=100": "ift(R1=10,A=0.02,R2=100)",
    "IFT-C1-C2-T=2.0-b1=0.9-R1=10-A=0.2-b2=0.9-R2=10": "ift(R1=10,A=0.2,R2=10)",
}
VALUES = ("EU", "ETU", "EC", "ETC", "ED")


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(os.environ["IRMX_DATA"]) / "effort"


@pytest.fixture(scope="module")
def reference(folder: Path) -> pd.DataFrame:
    with lzma.open(folder / "cwl_per_topic.tsv.xz") as file:
        table = pd.read_csv(file, sep="\t", dtype={"topic": str})
    return table.set_index(["cost_model", "max_depth", "run", "metric"]).sort_index()


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, pd.DataFrame]:
    """The runs with the cost of the type of each document."""
    collection = folder / "collection"
    cost = dict(line.split() for line in (collection / "costs.types").read_text().splitlines())
    names = ["query_id", "type", "doc_id", "rank", "score", "tag"]
    read: dict[str, Any] = {"sep": " ", "names": names, "dtype": {"query_id": str}}
    tables = {name: pd.read_csv(collection / f"{name}.txt", **read) for name in ("runA", "runB", "runC")}
    return {name: table.assign(cost=table["type"].map(cost).astype(float)) for name, table in tables.items()}


@pytest.mark.parametrize(("costs", "depth"), [("types", 30), ("types", 1000), ("unit", 1000)])
def test_five_values_of_every_user(
    costs: str, depth: int, folder: Path, reference: pd.DataFrame, runs: dict[str, pd.DataFrame]
) -> None:
    largest = ",largest_cost=61.5" if costs == "types" else ""
    setting = f"max_grade=1,rel=0.001,depth={depth}{largest}"
    measures = {(m, v): f"CWL(user={user},value={v},{setting})" for m, user in USERS.items() for v in VALUES}
    evaluator = irmx.evaluator(list(measures.values()), folder / "collection" / "qrels.gain")
    for name, run in runs.items():
        values = evaluator.values(run if costs == "types" else run.drop(columns="cost"))
        for (metric, quantity), measure in measures.items():
            rows = reference.loc[(costs, depth, name, metric)].set_index("topic")[quantity]
            expected = rows.to_dict()
            assert len(expected) == 20
            assert values[irmx.parse_measure(measure)] == pytest.approx(expected, rel=1e-9, abs=1e-9), measure
