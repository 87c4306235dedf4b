"""Preferences are read and checked; majorities and Fleiss' kappa are those of the definitions."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_pages import fleiss_kappa, read_preferences
from irmx_pages.preferences.preference_votes import ANSWERS

COLUMNS = ["query_id", "page_a", "page_b", "assessor", "choice"]


def votes(*choices: str, **more: list[str]) -> pd.DataFrame:
    rows = [("q", "p", "r", str(i), choice) for i, choice in enumerate(choices)]
    return pd.DataFrame(rows, columns=COLUMNS).assign(**more)


@pytest.mark.parametrize(
    ("choices", "three_of_four", "all_four"),
    [
        ("aaaa", 1, 1),
        ("bbbb", -1, -1),
        ("aaab", 1, 0),
        ("abbb", -1, 0),
        ("aabb", 0, 0),
        ("aaa-", 1, 0),
        ("aa--", 0, 0),
        ("----", 0, 0),
    ],
)
def test_majorities_of_four_assessors(choices: str, three_of_four: int, all_four: int) -> None:
    found = read_preferences(votes(*("tie" if c == "-" else c for c in choices)))
    assert found.majority(3 / 4).tolist() == [three_of_four]
    assert found.majority(1).tolist() == [all_four]


@pytest.mark.parametrize(
    ("choices", "prefers", "both_bad"),
    [
        ("aaax", 1, False),
        ("aabx", 0, False),
        ("aaxx", 0, False),
        ("axxx", 0, True),
        ("xxxx", 0, True),
        ("-xx-", 0, False),
    ],
)
def test_both_bad_counts_among_the_assessors_of_a_pair(choices: str, prefers: int, both_bad: bool) -> None:
    names = {"-": "tie", "x": "bad"}
    found = read_preferences(votes(*(names.get(c, c) for c in choices)))
    assert found.counts.sum() == 4
    assert found.counts[0].tolist() == [choices.count(c) for c in "ab-x"]
    assert found.majority(3 / 4).tolist() == [prefers]
    assert found.majority_both_bad(3 / 4).tolist() == [both_bad]
    assert found.both_bad.tolist() == [c == "x" for c in choices]


@pytest.mark.parametrize("level", [0.5, 0, 1.01, math.nan])
def test_a_majority_is_more_than_half(level: float) -> None:
    with pytest.raises(irmx.UsageError, match=r"in the range \(0.5, 1\]"):
        read_preferences(votes("a")).majority(level)


def test_a_pair_shown_the_other_way_round_is_the_same_pair() -> None:
    turned = votes("a", "a").assign(page_a=["p", "r"], page_b=["r", "p"])
    found = read_preferences(turned)
    assert len(found) == 1
    assert found.counts.tolist() == [[1, 1, 0, 0]]


def test_preferences_come_back_from_their_table(tmp_path: Path) -> None:
    given_votes = votes("a", "TIE", "b", "Bad", bin_pair=["H-L"] * 4, trap=["B"] * 4)
    found = read_preferences(given_votes)
    for suffix in ("csv", "jsonl"):
        path = tmp_path / f"votes.{suffix}"
        if suffix == "csv":
            found.frame().to_csv(path, index=False)
        else:
            found.frame().to_json(path, orient="records", lines=True)
        again = read_preferences(path)
        assert again.frame().equals(found.frame())
        assert again.bin_pair == ["H-L"]
        assert again.trap == ["b"]
        assert [ANSWERS[i] for i in again.answer] == ["a", "tie", "b", "bad"]
        assert again.places == [f"{path}, line {2 if suffix == 'csv' else 1}"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"choice": ["a", "c"]}, "line 3: the choice 'c' must be a"),
        ({"choice": ["a", ""]}, "line 3: the choice is missing"),
        ({"assessor": ["1", "1"]}, "lines 2 and 3: the assessor '1' votes twice on 'p' and 'r' of topic 'q'"),
        ({"page_b": ["r", "p"]}, "line 3: page 'p' of topic 'q' is compared with itself"),
        ({"trap": ["", "c"]}, "line 3: the trap 'c' must be a"),
        (
            {"trap": ["a", "b"]},
            "line 3: the pages 'p' and 'r' of topic 'q' have the trap 'b' here and 'a' in an earlier row",
        ),
        (
            {"trap": ["a", ""]},
            "line 3: the pages 'p' and 'r' of topic 'q' have the trap none here and 'a' in an earlier row",
        ),
        ({"bin_pair": ["H-L", "H-H"]}, "line 3: the pages 'p' and 'r' of topic 'q' have the bin_pair 'H-H' here"),
    ],
)
def test_preferences_that_are_wrong_are_named(tmp_path: Path, changes: dict[str, list[str]], said: str) -> None:
    path = tmp_path / "votes.csv"
    votes("a", "b").assign(**changes).to_csv(path, index=False)
    with pytest.raises(irmx.DataError, match=said) as caught:
        read_preferences(path)
    assert re.match(rf"{re.escape(str(path))}, (line|lines 2 and) 3: ", str(caught.value))


def test_an_assessor_votes_once_however_the_pair_is_shown() -> None:
    with pytest.raises(irmx.DataError, match=r"The preferences, rows 0 and 1 .*votes twice"):
        read_preferences(votes("a", "b").assign(assessor="1", page_a=["p", "r"], page_b=["r", "p"]))


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(irmx.DataError, match=r"lacks the column 'choice'. It has: query_id, page_a, page_b, assessor"):
        read_preferences(votes("a").drop(columns="choice"))


# -- Fleiss' kappa ---------------------------------------------------------------------------------------------------

FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
"""Ten subjects, fourteen raters, five categories: a worked example that is often printed, with kappa 0.210."""


def test_kappa_of_a_published_example() -> None:
    assert fleiss_kappa(FOURTEEN_RATERS) == pytest.approx(0.210, abs=5e-4)


def test_kappa_at_its_ends() -> None:
    assert fleiss_kappa([[4, 0, 0], [0, 4, 0]]) == 1
    assert fleiss_kappa([[2, 2], [2, 2]]) == pytest.approx(-1 / 3)
    assert math.isnan(fleiss_kappa([[4, 0], [4, 0]]))
    assert math.isnan(fleiss_kappa([[1, 0], [0, 1]]))


counts = st.integers(2, 6).flatmap(
    lambda raters: st.lists(
        st.integers(0, raters).flatmap(lambda a: st.integers(0, raters - a).map(lambda b: [a, b, raters - a - b])),
        min_size=2,
        max_size=8,
    )
)


@given(counts)
def test_kappa_counts_pairs_of_raters_that_agree(table: list[list[int]]) -> None:
    found = np.array(table)
    raters = int(found[0].sum())
    same = total = 0
    for row in table:
        labels = [category for category, n in enumerate(row) for _ in range(n)]
        same += sum(a == b for i, a in enumerate(labels) for b in labels[i + 1 :])
        total += raters * (raters - 1) // 2
    chance = float(((found.sum(axis=0) / found.sum()) ** 2).sum())
    kappa = fleiss_kappa(table)
    if chance == 1:
        assert math.isnan(kappa)
    else:
        assert kappa == pytest.approx((same / total - chance) / (1 - chance), abs=1e-12)


def test_kappa_leaves_out_subjects_with_one_vote() -> None:
    assert fleiss_kappa([[3, 1], [1, 3], [1, 0]]) == fleiss_kappa([[3, 1], [1, 3]])
