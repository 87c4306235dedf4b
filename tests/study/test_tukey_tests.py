"""Tukey's tests of all pairs of systems, on ranks of means and by permutations."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import irmx
import irmx_study
from irmx.ragged import Floats
from irmx_study.significance.effect_sizes import residual_variance
from irmx_study.significance.kept_orders import KeptOrders
from irmx_study.significance.random_draws import shuffled_systems
from irmx_study.significance.randomised_tukey import RandomisedTukeyTest
from irmx_study.significance.studentized_range import critical_range, range_p_values
from irmx_study.significance.t_test import TTest
from irmx_study.significance.tukey_test import TukeyTest

from .significance_blocks import all_pairs, blocks, measured


def plain_residual_variance(values: Floats) -> float:
    topics, systems = values.shape
    mean = sum(map(sum, values.tolist())) / (topics * systems)
    total = 0.0
    for t, s in product(range(topics), range(systems)):
        of_topic = sum(values[t]) / systems
        of_system = sum(values[:, s]) / topics
        total += (values[t, s] - of_topic - of_system + mean) ** 2
    return total / ((topics - 1) * (systems - 1))


@pytest.mark.parametrize(("topics", "systems"), [(2, 3), (20, 3), (9, 12)])
def test_the_two_way_test_against_a_plain_version(topics: int, systems: int) -> None:
    values = measured(topics, systems)
    paired = all_pairs(values)
    variance = plain_residual_variance(values)
    assert residual_variance(values) == pytest.approx(variance, rel=1e-12)
    statistic, p = TukeyTest().test(paired)
    low, high = TukeyTest().intervals(paired, 0.1)
    distribution = stats.studentized_range(systems, (topics - 1) * (systems - 1))
    critical = distribution.ppf(0.9)
    for pair, (a, b) in enumerate(zip(paired.first, paired.second, strict=True)):
        difference = sum(values[:, a]) / topics - sum(values[:, b]) / topics
        q = difference / (variance / topics) ** 0.5
        half = critical * (variance / topics) ** 0.5
        assert statistic[pair] == pytest.approx(q, rel=1e-9)
        assert p[pair] == pytest.approx(distribution.sf(abs(q)), rel=1e-5, abs=1e-8)
        assert (low[pair], high[pair]) == pytest.approx((difference - half, difference + half), rel=1e-6)
        assert (low[pair] <= 0 <= high[pair]) == (p[pair] >= 0.1)


@given(blocks(least=3, systems=2))
def test_of_two_systems_it_is_the_t_test(values: Floats) -> None:
    values = values + np.linspace(0, 0.01, len(values))[:, None] * np.array([0, 1])
    paired = all_pairs(values)
    np.testing.assert_allclose(TukeyTest().test(paired)[1], TTest().test(paired)[1], rtol=1e-6, atol=1e-9)


def test_systems_that_differ_by_a_constant_have_no_variance() -> None:
    values = np.arange(6.0)[:, None] + np.array([0.0, 0.0, 1.0])
    statistic, p = TukeyTest().test(all_pairs(values))
    assert statistic.tolist() == [0, -np.inf, -np.inf]
    assert p.tolist() == [1, 0, 0]


@pytest.mark.parametrize(("systems", "degrees"), [(9, 8), (12, 11 * 49), (129, 128 * 49), (20, 19 * 6999)])
def test_the_error_of_interpolated_p_values(systems: int, degrees: int) -> None:
    """At most 2e-6 of p: SciPy's integrals have errors of some 1e-11, which is 1e-6 of the smallest p here."""
    q = np.geomspace(critical_range(0.999, systems, degrees), critical_range(1e-5, systems, degrees), 90)
    expected = stats.studentized_range.sf(q, systems, degrees)
    np.testing.assert_allclose(range_p_values(q, systems, degrees), expected, rtol=2e-6)
    small = np.linspace(0, q[0], 40)
    np.testing.assert_allclose(
        range_p_values(small, systems, degrees), stats.studentized_range.sf(small, systems, degrees), atol=1e-6
    )


