"""Which differences a sample of preferences finds: by other formulas, and by drawing samples."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, ttest_1samp
from scipy.stats import t as student

import irmx
from irmx_pages import Block, Page, preference_power
from irmx_pages.preferences.power_of_paired_t import detectable_effect, power_of_paired_t, topics_for_effect
from irmx_pages.preferences.preference_sample_power import Variation

ORDERS = {"best": ("good", "fair", "poor"), "middle": ("good", "poor", "fair"), "worst": ("poor", "good", "fair")}
PAIRS = [("best", "worst"), ("best", "middle"), ("middle", "worst")]


def collection(topics: int, seed: int = 1) -> tuple[list[Page], pd.DataFrame, dict[str, dict[str, int]]]:
    """Pages, one random vote per pair, and judgments."""
    rng = np.random.default_rng(seed)
    names = [f"t{i}" for i in range(topics)]
    pages = [Page(t, n, tuple(Block("web", "", (i,)) for i in items)) for t in names for n, items in ORDERS.items()]
    rows = [(t, a, b, "ann", "a" if rng.random() < 0.7 else "b", f"{a}-{b}") for t in names for a, b in PAIRS]
    votes = pd.DataFrame(rows, columns=["query_id", "page_a", "page_b", "assessor", "choice", "bin_pair"])
    return pages, votes, {t: {"good": 1, "fair": 1, "poor": 0} for t in names}


@given(st.integers(2, 200), st.just(0.0) | st.floats(0.001, 3), st.floats(0.001, 0.2))
def test_power_is_that_of_the_noncentral_t(topics: int, effect: float, significance: float) -> None:
    critical, noncentrality = student.isf(significance / 2, topics - 1), effect * math.sqrt(topics)
    if noncentrality < 10:  # beyond, scipy's noncentral t is less precise than its square
        opposite = (
            nct.cdf(-critical, topics - 1, noncentrality) if noncentrality < 5 else 0.0
        )  # there scipy may say NaN
        expected = nct.sf(critical, topics - 1, noncentrality) + opposite
        assert power_of_paired_t(topics, effect, significance) == pytest.approx(expected, abs=1e-6)


@given(st.integers(2, 300), st.floats(0.001, 0.2), st.floats(0.3, 0.99))
def test_the_detectable_effect_is_found_with_the_power(topics: int, significance: float, power: float) -> None:
    effect = detectable_effect(topics, significance, power)
    assert power_of_paired_t(topics, effect, significance) == pytest.approx(power, abs=1e-8)
    assert topics_for_effect(effect * (1 + 1e-9), significance, power) == topics


def test_the_topics_for_an_effect_are_the_fewest() -> None:
    for effect in (0.05, 0.2, 0.5, 3.0, 50.0):
        topics = topics_for_effect(effect, 0.05, 0.8)
        assert power_of_paired_t(topics, effect, 0.05) >= 0.8
        assert topics == 2 or power_of_paired_t(topics - 1, effect, 0.05) < 0.8


def test_what_cannot_be_found() -> None:
    with pytest.raises(irmx.UsageError, match=r"With 2 topics, no difference is found .* fewer comparisons"):
        detectable_effect(2, 1e-9, 0.999)
    with pytest.raises(irmx.UsageError, match="Not even 100,000,000 topics"):
        topics_for_effect(1e-6, 0.05, 0.8)


def test_variance_between_and_within_topics_is_recovered() -> None:
    rng = np.random.default_rng(3)
    topics, pairs, between, within = 4000, 6, 0.04, 0.25
    topic = np.repeat(np.arange(topics), pairs)
    of_topic = rng.normal(0, math.sqrt(between), topics)
    found = Variation.of(of_topic[topic] + rng.normal(0, math.sqrt(within), len(topic)), topic)
    assert (found.topics, found.pairs) == (topics, topics * pairs)
    assert found.between == pytest.approx(between, rel=0.1)
    assert found.within == pytest.approx(within, rel=0.05)
    assert found.sd == pytest.approx(math.sqrt(between + within / pairs), rel=0.05)
    needed = found.pairs_per_topic(math.sqrt(between + within / 20.5))
    assert 17 <= needed <= 24
    assert math.isnan(found.pairs_per_topic(math.sqrt(between * 0.8)))
    assert found.pairs_per_topic(1) == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])), min_size=1, max_size=30))
def test_the_parts_of_the_variance_make_up_the_whole(values: list[tuple[int, float]]) -> None:
    topic, differences = np.array([t for t, _ in values]), np.array([d for _, d in values])
    found = Variation.of(differences, topic)
    size = np.unique(topic, return_counts=True)[1]
    if len(size) < 2:
        assert math.isnan(found.sd)
    elif found.pairs == found.topics:
        assert math.isnan(found.between)
        assert math.isnan(found.pairs_per_topic(1.0))
    else:
        assert min(found.between, found.within) >= 0
        assert found.between + found.within * (1 / size).mean() == pytest.approx(found.sd**2, abs=1e-12)


def test_a_sample_as_large_as_needed_finds_the_difference_as_often_as_asked() -> None:
    rng = np.random.default_rng(5)
    sd, difference = 0.2, 0.05
    topics = topics_for_effect(difference / sd, 0.05, 0.8)
    p = ttest_1samp(rng.normal(difference, sd, (topics, 4000)), 0).pvalue
    assert (p <= 0.05).mean() == pytest.approx(0.8, abs=0.025)


def test_what_is_needed_for_the_detectable_difference_is_what_there_is() -> None:
    pages, votes, qrels = collection(30)
    [row] = preference_power(pages, votes, qrels, "P@2 RR", levels=[1.0]).query("bin_pair == 'all'").itertuples()
    assert (row.topics, row.pairs, row.note) == (30, 90, "")
    assert row.detectable == pytest.approx(row.sd * detectable_effect(30, 0.05, 0.8))
    found = preference_power(pages, votes, qrels, "P@2 RR", row.detectable * (1 + 1e-9), levels=[1.0])
    [answer] = found.query("bin_pair == 'all'").itertuples()
    assert (answer.topics_needed, answer.pairs_needed, answer.pairs_per_topic_needed) == (30, 90, 3)


def test_larger_differences_need_less() -> None:
    pages, votes, qrels = collection(30)
    found = preference_power(pages, votes, qrels, "P@2 RR AP", [0.05, 0.1, 0.3], levels=[1.0])
    varying = found[found["note"] == ""]
    assert varying["bin_pair"].nunique() == 3  # measures agree on the best and the worst
    for _, rows in varying.groupby(["bin_pair", "a", "b"]):
        assert rows["topics_needed"].is_monotonic_decreasing
        assert rows["pairs_needed"].is_monotonic_decreasing
        assert rows["detectable"].nunique() == 1


def test_comparisons_divide_the_level() -> None:
    pages, votes, qrels = collection(30)
    several = preference_power(pages, votes, qrels, "P@2 RR", levels=[1.0], comparisons=10)
    lower = preference_power(pages, votes, qrels, "P@2 RR", levels=[1.0], significance=0.005)
    assert several.equals(lower)
    one = preference_power(pages, votes, qrels, "P@2 RR", levels=[1.0])
    assert (several["detectable"] > one["detectable"]).tolist() == (one["note"] == "").tolist()
    assert (one["note"] == "").sum() == 3


def test_rows_without_a_variance_say_so() -> None:
    pages, votes, qrels = collection(3)
    single = (votes["bin_pair"] != "middle-worst") | (votes["query_id"] == "t0")
    found = preference_power(pages, votes[single], qrels, "P@2 RR AP", 0.1, levels=[1.0])
    notes = found.set_index(["bin_pair", "a", "b"])["note"]
    assert notes[("middle-worst", "P@2", "RR")] == "one topic"
    assert notes[("best-worst", "P@2", "AP")] == "same difference on every topic"  # they prefer the same page
    assert notes[("all", "P@2", "RR")].startswith("fewer than 20 topics")
    empty = found["note"].isin(["one topic", "same difference on every topic"])
    columns = ["detectable", "topics_needed", "pairs_needed", "pairs_per_topic_needed"]
    assert found.loc[empty, columns].isna().all(axis=None)
    assert found.loc[~empty, columns[:3]].notna().all(axis=None)


def test_a_difference_above_1_cannot_be_found() -> None:
    pages, votes, qrels = collection(2, seed=4)
    votes["choice"] = ["a", "a", "a", "b", "b", "b"]
    found = preference_power(pages, votes, qrels, "P@2 P@3", levels=[1.0]).query("bin_pair == 'all'")
    assert found["detectable"].gt(1).all()
    assert found["note"].tolist() == ["fewer than 20 topics; no possible difference is detectable"]


@pytest.mark.parametrize(
    ("measures", "options", "said"),
    [
        ("P@2", {}, "needs at least two measures. There is only P@2"),
        ("P@2 RR", {"difference": 0}, r"'difference' .* range \[1e-06, 1\]. Got 0"),
        ("P@2 RR", {"difference": [0.1, 1.5]}, "'difference' .* Got 1.5"),
        ("P@2 RR", {"significance": 0}, r"'significance' .* \(0, 1\). Got 0"),
        ("P@2 RR", {"power": 1}, r"'power' .* \(0, 1\). Got 1"),
        ("P@2 RR", {"power": 0.05}, "The power must be above the level of significance, 0.05. Got 0.05"),
        ("P@2 RR", {"comparisons": 0}, r"'comparisons' .* \[1, inf\). Got 0"),
    ],
)
def test_what_is_not_planned(measures: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(irmx.UsageError, match=said):
        preference_power(*collection(3), measures, **options)  # type: ignore[arg-type]


def test_one_topic_has_no_variance() -> None:
    with pytest.raises(irmx.DataError, match="of one topic, so that the variance over topics is not known"):
        preference_power(*collection(1), "P@2 RR")


@pytest.mark.parametrize("effect", [0, 1e-200, 1e-12])
def test_without_an_effect_the_power_is_the_level(effect: float) -> None:
    assert power_of_paired_t(50, effect, 0.05) == pytest.approx(0.05, abs=1e-9)
