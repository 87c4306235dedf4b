"""Values of pages worked out by hand, to six places, and by the definitions in plain Python over made-up pages and pools."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import irmx
from irmx_pages import orientation_gain

VERTICALS = {"web": (0.5, 1, 0), "image": (0.75, 3, 1), "video": (0.6, 3, 2)}
OTHERS = {f"other {i}": (0.1, 0, 0) for i in range(10)}
WEB, IMAGE, VIDEO = ("web", 0.5, (1,)), ("image", 0.75, (1, 1, 0)), ("video", 0.6, (0, 1, 0))
IMAGES, VIDEOS = ("image", 0.75, (1, 1, 1)), ("video", 0.6, (1, 1, 1))

EXAMPLES: dict[str, tuple[list[Any], dict[str, Any], dict[str, float]]] = {
    "twelve verticals": ([WEB, IMAGE, VIDEO], {**VERTICALS, **OTHERS}, {
        "AS_DCG(normalise=None)": 0.125705,
        "AS_RBP(normalise=None)": 0.123168,
        "AS_ERR(normalise=None)": 0.155556,
        "AS_ERR(normalise=None,err_discount='rank')": 0.176190,
        "AS_ATT(normalise=None)": 0.108333,
        "AS_ATT(normalise=None,phi=1)": (0.5 + 1.5 + 0.6) / 24,
        "AS_ATT(normalise=None,phi=0.2)": (0.6 * 0.5 + 1.5 + 0.6) / (0.6 * 3 + 3 + 18),
        "AS(examination=att(phi=0.2),normalise=None)": (0.6 * 0.5 + 1.5 + 0.6) / (0.6 * 3 + 3 + 18),
        "AS_RBP(normalise=None,beta=0.85,alpha=7)": 0.122997,
        "AS_RBP(normalise=None,beta=0.85,alpha=7,g='literal')": 0.115388,
        "AS_DCG(normalise=None,effort={'image':1,'text':1,'video':1})": 0.397559,
        "AS_DCG(normalise=None,effort={'image':3,'text':9,'video':18})": 0.125705 / 3,
        "AS(examination=dcg,normalise=None)": 0.125705,
        "AS(examination=att(beta=0.3),normalise=None)": 0.108333,
        "AS_DCG(ideal='greedy')": 0.548254,
        "AS_DCG(ideal='greedy',effort={'image':3,'text':9,'video':18})": 0.548254,
        "AS_RBP(ideal='greedy')": 0.593417,
        "AS_DCG(ideal='greedy',personal=0.23)": 0.460489,
        "AS_RBP(ideal='greedy',personal=0.23)": 0.495265,
        "AS_DCG": 0.1257051 * 6,  # neither vertical is above 0.75: the ideal page is the web result
        "AS_DCG(personal=0)": 0.1257051 * 6,
        "AS_DCG(ideal_threshold=0.74)": 0.1257051 / 0.5243350,  # and here three images and the web result
        "AS_DCG(ideal='greedy',personal=0.23,all_verticals=4)": 0.77 * 0.5482539 + 0.23 / 2,
        "vRecall": 2 / 12,
        "vRecall(all_verticals=7)": 2 / 7,
        "vRecall(recall_of='oriented')": 1.0,
        "vRecall(recall_of='oriented',threshold=0.7)": 1.0,
        "vPrecision(threshold=0.7)": 0.5,
        "AS_D_nDCG(ideal='greedy')": 0.480350,
        "AS_alpha_nDCG(ideal='greedy')": 0.729369,
        "AS_alpha_nDCG(ideal='greedy',weights='orientation')": 0.678567,
        "AS_IA_nDCG(ideal='greedy')": 0.796736,
        "AS_IA_nDCG(normalise='vertical')": 0.494846,
        "AS_Dsharp_nDCG(ideal='greedy')": (1 + 0.4803497) / 2,
    }),
    "a fourth block": ([WEB, IMAGE, VIDEO, WEB], {**VERTICALS, "web": (0.5, 2, 0)}, {
        "AS_DCG(normalise=None)": 0.129190,
        "AS_ATT(normalise=None)": 0.113121,
        "AS_ATT(normalise=None,beta=0.3)": 0.112412,
        "AS_ATT(normalise=None,beta=0)": 0.111313,
    }),
    "the greedy ideal": ([IMAGES, VIDEOS, WEB], VERTICALS, {
        "AS_DCG(normalise=None)": 0.229283,
        "AS_RBP(normalise=None)": 0.207557,
        **dict.fromkeys((f"{name}(ideal='greedy')" for name in (
            "AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT", "AS_D_nDCG", "AS_alpha_nDCG", "AS_IA_nDCG", "AS_Dsharp_nDCG"
        )), 1.0),
    }),
    "better than the greedy ideal": ([IMAGES, WEB, VIDEOS], VERTICALS, {
        "AS_DCG(normalise=None)": 0.249443,
        "AS_DCG(ideal='greedy')": 1.08793,
    }),
}  # fmt: skip
"""Pages as blocks (vertical, orientation, items), their pools {vertical: (orientation, relevant, others)}, and values."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_numbers(plain: Any, name: str) -> None:
    page, pool, values = EXAMPLES[name]
    run, qrels = plain.as_tables([plain.Block(*b) for b in page], pool)
    found = {str(m): v for m, v in irmx.calc_aggregate(" ".join(values), qrels, run).items()}
    assert found == {str(irmx.parse_measure(m)): pytest.approx(v, abs=6e-7) for m, v in values.items()}


