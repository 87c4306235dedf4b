"""Whatever value a parameter is given: it is refused, in a message that one can read, or its measure parses back."""

import math
from itertools import count, repeat
from typing import Any

import ir_measures
import pytest

import irmx
from irmx.text import readable

MEASURES = {**ir_measures.measures.registry, **irmx.registry().measures()}
SYMBOLS = sorted(irmx.registry().all_symbols(), key=lambda one: (one.KIND, one.NAME))
ODD: list[Any] = [
    0, -0.0, 1, 1.0, 0.5, -1, 0.1 + 0.2, 1.7e308, 5e-324, math.inf, -math.inf, math.nan, 2**53, 2**53 + 1, 2**63, 10**400, -(10**5000),
    True, False, None, "", "a'b\"c", "\\", "a\nb", "\x1b[2J", "\ud800", "\u202eb", "é日", "x" * 10**5, "90s", "1.25h", "1" * 5000 + "s",
    "1e999s", [1, 0.5], [1, [2]], [1] * 1000, [math.inf], [10**5000], {0: 0, 1: 0.5}, {1: 10**5000}, {"text": 2}, b"x", 1j, "a|b,*@(:",
]  # fmt: skip


def with_required(measure: ir_measures.Measure) -> dict[str, Any]:
    """Return values of the parameters that a measure needs."""
    values: dict[str, Any] = {}
    for name, param in measure.SUPPORTED_PARAMS.items():
        if param.required:
            named = [symbol for symbol in SYMBOLS if getattr(param, "kind", "") == symbol.KIND]
            values[name] = named[0] if named else "AP" if param.dtype is str else 1
    return values


def checked_message(error: Exception) -> None:
    assert str(error) == readable(str(error))
    assert len(str(error)) < 5000


def assert_refused_or_parsed_back(measure: ir_measures.Measure, values: dict[str, Any]) -> None:
    try:
        made = irmx.parse_measure(measure(**values))
        if isinstance(made, irmx.Measure):
            made.validate_params()
    except irmx.UsageError as error:
        checked_message(error)
        return
    except Exception:
        assert not isinstance(measure, irmx.Measure)  # ir_measures refuses in its own way
        return
    for parse in (irmx.parse_measure, ir_measures.parse_measure):
        again = parse(repr(made))
        assert (again, repr(again)) == (made, repr(made))
    assert irmx.toolkit.parse_measures(f"AP {made} RR")[1] == made


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_every_parameter_of_every_measure(name: str) -> None:
    measure = MEASURES[name]
    for parameter, param in measure.SUPPORTED_PARAMS.items():
        symbols = [symbol for symbol in SYMBOLS if getattr(param, "kind", "") == symbol.KIND]
        for value in [*ODD, *symbols]:
            assert_refused_or_parsed_back(measure, {**with_required(measure), parameter: value})


@pytest.mark.slow
@pytest.mark.parametrize("symbol", SYMBOLS, ids=lambda one: f"{one.KIND}/{one.NAME}")
def test_every_parameter_of_every_named_object(symbol: irmx.Symbol) -> None:
    takers = [
        (one, parameter)
        for _, one in sorted(irmx.registry().measures().items())
        for parameter, param in one.SUPPORTED_PARAMS.items()
        if getattr(param, "kind", "") == symbol.KIND
    ]
    for parameter in symbol.SUPPORTED_PARAMS:
        for value in ODD:
            try:
                made = symbol(**{parameter: value})
            except irmx.UsageError as error:
                checked_message(error)
            except (irmx.DataError, OSError):  # of a file that does not exist
                pass
            else:
                for measure, of_measure in takers[:2]:
                    assert_refused_or_parsed_back(measure, {**with_required(measure), of_measure: made})


def test_an_endless_grid_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irmx.declare.grid.MOST_SETTINGS", 1000)  # instead of a million, which take seconds
    for endless in (count(), repeat(1)):
        with pytest.raises(irmx.UsageError, match=r"more than 1,000 values of 'rel'|twice"):
            irmx.Grid({"rel": irmx.Param(int, "grade")}, {"rel": endless})


@pytest.mark.parametrize(
    "made", [ir_measures.RBP(p=math.inf), ir_measures.nDCG @ 2**40, ir_measures.nDCG @ 10**5000, ir_measures.IPrec @ math.nan], ids=range(4)
)  # fmt: skip
def test_what_ir_measures_makes_of_values_that_no_text_gives_is_refused(made: ir_measures.Measure) -> None:
    with pytest.raises(irmx.UsageError) as caught:
        irmx.evaluator([made], {"q": {"d": 1}})
    checked_message(caught.value)
