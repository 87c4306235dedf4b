"""Every measure against the definitions in plain Python, over made-up pages and pools."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import irmx

ORIENTATIONS = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0])
POOLS = st.fixed_dictionaries(
    {"web": st.tuples(st.just(0.5), st.integers(0, 5), st.integers(0, 3))},
    optional={
        v: st.tuples(ORIENTATIONS, st.integers(0, 4), st.integers(0, 3)) for v in ("image", "video", "news", "blog")
    },
)
MODELS = [
    ("AS_DCG", "dcg", {}),
    ("AS_RBP", "rbp", {"beta": 0.8}),
    ("AS_RBP(beta=0)", "rbp", {"beta": 0}),
    ("AS_ERR", "err", {}),
    ("AS_ERR(err_discount='rank')", "err", {"discount": "rank"}),
    ("AS_ATT", "att", {"beta": 0.5}),
    ("AS_ATT(beta=0.9)", "att", {"beta": 0.9}),
    ("AS_ATT(beta=0.3,phi=0.2)", "att", {"beta": 0.3, "phi": 0.2}),
]


@st.composite
def pages(draw: Any) -> tuple[list[tuple[str, float, tuple[int, ...]]], dict[str, tuple[float, int, int]]]:
    """A page as (vertical, orientation, items), and the pool that its items are from."""
    pool = draw(POOLS)
    left = pool["web"][1]
    blocks = []
    for v in draw(st.permutations(["web"] * draw(st.integers(0, 6)) + [v for v in pool if v != "web"])):
        if v == "web":
            item = draw(st.integers(0, 1)) if left else 0
            left -= item
            blocks.append((v, 0.5, (item,)))
        elif draw(st.booleans()):
            relevant = draw(st.integers(0, pool[v][1]))
            other = draw(st.integers(0 if relevant else 1, 3))
            blocks.append((v, pool[v][0], tuple(draw(st.permutations([1] * relevant + [0] * other)))))
    assume(blocks)
    return blocks, pool


def value(text: str, run: Any, qrels: Any) -> float:
    measure = irmx.parse_measure(text)
    return irmx.calc_aggregate(measure, qrels, run)[measure]


def with_params(text: str, params: str) -> str:
    return f"{text[:-1]},{params})" if text.endswith(")") else f"{text}({params})"


@given(made=pages(), model=st.sampled_from(MODELS), alpha=st.sampled_from([1.5, 7, 10, 100]), g=st.sampled_from(["steep", "literal"]),
       scale=st.sampled_from([1, 2.5]))  # fmt: skip
def test_utility(plain: Any, made: Any, model: Any, alpha: float, g: str, scale: float) -> None:
    name, exam, params = model
    page = [plain.Block(*b) for b in made[0]]
    run, qrels = plain.as_tables(page, made[1])
    table = {media: scale * e for media, e in plain.EFFORT.items()}
    found = value(with_params(name, f"alpha={alpha},g='{g}',effort={table},normalise=None"), run, qrels)
    assert found == pytest.approx(plain.util(exam, page, alpha, g, table, **params), rel=1e-12, abs=1e-12)


@given(made=pages(), ideal=st.sampled_from(["paper", "greedy"]), model=st.sampled_from(MODELS), fill=st.sampled_from([None, True, False]),
       threshold=st.sampled_from([None, 0, 0.5, 0.75]), web=st.integers(0, 4), verticals=st.integers(0, 3), items=st.integers(1, 4),
       personal=st.sampled_from([0, 0.23, 1]))  # fmt: skip
def test_ideal_pages(
    plain: Any,
    made: Any,
    ideal: str,
    model: Any,
    fill: bool | None,
    threshold: float | None,
    web: int,
    verticals: int,
    items: int,
    personal: float,
) -> None:
    name, exam, params = model
    page, pool = [plain.Block(*b) for b in made[0]], made[1]
    given = {k: v for k, v in {"threshold": threshold, "fill": fill}.items() if v is not None}
    perfect = {"paper": plain.perfect, "greedy": plain.greedy}[ideal](pool, web, verticals, items, **given)
    best = plain.util(exam, perfect, **params) if perfect else 0
    some = any(relevant for _, relevant, _ in pool.values())
    text = with_params(
        name,
        f"ideal='{ideal}',ideal_web={web},ideal_verticals={verticals},ideal_items={items},ideal_threshold={threshold},ideal_fill={fill},personal={personal}",
    )
    run, qrels = plain.as_tables(page, pool)
    if best == 0 and some:
        with pytest.raises(irmx.DataError, match="the ideal page of query q has utility 0"):
            value(text, run, qrels)
        return
    n_util = plain.util(exam, page, **params) / best if some else 0
    shown, every = {b.vertical for b in page} - {"web"}, set(pool) - {"web"}
    recall = len(shown) / len(every) if every else 1
    assert value(text, run, qrels) == pytest.approx((1 - personal) * n_util + personal * recall, rel=1e-12, abs=1e-12)


@given(made=pages(), name=st.sampled_from(["AS_D_nDCG", "AS_Dsharp_nDCG", "AS_alpha_nDCG", "AS_IA_nDCG"]),
       ideal=st.sampled_from(["paper", "greedy"]), other=st.booleans(), share=st.sampled_from([0, 0.1, 0.5, 0.9, 1]))  # fmt: skip
def test_diversity(plain: Any, made: Any, name: str, ideal: str, other: bool, share: float) -> None:
    """``share`` is alpha of alpha-nDCG and gamma of D#-nDCG."""
    page, pool = [plain.Block(*b) for b in made[0]], made[1]
    perfect = {"paper": plain.perfect, "greedy": plain.greedy}[ideal](pool)
    assume(any(sum(b.items) * b.orientation for b in perfect))
    run, qrels = plain.as_tables(page, pool)
    options = {"AS_alpha_nDCG": ("weights", "orientation"), "AS_IA_nDCG": ("normalise", "vertical")} if other else {}
    param, option = options.get(name, ("", ""))
    shares = {"AS_alpha_nDCG": f",alpha={share}", "AS_Dsharp_nDCG": f",gamma={share}"}
    text = with_params(name, f"ideal='{ideal}'{shares.get(name, '')}" + (f",{param}='{option}'" if param else ""))
    expected = plain.diversity(name, page, perfect, pool, share, option)
    assert value(text, run, qrels) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(made=pages(), model=st.sampled_from(MODELS), cutoff=st.integers(1, 4))
def test_cutoff_in_blocks(plain: Any, made: Any, model: Any, cutoff: int) -> None:
    name, exam, params = model
    page = [plain.Block(*b) for b in made[0]]
    run, qrels = plain.as_tables(page, made[1])
    found = value(with_params(name, f"normalise=None,cutoff={cutoff}"), run, qrels)
    assert found == pytest.approx(plain.util(exam, page[:cutoff], **params), rel=1e-12, abs=1e-12)


@given(made=pages(), oriented=st.booleans())
def test_verticals(plain: Any, made: Any, oriented: bool) -> None:
    page, pool = [plain.Block(*b) for b in made[0]], made[1]
    run, qrels = plain.as_tables(page, pool)
    right = {v for v, (o, _, _) in pool.items() if v != "web" and o > 0.5}
    shown = {b.vertical for b in page} - {"web"}
    recall = len(shown & right) / len(right) if right else 1
    precision = len(shown & right) / len(shown) if shown else float(not right)
    f = 2 * precision * recall / (precision + recall) if precision + recall else 0
    found = [value(m, run, qrels) for m in ("vRecall(recall_of='oriented')", "vPrecision", "vF")]
    assert found == pytest.approx([recall, precision, f], abs=1e-12)
