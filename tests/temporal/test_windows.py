"""Windows cut from dates by the calendar of a time zone, by seconds and by bursts."""

from __future__ import annotations

import itertools
import math
import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_temporal.windows import bursts, cut


def at(text: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


@pytest.mark.parametrize(
    ("window", "dates", "numbers", "names"),
    [
        ("1d", ["2014-03-01 00:00:00", "2014-03-01 23:59:59", "2014-03-02 00:00:00"], [0, 0, 1], ["2014-03-01", "2014-03-02"]),
        ("1w", ["2014-03-02 23:59:59", "2014-03-03 00:00:00", "2014-03-09 12:00:00"], [0, 1, 1], ["2014-02-24", "2014-03-03"]),
        ("1mo", ["2014-02-28 23:59:59", "2014-03-01 00:00:00", "2014-05-01 00:00:00"], [0, 1, 2], ["2014-02", "2014-03", "2014-05"]),
        ("3mo", ["2014-01-01 00:00:00", "2014-03-31 00:00:00", "2014-04-01 00:00:00"], [0, 0, 1], ["2014-01", "2014-04"]),
        ("1y", ["1913-12-31 00:00:00", "1914-01-01 00:00:00", "1914-12-31 00:00:00"], [0, 1, 1], ["1913", "1914"]),
        ("10y", ["1914-01-01 00:00:00", "1919-12-31 00:00:00", "1920-01-01 00:00:00"], [0, 0, 1], ["1910", "1920"]),
        ("6h", ["1969-12-31 23:59:59", "1970-01-01 00:00:00", "1970-01-01 05:59:59"], [0, 1, 1], ["1969-12-31 18:00:00", "1970-01-01 00:00:00"]),
    ],
)  # fmt: skip
def test_calendar(window: str, dates: list[str], numbers: list[int], names: list[str]) -> None:
    for zone in ("UTC", "Europe/Berlin", "America/New_York") if window[-1] != "h" else ("UTC",):
        found, called = cut(np.array([at(d, zone) for d in dates]), window, zone)
        assert found.tolist() == numbers
        assert called == names


def test_days_of_23_and_25_hours() -> None:
    """The days on which summer time begins and ends in Berlin."""
    for day, hours in (("2014-03-30", 23), ("2014-10-26", 25)):
        start = at(f"{day} 00:00:00", "Europe/Berlin")
        edges = np.array([start - 1, start, start + hours * 3600 - 1, start + hours * 3600])
        assert cut(edges, "1d", "Europe/Berlin")[0].tolist() == [0, 1, 1, 2]


@given(
    times=st.lists(st.floats(-4e9, 4e9), min_size=1, max_size=20),
    zone=st.sampled_from(["UTC", "Asia/Kolkata", "America/St_Johns"]),
)
def test_days_months_and_years_are_those_of_the_clock(times: list[float], zone: str) -> None:
    times = [float(math.floor(t)) for t in times]
    clock = [datetime.fromtimestamp(t, ZoneInfo(zone)) for t in times]
    for window, form in (("1d", "%Y-%m-%d"), ("1mo", "%Y-%m"), ("1y", "%Y")):
        numbers, names = cut(np.array(times), window, zone)
        assert [names[n] for n in numbers] == [c.strftime(form) for c in clock]


TEXTS = st.tuples(
    st.sampled_from(["", "-", "+", " "]),
    st.one_of(
        st.sampled_from(["", "1", "0", "1.5", "1e9", "9" * 30, "9" * 5000, "1e-400"]), st.integers(0, 10**12).map(str)
    ),
    st.sampled_from(["", "s", "m", "h", "d", "w", "mo", "y", " y", "M", "parsecs"]),
)


@given(text=st.one_of(TEXTS.map("".join), st.text()))
def test_every_text_is_a_window_or_refused(text: str) -> None:
    """What is a window cuts the first and the last date, under its canonical text too."""
    if text == "burst":
        return
    times = np.array([-62135596800.0 + 172800, -1.0, 0.0, 253402300799.0 - 172800])
    try:
        numbers, names = cut(times, text, "Asia/Tokyo")
    except irmx.UsageError:
        with pytest.raises(irmx.UsageError, match=re.escape(str(irmx.UsageError(irmx.toolkit.value_repr(text))))):
            irmx.TIA_P(window=text)
        return
    assert numbers.tolist() == sorted(numbers.tolist())
    assert len(names) == numbers.max() + 1
    again, called = cut(times, irmx.TIA_P(window=text).params["window"], "Asia/Tokyo")
    assert (again.tolist(), called) == (numbers.tolist(), names)


def test_a_minute_is_no_month() -> None:
    times = np.array([0.0, 59.0, 61.0])
    assert cut(times, "1m", "UTC")[0].tolist() == [0, 0, 1]
    assert cut(times, "1mo", "UTC")[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("window", [None, "burst"])
def test_windows_that_are_not_cut(window: Any) -> None:
    with pytest.raises(irmx.UsageError, match=f"Windows are cut by a period of the calendar.*Got {window!r}"):
        cut(np.array([0.0]), window, "UTC")


# -- measures over them ---------------------------------------------------------------------------------------


@pytest.fixture
def dated(frame: Any) -> pd.DataFrame:
    qrels = frame(("a", "1"), ("b", "1"), ("c", "2"), ("d", "2"), ("n", "1", "w", 0)).drop(columns="window")
    days = ["2014-03-01", "2014-03-20", "2014-04-02", "2015-03-01", None]
    return qrels.assign(timestamp=pd.to_datetime(pd.Series(days), utc=True))


def test_dates_of_any_kind_are_the_same(dated: pd.DataFrame, ranked: Any) -> None:
    text = "TIA_P(window='1mo')@2 T_StRecall(window='1y')@1 TIA_StRecall(window='1d')@3"
    expected = irmx.calc_aggregate(text, dated, ranked("a", "c", "x"))
    assert list(expected.values()) == pytest.approx([(0.5 + 0.25) / 4, 0.5, 0.75])
    seconds = [t.timestamp() if t == t else None for t in dated["timestamp"]]
    texts = [t.isoformat() if t == t else None for t in dated["timestamp"]]
    days = [t[:10] if t else "" for t in texts]
    for column in (
        seconds,
        texts,
        days,
        dated["timestamp"].dt.tz_localize(None),
        dated["timestamp"].dt.tz_convert("Asia/Tokyo"),
    ):
        assert irmx.calc_aggregate(text, dated.assign(timestamp=column), ranked("a", "c", "x")) == expected


def test_the_time_zone_matters(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "1")).assign(timestamp=["2014-03-31T22:30:00Z", "2014-04-01T12:00:00Z"])
    text = "T_StRecall(window='1mo')@1 T_StRecall(window='1mo',tz='Europe/Berlin')@1"
    assert list(irmx.calc_aggregate(text, qrels, ranked("a")).values()) == [2 / 3, 1]


def test_calendar_windows_equal_labels(dated: pd.DataFrame, ranked: Any) -> None:
    labelled = dated.assign(window=dated["timestamp"].dt.strftime("%Y-%m"))
    for name in ("TIA_nDCG", "TIA_ERR", "TIA_P", "TIA_AP", "T_StRecall", "TIA_StRecall"):
        [one, other] = irmx.calc_aggregate(
            f"{name}(window='1mo')@3 {name}@3", labelled, ranked("d", "x", "b", "a")
        ).values()
        assert one == other


# -- bursts ---------------------------------------------------------------------------------------------------


def cheapest(times: list[float], factor: float, cost: float) -> float:
    """The cost of the cheapest sequence of states, by trying all."""
    gaps = np.diff(times)
    n, rate = len(gaps), len(gaps) / sum(gaps)
    costs = []
    for states in itertools.product([0, 1], repeat=n):
        entered = sum(b > a for a, b in itertools.pairwise((0, *states)))
        emitted = sum(-math.log(rate * factor**s) + rate * factor**s * g for s, g in zip(states, gaps, strict=True))
        costs.append(emitted + entered * cost * math.log(n))
    return min(costs)


@given(
    gaps=st.lists(st.integers(0, 50), min_size=1, max_size=9).filter(any),
    factor=st.sampled_from([1.5, 2.0, 4.0]),
    cost=st.sampled_from([0.2, 1.0]),
)
def test_bursts_cost_least(gaps: list[int], factor: float, cost: float) -> None:
    times = [0.0, *np.cumsum(gaps, dtype=float)]
    found = bursts(np.array(times), factor, cost)
    n, rate = len(gaps), len(gaps) / sum(gaps)
    usual = sum(-math.log(rate) + rate * g for g in gaps)
    saved = sum(weight - cost * math.log(n) for *_, weight in found)
    assert usual - saved == pytest.approx(cheapest(times, factor, cost), abs=1e-9)
    for first, last, weight in found:
        burst = sum(math.log(factor) + (1 - factor) * rate * g for g in gaps[first:last])
        assert weight == pytest.approx(burst, abs=1e-9)


def test_burst_windows(frame: Any, ranked: Any) -> None:
    """Two bursts among dates years apart; the documents in between are in no window."""
    burst = [10 * 365 + d for d in range(8)] + [30 * 365 + d for d in range(16)]
    days = [0, 20 * 365, *burst]
    qrels = frame(*((f"d{i}", "1") for i in range(len(days)))).assign(timestamp=[86400.0 * d for d in days])
    e = irmx.explain("TIA_P(window='burst')@2", qrels, ranked("d0", "d2"), "q")
    assert e.columns["window"] == ["1979-12-30 to 1980-01-06", "1999-12-25 to 2000-01-09"]
    assert e.columns["relevant"] == [8, 16]
    assert e.columns["retrieved"] == [1, 0]
    found = bursts(np.array([86400.0 * d for d in days[:1] + burst[:8] + days[1:2] + burst[8:]]))
    total = sum(weight for *_, weight in found)
    assert e.columns["weight"] == pytest.approx([weight / total for *_, weight in found])
    text = "TIA_P(window='burst',window_weights='proportional')@2 TIA_P(window='burst',window_weights='uniform')@2"
    assert list(irmx.calc_aggregate(text, qrels, ranked("d0", "d2")).values()) == pytest.approx([8 / 24 / 2, 0.5 / 2])


def test_without_bursts_there_is_one_window(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "2")).assign(timestamp=[0.0, 86400.0])
    assert irmx.calc_aggregate("T_StRecall(window='burst')@1", qrels, ranked("a")) == {
        irmx.T_StRecall(window="burst") @ 1: 2 / 3
    }
