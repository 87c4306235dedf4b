"""Discriminative power on the 129 runs of TREC-8 ad hoc, against the anonymised matrices and scipy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import irmx
import irmx_study

pytestmark = pytest.mark.real

MATRICES = {"AP": "adhoc8_ap", "P@10": "adhoc8_p10", "RR": "adhoc8_rr"}


@pytest.fixture(scope="module")
def scores(trec8_scores: irmx.Scores) -> irmx.Scores:
    return trec8_scores.select(measures=list(MATRICES))


@pytest.fixture(scope="module")
def of_runs(scores: irmx.Scores) -> irmx_study.Result:
    return irmx_study.discriminate(scores)


@pytest.fixture(scope="module")
def matrices(tmp_path_factory: pytest.TempPathFactory) -> dict[str, irmx.Scores]:
    """The matrices of topics by anonymised runs, as tables of per-topic results."""
    folder = Path(os.environ["IRMX_DATA"]) / "statistics" / "urbano2019"
    scores = {}
    for measure, name in MATRICES.items():
        head, *lines = (folder / f"{name}.csv").read_text().splitlines()
        table = tmp_path_factory.mktemp(name) / f"{name}.csv"
        table.write_text("\n".join([f"query_id,{head}", *(f"{t},{line}" for t, line in enumerate(lines, 401))]) + "\n")
        scores[measure] = irmx_study.read_per_topic([table], measure)
    return scores


def significant_by_scipy(values: Any) -> int:
    """Return how many pairs have a p-value of at most 0.05; that of identical systems is NaN."""
    a, b = np.triu_indices(values.shape[1], 1)
    distinct = (values[:, a] != values[:, b]).any(axis=0)
    return int((stats.ttest_rel(values[:, a[distinct]], values[:, b[distinct]]).pvalue <= 0.05).sum())


def test_power_by_t_of_the_matrices_is_that_of_the_runs(
    of_runs: irmx_study.Result, matrices: dict[str, irmx.Scores]
) -> None:
    frame = of_runs.frame().set_index("measure")
    for measure, scores in matrices.items():
        row, known = irmx_study.discriminate(scores, splits=0).frame().iloc[0], frame.loc[measure]
        assert row["pairs"] == known["pairs"] == 8256
        assert row["significant"] == significant_by_scipy(scores[measure])
        if measure == "P@10":  # whose values are the same
            assert row["significant"] == known["significant"] == 5317
            assert row["difference_needed"] == pytest.approx(known["difference_needed"], abs=1e-12)
        else:  # which the matrices round to four decimals: a p-value may cross the level
            assert abs(row["significant"] - known["significant"]) <= 1
            assert row["difference_needed"] == pytest.approx(known["difference_needed"], abs=1e-4)


def test_power_of_the_runs_is_that_of_scipy(scores: irmx.Scores, of_runs: irmx_study.Result) -> None:
    for row in of_runs.frame().itertuples():
        assert row.significant == significant_by_scipy(scores[row.measure])


def test_measures_of_one_document_swap_most_and_large_differences_least(of_runs: irmx_study.Result) -> None:
    assert of_runs.summary()["measure"].tolist() == ["AP", "P@10", "RR"]
    rates = of_runs.frame().set_index("measure")["swap_rate"]
    assert rates["AP"] < rates["P@10"] < rates["RR"]
    for _, table in of_runs.frame("swaps").groupby("measure"):
        assert table["swap_rate"].is_monotonic_decreasing
        assert 0.4 < table["swap_rate"].iloc[0] < 0.5
