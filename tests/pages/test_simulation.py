"""Simulated pages are the 36 of the paper, with their component scores and bins; pairs cover the six pairs of bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import irmx
from irmx_pages import page_pairs, read_preferences, simulate_pages, simulate_preferences, without_traps
from irmx_pages.example import MEDIA, Example, example


@pytest.fixture(scope="module")
def collection() -> Example:
    return example(5)


@pytest.fixture(scope="module")
def simulated(collection: Example) -> Any:
    return simulate_pages(collection.qrels, collection.items, collection.verticals, threshold=0.6)


def test_there_are_36_pages_a_topic_within_the_limits(simulated: Any) -> None:
    quality = simulated.quality
    assert [quality[c].nunique() for c in ("selection", "items", "presentation")] == [4, 3, 3]
    names = list(zip(quality["query_id"], quality["page_id"], strict=True))
    assert [(p.query_id, p.page_id) for p in simulated.pages] == names
    assert (quality.groupby("query_id").size() == 36).all()
    assert (quality.groupby(["query_id", "bin"]).size() == 12).all()
    for page in simulated.pages:
        web = [b for b in page.blocks if b.vertical == "web"]
        others = [b for b in page.blocks if b.vertical != "web"]
        assert [len(b.items) for b in web] == [1] * 10
        assert all(1 <= len(b.items) <= 3 for b in others)
        assert len({b.vertical for b in others}) == len(others) <= 3


def test_pages_and_component_scores_are_those_of_their_definitions(simulated: Any, collection: Example) -> None:
    orientation = collection.qrels.groupby(["query_id", "vertical"])["orientation"].first()
    grade = collection.qrels.set_index("doc_id")["relevance"]
    perfect = {}
    for page, row in zip(simulated.pages, simulated.quality.itertuples(), strict=True):
        of_topic = orientation[page.query_id].drop("web").sort_values(ascending=False)
        wanted = of_topic[of_topic > 0.6].index.tolist()
        if row.selection == "perfect":
            assert set(page.verticals) == set(wanted[:3])
        if row.selection == "bad":
            assert not set(page.verticals) & set(wanted)
        keys = [(bool(grade[list(b.items)].sum()), orientation[page.query_id, b.vertical]) for b in page.blocks]
        if row.presentation == "perfect":
            assert keys == sorted(keys, reverse=True)
            perfect[page.query_id, row.selection, row.items] = {b.items: i for i, b in enumerate(page.blocks)}
        if row.presentation == "bad":
            assert keys == sorted(keys)
        if row.items == "perfect":
            judged = collection.qrels[collection.qrels["query_id"] == page.query_id].groupby("vertical")["relevance"]
            for b in page.blocks:
                assert b.vertical == "web" or grade[list(b.items)].sum() == min(3, judged.sum()[b.vertical])
        hit = len(set(wanted) & set(page.verticals))
        p, r = hit / len(page.verticals) if page.verticals else 1, hit / len(wanted) if wanted else 1
        assert row.f_measure == pytest.approx(2 * p * r / (p + r) if p + r else 0)
        groups: dict[str, list[str]] = {}
        for b in page.blocks:
            groups.setdefault(b.vertical, []).extend(b.items)
        assert row.precision == pytest.approx(np.mean([grade[items].mean() for items in groups.values()]))
        place = perfect[page.query_id, row.selection, row.items]
        order = [place[b.items] for b in page.blocks]
        assert row.tau == pytest.approx(kendalltau(range(len(order)), order).statistic)
        assert row.quality == pytest.approx((row.f_measure + row.precision + (row.tau + 1) / 2) / 3)
    by_bin = simulated.quality.groupby(["query_id", "bin"])["quality"].agg(["min", "max"]).unstack()
    assert (by_bin["min", "H"] >= by_bin["max", "M"]).all()
    assert (by_bin["min", "M"] >= by_bin["max", "L"]).all()


def test_perfect_puts_relevant_web_results_above_a_wanted_vertical_without_any() -> None:
    rows = [("w1", 0, "web", 0.5), ("w2", 1, "web", 0.5), ("n1", 0, "news", 0.9), ("n2", 1, "news", 0.9)]
    rows += [("i1", 1, "image", 0.8)]
    qrels = pd.DataFrame(rows, columns=["doc_id", "relevance", "vertical", "orientation"]).assign(query_id="q")
    run = qrels[qrels["doc_id"] != "n2"].assign(score=range(4, 0, -1))[["query_id", "doc_id", "vertical", "score"]]
    pages = {p.page_id: p.items for p in simulate_pages(qrels, {"bm25": run}, {"redde": {"q": {"news": 1.0}}}).pages}
    assert pages["perfect-bm25-perfect"] == ("i1", "w2", "n1", "w1")
    assert pages["perfect-bm25-bad"] == ("w1", "n1", "w2", "i1")
    assert pages["perfect-perfect-perfect"] == ("n2", "n1", "i1", "w2", "w1")


def test_rankings_are_followed(simulated: Any, collection: Example) -> None:
    page = next(p for p in simulated.pages if p.page_id == "cori-bm25-random")
    ranking, run = (
        table[table["query_id"] == page.query_id].sort_values("score", ascending=False)
        for table in (collection.verticals["cori"], collection.items["bm25"])
    )
    assert set(page.verticals) == set(ranking["doc_id"][:3])
    for block in page.blocks:
        if block.vertical != "web":
            assert list(block.items) == run[run["vertical"] == block.vertical]["doc_id"][:3].tolist()
            assert block.media == MEDIA[block.vertical]


def test_what_is_drawn_depends_on_the_seed_and_covers_all(collection: Example) -> None:
    """Web results stand as ranked and verticals in all places and orders; bad verticals are any that are not wanted."""
    one = collection.qrels[collection.qrels["query_id"] == "t3"]
    run = collection.items["tfidf"]
    web = run[(run["query_id"] == "t3") & (run["vertical"] == "web")].nlargest(10, "score")["doc_id"].tolist()
    orientation = one.groupby("vertical")["orientation"].first().drop("web")
    unwanted = set(orientation[orientation <= 0.6].index)
    places, orders, drawn = set(), set(), set()
    for seed in range(100):
        made = simulate_pages(one, collection.items, collection.verticals, threshold=0.6, seed=seed).pages
        page = next(p for p in made if p.page_id == "redde-tfidf-random")
        assert [item for item in page.items if "web" in item] == web
        places |= {i for i, b in enumerate(page.blocks) if b.vertical != "web"}
        orders.add(page.verticals)
        [verticals] = {frozenset(p.verticals) for p in made if p.page_id.startswith("bad-")}
        assert verticals <= unwanted
        drawn.add(verticals)
    assert (places, len(orders)) == (set(range(13)), 6)
    assert len(drawn) == math.comb(len(unwanted), min(3, len(unwanted)))


def test_topics_do_not_depend_on_each_other(simulated: Any, collection: Example) -> None:
    given = (collection.items, collection.verticals)
    other = simulate_pages(collection.qrels, *given, threshold=0.6, seed=1)
    changed = [a.page_id for a, b in zip(simulated.pages, other.pages, strict=True) if a != b]
    assert changed
    assert all(name.endswith("random") or name.startswith("bad") for name in changed)
    one = collection.qrels[collection.qrels["query_id"] == "t3"]
    alone = simulate_pages(one, *given, threshold=0.6)
    assert alone.pages == [p for p in simulated.pages if p.query_id == "t3"]
    default = simulate_pages(collection.qrels, *given)
    assert default.pages == simulate_pages(collection.qrels, *given, threshold=0.75).pages  # the paper's


def test_pairs_are_eight_of_each_pair_of_bins(simulated: Any) -> None:
    pairs = page_pairs(simulated)
    assert (pairs.groupby(["query_id", "bin_pair"]).size() == 8).all()
    assert len(pairs) == 5 * 6 * 8
    bins = simulated.quality.set_index(["query_id", "page_id"])["bin"]
    for row in pairs.itertuples():
        assert {bins[row.query_id, row.page_a], bins[row.query_id, row.page_b]} == set(row.bin_pair.split("-"))
    both = [frozenset(p) for p in zip(pairs["query_id"], pairs["page_a"], pairs["page_b"], strict=True)]
    assert len(set(both)) == len(both)
    assert page_pairs(simulated).equals(pairs)
    assert not page_pairs(simulated, seed=1).equals(pairs)


def test_traps_pair_a_page_with_one_of_another_topic(simulated: Any) -> None:
    plain, pairs = page_pairs(simulated), page_pairs(simulated, traps=3)
    traps = pairs[pairs["trap"] != ""]
    assert pairs[pairs["trap"] == ""].drop(columns="trap").reset_index(drop=True).equals(plain)
    assert traps.groupby("query_id").size().to_dict() == {f"t{i}": 3 for i in range(1, 6)}
    bins = simulated.quality.set_index(["query_id", "page_id"])["bin"]
    for row in traps.itertuples():
        names = {"a": row.page_a, "b": row.page_b}
        own = names.pop(row.trap)
        [(topic, _, page_id)] = [name.partition(":") for name in names.values()]
        assert topic != row.query_id
        assert bins[row.query_id, own] == bins[topic, page_id] == "H"
        assert row.bin_pair == ""
    assert len(set(traps["trap"])) == 2
    assert not traps.duplicated(["query_id", "page_a", "page_b"]).any()
    assert page_pairs(simulated, traps=3).equals(pairs)
    assert not page_pairs(simulated, traps=3, seed=1).equals(pairs)


def test_who_falls_into_traps_is_left_out_and_simulated_users_do_not(simulated: Any, collection: Example) -> None:
    users = {"ann": "AS_RBP", "bob": "P@10"}
    votes = simulate_preferences(simulated.pages, page_pairs(simulated, traps=1), collection.qrels, users)
    plain = simulate_preferences(simulated.pages, page_pairs(simulated), collection.qrels, users)
    columns = ["query_id", "page_a", "page_b", "assessor", "choice"]
    table = votes.frame()
    assert without_traps(votes, 0).frame()[columns].equals(plain.frame()[columns])
    turned = (table["assessor"] == "bob") & (table["trap"] != "")
    table.loc[turned, "choice"] = table.loc[turned, "choice"].map({"a": "b", "b": "a"})
    with pytest.warns(irmx.DataWarning, match=r"bob \(5\)"):
        kept = without_traps(read_preferences(table))
    assert kept.assessors == ["ann"]
    assert len(kept) == len(plain)


def test_topics_that_share_items_have_no_traps() -> None:
    made = example(3)
    twin = made.qrels[made.qrels["query_id"] == "t1"].assign(query_id="twin")
    qrels = pd.concat([made.qrels[made.qrels["query_id"] != "t3"], twin])
    items = {name: pd.concat([run[run["query_id"] != "t3"], run[run["query_id"] == "t1"].assign(query_id="twin")])
             for name, run in made.items.items()}  # fmt: skip
    traps = page_pairs(simulate_pages(qrels, items, {}), traps=5).query("trap != ''")
    others = {q: {n.partition(":")[0] for n in [*rows["page_a"], *rows["page_b"]] if ":" in n}
              for q, rows in traps.groupby("query_id")}  # fmt: skip
    assert others == {"t1": {"t2"}, "t2": {"t1", "twin"}, "twin": {"t2"}}
    alone = simulate_pages(made.qrels[made.qrels["query_id"] == "t1"], items, {})
    with pytest.raises(irmx.DataError, match="'t1' has 0 trap pairs"):
        page_pairs(alone, traps=1)


def test_what_is_fewer_than_asked_is_counted(simulated: Any, collection: Example) -> None:
    with pytest.warns(irmx.DataWarning, match="of 30 pairs of bins of a topic have fewer than 500 pairs"):
        page_pairs(simulated, pairs=500)
    items = {name: run[run["vertical"] != "image"] for name, run in collection.items.items()}
    with pytest.warns(irmx.DataWarning, match="cases a ranking has no item of a selected vertical"):
        found = simulate_pages(collection.qrels, items, collection.verticals)
    assert not any("image" in p.verticals for p in found.pages if "bm25" in p.page_id)


MADE = example(5)
BM25, REDDE = MADE.items["bm25"], MADE.verticals["redde"]
FIRST = MADE.qrels["doc_id"] == "t1-image-1"


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"verticals": 0}, irmx.UsageError, r"'verticals' parameter .* must be an int in the range \[1, inf\). Got 0"),
        ({"web_items": True}, irmx.UsageError, "'web_items' parameter .* must be an int"),
        ({"seed": -1}, irmx.UsageError, r"'seed' parameter .* must be an int in the range \[0, inf\). Got -1"),
        ({"threshold": 1.5}, irmx.UsageError, r"'threshold' parameter .* must be a float in the range \[0, 1\]. Got 1.5"),
        ({"item_rankings": {"perfect": BM25}}, irmx.UsageError, "cannot be called 'perfect'"),
        ({"item_rankings": {"x": BM25.drop(columns="vertical")}}, irmx.DataError, "The ranking 'x' lacks the column 'vertical'"),
        ({"item_rankings": {"x": BM25.assign(vertical=[None, *BM25["vertical"][1:]])}}, irmx.DataError,
         "has no vertical for the item 't1-web-1' of topic 't1'"),
        ({"item_rankings": {"x": BM25[BM25["query_id"] == "t1"]}}, irmx.DataError, "The ranking 'x' has no items for topic 't2'"),
        ({"vertical_rankings": {"x": {"t1": {"maps": 1.0}}}}, irmx.DataError,
         "ranking of verticals 'x' has 'maps' for topic 't1', for which the qrels"),
        ({"vertical_rankings": {"x": {"t1": {"web": 1.0}}}}, irmx.DataError, "has 'web' for topic 't1'; the web is always on the page"),
        ({"item_rankings": {"a-b": BM25, "b": BM25}, "vertical_rankings": {"x": REDDE, "x-a": REDDE}}, irmx.UsageError,
         "'x' with 'a-b' and those of 'x-a' with 'b' would both be named 'x-a-b'"),
        *(({"qrels": MADE.qrels.drop(columns=c)}, irmx.DataError, f"column '{c}'") for c in ("vertical", "orientation")),
        *(({"qrels": MADE.qrels.assign(orientation=MADE.qrels["orientation"].mask(FIRST, x))}, irmx.DataError, f"{x}") for x in (1.2, 0.123)),
        ({"qrels": MADE.qrels.assign(vertical=MADE.qrels["vertical"].mask(FIRST))}, irmx.DataError,
         "column 'vertical' has no value for query t1, row 15"),
    ],
)  # fmt: skip
def test_what_cannot_be_simulated(changes: dict[str, Any], error: Any, said: str) -> None:
    given = {"qrels": MADE.qrels, "item_rankings": MADE.items, "vertical_rankings": MADE.verticals}
    with pytest.raises(error, match=said):
        simulate_pages(**{**given, **changes})


def test_what_cannot_be_paired_or_preferred(simulated: Any, collection: Example) -> None:
    with pytest.raises(irmx.UsageError, match=r"'pairs' parameter .* must be an int"):
        page_pairs(simulated, pairs=0)
    with pytest.raises(irmx.UsageError, match=r"'traps' parameter .* must be an int"):
        page_pairs(simulated, traps=-1)
    given = (simulated.pages, page_pairs(simulated), collection.qrels)
    for users, options, said in (
        ({}, {}, "There are no users"),
        ({"u": "P@1"}, {"scale": 0}, "scale must be a number above 0"),
    ):
        with pytest.raises(irmx.UsageError, match=said):
            simulate_preferences(*given, users, **options)


def test_users_choose_with_the_probability_of_their_scale(simulated: Any, collection: Example) -> None:
    pairs = page_pairs(simulated)
    votes = {
        scale: simulate_preferences(simulated.pages, pairs, collection.qrels, {"u": "AS_RBP"}, scale=scale).choice
        for scale in (1e-9, 10.0, 1e9)
    }
    agreed = [float((votes[scale] == votes[1e9]).mean()) for scale in votes]
    assert agreed[0] == pytest.approx(0.5, abs=0.12)
    assert 0.7 < agreed[1] < agreed[2] == 1
