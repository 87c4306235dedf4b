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
from irmx_pages import AS, score_pages, simulate_pages
from irmx_pages.examination.examination_models import ATT, DCG, ERR, RBP, ByPosition, Examination
from irmx_pages.example import example
from irmx_pages.ideal.candidates import Candidates, best_page, candidates_of
from irmx_pages.ideal.ideal_blocks import Limits
from irmx_pages.page.efforts import DEFAULT
from irmx_pages.page.judged_verticals import judged_verticals


class LateRiser(ByPosition):
    """Examines the second block most."""

    NAME, SHORT_DESC = "late_riser", "the second block most"

    def at(self, position: Any) -> Any:
        return np.where(position == 2, 1.0, 0.5 / position)


MODELS = [
    (DCG(), "dcg", {}),
    (RBP(), "rbp", {"beta": 0.8}),
    (RBP(beta=1), "rbp", {"beta": 1}),
    (ERR(), "err", {}),
    (ERR(discount="rank"), "err", {"discount": "rank"}),
    (ATT(), "att", {"beta": 0.5}),
    (ATT(beta=0.9), "att", {"beta": 0.9}),
    (ATT(beta=0), "att", {"beta": 0}),
    (ATT(beta=0.3, phi=0.2), "att", {"beta": 0.3, "phi": 0.2}),
]
POOLS = st.fixed_dictionaries(
    {"web": st.tuples(st.just(0.5), st.integers(0, 3), st.just(0))},
    optional={
        v: st.tuples(st.sampled_from([0.1, 0.5, 0.6, 0.75, 0.9, 1.0]), st.integers(0, 3), st.just(0))
        for v in ("image", "video", "news")
    },
)


def candidates(plain: Any, pool: Any, verticals: int, items: int, alpha: float = 10) -> Candidates:
    _, qrels = plain.as_tables([], pool)
    rankings = irmx.rankings(qrels, plain.run_of(("w", "web")))
    limits = Limits(verticals=verticals, items=items)
    return candidates_of(judged_verticals(rankings), 0, limits, DEFAULT, alpha, "steep")


@given(pool=POOLS, model=st.sampled_from(MODELS), length=st.integers(1, 3), verticals=st.integers(0, 2),
       items=st.integers(1, 2), alpha=st.sampled_from([2, 10, 100]))  # fmt: skip
def test_exact_is_the_best_of_all_pages(
    plain: Any, pool: Any, model: Any, length: int, verticals: int, items: int, alpha: float
) -> None:
    examination, name, params = model
    found, page = best_page(candidates(plain, pool, verticals, items, alpha), examination, length)
    best = max(plain.util(name, p, alpha, **params) for p in plain.every_page(pool, length, verticals, items))
    assert found == pytest.approx(best, rel=1e-12, abs=1e-12)
    assert page.blocks.tolist() == [length]


@pytest.mark.slow
@given(pool=POOLS, model=st.sampled_from(MODELS), alpha=st.sampled_from([2, 10]))
def test_exact_is_the_best_of_all_longer_pages(plain: Any, pool: Any, model: Any, alpha: float) -> None:
    examination, name, params = model
    found, _ = best_page(candidates(plain, pool, 3, 2, alpha), examination, 4)
    best = max(plain.util(name, p, alpha, **params) for p in plain.every_page(pool, 4, 3, 2))
    assert found == pytest.approx(best, rel=1e-12, abs=1e-12)


@given(pool=POOLS, length=st.integers(1, 3))
def test_exact_by_any_positions(plain: Any, pool: Any, length: int) -> None:
    model = LateRiser()
    found, _ = best_page(candidates(plain, pool, 2, 2), model, length)
    weight = model.at(np.arange(1, length + 1)).tolist()

    def util(page: Any) -> float:
        gained = sum(w * plain.gain(b, 10) for w, b in zip(weight, page, strict=True))
        return gained / sum(w * plain.effort(b, plain.EFFORT) for w, b in zip(weight, page, strict=True))

    assert found == pytest.approx(max(map(util, plain.every_page(pool, length, 2, 2))), rel=1e-12, abs=1e-12)


POOL = {"web": (0.5, 1, 0), "image": (0.75, 3, 1), "video": (0.6, 3, 2)}


