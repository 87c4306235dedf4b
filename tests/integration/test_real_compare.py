"""``irmx compare`` on the 129 runs of TREC-8 ad hoc, against scipy, statsmodels and published values."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irmx
import irmx_study

pytestmark = pytest.mark.real


def test_all_pairs_by_t_and_holm_are_those_of_scipy_and_statsmodels(trec8_scores: irmx.Scores) -> None:
    ap = trec8_scores.select(measures="AP")
    comparison = irmx_study.compare(ap, all_pairs=True)
    frame = comparison.frame()
    assert len(frame) == 129 * 128 // 2 == 8256
    places = {system: place for place, system in enumerate(ap.systems)}
    a, b = frame["a"].map(places).to_numpy(), frame["b"].map(places).to_numpy()
    distinct = np.any(ap["AP"][:, a] != ap["AP"][:, b], axis=0)
    assert distinct.sum() == 8254
    a, b = a[distinct], b[distinct]
    known = stats.ttest_rel(ap["AP"][:, a], ap["AP"][:, b])
    tested = frame[distinct]
    np.testing.assert_allclose(tested["statistic"], known.statistic, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(tested["p"], known.pvalue, rtol=1e-10)
    np.testing.assert_allclose(tested["p_corrected"], multipletests(tested["p"], method="holm")[1], rtol=1e-12)
    interval = known.confidence_interval(0.95)
    np.testing.assert_allclose(tested[["low", "high"]], np.stack([interval.low, interval.high], axis=1), atol=1e-13)
    identical = frame[~distinct]
    assert identical[["a", "b"]].to_numpy().tolist() == [["Mer8Adtd2", "Mer8Adtd1"], ["isa50t", "isa25t"]]
    assert (identical[["p", "p_corrected"]] == 1).all(axis=None)
    assert comparison.notes == (
        "identical on every topic, and not counted in the family: Mer8Adtd2 and Mer8Adtd1 (AP), isa50t and isa25t (AP)",
    )


def test_identical_runs_are_told_by_the_command(command: Any, trec8: Any) -> None:
    paths = [trec8.run_paths[run] for run in ("Mer8Adtd1", "Mer8Adtd2", "ok8amxc")]
    labels = [word for path in paths for word in ("--label", f"{path.name}={path.name.removeprefix('input.')}")]
    done = command("compare", trec8.qrels_path, *paths, "AP", "P@10", *labels)
    assert done.code == 0
    assert "identical" not in done.out  # each is compared with ok8amxc, the best
    done = command("compare", trec8.qrels_path, *paths, "AP", "P@10", *labels, "--baseline", "Mer8Adtd1")
    assert done.code == 0
    same = "identical on every topic, and not counted in the family: Mer8Adtd2 and Mer8Adtd1 (AP, P@10)"
    assert done.out.count(same) == 1


# -- a pair with published p-values ----------------------------------------------------------------------------------------

PUBLISHED = {
    "t": (0.0013193972, 5e-11),
    "wilcoxon(method='asymptotic',continuity=True)": (0.003445188, 5e-10),
    "sign": (0.009559879, 5e-10),
}
"""Columns 125 and 126 of Urbano's adhoc8_ap.csv, two-sided (Urbano, Lima and Hanjalic, SIGIR 2019), and the last digit."""


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """The two columns as a table of per-topic results."""
    folder = Path(os.environ["IRMX_DATA"]) / "statistics" / "urbano2019"
    with (folder / "adhoc8_ap.csv").open() as lines:
        table = [(row[124], row[125]) for row in csv.reader(lines)]
    rows = [",".join(("query_id", *table[0])), *(f"{t},{a},{b}" for t, (a, b) in enumerate(table[1:], 401))]
    (tmp_path / "pair.csv").write_text("\n".join(rows) + "\n")
    return tmp_path / "pair.csv"


@pytest.mark.parametrize("test", PUBLISHED)
def test_published_p_values_by_the_command(command: Any, pair: Path, test: str) -> None:
    expected, last_digit = PUBLISHED[test]
    words = ["--test", test] + (["--tie-threshold", "0.01"] if test == "sign" else [])
    done = command("compare", "--scores", pair, "--measure", "AP", *words, "-o", "jsonl")
    assert done.code == 0
    row = json.loads(done.out)
    assert row["p"] == pytest.approx(expected, abs=last_digit)
    assert row["p_corrected"] == row["p"]
