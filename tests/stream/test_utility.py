"""Modeled Stream Utility of given traces: the paper's worked example, and users who read one by one in plain Python."""

import datetime as dt
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_stream import REVERSE_CHRONOLOGICAL, Population, Stream, Traces, compiled_gains, msu, reads_of, simulate
from irmx_stream.gains import gains_of, mean_gain, powers

from . import plain


def at(text: str) -> float:
    return dt.datetime.strptime(f"2012/{text}", "%Y/%m/%d %H:%M:%S").replace(tzinfo=dt.timezone.utc).timestamp()


SESSIONS = [at(t) for t in ("12/04 10:02:00", "12/05 10:11:00", "12/06 09:50:00", "12/07 09:55:00")]
SPEED = 225 / 60
SECONDS = [10.1, 8.8, 7.7, 8.5, 7.5, 2.4, 7.7, 13.1]
KNOWN = {
    "n9": at("12/05 15:13:56"),
    "n10": at("12/06 17:45:12"),
    "n11": at("12/04 18:31:18"),
    "n12": at("12/04 03:17:18"),
    "n13": at("12/05 10:31:21"),
    "n14": at("12/05 13:55:42"),
}
HELD = {1: ["n11", "n12", "n13", "n14"], 3: ["n9", "n10"], 5: ["n14"]}


def paper() -> tuple[pd.DataFrame, pd.DataFrame, Traces]:
    """The example of the paper's section 3.4: eight updates, newest first, the last of which is not finished."""
    updates = pd.DataFrame(
        {
            "doc_id": [f"u{i}" for i in range(8)],
            "timestamp": [SESSIONS[3] - 60 * (i + 1) for i in range(8)],
            "length": [s * SPEED for s in SECONDS],
        }
    )
    rows = [(f"u{u}", n, KNOWN[n]) for u, names in HELD.items() for n in names]
    nuggets = pd.DataFrame(rows, columns=["doc_id", "iteration", "timestamp"])
    return updates, nuggets, Traces(np.array([0, 4]), np.array(SESSIONS), np.full(4, 60.0))


def test_worked_example_of_the_paper() -> None:
    updates, nuggets, traces = paper()
    assert msu(updates, nuggets, traces, SPEED, L=0.5).value == pytest.approx(2.875, abs=1e-6)
    assert msu(updates, nuggets, traces, SPEED, L=1).value == 6
    assert msu(updates, nuggets, traces, SPEED, L=0).value == 1, "0^0 is 1: only n10 is not late"


def test_alpha_of_every_nugget_of_the_worked_example() -> None:
    from irmx_stream import stream_of

    updates, nuggets, traces = paper()
    stream = stream_of(updates, nuggets)
    reads = reads_of(stream, traces, np.array([SPEED]))
    alpha = {float(stream.nugget_time[n]): a for n, a in zip(reads.nugget, reads.alpha.tolist(), strict=True)}
    assert {name: alpha[KNOWN[name]] for name in KNOWN} == {"n9": 1, "n10": 0, "n11": 2, "n12": 3, "n13": 1, "n14": 1}
    assert [
        stream.time[u] for u in reads.update[reads.nugget == np.searchsorted(stream.nugget_time, KNOWN["n14"])]
    ] == [SESSIONS[3] - 120], "n14 counts where it is read first"


def test_gain_per_second_and_per_update_of_the_worked_example() -> None:
    updates, nuggets, traces = paper()
    # seven updates are read; the eighth is cut off when the 60 seconds are up
    assert msu(updates, nuggets, traces, SPEED, per="update_read").value == pytest.approx(2.875 / 7)
    assert msu(updates, nuggets, traces, SPEED, per="second").value == pytest.approx(2.875 / 60)
    assert msu(updates, nuggets, traces, SPEED, per="update_emitted").value == pytest.approx(2.875 / 8)


