"""Values are Python's own floats, whichever tool computed them; numpy's print as np.float64(0.2)."""

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import irmx
import irmx_study
from irmx.demo import qrels_path, run_path

QRELS, RUN = str(qrels_path()), str(run_path("recent"))
QRELS_ROWS = [("1", "1", "a", 1), ("1", "2", "b", 2), ("1", "2", "a", 1), ("2", "1", "a", 1), ("3", "1", "c", 0)]
FRAME = pd.DataFrame(QRELS_ROWS, columns=["query_id", "iteration", "doc_id", "relevance"])
SCORES = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}, "2": {"y": 1.0}, "3": {"c": 1.0}}
OF_EACH_PROVIDER = {
    "pytrec_eval": "AP nDCG@10 NumRet NumQ",
    "cwl_eval": "RBP(rel=1) BPM(T=1.0,max_rel=2)@5 INST(T=1.0,max_rel=2) NERR8(max_rel=2)@5 P@2 RR AP",
    "compat": "Compat(p=0.9)",
    "pyndeval": "alpha_nDCG@10 ERR_IA@10 StRecall@5",
    "judged": "Judged@2",
    "msmarco": "RR@2",
    "gdeval": "ERR@20 nDCG(dcg='exp-log2')@20",
    "accuracy": "Accuracy",
    "irmx": "NCP(law=uniform) MP(model=GL_AD_ID)",
}


def of_provider(name: str) -> irmx.Evaluator:
    return irmx.Evaluator(OF_EACH_PROVIDER[name], FRAME, name)


@pytest.mark.parametrize("name", OF_EACH_PROVIDER)
def test_every_provider_gives_plain_floats(name: str) -> None:
    evaluator = of_provider(name)
    found = evaluator.calc(SCORES)
    every = [m.value for m in evaluator.iter_calc(SCORES)]
    every += [m.value for m in found.per_query]
    every += [*found.aggregated.values(), *evaluator.calc_aggregate(SCORES).values()]
    every += [value for by_topic in evaluator.values(SCORES).values() for value in by_topic.values()]
    assert len(every) >= 4
    assert {type(value) for value in every} == {float}


@pytest.mark.parametrize("output", ["tsv", "table", "jsonl"])
def test_all_places_are_printed_as_numbers(output: str, command: Callable[..., Any]) -> None:
    measures = ["RBP(rel=1)", "BPM(T=1.0,max_rel=3)@10", "nDCG@10", "NCP(law=uniform)"]
    done = command("eval", QRELS, RUN, *measures, "-p", -1, "-q", "-o", output)
    assert done.code == 0, done.err
    if output == "jsonl":
        shown = [json.loads(line)["value"] for line in done.out.splitlines()]
    elif output == "tsv":
        shown = [float(line.split("\t")[-1]) for line in done.out.splitlines()]
    else:
        shown = [
            float(cell) for line in done.out.splitlines() for cell in line.split()[-len(measures) :] if "." in cell
        ]
    expected = irmx.calc(" ".join(measures), QRELS, RUN)
    assert sorted(shown) == sorted([*(m.value for m in expected.per_query), *expected.aggregated.values()])


def test_tables_hold_floats() -> None:
    metrics = irmx.iter_calc("RBP(rel=1) AP", FRAME, SCORES)
    swept = irmx_study.sweep(
        "NCP(law=uniform)", {"rel": [1, 2]}, FRAME, {"run": SCORES}, reference="RBP(rel=1)", jobs=1
    )
    for table in (pd.DataFrame(metrics), swept):
        assert table["value"].dtype == float
