"""Power, detectable differences and numbers of topics: by other routes, by simulation, and as the table says them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import irmx
import irmx_study
from irmx import DataError, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.planning import sample_sizes as sizes

RUNS = {system: run_path(system) for system in SYSTEMS}
GRID = [
    (n, effect, level)
    for n in (5, 20, 50, 250)
    for effect in (0.05, 0.2, 0.5, 1)
    for level in (0.01, 0.05, 0.1)
    if effect * math.sqrt(n) < 5  # beyond, the noncentral t of scipy may be NaN
]


@pytest.fixture(scope="module")
def demo() -> Scores:
    return irmx.scores("AP RR", qrels_path(), RUNS)


# -- one pair ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "effect", "level"), GRID)
def test_the_power_of_the_t_test_is_that_of_statsmodels_and_of_the_noncentral_t(
    n: int, effect: float, level: float
) -> None:
    power = sizes.power_of_t(n, 0.3 * effect, 0.3, level)
    critical, noncentral = stats.t.isf(level / 2, n - 1), stats.nct(n - 1, effect * math.sqrt(n))
    assert power == pytest.approx(noncentral.sf(critical) + noncentral.cdf(-critical), rel=1e-8)
    assert power == pytest.approx(TTestPower().power(effect, n, level), rel=1e-8)


@pytest.mark.parametrize(("n", "effect"), [(2, 1e5), (3, 10), (10**6, 0.01), (10**8, 5)])
def test_the_power_for_large_effects_is_1(n: int, effect: float) -> None:
    assert sizes.power_of_t(n, effect, 1, 0.05) == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("n", [2, 10, 50, 1000])
def test_the_detectable_difference_has_the_power(n: int, power: float) -> None:
    detectable = sizes.detectable_difference(n, 0.25, 0.05, power)
    assert sizes.power_of_t(n, detectable, 0.25, 0.05) == pytest.approx(power, abs=1e-9)
    if n > 2:
        effect = TTestPower().solve_power(None, n, 0.05, power)
        assert detectable == pytest.approx(0.25 * effect, rel=1e-4)  # its solver stops there


@pytest.mark.parametrize("difference", [0.01, 0.03, 0.1, 0.5, 20])
def test_the_number_of_topics_is_the_smallest_with_the_power(difference: float) -> None:
    n = sizes.topics_for_t(difference, 0.25, 0.05, 0.8)
    assert sizes.power_of_t(n, difference, 0.25, 0.05) >= 0.8
    assert n == 2 or sizes.power_of_t(n - 1, difference, 0.25, 0.05) < 0.8
    if n > 5:
        assert n == math.ceil(TTestPower().solve_power(difference / 0.25, None, 0.05, 0.8))


@pytest.mark.parametrize(("effect", "topics"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_the_number_of_topics_is_that_of_gpower(effect: float, topics: int) -> None:
    """Matched pairs, two tails, level .05, power .80, in G*Power 3 (Faul et al., 2007), for Cohen's small to large effects."""
    assert sizes.topics_for_t(effect, 1, 0.05, 0.8) == topics


def sakai_t(difference: float, variance: float, level: float, power: float) -> int:
    """The topics by the approximation of the noncentral t in Sakai's topic set size design (2016)."""
    for n in range(3, 10**5):
        freedom, shift = n - 1, math.sqrt(n) * difference / math.sqrt(variance)
        w = stats.t.isf(level / 2, freedom)
        scale = math.sqrt(1 + w**2 / (2 * freedom))
        low, high = ((x * (1 - 1 / (4 * freedom)) - shift) / scale for x in (-w, w))
        if stats.norm.cdf(low) + stats.norm.sf(high) >= power:
            return n
    raise AssertionError


