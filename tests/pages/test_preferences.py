"""Preferences are read and checked; majorities, traps, kappa and agreement are those of the definitions, counted by hand."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import irmx
from irmx_pages import Block, Page, agreement, agreement_scores, fleiss_kappa, read_preferences, without_traps

COLUMNS = ["query_id", "page_a", "page_b", "assessor", "choice"]


def votes(*choices: str, **more: list[str]) -> pd.DataFrame:
    rows = [("q", "p", "r", str(i), choice) for i, choice in enumerate(choices)]
    return pd.DataFrame(rows, columns=COLUMNS).assign(**more)


@pytest.mark.parametrize(
    ("choices", "three_of_four", "all_four", "both_bad"),
    [
        ("aaaa", 1, 1, False), ("bbbb", -1, -1, False), ("aaab", 1, 0, False), ("abbb", -1, 0, False), ("aabb", 0, 0, False),
        ("aaa-", 1, 0, False), ("aa--", 0, 0, False), ("----", 0, 0, False), ("aaax", 1, 0, False), ("aabx", 0, 0, False),
        ("aaxx", 0, 0, False), ("axxx", 0, 0, True), ("xxxx", 0, 0, True), ("-xx-", 0, 0, False),
    ],
)  # fmt: skip
def test_majorities_of_four_assessors(choices: str, three_of_four: int, all_four: int, both_bad: bool) -> None:
    """A tie and "both are bad" count among the assessors of a pair."""
    found = read_preferences(votes(*({"-": "tie", "x": "bad"}.get(c, c) for c in choices)))
    assert (found.majority(3 / 4).tolist(), found.majority(1).tolist()) == ([three_of_four], [all_four])
    assert found.majority_both_bad(3 / 4).tolist() == [both_bad]
    assert found.counts.tolist() == [[choices.count(c) for c in "ab-x"]]
    assert found.both_bad.tolist() == [c == "x" for c in choices]


@pytest.mark.parametrize("level", [0.5, 0, 1.01, math.nan])
def test_a_majority_is_more_than_half(level: float) -> None:
    with pytest.raises(irmx.UsageError, match=r"in the range \(0.5, 1\]"):
        read_preferences(votes("a")).majority(level)


def test_a_pair_shown_the_other_way_round_is_the_same_pair() -> None:
    found = read_preferences(votes("a", "a").assign(page_a=["p", "r"], page_b=["r", "p"]))
    assert (len(found), found.counts.tolist()) == (1, [[1, 1, 0, 0]])


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_preferences_come_back_from_their_table(tmp_path: Path, suffix: str) -> None:
    found = read_preferences(votes("a", "TIE", "b", "Bad", bin_pair=["H-L"] * 4, trap=["B"] * 4))
    path = tmp_path / f"votes.{suffix}"
    if suffix == "csv":
        found.frame().to_csv(path, index=False)
    else:
        found.frame().to_json(path, orient="records", lines=True)
    again = read_preferences(path)
    assert again.frame().equals(found.frame())
    assert again.frame()["choice"].tolist() == ["a", "tie", "b", "bad"]
    assert (again.bin_pair, again.trap) == (["H-L"], ["b"])
    assert again.places == [f"{path}, line {2 if suffix == 'csv' else 1}"]


def test_blanks_around_a_name_make_no_other_assessor() -> None:
    columns = {"query_id": "q", "page_a": ["p", "p"], "page_b": ["r", "s"], "assessor": ["ann", "ann "], "choice": "a"}
    assert read_preferences(pd.DataFrame(columns)).assessors == ["ann"]
    with pytest.raises(irmx.DataError, match="'ann' votes twice"):
        read_preferences(pd.DataFrame({**columns, "page_b": "r"}))
    with pytest.raises(irmx.DataError, match="the assessor is missing"):
        read_preferences(pd.DataFrame({**columns, "assessor": ["ann", " "]}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"choice": ["a", "c"]}, "line 3: the choice 'c' must be a"),
        ({"choice": ["a", ""]}, "line 3: the choice is missing"),
        ({"assessor": ["1", "1"]}, "lines 2 and 3: the assessor '1' votes twice on 'p' and 'r' of topic 'q'"),
        ({"assessor": ["1", "1"], "page_a": ["p", "r"], "page_b": ["r", "p"]}, "lines 2 and 3: .* votes twice"),
        ({"page_b": ["r", "p"]}, "line 3: page 'p' of topic 'q' is compared with itself"),
        ({"trap": ["", "c"]}, "line 3: the trap 'c' must be a"),
        ({"trap": ["a", "b"]}, "line 3: the pages 'p' and 'r' of topic 'q' have the trap 'b' here and 'a' in an earlier"),
        ({"trap": ["a", ""]}, "line 3: the pages 'p' and 'r' of topic 'q' have the trap none here and 'a' in an earlier"),
        ({"bin_pair": ["H-L", "H-H"]}, "line 3: the pages 'p' and 'r' of topic 'q' have the bin_pair 'H-H' here"),
    ],
)  # fmt: skip
def test_preferences_that_are_wrong_are_named(tmp_path: Path, changes: dict[str, list[str]], said: str) -> None:
    path = tmp_path / "votes.csv"
    votes("a", "b").assign(**changes).to_csv(path, index=False)
    with pytest.raises(irmx.DataError, match=rf"^{re.escape(str(path))}, {said}"):
        read_preferences(path)


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(irmx.DataError, match=r"lacks the column 'choice'. It has: query_id, page_a, page_b, assessor"):
        read_preferences(votes("a").drop(columns="choice"))


# -- Fleiss' kappa ---------------------------------------------------------------------------------------------------

FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""Ten subjects, fourteen raters, five categories: a worked example that is often printed, with kappa 0.210."""


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        (FOURTEEN_RATERS, 0.20993),
        ([[4, 0, 0], [0, 4, 0]], 1),
        ([[2, 2], [2, 2]], -1 / 3),
        ([[4, 0], [4, 0]], math.nan),
        ([[1, 0], [0, 1]], math.nan),
        ([[3, 1], [1, 3], [1, 0]], fleiss_kappa([[3, 1], [1, 3]])),  # subjects with one vote are left out
    ],
)
def test_kappa(counts: list[list[int]], kappa: float) -> None:
    assert fleiss_kappa(counts) == pytest.approx(kappa, abs=1e-5, nan_ok=True)


