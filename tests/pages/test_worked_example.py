"""A page worked out by hand: web, image and video, to six places; and the properties of the formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_pages import orientation_gain

VERTICALS = {"web": (0.5, 1, 0), "image": (0.75, 3, 1), "video": (0.6, 3, 2)}
OTHERS = {f"other {i}": (0.1, 0, 0) for i in range(10)}


@pytest.fixture
def example(plain: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The page and the judgments, of twelve verticals; every vertical's best items can be relevant."""
    page = [plain.Block("web", 0.5, (1,)), plain.Block("image", 0.75, (1, 1, 0)), plain.Block("video", 0.6, (0, 1, 0))]
    found: tuple[pd.DataFrame, pd.DataFrame] = plain.as_tables(page, {**VERTICALS, **OTHERS})
    return found


@pytest.fixture
def longer(plain: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The same with another relevant web result at the end."""
    page = [plain.Block("web", 0.5, (1,)), plain.Block("image", 0.75, (1, 1, 0)), plain.Block("video", 0.6, (0, 1, 0))]
    pool = {**VERTICALS, "web": (0.5, 2, 0)}
    found: tuple[pd.DataFrame, pd.DataFrame] = plain.as_tables([*page, plain.Block("web", 0.5, (1,))], pool)
    return found


def value(text: str, tables: tuple[pd.DataFrame, pd.DataFrame]) -> float:
    run, qrels = tables
    measure = irmx.parse_measure(text)
    return round(irmx.calc_aggregate(measure, qrels, run)[measure], 6)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("AS_DCG(normalise=None)", 0.125705),
        ("AS_RBP(normalise=None)", 0.123168),
        ("AS_ERR(normalise=None)", 0.155556),
        ("AS_ERR(normalise=None,err_discount='rank')", 0.176190),
        ("AS_ATT(normalise=None)", 0.108333),
        ("AS_ATT(normalise=None,phi=1)", round((0.5 + 1.5 + 0.6) / 24, 6)),
        ("AS_ATT(normalise=None,phi=0.2)", round((0.6 * 0.5 + 1.5 + 0.6) / (0.6 * 3 + 3 + 18), 6)),
        ("AS(examination=att(phi=0.2),normalise=None)", round((0.6 * 0.5 + 1.5 + 0.6) / (0.6 * 3 + 3 + 18), 6)),
        ("AS_RBP(normalise=None,beta=0.85,alpha=7)", 0.122997),
        ("AS_RBP(normalise=None,beta=0.85,alpha=7,g='literal')", 0.115388),
        ("AS_DCG(normalise=None,effort={'image':1,'text':1,'video':1})", 0.397559),
        ("AS(examination=dcg,normalise=None)", 0.125705),
        ("AS(examination=att(beta=0.3),normalise=None)", 0.108333),
        ("AS_DCG(ideal='greedy')", 0.548254),
        ("AS_RBP(ideal='greedy')", 0.593417),
        ("AS_DCG(ideal='greedy',personal=0.23)", 0.460489),
        ("AS_RBP(ideal='greedy',personal=0.23)", 0.495265),
        ("AS_DCG", round(0.1257051 * 6, 6)),  # neither vertical is above 0.75: the ideal page is the web result
        ("AS_DCG(ideal_threshold=0.74)", round(0.1257051 / 0.5243350, 6)),  # and here three images and the web result
        ("AS_DCG(ideal='greedy',personal=0.23,all_verticals=12)", 0.460489),
        ("AS_DCG(ideal='greedy',personal=0.23,all_verticals=4)", round(0.77 * 0.5482539 + 0.23 / 2, 6)),
        ("vRecall", round(2 / 12, 6)),
        ("vRecall(all_verticals=12)", round(2 / 12, 6)),
        ("vRecall(all_verticals=7)", round(2 / 7, 6)),
        ("vRecall(recall_of='oriented')", 1.0),
        ("vRecall(recall_of='oriented',threshold=0.7)", 1.0),
        ("vPrecision(threshold=0.7)", 0.5),
        ("AS_D_nDCG(ideal='greedy')", 0.480350),
        ("AS_alpha_nDCG(ideal='greedy')", 0.729369),
        ("AS_alpha_nDCG(ideal='greedy',weights='orientation')", 0.678567),
        ("AS_IA_nDCG(ideal='greedy')", 0.796736),
        ("AS_IA_nDCG(normalise='vertical')", 0.494846),
        ("AS_Dsharp_nDCG(ideal='greedy')", round((1 + 0.4803496802591638) / 2, 6)),
    ],
)
def test_worked_numbers(example: Any, measure: str, expected: float) -> None:
    assert value(measure, example) == expected


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("AS_DCG(normalise=None)", 0.129190),
        ("AS_ATT(normalise=None)", 0.113121),
        ("AS_ATT(normalise=None,beta=0.3)", 0.112412),
        ("AS_ATT(normalise=None,beta=0)", 0.111313),
    ],
)
def test_a_fourth_block(longer: Any, measure: str, expected: float) -> None:
    assert value(measure, longer) == expected


def test_attention_at_the_fourth_block(longer: Any) -> None:
    run, qrels = longer
    table = irmx.explain("AS_ATT(normalise=None)", qrels, run, "q").columns
    assert round(table["examination"][3], 6) == 0.715338


def test_the_greedy_ideal(plain: Any) -> None:
    page = [plain.Block("image", 0.75, (1,) * 3), plain.Block("video", 0.6, (1,) * 3), plain.Block("web", 0.5, (1,))]
    tables = plain.as_tables(page, VERTICALS)
    found = [value(f"{name}(normalise=None)", tables) for name in ("AS_DCG", "AS_RBP")]
    assert found == [0.229283, 0.207557]
    names = ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT", "AS_D_nDCG", "AS_alpha_nDCG")
    assert [value(f"{name}(ideal='greedy')", tables) for name in names] == [1] * 6


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (2, [0.025345, 0.974655, 0.999324]),
        (7, [0.214168, 0.785832, 0.930859]),
        (10, [0.25, 0.75, 0.9]),
        (100, [0.366025, 0.633975, 0.75]),
    ],
)
def test_gain_by_orientation(alpha: float, expected: list[float]) -> None:
    assert orientation_gain([0.25, 0.75, 0.9], alpha).round(6).tolist() == expected


ALPHA = st.floats(1.001, 1e6)
X = st.integers(0, 1000).map(lambda i: i / 1000)
READING = st.sampled_from(["steep", "literal"])


@given(x=X, alpha=ALPHA, g=READING)
def test_gains_of_opposite_orientations_add_up_to_1(x: float, alpha: float, g: str) -> None:
    assert orientation_gain(x, alpha, g) + orientation_gain(1 - x, alpha, g) == pytest.approx(1, abs=1e-9)


@given(x=st.tuples(X, X), alpha=ALPHA, g=READING)
def test_gain_grows_with_orientation(x: tuple[float, float], alpha: float, g: str) -> None:
    low, high = orientation_gain(sorted(x), alpha, g)
    assert 0 <= low <= high <= 1


@given(x=st.integers(500, 1000).map(lambda i: i / 1000), alpha=st.tuples(ALPHA, ALPHA))
def test_which_alpha_is_steeper(x: float, alpha: tuple[float, float]) -> None:
    """A smaller alpha takes a wanted vertical nearer to 1 in one reading, a larger in the other."""
    small, large = sorted(alpha)
    assert orientation_gain(x, small) >= orientation_gain(x, large) - 1e-12
    assert orientation_gain(x, small, "literal") <= orientation_gain(x, large, "literal") + 1e-12


@given(g=READING)
def test_alpha_of_10_is_the_identity(g: str) -> None:
    x = np.linspace(0, 1, 11)
    assert orientation_gain(x, 10, g) == pytest.approx(x, abs=1e-12)


@given(alpha=ALPHA, g=READING)
def test_web_gains_one_half(alpha: float, g: str) -> None:
    assert orientation_gain([0, 0.5, 1], alpha, g).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("name", ["AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT"])
def test_efforts_scale_utility_and_leave_the_normalised_one(example: Any, name: str) -> None:
    run, qrels = example
    thrice = "effort={'image':3,'text':9,'video':18}"
    found = list(irmx.calc_aggregate(
        f"{name}(normalise=None) {name}(normalise=None,{thrice}) {name} {name}({thrice}) {name}(personal=0)", qrels, run
    ).values())  # fmt: skip
    assert math.isclose(found[0], 3 * found[1], rel_tol=1e-12)
    assert math.isclose(found[2], found[3], rel_tol=1e-12)
    assert len(found) == 4  # a personal weight of 0 is the measure without it
