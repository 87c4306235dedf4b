"""Tests by resampling: against SciPy, against plain versions, and the same numbers everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from irmx.ragged import Floats
from irmx_study.significance import random_draws
from irmx_study.significance.bca_intervals import bca_intervals
from irmx_study.significance.bootstrap_test import BootstrapTest
from irmx_study.significance.exact_sums import ExactValues
from irmx_study.significance.max_t import MaxT
from irmx_study.significance.permutation_test import PermutationTest
from irmx_study.significance.random_draws import resampled_topics, shuffled_systems, sign_flips
from irmx_study.significance.randomised_tukey import RandomisedTukeyTest
from irmx_study.significance.rank_tests import SignTest, WilcoxonTest

from .significance_blocks import all_pairs, blocks, measured


@given(blocks())
def test_on_few_topics_the_permutation_test_is_exact(values: Floats) -> None:
    paired = all_pairs(values)
    statistic, p = PermutationTest().test(paired)
    for pair, (a, b) in enumerate(zip(paired.first, paired.second, strict=True)):
        expected = stats.permutation_test(
            (values[:, a] - values[:, b],), np.mean, permutation_type="samples", vectorized=True, n_resamples=10_000
        )
        np.testing.assert_allclose([statistic[pair], p[pair]], [expected.statistic, expected.pvalue], atol=1e-12)


def test_differences_that_are_equal_in_decimals_reach_each_other() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 are different floats; of 8 vectors of signs, two reach the sum of three equal differences."""
    paired = all_pairs(np.array([[0.3, 0.2], [0.2, 0.1], [0.8, 0.7]]))
    _, p = PermutationTest().test(paired)
    assert p.tolist() == [2 / 8]
    paired = all_pairs(np.array([[0.3, 0.2], [0.1, 0.2], [0.8, 0.7]]))
    assert PermutationTest().test(paired)[1].tolist() == [1.0]


def test_the_share_of_draws_counts_the_observed_as_one() -> None:
    """20 topics that the first system wins by far: no draw of a thousand reaches the observed difference."""
    values = np.stack([np.linspace(0.5, 1, 20), np.zeros(20)], axis=1)
    for test in (PermutationTest(), BootstrapTest()):
        assert test.test(all_pairs(values, draws=1000))[1].tolist() == [1 / 1001]


@pytest.mark.parametrize(("test", "draws_of"), [(PermutationTest(), sign_flips), (BootstrapTest(), resampled_topics)])
def test_against_a_plain_version_with_the_same_draws(test: object, draws_of: object) -> None:
    values = measured(17, 5)
    paired = all_pairs(values, draws=500, seed=3)
    draws = np.concatenate(list(draws_of(17, 500, 3)))  # type: ignore[operator]
    statistic, p = test.test(paired)  # type: ignore[attr-defined]
    for pair, (a, b) in enumerate(zip(paired.first, paired.second, strict=True)):
        differences = [x - y for x, y in zip(values[:, a], values[:, b], strict=True)]
        total = sum(differences)
        shift = total if draws_of is resampled_topics else 0.0
        reached = sum(
            abs(sum(w * d for w, d in zip(row, differences, strict=True)) - shift) >= abs(total) - 1e-12
            for row in draws.tolist()
        )
        assert statistic[pair] == pytest.approx(total / 17, rel=1e-12)
        assert p[pair] == (reached + 1) / 501


def test_p_values_approach_the_exact_ones() -> None:
    values = measured(13, 4)
    exact = PermutationTest().test(all_pairs(values, draws=2**13))[1]
    drawn = PermutationTest().test(all_pairs(values, draws=8000))[1]
    np.testing.assert_allclose(drawn, exact, atol=4 * np.sqrt(0.25 / 8000))
    assert (drawn != exact).any()


def test_all_signs_are_drawn_once() -> None:
    for topics in (1, 6, 10):
        signs = np.concatenate(list(sign_flips(topics, 1024, seed=0)))
        assert sorted(map(tuple, signs.tolist())) == sorted(product((-1.0, 1.0), repeat=topics))


@pytest.mark.parametrize("topics", [11, 64, 65, 200])
def test_draws_are_fair(topics: int) -> None:
    """Every topic has both signs equally often, is drawn once on average; every system is as often at every place."""
    signs = np.concatenate(list(sign_flips(topics, 2000, seed=1)))
    assert signs.shape == (2000, topics)
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(2000)
    assert np.abs(np.corrcoef(signs.T) - np.eye(topics)).max() < 6 / np.sqrt(2000)
    counts = np.concatenate(list(resampled_topics(topics, 2000, seed=1)))
    assert (counts.sum(axis=1) == topics).all()
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 / np.sqrt(2000)
    assert counts.var() == pytest.approx(1 - 1 / topics, rel=0.05)
    orders = np.concatenate(list(shuffled_systems(topics, 5, 400, seed=1)))
    assert (np.sort(orders, axis=2) == np.arange(5)).all()
    for place in range(5):
        shares = np.bincount(orders[:, :, place].ravel(), minlength=5) / (400 * topics)
        assert np.abs(shares - 0.2).max() < 5 * np.sqrt(0.16 / (400 * topics))


