"""Correlations and overlap of rankings, against scipy, the definitions by brute force, and worked examples."""

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irmx
from irmx import UsageError
from irmx.ragged import Floats
from irmx_study import comparable_means, kendall_tau, rbo, tau_ap, tied_groups

TIES = ("w", "a", "b")
LONG = 400
"""The terms of an endless sum that are added up; the persistence of tests is at most .9."""

persistences = st.floats(0.05, 0.9)
TRUTH = np.array([4.0, 3, 2, 1])


def columns(rankings: int = 2, most: int = 6) -> st.SearchStrategy[Floats]:
    """Values of a few systems in some rankings, with ties."""

    def of(systems: int) -> st.SearchStrategy[Any]:
        values = st.lists(st.integers(0, 4), min_size=rankings, max_size=rankings)
        return st.lists(values, min_size=systems, max_size=systems)

    return st.integers(2, most).flatmap(of).map(lambda rows: np.array(rows, dtype=float))


def without_nan(values: Floats) -> bool:
    return bool((values.max(axis=0) > values.min(axis=0)).all())


def scores_of(values: Floats) -> irmx.Scores:
    """Scores of one topic whose views are rankings, the columns."""
    systems, rankings = values.shape
    measures = tuple(irmx.parse_measure(f"P@{k + 1}") for k in range(rankings))
    names = tuple(f"s{i}" for i in range(systems))
    return irmx.Scores(values[None], ("q",), names, measures)


# -- tau, Spearman, Pearson --------------------------------------------------------------------------------


