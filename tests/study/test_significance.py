"""Significance tests, corrections, intervals and letters: against SciPy, statsmodels and plain versions."""

import os
import subprocess
import sys
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irmx
import irmx_study

from .made_scores import Floats, blocks, made, measured


def compared(values: Any, measures: str = "AP", **how: Any) -> pd.DataFrame:
    """Return the comparison of all pairs of systems."""
    return irmx_study.compare(made(values, measures), all_pairs=True, **how).frame()


def with_values(frame: pd.DataFrame, values: Floats) -> Any:
    """Return the rows of a comparison, each with the values of its two systems."""
    places = {name: s for s, name in enumerate(made(values).systems)}
    return [(row, values[:, places[row.a]], values[:, places[row.b]]) for row in frame.itertuples()]


# -- tests of a pair ---------------------------------------------------------------------------------------


@given(blocks(), st.sampled_from([1.0, 1e-9, 3e5]), st.booleans())
def test_the_t_test_is_that_of_scipy(values: Floats, scale: float, is_near: bool) -> None:
    """Also for systems that are nearly the same, but for rounding, and for values in other units."""
    values = values * scale
    if is_near:
        values = values[:, :1] + values * 1e-9
    for row, a, b in with_values(compared(values, level=0.1), values):
        if (a == b).all():
            assert (row.statistic, row.p, row.low, row.high) == (0, 1, 0, 0)
        elif np.ptp(a - b) > max(1e-9 * np.abs(a - b).max(), 16 * np.finfo(float).eps * np.abs(values).max()):
            expected = stats.ttest_rel(a, b)
            ends = expected.confidence_interval(0.9)
            known = [expected.statistic, expected.pvalue]
            np.testing.assert_allclose([row.statistic, row.p], known, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose([row.low, row.high], [ends.low, ends.high], rtol=1e-12, atol=1e-12 * scale)


@pytest.mark.parametrize("test", ["t", "tukey"])
def test_a_difference_that_is_the_same_everywhere_has_no_variance(test: str) -> None:
    """0.3 - 0.2, 0.2 - 0.1 and 0.8 - 0.7 are equal but for rounding, which is no variance."""
    values = [[0.2, 0.3, 0.2], [0.1, 0.2, 0.1], [0.7, 0.8, 0.7]] * 7
    comparison = irmx_study.compare(made(values), all_pairs=True, test=test)
    frame = comparison.frame()
    assert frame["p"].tolist() == [2.0**-20, 1, 2.0**-20]
    assert frame[["statistic", "effect"]].to_numpy().tolist() == [[np.inf, np.inf], [0, 0], [-np.inf, -np.inf]]
    np.testing.assert_allclose(frame[["low", "high"]], [[0.1, 0.1], [0, 0], [-0.1, -0.1]], atol=1e-15)
    assert comparison.notes == (
        "identical on every topic, and not counted in the family: c and a (AP)",
        "the same difference on every topic, so that p is the probability of equal signs: b and a (AP), c and b (AP)",
    )


@pytest.mark.slow
def test_the_memory_for_many_topics_and_pairs_is_small() -> None:
    """65 systems on 7,000 topics: the differences of all pairs are 116 MB."""
    import tracemalloc

    scores = made(np.random.default_rng(0).random((7000, 65)))
    compared(np.eye(3))  # so that what is imported is not counted
    tracemalloc.start()
    irmx_study.compare(scores, all_pairs=True)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 24e6


def test_a_tie_is_a_difference_up_to_the_threshold() -> None:
    """0.3 - 0.29 is more than 0.01 in floats; in decimals it is not."""
    values = np.array([[0.29, 0.3], [0.3, 0.29], [0.48, 0.5], [0.5, 0.5], [0.9, 0.1]])
    for threshold, outcomes in ((0.0, [2, 1, 2]), (0.01, [1, 3, 1])):
        [row] = compared(values, tie_threshold=threshold)[["wins", "ties", "losses"]].to_numpy().tolist()
        assert row == outcomes


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "wilcoxon", "permutation"])
def test_the_level_is_the_share_of_true_hypotheses_rejected(test: str) -> None:
    """Under a true null hypothesis a test rejects .05 of 2,000 pairs of systems at the level .05."""
    rng = np.random.default_rng(5)
    values = rng.beta(2, 5, (50, 1, 1)) + rng.laplace(0, 0.1, (50, 2, 2000))
    scores = made(values, " ".join(["AP"] * 2000), marks={"sample": tuple(range(2000))})
    rejected = irmx_study.compare(scores, test=test, draws=500).frame()["p"] <= 0.05
    assert rejected.mean() == pytest.approx(0.05, abs=0.011)