# -- what a score is made of -----------------------------------------------------------------------------------------

SMALL = {"web": (0.5, 1, 0), "image": (0.75, 3, 1), "video": (0.6, 3, 2), "news": (0.2, 0, 1)}
DISCOUNT = [1, 0.63092975, 0.5]
GAIN = [0.5, 1.5, 0.6]
SHARE = [g * d / sum(a * b for a, b in zip(GAIN, DISCOUNT, strict=True)) for g, d in zip(GAIN, DISCOUNT, strict=True)]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("AS_DCG(normalise=None)", {
            "vertical": ["web", "image", "video"], "block": [1, 2, 3], "items": [1, 3, 3], "relevant": [1, 2, 1],
            "doc_id": ["web-1-0", "image-1-2 image-1-1 image-0-0", "video-0-1 video-1-2 video-0-0"],
            "orientation": [0.5, 0.75, 0.6], "gain": GAIN, "effort": [3, 3, 18], "examination": DISCOUNT, "share": SHARE,
        }),
        ("vRecall", {"contribution": [0, 1 / 3, 1 / 3]}),  # news is not shown
        ("vRecall(recall_of='oriented',threshold=0.7)", {"contribution": [0, 1, 0]}),
        ("AS_D_nDCG", {"gain": GAIN, "discount": DISCOUNT}),
        ("AS_Dsharp_nDCG(gamma=1)", {"contribution": [1 / 3] * 3}),  # the web is a vertical of I-rec
        *((text, {}) for text in (
            "AS_RBP(beta=0.3)", "AS_ERR(ideal='exact')", "AS_ATT(normalise=None)", "AS(examination=rbp)", "vRecall@2",
            "AS_D_nDCG@2", "AS_Dsharp_nDCG", "AS_Dsharp_nDCG(gamma=0.8)@1", "AS_DCG(personal=0.4)", "AS_ERR@1",
            "AS_DCG(personal=0.4,recall_of='oriented')@2", "AS_ERR(personal=1)@1",
        )),
    ],
)  # fmt: skip
def test_contributions_add_up(plain: Any, text: str, columns: dict[str, Any]) -> None:
    run, qrels = plain.as_tables([plain.Block(*b) for b in (WEB, IMAGE, VIDEO)], SMALL)
    found = irmx.explain(text, qrels, run, "q")
    assert sum(found.columns["contribution"]) == pytest.approx(found.value, rel=1e-12)
    assert found.value == pytest.approx(next(irmx.iter_calc(text, qrels, run)).value, rel=1e-12)
    for name, values in columns.items():
        texts = isinstance(values[0], str)
        assert list(found.columns[name]) == (values if texts else pytest.approx(values))


SPLIT = [("image", 0.75, (1,)), WEB, ("image", 0.75, (1,))]
NOTHING = [("web", 0.5, (0,))] * 2


