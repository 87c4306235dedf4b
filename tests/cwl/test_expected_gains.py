"""BPM, INST, INSQ, SDCG and NERR of ir_measures: by hand, beside CWL, broken down by document, and by the conformance kit."""

import math
from collections.abc import Mapping
from typing import Any

import pytest

import irmx
from irmx.testing import parametrize_with_checks
from irmx_cwl.plugin import irmx_scorers

SCORERS = {scorer.NAME: scorer for scorer in irmx_scorers()}
QRELS = {"q": {"a": 4, "b": 1, "c": -1, "d": 2, "m": 3}, "r": {"a": 0}}
RUN = {"q": {"x": 5.0, "b": 4.0, "a": 3.0, "c": 2.0, "d": 1.0}, "r": {"a": 1.0}}
GAINS = (0, 0.25, 1, 0, 0.5)
"""Those of the documents of the first topic with max_rel=4, from the top."""


def of(text: str, qrels: Any = QRELS, run: Any = RUN) -> float:
    [values] = irmx.evaluator(text, qrels).values(run).values()
    return values["q"]


def expected_gain(go_on: list[float]) -> float:
    """Return the gain per document of a user who goes on from the first ranks with these probabilities."""
    reach = [math.prod(go_on[:i]) for i in range(len(go_on) + 1)]
    return sum(r * g for r, g in zip(reach, GAINS, strict=False)) / sum(reach)


def test_by_hand() -> None:
    """Users who stop at rank 5 at the latest."""
    assert of("BPM(T=1.25,max_rel=4)@5") == pytest.approx(1.25 / 3)
    assert of("BPM(T=1.26,max_rel=4)@4") == pytest.approx(1.25 / 4)
    assert of("NERR8(max_rel=4)@3") == pytest.approx(expected_gain([1, 0.75]))
    assert of("NERR9(max_rel=4)@5") == pytest.approx(expected_gain([1 / 2, 2 / 3 * 0.75]))
    assert of("NERR10(p=0.5,max_rel=4)") == pytest.approx(expected_gain([0.5, 0.5 * 0.75]))
    assert of("NERR11(max_rel=4)") == pytest.approx(expected_gain([(2 / 3) ** 2, (3 / 4) ** 2 * 0.75]))
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 6)]
    by_hand = sum(d * g for d, g in zip(discounts, GAINS, strict=True)) / sum(discounts)
    assert of("SDCG(max_rel=4)@5") == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("text", "user"),
    [
        ("INST(T=2.0,max_rel=4)", "inst(T=2)"),
        ("INSQ(T=0.5,max_rel=4)", "insq(T=0.5)"),
        ("BPM(T=2.0,max_rel=4)@4", "bpm(T=2,K=4)"),
        ("SDCG(max_rel=4)@3", "dcg(k=3)"),
    ],
)
def test_the_same_as_the_user_of_cwl(text: str, user: str) -> None:
    assert of(text) == pytest.approx(of(f"CWL(user={user},max_grade=4)"), abs=1e-15)


def test_gains_between_the_least_and_the_largest_grade() -> None:
    """Beyond the two, a grade counts as the nearest one; grades may be fractions."""
    clipped = {"q": {"a": 3, "b": 0.5, "d": 2}}
    for text in ("INST(min_rel=1,max_rel=3)", "SDCG(min_rel=1,max_rel=3)@5", "NERR8(min_rel=1,max_rel=3)@5"):
        assert of(text) == of(text, clipped) > 0
    assert of("SDCG(max_rel=2)@1", {"q": {"x": 0.5}}) == 0.25


def test_nobody_goes_beyond_rank_1000() -> None:
    run = {"q": {f"x{i:04}": -float(i) for i in range(1000)} | {"a": -2000.0}}
    assert of("INSQ(max_rel=1)", {"q": {"a": 1}}, run) == 0
    assert of("INSQ(max_rel=1)", {"q": {"x0999": 1}}, run) > 0


@pytest.mark.parametrize("text", [text for scorer in irmx_scorers() for text in scorer.EXAMPLES])
def test_documents_add_up_to_the_value(text: str) -> None:
    explained = irmx.explain(text, QRELS, RUN, "q")
    assert explained.value == of(text) > 0
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)


@pytest.mark.parametrize(
    "text", ["INST(max_rel=0)", "NERR9(min_rel=2,max_rel=2)@5", "INST(T=0.2,max_rel=2)", "SDCG(max_rel=2)@1001", "INSQ"]
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(irmx.UsageError):
        of(text)


def expected_failures(measure: irmx.Measure) -> Mapping[str, str]:
    """Return the checks that a scorer is expected to fail, with the reasons."""
    return {
        "citation": "what to cite for a measure of ir_measures is known by its name, whoever computes it",
        "ir_measures": "ir_measures asks cwl_eval, whose values are floats of numpy",
        "expression": "its text is that of the measure of ir_measures, which is what it parses to",
    }


@parametrize_with_checks(
    [
        scorer(max_rel=3) @ 3 if "cutoff" in scorer.SUPPORTED_PARAMS else scorer(max_rel=3)
        for scorer in SCORERS.values()
    ],
    expected_failures=expected_failures,
    examples=8,
)
def test_scorers(measure: irmx.Measure, check: Any) -> None:
    check(measure)


def test_a_topic_has_its_value_beside_many_others() -> None:
    many = {str(topic): QRELS["q"] if topic % 999 == 0 else {"b": 2} for topic in range(2500)}
    for text in ("INST(max_rel=4)", "NERR9(max_rel=4)@5"):
        [values] = irmx.evaluator(text, many).values(dict.fromkeys(many, RUN["q"])).values()
        assert {values[str(topic)] for topic in (0, 999, 1998)} == {of(text)}
