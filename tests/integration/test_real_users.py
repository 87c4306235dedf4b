"""TREC-8 ad hoc for every model of Markov precision: which run is better for whom, against SciPy and plain counting."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, ttest_rel

import irmx
import irmx_study
from irmx import Scores

pytestmark = pytest.mark.real

STEP = 8
"""Every eighth run, beside the two that are identical."""
SAME = ["Mer8Adtd1", "Mer8Adtd2"]
BASELINE = "ric8tpn"


@pytest.fixture(scope="module")
def models(trec8: Any) -> Scores:
    names = sorted({*list(trec8.run_paths)[::STEP], *SAME})
    return irmx.scores("MP(model=*)", trec8.qrels_path, {name: trec8.run_paths[name] for name in names})


def test_users_of_every_run_against_a_baseline(models: Scores) -> None:
    over = irmx_study.compare(models, baseline=BASELINE, correction="none").frame("over")
    baseline = models.values[:, models.systems.index(BASELINE)]
    assert len(over) == len(models.systems) - 1
    differing = 0
    for row in over.itertuples():
        winners = []
        for m in range(len(models.measures)):
            a, b = models.values[:, models.systems.index(row.a), m], baseline[:, m]
            significant = ttest_rel(a, b).pvalue <= 0.05
            winners.append(0 if not significant else 1 if a.mean() > b.mean() else -1)
        assert (row.better, row.worse) == (winners.count(1), winners.count(-1))
        differing += len(set(winners)) > 1
    assert differing  # for some runs it depends on the user


def test_identical_runs_are_told_apart_for_no_user(models: Scores) -> None:
    result = irmx_study.compare(models.select(systems=SAME))
    [row] = result.frame("over").to_dict("records")
    assert (row["better"], row["worse"], row["undecided"]) == (0, 0, len(models.measures))
    assert "identical" in " ".join(result.notes)
    bands = irmx_study.compare(models).frame("ranks").set_index("system")[["best", "median", "worst"]]
    assert bands.loc[SAME[0]].tolist() == bands.loc[SAME[1]].tolist()


def test_bands_of_ranks(models: Scores) -> None:
    means = models.values.mean(axis=0)
    ranks = np.array([[1 + (of_setting > one + 1e-15).sum() for one in of_setting] for of_setting in means.T])
    bands = irmx_study.compare(models).frame("ranks")
    assert bands["best"].tolist() == ranks.min(axis=0).tolist()
    assert bands["median"].tolist() == np.median(ranks, axis=0).tolist()
    assert bands["worst"].tolist() == ranks.max(axis=0).tolist()


def test_every_setting_against_average_precision(models: Scores, trec8: Any) -> None:
    """Two runs are identical, so that both rankings have ties."""
    ap = irmx.scores("AP", trec8.qrels_path, {name: trec8.run_paths[name] for name in models.systems})
    reference = ap.means()["AP"].to_dict()
    agreement = irmx_study.correlate(models, reference=reference)
    values = np.round(list(reference.values()), 13)
    expected = [kendalltau(values, np.round(means, 13)).statistic for means in models.values.mean(axis=0).T]
    assert agreement.frame("views")["tau"].tolist() == pytest.approx(expected)
    lowest, _, highest = agreement.frame("extremes").query("correlation == 'tau'")["value"]
    assert (lowest, highest) == pytest.approx((min(expected), max(expected)))
    beside = irmx_study.correlate(Scores.concat([models, ap]), reference="AP")
    assert beside.frame("views")["tau"].tolist() == pytest.approx(expected)
