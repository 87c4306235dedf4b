"""Grids of parameters: texts and objects, multiples of other parameters, and every mistake in them."""

from typing import Any

import pytest

import irmx
from irmx import COMMON_PARAMS, Grid, Measure, Param, Ranking, UsageError
from irmx.toolkit import duration


class Visit(Measure):
    """A measure with every type of parameter."""

    NAME = "ZVisit"
    SUPPORTED_PARAMS = {
        "MD": Param(duration, "mean", default="2m", above=0),
        "SD": Param(duration, "deviation", default="1m", above=0),
        "MA": Param(duration, "mean", default="3h", above=0),
        "L": Param(float, "left", default=0.5, low=0, high=1),
        "users": Param(int, "users", default=100, low=1, words=("auto",)),
        "seen": Param(list, "ranks", default=[1, 2]),
        "per": Param(str, "per what", default=None, choices=("second", "update")),
        **COMMON_PARAMS,
    }

    def score_topic(self, ranking: Ranking) -> float:
        return 0.0


VISIT = Visit()


def settings(values: Any, measure: Any = VISIT) -> list[str]:
    return [str(s) for s in Grid(measure, values).measures()]


def test_settings_are_every_combination_with_the_last_parameter_changing_quickest() -> None:
    assert settings({"MD": ["30s", "1m"], "L": [0, 1]}) == [
        "ZVisit(MD='30s',L=0.0)",
        "ZVisit(MD='30s',L=1.0)",
        "ZVisit(MD='1m',L=0.0)",
        "ZVisit(MD='1m',L=1.0)",
    ]


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ({"MD": "30s, 60"}, {"MD": ["30s", 60]}),
        ({"MD": "'30s'"}, {"MD": [30]}),
        ({"L": " 0,.5"}, {"L": (0, 0.5)}),
        ({"users": "auto,5"}, {"users": ["auto", 5]}),
        ({"seen": "[1,3],[2]"}, {"seen": [[1, 3], [2]]}),
        ({"per": "second,None"}, {"per": ["second", None]}),
        ({"per": "'second',update"}, {"per": ["second", "update"]}),
        ({"judged_only": "True,False"}, {"judged_only": [True, False]}),
        ({"SD": "2*MD"}, {"SD": ["4m"]}),
        (["MD=30s,1m", "L=0,1"], {"MD": "30s,1m", "L": "0,1"}),
        ("MD=30s,1m", {"MD": ["30s", "1m"]}),
    ],
)
def test_texts_mean_the_same_as_objects(text: Any, objects: dict[str, Any]) -> None:
    assert settings(text) == settings(objects)


def test_multiples_follow_the_other_parameter() -> None:
    found = Grid(VISIT, {"SD": ["0.5*MD", "2*MD"], "MD": ["30s", "2m"]}).measures()
    assert [(s["MD"], s["SD"]) for s in found] == [("30s", "15s"), ("2m", "1m"), ("30s", "1m"), ("2m", "4m")]


def test_multiples_of_multiples_of_fixed_and_of_default_values() -> None:
    assert settings({"SD": "2*MD", "MD": ".5*MA"}) == ["ZVisit(MD='1.5h',SD='3h')"]
    assert settings({"SD": "0.5*MD"}, VISIT(MD="1h")) == ["ZVisit(MD='1h',SD='30m')"]
    assert settings({"users": "3*cutoff", "cutoff": "5"}) == ["ZVisit(users=15)@5"]
    assert settings({"L": "0.1*users", "users": "3"}) == ["ZVisit(L=0.3,users=3)"]


