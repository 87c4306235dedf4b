"""Whatever value a parameter is given: it is refused, in a message that one can read, or its measure parses back."""

import math
from collections.abc import Callable
from itertools import count, repeat
from typing import Any

import ir_measures
import pytest

import irmx
from irmx.declare.expressions import measure_names, split_measures
from irmx.declare.grid import split_values
from irmx.errors import readable

ODD: dict[str, Any] = {
    "zero": 0, "minus zero": -0.0, "one": 1, "1.0": 1.0, "a half": 0.5, "minus one": -1, "rounded": 0.1 + 0.2, "third": 1 / 3,
    "largest float": 1.7e308, "smallest float": 5e-324, "infinity": math.inf, "minus infinity": -math.inf, "nan": math.nan,
    "largest int": 2**53, "too large": 2**53 + 1, "64 bits": 2**63, "400 digits": 10**400, "5000 digits": -(10**5000),
    "true": True, "false": False, "none": None, "empty": "", "quotes": "a'b\"c", "backslash": "\\", "line": "a\nb",
    "escape": "\x1b[2J", "surrogate": "\ud800", "right to left": "\u202eb", "letters": "é日", "long": "x" * 10**5,
    "duration": "90s", "hours": "1.25h", "long duration": "1" * 5000 + "s", "infinite duration": "1e999s", "list": [1, 0.5],
    "nested": [1, [2]], "long list": [1] * 1000, "endless": [math.inf], "digits in a list": [10**5000], "dict": {0: 0, 1: 0.5},
    "digits in a dict": {1: 10**5000}, "dict of texts": {"text": 2}, "bytes": b"x", "complex": 1j, "marks": "a|b,*@(:",
}  # fmt: skip


def with_required(measure: ir_measures.Measure) -> dict[str, Any]:
    """Return values of the parameters that a measure needs."""
    needed = {name: param for name, param in measure.SUPPORTED_PARAMS.items() if param.required}
    values: dict[str, Any] = {}
    for name, param in needed.items():
        kind = getattr(param, "kind", "")
        named = [symbol for symbol in irmx.registry().all_symbols() if kind == symbol.KIND]
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


@pytest.mark.parametrize("name", sorted(measure_names()))
def test_every_parameter_of_every_measure(name: str) -> None:
    measure = measure_names()[name]
    required = with_required(measure)
    for parameter, param in measure.SUPPORTED_PARAMS.items():
        kind = getattr(param, "kind", "")
        symbols = [symbol for symbol in irmx.registry().all_symbols() if kind and kind == symbol.KIND]
        for value in [*ODD.values(), *symbols]:
            assert_refused_or_parsed_back(measure, {**required, parameter: value})


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({f"{one.KIND}/{one.NAME}" for one in irmx.registry().all_symbols()}))
def test_every_parameter_of_every_named_object(name: str) -> None:
    [symbol] = [one for one in irmx.registry().all_symbols() if f"{one.KIND}/{one.NAME}" == name]
    takers = [
        (one, parameter)
        for _, one in sorted(irmx.registry().measures().items())
        for parameter, param in one.SUPPORTED_PARAMS.items()
        if getattr(param, "kind", "") == symbol.KIND
    ]
    for parameter in symbol.SUPPORTED_PARAMS:
        for value in ODD.values():
            try:
                made = symbol(**{parameter: value})
            except irmx.UsageError as error:
                checked_message(error)
            except (irmx.DataError, OSError):  # of a file that does not exist
                pass
            else:
                for measure, of_measure in takers[:2]:
                    assert_refused_or_parsed_back(measure, {**with_required(measure), of_measure: made})


HOSTILE = {
    "spaces": " ", "cutoffs": "@ ", "choices": "| ", "quotes": "'", "open": "(", "closed": ")", "commas": ",", "stars": "*",
    "digits": "1", "letters": "a", "lines": "\n", "trec": "_1", "list": ",1", "ranges": "0:1:3,", "text": "A(x=1) ",
}  # fmt: skip
READERS: dict[str, Callable[[str], Any]] = {
    "parse_measure": irmx.parse_measure,
    "parse_measures": irmx.toolkit.parse_measures,
    "split_measures": split_measures,
    "split_values": split_values,
    "grid": lambda text: irmx.Grid("NCP(law=uniform)", {"cutoff": text}),
    "multiple": lambda text: irmx.Grid("NCP(law=uniform)", {"cutoff": f"{text}*rel"}),
    "pattern": lambda text: irmx.toolkit.parse_measures(f"NCP{text}(law=first|uniform{text})*"),
    "measure_named": lambda text: irmx.toolkit.measure_named(f"P_{text}"),
    "ir_measures": lambda text: ir_measures.parse_measure(f"AP{text}"),
    "arguments": lambda text: irmx.toolkit.runs_and_measures(["-", text], "irmx ..."),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_reading_a_long_text_takes_time_in_proportion(hostile: str, reader: str) -> None:
    """A text of 10^5 characters would take minutes, if every one of them made the reader look at all others again."""
    text = (HOSTILE[hostile] * 10**5)[: 10**5]
    try:
        READERS[reader](text)
    except (irmx.UsageError, irmx.DataError) as error:
        checked_message(error)


def test_an_endless_grid_is_refused() -> None:
    with pytest.raises(irmx.UsageError, match="more than 1,000,000 values of 'rel'"):
        irmx.Grid({"rel": irmx.Param(int, "grade")}, {"rel": count()})
    with pytest.raises(irmx.UsageError, match="twice"):
        irmx.Grid({"rel": irmx.Param(int, "grade")}, {"rel": repeat(1)})


def test_a_list_where_one_value_is_expected_says_how_a_sweep_is_written() -> None:
    with pytest.raises(irmx.UsageError, match=r"written MP\(model=GL_AD_ID\|LO_OR_ID\)\."):
        irmx.parse_measure("MP(model=[GL_AD_ID,LO_OR_ID])")
    assert len(irmx.toolkit.parse_measures("MP(model=GL_AD_ID|LO_OR_ID)")) == 2


@pytest.mark.parametrize(
    "made",
    [ir_measures.RBP(p=math.inf), ir_measures.nDCG @ 2**40, ir_measures.nDCG @ 10**5000, ir_measures.IPrec @ math.nan],
    ids=["inf", "cutoff", "digits", "nan"],
)
def test_what_ir_measures_makes_of_values_that_no_text_gives_is_refused(made: ir_measures.Measure) -> None:
    with pytest.raises(irmx.UsageError) as caught:
        irmx.evaluator([made], {"q": {"d": 1}})
    checked_message(caught.value)


def test_two_writings_of_one_threshold_are_one_measure() -> None:
    assert list(map(str, irmx.evaluator("RBP(rel=1.0) RBP(rel=1)", {"q": {"d": 1}}).measures)) == ["RBP(rel=1.0)"]
