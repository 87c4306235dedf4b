"""The paired t test, and what systems without variance get."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irmx
import irmx_study
from irmx.ragged import Floats
from irmx_study.significance import paired_values
from irmx_study.significance.effect_sizes import paired_effects
from irmx_study.significance.paired_values import PairedValues
from irmx_study.significance.t_test import TTest, t_intervals

from .significance_blocks import all_pairs, blocks, measured


@given(blocks(), st.sampled_from([1.0, 1e-9, 3e5]), st.booleans())
def test_it_is_that_of_scipy(values: Floats, scale: float, is_near: bool) -> None:
    """Also for systems that are nearly the same, but for rounding, and for values in other units."""
    values = values * scale
    if is_near:
        values = values[:, :1] + values * 1e-9
    paired = all_pairs(values)
    statistic, p = TTest().test(paired)
    differences = paired.differences()
    low, high = t_intervals(differences, 0.1)
    for pair, (a, b) in enumerate(zip(paired.first, paired.second, strict=True)):
        column = values[:, a] - values[:, b]
        if (column == 0).all():
            assert (statistic[pair], p[pair], low[pair], high[pair]) == (0, 1, 0, 0)
        elif np.ptp(column) > max(1e-9 * np.abs(column).max(), 16 * np.finfo(float).eps * np.abs(values).max()):
            expected = stats.ttest_rel(values[:, a], values[:, b])
            ends = expected.confidence_interval(0.9)
            np.testing.assert_allclose(
                [statistic[pair], p[pair]], [expected.statistic, expected.pvalue], rtol=1e-12, atol=1e-12
            )
            np.testing.assert_allclose([low[pair], high[pair]], [ends.low, ends.high], rtol=1e-12, atol=1e-12 * scale)


def test_a_difference_that_is_the_same_everywhere_has_no_variance() -> None:
    """0.3 - 0.2, 0.2 - 0.1 and 0.8 - 0.7 are equal but for rounding, which is no variance."""
    paired = PairedValues(np.array([[0.3, 0.2], [0.2, 0.1], [0.8, 0.7]]), np.array([0, 1, 0]), np.array([1, 0, 0]))
    statistic, p = TTest().test(paired)
    assert statistic.tolist() == [np.inf, -np.inf, 0]
    assert p.tolist() == [0, 0, 1]
    assert paired_effects(paired.differences()).tolist() == [np.inf, -np.inf, 0]
    low, high = t_intervals(paired.differences(), 0.05)
    np.testing.assert_allclose([low, high], [[0.1, -0.1, 0]] * 2, atol=1e-15)


@pytest.mark.parametrize("test", ["t", "tukey"])
def test_a_comparison_says_that_a_difference_has_no_variance(test: str) -> None:
    rows = [(str(q), s, "AP", q / 50 + d) for q in range(20) for s, d in {"a": 0.0, "b": 0.1, "c": 0.1}.items()]
    scores = irmx.Scores.from_frame(pd.DataFrame(rows, columns=["query_id", "system", "measure", "value"]))
    comparison = irmx_study.compare(scores, all_pairs=True, test=test)
    assert comparison.notes == (
        "identical on every topic, and not counted in the family: c and b (AP)",
        "the same difference on every topic, so that no variance is left to judge it by: b and a (AP), c and a (AP)",
    )
    assert comparison.frame()["p"].tolist() == [0, 0, 1]


def test_chunks_of_pairs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    paired = all_pairs(measured(50, 12), tie_threshold=0.05)
    expected = TTest().test(paired), paired.outcomes()
    monkeypatch.setattr(paired_values, "_FLOATS", 60)
    assert len(list(paired.chunks())) == 66
    for one, other in zip(expected, (TTest().test(paired), paired.outcomes()), strict=True):
        assert [array.tolist() for array in one] == [array.tolist() for array in other]


def test_the_memory_for_many_topics_and_pairs_is_small() -> None:
    """129 systems on 7,000 topics: the differences of all pairs are 460 MB."""
    import tracemalloc

    paired = all_pairs(np.random.default_rng(0).random((7000, 129)))
    tracemalloc.start()
    TTest().test(paired)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40e6


def test_a_tie_is_a_difference_up_to_the_threshold() -> None:
    """0.3 - 0.29 is more than 0.01 in floats; in decimals it is not."""
    values = np.array([[0.3, 0.29], [0.29, 0.3], [0.5, 0.48], [0.5, 0.5], [0.1, 0.9]])
    assert [int(count[0]) for count in all_pairs(values).outcomes()] == [2, 1, 2]
    assert [int(count[0]) for count in all_pairs(values, tie_threshold=0.01).outcomes()] == [1, 3, 1]


def test_the_level_is_the_share_of_true_hypotheses_rejected() -> None:
    """Under a true null hypothesis the t test rejects .05 of 20,000 pairs of systems at the level .05."""
    rng = np.random.default_rng(5)
    values = rng.beta(2, 5, (50, 1)) + rng.laplace(0, 0.1, (50, 40_000))
    paired = PairedValues(values, np.arange(0, 40_000, 2), np.arange(1, 40_000, 2))
    assert (TTest().test(paired)[1] <= 0.05).mean() == pytest.approx(0.05, abs=0.006)
