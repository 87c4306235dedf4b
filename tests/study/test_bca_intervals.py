"""BCa intervals: against SciPy, for the same resamples."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from irmx.ragged import Floats
from irmx_study.significance import bca_intervals as module
from irmx_study.significance.bca_intervals import bca_intervals
from irmx_study.significance.random_draws import resampled_topics

from .significance_blocks import all_pairs, measured


@pytest.mark.parametrize("level", [0.05, 0.3])
@pytest.mark.parametrize("values", [measured(25, 4), measured(60, 3) ** 4, (measured(16, 4) * 8).round() / 8])
def test_they_are_those_of_scipy(values: Floats, level: float) -> None:
    paired = all_pairs(values, draws=700, seed=5)
    counts = np.concatenate(list(resampled_topics(len(values), 700, 5)))
    low, high = bca_intervals(paired, level)
    for pair in range(len(paired)):
        differences = paired.differences()[:, pair]
        resampled = SimpleNamespace(bootstrap_distribution=counts @ differences / len(values))
        expected = stats.bootstrap(
            (differences,), np.mean, n_resamples=0, bootstrap_result=resampled, confidence_level=1 - level, method="BCa"
        ).confidence_interval
        assert (low[pair], high[pair]) == pytest.approx((expected.low, expected.high), rel=1e-12, abs=1e-12)


def test_differences_that_are_all_the_same_have_an_interval_of_one_point() -> None:
    values = np.array([[0.3, 0.2, 0.2], [0.2, 0.1, 0.1], [0.8, 0.7, 0.7]])
    low, high = bca_intervals(all_pairs(values, draws=100), 0.05)
    np.testing.assert_allclose([low, high], [[0.1, 0.1, 0]] * 2, atol=1e-14)


def test_chunks_of_pairs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    paired = all_pairs(measured(30, 7), draws=500)
    expected = [ends.tolist() for ends in bca_intervals(paired, 0.05)]
    monkeypatch.setattr(module, "_MEANS", 2000)
    assert [ends.tolist() for ends in bca_intervals(paired, 0.05)] == expected