WILCOXON = [
    ("wilcoxon", {}),
    ("wilcoxon(zeros='pratt')", {"zero_method": "pratt"}),
    ("wilcoxon(zeros='zsplit')", {"zero_method": "zsplit"}),
    ("wilcoxon(zeros='pratt',method='asymptotic')", {"zero_method": "pratt", "method": "asymptotic"}),
    ("wilcoxon(zeros='zsplit',method='asymptotic',continuity=True)", {"zero_method": "zsplit", "method": "asymptotic", "correction": True}),
]  # fmt: skip


def check_wilcoxon(values: Floats, test: str, options: dict[str, Any]) -> None:
    for row, a, b in with_values(compared(values, test=test), values):
        known = (0.0, 1.0)
        if (a != b).any():
            known = stats.wilcoxon(a - b, **options)[:2]
        np.testing.assert_allclose([row.statistic, row.p], known, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("test", "options"), WILCOXON)
@given(values=blocks(least=2, most=9) | blocks(least=14, most=20))  # scipy takes seconds for 10 to 13 topics with ties
def test_wilcoxons_test_is_that_of_scipy_for_each_pair_alone(test: str, options: Any, values: Floats) -> None:
    values[:, 0] += np.linspace(0, 0.001, len(values))  # differences to this system have no ties
    check_wilcoxon(values, test, options)


def test_wilcoxons_test_on_13_topics_with_ties() -> None:
    values = np.random.default_rng(3).integers(0, 5, (13, 2)) / 10
    check_wilcoxon(values, *WILCOXON[0])


@pytest.mark.parametrize("topics", [40, 50, 51, 90])
def test_wilcoxons_test_on_more_topics(topics: int) -> None:
    values = measured(topics, 5)
    values[:, 4] = values[:, 3]
    check_wilcoxon(values, *WILCOXON[0])


def test_differences_that_are_equal_in_decimals_share_a_rank_where_that_is_asked() -> None:
    tenths = np.random.default_rng(0).integers(0, 11, (40, 4))
    floats, rounded, whole = (
        irmx_study.compare(made(values), all_pairs=True, test=test)
        for values, test in ((tenths / 10, "wilcoxon"), (tenths / 10, "wilcoxon(decimals=10)"), (tenths, "wilcoxon"))
    )
    pd.testing.assert_series_equal(rounded.frame()["p"], whole.frame()["p"], rtol=1e-12)
    assert not np.allclose(floats.frame()["p"], whole.frame()["p"], rtol=0.01)
    [note] = floats.notes
    assert note.startswith("6 comparisons with differences that are equal in decimals, but not as floats")
    assert rounded.notes == whole.notes == irmx_study.compare(made(tenths / 10)).notes == ()


@given(blocks(most=30))
def test_the_sign_test_is_binomial(values: Floats) -> None:
    for row, a, b in with_values(compared(values, test="sign", tie_threshold=0.125), values):
        counted = [d for d in a - b if abs(d) > 0.125]
        wins = sum(d > 0 for d in counted)
        expected = stats.binomtest(wins, len(counted)).pvalue if counted else 1.0
        assert row.statistic == (wins if (a != b).any() else 0)
        assert row.p == pytest.approx(expected, rel=1e-12)


# -- tests by draws ----------------------------------------------------------------------------------------


@given(blocks())
def test_on_few_topics_the_permutation_test_is_exact(values: Floats) -> None:
    for row, a, b in with_values(compared(values, test="permutation"), values):
        every: Any = {"permutation_type": "samples", "vectorized": True, "n_resamples": 10_000}
        expected = stats.permutation_test((a - b,), np.mean, **every)
        np.testing.assert_allclose([row.statistic, row.p], [expected.statistic, expected.pvalue], atol=1e-12)


