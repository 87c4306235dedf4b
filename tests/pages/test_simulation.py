"""Simulated pages are the 36 of the paper, with their component scores and bins; pairs cover the six pairs of bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import irmx
from irmx_pages import page_pairs, simulate_pages
from irmx_pages.example import MEDIA, Example, example
from irmx_pages.simulate.simulated_pages import order_tau


@pytest.fixture(scope="module")
def collection() -> Example:
    return example(5)


@pytest.fixture(scope="module")
def simulated(collection: Example) -> Any:
    return simulate_pages(collection.qrels, collection.items, collection.verticals, threshold=0.6)


def test_there_are_36_pages_a_topic(simulated: Any) -> None:
    quality = simulated.quality
    assert len(simulated.pages) == 5 * 36
    assert (quality.groupby("query_id").size() == 36).all()
    assert [quality[c].nunique() for c in ("selection", "items", "presentation")] == [4, 3, 3]
    assert [(p.query_id, p.page_id) for p in simulated.pages] == list(
        zip(quality["query_id"], quality["page_id"], strict=True)
    )
    assert (quality.groupby(["query_id", "bin"]).size() == 12).all()


def test_pages_keep_the_limits(simulated: Any) -> None:
    for page in simulated.pages:
        web = [b for b in page.blocks if b.vertical == "web"]
        others = [b for b in page.blocks if b.vertical != "web"]
        assert len(web) == 10
        assert len(others) <= 3
        assert all(len(b.items) == 1 for b in web)
        assert all(1 <= len(b.items) <= 3 for b in others)
        assert len({b.vertical for b in others}) == len(others)


def test_perfect_is_perfect_and_bad_is_bad(simulated: Any, collection: Example) -> None:
    orientation = collection.qrels.groupby(["query_id", "vertical"])["orientation"].first()
    grade = collection.qrels.set_index("doc_id")["relevance"]
    quality = simulated.quality
    for page, row in zip(simulated.pages, quality.itertuples(), strict=True):
        wanted = [v for v in orientation[page.query_id].index if v != "web" and orientation[page.query_id, v] > 0.6]
        of_blocks = [orientation[page.query_id, b.vertical] for b in page.blocks]
        if row.selection == "perfect":
            top = sorted(wanted, key=lambda v: -orientation[page.query_id, v])[:3]
            assert set(page.verticals) == set(top)
        if row.selection == "bad":
            assert not set(page.verticals) & set(wanted)
        relevant = [bool(grade[list(b.items)].sum()) for b in page.blocks]
        keys = list(zip(relevant, of_blocks, strict=True))
        if row.presentation == "perfect":
            assert row.tau == 1
            assert keys == sorted(keys, reverse=True)
        if row.presentation == "bad":
            assert row.tau == -1
            assert keys == sorted(keys)
        if row.items == "perfect":
            for b in page.blocks:
                if b.vertical != "web":
                    judged = collection.qrels[
                        (collection.qrels["query_id"] == page.query_id) & (collection.qrels["vertical"] == b.vertical)
                    ]["relevance"]
                    assert grade[list(b.items)].sum() == min(3, judged.sum())
    means = quality.groupby("items")["precision"].mean()
    assert means["perfect"] > means["bm25"] > means["tfidf"]
    assert quality.groupby("selection")["f_measure"].mean().idxmax() == "perfect"
    assert (quality.groupby("selection")["f_measure"].max()["bad"] == 0) or not len(wanted)


def test_perfect_puts_relevant_web_results_above_a_wanted_vertical_without_any() -> None:
    rows = [("w1", 0, "web", 0.5), ("w2", 1, "web", 0.5), ("n1", 0, "news", 0.9), ("n2", 1, "news", 0.9)]
    rows += [("i1", 1, "image", 0.8)]
    qrels = pd.DataFrame(rows, columns=["doc_id", "relevance", "vertical", "orientation"]).assign(query_id="q")
    run = qrels[qrels["doc_id"] != "n2"].assign(score=range(4, 0, -1))[["query_id", "doc_id", "vertical", "score"]]
    made = simulate_pages(qrels, {"bm25": run}, {"redde": {"q": {"news": 1.0}}})
    pages = {p.page_id: p.items for p in made.pages}
    assert pages["perfect-bm25-perfect"] == ("i1", "w2", "n1", "w1")
    assert pages["perfect-bm25-bad"] == ("w1", "n1", "w2", "i1")
    assert pages["perfect-perfect-perfect"] == ("n2", "n1", "i1", "w2", "w1")


def test_random_disperses_verticals_among_web_results_in_their_order(collection: Example) -> None:
    """Of 100 seeds, the web results always stand as ranked, and the verticals in all places and orders."""
    one = collection.qrels[collection.qrels["query_id"] == "t3"]
    run = collection.items["tfidf"]
    web = run[(run["query_id"] == "t3") & (run["vertical"] == "web")].nlargest(10, "score")["doc_id"].tolist()
    places, orders = set(), set()
    for seed in range(100):
        pages = simulate_pages(one, collection.items, collection.verticals, threshold=0.6, seed=seed).pages
        page = next(p for p in pages if p.page_id == "redde-tfidf-random")
        assert [item for item in page.items if "web" in item] == web
        places |= {i for i, b in enumerate(page.blocks) if b.vertical != "web"}
        orders.add(page.verticals)
    assert places == set(range(13))
    assert len(orders) == 6


def test_bad_draws_among_the_verticals_that_are_not_wanted(collection: Example) -> None:
    """By the seed, not the least oriented ones; the same for all items and presentations of a topic."""
    one = collection.qrels[collection.qrels["query_id"] == "t4"]
    orientation = one.groupby("vertical")["orientation"].first().drop("web")
    unwanted = set(orientation[orientation <= 0.75].index)
    assert len(unwanted) > 3
    drawn = set()
    for seed in range(60):
        pages = simulate_pages(one, collection.items, collection.verticals, seed=seed).pages
        [verticals] = {frozenset(p.verticals) for p in pages if p.page_id.startswith("bad-")}
        assert len(verticals) == 3
        assert verticals < unwanted
        drawn.add(verticals)
    assert len(drawn) == math.comb(len(unwanted), 3)


def test_the_threshold_is_the_papers(collection: Example) -> None:
    rankings = (collection.qrels, collection.items, collection.verticals)
    assert simulate_pages(*rankings).pages == simulate_pages(*rankings, threshold=0.75).pages


def test_rankings_are_followed(simulated: Any, collection: Example) -> None:
    page = next(p for p in simulated.pages if p.page_id == "cori-bm25-random")
    ranking = collection.verticals["cori"]
    mine = ranking[ranking["query_id"] == page.query_id]
    assert set(page.verticals) == set(mine.nlargest(3, "score")["doc_id"])
    run = collection.items["bm25"]
    for block in page.blocks:
        if block.vertical != "web":
            mine = run[(run["query_id"] == page.query_id) & (run["vertical"] == block.vertical)]
            assert list(block.items) == mine.nlargest(3, "score")["doc_id"].tolist()
            assert block.media == MEDIA[block.vertical]


def test_component_scores_are_those_of_their_definitions(simulated: Any, collection: Example) -> None:
    quality = simulated.quality
    orientation = collection.qrels.groupby(["query_id", "vertical"])["orientation"].first()
    grade = collection.qrels.set_index("doc_id")["relevance"]
    for page, row in list(zip(simulated.pages, quality.itertuples(), strict=True))[::7]:
        wanted = {v for v in orientation[page.query_id].index if v != "web" and orientation[page.query_id, v] > 0.6}
        hit = len(wanted & set(page.verticals))
        p, r = hit / len(page.verticals) if page.verticals else 1, hit / len(wanted) if wanted else 1
        assert row.f_measure == pytest.approx(2 * p * r / (p + r) if p + r else 0)
        groups: dict[str, list[str]] = {}
        for block in page.blocks:
            groups.setdefault(block.vertical, []).extend(block.items)
        assert row.precision == pytest.approx(np.mean([grade[items].mean() for items in groups.values()]))
        assert row.quality == pytest.approx((row.f_measure + row.precision + (row.tau + 1) / 2) / 3)
    lowest_high = quality[quality["bin"] == "H"].groupby("query_id")["quality"].min()
    highest_low = quality[quality["bin"] == "L"].groupby("query_id")["quality"].max()
    assert (lowest_high >= highest_low).all()


def test_tau_is_kendalls() -> None:
    rng = np.random.default_rng(0)
    for size in (2, 5, 13):
        order = rng.permutation(size).tolist()
        assert order_tau(order) == pytest.approx(kendalltau(range(size), order).statistic)


def test_the_seed_decides_and_topics_do_not_depend_on_each_other(simulated: Any, collection: Example) -> None:
    again = simulate_pages(collection.qrels, collection.items, collection.verticals, threshold=0.6)
    assert again.pages == simulated.pages
    other = simulate_pages(collection.qrels, collection.items, collection.verticals, threshold=0.6, seed=1)
    changed = {a.page_id for a, b in zip(again.pages, other.pages, strict=True) if a != b}
    assert any(name.endswith("random") for name in changed)
    assert {name.split("-")[0] for name in changed if not name.endswith("random")} == {"bad"}
    one = collection.qrels[collection.qrels["query_id"] == "t3"]
    alone = simulate_pages(one, collection.items, collection.verticals, threshold=0.6)
    assert alone.pages == [p for p in simulated.pages if p.query_id == "t3"]


def test_pairs_are_eight_of_each_pair_of_bins(simulated: Any) -> None:
    pairs = page_pairs(simulated)
    assert len(pairs) == 5 * 6 * 8
    assert (pairs.groupby(["query_id", "bin_pair"]).size() == 8).all()
    bins = simulated.quality.set_index(["query_id", "page_id"])["bin"]
    for row in pairs.itertuples():
        found = {bins[row.query_id, row.page_a], bins[row.query_id, row.page_b]}
        assert found == set(row.bin_pair.split("-"))
    assert (
        not pairs.assign(both=[frozenset(p) for p in zip(pairs["page_a"], pairs["page_b"], strict=True)])
        .duplicated(["query_id", "both"])
        .any()
    )
    assert page_pairs(simulated).equals(pairs)
    assert not page_pairs(simulated, seed=1).equals(pairs)


def test_too_few_pairs_are_counted(simulated: Any) -> None:
    with pytest.warns(irmx.DataWarning, match="of 30 pairs of bins of a topic have fewer than 500 pairs"):
        page_pairs(simulated, pairs=500)


def test_a_ranking_without_items_of_a_vertical_is_counted(collection: Example) -> None:
    items = {name: run[run["vertical"] != "image"] for name, run in collection.items.items()}
    with pytest.warns(irmx.DataWarning, match="cases a ranking has no item of a selected vertical"):
        found = simulate_pages(collection.qrels, items, collection.verticals)
    assert not any("image" in p.verticals for p in found.pages if "bm25" in p.page_id)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"verticals": 0}, r"'verticals' must be an int in the range \[1, inf\). Got 0"),
        ({"web_items": True}, "'web_items' must be an int"),
        ({"seed": -1}, r"'seed' must be an int in the range \[0, inf\). Got -1"),
        ({"threshold": 1.5}, r"threshold must be a number in the range \[0, 1\]. Got 1.5"),
    ],
)
def test_limits_out_of_range(collection: Example, options: dict[str, Any], said: str) -> None:
    with pytest.raises(irmx.UsageError, match=said):
        simulate_pages(collection.qrels, collection.items, collection.verticals, **options)


def test_rankings_that_are_wrong(collection: Example) -> None:
    qrels, items, verticals = collection.qrels, collection.items, collection.verticals
    bm25 = items["bm25"]
    with pytest.raises(irmx.UsageError, match="cannot be called 'perfect'"):
        simulate_pages(qrels, {"perfect": bm25}, verticals)
    with pytest.raises(irmx.DataError, match="The ranking 'x' lacks the column 'vertical'"):
        simulate_pages(qrels, {"x": bm25.drop(columns="vertical")}, verticals)
    unnamed = bm25.assign(vertical=[None, *bm25["vertical"][1:]])
    with pytest.raises(irmx.DataError, match="has no vertical for the item 't1-web-1' of topic 't1'"):
        simulate_pages(qrels, {"x": unnamed}, verticals)
    with pytest.raises(irmx.DataError, match="ranking of verticals 'x' has 'maps' for topic 't1', for which the qrels"):
        simulate_pages(qrels, items, {"x": {"t1": {"maps": 1.0}}})
    with pytest.raises(irmx.DataError, match="has 'web' for topic 't1'; the web is always on the page"):
        simulate_pages(qrels, items, {"x": {"t1": {"web": 1.0}}})
    with pytest.raises(irmx.DataError, match="The ranking 'x' has no items for topic 't2'"):
        simulate_pages(qrels, {"x": bm25[bm25["query_id"] == "t1"]}, verticals)
    several = ({"a-b": bm25, "b": bm25}, {"x": verticals["redde"], "x-a": verticals["redde"]})
    with pytest.raises(irmx.UsageError, match="'x' with 'a-b' and those of 'x-a' with 'b' would both be named 'x-a-b'"):
        simulate_pages(qrels, *several)
    with pytest.raises(irmx.UsageError, match="'pairs' must be an int"):
        page_pairs(simulate_pages(qrels, items, verticals), pairs=0)


@pytest.mark.parametrize("column", ["vertical", "orientation"])
def test_qrels_that_lack_a_column(collection: Example, column: str) -> None:
    with pytest.raises(irmx.DataError, match=f"column '{column}'"):
        simulate_pages(collection.qrels.drop(columns=column), collection.items, collection.verticals)


def test_orientations_that_are_wrong(collection: Example) -> None:
    first = collection.qrels["doc_id"] == "t1-image-1"
    for value, said in ((1.2, "1.2"), (0.123, "0.123")):
        wrong = collection.qrels.assign(orientation=collection.qrels["orientation"].mask(first, value))
        with pytest.raises(irmx.DataError, match=said):
            simulate_pages(wrong, collection.items, collection.verticals)
    unnamed = collection.qrels.assign(vertical=collection.qrels["vertical"].mask(first))
    with pytest.raises(irmx.DataError, match="column 'vertical' has no value for query t1, row 15"):
        simulate_pages(unnamed, collection.items, collection.verticals)