@pytest.mark.parametrize(("systems", "degrees"), [(2, 1), (3, 38), (9, 8), (129, 6272)])
def test_p_falls_with_the_range_and_is_never_negative(systems: int, degrees: int) -> None:
    q = np.concatenate([[0], np.geomspace(1e-3, 1e4, 400), [np.inf]])
    p = range_p_values(q, systems, degrees)
    assert p[0] == 1
    assert p[-1] == 0
    assert (np.diff(p) <= 1e-7).all()
    assert (p >= 0).all()
    few = range_p_values(q[200:210], systems, degrees)
    np.testing.assert_allclose(few, p[200:210], rtol=1e-5, atol=1e-8)


def exact_randomised_tukey(values: Floats) -> list[float]:
    """Return the shares of all ways to deal the values of every topic whose range of sums reaches that of each pair."""
    systems = values.shape[1]
    ways: dict[tuple[int, ...], float] = {(0,) * systems: 1.0}
    for row in np.rint(values * 100).astype(int).tolist():
        dealt = list(permutations(row))
        after: dict[tuple[int, ...], float] = {}
        for sums, share in ways.items():
            for order in dealt:
                key = tuple(s + v for s, v in zip(sums, order, strict=True))
                after[key] = after.get(key, 0.0) + share / len(dealt)
        ways = after
    totals = np.rint(values * 100).astype(int).sum(axis=0)
    first, second = np.triu_indices(systems, 1)
    return [
        sum(share for sums, share in ways.items() if max(sums) - min(sums) >= abs(totals[a] - totals[b]))
        for a, b in zip(first, second, strict=True)
    ]


@pytest.mark.parametrize("topics", [3, 8])
def test_the_randomised_test_approaches_the_exact_shares(topics: int) -> None:
    """In decimals: many ways reach exactly the observed difference, which floats would tell apart from it."""
    values = measured(topics, 3).round(1)
    _, p = RandomisedTukeyTest().test(all_pairs(values, draws=20_000))
    np.testing.assert_allclose(p, exact_randomised_tukey(values), atol=4 * np.sqrt(0.25 / 20_000))


def test_the_randomised_test_against_a_plain_version_with_the_same_orders() -> None:
    values = measured(15, 6)
    paired = all_pairs(values, draws=300, seed=2)
    ranges = []
    for orders in np.concatenate(list(shuffled_systems(15, 6, 300, seed=2))):
        means = [sum(values[t, orders[t, s]] for t in range(15)) / 15 for s in range(6)]
        ranges.append(max(means) - min(means))
    means = values.mean(axis=0)
    statistic, p = RandomisedTukeyTest().test(paired)
    for pair, (a, b) in enumerate(zip(paired.first, paired.second, strict=True)):
        assert statistic[pair] == means[a] - means[b]
        assert p[pair] == (sum(r >= abs(means[a] - means[b]) - 1e-12 for r in ranges) + 1) / 301


# -- orders that measures share ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 2**20])
def test_orders_are_the_same_whether_kept_or_drawn_again(limit: int) -> None:
    orders, drawn = KeptOrders(limit), list(shuffled_systems(5, 7, 2000, seed=4))
    assert len(drawn) > 1
    for seed in (4, 4, 9, 4):
        known = drawn if seed == 4 else list(shuffled_systems(5, 7, 2000, seed=9))
        for chunk, expected in zip(orders.draw(5, 7, 2000, seed), known, strict=True):
            np.testing.assert_array_equal(chunk, expected)
            chunk += 1000  # as a test does that uses them as places


def test_p_values_of_several_measures_are_those_of_each_alone() -> None:
    values = np.stack([measured(12, 6, seed) for seed in range(3)], axis=2)
    values[0, :, 2] = np.nan  # so that this measure has fewer topics
    names = [tuple(f"{kind}{i}" for i in range(count)) for kind, count in (("q", 12), ("s", 6))]
    measures = tuple(map(irmx.parse_measure, ("AP", "RR", "nDCG")))
    scores = irmx.Scores(values, *names, measures, np.ones((12, 6), dtype=bool))
    how: dict[str, Any] = {"all_pairs": True, "test": "randomised-tukey", "draws": 500}
    together = irmx_study.compare(scores, **how).frame()
    for measure, rows in together.groupby("measure"):
        alone = irmx_study.compare(scores.select(measures=str(measure)), **how).frame()
        assert rows["p"].tolist() == alone["p"].tolist()