def test_differences_that_are_equal_in_decimals_reach_each_other() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 are different floats; of 8 vectors of signs, two reach the sum of three equal differences."""
    assert compared([[0.3, 0.2], [0.2, 0.1], [0.8, 0.7]], test="permutation")["p"].tolist() == [2 / 8]
    assert compared([[0.3, 0.2], [0.1, 0.2], [0.8, 0.7]], test="permutation")["p"].tolist() == [1.0]


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_share_of_draws_counts_the_observed_as_one(test: str) -> None:
    """20 topics that the first system wins by far: no draw of a thousand reaches the observed difference."""
    values = np.stack([np.linspace(0.5, 1, 20), np.zeros(20)], axis=1)
    assert compared(values, test=test, draws=1000)["p"].tolist() == [1 / 1001]


def test_p_values_of_draws_approach_the_exact_ones() -> None:
    values = measured(13, 4)
    exact, drawn = (compared(values, test="permutation", draws=draws)["p"] for draws in (2**13, 8000))
    np.testing.assert_allclose(drawn, exact, atol=4 * np.sqrt(0.25 / 8000))
    assert (drawn != exact).any()


def test_the_bootstrap_shifts_differences_to_a_mean_of_0() -> None:
    values = measured(17, 4)
    samples = np.random.default_rng(1).integers(0, 17, (20_000, 17))
    for row, a, b in with_values(compared(values, test="bootstrap", draws=20_000), values):
        means = (a - b - (a - b).mean())[samples].mean(axis=1)
        assert row.p == pytest.approx((np.abs(means) >= abs((a - b).mean())).mean(), abs=6 * np.sqrt(0.25 / 20_000))


@given(blocks(least=5, most=25))
@settings(max_examples=10)  # each takes long
def test_a_pair_gets_the_same_p_alone_and_in_either_direction(values: Floats) -> None:
    scores = made(values)
    for test in ("t", "permutation", "bootstrap", "wilcoxon", "sign"):
        together = irmx_study.compare(scores, all_pairs=True, test=test, draws=300).frame()
        for row in together.itertuples():
            for pair in ([row.a, row.b], [row.b, row.a]):
                alone = irmx_study.compare(scores.select(systems=pair), test=test, draws=300).frame()
                assert alone["p"].tolist() == [row.p]


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "randomised-tukey"])
def test_small_differences_of_large_values_are_not_lost(test: str) -> None:
    values = np.random.default_rng(3).normal([0.0, 0.9], size=(30, 2))
    near, far = (compared(v, test=test)["p"][0] for v in (values, values + 1e12))  # of which floats keep four decimals
    assert 0.0001 < near < 0.5
    assert far == pytest.approx(near, abs=1e-3)


PINNED = [
    [0.132, 0.09, 0.001, 0.837, 0.066, 0.122],
    [0.117, 0.066, 0.002, 0.844, 0.061, 0.105],
    [0.446, 0.311, 0.004, 0.994, 0.316, 0.456],
    [0.46, 0.306, 0.001, 0.999, 0.298, 0.459],
]
"""The p-values of one seed, by permutation, bootstrap, randomised Tukey and maxT."""

DRAWN: list[dict[str, str]] = [
    {"test": "permutation", "correction": "none"},
    {"test": "bootstrap", "correction": "none"},
    {"test": "randomised-tukey"},
    {"correction": "maxt"},
]


def drawn_p_values(values: Floats, draws: int = 999) -> list[list[float]]:
    return [compared(values, draws=draws, seed=7, **how)["p_corrected"].tolist() for how in DRAWN]


def test_one_seed_gives_these_numbers_everywhere() -> None:
    sines = 0.5 + 0.4 * np.sin(np.arange(24 * 4) ** 2).reshape(24, 4) + 0.06 * np.arange(4)  # of no generator
    assert drawn_p_values(np.round(sines, 4)) == PINNED


@pytest.mark.slow
def test_the_number_of_threads_changes_no_digit() -> None:
    code = (
        "from study.test_significance import drawn_p_values, measured, compared\n"
        "print(drawn_p_values(measured(60, 40), 300), compared(measured(60, 40), interval='bca')['low'].tolist())"
    )
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    printed = []
    for threads in ("1", "2"):
        environment = os.environ | dict.fromkeys(names, threads) | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        printed.append(done.stdout)
    assert len(printed[0]) > 1000
    assert printed[0] == printed[1]


# -- BCa intervals -----------------------------------------------------------------------------------------


def test_bca_intervals_are_those_of_scipy_but_for_the_draws() -> None:
    """Percentiles without the correction differ by a fifth of the width."""
    values = measured(25, 3) ** 4
    for row, a, b in with_values(compared(values, interval="bca", draws=20_000), values):
        known = stats.bootstrap((a - b,), np.mean, n_resamples=20_000, method="BCa", rng=1).confidence_interval
        within = 0.03 * (known.high - known.low)
        assert (row.low, row.high) == pytest.approx((known.low, known.high), abs=within)
    pinned = [[0.026465121402015103, 0.06162094098379888], [0.028088285253276647, 0.07170582117502601]]
    ends = compared(values, interval="bca", draws=700, seed=5, level=0.3)[["low", "high"]].to_numpy()
    np.testing.assert_allclose(ends[:2], pinned, rtol=1e-12)


def test_bca_intervals_grow_up_to_the_smallest_and_largest_draw() -> None:
    values = measured(25, 2) ** 4
    low, high = np.array([compared(values, interval="bca", draws=100, level=level)[["low", "high"]].iloc[0]
                          for level in (0.1, 0.01, 1e-3, 1e-5, 1e-9)]).T  # fmt: skip
    assert (np.diff(low) < 0).all()
    assert (np.diff(high) > 0).all()


def test_differences_that_are_all_the_same_have_a_bca_interval_of_one_point() -> None:
    values = [[0.3, 0.2, 0.2], [0.2, 0.1, 0.1], [0.8, 0.7, 0.7], [0.5, 0.4, 0.4], [0.4, 0.3, 0.3]] * 2
    ends = compared(values, interval="bca", draws=100)[["low", "high"]]
    np.testing.assert_allclose(ends, [[-0.1, -0.1], [-0.1, -0.1], [0, 0]], atol=1e-14)


# -- Tukey's tests -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("topics", "systems"), [(2, 3), (20, 3), (9, 12)])
def test_tukeys_test_against_a_plain_version(topics: int, systems: int) -> None:
    values = measured(topics, systems)
    mean, variance = values.mean(), 0.0
    for t, s in product(range(topics), range(systems)):
        variance += (values[t, s] - sum(values[t]) / systems - sum(values[:, s]) / topics + mean) ** 2
    variance /= (topics - 1) * (systems - 1)
    distribution = stats.studentized_range(systems, (topics - 1) * (systems - 1))
    half = distribution.ppf(0.9) * (variance / topics) ** 0.5
    for row, a, b in with_values(compared(values, test="tukey", level=0.1), values):
        difference = sum(a) / topics - sum(b) / topics
        q = difference / (variance / topics) ** 0.5
        assert row.statistic == pytest.approx(q, rel=1e-9)
        assert row.effect == pytest.approx(difference / variance**0.5, rel=1e-9)
        assert row.p == row.p_corrected == pytest.approx(distribution.sf(abs(q)), rel=1e-5, abs=1e-8)
        assert (row.low, row.high) == pytest.approx((difference - half, difference + half), rel=1e-6)
        assert (row.low <= 0 <= row.high) == (row.p >= 0.1)


def test_tukeys_test_of_systems_whose_means_differ_by_0_and_1() -> None:
    frame = compared([[0.25, 0.5, 1.25], [0.5, 0.25, 1.5], [0.5, 0.5, 1.5]], test="tukey")
    assert (frame["difference"].abs().tolist(), frame["statistic"][0], frame["p"][0]) == ([0, 1, 1], 0, 1)
    assert (frame["statistic"][1:].abs() > 1).all()


@given(blocks(least=3, systems=2))
def test_of_two_systems_tukeys_test_is_the_t_test(values: Floats) -> None:
    values = values + np.linspace(0, 0.01, len(values))[:, None] * np.array([0, 1])
    tukey, t = (compared(values, test=test)["p"] for test in ("tukey", "t"))
    np.testing.assert_allclose(tukey, t, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("topics", "systems", "apart"), [(2, 9, 8.0), (50, 12, 0.3), (50, 129, 0.3), (7000, 20, 0.03)])
def test_p_values_of_ranges_are_those_of_scipy_and_fall(topics: int, systems: int, apart: float) -> None:
    """At most 2e-6 of p: SciPy's integrals have errors of some 1e-11, which is 1e-6 of the smallest p here."""
    rng = np.random.default_rng(2)
    values = rng.normal(0, 0.3, (topics, systems)) + np.linspace(0, 1, systems) ** 2 * apart
    frame = compared(values, test="tukey")
    q, p = np.sort(frame["statistic"].abs()), frame["p"].to_numpy()[np.argsort(frame["statistic"].abs())]
    assert (np.diff(p) <= 1e-7).all()
    assert ((p >= 0) & (p <= 1)).all()
    some = np.unique(np.linspace(0, len(q) - 1, 60).astype(int))
    expected = stats.studentized_range.sf(q[some], systems, (topics - 1) * (systems - 1))
    is_checked = (expected > 1e-5) & (expected < 0.999)
    assert is_checked.sum() > 12
    np.testing.assert_allclose(p[some][is_checked], expected[is_checked], rtol=2e-6)
    np.testing.assert_allclose(p[some], expected, atol=1e-6)


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
    return [
        sum(share for sums, share in ways.items() if max(sums) - min(sums) >= abs(totals[a] - totals[b]))
        for a, b in combinations(range(systems), 2)
    ]