def p_values(values: Floats, draws: int = 999) -> list[list[float]]:
    """Return the p-values of everything that draws signs, topics or orders."""
    paired = all_pairs(values, draws=draws, seed=7)
    tests = (PermutationTest(), BootstrapTest(), RandomisedTukeyTest())
    return [*(test.test(paired)[1].tolist() for test in tests), MaxT().adjust(np.ones(len(paired)), [paired]).tolist()]


@pytest.mark.parametrize("chunk", [1, 1000, 2**30])
def test_chunks_of_any_size_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    values = measured(30, 6)
    expected = p_values(values)
    monkeypatch.setattr(random_draws, "_CHUNK", chunk)
    monkeypatch.setattr("irmx_study.significance.exact_sums._SUMS", chunk)
    assert p_values(values) == expected


def test_no_order_of_additions_changes_a_sum() -> None:
    """The values become whole numbers whose sums are exact, so that no order of additions can matter."""
    values = measured(50, 9)
    exact = ExactValues.of(all_pairs(values))
    rng = np.random.default_rng(0)
    weights = rng.integers(-1, 2, (40, 50)).astype(float)
    expected = weights @ exact.values
    for _ in range(20):
        order = rng.permutation(50)
        assert ((weights[:, order] @ exact.values[order]) == expected).all()
    from_first = (exact.values - exact.values[:, :1]) * exact.unit  # values stand for their differences
    np.testing.assert_allclose(from_first, values - values[:, :1], rtol=0, atol=exact.unit)
    assert exact.unit < 1e-13


@given(blocks(most=25))
def test_a_pair_gets_the_same_p_alone_and_in_either_direction(values: Floats) -> None:
    paired = all_pairs(values, draws=300)
    for test in (PermutationTest(), BootstrapTest(), WilcoxonTest(), SignTest()):
        together = test.test(paired)[1].tolist()
        for p, a, b in zip(together, paired.first, paired.second, strict=True):
            for one, other in ((a, b), (b, a)):
                alone = replace(paired, first=np.array([one]), second=np.array([other]))
                assert test.test(alone)[1].tolist() == [p]


@pytest.mark.parametrize("topics", [5, 40])
def test_progress_is_told_in_draws_and_often(topics: int) -> None:
    """Also where all changes of signs are fewer than the draws; the next chunk is where Ctrl-C stops the work."""
    told: list[int] = []
    paired = all_pairs(measured(topics, 4), draws=5000, advance=told.append)
    works: list[tuple[int, Callable[[], object]]] = [
        (1, lambda: PermutationTest().test(paired)),
        (1, lambda: BootstrapTest().test(paired)),
        (1, lambda: RandomisedTukeyTest().test(paired)),
        (1, lambda: bca_intervals(paired, 0.05)),
        (2, lambda: MaxT().adjust(np.ones(12), [paired, paired])),
    ]
    for blocks_of_work, work in works:
        told.clear()
        work()
        assert sum(told) == blocks_of_work * 5000
        assert topics == 5 or max(told) <= 1024


PINNED = [
    [0.132, 0.09, 0.001, 0.837, 0.066, 0.122],
    [0.117, 0.066, 0.002, 0.844, 0.061, 0.105],
    [0.446, 0.311, 0.004, 0.994, 0.316, 0.456],
    [0.46, 0.306, 0.001, 0.999, 0.298, 0.459],
]
"""The p-values of one seed, by permutation, bootstrap, randomised Tukey and maxT."""


def sines() -> Floats:
    """Return values that depend on no generator."""
    return np.round(0.5 + 0.4 * np.sin(np.arange(24 * 4) ** 2).reshape(24, 4) + 0.06 * np.arange(4), 4)


def test_one_seed_gives_these_numbers_everywhere() -> None:
    assert p_values(sines()) == PINNED


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_number_of_threads_changes_nothing(threads: str) -> None:
    code = (
        "from study.test_permutation_and_bootstrap import p_values, PINNED, sines\n"
        "assert p_values(sines()) == PINNED\n"
        "from study.significance_blocks import measured\n"
        "print(p_values(measured(60, 40), 300))"
    )
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str(p_values(measured(60, 40), 300))
