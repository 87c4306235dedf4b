"""The 129 runs of TREC-8 by parts of their judgments, with pytrec_eval beside, and without the groups that submitted them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx_study.measures.samples import JudgmentSamples, exact_percentages

pytestmark = pytest.mark.real

LEVELS = (90, 70, 50, 30, 10)


@pytest.fixture(scope="module")
def result(trec8: Any) -> irmx_study.Result:
    """AP, bpref, P@10 and AP of condensed lists, with two samples of each size."""
    runs = {name: str(path) for name, path in trec8.run_paths.items()}
    return irmx_study.pool("AP Bpref P@10 AP(judged_only=True)", trec8.qrels_path, runs, keep=LEVELS, samples=2)


def test_equal_to_pytrec_eval_with_cut_qrels(trec8: Any, result: irmx_study.Result) -> None:
    import pytrec_eval

    judgments = irmx.read_qrels(trec8.qrels_path)
    masks = list(JudgmentSamples(exact_percentages(LEVELS), 2, 0, 1).masks(judgments))
    values = result.frame("values").set_index(["keep", "sample", "measure", "run"])["value"].sort_index()
    names = {"map": "AP", "bpref": "Bpref", "P_10": "P@10"}
    runs = dict(list(trec8.run_paths.items())[::16])
    as_dicts = {name: irmx.read_run(path).as_dict() for name, path in runs.items()}
    for c in (2, 4, 9):
        evaluator = pytrec_eval.RelevanceEvaluator(judgments.where(masks[c]).as_dict(), {"map", "bpref", "P_10"})
        for name, run in as_dicts.items():
            by_topic = evaluator.evaluate(run)
            for theirs, ours in names.items():
                mean = sum(of[theirs] for of in by_topic.values()) / 50
                assert values[LEVELS[c % 5], 1 + c // 5, ours, name] == pytest.approx(mean, rel=0, abs=1e-12)


def test_sizes_of_the_samples(result: irmx_study.Result) -> None:
    sizes = result.frame("sizes").set_index("keep")
    assert sizes.loc[100, ["judged", "relevant"]].tolist() == [86_830, 4_728]
    assert np.abs(sizes["share"] - sizes.index).max() < 0.1
    assert np.abs(100 * sizes["relevant"] / 4728 - sizes.index).max() < 0.5


def test_bpref_and_condensed_lists_are_the_most_robust(result: irmx_study.Result) -> None:
    taus = result.frame().pivot(index="keep", columns="measure", values="tau").loc[list(LEVELS)]
    assert (np.diff(taus, axis=0) < 0).all(), "with fewer judgments, every ranking is farther from that by all"
    assert taus.loc[90].min() > 0.94
    few = taus.loc[10]
    assert few["AP(judged_only=True)"] > few["Bpref"] > 0.75 > few["AP"]
    drops = result.frame("drops").set_index(["measure", "keep"])["relative"]
    assert abs(drops["Bpref", 50]) < 0.05 < 0.3 < drops["AP", 50]


def test_groups_of_trec8(trec8: Any) -> None:
    table = pd.read_csv(trec8.folder / "runs_table.tsv", sep="\t")
    runs = {name: str(path) for name, path in trec8.run_paths.items()}
    result = irmx_study.leave_out("AP", trec8.qrels_path, runs, table, depth=100)
    groups = result.frame()
    assert len(groups) == table["group"].nunique()
    assert "; 0 are in no run's pool" in result.facts()["judgments"], "the pool of TREC-8 had the top 100 of these runs"
    assert (groups["tau"] > 0.98).all()
    most = groups.sort_values("relevant").iloc[-1]
    assert most["group"] == "miti", "manual runs that found many relevant documents that no other run has"
