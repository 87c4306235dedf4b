"""What a page is, what the parameters do, and how the measures behave in the tools."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import irmx
from irmx_pages import AS, DCG, Pages, gain, pages_of, utility
from irmx_pages.example import example

JUDGED = [
    ("w1", "web", 1, None),
    ("w2", "web", 0, None),
    ("i1", "image", 1, 0.75),
    ("i2", "image", 1, 0.75),
    ("n1", "news", 1, 0.6),
]


def value(text: str, run: Any, qrels: Any) -> float:
    measure = irmx.parse_measure(text)
    return irmx.calc_aggregate(measure, qrels, run)[measure]


MIXED = [("w1", "web"), ("w2", "web"), ("i1", "image"), ("i2", "image"), ("n1", "news"), ("w3", "web")]


@pytest.mark.parametrize(
    ("items", "columns", "options", "blocks"),
    [
        (MIXED, {}, {}, [("web", 1), ("web", 1), ("image", 2), ("news", 1), ("web", 1)]),
        (MIXED, {}, {"cutoff": 3}, [("web", 1), ("web", 1), ("image", 2)]),
        ([MIXED[2], MIXED[0], MIXED[3]], {}, {"split_blocks": True}, [("image", 1), ("web", 1), ("image", 1)]),
        (MIXED[:4], {"block": ["a", "a", "b", "c"]}, {}, [("web", 2), ("image", 1), ("image", 1)]),
        (MIXED[:4], {"block": [1, 2, 3, 3]}, {}, [("web", 1), ("web", 1), ("image", 2)]),
        (MIXED[:4], {"score": [1.0, 2.0, 4.0, 3.0]}, {}, [("image", 2), ("web", 1), ("web", 1)]),
    ],
)
def test_blocks(plain: Any, items: Any, columns: Any, options: Any, blocks: Any) -> None:
    pages = pages_of(irmx.rankings(plain.qrels_of(*JUDGED), plain.run_of(*items).assign(**columns)), **options)
    assert list(zip(pages.vertical.tolist(), pages.items.tolist(), strict=True)) == blocks


@pytest.mark.parametrize(
    ("media", "effort", "efforts", "visual"),
    [
        (None, {}, [2, 3, 3], [True, False, False]),  # by the name of the vertical
        (["image", None, "video", ""], {}, [2, 6, 3], [True, True, False]),  # an empty value is no value
        (["card"] * 4, {"effort": {"card": 2.5}}, [5, 2.5, 2.5], [False] * 3),
    ],
)
def test_media_types(plain: Any, media: Any, effort: Any, efforts: list[float], visual: list[bool]) -> None:
    run = plain.run_of(("i1", "image"), ("i2", "image"), ("n1", "news"), ("w1", "web"))
    pages = pages_of(
        irmx.rankings(plain.qrels_of(*JUDGED), run if media is None else run.assign(media=media)), **effort
    )
    assert (pages.effort.tolist(), pages.visual.tolist()) == (efforts, visual)


def test_other_media_than_the_ideal_page_are_counted(plain: Any) -> None:
    run = plain.run_of(("i1", "image"), ("n1", "news"), ("w1", "web"), media=["image", "video", "text"])
    qrels = plain.qrels_of(*JUDGED)
    with pytest.warns(
        irmx.DataWarning, match="1 items of the run have a media type other than.*'video', in the vertical"
    ):
        warned = value("AS_DCG(ideal='greedy')", run, qrels)
    judged = qrels.assign(media=qrels["vertical"].map({"image": "image", "news": "video", "web": "text"}))
    assert value("AS_DCG(ideal='greedy')", run, judged) > warned  # a page of texts would have less effort
    assert value("AS_DCG(normalise=None)", run, qrels) == value("AS_DCG(normalise=None)", run, judged)


TWO = [("w1", "web", 1, None), ("w2", "web", 2, None)]
NEWS = [("w1", "web", 1, None), ("", "news", 0, 0.9)]
MANY = [(f"i{i}", "image", 1, 0.8) for i in range(5)]
BOTH = [("d", "web", 1, None), ("d", "news", 1, 0.75)]


@pytest.mark.parametrize(
    ("judged", "shown", "text", "expected"),
    [
        (TWO, [("w1", "web"), ("w2", "web")], "AS_RBP(beta=1,normalise=None)", 1 / 6),
        (TWO, [("w1", "web"), ("w2", "web")], "AS_RBP(beta=1,rel=2,normalise=None)", 1 / 12),
        ([TWO[0], ("w2", "web", -1, None)], [("w1", "web"), ("w2", "web")], "AS_RBP(beta=1,normalise=None)", 1 / 12),
        (BOTH, [("d", "news")], "AS_DCG(normalise=None)", 0.75 / 3),  # one document judged in two verticals
        (BOTH, [("d", "web")], "AS_DCG(normalise=None)", 0.5 / 3),
        (NEWS, [("x", "news"), ("w1", "web")], "vRecall", 1),  # a row without a document declares a vertical
        (NEWS, [("x", "news"), ("w1", "web")], "AS_RBP(beta=0.5,normalise=None)", 0.25 / 4.5),
        ([("i1", "image", 1, 0.8)], [("i1", "image"), ("w1", "web")], "AS_RBP(beta=0.5,normalise=None)", 0.8 / 2.5),
        *(([("i1", "image", 1, 0.8)], [("i1", "image"), ("w1", "web")], f"AS_{name}", 1)  # the web needs no judgment
          for name in ("D_nDCG", "alpha_nDCG", "IA_nDCG", "Dsharp_nDCG")),
        (JUDGED, [("w1", "web")], "AS_DCG(ideal='greedy',ideal_threshold=0.75)", 1),
        (JUDGED, [("w1", "web")], "AS_DCG(ideal='greedy',ideal_verticals=0)", 1),
        (JUDGED, [("w1", "web")], "AS_DCG(ideal_fill=False)", 1),
        (JUDGED, [("w1", "web")], "AS_DCG", 1 + 1 / math.log2(3)),  # the ideal page goes on with w2
        (JUDGED, [("i1", "image"), ("i2", "image")], "AS_RBP(ideal='exact')", 1),  # as many blocks as the page
        (JUDGED, [("i1", "image"), ("i2", "image"), ("w1", "web")], "AS_RBP(ideal='exact')@1", 1),
        (JUDGED, [("i1", "image"), ("i2", "image"), ("n1", "news")], "AS_RBP(ideal='exact')", 1),
        (JUDGED, [("i1", "image"), ("n1", "news")], "vRecall(all_verticals=8)", 0.25),
        (JUDGED, [("i1", "image"), ("n1", "news")], "vRecall(all_verticals=2)", 1.0),
        (JUDGED, [("i1", "image")], "vF(beta=2.0)", 5 * 0.5 / (4 + 0.5)),  # precision 1, recall 1/2
        (JUDGED, [("i1", "image")], "vF(beta=0.5)", 1.25 * 0.5 / (0.25 + 0.5)),
        (MANY, [("i0", "image")], "AS_IA_nDCG(normalise='vertical')", 1 / 3),  # of five, an ideal block has three
        (MANY, [("i0", "image")], "AS_IA_nDCG(normalise='vertical',ideal_items=4)", 1 / 4),
        (JUDGED, [("i1", "image"), ("n1", "news")], "AS_DCG(ideal='greedy',personal=1,all_verticals=8)", 0.25),
    ],
)  # fmt: skip
def test_values_of_small_pages(plain: Any, judged: Any, shown: Any, text: str, expected: float) -> None:
    assert value(text, plain.run_of(*shown), plain.qrels_of(*judged)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("text", ["vRecall(all_verticals=1)", "AS_DCG(ideal='greedy',personal=0.5,all_verticals=1)"])
def test_a_page_shows_no_more_verticals_than_there_are(plain: Any, text: str) -> None:
    with pytest.raises(irmx.DataError, match="the page of query q shows 2 verticals, more than all_verticals=1"):
        value(text, plain.run_of(("i1", "image"), ("n1", "news")), plain.qrels_of(*JUDGED))


@pytest.mark.parametrize(("discount", "second"), [("one", 0.5), ("rank", 0.25)])
def test_a_user_who_is_satisfied_by_half_examines_the_next_block_half_as_often(
    plain: Any, discount: str, second: float
) -> None:
    run, qrels = plain.run_of(("w1", "web"), ("w2", "web")), plain.qrels_of(*JUDGED)
    explained = irmx.explain(f"AS_ERR(err_discount='{discount}',normalise=None)", qrels, run, "q").frame()
    assert explained["examination"].tolist() == [1.0, second]


@pytest.mark.parametrize("measure", ["AS_D_nDCG", "AS_Dsharp_nDCG"])
def test_blocks_contribute_nothing_where_no_page_can_gain(plain: Any, measure: str) -> None:
    run, qrels = plain.run_of(("w1", "web"), ("i1", "image")), plain.qrels_of(*JUDGED).assign(relevance=0)
    assert irmx.explain(measure, qrels, run, "q").frame()["contribution"].tolist() == [0.0, 0.0]


def test_many_topics_at_once_and_one_by_one() -> None:
    made = example(6, 4)
    text = (
        "AS_DCG AS_RBP AS_ERR AS_ATT AS_ERR(ideal='exact')@4 AS_ATT(personal=0.5,recall_of='oriented')@3 vRecall vPrecision vF "
        "AS_D_nDCG AS_Dsharp_nDCG AS_alpha_nDCG AS_IA_nDCG@5"
    )
    qrels, run = made.qrels, made.items["bm25"].sort_values(["query_id", "vertical"]).assign(score=lambda t: -t.index)
    together = {(m.query_id, str(m.measure)): m.value for m in irmx.iter_calc(text, qrels, run)}
    alone = {}
    for query_id, of_topic in qrels.groupby("query_id"):
        found = irmx.iter_calc(text, of_topic, run[run["query_id"] == query_id])
        alone |= {(m.query_id, str(m.measure)): m.value for m in found}
    assert together == pytest.approx(alone, rel=1e-12)
    assert len(together) == 6 * 13


def test_a_model_of_ones_own(plain: Any) -> None:
    class TopThree(irmx.Symbol):
        NAME, KIND, SHORT_DESC = "top_three", "examination model", "the first three blocks"

        def probabilities(self, pages: Any, gain: Any) -> Any:
            return np.where(pages.position <= 3, 1.0, 0.0)

    run, qrels = plain.run_of(("w1", "web"), ("i1", "image"), ("n1", "news"), ("w2", "web")), plain.qrels_of(*JUDGED)
    measure = AS(examination=TopThree(), normalise=None)
    assert irmx.calc_aggregate(measure, qrels, run)[measure] == pytest.approx((0.5 + 0.75 + 0.6) / 7)
    assert str(measure) == "AS(examination=top_three,normalise=None)"
    with pytest.raises(irmx.UsageError, match="The examination model top_three cannot find the best page"):
        irmx.calc_aggregate(AS(examination=TopThree(), ideal="exact"), qrels, run)


def test_how_much_recall_counts_at_the_ends_of_64_bit_floats() -> None:
    """As beta grows, vF tends to vRecall; as it falls, to vPrecision."""
    made = example(2)
    run = made.items["bm25"].drop_duplicates(["query_id", "vertical"])
    ends = irmx.calc_aggregate("vF(beta=1e300) vRecall vF(beta=1e-300) vPrecision vF(beta=0.5) vF", made.qrels, run)
    large, recall, small, precision, half, equal = ends.values()
    assert (large, small) == pytest.approx((recall, precision), abs=1e-12)
    assert min(recall, precision) <= half <= max(recall, precision)
    assert equal > 0


# -- pages made by hand ----------------------------------------------------------------------------------------------


def hand_made(offsets: list[int], **changes: Any) -> Pages:
    n = offsets[-1]
    of_blocks = {"vertical": np.array(["web"] * n, dtype=object), "orientation": np.full(n, 0.5), "relevant": np.ones(n),
                 "items": np.ones(n, dtype=np.int64), "effort": np.full(n, 3.0), "visual": np.zeros(n, dtype=bool)}  # fmt: skip
    return Pages(np.array(offsets), **{**of_blocks, **changes})


def test_pages_made_by_hand() -> None:
    """Two pages, one with a web result and images, one with a video."""
    pages = hand_made([0, 2, 3], orientation=np.array([0.5, 0.75, 0.6]), relevant=np.array([1.0, 2.0, 0.0]))
    of_blocks = gain(pages)
    found = utility(pages, of_blocks, DCG().probabilities(pages, of_blocks))
    assert found == pytest.approx([(0.5 + 1.5 * 0.6309297536) / (3 + 3 * 0.6309297536), 0])


@pytest.mark.parametrize(
    ("pages", "probability", "says"),
    [
        (hand_made([0, 2, 2]), [1.0, 1.0], r"page 1 \(counted from 0\) has no blocks"),
        (hand_made([0, 1], effort=np.zeros(1)), [1.0], r"expected effort on page 0 \(counted from 0\) is 0"),
        (hand_made([0, 1]), [0.0], r"expected effort on page 0 \(counted from 0\) is 0"),
    ],
)
def test_pages_without_utility(pages: Any, probability: list[float], says: str) -> None:
    with pytest.raises(irmx.DataError, match=says):
        utility(pages, gain(pages), np.array(probability))


# -- the picture of a page's reader ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "measure",
    ["AS_RBP(split_blocks=True)@10", "AS_ATT(split_blocks=True)@10", "AS(examination=err,split_blocks=True)@5"],
)
def test_bars_are_the_probabilities_of_the_model(measure: str) -> None:
    made = example()
    topic, run = str(made.qrels["query_id"].iloc[0]), made.items["tfidf"]
    columns = irmx.explain(measure, made.qrels, run, topic).columns
    display = irmx.plot(measure, made.qrels, run, topic)
    drawn = {round(bar.get_y() + bar.get_height() / 2): bar for bar in display.ax_.patches}
    assert [drawn[place].get_width() for place in sorted(drawn)] == columns["examination"]
    texts = [text.get_text() for text in display.ax_.texts]
    for name in ("gain", "effort", "contribution"):
        first = texts.index(name) + 1
        assert texts[first : first + len(drawn)] == [f"{value:.3g}" for value in columns[name]]
    colours = [
        {b.get_facecolor() for p, b in drawn.items() if (columns["relevant"][p] > 0) is r} for r in (True, False)
    ]
    assert colours[0].isdisjoint(colours[1])


@pytest.mark.parametrize(
    ("blocks", "vertical", "label", "first"),
    [(50, "web", "block, the first 40 of 50", "1 web"), (3, "$x^\x1b", "block", r"1 \$x^\x1b (3 items, 1 relevant)")],
)
def test_long_pages_and_odd_names_are_drawn(plain: Any, blocks: int, vertical: str, label: str, first: str) -> None:
    qrels = plain.qrels_of(("d0", vertical, 1, None if vertical == "web" else 0.9))
    display = irmx.plot("AS_DCG", qrels, plain.run_of(*((f"d{i}", vertical) for i in range(blocks))), "q")
    assert display.ax_.get_ylabel() == label
    assert display.ax_.get_yticklabels()[0].get_text() == first


@pytest.mark.parametrize(
    ("vertical", "effort"),
    [("image", 1), ("Images", 1), ("Photo/Pictures", 1), ("video", 6), ("news_videos", 6), ("imagery", 3)],
)
def test_media_by_name(plain: Any, vertical: str, effort: float) -> None:
    rankings = irmx.rankings(plain.qrels_of(("d", vertical, 1, 0.9)), plain.run_of(("d", vertical)))
    assert pages_of(rankings).effort.tolist() == [effort]
