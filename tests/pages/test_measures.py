"""What a page is, what the parameters do, and how the measures behave in the tools."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_pages import AS, AS_DCG, AS_RBP, DCG, Pages, gain, pages_of, utility
from irmx_pages.page.efforts import media_of

JUDGED = [
    ("w1", "web", 1, None),
    ("w2", "web", 0, None),
    ("i1", "image", 1, 0.75),
    ("i2", "image", 1, 0.75),
    ("n1", "news", 1, 0.6),
]


def blocks(plain: Any, *items: tuple[str, str], **options: Any) -> list[tuple[str, int]]:
    columns = options.pop("columns", {})
    pages = pages_of(irmx.rankings(plain.qrels_of(*JUDGED), plain.run_of(*items, **columns)), **options)
    return list(zip(pages.vertical.tolist(), pages.items.tolist(), strict=True))


def value(text: str, run: Any, qrels: Any) -> float:
    measure = irmx.parse_measure(text)
    return irmx.calc_aggregate(measure, qrels, run)[measure]


def test_every_web_result_is_a_block_and_so_are_the_items_of_a_vertical(plain: Any) -> None:
    items = [("w1", "web"), ("w2", "web"), ("i1", "image"), ("i2", "image"), ("n1", "news"), ("w3", "web")]
    assert blocks(plain, *items) == [("web", 1), ("web", 1), ("image", 2), ("news", 1), ("web", 1)]
    assert blocks(plain, *items, cutoff=3) == [("web", 1), ("web", 1), ("image", 2)]


def test_split_blocks(plain: Any) -> None:
    items = [("i1", "image"), ("w1", "web"), ("i2", "image")]
    assert blocks(plain, *items, split_blocks=True) == [("image", 1), ("web", 1), ("image", 1)]


def test_named_blocks_win(plain: Any) -> None:
    items = [("w1", "web"), ("w2", "web"), ("i1", "image"), ("i2", "image")]
    columns = {"block": ["a", "a", "b", "c"]}
    assert blocks(plain, *items, columns=columns) == [("web", 2), ("image", 1), ("image", 1)]
    assert blocks(plain, *items, columns={"block": [1, 2, 3, 3]}) == [("web", 1), ("web", 1), ("image", 2)]


def test_the_order_of_a_page_is_that_of_the_scores(plain: Any) -> None:
    run = plain.run_of(("w1", "web"), ("i1", "image"), ("w2", "web"), ("i2", "image"))
    run["score"] = [1.0, 4.0, 2.0, 3.0]
    pages = pages_of(irmx.rankings(plain.qrels_of(*JUDGED), run))
    assert pages.vertical.tolist() == ["image", "web", "web"]
    assert pages.relevant.tolist() == [2, 0, 1]


def test_media_types(plain: Any) -> None:
    """By the name of the vertical, or as the column says; an empty value is no value."""
    run = plain.run_of(("i1", "image"), ("i2", "image"), ("n1", "news"), ("w1", "web"))
    qrels = plain.qrels_of(*JUDGED)
    assert pages_of(irmx.rankings(qrels, run)).effort.tolist() == [2, 3, 3]
    run["media"] = ["image", None, "video", ""]
    pages = pages_of(irmx.rankings(qrels, run))
    assert pages.effort.tolist() == [2, 6, 3]
    assert pages.visual.tolist() == [True, True, False]
    run["media"] = ["card", "card", "card", "card"]
    pages = pages_of(irmx.rankings(qrels, run), effort={"card": 2.5})
    assert pages.effort.tolist() == [5, 2.5, 2.5]
    assert not pages.visual.any()


@pytest.mark.parametrize(
    ("vertical", "media"),
    [("image", "image"), ("Images", "image"), ("Photo/Pictures", "image"), ("video", "video"), ("news_videos", "video"),
     ("imagery", "text"), ("web", "text"), ("", "text")],
)  # fmt: skip
def test_media_by_name(vertical: str, media: str) -> None:
    assert media_of(vertical) == media


def test_other_media_than_the_ideal_page_are_counted(plain: Any) -> None:
    run = plain.run_of(("i1", "image"), ("n1", "news"), ("w1", "web"), media=["image", "video", "text"])
    qrels = plain.qrels_of(*JUDGED)
    with pytest.warns(
        irmx.DataWarning, match="1 items of the run have a media type other than.*'video', in the vertical 'news'"
    ):
        warned = value("AS_DCG(ideal='greedy')", run, qrels)
    media = {"image": "image", "news": "video", "web": "text"}
    other = value("AS_DCG(ideal='greedy')", run, qrels.assign(media=qrels["vertical"].map(media)))
    assert other > warned  # an ideal page that takes news for text has less effort, so that the page is further from it
    assert value("AS_DCG(normalise=None)", run, qrels) == value(
        "AS_DCG(normalise=None)", run, qrels.assign(media=qrels["vertical"].map(media))
    )


def test_grades(plain: Any) -> None:
    qrels = plain.qrels_of(("w1", "web", 1, None), ("w2", "web", 2, None))
    run = plain.run_of(("w1", "web"), ("w2", "web"))
    assert value("AS_RBP(beta=1,normalise=None)", run, qrels) == pytest.approx(1 / 6)
    assert value("AS_RBP(beta=1,rel=2,normalise=None)", run, qrels) == pytest.approx(1 / 12)
    negative = plain.qrels_of(("w1", "web", 1, None), ("w2", "web", -1, None))
    assert value("AS_RBP(beta=1,normalise=None)", run, negative) == pytest.approx(1 / 12)


def test_one_document_judged_in_two_verticals(plain: Any) -> None:
    qrels = plain.qrels_of(("d", "web", 1, None), ("d", "news", 1, 0.75))
    assert value("AS_DCG(normalise=None)", plain.run_of(("d", "news")), qrels) == pytest.approx(0.75 / 3)
    assert value("AS_DCG(normalise=None)", plain.run_of(("d", "web")), qrels) == pytest.approx(0.5 / 3)


def test_a_vertical_that_a_row_without_a_document_declares(plain: Any) -> None:
    qrels = plain.qrels_of(("w1", "web", 1, None), ("", "news", 0, 0.9))
    run = plain.run_of(("x", "news"), ("w1", "web"))
    assert value("vRecall", run, qrels) == 1
    assert value("AS_RBP(beta=0.5,normalise=None)", run, qrels) == pytest.approx(0.25 / 4.5)


def test_a_stated_number_of_verticals(plain: Any) -> None:
    """It takes the place of the verticals in the qrels, on every topic; a page cannot show more."""
    qrels = pd.concat([plain.qrels_of(*JUDGED), plain.qrels_of(("x", "web", 1, None)).assign(query_id="r")])
    run = pd.concat([plain.run_of(("i1", "image"), ("n1", "news")), plain.run_of(("x", "web")).assign(query_id="r")])
    found = irmx.calc("vRecall(all_verticals=8)", qrels, run).per_query
    assert {m.query_id: m.value for m in found} == {"q": 0.25, "r": 0}
    for name in ("vRecall(all_verticals=1)", "AS_DCG(ideal='greedy',personal=0.5,all_verticals=1)"):
        with pytest.raises(irmx.DataError, match="the page of query q shows 2 verticals, more than all_verticals=1"):
            irmx.calc_aggregate(name, qrels, run)
    table = irmx.explain("AS_DCG(ideal='greedy',personal=1,all_verticals=8)", qrels, run, "q").columns
    assert list(table["contribution"]) == [0.125, 0.125]


def test_web_needs_no_judgment(plain: Any) -> None:
    qrels = plain.qrels_of(("i1", "image", 1, 0.8))
    run = plain.run_of(("i1", "image"), ("w1", "web"))
    assert value("AS_RBP(beta=0.5,normalise=None)", run, qrels) == pytest.approx(0.8 / 2.5)
    for name in ("AS_D_nDCG", "AS_alpha_nDCG", "AS_IA_nDCG", "AS_Dsharp_nDCG"):
        assert value(name, run, qrels) == 1


def test_topics_without_relevant_items(plain: Any) -> None:
    """0 by itself, also under the measures that divide by an ideal; left out of the mean where NaN is asked for."""
    one = plain.qrels_of(("w1", "web", 1, None))
    none = plain.qrels_of(("w1", "web", 0, None)).assign(query_id="r")
    qrels = pd.concat([one, none])
    run = pd.concat([plain.run_of(("w1", "web")), plain.run_of(("w1", "web")).assign(query_id="r")])
    for name in ("AS_DCG", "AS_RBP(ideal='exact')", "AS_D_nDCG", "AS_alpha_nDCG", "AS_IA_nDCG", "AS_Dsharp_nDCG"):
        measure = irmx.parse_measure(name)
        assert value(name, run, qrels) == 0.5
        assert irmx.calc_aggregate([measure(no_relevant="nan")], qrels, run).popitem()[1] == 1
        of_run = irmx.calc(measure, qrels, run[run["query_id"] == "r"]).per_query
        assert {m.query_id: m.value for m in of_run} == {"q": 0, "r": 0}


def test_limits_of_ideal_pages(plain: Any) -> None:
    qrels, run = plain.qrels_of(*JUDGED), plain.run_of(("w1", "web"))
    assert value("AS_DCG(ideal='greedy',ideal_threshold=0.75)", run, qrels) == 1
    assert value("AS_DCG(ideal='greedy',ideal_verticals=0)", run, qrels) == 1
    assert value("AS_DCG(ideal='greedy')", run, qrels) < value("AS_DCG(ideal='greedy',ideal_items=1)", run, qrels)
    assert value("AS_DCG(ideal_fill=False)", run, qrels) == 1
    assert value("AS_DCG", run, qrels) == pytest.approx(1 + 1 / math.log2(3))  # the ideal page goes on with w2
    assert value("AS_DCG(ideal_threshold=0.7,ideal_web=1)", run, qrels) == value(
        "AS_DCG(ideal='greedy',ideal_verticals=1)", run, qrels
    )


def test_exact_ideals_have_as_many_blocks_as_the_page(plain: Any) -> None:
    """One block: the images. Two: images, then the web or news result."""
    qrels = plain.qrels_of(*JUDGED)
    assert value("AS_RBP(ideal='exact')", plain.run_of(("i1", "image"), ("i2", "image")), qrels) == 1
    assert value("AS_RBP(ideal='exact')@1", plain.run_of(("i1", "image"), ("i2", "image"), ("w1", "web")), qrels) == 1
    assert value("AS_RBP(ideal='exact')", plain.run_of(("i1", "image"), ("i2", "image"), ("n1", "news")), qrels) == 1
    assert value("AS_RBP(ideal='exact')", plain.run_of(("i1", "image"), ("w1", "web")), qrels) < 1


def test_many_topics_at_once_and_one_by_one() -> None:
    rng = np.random.default_rng(4)
    pool, shown = [], []
    for query_id in "abcdef":
        orientation = {"web": 0.5, "image": 0.9, "video": round(float(rng.uniform(0.1, 1)), 2), "news": 0.55}
        for vertical in rng.permutation(list(orientation)):
            items = [f"{query_id} {vertical} {i}" for i in range(6)]
            relevant = [1, 1, *rng.integers(0, 2, 4).tolist()]
            pool += [(query_id, d, g, vertical, orientation[vertical]) for d, g in zip(items, relevant, strict=True)]
            shown += [(query_id, d, vertical) for d in rng.permutation(items)[: rng.integers(1, 5)]]
    qrels = pd.DataFrame(pool, columns=["query_id", "doc_id", "relevance", "vertical", "orientation"])
    run = pd.DataFrame(shown, columns=["query_id", "doc_id", "vertical"]).assign(score=-np.arange(float(len(shown))))
    text = (
        "AS_DCG AS_RBP AS_ERR AS_ATT AS_ERR(ideal='exact')@4 AS_ATT(personal=0.5,recall_of='oriented')@3 vRecall vPrecision vF "
        "AS_D_nDCG AS_Dsharp_nDCG AS_alpha_nDCG AS_IA_nDCG@5"
    )
    together = {(m.query_id, str(m.measure)): m.value for m in irmx.iter_calc(text, qrels, run)}
    alone = {}
    for query_id, of_topic in qrels.groupby("query_id"):
        found = irmx.iter_calc(text, of_topic, run[run["query_id"] == query_id])
        alone |= {(m.query_id, str(m.measure)): m.value for m in found}
    assert together == pytest.approx(alone, rel=1e-12)
    assert len(together) == 6 * 13


def test_through_ir_measures(plain: Any) -> None:
    """The columns survive ir_measures' own entry points."""
    qrels, run = plain.qrels_of(*JUDGED), plain.run_of(("i1", "image"), ("w1", "web"))
    measures = [AS_RBP @ 5, ir_measures.nDCG @ 5]
    assert ir_measures.calc_aggregate(measures, qrels, run)[AS_RBP @ 5] == value("AS_RBP@5", run, qrels)