@pytest.mark.parametrize("name", ["AS_DCG", "AS_RBP", "AS_ERR", "AS_ERR(err_discount='rank')"])
def test_the_greedy_ideal_is_not_the_best(plain: Any, name: str) -> None:
    """Image, web, video scores higher than image, video, web, and is not clamped; under the exact ideal nothing is above 1."""
    page = [plain.Block("image", 0.75, (1, 1, 1)), plain.Block("web", 0.5, (1,)), plain.Block("video", 0.6, (1, 1, 1))]
    run, qrels = plain.as_tables(page, POOL)
    greedy = irmx.parse_measure(name)(ideal="greedy")
    exact = greedy(ideal="exact")
    found = irmx.calc_aggregate([greedy, exact], qrels, run)
    assert found[greedy] > 1
    assert found[exact] <= 1


def test_number_above_1(plain: Any) -> None:
    page = [plain.Block("image", 0.75, (1, 1, 1)), plain.Block("web", 0.5, (1,)), plain.Block("video", 0.6, (1, 1, 1))]
    run, qrels = plain.as_tables(page, POOL)
    found = irmx.calc_aggregate("AS_DCG(ideal='greedy') AS_DCG(normalise=None)", qrels, run)
    assert [round(v, 6) for v in found.values()] == [1.08793, 0.249443]


def test_the_exact_ideal_is_a_page_that_scores_1(plain: Any) -> None:
    for examination, _, _ in MODELS:
        value, page = best_page(candidates(plain, POOL, 3, 3), examination, 4)
        blocks = [
            plain.Block(v, o, (1,) * int(r) + (0,) * int(n - r))
            for v, o, r, n in zip(page.vertical, page.orientation, page.relevant, page.items, strict=True)
        ]
        run, qrels = plain.as_tables(blocks, {v: (o, r, 9) for v, (o, r, _) in POOL.items()})
        measure = AS(examination=examination, ideal="exact")
        assert irmx.calc_aggregate(measure, qrels, run)[measure] == pytest.approx(1, rel=1e-12)
        assert value > 0


PERFECT = {
    "web": (0.5, 2, 20), "image": (0.9, 4, 2), "video": (0.8, 0, 3), "news": (0.76, 1, 5), "blog": (0.78, 0, 0), "maps": (0.2, 3, 3),
}  # fmt: skip


def test_the_papers_ideal_page_by_hand(plain: Any) -> None:
    """Image, video and blog are selected, of which blog has nothing and video nothing relevant, and ten web results."""
    web = [plain.Block("web", 0.5, (1,))] * 2, [plain.Block("web", 0.5, (0,))] * 8
    page = [plain.Block("image", 0.9, (1, 1, 1)), *web[0], plain.Block("video", 0.8, (0, 0, 0)), *web[1]]
    assert plain.perfect(PERFECT) == page
    run, qrels = plain.as_tables(page, PERFECT)
    text = "AS_DCG AS_RBP AS_ERR AS_ATT AS_D_nDCG AS_alpha_nDCG AS_IA_nDCG"
    assert set(irmx.calc_aggregate(text, qrels, run).values()) == {1}
    other, _ = plain.as_tables([page[3], *page[:3], *page[4:]], PERFECT)
    assert (
        max(irmx.calc_aggregate("AS_DCG AS_RBP AS_ERR AS_D_nDCG AS_alpha_nDCG AS_IA_nDCG", qrels, other).values()) < 1
    )