@pytest.mark.parametrize("difference", [0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("variance", [0.01, 0.1])
def test_the_number_of_topics_is_that_of_topic_set_size_design(difference: float, variance: float) -> None:
    exact = sizes.topics_for_t(difference, math.sqrt(variance), 0.05, 0.8)
    assert abs(sakai_t(difference, variance, 0.05, 0.8) - exact) <= 1


# -- several systems, and intervals ------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "systems"), [(10, 3), (20, 5)])
def test_the_power_of_the_analysis_of_variance_by_simulation(n: int, systems: int) -> None:
    draws, difference, sd = 20_000, 0.12, 0.12
    effects = np.zeros(systems)
    effects[[0, -1]] = -difference / 2, difference / 2
    random = np.random.Generator(np.random.PCG64(1))
    values = random.normal(effects, sd, (draws, n, systems)) + random.normal(0, 1, (draws, n, 1))
    of_systems, of_topics = values.mean(axis=1, keepdims=True), values.mean(axis=2, keepdims=True)
    grand = values.mean(axis=(1, 2), keepdims=True)
    within = ((values - of_systems - of_topics + grand) ** 2).sum(axis=(1, 2)) / ((n - 1) * (systems - 1))
    between = n * ((of_systems - grand) ** 2).sum(axis=(1, 2)) / (systems - 1)
    found = (between / within > stats.f.isf(0.05, systems - 1, (n - 1) * (systems - 1))).mean()
    power = sizes.power_of_anova(n, systems, difference, sd**2, 0.05)
    assert 0.2 < power < 0.9
    assert found == pytest.approx(power, abs=4 * math.sqrt(power * (1 - power) / draws))


def one_way(difference: float, variance: float, systems: int) -> int:
    """The topics of the one-way analysis of variance, which Sakai's design has."""
    for n in range(2, 10**5):
        freedom = (systems - 1, systems * (n - 1))
        critical = stats.f.isf(0.05, *freedom)
        if stats.ncf.sf(critical, *freedom, n * difference**2 / (2 * variance)) >= 0.8:
            return n
    raise AssertionError


def sakai_anova(difference: float, variance: float, systems: int) -> int:
    """The topics by the approximation of the noncentral F in Sakai's topic set size design (2016), of the one-way analysis."""
    for n in range(2, 10**5):
        between, within, shift = systems - 1, systems * (n - 1), n * difference**2 / (2 * variance)
        critical, ratio = stats.f.isf(0.05, between, within), (between + 2 * shift) / (between + shift)
        freedom = (between + shift) ** 2 / (between + 2 * shift)
        score = math.sqrt(critical / within * (2 * within - 1)) - math.sqrt(ratio / between * (2 * freedom - 1))
        if stats.norm.sf(score / math.sqrt(ratio / between + critical / within)) >= 0.8:
            return n
    raise AssertionError


@pytest.mark.parametrize("difference", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("systems", [2, 3, 10, 30])
def test_the_one_way_analysis_is_that_of_topic_set_size_design(difference: float, systems: int) -> None:
    assert abs(sakai_anova(difference, 0.02, systems) - one_way(difference, 0.02, systems)) <= 3


@pytest.mark.parametrize("difference", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("systems", [2, 3, 10, 30])
def test_the_one_way_analysis_needs_at_most_two_topics_fewer(difference: float, systems: int) -> None:
    assert 0 <= sizes.topics_for_anova(difference, 0.02, systems, 0.05, 0.8) - one_way(difference, 0.02, systems) <= 2


def test_the_number_of_topics_of_the_analysis_of_variance_is_the_smallest() -> None:
    for systems in (2, 3, 20):
        n = sizes.topics_for_anova(0.1, 0.03, systems, 0.01, 0.9)
        powers = [sizes.power_of_anova(topics, systems, 0.1, 0.03, 0.01) for topics in (n - 1, n)]
        assert powers[0] < 0.9 <= powers[1]
    assert sizes.topics_for_anova(0.1, 0.03, 2, 0.01, 0.9) == sizes.topics_for_t(0.1, math.sqrt(0.06), 0.01, 0.9)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_expected_width_by_simulation_and_by_the_approximation_of_sakai(n: int) -> None:
    values = np.random.Generator(np.random.PCG64(2)).normal(0, 0.25, (50_000, n))
    widths = 2 * stats.t.isf(0.025, n - 1) * values.std(axis=1, ddof=1) / math.sqrt(n)
    expected = sizes.expected_width(n, 0.25, 0.05)
    assert widths.mean() == pytest.approx(expected, abs=4 * widths.std() / math.sqrt(len(widths)))
    if n > 2:
        approximate = 2 * stats.t.isf(0.025, n - 1) * 0.25 * (1 - 1 / (4 * (n - 1))) / math.sqrt(n)
        assert expected == pytest.approx(approximate, rel=0.01)
    topics = sizes.topics_for_width(expected * (1 + 1e-12), 0.25, 0.05)
    assert topics == n


# -- the table ---------------------------------------------------------------------------------------------


def deviations(scores: Scores, measure: str) -> list[float]:
    values = scores[measure]
    return [float((values[:, i] - values[:, j]).std(ddof=1)) for i, j in combinations(range(values.shape[1]), 2)]


def test_the_table_of_scores_is_of_the_median_and_the_largest_deviation(demo: Scores) -> None:
    plan = irmx_study.power(demo, difference=[0.1, 0.05], width=0.2, systems=4)
    frame = plan.frame()
    assert frame["measure"].tolist() == ["AP", "AP", "RR", "RR"]
    assert frame["difference"].tolist() == [0.1, 0.05] * 2
    assert set(frame["pairs"]) == {3}
    assert set(frame["topics"]) == {30}
    for row in frame.to_dict("records"):
        sds = deviations(demo, row["measure"])
        variance = float(np.mean(np.square(sds)) / 2)  # which is the residual variance of a two-way analysis
        for of, sd in (("", sorted(sds)[1]), ("largest_", max(sds))):
            assert row[f"{of}sd"] == pytest.approx(sd)
            assert row[f"{of}detectable"] == pytest.approx(sizes.detectable_difference(30, sd, 0.05, 0.8))
            assert row[f"{of}needed"] == sizes.topics_for_t(row["difference"], sd, 0.05, 0.8)
            assert row[f"{of}needed_for_width"] == sizes.topics_for_width(0.2, sd, 0.05)
        assert row["needed_anova"] == sizes.topics_for_anova(row["difference"], variance, 4, 0.05, 0.8)
    assert plan.facts()["variance"] == "of the differences of 3 systems on 30 topics"
    assert irmx_study.power(demo.frame(), topics=50).frame()["topics"].tolist() == [50, 50]


def test_rows_by_pair(demo: Scores) -> None:
    frame = irmx_study.power(demo.select(measures="AP"), by_pair=True).frame()
    assert list(zip(frame["b"], frame["a"], strict=True)) == list(combinations(SYSTEMS, 2))
    assert frame["sd"].tolist() == pytest.approx(deviations(demo, "AP"))
    two = irmx_study.power(demo.select(systems=SYSTEMS[:2], measures="AP")).frame()
    assert list(two.columns) == ["measure", "a", "b", "topics", "sd", "detectable"]


def test_a_variance_is_as_good_as_a_deviation() -> None:
    frame = irmx_study.power(sd=0.5, difference=0.1, topics=30).frame()
    assert frame.to_dict("records") == irmx_study.power(variance=0.25, difference=[0.1], topics=30).frame().to_dict(
        "records"
    )
    assert list(irmx_study.power(sd=0.5, width=0.1).frame().columns) == ["sd", "width", "needed_for_width"]


def test_the_level_is_divided_by_the_number_of_comparisons() -> None:
    several = irmx_study.power(sd=0.25, difference=0.1, topics=50, width=0.2, comparisons=5)
    assert several.frame().equals(irmx_study.power(sd=0.25, difference=0.1, topics=50, width=0.2, level=0.01).frame())
    assert several.facts()["level"] == "0.05 / 5 comparisons = 0.01"
    one_test = irmx_study.power(sd=0.25, difference=0.1, systems=3, comparisons=5).frame()
    assert one_test["needed_anova"][0] == sizes.topics_for_anova(0.1, 0.25**2 / 2, 3, 0.05, 0.8)


def test_notes_on_few_topics_and_on_pairs_that_do_not_vary(demo: Scores) -> None:
    assert irmx_study.power(demo).notes == ()
    [observed] = irmx_study.power(demo.select(topics=demo.topics[:10]), topics=50).notes
    assert observed == "the variance comes from 10 topics, too few to know it: expect to need more topics"
    [planned] = irmx_study.power(sd=0.25, difference=1).notes
    assert planned.startswith("fewer than 20 topics")
    values = np.stack([demo.values[:, 0], demo.values[:, 0] + 0.1, demo.values[:, 1]], axis=1)
    twins = Scores(values, demo.topics, ("one", "more", "two"), demo.measures, np.ones((30, 3), dtype=bool))
    plan = irmx_study.power(twins)
    assert plan.notes[0] == "AP: 1 pair of systems left out, whose difference is the same on every topic"
    assert plan.frame()["pairs"].tolist() == [2, 2]
    with pytest.raises(DataError, match="By AP, the difference of every two systems is the same on all 30 topics"):
        irmx_study.power(twins.select(systems=["one", "more"]))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "Give scores, or the standard deviation .*: exactly one"),
        ({"sd": 1, "variance": 1, "topics": 5}, "exactly one of them"),
        ({"sd": 1}, "Nothing is asked"),
        ({"sd": 0, "topics": 5}, r"The 'sd' parameter of power must be .*\[1e-100, 1e\+100\]. Got 0"),
        ({"sd": 1e-300, "topics": 5}, r"The 'sd' parameter of power must be .* Got 1e-300"),
        ({"sd": 1, "difference": 1e300}, r"The 'difference' parameter of power must be .* Got 1e\+300"),
        (
            {"sd": 1, "topics": 2, "power": 0.999, "level": 1e-9},
            "With 2 topics, not even a difference of .* standard deviations is found with a probability of 0.999 at the level 1e-09",
        ),
        ({"sd": 1, "topics": 1}, r"The 'topics' parameter of power must be .* Got 1 "),
        ({"sd": 1, "difference": [-0.1]}, r"The 'difference' parameter of power must be"),
        ({"sd": 1, "topics": 5, "level": 1}, r"The 'level' parameter of power must be .*\(0, 1\). Got 1"),
        ({"sd": 1, "topics": 5, "level": 0.3, "power": 0.2}, "The power must be above the level, 0.3. Got 0.2"),
        ({"sd": 1, "topics": 5, "systems": 3}, "needs the difference that it is to find"),
        ({"sd": 1, "topics": 5, "by_pair": True}, "Rows by pair need the scores"),
        ({"sd": 1, "difference": 1e-9}, "Not even 1,000,000,000 topics are enough"),
    ],
)
def test_wrong_requests(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        irmx_study.power(**asked)


def test_one_system_has_no_differences(demo: Scores) -> None:
    with pytest.raises(UsageError, match=r"Differences need two systems. There is bm25"):
        irmx_study.power(demo.select(systems="bm25"))


def test_the_command_prints_the_table(demo: Scores, tmp_path: Path, command: Callable[..., Any]) -> None:
    demo.to_parquet(tmp_path / "scores.parquet")
    done = command("power", "--scores", tmp_path / "scores.parquet", "--difference", 0.1, "-o", "csv", "-p", -1)
    expected = irmx_study.power(demo, difference=0.1).frame()
    assert done.code == 0
    assert [line.split(",") for line in done.out.splitlines()] == [
        list(expected.columns),
        *expected.astype(str).to_numpy().tolist(),
    ]
    assert "variance  of the differences of 3 systems on 30 topics" in done.err
    done = command("power", "--sd", 0.25, "--difference", 0.1)
    assert done.code == 0
    assert "0.2500      0.1000      52" in done.out
    assert "level     0.05" in done.out
    assert command("power", "--sd", 0.25).code == 2
    for option in (["--scores"], ["--measure", "AP"], ["--label", "a=b"]):
        assert "about results of earlier systems" in command("power", "--sd", 0.25, "--topics", 5, *option).err
    assert "needs either qrels" in command("power").err
    assert "needs either qrels" in command("power", qrels_path(), "a.run", "AP", "--sd", 0.25).err


@pytest.mark.parametrize("difference", [0, 1e-200, 1e-12])
@pytest.mark.parametrize("systems", [2, 3, 10])
def test_without_a_difference_the_power_is_the_level(difference: float, systems: int) -> None:
    assert sizes.power_of_anova(50, systems, difference, 0.02, 0.05) == pytest.approx(0.05, abs=1e-9)
