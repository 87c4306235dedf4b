"""Correlations of rankings, against scipy, the definitions by brute force, and worked examples."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irmx import UsageError
from irmx.ragged import Floats
from irmx_study import kendall_tau, tau_ap
from irmx_study.rank_correlation.comparable_means import rounded
from irmx_study.rank_correlation.kendall import kendall_taus
from irmx_study.rank_correlation.linear_correlation import mean_ranks, pearson_correlations, spearman_correlations
from irmx_study.rank_correlation.tau_ap import tau_aps
from irmx_study.rank_correlation.taus_of_samples import taus_of_samples

TRUTH = np.array([4.0, 3, 2, 1])


def columns(rankings: int = 2, most: int = 6) -> st.SearchStrategy[Floats]:
    """Values of a few systems in some rankings, with ties."""

    def of(systems: int) -> st.SearchStrategy[Any]:
        return st.lists(
            st.lists(st.integers(0, 4), min_size=rankings, max_size=rankings), min_size=systems, max_size=systems
        )

    return st.integers(2, most).flatmap(of).map(lambda rows: np.array(rows, dtype=float))


def without_nan(values: Floats) -> bool:
    return bool((values.max(axis=0) > values.min(axis=0)).all())


# -- tau, Spearman, Pearson ---------------------------------------------------------------------------------


@given(columns())
def test_tau_spearman_and_pearson_are_those_of_scipy(values: Floats) -> None:
    x, y = values.T
    if not without_nan(values):
        assert np.isnan(
            [kendall_tau(x, y), spearman_correlations(values)[0, 1], pearson_correlations(values)[0, 1]]
        ).all()
        return
    assert kendall_tau(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert spearman_correlations(values)[0, 1] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert pearson_correlations(values)[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    assert mean_ranks(values)[:, 0].tolist() == stats.rankdata(x).tolist()


@given(columns(3))
def test_coefficients_are_symmetric_bounded_and_one_for_the_same_order(values: Floats) -> None:
    if not without_nan(values):
        return
    for matrix in (kendall_taus(values), spearman_correlations(values), tau_aps(values, values, "b")):
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
        assert (np.abs(matrix) <= 1 + 1e-12).all()
        np.testing.assert_allclose(np.diagonal(matrix), 1, atol=1e-12)
    squares = np.concatenate([values, values**2], axis=1)
    for matrix in (kendall_taus(squares), spearman_correlations(squares)):
        np.testing.assert_allclose(np.diagonal(matrix[:3, 3:]), 1, atol=1e-12)
    turned = np.concatenate([values, -values], axis=1)
    np.testing.assert_allclose(kendall_taus(turned)[:3, 3:], -kendall_taus(values), atol=1e-12)


@given(st.integers(1, 4).flatmap(lambda count: st.tuples(*[columns(2, 4)] * count)))
def test_taus_of_samples_are_the_taus_of_each(samples: tuple[Floats, ...]) -> None:
    fewest = min(map(len, samples))
    values = np.stack([sample[:fewest] for sample in samples])
    taus = taus_of_samples(values, np.array([0]), np.array([1]))
    for sample, tau in zip(values, taus[:, 0], strict=True):
        np.testing.assert_allclose(tau, kendall_tau(*sample.T), atol=1e-12)


def test_taus_of_samples_take_a_ranking_with_nan_for_none() -> None:
    values = np.array([[[3, 1, 2], [2, np.nan, 1], [1, 2, 0]]], dtype=float)
    taus = taus_of_samples(values, np.array([0, 0]), np.array([1, 2]))
    assert np.isnan(taus[0, 0])
    assert taus[0, 1] == 1


# -- tau_AP -------------------------------------------------------------------------------------------------


def plain(x: Any, y: Any) -> float:
    """tau_AP of values without ties, from its definition."""
    order = np.argsort(-np.asarray(y))
    reference = np.asarray(x)[order]
    return float(2 * np.mean([np.mean(reference[:i] > reference[i]) for i in range(1, len(order))]) - 1)


def all_orders(values: Floats) -> list[Floats]:
    """Values without ties for every order that a ranking with ties may stand for."""
    groups = [np.flatnonzero(values == value).tolist() for value in sorted(set(values.tolist()), reverse=True)]
    out = []
    for chosen in product(*(permutations(group) for group in groups)):
        ranked = np.empty(len(values))
        ranked[[place for group in chosen for place in group]] = np.arange(len(values), 0, -1)
        out.append(ranked)
    return out


@given(st.permutations(range(5)), st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_treatment_a_is_the_mean_over_all_orders_of_tied_systems(truth: Any, values: Any) -> None:
    y = np.array(values, dtype=float)
    assert tau_ap(truth, y, "a") == pytest.approx(np.mean([plain(truth, one) for one in all_orders(y)]), abs=1e-12)


def one_way(x: Floats, y: Floats) -> float:
    """One direction of treatment b, from its definition."""
    below = [i for i in range(len(y)) if (y > y[i]).any()]
    shares = [np.mean(x[y > y[i]] > x[i]) for i in below]
    return float(2 * np.mean(shares) - 1) if below else np.nan


@given(columns())
def test_treatment_b_is_the_mean_of_both_directions(values: Floats) -> None:
    x, y = values.T
    np.testing.assert_allclose(tau_ap(x, y, "b"), (one_way(x, y) + one_way(y, x)) / 2, atol=1e-12)


@given(columns(3))
def test_tied_systems_may_be_ranked_in_their_order(values: Floats) -> None:
    broken = values - np.arange(len(values))[:, None] / 100
    for i, j in np.ndindex(3, 3):
        assert tau_aps(values, values)[i, j] == pytest.approx(plain(broken[:, i], broken[:, j]), abs=1e-12)
    np.testing.assert_allclose(tau_aps(broken, broken, "a"), tau_aps(broken, broken), atol=1e-12)
    np.testing.assert_allclose(
        tau_aps(broken, broken, "b"), (tau_aps(broken, broken) + tau_aps(broken, broken).T) / 2, atol=1e-12
    )


@pytest.mark.parametrize(
    ("y", "expected"), [((3, 4, 2, 1), 1 / 3), ((4, 3, 1, 2), 7 / 9), ((1, 2, 3, 4), -1), ((4, 3, 2, 1), 1)]
)
def test_tau_ap_of_worked_examples(y: Any, expected: float) -> None:
    for ties in ("order", "a"):
        assert tau_ap(TRUTH, np.array(y), ties) == pytest.approx(expected)


def test_tau_ap_of_worked_examples_with_ties() -> None:
    for ties in ("a", "b"):
        assert tau_ap(TRUTH, np.array([3, 2, 2, 1]), ties) == pytest.approx(0.833333, abs=1e-6)
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    assert kendall_tau(x, y) == pytest.approx(0.7777778, abs=1e-7)
    assert tau_ap(x, y) == pytest.approx(0.7491182, abs=1e-7)


def test_rankings_of_other_systems_and_unknown_treatments_are_told() -> None:
    with pytest.raises(UsageError, match=r"Got the shapes \(4,\) and \(3,\)"):
        tau_ap(TRUTH, TRUTH[:3])
    with pytest.raises(UsageError, match=r"Got the shapes \(4,\) and \(3,\)"):
        kendall_tau(TRUTH, TRUTH[:3])
    with pytest.raises(UsageError, match=r"one of order, a, b. Got 'c'"):
        tau_ap(TRUTH, TRUTH, "c")


@pytest.mark.parametrize("unit", [1e-300, 1e-297, 1e-290, 1e-3, 1.0, 1e300])
def test_means_in_any_unit_have_the_same_order(unit: float) -> None:
    means = np.array([[0.3], [0.1 + 0.2], [0.9], [0.5]]) * unit
    comparable = rounded(means)
    assert np.isfinite(comparable).all()
    assert kendall_tau(comparable[:, 0], np.array([1, 1, 3, 2])) == 1
