"""Published p-values: the 20 topics of Sakai's book, and columns of TREC-8 as Urbano, Lima and Hanjalic tested them.

Where a number is a share of random draws, it must lie within four standard errors of both simulations.
"""

from __future__ import annotations

import os
from collections import defaultdict
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from irmx.ragged import Floats
from irmx_study.statistics.paired import PairedValues, paired_effects, residual_variance, t_intervals
from irmx_study.statistics.tests import (
    BootstrapTest,
    MaxT,
    PermutationTest,
    RandomisedTukeyTest,
    TTest,
    TukeyTest,
    WilcoxonTest,
    range_p_values,
)

pytestmark = pytest.mark.real


def values_of(path: str) -> Floats:
    return pd.read_csv(Path(os.environ["IRMX_DATA"]) / "statistics" / path).to_numpy()


@pytest.fixture
def sakai() -> PairedValues:
    """X, Y and Z on 20 topics: the pairs X-Y, X-Z and Y-Z."""
    values = np.stack([values_of(f"sakai_book/{name}.csv")[:, 1].astype(float) for name in "XYZ"], axis=1)
    return PairedValues(values, np.array([0, 0, 1]), np.array([1, 2, 2]), draws=100_000)


@pytest.fixture
def urbano() -> PairedValues:
    """The columns 125 and 126 of TREC-8, of average precision."""
    values = values_of("urbano2019/adhoc8_ap.csv")
    return PairedValues(values, np.array([124]), np.array([125]), draws=1_000_000, tie_threshold=0.01)


def test_sakai_t_test_and_effect_size(sakai: PairedValues) -> None:
    statistic, p = TTest().test(sakai)
    low, high = t_intervals(sakai.differences(), 0.05)
    effect = paired_effects(sakai.differences())
    figures = [statistic[0], p[0], effect[0], (high[0] - low[0]) / 2]
    assert [round(float(figure), 4) for figure in figures] == [2.1158, 0.0478, 0.4731, 0.0742]


def test_sakai_two_way_analysis_and_effect_sizes_of_tukey(sakai: PairedValues) -> None:
    variance = residual_variance(sakai.values)
    f = 20 * sakai.values.mean(axis=0).var(ddof=1) / variance
    assert [round(float(figure), 4) for figure in (f, stats.f.sf(f, 2, 38))] == [2.4749, 0.0976]
    effects = sakai.mean_differences() / np.sqrt(variance)
    assert effects.round(4).tolist() == [0.5070, 0.6760, 0.1690]
    statistic, _ = TukeyTest().test(sakai)
    np.testing.assert_allclose(statistic, effects * np.sqrt(20), rtol=1e-12)


def shares_of_ranges(values: Floats) -> dict[int, float]:
    """Return the exact share of every range of sums over all ways to deal the values of each topic, in tenths."""
    shares = {(0, 0, 0): 1.0}
    for row in np.rint(values * 10).astype(int).tolist():
        after: defaultdict[tuple[int, int, int], float] = defaultdict(float)
        for (x, y, z), share in shares.items():
            for a, b, c in permutations(row):
                after[x + a, y + b, z + c] += share / 6
        shares = dict(after)
    ranges: defaultdict[int, float] = defaultdict(float)
    for sums, share in shares.items():
        ranges[max(sums) - min(sums)] += share
    return ranges


def test_sakai_randomised_tukey(sakai: PairedValues) -> None:
    """The published share of X - Y misses the draws whose range is exactly the observed difference, 1 in 20 of all.

    The values are decimals, and so are their exact shares: .3038, .1066 and .8916 of the draws are at least as large, .2541, .0827
    and .8485 are larger. The published figure of X - Y is that of the larger ones, because floats tell equal decimals apart; those
    of the other pairs count the draws that are as large, as p must.
    """
    _, p = RandomisedTukeyTest().test(sakai)
    shares, observed = shares_of_ranges(sakai.values), np.rint(np.abs(sakai.mean_differences()) * 200)
    as_large = np.array([sum(share for r, share in shares.items() if r >= d) for d in observed])
    larger = np.array([sum(share for r, share in shares.items() if r > d) for d in observed])
    assert as_large.round(4).tolist() == [0.3038, 0.1066, 0.8916]
    assert larger.round(4).tolist() == [0.2541, 0.0827, 0.8485]
    np.testing.assert_allclose(p, as_large, atol=4 * np.sqrt(0.25 / 100_000))
    published = np.array([larger[0], as_large[1], as_large[2]])
    np.testing.assert_allclose([0.2561, 0.1040, 0.8926], published, atol=0.005)


@pytest.mark.parametrize(("test", "published"), [(PermutationTest(), 0.001188), (BootstrapTest(), 0.000586)])
def test_urbano_tests_of_a_million_draws(urbano: PairedValues, test: PermutationTest, published: float) -> None:
    [p] = test.test(urbano)[1]
    assert p == pytest.approx(published, abs=4 * np.sqrt(2 * published / 1e6))


def test_floats_change_the_wilcoxon_test_of_precision_by_a_seventh() -> None:
    """In the median pair of TREC-8's runs by P@10: equal differences of decimals are often different floats."""
    values = values_of("urbano2019/adhoc8_p10.csv")
    paired = PairedValues(values, *np.triu_indices(129, 1))
    floats, decimals = (WilcoxonTest(decimals=d).test(paired)[1] for d in (None, 10))
    assert np.median(np.abs(floats / decimals - 1)) == pytest.approx(1 / 7, abs=0.015)


def test_two_way_tukey_separates_nearly_twice_as_many_pairs_as_the_unpaired_test() -> None:
    """On TREC-8's average precision, of 8,256 pairs; maxT separates more, because systems are alike."""
    values = values_of("urbano2019/adhoc8_ap.csv")
    first, second = np.triu_indices(129, 1)
    paired = PairedValues(values, first, second)
    _, p = TukeyTest().test(paired)
    unpaired_error = np.sqrt(values.var(axis=0, ddof=1).mean() / 50)
    q = np.abs(paired.mean_differences()) / unpaired_error
    unpaired = (q > stats.studentized_range.isf(0.05, 129, 129 * 49)).sum()
    assert 1750 < unpaired < 1850
    assert 1.8 < (p < 0.05).sum() / unpaired < 2
    assert (MaxT().adjust(p, [paired]) < 0.05).sum() > (p < 0.05).sum()


def test_randomised_tukey_is_close_to_tukey_with_the_variance_within_topics() -> None:
    """Under its hypothesis no system differs: differences between systems count as noise, and it finds less than two-way Tukey."""
    values = values_of("urbano2019/adhoc8_ap.csv")
    first, second = np.triu_indices(129, 1)
    paired = PairedValues(values, first, second)
    error = np.sqrt(values.var(axis=1, ddof=1).mean() / 50)
    expected = range_p_values(np.abs(paired.mean_differences()) / error, 129, 128 * 50)
    _, randomised = RandomisedTukeyTest().test(paired)
    np.testing.assert_allclose(randomised, expected, atol=0.03)
    assert (randomised < 0.05).sum() < (TukeyTest().test(paired)[1] < 0.05).sum()