@given(columns())
def test_tau_is_that_of_scipy_and_antisymmetric(values: Floats) -> None:
    x, y = values.T
    if not without_nan(values):
        assert np.isnan(kendall_tau(x, y))
        return
    assert kendall_tau(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert kendall_tau(y, x) == pytest.approx(kendall_tau(x, y), abs=1e-12)
    assert kendall_tau(x, -y) == pytest.approx(-kendall_tau(x, y), abs=1e-12)


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


@given(st.lists(st.integers(0, 3), min_size=5, max_size=5), st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_treatment_a_is_the_mean_over_all_orders_of_tied_systems(truth: Any, values: Any) -> None:
    x, y = np.array(truth, dtype=float), np.array(values, dtype=float)
    orders = [plain(one, other) for one in all_orders(x) for other in all_orders(y)]
    expected = np.mean(orders) if np.ptp(x) and np.ptp(y) else np.nan
    np.testing.assert_allclose(tau_ap(x, y), expected, atol=1e-12)
    assert tau_ap(x[::-1], y[::-1]) == pytest.approx(tau_ap(x, y), abs=1e-12, nan_ok=True)


def one_way(x: Floats, y: Floats) -> float:
    """One direction of treatment b, from its definition."""
    below = [i for i in range(len(y)) if (y > y[i]).any()]
    shares = [np.mean(x[y > y[i]] > x[i]) for i in below]
    return float(2 * np.mean(shares) - 1) if below else np.nan


@given(columns())
def test_treatment_b_is_the_mean_of_both_directions(values: Floats) -> None:
    x, y = values.T
    np.testing.assert_allclose(tau_ap(x, y, "b"), (one_way(x, y) + one_way(y, x)) / 2, atol=1e-12)


@given(columns())
def test_without_ties_the_treatments_are_the_definition(values: Floats) -> None:
    u, v = (values - np.arange(len(values))[:, None] / 100).T
    assert tau_ap(u, v) == pytest.approx(plain(u, v), abs=1e-12)
    assert tau_ap(u, v, "b") == pytest.approx((plain(u, v) + plain(v, u)) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("y", "expected"), [((3, 4, 2, 1), 1 / 3), ((4, 3, 1, 2), 7 / 9), ((1, 2, 3, 4), -1), ((4, 3, 2, 1), 1)]
)
def test_tau_ap_of_worked_examples(y: Any, expected: float) -> None:
    assert tau_ap(TRUTH, np.array(y)) == pytest.approx(expected)


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
    with pytest.raises(UsageError, match=r"one of a, b. Got 'c'"):
        tau_ap(TRUTH, TRUTH, "c")


@pytest.mark.parametrize("unit", [1e-300, 1e-297, 1e-290, 1e-3, 1.0, 1e300])
def test_means_in_any_unit_have_the_same_order(unit: float) -> None:
    comparable = comparable_means(scores_of(np.array([[0.3], [0.1 + 0.2], [0.9], [0.5]]) * unit))
    assert np.isfinite(comparable).all()
    assert kendall_tau(comparable[:, 0], np.array([1, 1, 3, 2])) == 1


# -- rank-biased overlap -----------------------------------------------------------------------------------


def orders(groups: list[list[Any]]) -> list[list[Any]]:
    """All rankings without ties that a ranking with ties may stand for."""
    each = [list(permutations(group)) for group in groups]
    return [[item for group in chosen for item in group] for chosen in product(*each)]


def endless(x: list[Any], y: list[Any], p: float) -> float:
    """RBO of two rankings without ties, of which enough is known."""
    rank_in_y = {item: rank for rank, item in enumerate(y, start=1)}
    common_from = [max(rank, rank_in_y[item]) for rank, item in enumerate(x, start=1) if item in rank_in_y]
    depths = np.arange(1, len(x) + 1)
    common = np.cumsum(np.bincount(common_from, minlength=len(x) + 1)[1:])
    return float((1 - p) * (p ** (depths - 1) * common / depths).sum())


def with_tail(ranking: list[Any], tail: str) -> list[Any]:
    return ranking + [f"{tail}{i}" for i in range(LONG - len(ranking))]


@st.composite
def rankings(draw: Any, alphabet: str = "abcdefgh", most: int = 6) -> list[list[str]]:
    """Rankings of some letters, in groups of tied ones."""
    items = draw(st.permutations(alphabet))[: draw(st.integers(1, most))]
    cuts = draw(st.lists(st.booleans(), min_size=len(items) - 1, max_size=len(items) - 1))
    groups = [[items[0]]]
    for item, is_cut in zip(items[1:], cuts, strict=True):
        groups.append([item]) if is_cut else groups[-1].append(item)
    return groups


@given(rankings(most=4), rankings(most=4), persistences)
def test_minimum_of_treatment_a_is_the_mean_over_all_orders(x: Any, y: Any, p: float) -> None:
    """Nothing common follows; the shorter ranking goes on with items that nothing else has."""
    means = [endless(with_tail(one, "x"), with_tail(other, "y"), p) for one in orders(x) for other in orders(y)]
    assert rbo(x, y, p, "a").minimum == pytest.approx(np.mean(means), abs=1e-9)


def best_end(x: list[Any], y: list[Any]) -> tuple[list[Any], list[Any]]:
    """Two rankings without ties that go on with each other's items, as early as possible, then with the same."""
    only_x, only_y = ([item for item in one if item not in other] for one, other in ((x, y), (y, x)))
    return with_tail(x + only_y, "new"), with_tail(y + only_x, "new")


@given(rankings(), rankings(), persistences)
def test_maximum_without_ties_is_that_of_the_best_end(x: Any, y: Any, p: float) -> None:
    one, other = ([item for group in groups for item in group] for groups in (x, y))
    first, second = best_end(one, other)
    for ties in TIES:
        assert rbo(one, other, p, ties).maximum == pytest.approx(endless(first, second, p), abs=1e-9)


@given(rankings(), persistences)
def test_a_ranking_agrees_fully_with_itself_but_for_random_orders(x: Any, p: float) -> None:
    for ties in ("w", "b"):
        assert rbo(x, x, p, ties).extrapolated == pytest.approx(1)
    has_ties = any(len(group) > 1 for group in x)
    assert (rbo(x, x, p, "a").extrapolated < 1 - 1e-12) == has_ties


@given(rankings(), rankings(), persistences, st.sampled_from(TIES))
def test_estimates_are_symmetric_and_in_order(x: Any, y: Any, p: float, ties: str) -> None:
    overlap, turned = rbo(x, y, p, ties), rbo(y, x, p, ties)
    assert overlap == pytest.approx(turned, abs=1e-12)
    assert -1e-12 <= overlap.minimum <= overlap.extrapolated + 1e-12
    assert overlap.extrapolated <= overlap.maximum + 1e-12 <= 1 + 2e-12
    assert overlap.residual == overlap.maximum - overlap.minimum


@given(rankings(), rankings(), persistences)
def test_treatments_differ_only_with_ties(x: Any, y: Any, p: float) -> None:
    one, other = ([item for group in groups for item in group] for groups in (x, y))
    first, *rest = (rbo(one, other, p, ties) for ties in TIES)
    assert all(overlap == pytest.approx(first) for overlap in rest)


def test_disjoint_rankings_share_nothing_that_is_known() -> None:
    overlap = rbo(["a", "b"], ["c", "d"], 0.5)
    assert overlap.minimum == overlap.extrapolated == 0
    assert overlap.maximum == pytest.approx(endless(*best_end(["a", "b"], ["c", "d"]), 0.5))


@pytest.mark.parametrize(
    ("x", "how", "message"),
    [
        (["a"], {"p": 1.0}, r"in the range \(0, 1\). Got 1.0"),
        (["a"], {"p": 0}, r"in the range \(0, 1\). Got 0"),
        (["a"], {"ties": "c"}, "one of w, a, b. Got 'c'"),
        (["a", ["b", "a"]], {}, "has 'a' twice"),
        ([], {}, "at least one item"),
        (["a", []], {}, "at least one item"),
        ("abc", {}, "Got the text 'abc'"),
    ],
)
def test_what_is_no_ranking_is_told(x: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rbo(x, ["a", "b"], **how)


def test_values_without_a_rank_are_told() -> None:
    with pytest.raises(UsageError, match="'two' has the value NaN"):
        tied_groups(np.array([1, np.nan]), ["one", "two"])
    with pytest.raises(UsageError, match=r"one value per name\. Got 1 names"):
        tied_groups(np.array([1, 2]), ["one"])
