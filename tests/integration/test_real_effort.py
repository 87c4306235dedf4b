"""TBG, UMeasure and measures per effort: equality with the software of Jiang and Allan, query by query and session by session."""

import gzip
import os
from pathlib import Path

import pandas as pd
import pytest

import irmx

pytestmark = pytest.mark.real

EFFORTS = {"static": "[1,1,1]", "param": "[.25,1,1]", "time": "[9.8,23.0,37.6]"}
NAMES = ("P", "AP", "RR", "ERR", "DCG", "nDCG")
TBG = "TBG(times=[9.8,23.0,37.6],p_click=[.26,.5,.55],p_save=[0,.2,.8],half_life=31)@9"
MEASURES = {
    "TBG": TBG,
    "Umeasure": "UMeasure(L=99,max_grade=2,times=[9.8,23.0,37.6])@9",
    **{f"{m}/{e}": f"Effort(measure='{m}',max_grade=2,effort={v})@9" for m in NAMES for e, v in EFFORTS.items()},
    **{f"RBP{p}/{e}": f"Effort(measure='RBP',p={p},effort={v})@9" for p in (0.8, 0.6) for e, v in EFFORTS.items()},
    **{
        f"GRBP{p}/{e}": f"Effort(measure='RBP',p={p},gains=[0,.4,1],effort={v})@9"
        for p in (0.8, 0.6)
        for e, v in EFFORTS.items()
    },
}


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(os.environ["IRMX_DATA"])


def test_queries(folder: Path) -> None:
    sessions = folder / "sessions_chiir16"
    with gzip.open(sessions / "results.gz", "rt", encoding="utf-8") as file:
        next(file)
        cells = [line.rstrip("\n").split("\t") for line in file]
    rows = [(f"{c[0]}.{c[1]}", c[3], -float(c[2])) for c in cells if len(c) > 3]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    judged = pd.read_csv(sessions / "qrels.gz", sep="\t", dtype={"SessionID": str})
    judged.columns = ["session", "doc_id", "relevance"]
    queries = pd.DataFrame({"query_id": run.query_id.unique()})
    queries["session"] = queries.query_id.str.split(".").str[0]
    qrels = queries.merge(judged)[["query_id", "doc_id", "relevance"]]
    table = pd.read_csv(sessions / "per_query.tsv.gz", sep="\t", dtype={"session": str, "qno": str})
    reference = {
        metric: dict(zip(g.session + "." + g.qno, g.value, strict=True)) for metric, g in table.groupby("metric")
    }
    values = irmx.evaluator(list(MEASURES.values()), qrels).values(run)
    for metric, measure in MEASURES.items():
        expected = {query: reference[metric][query] for query in queries.query_id}
        assert len(expected) > 300
        assert values[irmx.parse_measure(measure)] == pytest.approx(expected, abs=1e-9), metric


@pytest.mark.parametrize("name", ["runA", "runB", "runC"])
def test_generated_collection(name: str, folder: Path) -> None:
    collection = folder / "effort" / "collection"
    names = ["query_id", "type", "doc_id", "rank", "score", "tag"]
    run = pd.read_csv(collection / f"{name}.txt", sep=" ", names=names, dtype={"query_id": str})
    lengths = pd.read_csv(collection / "doc_lengths.tsv", sep="	", index_col=1)
    run["length"] = run.doc_id.map(lengths["length_words"]).astype(float)
    table = pd.read_csv(folder / "effort" / "tbg_smucker_clarke_formula_per_topic.tsv", sep="\t", dtype={"topic": str})
    reference = table[table.run == name].set_index("topic")
    measures = {
        "tbg_h224": "TBG",
        "tbg_h31": "TBG(half_life=31)",
        "u_sakai_dou_L132000_offset_cumlen": "UMeasure(characters=1,gain='linear',max_grade=3)",
    }
    values = irmx.evaluator(list(measures.values()), collection / "qrels.graded").values(run)
    for column, measure in measures.items():
        assert values[irmx.parse_measure(measure)] == pytest.approx(reference[column].to_dict(), abs=1e-9)