def test_per_second_is_the_mean_of_the_ratios_of_users() -> None:
    """Ten users with one session each, who have time for none to nine updates of one second; every one holds a nugget."""
    names = [f"u{i}" for i in range(9)]
    updates = {"doc_id": names, "timestamp": list(range(9)), "length": [1.0] * 9}
    nuggets = {"doc_id": names[4:], "iteration": names[4:], "timestamp": [50] * 5}
    traces = Traces(np.arange(11), np.full(10, 20.0), np.arange(10.0))
    gains, seconds = [0, 1, 2, 3, 4, 5, 5, 5, 5, 5], list(range(10))
    of_each = [g / s if s else 0.0 for g, s in zip(gains, seconds, strict=True)]
    for per in ("second", "update_read"):
        found = msu(updates, nuggets, traces, 1.0, per=per)
        assert found.value == pytest.approx(sum(of_each) / 10, rel=1e-15)
        assert found.standard_error == pytest.approx(np.std(of_each, ddof=1) / math.sqrt(10))
        assert msu(updates, nuggets, traces, 1.0, per=per, ratio="of_means").value == sum(gains) / sum(seconds)
    for ratio in ("by_user", "of_means"):
        emitted = msu(updates, nuggets, traces, 1.0, per="update_emitted", ratio=ratio)
        assert emitted.value == pytest.approx(sum(gains) / 90)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Stream, Traces, list[float]]:
    """Small streams with many ties, empty and endless updates, and sessions of whole seconds."""
    count = draw(st.integers(0, 14))
    times = draw(st.lists(st.integers(-3, 40), min_size=count, max_size=count))
    lengths = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    scores = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    nuggets = draw(st.integers(1, 5))
    pairs = draw(st.lists(st.tuples(st.integers(0, max(count - 1, 0)), st.integers(0, nuggets - 1)), max_size=12))
    known = draw(st.lists(st.integers(-5, 45), min_size=nuggets, max_size=nuggets))
    update, nugget = np.array(pairs if count else [], dtype=np.int64).reshape(-1, 2).T
    columns = (np.array(v, dtype=float) for v in (times, lengths, scores))
    stream = Stream.of(*columns, update, nugget, np.array(known, float))
    visits = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9)), max_size=6)
    users = draw(st.lists(visits, min_size=1, max_size=4))
    starts, durations = [], []
    for sessions in users:
        now = 0
        for away, duration in sessions:
            now += away
            starts.append(now)
            durations.append(duration)
            now += duration
    offsets = np.cumsum([0, *map(len, users)])
    speeds = draw(st.lists(st.integers(1, 4), min_size=len(users), max_size=len(users)))
    return stream, Traces(offsets, np.array(starts, float), np.array(durations, float)), [float(s) for s in speeds]


