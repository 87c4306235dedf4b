"""``irmx_study.compare`` on the results of ``pt.Experiment``, against the tests that PyTerrier does itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from pyterrier.measures import AP, GL_AD_ID, MP, RR, nDCG

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

MEASURES = [AP, nDCG @ 10, RR, MP(model=GL_AD_ID)]


@pytest.fixture(scope="module")
def experiment(topics: pd.DataFrame) -> Callable[..., Any]:
    """``pt.Experiment`` of the runs of the demo collection."""
    runs = {system: _results(system) for system in SYSTEMS}
    qrels = pt.irmx.qrels(qrels_path())

    def run(eval_metrics: list[Any] = MEASURES, systems: tuple[str, ...] = SYSTEMS, **options: Any) -> Any:
        names = [system if system not in systems[:i] else "copy" for i, system in enumerate(systems)]
        results = [runs[system].copy() for system in systems]
        return pt.Experiment(results, topics, qrels, eval_metrics, names=names, **options)

    return run


def _results(system: str) -> pd.DataFrame:
    run = irmx.read_run(run_path(system)).as_dict()
    rows = [(qid, docno, score) for qid, documents in run.items() for docno, score in documents.items()]
    return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docno", "score"]))


@pytest.mark.parametrize("baseline", [0, 2])
@pytest.mark.parametrize("correction", [None, "holm", "bonferroni"])
def test_p_values_and_counts_are_those_of_pyterrier(experiment: Any, baseline: int, correction: str | None) -> None:
    own = experiment(baseline=baseline, correction=correction).set_index("name")
    compared = irmx_study.compare(
        experiment(perquery=True), baseline=SYSTEMS[baseline], correction=correction or "none"
    ).frame()
    assert len(compared) == len(MEASURES) * (len(SYSTEMS) - 1)
    corrected = f"p-value{' corrected' if correction else ''}"
    for row in compared.itertuples():
        of_system = own.loc[row.a]
        assert row.mean_a == pytest.approx(of_system[row.measure], rel=1e-12)
        assert (row.wins, row.losses) == (of_system[f"{row.measure} +"], of_system[f"{row.measure} -"])
        assert row.p == pytest.approx(of_system[f"{row.measure} p-value"], rel=1e-12)
        assert row.p_corrected == pytest.approx(of_system[f"{row.measure} {corrected}"], rel=1e-12)


def test_only_pyterrier_counts_identical_systems_in_the_family(experiment: Any) -> None:
    """Their p is NaN there, and other corrected values are larger, or NaN, depending on the version of statsmodels."""
    systems = ("bm25", "bm25", "titles", "recent")
    own = experiment([AP], systems, baseline=0, correction="holm").set_index("name")["AP p-value corrected"]
    frame = irmx_study.compare(experiment([AP], systems, perquery=True), baseline="bm25").frame().set_index("a")
    without = irmx_study.compare(experiment([AP], perquery=True), baseline="bm25").frame().set_index("a")
    assert frame.loc["copy", ["p", "p_corrected"]].tolist() == [1, 1]
    assert frame.drop(index="copy")["p_corrected"].equals(without["p_corrected"])
    assert np.isnan(own["copy"])
    for system in ("titles", "recent"):
        assert not own[system] <= without.loc[system, "p_corrected"]


def test_names_of_trec_eval_and_counts_of_topics(experiment: Any) -> None:
    results = experiment(perquery=True, eval_metrics=["map", "ndcg_cut_10"])
    comparison = irmx_study.compare(results)
    assert comparison.frame()["measure"].unique().tolist() == ["AP", "nDCG@10"]
    assert comparison.baseline == ("bm25",)
    assert comparison.facts()["topics"] == "30"
