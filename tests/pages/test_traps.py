"""Assessors who fail pairs with a known answer are left out, and the pairs with them."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_pages import (
    Block,
    Page,
    agreement,
    fit_preferences,
    page_pairs,
    read_preferences,
    simulate_pages,
    simulate_preferences,
    without_traps,
)
from irmx_pages.example import example

TRAPS = 4


def votes(failed: dict[str, int], right: str = "a", wrong: str = "b") -> pd.DataFrame:
    """Each assessor fails so many of four traps, and votes for page p on one other pair."""
    rows = [
        ("q", f"good{i}", f"poor{i}", who, wrong if i < n else right, right)
        for who, n in failed.items()
        for i in range(TRAPS)
    ]
    rows += [("q", "p", "r", who, "a", "") for who in failed]
    return pd.DataFrame(rows, columns=["query_id", "page_a", "page_b", "assessor", "choice", "trap"])


@pytest.mark.parametrize(
    ("most", "left"),
    [(0, ["none"]), (1, ["none", "one"]), (2, ["none", "one", "two"]), (3, ["none", "one", "two", "three"])],
)
@pytest.mark.parametrize(("right", "wrong"), [("a", "b"), ("b", "tie"), ("bad", "a")])
def test_who_fails_more_traps_than_allowed_is_left_out(most: int, left: list[str], right: str, wrong: str) -> None:
    table = votes({"none": 0, "one": 1, "two": 2, "three": 3, "four": 4}, right, wrong)
    with pytest.warns(
        irmx.DataWarning, match=f"{5 - len(left)} of 5 assessors failed more than {most} trap pairs"
    ) as told:
        kept = without_traps(read_preferences(table), most)
    assert "four (4)" in str(told[0].message)
    assert kept.assessors == left
    assert (kept.page_a, kept.page_b, kept.trap) == (["p"], ["r"], [""])
    assert kept.counts.tolist() == [[len(left), 0, 0, 0]]


def test_the_paper_allows_two() -> None:
    with pytest.warns(irmx.DataWarning, match=r"left out: three \(3\)$"):
        assert without_traps(read_preferences(votes({"two": 2, "three": 3}))).assessors == ["two"]


def test_nobody_is_removed_but_traps_are_not_counted() -> None:
    kept = without_traps(read_preferences(votes({"one": 1, "four": 4})), None)
    assert (kept.assessors, len(kept), kept.counts.sum()) == (["one", "four"], 1, 2)


def test_preferences_without_traps_stay_as_they_are() -> None:
    given = read_preferences(votes({"one": 4}).query("trap == ''"))
    assert without_traps(given) is given


def test_a_trap_may_be_shown_either_way_round() -> None:
    table = votes({"ann": 0, "bob": 0})
    turned = (table["assessor"] == "bob") & (table["trap"] != "")
    table.loc[turned, ["page_a", "page_b"]] = table.loc[turned, ["page_b", "page_a"]].to_numpy()
    table.loc[turned, ["choice", "trap"]] = "b"
    assert without_traps(read_preferences(table), 0).assessors == ["ann", "bob"]


def test_where_nothing_is_left() -> None:
    with pytest.raises(
        irmx.DataError, match=r"row 0 .*every assessor failed more than 2 of them, so there are no preferences"
    ):
        without_traps(read_preferences(votes({"three": 3})))
    with pytest.raises(irmx.DataError, match="have trap pairs, and no votes on other pairs are left"):
        without_traps(read_preferences(votes({"none": 0}).query("trap != ''")))
    with pytest.raises(irmx.UsageError, match=r"'failed_traps' must be an int in the range \[0, inf\). Got -1"):
        without_traps(read_preferences(votes({"none": 0})), -1)


def test_agreement_is_with_careful_assessors_and_traps_need_no_page() -> None:
    pages = [Page("q", name, (Block("web", "", (item,)),)) for name, item in (("p", "w1"), ("r", "w2"))]
    table = votes({"ann": 0, "bob": 4, "cem": 3})
    table.loc[(table["page_a"] == "p") & (table["assessor"] != "ann"), "choice"] = "b"
    with pytest.warns(irmx.DataWarning, match="2 of 3 assessors"):
        found = agreement(pages, table, {"q": {"w1": 1}}, "P@1", levels=[1])
    assert found[["pairs", "agreement"]].to_numpy().tolist() == [[1, 1.0]]
    everyone = agreement(pages, table.query("trap == ''"), {"q": {"w1": 1}}, "P@1", levels=[2 / 3])
    assert everyone["agreement"].tolist() == [0.0]


@pytest.mark.slow
def test_careful_users_are_recovered_from_among_careless_ones() -> None:
    """Of six simulated assessors three toss coins; with traps the fit is that of the other three alone."""
    made = example(4)
    simulated = simulate_pages(made.qrels, made.items, made.verticals)
    pairs = page_pairs(simulated)
    careful = {f"u{i}": "AS_RBP(alpha=4,beta=0.9)" for i in range(3)}
    table = simulate_preferences(simulated.pages, pairs, made.qrels, careful, scale=1e6).frame().assign(trap="")
    one = table.query("assessor == 'u0'")
    coins = pd.concat([one.assign(assessor=f"coin{i}") for i in range(3)])
    coins["choice"] = np.random.default_rng(4).choice(["a", "b"], len(coins))
    traps = pd.DataFrame(
        [
            ("t1", f"good{i}", "poor", who, "a" if who in careful else "ab"[i % 2], "a")
            for who in [*careful, "coin0", "coin1", "coin2"]
            for i in range(8)
        ],
        columns=["query_id", "page_a", "page_b", "assessor", "choice", "trap"],
    )
    grid = {"alpha": "2,4,10,50", "beta": "0.5,0.7,0.9"}
    arguments = (made.qrels, "AS_RBP", grid)
    options = {"folds": 2, "personal": False, "level": 1}
    with pytest.warns(irmx.DataWarning, match="3 of 6 assessors"):
        found = fit_preferences(simulated.pages, pd.concat([table, coins, traps]), *arguments, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = fit_preferences(simulated.pages, table, *arguments, **options)
    assert found.by_agreement.params == {"alpha": 4, "beta": 0.9}
    assert found.parameters.equals(alone.parameters)
    assert found.held_out.equals(alone.held_out)
