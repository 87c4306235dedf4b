"""Corrections of p-values: against statsmodels, and maxT against a plain version."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import irmx
from irmx import UsageError
from irmx.ragged import Floats
from irmx_study.significance.max_t import MaxT
from irmx_study.significance.permutation_test import PermutationTest
from irmx_study.significance.random_draws import sign_flips

from .significance_blocks import all_pairs, blocks, measured

METHODS = {"holm": "holm", "bonferroni": "bonferroni", "hommel": "hommel", "bh": "fdr_bh"}


@pytest.mark.parametrize("name", METHODS)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=25)  # each takes long
def test_they_are_those_of_statsmodels(name: str, p: list[float]) -> None:
    correction = irmx.registry().symbols("correction of p-values")[name]
    expected = multipletests(p, method=METHODS[name])[1]
    np.testing.assert_allclose(correction.adjust(np.array(p), []), expected, rtol=0, atol=1e-12)


def plain_max_t(families: list[Floats], draws: Floats, counted: int) -> list[float]:
    """Return the shares of draws whose largest t statistic reaches that of each column of differences."""

    def t(differences: list[float]) -> float:
        n = len(differences)
        mean = sum(differences) / n
        variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
        return abs(mean) / (variance / n) ** 0.5

    columns = [column.tolist() for differences in families for column in differences.T]
    highest = [
        max(t([s * d for s, d in zip(signs, column, strict=True)]) for column in columns) for signs in draws.tolist()
    ]
    reached = [sum(high >= t(column) * (1 - 1e-9) for high in highest) for column in columns]
    return [(count + counted) / (len(draws) + counted) for count in reached]


def test_maxt_against_a_plain_version_over_two_measures() -> None:
    one, two = (all_pairs(measured(14, 4, seed), draws=300, seed=4) for seed in (0, 1))
    draws = np.concatenate(list(sign_flips(14, 300, 4)))
    expected = plain_max_t([one.differences(), two.differences()], draws, counted=1)
    np.testing.assert_allclose(MaxT().adjust(np.ones(12), [one, two]), expected, atol=1e-12)


def test_maxt_takes_all_signs_of_few_topics() -> None:
    paired = all_pairs(measured(7, 4) + np.random.default_rng(0).random((7, 4)) / 100)
    signs = np.array(list(product((-1.0, 1.0), repeat=7)))
    expected = plain_max_t([paired.differences()], signs, counted=0)
    np.testing.assert_allclose(MaxT().adjust(np.ones(6), [paired]), expected, atol=1e-12)


@given(blocks(least=3))
def test_maxt_of_one_comparison_is_the_permutation_test(values: Floats) -> None:
    """The size of t grows with that of the mean difference, because signs do not change the sum of squares."""
    paired = all_pairs(values[:, :2])
    assert MaxT().adjust(np.ones(1), [paired]).tolist() == PermutationTest().test(paired)[1].tolist()


def test_maxt_costs_less_than_holm_where_systems_are_alike() -> None:
    """Comparisons of copies of a system with the baseline are one comparison, to maxT."""
    values = measured(40, 2, seed=3)
    copies = np.concatenate([values, np.repeat(values[:, 1:], 5, axis=1)], axis=1)
    paired = replace(all_pairs(copies), first=np.arange(1, 7), second=np.zeros(6, dtype=int))
    [p] = PermutationTest().test(all_pairs(values))[1].tolist()
    assert MaxT().adjust(np.ones(6), [paired]).tolist() == [p] * 6


def test_identical_systems_do_not_disturb_maxt() -> None:
    values = measured(12, 3)
    paired = all_pairs(np.concatenate([values, values[:, :1]], axis=1))
    corrected = MaxT().adjust(np.ones(6), [paired])
    assert corrected[2] == 1
    assert ((corrected > 0) & (corrected <= 1)).all()


def test_maxt_refuses_measures_with_values_on_different_topics() -> None:
    with pytest.raises(UsageError, match="need values on the same topics"):
        MaxT().adjust(np.ones(6), [all_pairs(measured(12, 3)), all_pairs(measured(11, 3))])
