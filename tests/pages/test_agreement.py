"""How often measures agree with majorities: counted by hand, ties and tests by their stated rules."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import irmx
from irmx_pages import Block, Page, agreement, fleiss_kappa
from irmx_pages.preferences.topic_intervals import sign_test, topic_interval, topic_test

QRELS = {t: {"good": 1, "fair": 1, "poor": 0} for t in ("t1", "t2", "t3")}
ORDERS = {"best": ("good", "fair", "poor"), "middle": ("good", "poor", "fair"), "worst": ("poor", "good", "fair")}
PAGES = [Page(t, name, tuple(Block("web", "", (i,)) for i in items)) for t in QRELS for name, items in ORDERS.items()]
COLUMNS = ["query_id", "page_a", "page_b", "assessor", "choice", "bin_pair"]


def preferences(*rows: tuple[str, str, str, str, str]) -> pd.DataFrame:
    """Votes given as topic, page a, page b, a letter a vote, and the pair of bins."""
    return pd.DataFrame(
        [
            (q, a, b, str(i), {"-": "tie", "x": "bad"}.get(c, c), group)
            for q, a, b, choices, group in rows
            for i, c in enumerate(choices)
        ],
        columns=COLUMNS,
    )


VOTES = preferences(
    ("t1", "best", "worst", "aaaa", "H-L"),
    ("t1", "best", "middle", "aaab", "H-M"),
    ("t2", "worst", "best", "bbbb", "H-L"),
    ("t2", "middle", "best", "aaaa", "H-M"),
    ("t3", "middle", "worst", "aa--", "M-L"),
    ("t3", "middle", "best", "bbb-", "H-M"),
)


def test_agreement_is_counted_as_by_hand() -> None:
    found = agreement(PAGES, VOTES, QRELS, "P@2 RR").set_index(["level", "bin_pair", "measure"])
    # P@2: best 1, middle and worst 1/2; RR: best and middle 1, worst 1/2
    assert found.loc[(0.75, "all", "P@2"), ["pairs", "ties", "agreement"]].tolist() == [5, 0, 4 / 5]
    assert found.loc[(0.75, "all", "RR"), ["pairs", "ties", "agreement"]].tolist() == [5, 3, 3.5 / 5]
    assert found.loc[(1.0, "all", "P@2"), ["pairs", "ties", "agreement"]].tolist() == [3, 0, 2 / 3]
    assert found.loc[(1.0, "H-L", "RR"), ["pairs", "ties", "agreement"]].tolist() == [2, 0, 1]
    assert found.loc[(0.75, "H-M", "P@2"), ["pairs", "ties", "agreement"]].tolist() == [3, 0, 2 / 3]
    assert (0.75, "M-L", "P@2") not in found.index


def test_pairs_of_which_both_pages_are_bad_are_counted() -> None:
    votes = preferences(
        ("t1", "best", "worst", "aaax", "H-L"),
        ("t1", "best", "middle", "aaxx", "H-M"),
        ("t2", "worst", "middle", "xxxb", "M-L"),
        ("t3", "worst", "middle", "xxxx", "M-L"),
        ("t3", "best", "middle", "bbbb", "H-M"),
    )
    found = agreement(PAGES, votes, QRELS, "P@2").set_index(["level", "bin_pair"])
    assert found.loc[(0.75, "all"), ["pairs", "both_bad", "agreement"]].tolist() == [2, 2, 0.5]
    assert found.loc[(1.0, "all"), ["pairs", "both_bad", "agreement"]].tolist() == [1, 1, 0]
    assert found.loc[(0.75, "H-M"), ["pairs", "both_bad"]].tolist() == [1, 0]
    counts = [[3, 0, 0, 1], [2, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 4], [0, 4, 0, 0]]
    assert found.loc[(0.75, "all"), "kappa"] == fleiss_kappa(counts)


def sign_p_value(votes: pd.DataFrame, measures: str, level: float) -> float:
    found = agreement(PAGES, votes, QRELS, measures, levels=[level], test="sign").query("bin_pair == 'all'")
    assert math.isnan(found["p_value"].iloc[0])
    return float(found["p_value"].iloc[1])


def test_the_sign_test_counts_the_pairs_on_which_one_measure_does_better() -> None:
    # of five pairs P@2 agrees on four; RR on two, and has a tie on three: better on one, worse on two
    assert sign_p_value(VOTES, "P@2 RR", 0.75) == 1.0
    pairs = preferences(*((t, "best", "worst", "aaaa", "H-L") for t in QRELS), ("t1", "best", "middle", "aaaa", "H-M"))
    assert sign_p_value(pairs, "RR P@1", 1) == 1.0  # they prefer the same pages
    assert sign_p_value(pairs, "P@2 P@3", 1) == pytest.approx(2 * 0.5**4)  # P@3 has a tie on all four


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=12))
def test_the_sign_test_is_that_of_all_assignments_of_signs(values: list[tuple[float, float]]) -> None:
    mine, others = np.array(values).T
    signs = [1 if a > b else -1 for a, b in values if a != b]
    extreme = [abs(sum(s)) >= abs(sum(signs)) for s in itertools.product((1, -1), repeat=len(signs))]
    assert sign_test(mine, others) == pytest.approx(sum(extreme) / len(extreme))
    assert sign_test(others, mine) == sign_test(mine, others)


def test_a_test_that_is_not_known() -> None:
    with pytest.raises(irmx.UsageError, match=r"There is no test 'wilcoxon'. Known: 't' .*, 'sign'"):
        agreement(PAGES, VOTES, QRELS, "P@2", test="wilcoxon")


def test_kappa_is_that_of_all_votes_of_the_group() -> None:
    found = agreement(PAGES, VOTES, QRELS, "P@2").set_index(["level", "bin_pair"])
    assert found.loc[(0.75, "H-L"), "kappa"] == found.loc[(1.0, "H-L"), "kappa"] == 1
    assert found.loc[(0.75, "all"), "kappa"] == found.loc[(1.0, "all"), "kappa"] < 1


def test_the_test_is_paired_and_two_tailed_over_the_means_of_topics() -> None:
    found = agreement(PAGES, VOTES, QRELS, "P@2 RR", levels=[0.75])
    p2, rr = [1, 0.5, 1], [0.75, 0.75, 0.5]
    expected = ttest_rel(rr, p2).pvalue
    assert found.loc[found["measure"] == "RR", "p_value"].iloc[0] == pytest.approx(expected, abs=1e-12)
    assert math.isnan(found.loc[found["measure"] == "P@2", "p_value"].iloc[0])
    turned = agreement(PAGES, VOTES, QRELS, "P@2 RR", levels=[0.75], baseline="RR")
    assert turned.loc[turned["measure"] == "P@2", "p_value"].iloc[0] == pytest.approx(expected, abs=1e-12)


def test_the_test_where_the_difference_does_not_vary() -> None:
    topic = np.array([0, 0, 1])
    assert topic_test(np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]), topic) == 1
    assert topic_test(np.array([1.0, 1.0, 1.0]), np.zeros(3), topic) == 0
    assert math.isnan(topic_test(np.ones(2), np.zeros(2), np.zeros(2, dtype=int)))


def test_the_interval_draws_topics_with_all_of_their_pairs() -> None:
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(40), 25)
    alike = np.repeat(rng.integers(0, 2, 40), 25).astype(float)
    low, high = topic_interval(alike, topic)
    width = 2 * 1.96 * alike.std() / math.sqrt(40)
    assert high - low == pytest.approx(width, rel=0.1)
    apart = rng.integers(0, 2, 1000).astype(float)
    low, high = topic_interval(apart, topic)
    assert high - low == pytest.approx(2 * 1.96 * apart.std() / math.sqrt(1000), rel=0.25)
    assert all(map(math.isnan, topic_interval(apart[:25], topic[:25])))


def test_a_page_that_nobody_compares_is_not_scored() -> None:
    extra = Page("no judgments", "x", PAGES[0].blocks)
    assert agreement([*PAGES, extra], VOTES, QRELS, "P@2").equals(agreement(PAGES, VOTES, QRELS, "P@2"))


@pytest.mark.parametrize(
    ("pages", "changes", "said"),
    [
        (PAGES[:1], {}, "row 0 .*no page 'worst' for topic 't1'. It has: best. 6 of 6 pairs"),
        (PAGES[3:], {}, "no page 'best' for topic 't1'. It has no page"),
        (PAGES, {"choice": "tie"}, "No pair has a majority of 0.75 or 1 of its assessors"),
    ],
)
def test_what_cannot_be_agreed_with(pages: list[Page], changes: dict[str, str], said: str) -> None:
    with pytest.raises(irmx.DataError, match=said):
        agreement(pages, VOTES.assign(**changes), QRELS, "P@2")


def test_a_level_without_a_majority_is_left_out() -> None:
    votes = preferences(("t1", "best", "worst", "aaab", "H-L"), ("t2", "best", "worst", "aaa-", "H-L"))
    with pytest.warns(irmx.DataWarning, match="no pair has a majority of 1 of its assessors; the level is omitted"):
        found = agreement(PAGES, votes, QRELS, "P@2")
    assert found["level"].unique().tolist() == [0.75]


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(irmx.UsageError, match=r"'seed' must be an int in the range \[0, inf\). Got -1"):
        agreement(PAGES, VOTES, QRELS, "P@2", seed=-1)


def test_a_measure_without_a_value_is_an_error() -> None:
    qrels = {**QRELS, "t2": {"poor": 0}}
    with pytest.raises(irmx.DataError, match=r"has no value for page 'best' of topic 't2'.*no_relevant='nan'"):
        agreement(PAGES, VOTES, qrels, "NCP(law=uniform,no_relevant='nan')")


def test_a_baseline_is_one_of_the_measures() -> None:
    with pytest.raises(irmx.UsageError, match="The baseline AP is not among the measures P@2, RR"):
        agreement(PAGES, VOTES, QRELS, "P@2 RR", baseline="AP")
