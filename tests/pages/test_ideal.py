"""Ideal pages: the exact one against all pages there are and the greedy one, the paper's against its simulated page."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_pages import AS, ByPosition, att, dcg, err, rbp, score_pages, simulate_pages
from irmx_pages.example import example


class LateRiser(ByPosition):
    """Examines the second block most."""

    NAME, SHORT_DESC = "late_riser", "the second block most"

    def at(self, position: Any) -> Any:
        return np.where(position == 2, 1.0, 0.5 / position)


MODELS = [
    (dcg, "dcg", {}),
    (rbp, "rbp", {"beta": 0.8}),
    (rbp(beta=1.0), "rbp", {"beta": 1}),
    (err, "err", {}),
    (err(discount="rank"), "err", {"discount": "rank"}),
    (att, "att", {"beta": 0.5}),
    (att(beta=0.9), "att", {"beta": 0.9}),
    (att(beta=0.0), "att", {"beta": 0}),
    (att(beta=0.3, phi=0.2), "att", {"beta": 0.3, "phi": 0.2}),
    (LateRiser(), "late", {}),
]
POOLS = st.fixed_dictionaries(
    {"web": st.tuples(st.just(0.5), st.integers(0, 3), st.just(9))},
    optional={
        v: st.tuples(st.sampled_from([0.1, 0.5, 0.6, 0.75, 0.9, 1.0]), st.integers(0, 3), st.just(0))
        for v in ("image", "video", "news")
    },
)


def best_utility(plain: Any, pool: Any, model: Any, length: int, verticals: int, items: int, alpha: float) -> float:
    """The largest utility of a page of so many blocks: Util over nUtil of a page of web results, some relevant."""
    relevant = pool["web"][1]
    page = [plain.Block("web", 0.5, (int(i < relevant),)) for i in range(length)]
    run, qrels = plain.as_tables(page, {**pool, "web": (0.5, relevant, 9)})
    limits = f"alpha={alpha},ideal='exact',ideal_verticals={verticals},ideal_items={items}"
    util, normalised = (
        irmx.calc_aggregate(m, qrels, run)[m]
        for m in (
            AS(examination=model, alpha=alpha, normalise=None),
            irmx.parse_measure(f"AS(examination=dcg,{limits})")(examination=model),
        )
    )
    return util / normalised


@given(pool=POOLS, model=st.sampled_from(MODELS), length=st.integers(1, 3), verticals=st.integers(0, 2),
       items=st.integers(1, 2), alpha=st.sampled_from([2, 10, 100]))  # fmt: skip
def test_exact_is_the_best_of_all_pages(
    plain: Any, pool: Any, model: Any, length: int, verticals: int, items: int, alpha: float
) -> None:
    examination, name, params = model
    pool = {**pool, "web": (0.5, max(pool["web"][1], 1), 9)}
    best = max(plain.util(name, p, alpha, **params) for p in plain.every_page(pool, length, verticals, items))
    found = best_utility(plain, pool, examination, length, verticals, items, alpha)
    assert found == pytest.approx(best, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@given(pool=POOLS, model=st.sampled_from(MODELS), alpha=st.sampled_from([2, 10]))
def test_exact_is_the_best_of_all_longer_pages(plain: Any, pool: Any, model: Any, alpha: float) -> None:
    test_exact_is_the_best_of_all_pages.hypothesis.inner_test(plain, pool, model, 4, 3, 2, alpha)  # type: ignore[attr-defined]


def test_of_alike_verticals_the_best_suffice(plain: Any) -> None:
    pool = {"web": (0.5, 2, 0), **{f"v{i}": (0.5 + i / 20, 2, 0) for i in range(5)}}
    best = max(plain.util("err", p) for p in plain.every_page(pool, 3, 2, 2))
    assert best_utility(plain, pool, err, 3, 2, 2, 10) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(
    ("model", "says"), [(att, r"with \d+ visual ones leaves too many"), (err, "has too many pages")]
)
def test_too_large_for_the_exact_ideal(plain: Any, model: Any, says: str) -> None:
    pool = {"web": (0.5, 9, 0), **{f"image {i}": (0.5 + i / 100, 3 + i, 0) for i in range(30)}}
    pool |= {f"video {i}": (0.9 - i / 100, 3 + i, 0) for i in range(30)}
    pool |= {f"news {i}": (0.5 + i / 100, 30 - i, 0) for i in range(30)}
    with pytest.raises(irmx.UsageError, match=says):
        best_utility(plain, pool, model, 18 if model is err else 60, 30, 9, 10)


@pytest.mark.parametrize(("model", "name", "params"), [m for m in MODELS if m[1] != "late"][::2])
def test_exact_of_the_size_of_the_paper(plain: Any, model: Any, name: str, params: Any) -> None:
    """10 web results and 3 verticals with 3 items: a page no worse than the greedy one in any order of its blocks."""
    pool = {"web": (0.5, 6, 4), "image": (0.9, 3, 0), "video": (0.8, 2, 1), "news": (0.6, 3, 0)}
    greedy = plain.greedy(pool, fill=True)
    assert best_utility(plain, pool, model, len(greedy), 3, 3, 10) >= plain.util(name, greedy, **params)


# -- the paper's ideal page ------------------------------------------------------------------------------------------

PERFECT = {
    "web": (0.5, 2, 20), "image": (0.9, 4, 2), "video": (0.8, 0, 3), "news": (0.76, 1, 5), "blog": (0.78, 0, 0), "maps": (0.2, 3, 3),
}  # fmt: skip


def test_the_papers_ideal_page_by_hand(plain: Any) -> None:
    """Image, video and blog are selected, of which blog has nothing and video nothing relevant, and ten web results."""
    web = [plain.Block("web", 0.5, (1,))] * 2, [plain.Block("web", 0.5, (0,))] * 8
    page = [plain.Block("image", 0.9, (1, 1, 1)), *web[0], plain.Block("video", 0.8, (0, 0, 0)), *web[1]]
    assert plain.perfect(PERFECT) == page
    run, qrels = plain.as_tables(page, PERFECT)
    text = "AS_DCG AS_RBP AS_ERR AS_D_nDCG AS_alpha_nDCG AS_IA_nDCG"
    assert set(irmx.calc_aggregate(f"{text} AS_ATT", qrels, run).values()) == {1}
    other, _ = plain.as_tables([page[3], *page[:3], *page[4:]], PERFECT)
    assert max(irmx.calc_aggregate(text, qrels, other).values()) < 1


def test_an_oriented_vertical_without_items_leaves_its_place_empty_or_to_the_next(plain: Any) -> None:
    """Blog, third by orientation, has no items; with ideal_empty=False news, fourth, has its place."""
    news = plain.Block("news", 0.76, (1, 0, 0))
    page = [plain.Block("image", 0.9, (1, 1, 1)), news, *[plain.Block("web", 0.5, (1,))] * 2]
    page += [plain.Block("video", 0.8, (0, 0, 0)), *[plain.Block("web", 0.5, (0,))] * 8]
    assert plain.perfect(PERFECT, empty=False) == page
    run, qrels = plain.as_tables(page, PERFECT)
    assert irmx.calc_aggregate("AS_DCG(ideal_empty=False) AS_DCG", qrels, run).popitem()[1] != 1
    assert [*irmx.calc_aggregate("AS_DCG(ideal_empty=False) AS_D_nDCG(ideal_empty=False)", qrels, run).values()] == [
        1,
        1,
    ]


NAMES = ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT")
UTILITIES = [f"{name}({params})" for name in NAMES for params in ("", "alpha=3")]


def values_of_perfect_pages(qrels: pd.DataFrame, items: Any, rankings: Any, measures: Any, **limits: Any) -> pd.Series:
    """The measures of the simulated pages that are perfect in all three."""
    made = simulate_pages(qrels, items, rankings, **limits).pages
    perfect = [page for page in made if page.page_id == "perfect-perfect-perfect"]
    found = score_pages(perfect, qrels, measures)
    assert found["query_id"].nunique() == qrels["query_id"].nunique()
    return found["value"]


@pytest.mark.parametrize("seed", range(3))
def test_the_simulated_perfect_page_is_the_papers_ideal_page(seed: int) -> None:
    """Exactly: nUtil is 1 on every topic, also with media types from the judgments; and the exact ideal is no worse."""
    made = example(15, seed)
    given = (made.items, made.verticals)
    measures = [*UTILITIES, "AS_D_nDCG", "AS_alpha_nDCG", "AS_IA_nDCG"]
    assert (values_of_perfect_pages(made.qrels, *given, measures) == 1).all()
    exact = [f"{name}(ideal='exact')" for name in NAMES]
    assert (values_of_perfect_pages(made.qrels, *given, exact) <= 1 + 1e-12).all()
    media = made.qrels["vertical"].map({"image": "video", "news": "image"}).fillna("text")
    assert (values_of_perfect_pages(made.qrels.assign(media=media), *given, UTILITIES) == 1).all()
    limits = "ideal_threshold=0.3,ideal_verticals=2,ideal_items=6,ideal_web=4"
    text = f"AS_DCG({limits},effort={{'image':0.1,'text':0.7,'video':14.1}})"
    of_pages = {"threshold": 0.3, "verticals": 2, "block_items": 6, "web_items": 4}
    assert (values_of_perfect_pages(made.qrels, *given, text, **of_pages) == 1).all()


@given(pool=st.fixed_dictionaries(
    {"web": st.tuples(st.just(0.5), st.integers(1, 12), st.integers(0, 12))},
    optional={v: st.tuples(st.sampled_from([0.1, 0.75, 0.8, 0.9, 1.0]), st.integers(0, 4), st.integers(0, 4))
              for v in ("image", "video", "news", "blog", "maps")}))  # fmt: skip
def test_the_simulated_perfect_page_of_any_pool(plain: Any, pool: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)  # a vertical without any item
        assert (values_of_perfect_pages(plain.as_tables([], pool)[1], {}, {}, UTILITIES) == 1).all()
