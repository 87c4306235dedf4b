"""How often measures agree with majorities: counted by hand, tested by the rules that are stated, and by irmx compare."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_pages import Block, Page, agreement, agreement_scores, fleiss_kappa

QRELS = {t: {"good": 1, "fair": 1, "poor": 0} for t in ("t1", "t2", "t3")}
ORDERS = {"best": ("good", "fair", "poor"), "middle": ("good", "poor", "fair"), "worst": ("poor", "good", "fair")}
PAGES = [Page(t, name, tuple(Block("web", "", (i,)) for i in items)) for t in QRELS for name, items in ORDERS.items()]
COLUMNS = ["query_id", "page_a", "page_b", "assessor", "choice", "bin_pair"]


def preferences(*rows: tuple[str, str, str, str, str]) -> pd.DataFrame:
    """Votes given as topic, page a, page b, a letter per vote (- for a tie, x for both bad), and the pair of bins."""
    names = {"-": "tie", "x": "bad"}
    votes = [(q, a, b, str(i), names.get(c, c), g) for q, a, b, choices, g in rows for i, c in enumerate(choices)]
    return pd.DataFrame(votes, columns=COLUMNS)


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
    ("votes", "level", "group", "measure", "expected"),  # pairs, ties, both bad, agreement
    [
        # P@2: best 1, middle and worst 1/2; RR: best and middle 1, worst 1/2
        (VOTES, 0.75, "all", "P@2", [5, 0, 0, 4 / 5]),
        (VOTES, 0.75, "all", "RR", [5, 3, 0, 3.5 / 5]),
        (VOTES, 1.0, "all", "P@2", [3, 0, 0, 2 / 3]),
        (VOTES, 1.0, "H-L", "RR", [2, 0, 0, 1]),
        (VOTES, 0.75, "H-M", "P@2", [3, 0, 0, 2 / 3]),
        (BAD, 0.75, "all", "P@2", [2, 0, 2, 0.5]),
        (BAD, 1.0, "all", "P@2", [1, 0, 1, 0]),
        (BAD, 0.75, "H-M", "P@2", [1, 0, 0, 0]),
    ],
)
def test_agreement_is_counted_as_by_hand(
    votes: Any, level: float, group: str, measure: str, expected: list[float]
) -> None:
    found = agreement(PAGES, votes, QRELS, "P@2 RR").set_index(["level", "bin_pair", "measure"])
    assert found.loc[(level, group, measure), ["pairs", "ties", "both_bad", "agreement"]].tolist() == expected
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