DIVERSITY = ["AS_D_nDCG", "AS_alpha_nDCG", "AS_IA_nDCG"]
UTILITIES = [f"{name}({params})" for name in ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT") for params in ("", "alpha=3")]


def values_of_perfect_pages(
    qrels: pd.DataFrame, items: Any, rankings: Any, measures: list[str], **limits: Any
) -> pd.DataFrame:
    """The measures of the simulated pages that are perfect in all three."""
    made = simulate_pages(qrels, items, rankings, **limits).pages
    perfect = [page for page in made if page.page_id == "perfect-perfect-perfect"]
    return score_pages(perfect, qrels, measures)


@pytest.mark.parametrize("seed", range(3))
def test_the_simulated_perfect_page_is_the_papers_ideal_page(seed: int) -> None:
    """Exactly: nUtil is 1 on every topic of the demo collection; and the exact ideal is no worse."""
    made = example(30, seed)
    found = values_of_perfect_pages(made.qrels, made.items, made.verticals, [*UTILITIES, *DIVERSITY])
    assert found["query_id"].nunique() == 30
    assert (found["value"] == 1).all()
    exact = [f"{name}(ideal='exact')" for name in ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT")]
    assert (values_of_perfect_pages(made.qrels, made.items, made.verticals, exact)["value"] <= 1 + 1e-12).all()


@given(pool=st.fixed_dictionaries(
    {"web": st.tuples(st.just(0.5), st.integers(1, 12), st.integers(0, 12))},
    optional={v: st.tuples(st.sampled_from([0.1, 0.75, 0.8, 0.9, 1.0]), st.integers(0, 4), st.integers(0, 4))
              for v in ("image", "video", "news", "blog", "maps")}))  # fmt: skip
def test_the_simulated_perfect_page_of_any_pool(plain: Any, pool: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)  # a vertical without any item
        found = values_of_perfect_pages(plain.as_tables([], pool)[1], {}, {}, UTILITIES)
    assert (found["value"] == 1).all()


def test_the_simulated_perfect_page_with_other_limits_and_efforts() -> None:
    made = example(12)
    limits = "ideal_threshold=0.3,ideal_verticals=2,ideal_items=6,ideal_web=4"
    text = f"AS_DCG({limits},effort={{'image':0.1,'text':0.7,'video':14.1}})"
    limits_of_pages = {"threshold": 0.3, "verticals": 2, "block_items": 6, "web_items": 4}
    found = values_of_perfect_pages(made.qrels, made.items, made.verticals, [text], **limits_of_pages)
    assert (found["value"] == 1).all()


def test_the_perfect_page_takes_media_types_from_the_judgments() -> None:
    made = example(5)
    qrels = made.qrels.assign(media=made.qrels["vertical"].map({"image": "video", "news": "image"}).fillna("text"))
    found = values_of_perfect_pages(qrels, made.items, made.verticals, UTILITIES)
    assert (found["value"] == 1).all()


def test_dominated_verticals_do_not_matter(plain: Any) -> None:
    """Of five alike text verticals the three best suffice."""
    pool = {"web": (0.5, 2, 0), **{f"v{i}": (0.5 + i / 20, 2, 0) for i in range(5)}}
    made = candidates(plain, pool, 2, 2)
    assert [made.names[i] for i in made.undominated] == ["v3", "v4"]
    assert best_page(made, ERR(), 3)[0] == pytest.approx(
        max(plain.util("err", p) for p in plain.every_page(pool, 3, 2, 2)), rel=1e-12
    )


def test_a_model_without_a_best_page(plain: Any) -> None:
    class Odd(Examination):
        NAME, SHORT_DESC = "odd", "every other block"

        def probabilities(self, pages: Any, gain: Any) -> Any:
            return np.where(pages.position % 2 == 1, 1.0, 0.0)

    run, qrels = plain.as_tables([plain.Block("web", 0.5, (1,))], POOL)
    measure = AS(examination=Odd(), ideal="greedy")
    assert irmx.calc_aggregate(measure, qrels, run)[measure] == pytest.approx((1 / 6) / (2.75 / 6))
    with pytest.raises(irmx.UsageError, match="The examination model odd cannot find the best page"):
        irmx.calc_aggregate(measure(ideal="exact"), qrels, run)


@pytest.mark.parametrize(
    ("model", "says"), [(ATT(), r"with \d+ visual ones leaves too many"), (ERR(), "has too many pages")]
)
def test_too_large_for_the_exact_ideal(plain: Any, model: Any, says: str) -> None:
    pool = {"web": (0.5, 9, 0), **{f"image {i}": (0.5 + i / 100, 3 + i, 0) for i in range(30)}}
    pool |= {f"video {i}": (0.9 - i / 100, 3 + i, 0) for i in range(30)}
    pool |= {f"news {i}": (0.5 + i / 100, 30 - i, 0) for i in range(30)}
    with pytest.raises(irmx.UsageError, match=says):
        best_page(candidates(plain, pool, 30, 9), model, 60)


@pytest.mark.parametrize("model", [DCG(), RBP(), ERR(), ERR(discount="rank"), ATT()])
def test_exact_of_the_size_of_the_paper(plain: Any, model: Any) -> None:
    """10 web results and 3 verticals with 3 items: a page no worse than the greedy one in any order of its blocks."""
    pool = {"web": (0.5, 6, 4), "image": (0.9, 3, 0), "video": (0.8, 2, 1), "news": (0.6, 3, 0)}
    found, page = best_page(candidates(plain, pool, 3, 3), model, 13)
    names = {DCG: "dcg", RBP: "rbp", ERR: "err", ATT: "att"}
    greedy = plain.greedy(pool, fill=True)
    assert len(greedy) == 13
    assert found >= plain.util(
        names[type(model)],
        greedy,
        **model.params,
        **({"beta": model["beta"]} if "beta" in model.SUPPORTED_PARAMS else {}),
    )
    assert page.blocks.tolist() == [13]
