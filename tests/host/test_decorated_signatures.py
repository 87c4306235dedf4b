"""The signatures of decorated functions: the parameters that they declare, and what they may not leave open."""

from typing import Annotated, Literal

import pytest

import irmx
from irmx import Param, UsageError

QRELS = {"q": {"a": 1, "b": 2, "c": 0}, "r": {"a": 1}}
RUN = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "r": {"x": 2.0, "a": 1.0}}


def test_parameters_come_from_the_signature():
    @irmx.measure
    def Many(
        ranking,
        *,
        whole: int,
        share: float = 1,
        switch: bool = False,
        text: str = "t",
        how: Literal["any", "all"] = "any",
        level: Literal[1, 2] = 1,
        weights: list[float] = [1, 2],  # noqa: B006
        perhaps: int | None = None,
        window: irmx.toolkit.duration = "1d",
        grade: irmx.number = 1,
        plain=0.5,
        told: Annotated[float, "what it means"] = 0.0,
        declared=Param(float, "declared as a default", default=0.25, low=0, high=1),  # noqa: B008
        needed: Annotated[int, Param(int, "declared", low=3)],
    ) -> float:
        return 0.0

    params = Many.SUPPORTED_PARAMS
    assert [(n, params[n].expects()) for n in list(params)[:8]] == [
        ("whole", "an int"),
        ("share", "a float"),
        ("switch", "True or False"),
        ("text", "a string"),
        ("how", "one of 'any', 'all'"),
        ("level", "one of 1, 2"),
        ("weights", "a list of numbers"),
        ("perhaps", "an int or None"),
    ]
    assert "a duration" in params["window"].expects()
    assert [params[n].expects() for n in ("grade", "plain")] == ["a number", "a float"]
    assert params["told"].desc == "what it means"
    assert params["declared"].expects() == "a float in the range [0, 1]"
    assert params["needed"].expects() == "an int in the range [3, inf)"
    assert [n for n, p in params.items() if p.required] == ["whole", "needed"]
    assert type(Many(whole=1)["share"]) is float
    assert Many.EXAMPLES == ()
    text = "Many(whole=2,share=0.5,how='all',weights=[3,1],perhaps=4,declared=1.0,needed=3)@5"
    assert str(irmx.parse_measure(text)) == text
    for wrong, message in [
        ("Many(needed=3)", "Many needs the parameter 'whole'"),
        (
            "Many(whole=1,needed=2)",
            r"The 'needed' parameter of Many must be an int in the range \[3, inf\). Got 2 instead",
        ),
        ("Many(whole=1,needed=3,how='al')", "Did you mean all"),
        ("Many(whole=1,needed=3,k=1)", "Many has no parameter 'k'"),
    ]:
        with pytest.raises(UsageError, match=message):
            irmx.parse_measure(wrong)


def test_the_function_gets_the_values_of_its_parameters_and_of_common_ones():
    seen = []

    @irmx.measure
    def Seen(ranking, *, k: int = 1, cutoff: int = 2, rel=None, ties) -> float:
        seen.append((k, cutoff, rel, ties, ranking.depth))
        return 0.0

    irmx.calc_aggregate([Seen, Seen(k=3, rel=2, ties="run") @ 1], {"q": QRELS["q"]}, RUN)
    assert seen == [(1, 2, 1, "trec", 2), (3, 1, 2, "run", 1)]


def test_a_common_parameter_can_be_required():
    @irmx.measure
    def Share(ranking, *, cutoff: int) -> float:
        return len(ranking.relevant) / cutoff

    assert irmx.calc_aggregate("Share@4", QRELS, RUN) == {Share @ 4: 0.375}
    with pytest.raises(UsageError, match="Share needs the parameter 'cutoff'"):
        irmx.calc_aggregate(Share, QRELS, RUN)


def _of(code):
    scope = {"irmx": irmx, "Annotated": Annotated, "Param": Param, "Literal": Literal}
    exec(f"def f{code}" if "return" in code else f"def f{code}: return 0.0", scope)
    return scope["f"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_of("(ranking, k=1)"), r"parameters after a \*, such as def f\(ranking, \*, k: int = 1\).* are: ranking, k"),
        (_of("()"), "must have one positional argument, the ranking.* are: none"),
        (_of("(ranking, *more)"), r"must have one positional argument.* are: ranking, \*more\."),
        (_of("(ranking, *, k: int = 1, **more)"), r"must have one positional argument.* are: ranking, \*\*more\."),
        (_of("(*all, **more)"), r"must have one positional argument.* are: \*all, \*\*more\."),
        (_of("(ranking, *, k)"), "The argument 'k' of the measure function f has no annotation. Allowed are int, "),
        (_of("(ranking, *, k: dict = {})"), "'k' of the measure function f has the annotation <class 'dict'>"),
        (_of("(ranking, *, k: Literal[1, 'a'] = 1)"), "has the annotation"),
        (_of("(ranking, *, k: 'Nowhere' = 1)"), "annotations of the measure function f cannot be resolved.*Nowhere"),
        (_of("(ranking, *, k: int = 1.5)"), "'k' parameter of the measure function f must be an int. Got 1.5"),
        (_of("(ranking, *, cutoff: int = 0)"), r"'cutoff' parameter of the measure function f must be .*\[1, inf\)"),
        (lambda ranking: 0.0, "'<lambda>' cannot be the name of a measure"),
        (print, "@irmx.measure decorates a function. Got <built-in function print>"),
    ],
)
def test_a_signature_that_says_too_little_is_refused(function, message):
    with pytest.raises(UsageError, match=message):
        irmx.measure(function)


def test_annotations_may_be_texts_and_those_of_the_ranking_of_names_that_are_not_there():
    made = irmx.measure(_of("(ranking: 'Nowhere', *, k: 'int | None' = None) -> 'Nowhere'"))
    assert made(k=3).SUPPORTED_PARAMS["k"].expects() == "an int or None"