@pytest.mark.parametrize(
    ("page", "pool", "text", "value", "contribution"),
    [
        *((NOTHING, SMALL, text, 0, [0, 0]) for text in ("vRecall", "AS_D_nDCG", "AS_Dsharp_nDCG", "AS_DCG")),
        (SPLIT, SMALL, "AS_DCG(personal=1,split_blocks=True)", 1 / 3, [1 / 3, 0, 0]),  # counts once
        (SPLIT, SMALL, "vRecall(split_blocks=True)", 1 / 3, [1 / 3, 0, 0]),
        ([WEB, NOTHING[0]], {"web": (0.5, 1, 1)}, "AS_DCG(personal=1)", 1, [0.5, 0.5]),  # nothing to recall
    ],
)  # fmt: skip
def test_contributions_at_the_edges(
    plain: Any, page: Any, pool: Any, text: str, value: float, contribution: Any
) -> None:
    run, qrels = plain.as_tables([plain.Block(*b) for b in page], pool)
    found = irmx.explain(text, qrels, run, "q")
    assert (found.value, list(found.columns["contribution"])) == (pytest.approx(value), pytest.approx(contribution))


# -- the gain by orientation -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (2, [0.025345, 0.974655, 0.999324]),
        (7, [0.214168, 0.785832, 0.930859]),
        (10, [0.25, 0.75, 0.9]),
        (100, [0.366025, 0.633975, 0.75]),
    ],
)
def test_gains_of_the_paper(alpha: float, expected: list[float]) -> None:
    assert orientation_gain([0.25, 0.75, 0.9], alpha).round(6).tolist() == expected


ALPHA = st.floats(1.001, 1e6)
X = st.integers(0, 1000).map(lambda i: i / 1000)


@given(x=st.tuples(X, X), alpha=st.tuples(ALPHA, ALPHA), g=st.sampled_from(["steep", "literal"]))
def test_properties_of_the_gain(x: tuple[float, float], alpha: tuple[float, float], g: str) -> None:
    """g(x) + g(1 - x) = 1; it grows with x; 10 is the identity; a smaller alpha is steeper in one reading only."""
    small, large = sorted(alpha)
    low, high = orientation_gain(sorted(x), small, g)
    assert 0 <= low <= high <= 1
    assert low + orientation_gain(1 - min(x), small, g) == pytest.approx(1, abs=1e-9)
    assert orientation_gain(x, 10, g) == pytest.approx(np.array(x), abs=1e-12)
    assert orientation_gain([0, 0.5, 1], small, g).tolist() == [0, 0.5, 1]
    wanted = max(*x, 1 - x[0])
    if wanted >= 0.5:
        difference = orientation_gain(wanted, small, g) - orientation_gain(wanted, large, g)
        assert (difference if g == "steep" else -difference) >= -1e-12


# -- by the definitions in plain Python ----------------------------------------------------------------------------------

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
       personal=st.sampled_from([0, 0.23, 1]), empty=st.booleans())  # fmt: skip
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
    empty: bool,
) -> None:
    name, exam, params = model
    page, pool = [plain.Block(*b) for b in made[0]], made[1]
    given = {k: v for k, v in {"threshold": threshold, "fill": fill}.items() if v is not None}
    if ideal == "paper":
        given["empty"] = empty
    perfect = {"paper": plain.perfect, "greedy": plain.greedy}[ideal](pool, web, verticals, items, **given)
    best = plain.util(exam, perfect, **params) if perfect else 0
    some = any(relevant for _, relevant, _ in pool.values())
    text = with_params(
        name,
        f"ideal='{ideal}',ideal_web={web},ideal_verticals={verticals},ideal_items={items},ideal_threshold={threshold},ideal_fill={fill},personal={personal},ideal_empty={empty}",
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


@given(made=pages(), model=st.sampled_from(MODELS), alpha=st.sampled_from([1.5, 10, 100]))
def test_no_page_is_above_its_exact_ideal(plain: Any, made: Any, model: Any, alpha: float) -> None:
    assume(any(relevant and orientation for orientation, relevant, _ in made[1].values()))
    run, qrels = plain.as_tables([plain.Block(*b) for b in made[0]], made[1])
    text = with_params(model[0], f"alpha={alpha},ideal='exact',ideal_verticals=4,ideal_items=7")
    assert 0 <= value(text, run, qrels) <= 1 + 1e-12