def drawn_stream(seed: int, count: int, held: int, nuggets: int, below: tuple[int, int, int] = (3000, 30, 5)) -> Stream:
    """Return a stream of times, lengths and scores below some numbers, in which some updates hold nuggets."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, count).astype(float) for n in below]
    pairs = rng.integers(0, count, held), rng.integers(0, nuggets, held)
    return Stream.of(*columns, *pairs, rng.integers(-1000, below[0], nuggets).astype(float))


def gains_one_by_one(
    stream: Stream, traces: Traces, speeds: list[float], loss: float, late: str = "before"
) -> list[float]:
    """What users gain who read one by one: every nugget once, L^(k - b)."""
    holds: dict[int, list[int]] = {}
    for update, nugget in zip(stream.update.tolist(), stream.nugget.tolist(), strict=True):
        holds.setdefault(update, []).append(nugget)
    known = stream.nugget_time.tolist()
    out = []
    for u, user in enumerate(plain.reverse_chronological(stream, traces, speeds)):
        starts = [start for start, _ in plain.sessions(traces, u)]
        gain: dict[int, float] = {}
        for update, session in user.reads:
            for nugget in holds.get(update, ()):
                before = sum(start < known[nugget] or (late == "before" and start == known[nugget]) for start in starts)
                gain.setdefault(nugget, loss ** max(0, session - before))
        total = 0.0
        for nugget in sorted(gain):
            total += gain[nugget]
        out.append(total)
    return out


@given(cases(), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), st.sampled_from(["before", "at"]))
def test_equal_to_users_who_read_one_by_one(case: tuple[Any, Any, Any], loss: float, late: str) -> None:
    stream, traces, speeds = case
    speed = np.array(speeds)
    one_by_one = gains_one_by_one(stream, traces, speeds, loss, late)
    assert reads_of(stream, traces, speed, late=late).gains(loss).tolist() == one_by_one
    indexed = traces.indexed(np.concatenate([stream.time, stream.known(late)]))
    assert reads_of(stream, indexed, speed, late=late).gains(loss).tolist() == one_by_one
    if len(stream.update):
        table = powers(loss, 64)
        for kernel in (None, compiled_gains.gains_by_user):
            gains = compiled_gains.newest_first_gains(stream, traces, speed, [table], late, kernel)
            assert gains[0].tolist() == one_by_one


@given(cases(), st.sampled_from(["second", "update_read", "update_emitted"]))
def test_ratios_equal_to_users_who_read_one_by_one(case: tuple[Any, Any, Any], per: str) -> None:
    stream, traces, speeds = case
    gains = gains_one_by_one(stream, traces, speeds, 0.5)
    users = plain.reverse_chronological(stream, traces, speeds)
    amounts = {
        "second": [user.seconds for user in users],
        "update_read": [len(user.reads) for user in users],
        "update_emitted": [len(stream)] * len(users),
    }[per]
    of_each = [gain / amount if amount else 0.0 for gain, amount in zip(gains, amounts, strict=True)]
    assert msu(stream, None, traces, speeds, per=per).value == math.fsum(of_each) / len(users)
    of_means = msu(stream, None, traces, speeds, per=per, ratio="of_means").value
    assert of_means == pytest.approx(sum(gains) / sum(amounts) if sum(amounts) else 0.0)


def test_a_nugget_known_when_a_session_starts() -> None:
    """Known at the start of the second of four sessions and read in the last: late by the third, or by the second, too."""
    updates = {"doc_id": ["u"], "timestamp": [250], "length": [1]}
    traces = Traces(np.array([0, 4]), np.array([0.0, 100.0, 200.0, 300.0]), np.full(4, 9.0))
    for known, before, at_once in ((100, 0.5, 0.25), (100.5, 0.5, 0.5), (99.5, 0.25, 0.25), (0, 0.25, 0.125)):
        nuggets = {"doc_id": ["u"], "iteration": ["n"], "timestamp": [known]}
        assert msu(updates, nuggets, traces, 1.0).value == before
        assert msu(updates, nuggets, traces, 1.0, late="at").value == at_once
    worked, held, sessions = paper()
    assert msu(worked, held, sessions, SPEED, late="at").value == pytest.approx(2.875, abs=1e-6)


@pytest.mark.parametrize("population", [Population(), Population(MA="5m", SA="5m", MD="20s", SD="40s")])
def test_equal_to_users_of_a_population_who_read_one_by_one(population: Population) -> None:
    window = 86400.0
    stream = drawn_stream(5, 400, 120, 40, (int(window), 200, 3))
    users = population.draw(40, seed=2)
    traces = simulate(users, window, seed=2)
    one_by_one = gains_one_by_one(stream, traces, users.speed.tolist(), 0.9)
    assert reads_of(stream, traces, users.speed).gains(0.9).tolist() == one_by_one
    assert compiled_gains.newest_first_gains(stream, traces, users.speed, [powers(0.9, 4096)])[0].tolist() == one_by_one


def test_numpy_and_the_compiled_way_give_the_same_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = drawn_stream(1, 300, 80, 20)
    users = Population(MA="2m", SA="1m", MD="20s", SD="9s").draw(60)
    traces = simulate(users, 3000.0)
    monkeypatch.setattr(compiled_gains, "in_use", lambda work: False)
    numpy_way = gains_of(stream, traces, users.speed, REVERSE_CHRONOLOGICAL, [0.3, 0.8], "at")
    monkeypatch.setattr(compiled_gains, "in_use", lambda work: True)
    assert (gains_of(stream, traces, users.speed, REVERSE_CHRONOLOGICAL, [0.3, 0.8], "at") == numpy_way).all()
    assert numpy_way.shape == (2, 60)
    assert numpy_way.any()


@pytest.mark.parametrize(
    "numba",
    [
        *(
            f"raise {error}"
            for error in ("ImportError('no')", "SystemError('built for another numpy')", "KeyError('x')")
        ),
        "def njit(**options): raise TypeError('cannot build')",
        "def njit(**options): return fails\ndef fails(function): raise OSError('no compiler')",
        "def njit(**options): return lambda function: fails\ndef fails(*arguments): raise RuntimeError('cannot run')",
    ],
)
def test_numba_that_does_not_work_does_not_fail_a_measure(tmp_path: Path, numba: str) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(f"{numba}\n")
    script = """