RATED = st.integers(2, 6).flatmap(
    lambda raters: st.lists(
        st.integers(0, raters).flatmap(lambda a: st.integers(0, raters - a).map(lambda b: [a, b, raters - a - b])),
        min_size=2,
        max_size=8,
    )
)


@given(RATED)
def test_kappa_counts_pairs_of_raters_that_agree(counts: list[list[int]]) -> None:
    table = np.array(counts)
    raters = int(table[0].sum())
    same = sum(n * (n - 1) // 2 for row in counts for n in row)
    chance = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    agreed = same / (len(counts) * raters * (raters - 1) // 2)
    kappa = math.nan if chance == 1 else (agreed - chance) / (1 - chance)
    assert fleiss_kappa(counts) == pytest.approx(kappa, abs=1e-12, nan_ok=True)


# -- traps -----------------------------------------------------------------------------------------------------------


def trapped(failed: dict[str, int], right: str = "a", wrong: str = "b") -> pd.DataFrame:
    """Each assessor fails so many of four traps, and votes for page p on one other pair."""
    rows = [
        ("q", f"good{i}", f"poor{i}", who, wrong if i < n else right, right)
        for who, n in failed.items()
        for i in range(4)
    ]
    rows += [("q", "p", "r", who, "a", "") for who in failed]
    return pd.DataFrame(rows, columns=[*COLUMNS, "trap"])


@pytest.mark.parametrize("most", [0, 1, 2, 3])
@pytest.mark.parametrize(("right", "wrong"), [("a", "b"), ("b", "tie"), ("bad", "a")])
def test_who_fails_more_traps_than_allowed_is_left_out(most: int, right: str, wrong: str) -> None:
    people = ["none", "one", "two", "three", "four"]
    table = trapped({name: n for n, name in enumerate(people)}, right, wrong)
    said = rf"{4 - most} of 5 assessors failed more than {most} trap pairs.*four \(4\)"
    with pytest.warns(irmx.DataWarning, match=said):
        kept = without_traps(read_preferences(table), most)
    assert kept.assessors == people[: most + 1]
    assert (kept.page_a, kept.page_b, kept.trap) == (["p"], ["r"], [""])
    assert kept.counts.tolist() == [[most + 1, 0, 0, 0]]


def test_the_paper_allows_two_and_none_removes_nobody() -> None:
    with pytest.warns(irmx.DataWarning, match=r"left out: three \(3\)$"):
        assert without_traps(read_preferences(trapped({"two": 2, "three": 3}))).assessors == ["two"]
    kept = without_traps(read_preferences(trapped({"one": 1, "four": 4})), None)
    assert (kept.assessors, len(kept), kept.counts.sum()) == (["one", "four"], 1, 2)
    without = read_preferences(trapped({"one": 4}).query("trap == ''"))
    assert without_traps(without) is without


def test_a_trap_may_be_shown_either_way_round() -> None:
    table = trapped({"ann": 0, "bob": 0})
    turned = (table["assessor"] == "bob") & (table["trap"] != "")
    table.loc[turned, ["page_a", "page_b"]] = table.loc[turned, ["page_b", "page_a"]].to_numpy()
    table.loc[turned, ["choice", "trap"]] = "b"
    assert without_traps(read_preferences(table), 0).assessors == ["ann", "bob"]


@pytest.mark.parametrize(
    ("table", "most", "error", "said"),
    [
        (trapped({"three": 3}), 2, irmx.DataError, r"row 0 .*every assessor failed more than 2 of them, so there are no"),
        (trapped({"none": 0}).query("trap != ''"), 2, irmx.DataError, "have trap pairs, and no votes on other pairs are left"),
        (trapped({"none": 0}), -1, irmx.UsageError, r"'failed_traps' parameter .* must be an int in the range \[0, inf\).*Got -1"),
    ],
)  # fmt: skip
def test_where_nothing_is_left(table: Any, most: int, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        without_traps(read_preferences(table), most)


def test_agreement_is_with_careful_assessors_and_traps_need_no_page() -> None:
    pages = [Page("q", name, (Block("web", "", (item,)),)) for name, item in (("p", "w1"), ("r", "w2"))]
    table = trapped({"ann": 0, "bob": 4, "cem": 3})
    table.loc[(table["page_a"] == "p") & (table["assessor"] != "ann"), "choice"] = "b"
    with pytest.warns(irmx.DataWarning, match="2 of 3 assessors"):
        found = agreement(pages, table, {"q": {"w1": 1}}, "P@1", levels=[1])
    assert found[["pairs", "agreement"]].to_numpy().tolist() == [[1, 1.0]]
    everyone = agreement(pages, table.query("trap == ''"), {"q": {"w1": 1}}, "P@1", levels=[2 / 3])
    assert everyone["agreement"].tolist() == [0.0]


# -- agreement with majorities: counted by hand -------------------------------------------------------------------------

QRELS = {t: {"good": 1, "fair": 1, "poor": 0} for t in ("t1", "t2", "t3")}
ORDERS = {"best": ("good", "fair", "poor"), "middle": ("good", "poor", "fair"), "worst": ("poor", "good", "fair")}
PAGES = [Page(t, name, tuple(Block("web", "", (i,)) for i in items)) for t in QRELS for name, items in ORDERS.items()]


def preferences(*rows: tuple[str, str, str, str, str]) -> pd.DataFrame:
    """Votes given as topic, page a, page b, a letter per vote (- for a tie, x for both bad), and the pair of bins."""
    names = {"-": "tie", "x": "bad"}
    votes = [(q, a, b, str(i), names.get(c, c), g) for q, a, b, choices, g in rows for i, c in enumerate(choices)]
    return pd.DataFrame(votes, columns=[*COLUMNS, "bin_pair"])


VOTES = preferences(
    ("t1", "best", "worst", "aaaa", "H-L"),
    ("t1", "best", "middle", "aaab", "H-M"),
    ("t2", "worst", "best", "bbbb", "H-L"),
    ("t2", "middle", "best", "aaaa", "H-M"),
    ("t3", "middle", "worst", "aa--", "M-L"),
    ("t3", "middle", "best", "bbb-", "H-M"),
)
BAD = preferences(
    ("t1", "best", "worst", "aaax", "H-L"),
    ("t1", "best", "middle", "aaxx", "H-M"),
    ("t2", "worst", "middle", "xxxb", "M-L"),
    ("t3", "worst", "middle", "xxxx", "M-L"),
    ("t3", "best", "middle", "bbbb", "H-M"),
)


@pytest.mark.parametrize(
    ("votes", "level", "group", "measure", "expected"),  # pairs, ties, both bad, no majority, agreement
    [
        # P@2: best 1, middle and worst 1/2; RR: best and middle 1, worst 1/2
        (VOTES, 0.75, "all", "P@2", [5, 0, 0, 1, 4 / 5]),
        (VOTES, 0.75, "all", "RR", [5, 3, 0, 1, 3.5 / 5]),
        (VOTES, 1.0, "all", "P@2", [3, 0, 0, 3, 2 / 3]),
        (VOTES, 1.0, "H-L", "RR", [2, 0, 0, 0, 1]),
        (VOTES, 0.75, "H-M", "P@2", [3, 0, 0, 0, 2 / 3]),
        (BAD, 0.75, "all", "P@2", [2, 0, 2, 1, 0.5]),
        (BAD, 1.0, "all", "P@2", [1, 0, 1, 3, 0]),
        (BAD, 0.75, "H-M", "P@2", [1, 0, 0, 1, 0]),
    ],
)
def test_agreement_is_counted_as_by_hand(
    votes: Any, level: float, group: str, measure: str, expected: list[float]
) -> None:
    found = agreement(PAGES, votes, QRELS, "P@2 RR").set_index(["level", "bin_pair", "measure"])
    assert (
        found.loc[(level, group, measure), ["pairs", "ties", "both_bad", "no_majority", "agreement"]].tolist()
        == expected
    )
    assert (0.75, "M-L", "P@2") not in found.index


def test_kappa_is_that_of_all_votes_of_the_group() -> None:
    found = agreement(PAGES, VOTES, QRELS, "P@2").set_index(["level", "bin_pair"])["kappa"]
    assert found[0.75, "H-L"] == found[1.0, "H-L"] == 1 > found[1.0, "all"] == found[0.75, "all"]
    of_bad = agreement(PAGES, BAD, QRELS, "P@2").set_index(["level", "bin_pair"])["kappa"]
    assert of_bad[0.75, "all"] == fleiss_kappa([[3, 0, 0, 1], [2, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 4], [0, 4, 0, 0]])


FOUR = preferences(*((t, "best", "worst", "aaaa", "H-L") for t in QRELS), ("t1", "best", "middle", "aaaa", "H-M"))


@pytest.mark.parametrize(
    ("votes", "measures", "baseline", "level", "expected"),
    [
        (VOTES, "P@2 RR", "P@2", 0.75, [None, 1.0]),  # RR is better on one pair, worse on two
        (FOUR, "RR P@1", "RR", 1, [None, 1.0]),  # they prefer the same pages
        (FOUR, "P@2 P@3", "P@2", 1, [None, 2 * 0.5**4]),  # P@3 has a tie on all four
        (FOUR, "P@3 P@2", None, 1, [1.0, 2 * 0.5**4]),  # against chance: P@3 has no preference, P@2 agrees four times
        (VOTES, "P@2 RR", None, 0.75, [2 * 6 / 32, 2 * 0.5**2]),  # P@2 agrees on four of five, RR on both without a tie
    ],
)
def test_the_sign_test(votes: Any, measures: str, baseline: str | None, level: float, expected: list[Any]) -> None:
    found = agreement(PAGES, votes, QRELS, measures, [level], baseline).query("bin_pair == 'all'")["p_value"]
    assert [None if math.isnan(p) else p for p in found] == pytest.approx(expected)


# -- topics x measures ------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["best", "middle", "worst"]), min_size=1, max_size=9))
def test_the_sign_test_is_that_of_all_assignments_of_signs(winners: list[str]) -> None:
    """P@2 agrees with the assessors if they choose the best page, and has a tie between the others."""
    others = {"best": "middle", "middle": "best", "worst": "middle"}
    pages = [Page(f"q{i}", name, PAGES[k].blocks) for i in range(len(winners)) for k, name in enumerate(ORDERS)]
    votes = preferences(*((f"q{i}", name, others[name], "a", "") for i, name in enumerate(winners)))
    found = agreement(pages, votes, {p.query_id: QRELS["t1"] for p in pages}, "P@2", [1])
    signs = [{"best": 1, "middle": -1}[name] for name in winners if name != "worst"]
    extreme = [abs(sum(s)) >= abs(sum(signs)) for s in itertools.product((1, -1), repeat=len(signs))]
    assert found["p_value"].tolist() == pytest.approx([sum(extreme) / len(extreme)])


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_irmx_compare_tests_them_over_topics(tmp_path: Path, suffix: str, command: Any) -> None:
    scores, path = agreement_scores(PAGES, VOTES, QRELS, "P@2 RR P@1", [0.75]), tmp_path / f"agreement.{suffix}"
    scores.to_parquet(path) if suffix == "parquet" else scores.frame().to_csv(path, index=False)
    done = command("compare", "--scores", path, "--all-pairs", "-o", "csv", "-p", "-1")
    assert done.code == 0
    (tmp_path / "out.csv").write_text(done.out)
    rows = pd.read_csv(tmp_path / "out.csv", keep_default_na=False).query("slice == ''").set_index(["a", "b"])
    assert float(rows.loc[("RR", "P@2"), "p"]) == pytest.approx(ttest_rel([0.75, 0.75, 0.5], [1, 0.5, 1]).pvalue)
    assert len(rows) == 3


def test_shares_of_topics_are_counted_as_by_hand() -> None:
    scores = agreement_scores(PAGES, VOTES, QRELS, "P@2 RR", levels=[0.75])
    assert scores.names == ("agreement@0.75", "agreement@0.75 slice=H-L", "agreement@0.75 slice=H-M")
    assert (scores.topics, scores.systems) == (("t1", "t2", "t3"), ("P@2", "RR"))
    assert scores["agreement@0.75"].tolist() == [[1, 0.75], [0.5, 0.75], [1, 0.5]]
    of_view = scores.frame().query("slice == 'H-L'")
    assert of_view[["query_id", "system", "value"]].to_numpy().tolist() == [
        [t, m, 1.0] for t in ("t1", "t2") for m in ("P@2", "RR")
    ]


def test_a_page_that_nobody_compares_is_not_scored() -> None:
    extra = Page("no judgments", "x", PAGES[0].blocks)
    assert agreement([*PAGES, extra], VOTES, QRELS, "P@2").equals(agreement(PAGES, VOTES, QRELS, "P@2"))


def test_a_level_without_a_majority_is_left_out() -> None:
    votes = preferences(("t1", "best", "worst", "aaab", "H-L"), ("t2", "best", "worst", "aaa-", "H-L"))
    with pytest.warns(irmx.DataWarning, match="no pair has a majority of 1 of its assessors; the level is omitted"):
        found = agreement(PAGES, votes, QRELS, "P@2")
    assert found["level"].unique().tolist() == [0.75]


UNJUDGED = {**QRELS, "t2": {"poor": 0}}


@pytest.mark.parametrize("function", [agreement, agreement_scores])
@pytest.mark.parametrize(
    ("pages", "votes", "qrels", "measures", "error", "said"),
    [
        (PAGES[:1], VOTES, QRELS, "P@2", irmx.DataError, "row 0 .*no page 'worst' for topic 't1'. It has: best. 6 of 6 pairs"),
        (PAGES[3:], VOTES, QRELS, "P@2", irmx.DataError, "no page 'best' for topic 't1'. It has no page"),
        (PAGES, VOTES.assign(choice="tie"), QRELS, "P@2", irmx.DataError, "No pair has a majority of 0.75 or 1 of its assessors"),
        (PAGES, VOTES, UNJUDGED, "NCP(law=uniform,no_relevant='nan')", irmx.DataError,
         "has no value for page 'best' of topic 't2'.*no_relevant='nan'"),
        (PAGES, VOTES, QRELS, [], irmx.UsageError, "No measures given"),
    ],
)  # fmt: skip
def test_what_cannot_be_agreed_with(
    function: Any, pages: Any, votes: Any, qrels: Any, measures: Any, error: Any, said: str
) -> None:
    with pytest.raises(error, match=said):
        function(pages, votes, qrels, measures)


def test_a_baseline_is_one_of_the_measures() -> None:
    with pytest.raises(irmx.UsageError, match="The baseline AP is not among the measures P@2, RR"):
        agreement(PAGES, VOTES, QRELS, "P@2 RR", baseline="AP")


def test_ties_are_values_equal_to_9_digits() -> None:
    votes = preferences(("t1", "best", "worst", "aaaa", "H-L"))
    measures = [irmx.parse_measure(f"AS_RBP(alpha=10,beta={beta},normalise=None)") for beta in ("0.8", "1.0")]
    rows = [("t1", d, g, "web", np.nan) for d, g in (("good", 1), ("fair", 1), ("poor", 0))]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "vertical", "orientation"])
    assert agreement(PAGES, votes, qrels, measures, [1]).query("bin_pair == 'all'")["ties"].tolist() == [0, 1]


def test_only_pairs_with_images_or_videos_on_a_page() -> None:
    """Of t1 one page has a block of the vertical image, of t2 one has a block of media video, of t3 none has."""
    seen = {("t1", "worst"): Block("image", "", ("poor",)), ("t2", "middle"): Block("news", "video", ("good",))}
    pages = [
        Page(p.query_id, p.page_id, (seen.get((p.query_id, p.page_id), p.blocks[0]), *p.blocks[1:])) for p in PAGES
    ]
    found = agreement(pages, VOTES, QRELS, "P@1", levels=[0.75], only="visual")
    assert found.set_index("bin_pair")["pairs"].to_dict() == {"all": 2, "H-L": 1, "H-M": 1}
    assert agreement_scores(pages, VOTES, QRELS, "P@1", [0.75], only="visual").topics == ("t1", "t2")
    with pytest.raises(irmx.DataError, match="images"):
        agreement(PAGES, VOTES, QRELS, "P@1", only="visual")
    with pytest.raises(irmx.UsageError, match="visual"):
        agreement(PAGES, VOTES, QRELS, "P@1", only="audio")
