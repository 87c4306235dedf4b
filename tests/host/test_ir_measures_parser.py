"""After ``import irmx``, ``ir_measures.parse_measure`` reads all that it read before, and calls it as it did."""

import warnings
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

irmx.registry()
OF_IR_MEASURES = {n: m for n, m in ir_measures.measures.registry.items() if not isinstance(m, irmx.Measure)}


def parser_of_ir_measures() -> Callable[[Any], ir_measures.Measure]:
    irmx.uninstall()
    try:
        return ir_measures.parse_measure
    finally:
        irmx.install()


stock = parser_of_ir_measures()


def found_by(parse: Callable[[Any], ir_measures.Measure], text: str) -> ir_measures.Measure | Exception:
    with warnings.catch_warnings():  # the parser of ir_measures 0.4.3 uses what Python 3.12 deprecates
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return parse(text)
        except Exception as error:
            return error


def text_of(measure: ir_measures.Measure) -> str | type[Exception]:
    try:
        return str(measure)
    except KeyError as error:  # of a parameter that the measure does not have
        return type(error)


def is_valid(measure: ir_measures.Measure) -> bool:
    try:
        measure.validate_params()
    except (AssertionError, TypeError):
        return False
    return True


def assert_read_as_before(text: str) -> None:
    before, now = found_by(stock, text), found_by(ir_measures.parse_measure, text)
    if isinstance(before, Exception):
        assert isinstance(now, (ir_measures.Measure, irmx.UsageError))
        return
    assert isinstance(now, ir_measures.Measure), now
    assert (type(now), now.params, text_of(now)) == (type(before), before.params, text_of(before))
    assert is_valid(now) or not is_valid(before)


def test_the_parser_is_not_the_one_that_irmx_puts_in() -> None:
    assert stock is not ir_measures.parse_measure
    assert stock.__module__ == "ir_measures.util"


VALUES = [0, 1, 2, 10, 0.0, 0.5, 1.0, 2.5, "log2", "exp-log2", "x", True, False, None, {0: 1, 1: 2}, {}]


@pytest.mark.parametrize("name", sorted(OF_IR_MEASURES))
def test_every_measure_with_every_parameter(name: str) -> None:
    assert_read_as_before(name)
    for value in VALUES:
        assert_read_as_before(f"{name}@{value!r}")
        for parameter in (*OF_IR_MEASURES[name].SUPPORTED_PARAMS, "unheard_of"):
            assert_read_as_before(f"{name}({parameter}={value!r})")
            assert_read_as_before(f"{name}({parameter} = {value!r}, cutoff=20) @ 10")


parameters = sorted({p for m in OF_IR_MEASURES.values() for p in m.SUPPORTED_PARAMS})
numbers = st.one_of(st.integers(-3, 2**70), st.floats(allow_nan=False))
values = st.one_of(numbers, st.sampled_from(VALUES), st.text(max_size=3), st.dictionaries(st.integers(0, 3), numbers))
given_values = st.tuples(st.sampled_from([*parameters, "unheard_of"]), values).map(
    lambda pair: f"{pair[0]}={pair[1]!r}"
)
expressions = st.builds(
    lambda name, inside, at, after: name + inside + at + after,
    st.sampled_from([*OF_IR_MEASURES, "Unheard"]),
    st.one_of(st.just(""), st.lists(given_values, max_size=3).map(lambda found: "(" + ", ".join(found) + ")")),
    st.one_of(st.just(""), values.map(lambda value: f"@{value!r}")),
    st.sampled_from(["", " ", "\n", ";", " # as in the paper", ")", "@5"]),
)


@given(expressions)
def test_any_expression(text: str) -> None:
    assert_read_as_before(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('nDCG(dcg="exp-log2",cutoff=20)@10', "nDCG(dcg='exp-log2')@10"),
        ("IPrec(rel=2,recall=0.4)@0.2", "IPrec(rel=2)@0.2"),
        ("nNRBP(alpha=1,beta=2)", "nNRBP(alpha=1,beta=2)"),
        ("IPrec@1", "IPrec@1"),
        ("SetF(beta=2)", "SetF(beta=2)"),
    ],
)
def test_names_stay(text: str, name: str) -> None:
    for parse in (irmx.parse_measure, ir_measures.parse_measure):
        assert str(parse(text)) == name