import warnings
import numpy as np
import ir_measures
warnings.simplefilter("error")
from irmx_stream import compiled_gains
from irmx_stream import Population, simulate, REVERSE_CHRONOLOGICAL
from irmx_stream import Stream
from irmx_stream.gains import gains_of
compiled_gains._WORTH_IT = 0
users = Population().draw(10)
stream = Stream.of(np.array([50.0]), np.ones(1), np.ones(1), np.array([0]), np.array([0]), np.zeros(1))
print(gains_of(stream, simulate(users, "2d"), users.speed, REVERSE_CHRONOLOGICAL, [1.0], "before").sum())
"""
    paths = filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-W", "ignore", "-c", script]  # compiling the packages below us warns
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("10.0\n", "")


@pytest.mark.parametrize("scale", [1e-200, 1e-13, 1.0, 1e15])
def test_the_compiled_way_finds_moments_far_from_the_times_of_the_updates(scale: float) -> None:
    every = np.arange(20)
    time = (every - 1) * scale / 20
    stream = Stream.of(time, np.ones(20), np.zeros(20), every, every, time)
    traces = Traces(np.array([0, 2, 3]), np.array([-2e6, 2e18, 0.0]), np.array([9.0, 15.0, 9.0]))
    speed = np.ones(2)
    found = compiled_gains.newest_first_gains(stream, traces, speed, [powers(0.5, 4)])
    assert found.tolist() == [reads_of(stream, traces, speed).gains(0.5).tolist()]
    assert found.min() > 0.9


def test_parts_of_the_users_are_the_same_users(monkeypatch: pytest.MonkeyPatch) -> None:
    from irmx_stream import gains as stream_utility

    stream = drawn_stream(3, 90, 30, 8)
    users = Population(MA="2m", SA="1m", MD="20s", SD="9s").draw(50)
    traces = simulate(users, 3000.0)
    whole = reads_of(stream, traces, users.speed)
    monkeypatch.setattr(stream_utility, "_AT_ONCE", 7 * len(stream.update))
    parts = reads_of(stream, traces, users.speed)
    for name in ("user", "nugget", "update", "alpha"):
        assert (getattr(parts, name) == getattr(whole, name)).all()
    assert len(whole.user) > 50


def test_a_repeated_update_can_give_what_its_first_emission_did_not() -> None:
    """The first emission lies below an update that takes all the time; the second is on top."""
    updates = {"doc_id": ["u", "long", "u"], "timestamp": [0, 1, 50], "length": [5, 100, 5]}
    nuggets = {"doc_id": ["u"], "iteration": ["n"], "timestamp": [0]}
    traces = Traces(np.array([0, 2]), np.array([10.0, 60.0]), np.array([50.0, 100.0]))
    assert msu(updates, nuggets, traces, 1.0, L=1).value == 1
    assert msu({k: v[:2] for k, v in updates.items()}, nuggets, traces, 1.0, L=1).value == 0


def test_standard_error_is_that_of_the_mean_and_of_a_ratio() -> None:
    gains = np.array([1.0, 2.0, 4.0, 5.0])
    found = mean_gain(gains)
    assert found.value == 3
    assert found.standard_error == pytest.approx(np.std(gains, ddof=1) / 2)
    amounts = np.array([2.0, 0.0, 1.0, 4.0])
    by_user, of_means = mean_gain(gains, amounts), mean_gain(gains, amounts, "of_means")
    assert (by_user.value, of_means.value) == ((0.5 + 0 + 4 + 1.25) / 4, 12 / 7)
    assert by_user.standard_error == pytest.approx(np.std([0.5, 0, 4, 1.25], ddof=1) / 2)
    assert of_means.standard_error == pytest.approx(np.std(gains - 12 / 7 * amounts, ddof=1) / 2 / 1.75)
    for ratio in ("by_user", "of_means"):
        assert mean_gain(gains, np.full(4, 2.0), ratio).standard_error == pytest.approx(found.standard_error / 2)
        assert mean_gain(gains, gains, ratio).value == 1
        assert mean_gain(gains, gains, ratio).standard_error == pytest.approx(0, abs=1e-15)
        nothing = mean_gain(gains, np.zeros(4), ratio)
        assert (nothing.value, nothing.standard_error) == (0, 0)
    assert math.isnan(mean_gain(gains[:1]).standard_error)
    nobody = msu({"doc_id": ["u"], "timestamp": [1], "length": [1]}, {"doc_id": ["u"], "iteration": ["n"], "timestamp": [0]},
                 Traces(np.array([0]), np.empty(0), np.empty(0)), 1.0)  # fmt: skip
    assert (nobody.value, nobody.users) == (0, 0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        *(
            ({"L": loss}, rf"L must be a number in the range \[0, 1\]. Got {loss!r} instead")
            for loss in (1.5, -0.5, "x", None)
        ),
        ({"interface": "ranked"}, r"interface must be a reading interface such as irmx\.ranked .* Got 'ranked'"),
        ({"per": "hour"}, "per must be one of None, 'second', 'update_read', 'update_emitted'"),
        ({"ratio": "mean"}, "ratio must be one of 'by_user', 'of_means'. Got 'mean' instead"),
        ({"late": "after"}, "late must be one of 'before', 'at'. Got 'after' instead"),
        ({"same_time": "score"}, "same_time must be one of 'id', 'run'. Got 'score' instead"),
        ({"speeds": 0.0}, r"more than 0 words per second\. Got 0\."),
        ({"speeds": [1.0, math.nan]}, r"more than 0 words per second\. Got nan of user 1"),
        ({"speeds": [1.0, 2.0, 3.0]}, "There are 3 speeds for the traces of 2 users"),
        ({"speeds": "quick"}, "The speeds must be an array of numbers. Got 'quick'"),
    ],
)
def test_requests_that_cannot_be(changes: dict[str, Any], said: str) -> None:
    updates, nuggets, traces = paper()
    traces = Traces(np.array([0, 2, 4]), traces.start, traces.duration)
    with pytest.raises(irmx.UsageError, match=said):
        msu(updates, nuggets, traces, **{"speeds": 1.0, **changes})


@pytest.mark.parametrize(
    ("table", "column", "value", "said"),
    [
        ("updates", "length", -1.0, r"updates, row 0 .*: the length must be .* in the range \[0, inf\). Got -1.0"),
        ("updates", "timestamp", math.nan, "updates, row 0 .*: the timestamp is missing"),
        ("updates", "length", None, "lacks the column 'length', length of the update. It has: doc_id, timestamp"),
        ("nuggets", "timestamp", "soon", "nuggets, row 0 .*: the timestamp must be a number. Got 'soon'"),
        ("nuggets", "iteration", None, "nuggets lacks the column 'iteration'"),
    ],
)
def test_tables_that_lack_something(table: str, column: str, value: Any, said: str) -> None:
    updates, nuggets, traces = paper()
    changed = {"updates": updates, "nuggets": nuggets}[table]
    if value is None:
        del changed[column]
    else:
        changed[column] = changed[column].astype(object)
        changed.loc[0, column] = value
    with pytest.raises(irmx.DataError, match=said):
        msu(updates, nuggets, traces, 1.0)


def test_a_nugget_with_two_times_is_refused() -> None:
    updates, nuggets, traces = paper()
    nuggets.loc[nuggets["doc_id"] == "u5", "timestamp"] += 1
    with pytest.raises(irmx.DataError, match="nugget 'n14' has two times"):
        msu(updates, nuggets, traces, 1.0)
