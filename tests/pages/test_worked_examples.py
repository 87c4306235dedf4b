"""Pages worked out by hand, to six places: web, image and video; what their scores are made of; the gain by orientation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
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
