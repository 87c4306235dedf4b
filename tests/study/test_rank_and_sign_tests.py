"""Wilcoxon's test against SciPy, pair by pair, and the sign test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from irmx.ragged import Floats
from irmx_study.significance.rank_tests import SignTest, WilcoxonTest, count_lost_ties

from .significance_blocks import all_pairs, blocks, measured

OPTIONS: list[dict[str, Any]] = [
    {},
    {"zeros": "pratt", "method": "asymptotic"},
    {"zeros": "zsplit", "method": "asymptotic", "continuity": False},
]


def expected_of(values: Floats, a: int, b: int, options: dict[str, Any]) -> list[float]:
    if (values[:, a] == values[:, b]).all():
        return [0.0, 1.0]
    result = stats.wilcoxon(
        values[:, a] - values[:, b],
        zero_method=options.get("zeros", "wilcox"),
        method=options.get("method", "auto"),
        correction=options.get("continuity", True),
    )
    return [float(result.statistic), float(result.pvalue)]


@pytest.mark.parametrize("options", OPTIONS)
@given(values=blocks(least=2, most=20))
@settings(max_examples=25)  # each takes long
def test_every_pair_gets_what_scipy_gives_it_alone(options: dict[str, Any], values: Floats) -> None:
    values[:, 0] += np.linspace(0, 0.001, len(values))  # differences to this system have no ties
    paired = all_pairs(values)
    statistic, p = WilcoxonTest(**options).test(paired)
    for pair, (a, b) in enumerate(zip(paired.first, paired.second, strict=True)):
        np.testing.assert_allclose(
            [statistic[pair], p[pair]], expected_of(values, a, b, options), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("topics", [40, 50, 51, 90])
def test_on_more_topics(topics: int) -> None:
    values = measured(topics, 5)
    values[:, 4] = values[:, 3]
    paired = all_pairs(values)
    statistic, p = WilcoxonTest().test(paired)
    expected = [expected_of(values, a, b, {}) for a, b in zip(paired.first, paired.second, strict=True)]
    np.testing.assert_allclose(np.stack([statistic, p], axis=1), expected, rtol=1e-12, atol=1e-12)


def test_differences_that_are_equal_in_decimals_share_a_rank_where_that_is_asked() -> None:
    tenths = np.random.default_rng(0).integers(0, 11, (40, 4))
    paired, whole = all_pairs(tenths / 10), all_pairs(tenths.astype(float))
    np.testing.assert_allclose(WilcoxonTest(decimals=10).test(paired), WilcoxonTest().test(whole), rtol=1e-12)
    assert not np.allclose(WilcoxonTest().test(paired)[1], WilcoxonTest().test(whole)[1], rtol=0.01)
    assert count_lost_ties(paired) == 6
    assert count_lost_ties(whole) == count_lost_ties(all_pairs(measured(40, 4)[8:])) == 0


@given(blocks(most=30))
def test_the_sign_test_is_binomial(values: Floats) -> None:
    paired = all_pairs(values, tie_threshold=0.125)
    statistic, p = SignTest().test(paired)
    for pair, (a, b) in enumerate(zip(paired.first, paired.second, strict=True)):
        counted = [d for d in values[:, a] - values[:, b] if abs(d) > 0.125]
        wins = sum(d > 0 for d in counted)
        expected = stats.binomtest(wins, len(counted)).pvalue if counted else 1.0
        assert statistic[pair] == wins
        assert p[pair] == pytest.approx(expected, rel=1e-12)