@pytest.mark.parametrize("topics", [3, 8])
def test_the_randomised_test_of_tukey_approaches_the_exact_shares(topics: int) -> None:
    """In decimals: many ways reach exactly the observed difference, which floats would tell apart from it."""
    values = measured(topics, 3).round(1)
    p = compared(values, test="randomised-tukey", draws=20_000)["p"]
    np.testing.assert_allclose(p, exact_randomised_tukey(values), atol=4 * np.sqrt(0.25 / 20_000))


def test_p_values_of_several_measures_are_those_of_each_alone() -> None:
    values = np.stack([measured(12, 6, seed) for seed in range(3)], axis=2)
    values[0, :, 2] = np.nan  # so that this measure has fewer topics
    how: dict[str, Any] = {"test": "randomised-tukey", "draws": 500}
    together = compared(values, "AP RR nDCG", **how)
    for place, measure in enumerate(("AP", "RR", "nDCG")):
        alone = compared(values[:, :, [place]], measure, **how)
        assert together["p"][together["measure"] == measure].tolist() == alone["p"].tolist()


# -- corrections -------------------------------------------------------------------------------------------

METHODS = {"holm": "holm", "bonferroni": "bonferroni", "hommel": "hommel", "bh": "fdr_bh", "by": "fdr_by"}
"""The corrections by closed formulas, and their names in statsmodels."""
P_VALUES = st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.05, 0.3, 0.31, 0.9, 1.0]) | st.floats(0, 1)