def test_irmx_says_at_once_what_no_provider_would_compute() -> None:
    for text in ("P", "AP(nope=1)", "P@2.5", "nDCG(dcg='log')@10"):
        assert isinstance(ir_measures.parse_measure(text), ir_measures.Measure)
        with pytest.raises(irmx.UsageError):
            irmx.parse_measure(text)
    with pytest.raises(irmx.UsageError, match="needs the parameter 'law'"):
        ir_measures.parse_measure("NCP")


QRELS = {"1": {"a": 1, "b": 2, "c": 0, "d": 1}, "2": {"a": 1}}
RUN = {"1": {"c": 4.0, "a": 3.0, "x": 2.0, "b": 1.0}, "2": {"x": 2.0, "a": 1.0}}


@pytest.mark.parametrize("text", ["IPrec@{}", "SetF(beta={})", "alpha_nDCG(alpha={})@5", "INST(T={},max_rel=2)",
                                  "BPM(T={},max_rel=2)@5", "INSQ(T={},max_rel=2)", "NERR11(T={},max_rel=2)"])  # fmt: skip
def test_a_whole_number_for_a_float_gives_the_value_of_the_float(text: str) -> None:
    whole, plain = (irmx.calc([text.format(value)], QRELS, RUN).per_query for value in ("1", "1.0"))
    assert [m.value for m in whole] == [m.value for m in plain]
    assert {str(m.measure) for m in whole} == {str(stock_or_same(text.format("1")))}


def test_the_same_measure_written_in_two_ways_is_computed_once() -> None:
    for asked in (["IPrec@1", "IPrec@1.0", "AP"], ["IPrec@1.0", "IPrec@1", "AP"]):
        found = irmx.calc_aggregate(asked, QRELS, {"1": {"a": 3.0, "b": 2.0, "d": 1.0}, "2": {"a": 1.0}})
        assert list(map(str, found)) == [asked[0], "AP"]
        assert set(found.values()) == {1.0}


@pytest.mark.parametrize("recall", [0.104, 0.1 + 0.2])
def test_recall_of_more_than_two_decimals_is_refused(recall: float) -> None:
    """pytrec_eval's provider rounds it: the value would be of another recall, or 0 where that is asked for, too."""
    asked, nearest = ir_measures.IPrec @ recall, ir_measures.IPrec @ round(recall, 2)
    with pytest.raises(irmx.UsageError) as caught:
        irmx.calc_aggregate([nearest, asked], QRELS, RUN)
    assert f"in the range [0, 1], with at most two decimals. Got {recall} instead." in str(caught.value)
    with pytest.raises(irmx.UsageError, match="with at most two decimals"):
        irmx.calc_aggregate(f"iprec_at_recall_{recall}", QRELS, RUN)
    everywhere = [ir_measures.IPrec @ (i / 100) for i in range(101)]
    assert len(irmx.calc_aggregate(everywhere, QRELS, RUN)) == 101


@pytest.mark.parametrize(
    "setting", ["nDCG(gains={1:10})@5", "AP(judged_only=True)", "AP(rel=2)", "nDCG(judged_only=True)"]
)
@pytest.mark.parametrize(
    "other", ["nDCG@5", "nDCG(gains={1:0,2:7})@5", "nDCG", "NumRet", "NumQ AP(rel=2)", "NumRet(rel=1)", "Bpref SetR"]
)
def test_the_setting_of_a_measure_changes_no_other_measure(setting: str, other: str) -> None:
    def values(text: str) -> dict[ir_measures.Measure, float]:
        return irmx.calc_aggregate(text, QRELS, RUN, provider="pytrec_eval")

    alone = {**values(setting), **values(other)}
    for asked in (f"{setting} {other}", f"{other} {setting}"):
        assert values(asked) == pytest.approx(alone)


def test_gains_take_the_place_of_grades() -> None:
    gains = irmx.parse_measure("nDCG(gains={1:10})@5")
    for provider in ("irmx", "pytrec_eval"):
        value = irmx.calc_aggregate(gains, QRELS, RUN, provider=provider)[gains]
        assert value == pytest.approx(NDCG_WITH_GAINS, abs=1e-6)


NDCG_WITH_GAINS = ((10 / np.log2(3) + 2 / np.log2(5)) / (10 + 10 / np.log2(3) + 2 / np.log2(4)) + 1 / np.log2(3)) / 2
"""By hand, with the gains 10, 2 and 10 of a, b and d; b keeps its grade as its gain."""


def stock_or_same(text: str) -> Any:
    """Return what the parser of ir_measures finds; on Python 3.14, where it reads no value, the text."""
    found = found_by(stock, text)
    return text if isinstance(found, Exception) else found
