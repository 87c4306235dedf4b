"""Detectable differences and numbers of topics: by scipy, statsmodels, published approximations and simulation."""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln
from statsmodels.stats.power import TTestPower

import irmx
import irmx_study
from irmx import DataError, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

RUNS = {system: run_path(system) for system in SYSTEMS}


@pytest.fixture(scope="module")
def demo() -> Scores:
    return irmx.scores("AP RR", qrels_path(), RUNS)


def planned(name: str, **asked: Any) -> Any:
    """One cell of the plan for a standard deviation."""
    return irmx_study.power(**asked).frame()[name][0]


def power_of_t(n: int, effect: float, level: float = 0.05) -> float:
    critical, noncentral = stats.t.isf(level / 2, n - 1), stats.nct(n - 1, effect * math.sqrt(n))
    return float(noncentral.sf(critical) + noncentral.cdf(-critical))


def power_of_anova(n: int, systems: int, difference: float, residual: float, level: float = 0.05) -> float:
    freedom = (systems - 1, (n - 1) * (systems - 1))
    return float(stats.ncf.sf(stats.f.isf(level, *freedom), *freedom, n * difference**2 / (2 * residual)))


# -- one pair ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.01, 0.05])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("n", [6, 10, 50, 1000])
def test_the_detectable_difference_has_the_power(n: int, power: float, level: float) -> None:
    detectable = planned("detectable", sd=0.25, topics=n, power=power, level=level)
    assert power_of_t(n, detectable / 0.25, level) == pytest.approx(power, abs=1e-7)
    assert detectable == pytest.approx(0.25 * TTestPower().solve_power(None, n, level, power), rel=1e-4)


@pytest.mark.parametrize("difference", [0.01, 0.03, 0.1, 0.5, 20])
def test_the_number_of_topics_is_the_smallest_with_the_power(difference: float) -> None:
    n = planned("needed", sd=0.25, difference=difference)
    assert n == 2 or power_of_t(n, difference / 0.25) >= 0.8 > power_of_t(n - 1, difference / 0.25)
    if n > 5:
        assert n == math.ceil(TTestPower().solve_power(difference / 0.25, None, 0.05, 0.8))