@pytest.mark.parametrize("name", METHODS)
@given(p=st.lists(P_VALUES, min_size=1, max_size=30))
def test_corrections_are_those_of_statsmodels(name: str, p: list[float]) -> None:
    correction: Any = irmx.registry().symbols("correction of p-values")[name]
    with mock.patch("gc.collect"):  # which it calls, and which takes half a second
        expected = multipletests(p, method=METHODS[name])[1]
    np.testing.assert_allclose(correction.adjust(np.array(p), []), expected, rtol=0, atol=1e-12)


def t_of(differences: Floats) -> float:
    return float(abs(differences.mean()) / (differences.var(ddof=1) / len(differences)) ** 0.5)


@pytest.mark.parametrize("measures", ["AP", "AP RR"])
def test_maxt_takes_all_signs_of_few_topics_of_all_measures(measures: str) -> None:
    values = np.stack([measured(7, 4, seed) for seed in range(len(measures.split()))], axis=2)
    values += np.random.default_rng(0).random(values.shape) / 100
    pairs = [values[:, b] - values[:, a] for a, b in combinations(range(4), 2)]
    columns = [pair[:, v] for v in range(values.shape[2]) for pair in pairs]
    highest = [max(t_of(np.array(signs) * one) for one in columns) for signs in product((-1.0, 1.0), repeat=7)]
    expected = [np.mean([high >= t_of(one) * (1 - 1e-9) for high in highest]) for one in columns]
    frame = compared(values, measures, correction="maxt", family="all")
    np.testing.assert_allclose(frame["p_corrected"], expected, atol=1e-12)


@given(blocks(least=3, systems=2))
def test_maxt_of_one_comparison_is_the_permutation_test(values: Floats) -> None:
    """The size of t grows with that of the mean difference, because signs do not change the sum of squares."""
    assert compared(values, test="permutation", correction="maxt").eval("p == p_corrected").all()


def test_maxt_costs_less_than_holm_where_systems_are_alike() -> None:
    """Comparisons of copies of a system with the baseline are one comparison, to maxT."""
    values = measured(40, 2, seed=3)
    copies = np.concatenate([values, np.repeat(values[:, 1:], 5, axis=1)], axis=1)
    how: dict[str, Any] = {"test": "permutation", "correction": "maxt"}
    [p] = irmx_study.compare(made(values), **how).frame()["p"]
    assert irmx_study.compare(made(copies), baseline="a", **how).frame()["p_corrected"].tolist() == [p] * 6


