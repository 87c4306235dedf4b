"""Rank-biased overlap: against its definition as an endless sum, and its properties."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmx import UsageError
from irmx_study import rbo, tied_groups
from irmx_study.rank_correlation.rank_biased_overlap import rank_biased_overlaps

TIES = ("w", "a", "b")
LONG = 400
"""The terms of an endless sum that are added up; the persistence of tests is at most .9."""


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


persistences = st.floats(0.05, 0.9)


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


@given(st.integers(2, 7).flatmap(lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=2, max_size=3)),
       persistences, st.sampled_from(TIES))  # fmt: skip
def test_all_pairs_of_rankings_of_the_same_systems_are_the_pairs(lists: list[list[int]], p: float, ties: str) -> None:
    values = np.array(lists, dtype=float).T
    together = rank_biased_overlaps(values, p, ties)
    for i, j in np.ndindex(values.shape[1], values.shape[1]):
        alone = rbo(tied_groups(values[:, i]), tied_groups(values[:, j]), p, ties)
        assert [matrix[i, j] for matrix in together] == pytest.approx(list(alone), abs=1e-12)


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