@pytest.mark.parametrize(("effect", "topics"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_the_number_of_topics_is_that_of_gpower(effect: float, topics: int) -> None:
    """Matched pairs, two tails, level .05, power .80, in G*Power 3 (Faul et al., 2007), for Cohen's small to large effects."""
    assert planned("needed", sd=1, difference=effect) == topics


@pytest.mark.parametrize("difference", [0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("variance", [0.01, 0.1])
def test_the_number_of_topics_is_that_of_topic_set_size_design(difference: float, variance: float) -> None:
    """By the approximation of the noncentral t in Sakai's topic set size design (2016)."""
    for n in range(3, 10**5):
        freedom, shift = n - 1, math.sqrt(n) * difference / math.sqrt(variance)
        w = stats.t.isf(0.025, freedom)
        scale = math.sqrt(1 + w**2 / (2 * freedom))
        low, high = ((x * (1 - 1 / (4 * freedom)) - shift) / scale for x in (-w, w))
        if stats.norm.cdf(low) + stats.norm.sf(high) >= 0.8:
            break
    assert abs(planned("needed", variance=variance, difference=difference) - n) <= 1


# -- several systems, and intervals ------------------------------------------------------------------------


@pytest.mark.parametrize("systems", [3, 5])
def test_the_topics_of_the_analysis_of_variance_have_the_power_in_a_simulation(systems: int) -> None:
    draws, difference, sd = 20_000, 0.12, 0.12
    n = planned("needed_anova", variance=2 * sd**2, difference=difference, systems=systems, power=0.7)
    effects = np.zeros(systems)
    effects[[0, -1]] = -difference / 2, difference / 2
    random = np.random.Generator(np.random.PCG64(1))
    values = random.normal(effects, sd, (draws, n, systems)) + random.normal(0, 1, (draws, n, 1))
    of_systems, of_topics = values.mean(axis=1, keepdims=True), values.mean(axis=2, keepdims=True)
    grand = values.mean(axis=(1, 2), keepdims=True)
    within = ((values - of_systems - of_topics + grand) ** 2).sum(axis=(1, 2)) / ((n - 1) * (systems - 1))
    between = n * ((of_systems - grand) ** 2).sum(axis=(1, 2)) / (systems - 1)
    found = (between / within > stats.f.isf(0.05, systems - 1, (n - 1) * (systems - 1))).mean()
    exact = power_of_anova(n, systems, difference, sd**2)
    assert exact >= 0.7 > power_of_anova(n - 1, systems, difference, sd**2)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / draws))


@pytest.mark.parametrize("difference", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("systems", [2, 3, 10, 30])
def test_the_analysis_of_variance_needs_what_topic_set_size_design_needs(difference: float, systems: int) -> None:
    """Sakai's design (2016) has the one-way analysis, by an approximation; the two-way one needs at most two topics more."""
    for n in range(2, 10**5):
        between, within, shift = systems - 1, systems * (n - 1), n * difference**2 / (2 * 0.02)
        critical, ratio = stats.f.isf(0.05, between, within), (between + 2 * shift) / (between + shift)
        freedom = (between + shift) ** 2 / (between + 2 * shift)
        score = math.sqrt(critical / within * (2 * within - 1)) - math.sqrt(ratio / between * (2 * freedom - 1))
        if stats.norm.sf(score / math.sqrt(ratio / between + critical / within)) >= 0.8:
            break
    needed = planned("needed_anova", variance=0.04, difference=difference, systems=systems)
    assert abs(needed - n) <= 5
    if systems == 2:
        assert needed == planned("needed", variance=0.04, difference=difference)


@pytest.mark.parametrize("n", [3, 5, 40])
def test_the_topics_for_a_width_are_the_fewest_whose_interval_is_expected_to_be_so_narrow(n: int) -> None:
    log_gammas = gammaln(n / 2) - gammaln((n - 1) / 2)
    deviation = math.sqrt(2 / (n - 1)) * math.exp(log_gammas)  # of a normal sample, over sigma
    width = 2 * stats.t.isf(0.025, n - 1) * deviation * 0.25 / math.sqrt(n)
    values = np.random.Generator(np.random.PCG64(2)).normal(0, 0.25, (50_000, n))
    widths = 2 * stats.t.isf(0.025, n - 1) * values.std(axis=1, ddof=1) / math.sqrt(n)
    assert widths.mean() == pytest.approx(width, abs=4 * widths.std() / math.sqrt(len(widths)))
    assert planned("needed_for_width", sd=0.25, width=width * (1 + 1e-12)) == n
    assert planned("needed_for_width", sd=0.25, width=width * (1 - 1e-9)) == n + 1


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
            plan_of = irmx_study.power(sd=sd, topics=30, difference=row["difference"], width=0.2)
            [given] = plan_of.frame().to_dict("records")
            for name in ("detectable", "needed", "needed_for_width"):
                assert row[of + name] == pytest.approx(given[name])
        asked = {"variance": 2 * variance, "difference": row["difference"], "systems": 4}
        assert row["needed_anova"] == planned("needed_anova", **asked)
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
    same = irmx_study.power(variance=0.25, difference=[0.1], topics=30).frame()
    assert frame.to_dict("records") == same.to_dict("records")
    assert list(irmx_study.power(sd=0.5, width=0.1).frame().columns) == ["sd", "width", "needed_for_width"]


def test_the_level_is_divided_by_the_number_of_comparisons() -> None:
    several = irmx_study.power(sd=0.25, difference=0.1, topics=50, width=0.2, comparisons=5)
    assert several.frame().equals(irmx_study.power(sd=0.25, difference=0.1, topics=50, width=0.2, level=0.01).frame())
    assert several.facts()["level"] == "0.05 / 5 comparisons = 0.01"
    one_test = irmx_study.power(sd=0.25, difference=0.1, systems=3, comparisons=5).frame()
    assert one_test["needed_anova"][0] == planned("needed_anova", sd=0.25, difference=0.1, systems=3)


def test_notes_on_few_topics_and_on_pairs_that_do_not_vary(demo: Scores) -> None:
    assert irmx_study.power(demo).notes == ()
    [observed] = irmx_study.power(demo.select(topics=demo.topics[:10]), topics=50).notes
    assert observed == "the variance comes from 10 topics, too few to know it: expect to need more topics"
    [planned] = irmx_study.power(sd=0.25, difference=1).notes
    assert planned.startswith("fewer than 20 topics")
    values = np.stack([demo.values[:, 0], demo.values[:, 0] + 0.1, demo.values[:, 1]], axis=1)
    twins = Scores(values, demo.topics, ("one", "more", "two"), demo.measures)
    plan = irmx_study.power(twins)
    assert plan.notes[0] == "AP: 1 pair of systems left out, whose difference is the same on every topic"
    assert plan.frame()["pairs"].tolist() == [2, 2]
    with pytest.raises(DataError, match="By AP, RR, the difference of every two systems is the same on all 30 topics"):
        irmx_study.power(twins.select(systems=["one", "more"]))
    values = np.stack([values[:, :, 0], np.ones((30, 3))], axis=2)
    plan = irmx_study.power(Scores(values, demo.topics, twins.systems, demo.measures))
    assert plan.frame()["measure"].tolist() == ["AP"]
    assert plan.notes[0] == "RR left out: the difference of every two systems is the same on all topics"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "Give scores, or the standard deviation .*: exactly one"),
        ({"sd": 1, "variance": 1, "topics": 5}, "exactly one of them"),
        ({"sd": 1}, "Nothing is asked"),
        ({"sd": 0, "topics": 5}, r"The 'sd' parameter of power must be .*\[1e-100, 1e\+100\]. Got 0"),
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


def test_the_command_prints_the_table(demo: Scores, tmp_path: Path, command: Any) -> None:
    demo.to_parquet(tmp_path / "scores.parquet")
    done = command("power", "--scores", "scores.parquet", "--difference", 0.1, "-o", "csv", "-p", -1)
    expected = irmx_study.power(demo, difference=0.1).frame()
    assert done.code == 0
    rows = [line.split(",") for line in done.out.splitlines()]
    assert rows == [list(expected.columns), *expected.astype(str).to_numpy().tolist()]
    assert "variance  of the differences of 3 systems on 30 topics" in done.err
    done = command("power", "--sd", 0.25, "--difference", 0.1)
    assert done.code == 0
    assert "0.2500  0.1000      52" in done.out
    assert "level     0.05" in done.out
    assert command("power", "--sd", 0.25).code == 2
    for option in (["--scores"], ["--measure", "AP"], ["--label", "a=b"]):
        assert "about results of earlier systems" in command("power", "--sd", 0.25, "--topics", 5, *option).err
    assert "needs either qrels" in command("power").err
    assert "needs either qrels" in command("power", qrels_path(), "a.run", "AP", "--sd", 0.25).err
