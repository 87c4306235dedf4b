"""Traces: simulated ones are those of a plain loop, exactly; recorded ones are checked."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from irmx import DataError, UsageError
from irmx_stream import Population, Traces, Users, cut, read_traces, simulate, traces_for

POPULATIONS = (Population(), Population("5m", "10m", "30s", "60s"), Population("1d", "1d", "15m", 0))


def walk(users: Users, user: int, window: float, seed: int) -> list[tuple[float, float]]:
    """The sessions of one user, one after the other."""
    bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(2,))).jumped(user)
    rng = np.random.Generator(bits)
    t, sessions = 0.0, []
    while True:
        duration = float(users.session[user] * rng.standard_exponential())
        if t + duration > window:
            return sessions
        sessions.append((t, duration))
        t += duration
        t += float(users.away[user] * rng.standard_exponential())


def sessions_of(traces: Traces, user: int) -> list[tuple[float, float]]:
    a, b = traces.offsets[user], traces.offsets[user + 1]
    return list(zip(traces.start[a:b].tolist(), traces.duration[a:b].tolist(), strict=True))


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("window", [0.0, 1.0, 3600.0, 86400.0, 432000.0])
def test_equals_the_plain_loop(population: Population, window: float) -> None:
    users = population.draw(12, seed=6)
    traces = simulate(users, window, seed=6)
    assert [sessions_of(traces, u) for u in range(12)] == [walk(users, u, window, 6) for u in range(12)]


@pytest.mark.parametrize("population", POPULATIONS)
def test_more_users_and_longer_windows_go_on_with_the_same_traces(population: Population) -> None:
    many = simulate(population.draw(40), "4d")
    few = simulate(population.draw(7), "2d")
    shorter = cut(many, 2 * 86400)
    for u in range(7):
        assert sessions_of(few, u) == sessions_of(shorter, u)
        assert sessions_of(many, u)[: len(sessions_of(few, u))] == sessions_of(few, u)
    direct = simulate(population.draw(40), "2d")
    assert shorter.offsets.tolist() == direct.offsets.tolist()
    assert shorter.start.tolist() == direct.start.tolist()
    assert shorter.duration.tolist() == direct.duration.tolist()


def test_other_means_scale_the_times() -> None:
    users = Population().draw(5)
    doubled = Users(2 * users.away, 2 * users.session, users.speed)
    assert simulate(doubled, "6d").start.tolist() == (2 * simulate(users, "3d").start).tolist()


def test_seeds_differ() -> None:
    users = Population().draw(3)
    assert simulate(users, "1d", seed=1).duration[0] != simulate(users, "1d", seed=2).duration[0]


def test_other_traces_and_forgotten_numbers_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    users = Population().draw(20)
    first = simulate(users, "3d", seed=8)
    simulate(Population(MA="2m", SA="2m", MD="10s", SD="5s").draw(20), "3d", seed=8)
    assert simulate(users, "3d", seed=8).start.tolist() == first.start.tolist()
    monkeypatch.setattr("irmx_stream.population._MOST_KEPT", 100)
    assert simulate(users, "3d", seed=8).start.tolist() == first.start.tolist()


def test_durations_and_times_away_have_the_means_of_the_user() -> None:
    users = Users(np.array([3000.0, 600.0]), np.array([100.0, 40.0]), np.ones(2))
    traces = simulate(users, "200d", seed=1)
    for u in range(2):
        start, duration = np.array(sessions_of(traces, u)).T
        away = start[1:] - (start + duration)[:-1]
        assert duration.mean() == pytest.approx(users.session[u], rel=5 / np.sqrt(len(duration)))
        assert away.mean() == pytest.approx(users.away[u], rel=5 / np.sqrt(len(away)))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda u: simulate(u, -1.0), "must be at least 0 seconds long. Got -1.0"),
        (lambda u: simulate(u, "3 parsecs"), "'parsecs' is not a unit"),
        (lambda u: simulate(u, 10.0, seed=-2), "'seed' must be a whole number of at least 0. Got -2"),
        (lambda u: simulate(Users(u.away * 0, u.session, u.speed), 10.0), "must be finite and more than 0"),
        (lambda u: simulate(u, 1e14), "at most 1e.08 are simulated"),
    ],
)
def test_bad_arguments(make: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make(Population().draw(3))


LOG = "user,start,duration,speed\nbo,900,60,4\nal,30,20,3.5\nbo,0,45,5\n"


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "frame"])
def test_a_log_of_any_kind(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"log.{kind}"
    columns = {"user": ["bo", "al", "bo"], "start": [900, 30, 0], "duration": [60, 20, 45], "speed": [4, 3.5, 5]}
    frame = pd.DataFrame(columns)
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind != "frame":
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    recorded = read_traces(frame if kind == "frame" else path)
    assert recorded.users == ["bo", "al"]
    assert [sessions_of(recorded.traces, u) for u in range(2)] == [[(0, 45), (900, 60)], [(30, 20)]]
    assert recorded.speeds is not None
    assert recorded.speeds.tolist() == [4.5, 3.5]


@pytest.mark.parametrize(
    "starts",
    [
        ["1970-01-01T00:00:10", "1970-01-01 00:15:00"],
        ["1970-01-01T01:00:10+01:00", "1970-01-01T00:15:00Z"],
        pd.to_datetime(["1970-01-01T00:00:10", "1970-01-01T00:15:00"]),
        pd.to_datetime(["1970-01-01T00:00:10", "1970-01-01T00:15:00"], utc=True),
        [10, 900],
        ["10", "9e2"],
    ],
)
def test_starts_are_seconds_or_dates(starts: Any) -> None:
    recorded = read_traces(pd.DataFrame({"user": 1, "start": starts, "duration": 5}))
    assert recorded.traces.start.tolist() == [10.0, 900.0]
    assert recorded.speeds is None


def test_sessions_that_follow_at_once_and_of_no_length_are_taken() -> None:
    recorded = read_traces(pd.DataFrame({"user": "a", "start": [10, 10, 0], "duration": [5, 0, 10]}))
    assert sessions_of(recorded.traces, 0) == [(0, 10), (10, 0), (10, 5)]


def test_the_part_within_a_window() -> None:
    starts, durations = [99, 100, 900, 120, 950, 0], [1, 20, 100, 5, 51, 10]
    log = pd.DataFrame({"user": list("aaabbc"), "start": starts, "duration": durations})
    traces = traces_for(read_traces(log), 100, 1000)
    assert [sessions_of(traces, u) for u in range(3)] == [[(0, 20), (800, 100)], [(20, 5)], []]
    with pytest.raises(UsageError, match="must not end before it starts"):
        traces_for(read_traces(log), 1000, 100)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("user,start\na,1\n", "lacks the column 'duration', duration of the session. It has: user, start"),
        ("user,start,duration\n", "log.csv has no rows"),
        ("user,start,duration\na,1,2\n,3,4\n", "line 3: the user is missing"),
        ("user,start,duration\na,1,2\na,5,two\n", "line 3: the duration must be a number .* Got 'two' instead"),
        ("user,start,duration\na,1,2\n\na,5,\n", "line 4: the duration is missing"),
        ("user,start,duration\na,2014-01-01,2\na,2014-31-01,2\n", "line 3: the start must be .* Got '2014-31-01'"),
        ("user,start,duration\na,1,2\na,,2\n", "line 3: the start is missing"),
        ("user,start,duration\na,9,2\nb,0,1\na,5,-1\n", r"line 4: the duration must be .*\[0, inf\). Got '-1'"),
        ("user,start,duration\na,9,2\nb,0,1\na,5,4.5\n", "lines 4 and 2: two sessions of the user 'a' overlap."),
        ("user,start,duration,speed\na,1,2,0\n", r"line 2: the speed must be .*\(0, inf\). Got '0'"),
        ("", "log.csv is empty: it holds no log of visits"),
        ("user,start,duration\na,1,2\na,3,4,5\n", "line 3: 4 fields where the header has 3 columns"),
    ],
)
def test_bad_logs_are_refused_with_the_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=said) as refused:
        read_traces(path)
    assert str(path) in str(refused.value)


def test_what_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no log of visits"):
        read_traces(tmp_path / "none.csv")
    with pytest.raises(DataError, match=r"The log of visits must be .* Got rows of the type int"):
        read_traces([1])  # type: ignore[arg-type]
    (tmp_path / "log.txt").write_text(LOG)
    assert read_traces(tmp_path / "log.txt").users
    (tmp_path / "log.parquet").write_text(LOG)
    with pytest.raises(DataError, match="is not a sound Parquet file"):
        read_traces(tmp_path / "log.parquet")
    with pytest.raises(DataError, match=r"The log of visits, row 1 \(counted from 0\): the duration is missing"):
        read_traces(pd.DataFrame({"user": "a", "start": [1, 2], "duration": [0, np.nan]}))


TWO = {"offsets": [0, 2, 3], "start": [0.0, 60.0, 5.0], "duration": [60.0, 5.0, 9.0]}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"start": [60.0, 0.0, 5.0]}, "Session 1 of user 0 .both counted from 0. starts at 0, before the previous one"),
        ({"start": [0.0, 59.0, 5.0]}, "Session 1 of user 0 .* starts at 59, before the previous one ends at 60"),
        ({"duration": [60.0, 5.0, -1.0]}, "Session 0 of user 1 .* lasts -1 seconds, which is not a duration"),
        ({"duration": [60.0, math.nan, 1.0]}, "Session 1 of user 0 .* lasts nan seconds"),
        ({"start": [0.0, math.inf, 5.0]}, "Session 1 of user 0 .* starts at inf, which is not a time"),
        ({"start": ["noon", "one", "two"]}, "The start of traces must be an array of numbers"),
        ({"start": [[0.0, 60.0, 5.0]]}, "The start of traces must be an array of one dimension. Got 2"),
        ({"offsets": [0, 2]}, "offsets of traces end at 2 sessions, but there are 3 starts and 3 durations"),
        ({"offsets": [0, 3, 2, 3]}, "offsets of traces must ascend from 0"),
        ({"offsets": [1, 3]}, "offsets of traces must ascend from 0"),
        ({"offsets": []}, "offsets of traces must ascend from 0"),
        ({"offsets": [0, 1.5, 3]}, "The offsets of traces must be an array of numbers"),
        ({"end": 64.0}, "Session 1 of user 0 .* ends at 65, after the window's end at 64"),
    ],
)
def test_sessions_that_cannot_be_are_refused_in_words(changes: dict[str, Any], said: str) -> None:
    assert Traces(**TWO, end=65.0).start.tolist() == TWO["start"]  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=said):
        Traces(**{**TWO, **changes})


def test_rounding_makes_no_overlap() -> None:
    """0.1 + 0.2 is more than 0.3; so is it in a log, and in the seconds since 1970 of a topic's window."""
    traces = Traces(np.array([0, 2]), np.array([0.1, 0.3]), np.array([0.2, 0.2]))
    assert len(traces) == 1
    log = pd.DataFrame({"user": "a", "start": 1329910380 + traces.start, "duration": traces.duration})
    assert len(traces_for(read_traces(log), 1329910380, 1329910390).start) == 2


@pytest.mark.parametrize("end", [np.nan, "2d", None])
def test_a_window_that_ends_at_no_time_is_refused(end: Any) -> None:
    with pytest.raises(UsageError, match=r"The end of the window of traces must be a number of seconds"):
        Traces(np.array([0, 1]), np.zeros(1), np.ones(1), end=end)