def test_a_setting_that_comes_twice_is_one() -> None:
    assert settings({"MD": "1m,2m", "SD": "1m,1*MD"}) == ["ZVisit(MD='1m')", "ZVisit", "ZVisit(SD='2m')"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "The grid is empty"),
        ({"MDD": "1m"}, "ZVisit has no parameter 'MDD'. Did you mean MD?"),
        ({"MD": ""}, "no value for 'MD'"),
        ({"MD": []}, "no value for 'MD'"),
        ({"MD": "1m,,2m"}, "an empty value of 'MD'"),
        ({"MD": "1m,60s"}, "the value 1m of 'MD' twice"),
        ({"rel": "1,1.0"}, "the value 1 of 'rel' twice"),
        ({"MD": "3 parsecs"}, "'parsecs' is not a unit"),
        ({"MD": 5}, "must be a sequence. Got 5"),
        ({"L": "0,1.5"}, "in the range [0, 1]. Got 1.5 instead"),
        ({"L": "1:0:3"}, "low < high"),
        ({"L": "0:1:1"}, "number >= 2"),
        ({"L": "0:1:3:4"}, "is not a range of 'L'"),
        ({"users": "auto:5"}, "is not a range of 'users'"),
        ({"users": "1:4:3"}, "1:4:4 has every int."),
        ({"rel": "0.5:1:10001"}, "more than 10,000 values"),
        ({"rel": "0.5:1:" + "9" * 5000}, "more than 10,000 values"),
        ({"SD": "MD*2"}, "is not a multiple of a parameter"),
        ({"SD": "2*MM"}, "ZVisit has no parameter 'MM'"),
        ({"SD": "2*SD"}, "a multiple of itself"),
        ({"SD": "2*MD", "MD": "2*SD"}, "multiples of one another"),
        ({"SD": "2*L"}, "'L' is a number"),
        ({"L": "2*per"}, "'per' is neither a number nor a duration"),
        ({"L": "2*cutoff"}, "'cutoff' is None"),
        ({"L": "2*users", "users": "auto"}, "'users' is auto"),
        ({"L": "2*users", "users": "3"}, "Got 6 instead. It is 2*users of the grid, with users=3"),
        (["MD"], "'MD' is not a grid"),
        (["=1m"], "'=1m' is not a grid"),
        (["MD=1m", "MD=2m"], "the parameter 'MD' twice"),
        (5, "A grid maps parameters to their values"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_mistakes_are_explained(values: Any, said: str) -> None:
    with pytest.raises(UsageError) as error:
        Grid(VISIT, values)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("measure", "values", "said"),
    [
        (VISIT(MD="1m"), {"MD": "2m"}, "already has 'MD'"),
        ("NCP(law=uniform)@5", {"cutoff": "3"}, "already has 'cutoff'"),
        ("NCP", {"law": "geometric(p=3)"}, "\n  geometric(p=3)\n              ^"),
        ("MP", {"model": "GL_AD_IDD"}, "Did you mean GL_AD_ID?"),
        ("MP", {"rescale": "recall"}, "MP needs the parameter 'model'"),
        ("nDCG@10", {"rel": "1"}, "is not a measure of an irmx plugin"),
        ("map", {"rel": "1"}, "is not a measure of an irmx plugin"),
        ("map_cut(rel=2)", {"rel": "1"}, "takes no parameters"),
        ("NPC", {"law": "uniform"}, "Did you mean NCP?"),
    ],
)
def test_mistakes_in_the_measure_are_explained(measure: Any, values: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as error:
        Grid(measure, values).measures()
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"L": "0:1:5"}, [0, 0.25, 0.5, 0.75, 1]),
        ({"L": "0.5:1"}, [round(0.5 + 0.01 * i, 2) for i in range(51)]),
        ({"L": ".9,0:1:3,0.5"}, [0.9, 0, 0.5, 1]),
        ({"users": "auto,5:20:4"}, ["auto", 5, 10, 15, 20]),
        ({"MD": "30s:2m:4"}, ["30s", "1m", "1.5m", "2m"]),
        ({"rel": "1:2:3"}, [1, 1.5, 2]),
    ],
)
def test_ranges_have_values_at_equal_distances(values: dict[str, str], expected: list[Any]) -> None:
    (name,) = values
    assert Grid(VISIT, values).values[name] == expected


def test_parameters_of_anything_make_settings() -> None:
    params = {"alpha": Param(irmx.number, "steepness", above=1), "beta": Param(float, "patience", low=0, high=1)}
    grid = Grid(params, {"alpha": "2:10:3", "beta": [0.5]}, owner="fit")
    assert grid.settings() == [{"alpha": a, "beta": 0.5} for a in (2, 6, 10)]
    assert (len(grid), str(grid)) == (3, "alpha=2,6,10 beta=0.5")
    with pytest.raises(UsageError, match=r"'beta' parameter of fit must be a float in the range \[0, 1\]. Got 2"):
        Grid(params, {"beta": "0:2:3"}, owner="fit")
    with pytest.raises(UsageError, match=r"fit has no parameter 'gamma'. It has: alpha, beta"):
        Grid(params, {"gamma": "1"}, owner="fit")
    with pytest.raises(UsageError, match="no measure"):
        grid.measures()


def test_a_grid_of_more_settings_than_anyone_scores_is_refused_at_once() -> None:
    declared = {name: Param(float, "a number") for name in "abcde"}
    with pytest.raises(UsageError, match=r"The grid has 100,000,000 settings; at most 1,000,000 are possible"):
        Grid(declared, dict.fromkeys("abcd", "0:1:100"))
