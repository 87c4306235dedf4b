"""Tests between all pairs of measures: by other routes, corrected, and as the table of a paper."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

import irmx
from irmx_pages import Block, Page, agreement, agreement_by_bin, compare_agreement
from irmx_pages.preferences.corrected_p_values import CORRECTIONS, corrected_p_values

TOPICS = ("t1", "t2", "t3", "t4")
QRELS = {t: {"good": 1, "fair": 1, "poor": 0} for t in TOPICS}
ORDERS = {"best": ("good", "fair", "poor"), "middle": ("good", "poor", "fair"), "worst": ("poor", "good", "fair")}
PAGES = [Page(t, name, tuple(Block("web", "", (i,)) for i in items)) for t in TOPICS for name, items in ORDERS.items()]
VOTES = pd.DataFrame(
    [
        (q, a, b, str(i), c, group)
        for q, a, b, choices, group in (
            ("t1", "best", "worst", "aaaa", "H-L"),
            ("t1", "best", "middle", "aaab", "H-M"),
            ("t2", "worst", "best", "bbbb", "H-L"),
            ("t2", "middle", "best", "aaaa", "H-M"),
            ("t3", "middle", "worst", "bbbb", "M-L"),
            ("t3", "middle", "best", "bbbb", "H-M"),
            ("t4", "best", "worst", "bbbb", "H-L"),
            ("t4", "middle", "worst", "aaaa", "M-L"),
        )
        for i, c in enumerate(choices)
    ],
    columns=["query_id", "page_a", "page_b", "assessor", "choice", "bin_pair"],
)
MEASURES = "P@2 RR P@1 AP"


def test_every_two_measures_are_compared_as_with_the_one_as_baseline() -> None:
    compared = compare_agreement(PAGES, VOTES, QRELS, MEASURES, correction="none")
    assert len(compared.query("level == 0.75 and bin_pair == 'all'")) == 6
    for baseline in ("P@2", "RR", "P@1", "AP"):
        alone = agreement(PAGES, VOTES, QRELS, MEASURES, baseline=baseline)
        alone = alone.set_index(["level", "bin_pair", "measure"])
        for row in compared[(compared["a"] == baseline) | (compared["b"] == baseline)].itertuples():
            other = row.b if row.a == baseline else row.a
            found = alone.loc[(row.level, row.bin_pair, other)]
            assert found["p_value"] == pytest.approx(row.p_value, abs=1e-12)
            assert found["pairs"] == row.pairs
            assert found["agreement"] == (row.agreement_b if row.a == baseline else row.agreement_a)
    assert compared["difference"].to_numpy() == pytest.approx(compared["agreement_a"] - compared["agreement_b"])
    assert (compared["p_value"] == compared["p_corrected"]).all()
    assert (compared["low"] <= compared["difference"]).all()
    assert (compared["difference"] <= compared["high"]).all()


def test_the_t_test_is_over_the_means_of_topics() -> None:
    [row] = compare_agreement(PAGES, VOTES, QRELS, "P@2 RR", levels=[0.75]).query("bin_pair == 'all'").itertuples()
    # by topic, P@2: 1, 1/2, (1/2 + 1)/2, (0 + 1/2)/2; RR: (1 + 1/2)/2, 3/4, (0 + 1/2)/2, 1/2
    differences = [1 - 0.75, 0.5 - 0.75, 0.75 - 0.25, 0.25 - 0.5]
    assert (row.pairs, row.topics) == (8, 4)
    assert row.p_value == pytest.approx(ttest_1samp(differences, 0).pvalue, abs=1e-12)


@pytest.mark.parametrize("correction", sorted(CORRECTIONS))
def test_a_family_is_the_pairs_of_measures_in_a_column(correction: str) -> None:
    compared = compare_agreement(PAGES, VOTES, QRELS, MEASURES, test="sign", correction=correction)
    for _, family in compared.groupby(["level", "bin_pair"]):
        expected = corrected_p_values(family["p_value"].to_numpy(), correction)
        assert family["p_corrected"].to_numpy() == pytest.approx(expected)


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES, st.sampled_from(["holm", "bonferroni", "bh"]))
def test_corrections_are_those_of_statsmodels(p: list[float], correction: str) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    method = {"bh": "fdr_bh"}.get(correction, correction)
    expected = multitest.multipletests(p, method=method)[1]
    assert corrected_p_values(np.array(p), correction) == pytest.approx(expected, abs=1e-12)


@given(P_VALUES, st.sampled_from(sorted(CORRECTIONS)), st.randoms())
def test_missing_p_values_are_not_counted(p: list[float], correction: str, random: object) -> None:
    with_missing = np.array(list(itertools.chain.from_iterable((x, np.nan) for x in p)))
    corrected = corrected_p_values(with_missing, correction)
    assert np.isnan(corrected[1::2]).all()
    assert (corrected[::2] == corrected_p_values(np.array(p), correction)).all()


def test_the_table_marks_what_is_significantly_lower() -> None:
    columns = [
        "level",
        "bin_pair",
        "a",
        "b",
        "pairs",
        "agreement_a",
        "agreement_b",
        "difference",
        "p_corrected",
        "favoured",
    ]
    rows = [
        (0.75, "all", "X", "Y", 9, 0.9, 0.6, 0.3, 0.05),
        (0.75, "all", "X", "Z", 9, 0.9, 0.95, -0.05, 0.01),
        (0.75, "all", "Y", "Z", 9, 0.6, 0.95, -0.35, 0.001),
        (0.75, "H-L", "X", "Y", 3, 1.0, 0.5, 0.5, np.nan),
        (0.75, "H-L", "X", "Z", 3, 1.0, 1.0, 0.0, 1.0),
        (0.75, "H-L", "Y", "Z", 3, 0.5, 1.0, -0.5, 0.0501),
        (1.0, "all", "X", "Y", 2, 1.0, 0.5, 0.5, 0.5),
        (1.0, "all", "X", "Z", 2, 1.0, 0.5, 0.5, 0.5),
        (1.0, "all", "Y", "Z", 2, 0.5, 0.5, 0.0, 1.0),
    ]
    rows = [(*row, row[2] if row[7] > 0 else row[3]) for row in rows]
    table = agreement_by_bin(pd.DataFrame(rows, columns=columns), places=2)
    assert table.to_numpy().tolist() == [
        [0.75, "a", "X", "0.90 b", "1.00"],
        [0.75, "b", "Y", "0.60", "0.50"],
        [0.75, "c", "Z", "0.95 ab", "1.00"],
        [0.75, "", "pairs", "9", "3"],
        [1.0, "a", "X", "1.00", None],
        [1.0, "b", "Y", "0.50", None],
        [1.0, "c", "Z", "0.50", None],
        [1.0, "", "pairs", "2", None],
    ]
    exact = agreement_by_bin(pd.DataFrame(rows, columns=columns), places=-1)
    assert exact["all"].tolist()[:4] == ["0.9 b", "0.6", "0.95 ab", "9"]
    strict = agreement_by_bin(pd.DataFrame(rows, columns=columns), significance=0.005, places=2)
    assert strict["all"].tolist()[:3] == ["0.90", "0.60", "0.95 b"]


@pytest.mark.parametrize("test", ["t", "sign"])
def test_no_mark_against_the_direction_of_the_test(test: str) -> None:
    """Over pairs, P@1 agrees more often, by the many pairs of one topic; over topics, RR does; the sign test is of pairs."""
    topics = [f"q{i}" for i in range(9)]
    votes = [
        (q, *pair, "ann", "a")
        for i, q in enumerate(topics)
        for pair in ([("best", "other")] if i else [("other", f"p{j}") for j in range(30)])
    ]
    orders = {"best": ("n1", "good"), "other": ("n1", "n2", "n3"), **{f"p{j}": ("n1", "n2", "good") for j in range(30)}}
    pages = [
        Page(q, name, tuple(Block("web", "", (i,)) for i in items)) for q in topics for name, items in orders.items()
    ]
    preferences = pd.DataFrame(votes, columns=["query_id", "page_a", "page_b", "assessor", "choice"])
    compared = compare_agreement(pages, preferences, {q: {"good": 1} for q in topics}, "P@1 RR", levels=[1], test=test)
    [row] = compared.itertuples()
    assert row.difference > 0
    assert row.p_corrected < 0.05
    assert row.favoured == ("RR" if test == "t" else "P@1")
    letters = agreement_by_bin(compared)["all"].str.contains("[ab]").tolist()
    assert letters == [test == "sign", False, False]


def test_a_table_of_too_many_measures() -> None:
    names = [f"m{i}" for i in range(53)]
    rows = [(0.75, "all", a, b, 1, 0.5, 0.5, 0.0, 1.0, None) for a, b in itertools.combinations(names, 2)]
    columns = [
        "level",
        "bin_pair",
        "a",
        "b",
        "pairs",
        "agreement_a",
        "agreement_b",
        "difference",
        "p_corrected",
        "favoured",
    ]
    with pytest.raises(irmx.UsageError, match=r"holds at most 52 measures\. There are 53"):
        agreement_by_bin(pd.DataFrame(rows, columns=columns))


@pytest.mark.parametrize(
    ("measures", "options", "said"),
    [
        ("P@2", {}, "needs at least two measures. There is only P@2"),
        ("P@2 P@2", {}, "needs at least two measures. There is only P@2"),
        ([], {}, "needs at least two measures. There is no measure"),
        (MEASURES, {"correction": "holms"}, "no correction 'holms'. Known: 'holm', .* Did you mean holm?"),
        (MEASURES, {"test": "wilcoxon"}, "There is no test 'wilcoxon'"),
        (MEASURES, {"seed": -1}, "'seed' must be an int"),
    ],
)
def test_what_is_not_compared(measures: object, options: dict[str, object], said: str) -> None:
    with pytest.raises(irmx.UsageError, match=said):
        compare_agreement(PAGES, VOTES, QRELS, measures, **options)  # type: ignore[arg-type]


def test_a_level_of_significance_is_a_probability() -> None:
    compared = compare_agreement(PAGES, VOTES, QRELS, MEASURES)
    with pytest.raises(irmx.UsageError, match=r"'significance' .* in the range \(0, 1\). Got 5"):
        agreement_by_bin(compared, significance=5)


def test_one_topic_has_no_t_test() -> None:
    of_one = VOTES[VOTES["query_id"] == "t1"]
    with pytest.raises(irmx.DataError, match=r"are of one topic, and the t-test needs two or more.*'sign'"):
        compare_agreement(PAGES, of_one, QRELS, MEASURES)
    assert compare_agreement(PAGES, of_one, QRELS, MEASURES, test="sign")["p_corrected"].notna().all()


def test_a_group_of_one_topic_is_told() -> None:
    votes = VOTES[(VOTES["bin_pair"] != "M-L") | (VOTES["query_id"] == "t3")]
    with pytest.warns(irmx.DataWarning, match="no t-test for 1 group whose pairs are of one topic: M-L at level 1"):
        compared = compare_agreement(PAGES, votes, QRELS, MEASURES, levels=[1.0])
    of_one = compared["bin_pair"] == "M-L"
    assert compared.loc[of_one, ["p_value", "p_corrected"]].isna().all(axis=None)
    assert compared.loc[~of_one, ["p_value", "p_corrected"]].notna().all(axis=None)
    assert agreement_by_bin(compared)["M-L"].str.fullmatch(r"[\d.]+").all()
