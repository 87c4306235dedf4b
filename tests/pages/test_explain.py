"""What a score is made of, block by block."""

from __future__ import annotations

from typing import Any

import pytest

import irmx

POOL = {"web": (0.5, 1, 0), "image": (0.75, 3, 1), "video": (0.6, 3, 2), "news": (0.2, 0, 1)}


@pytest.fixture
def example(plain: Any) -> Any:
    page = [plain.Block("web", 0.5, (1,)), plain.Block("image", 0.75, (1, 1, 0)), plain.Block("video", 0.6, (0, 1, 0))]
    return plain.as_tables(page, POOL)


def test_blocks(example: Any) -> None:
    run, qrels = example
    table = irmx.explain("AS_DCG(normalise=None)", qrels, run, "q").to_frame()
    assert table["vertical"].tolist() == ["web", "image", "video"]
    assert table["doc_id"].tolist() == ["web-1-0", "image-1-2 image-1-1 image-0-0", "video-0-1 video-1-2 video-0-0"]
    assert table[["block", "items", "relevant"]].to_numpy().tolist() == [[1, 1, 1], [2, 3, 2], [3, 3, 1]]
    assert table["orientation"].tolist() == [0.5, 0.75, 0.6]
    assert table["gain"].tolist() == pytest.approx([0.5, 1.5, 0.6])
    assert table["effort"].tolist() == [3, 3, 18]
    assert table["examination"].tolist() == pytest.approx([1, 0.63092975, 0.5])
    expected = [0.5, 1.5 * 0.63092975, 0.3]
    assert table["share"].tolist() == pytest.approx([e / sum(expected) for e in expected])


@pytest.mark.parametrize(
    "text",
    [
        *("AS_DCG", "AS_RBP(beta=0.3)", "AS_ERR(ideal='exact')", "AS_ATT(normalise=None)", "AS(examination=rbp)"),
        *("vRecall", "vRecall(recall_of='oriented')", "vRecall(recall_of='oriented',threshold=0.9)", "vRecall@2"),
        *("AS_D_nDCG", "AS_D_nDCG@2", "AS_Dsharp_nDCG", "AS_Dsharp_nDCG(gamma=0.8)@1"),
        *("AS_DCG(personal=0.4)", "AS_DCG(personal=0.4,recall_of='oriented')@2", "AS_ERR@1", "AS_ERR(personal=1)@1"),
    ],
)
def test_contributions_add_up(example: Any, text: str) -> None:
    run, qrels = example
    found = irmx.explain(text, qrels, run, "q")
    assert sum(found.columns["contribution"]) == pytest.approx(found.value, rel=1e-12)
    assert found.value == pytest.approx(next(irmx.iter_calc(text, qrels, run)).value, rel=1e-12)


def test_blocks_of_vertical_recall(example: Any) -> None:
    run, qrels = example
    table = irmx.explain("vRecall", qrels, run, "q").to_frame()
    assert table["vertical"].tolist() == ["web", "image", "video"]
    assert table["doc_id"].tolist() == ["web-1-0", "image-1-2 image-1-1 image-0-0", "video-0-1 video-1-2 video-0-0"]
    assert table["contribution"].tolist() == pytest.approx([0, 1 / 3, 1 / 3])  # news is not shown
    table = irmx.explain("vRecall(recall_of='oriented',threshold=0.7)", qrels, run, "q").to_frame()
    assert table["contribution"].tolist() == [0, 1, 0]


def test_blocks_of_d_ndcg(example: Any) -> None:
    """On the worked example: gains of orientation times relevant items, discounted by block, over the ideal page."""
    run, qrels = example
    found = irmx.explain("AS_D_nDCG", qrels, run, "q")
    table = found.to_frame()
    assert table["gain"].tolist() == pytest.approx([0.5, 1.5, 0.6])
    assert table["discount"].tolist() == pytest.approx([1, 0.63092975, 0.5])
    added = table["gain"] * table["discount"]
    assert table["contribution"].tolist() == pytest.approx((added / added.sum() * found.value).tolist())


def test_the_web_is_a_vertical_of_i_rec(example: Any) -> None:
    run, qrels = example
    table = irmx.explain("AS_Dsharp_nDCG(gamma=1)", qrels, run, "q").to_frame()
    assert table["contribution"].tolist() == pytest.approx([1 / 3] * 3)


def test_a_page_without_what_is_counted(plain: Any) -> None:
    run, qrels = plain.as_tables([plain.Block("web", 0.5, (0,)), plain.Block("web", 0.5, (0,))], POOL)
    for text in ("vRecall", "AS_D_nDCG", "AS_Dsharp_nDCG"):
        found = irmx.explain(text, qrels, run, "q")
        assert (found.value, found.columns["contribution"]) == (0, [0, 0])


def test_split_vertical_counts_once_for_recall(plain: Any) -> None:
    page = [plain.Block("image", 0.75, (1,)), plain.Block("web", 0.5, (1,)), plain.Block("image", 0.75, (1,))]
    run, qrels = plain.as_tables(page, POOL)
    found = irmx.explain("AS_DCG(personal=1,split_blocks=True)", qrels, run, "q")
    assert found.columns["contribution"] == pytest.approx([1 / 3, 0, 0])
    found = irmx.explain("vRecall(split_blocks=True)", qrels, run, "q")
    assert found.columns["contribution"] == pytest.approx([1 / 3, 0, 0])


def test_a_topic_without_verticals(plain: Any) -> None:
    """Nothing to recall counts 1, of which all blocks have their part."""
    run, qrels = plain.as_tables([plain.Block("web", 0.5, (1,)), plain.Block("web", 0.5, (0,))], {"web": (0.5, 1, 1)})
    found = irmx.explain("AS_DCG(personal=1)", qrels, run, "q")
    assert (found.value, found.columns["contribution"]) == (1, [0.5, 0.5])


def test_a_page_without_gain(plain: Any) -> None:
    run, qrels = plain.as_tables([plain.Block("web", 0.5, (0,))], POOL)
    found = irmx.explain("AS_DCG", qrels, run, "q")
    assert (found.value, found.columns["share"], found.columns["contribution"]) == (0, [0], [0])