@pytest.mark.parametrize(
    "text",
    ["AS_DCG", "AS_RBP(beta=0.85,alpha=7)@10", "AS_ERR(err_discount='rank')", "AS(examination=att(beta=0.3),normalise=None)",
     "AS_DCG(effort={'card':2.5,'text':1})", "AS_ATT(personal=0.23,recall_of='oriented')", "vF(beta=2.0)"],
)  # fmt: skip
def test_texts_parse_back(text: str) -> None:
    measure = irmx.parse_measure(text)
    assert str(measure) == text
    assert irmx.parse_measure(str(measure)) == measure


def test_the_default_effort_is_not_shown() -> None:
    assert str(AS_DCG(effort={"video": 6, "image": 1, "text": 3})) == "AS_DCG"


def test_a_model_of_ones_own(plain: Any) -> None:
    class TopThree(irmx.Symbol):
        NAME, KIND, SHORT_DESC = "top_three", "examination model", "the first three blocks"

        def probabilities(self, pages: Any, gain: Any) -> Any:
            return np.where(pages.position <= 3, 1.0, 0.0)

    run = plain.run_of(("w1", "web"), ("i1", "image"), ("n1", "news"), ("w2", "web"))
    measure = AS(examination=TopThree(), normalise=None)
    found = irmx.calc_aggregate(measure, plain.qrels_of(*JUDGED), run)[measure]
    assert found == pytest.approx((0.5 + 0.75 + 0.6) / 7)
    assert str(measure) == "AS(examination=top_three,normalise=None)"


def test_pages_made_by_hand() -> None:
    """Two pages, one with a web result and images, one with a video."""
    vertical = np.array(["web", "image", "video"], dtype=object)
    pages = Pages(np.array([0, 2, 3]), vertical, np.array([0.5, 0.75, 0.6]), np.array([1.0, 2.0, 0.0]), np.array([1, 3, 1]),
                  np.array([3.0, 3.0, 6.0]), np.array([False, True, True]))  # fmt: skip
    of_blocks = gain(pages)
    found = utility(pages, of_blocks, DCG().probabilities(pages, of_blocks))
    assert found == pytest.approx([(0.5 + 1.5 * 0.6309297536) / (3 + 3 * 0.6309297536), 0])
