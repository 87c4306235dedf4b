"""Durations: what is read, what is refused, and the canonical text."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import Param
from irmx.toolkit import duration, duration_text, seconds


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ("30s", 30),
        ("5m", 300),
        ("1.5h", 5400),
        ("1d", 86400),
        ("2w", 1209600),
        ("90", 90),
        (".5m", 30),
        ("1e3s", 1000),
        ("1E3 s", 1000),
        (90, 90),
        (0.5, 0.5),
    ],
)
def test_what_is_read(given_: object, wanted: float) -> None:
    assert seconds(given_) == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3 parsecs", "'parsecs' is not a unit of time. Units are s, m, h, d, w."),
        ("5M", "'M' is not a unit of time"),
        ("1mo", "'mo' is not a unit of time"),
        ("", "'' is not a duration. A duration is seconds, or a text such as"),
        ("soon", "'soon' is not a duration"),
        ("-1y", "'-1y' is not a duration: 'y' is not a unit of time. Units are s, m, h, d, w."),
        ("+1y", "'y' is not a unit of time"),
        ("-3 parsecs", "'parsecs' is not a unit of time"),
        (".5y", "'y' is not a unit of time"),
        ("3 Jahrhunderte Läufe", "is not a duration. A duration is seconds"),
        ("9" * 400 + "w", "it is not finite"),
        ("٣s", "'٣s' is not a duration. A duration is seconds"),
        ("1h30m", "is not a duration"),
        (True, "True is not a duration"),
        (None, "None is not a duration"),
        (math.inf, "it is not finite"),
        (math.nan, "it is not finite"),
        ("9" * 400, "it is not finite"),
        (10**400, "it is not finite"),
    ],
)
def test_what_is_refused(text: object, said: str) -> None:
    with pytest.raises(irmx.UsageError) as error:
        seconds(text)
    assert said in str(error.value)


NUMBERS = st.from_regex(r"[+-]?[0-9]{0,400}\.?[0-9]{0,4}([eE][+-]?[0-9]{1,4})?", fullmatch=True)
NEAR = st.tuples(
    st.sampled_from(["", " ", "\t"]), NUMBERS, st.one_of(st.sampled_from(["", "s", "mo", "y", " w"]), st.text())
)


@given(st.one_of(st.text(), NEAR.map("".join)))
def test_every_text_is_a_duration_or_refused(text: str) -> None:
    try:
        value = seconds(text)
    except irmx.UsageError:
        with pytest.raises(irmx.UsageError, match=re.escape(repr(text))):
            duration_text(text)
        return
    assert math.isfinite(value)
    assert seconds(duration_text(text)) == value


def test_a_long_text_is_answered_at_once() -> None:
    """A form that tries every way to split digits would take hours."""
    with pytest.raises(irmx.UsageError, match="is not a duration"):
        seconds("1" * 1_000_000 + "?")


@given(st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9)))
def test_the_canonical_text_is_exact_and_stays(value: float) -> None:
    text = duration_text(value)
    assert seconds(text) == value
    assert duration_text(text) == text


@given(st.integers(0, 5000), st.sampled_from("smhdw"))
def test_equal_durations_have_one_text(number: int, unit: str) -> None:
    assert duration_text(f"{number}{unit}") == duration_text(seconds(f"{number}{unit}"))


def test_a_parameter_is_checked_in_seconds() -> None:
    param = Param(duration, "time away", default="3h", above=0, high=86400)
    assert param.check("90m", "MA", "MSU") == "1.5h"
    assert param.check(86400, "MA", "MSU") == "1d"
    for wrong in (0, "0s", "-1h", "25h"):
        with pytest.raises(
            irmx.UsageError, match=r"'MA' parameter of MSU must be a duration .*more than 0s, at most 86400s"
        ):
            param.check(wrong, "MA", "MSU")
    with pytest.raises(
        irmx.UsageError,
        match=r"The .MA. parameter of MSU must be a duration .* Got '3 parsecs' instead. 'parsecs' is no",
    ):
        param.check("3 parsecs", "MA", "MSU")


def test_words_are_allowed_beside_the_type() -> None:
    param = Param(int, "users", default=10, low=1, words=("auto",))
    assert param.check("auto", "users", "M") == "auto"
    assert param.check(3, "users", "M") == 3
    for wrong in ("Auto", 0, 2.5):
        with pytest.raises(irmx.UsageError, match=r"an int in the range \[1, inf\) or 'auto'"):
            param.check(wrong, "users", "M")


def test_none_is_named_where_it_is_allowed_beside_choices() -> None:
    param = Param(str, "unit", default=None, choices=("second", "update"))
    assert param.check(None, "per", "M") is None
    with pytest.raises(irmx.UsageError, match=r"must be one of 'second', 'update' or None\. Got 'hour'"):
        param.check("hour", "per", "M")


def test_a_choice_that_is_a_whole_number_may_be_written_as_one() -> None:
    param = Param(str, "track", default="2014", choices=("2013", "2014"))
    assert param.check(2013, "track", "M") == "2013"
    for wrong in (2015, 2013.0, True):
        with pytest.raises(irmx.UsageError, match="one of '2013', '2014'"):
            param.check(wrong, "track", "M")