def test_maxt_refuses_measures_with_values_on_different_topics() -> None:
    values = np.stack([measured(12, 3), measured(12, 3, 1)], axis=2)
    values[0, 0, 1] = np.nan
    with pytest.raises(irmx.UsageError, match="need values on the same topics"):
        compared(values, "AP RR", correction="maxt", family="all", missing="both")


# -- letters -----------------------------------------------------------------------------------------------


class Given(irmx.Symbol):
    """A test that finds given pairs of systems significant."""

    NAME, KIND, ALL_PAIRS = "given", "significance test", True
    differ: list[bool]

    def test(self, paired: Any) -> Any:
        return np.zeros(len(paired)), np.where(self.differ, 0.0, 1.0)


def letters_of(differ: list[bool], means: Any) -> list[set[str]]:
    """Return the letters of systems with given means, of which given pairs differ."""
    test = Given()
    test.differ = differ
    values = np.stack([np.asarray(means, dtype=float), np.arange(len(means)) / 1e6 + np.asarray(means)])
    comparison = irmx_study.compare(made(values), all_pairs=True, test=test)
    return [set(pd.Series([text]).str.findall(r"[a-zA-Z]\d*")[0]) for text in comparison.letters["AP"]]


@st.composite
def differing(draw: st.DrawFn) -> tuple[list[bool], list[int]]:
    systems = draw(st.integers(2, 9))
    pairs = systems * (systems - 1) // 2
    return draw(st.lists(st.booleans(), min_size=pairs, max_size=pairs)), draw(st.permutations(range(systems)))


@given(differing())
def test_systems_share_a_letter_if_and_only_if_they_cannot_be_told_apart_and_none_is_superfluous(
    case: tuple[list[bool], list[int]],
) -> None:
    differ, means = case
    letters = letters_of(differ, means)
    assert all(letters)
    assert "a" in letters[int(np.argmax(means))]
    pairs = list(combinations(range(len(means)), 2))
    for (a, b), differs in zip(pairs, differ, strict=True):
        assert bool(letters[a] & letters[b]) is not differs
    alike = [pair for pair, differs in zip(pairs, differ, strict=True) if not differs]
    for letter in set.union(*letters):
        rest = [of_system - {letter} for of_system in letters]
        assert not all(rest) or any(not rest[a] & rest[b] for a, b in alike)


@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_many_systems_get_few_letters(noise: float) -> None:
    """Of systems whose means differ, as by Tukey's test, and with noise, as by t tests with Holm's correction."""
    rng = np.random.default_rng(7)
    means = np.sort(rng.uniform(0, 0.4, 129))[::-1]
    first, second = np.triu_indices(129, 1)
    differ = (np.abs(means[first] - means[second]) > 0.1) ^ (rng.uniform(size=len(first)) < noise)
    letters = letters_of(differ.tolist(), means)
    assert len(set.union(*letters)) < (129 if noise == 0 else 2000)
    assert max(map(len, letters)) < 129


def test_after_26_letters_come_capitals_and_numbers() -> None:
    letters = letters_of([True] * (60 * 59 // 2), -np.arange(60))
    assert [letters[i] for i in (25, 26, 51, 52, 59)] == [{"z"}, {"A"}, {"Z"}, {"a1"}, {"h1"}]


# -- simultaneous intervals --------------------------------------------------------------------------------


@pytest.mark.parametrize("correction", ["none", "bonferroni", "maxt"])
@pytest.mark.parametrize("family", ["view", "all"])
@pytest.mark.parametrize("topics", [6, 40])
def test_simultaneous_intervals_exclude_0_where_the_correction_finds_a_difference(
    correction: str, family: str, topics: int
) -> None:
    values = np.random.default_rng(topics).normal([[[0.0], [0.1], [0.25], [0.5]]], 0.4, (topics, 4, 2))
    how = {"correction": correction, "family": family, "draws": 999, "all_pairs": True}
    frame = irmx_study.compare(made(values, "AP RR"), interval="simultaneous", **how).frame()
    plain = irmx_study.compare(made(values, "AP RR"), **how).frame()
    excludes = (frame["low"] > 0) | (frame["high"] < 0)
    assert (excludes == (frame["p_corrected"] <= 0.05)).all()
    assert frame["p"].tolist() == plain["p"].tolist()
    assert (frame["high"] - frame["low"] >= (plain["high"] - plain["low"]) * (1 - 1e-9)).all()


def test_bonferronis_t_is_that_of_scipy_and_serves_holm() -> None:
    values = np.random.default_rng(5).random((20, 3, 1))
    for correction in ("bonferroni", "holm", "hommel"):
        row = compared(values, interval="simultaneous", correction=correction).iloc[0]
        difference = values[:, 1, 0] - values[:, 0, 0]
        expected = stats.ttest_rel(values[:, 1, 0], values[:, 0, 0]).confidence_interval(1 - 0.05 / 3)
        assert row["difference"] == pytest.approx(difference.mean())
        assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))


def test_the_randomised_test_of_tukey_has_intervals_that_agree_with_it() -> None:
    values = np.random.default_rng(7).normal([[[0.0], [0.1], [0.3], [0.5]]], 0.3, (25, 4, 1))
    how: Any = {"test": "randomised-tukey", "interval": "simultaneous", "draws": 999}
    frame = compared(values, **how)
    assert (((frame["low"] > 0) | (frame["high"] < 0)) == (frame["p_corrected"] <= 0.05)).all()
    assert (frame["high"] - frame["low"]).nunique() == 1 or np.ptp(frame["high"] - frame["low"]) < 1e-12


@pytest.mark.parametrize("how", [{"test": "randomised-tukey"}, {"correction": "maxt"}], ids=str)
@pytest.mark.parametrize("topics", [6, 15])
def test_an_interval_at_the_level_of_its_p_value_just_excludes_0(how: dict[str, str], topics: int) -> None:
    """The p-values are whole numbers of draws, of 2^6 = 64 on 6 topics where signs are flipped, and 1 of 200 where none is larger."""
    values = np.random.default_rng(11).normal([0.0, 0.2, 0.4, 3.0], 0.4, (topics, 4))
    p = compared(values, draws=199, **how)["p_corrected"]
    for row, level in enumerate(p):
        if level < 1:
            at, below = (
                compared(values, draws=199, interval="simultaneous", level=x, **how).iloc[row]
                for x in (level, level * 0.999)
            )
            assert at.low > 0 or at.high < 0
            assert below.low <= 0 <= below.high
    assert len(set(p)) > 3


def test_the_false_discovery_rate_has_no_simultaneous_intervals() -> None:
    with pytest.raises(irmx.UsageError, match="no simultaneous intervals"):
        irmx_study.Choices(correction="bh", interval="simultaneous")


# -- corrections and few topics ----------------------------------------------------------------------------


def test_hommels_correction_of_all_pairs_of_500_systems_is_no_smaller_than_p_and_no_larger_than_bonferronis() -> None:
    p = np.random.default_rng(1).random(124_750) ** 4
    corrected = irmx_study.Choices(correction="hommel").correction.adjust(p, ())
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(p * len(p), 1) + 1e-12).all()
    order = np.argsort(p)
    assert (np.diff(corrected[order]) >= -1e-15).all()


def test_wilcoxons_test_says_how_its_p_values_are_computed() -> None:
    values = np.random.default_rng(0).random((51, 2))
    for some, how in ((values[:50], "exact"), (values, "normal"), (values[:30].round(1), "normal")):
        assert irmx_study.compare(made(some), test="wilcoxon").facts()["p-values"].startswith(how)


@pytest.mark.parametrize(("how", "fewest"), [({"test": "bootstrap"}, 5), ({"interval": "bca"}, 10)])
def test_resampling_of_few_topics_is_refused(how: Any, fewest: int) -> None:
    assert len(irmx_study.compare(made(measured(fewest, 2)), **how, draws=200).frame()) == 1
    with pytest.raises(irmx.DataError, match=f"{fewest} topics or more. There are {fewest - 1}"):
        irmx_study.compare(made(measured(fewest - 1, 2)), **how, draws=200)


def test_an_interval_of_the_largest_of_all_draws_includes_0_where_nothing_can_be_significant() -> None:
    for seed in range(20):
        values = np.random.default_rng(seed).random((4, 2))
        values[:, 1] += values[:, 0]  # no change of signs gives a larger t
        [row] = irmx_study.compare(made(values), correction="maxt", interval="simultaneous").frame().to_dict("records")
        assert row["p_corrected"] > 0.05
        assert row["low"] <= 0 <= row["high"]
