"""The reading interfaces do exactly what a user does who reads one update after the other."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmx import UsageError
from irmx_stream import (
    CHRONOLOGICAL,
    PUSH,
    RANKED,
    REVERSE_CHRONOLOGICAL,
    Population,
    ReadingInterface,
    Stream,
    Traces,
    simulate,
)
from irmx_stream.gains import pain_of
from irmx_stream.interfaces import NEVER

from . import plain

CASES: dict[str, tuple[ReadingInterface, str, dict[str, Any]]] = {
    "reverse chronological": (REVERSE_CHRONOLOGICAL, "reverse_chronological", {}),
    "reverse chronological, the paper's text": (
        REVERSE_CHRONOLOGICAL(unread="between_sessions"),
        "reverse_chronological",
        {"unread": "between_sessions"},
    ),
    "chronological": (CHRONOLOGICAL, "chronological", {}),
    "ranked": (RANKED, "ranked", {}),
    "ranked, one persistence": (RANKED(p=0.5), "ranked", {"p": 0.5}),
    "ranked, first only": (RANKED(p=0.0), "ranked", {"p": 0.0}),
    "ranked, to the end": (RANKED(p=1.0, lookback="9s"), "ranked", {"p": 1.0, "lookback": 9}),
    "ranked, short look back": (RANKED(p=0.7, lookback="5s", seed=3), "ranked", {"p": 0.7, "lookback": 5, "seed": 3}),
    "ranked, timed": (RANKED(p=0.9, timed=True), "ranked", {"p": 0.9, "timed": True}),
    "ranked, again": (RANKED(p=0.7, again=True, lookback="9s"), "ranked", {"p": 0.7, "again": True, "lookback": 9}),
    "ranked, timed, again": (RANKED(p=0.9, again=True, timed=True), "ranked", {"p": 0.9, "again": True, "timed": True}),
    "push": (PUSH, "push", {}),
    "push, at most 2 a day": (PUSH(daily_limit=2), "push", {"daily_limit": 2}),
    "push, nothing": (PUSH(daily_limit=0), "push", {"daily_limit": 0}),
}


@st.composite
def streams(draw: st.DrawFn) -> Stream:
    """Few updates, with many equal times, confidences and lengths, some before the window and some of no length."""
    count = draw(st.integers(0, 12))
    column = lambda values: np.array(draw(st.lists(values, min_size=count, max_size=count)), dtype=float)  # noqa: E731
    unit = draw(st.sampled_from([1, 8000]))
    time = unit * column(st.integers(-2, 25))
    length, confidence = column(st.integers(0, 7)), column(st.sampled_from([0.0, 0.5, 1.0]))
    pairs = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, 2)))) if count else set()
    update, nugget = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return Stream.of(time, length, confidence, update, nugget, np.zeros(3))


@st.composite
def traces_and_speeds(draw: st.DrawFn) -> tuple[Traces, list[float]]:
    """A few users; sessions may have no length, may follow at once, and there may be none."""
    offsets, start, duration = [0], [], []
    unit = draw(st.sampled_from([1.0, 8000.0]))
    users = draw(st.integers(0, 3))
    for _ in range(users):
        now = 0.0
        for away, lasting in draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=6)):
            start.append(now)
            duration.append(float(lasting))
            now += lasting + unit * away
        offsets.append(len(start))
    speeds = draw(st.lists(st.sampled_from([0.29, 0.5, 1.0, 2.0, 3.3]), min_size=users, max_size=users))
    last = max((a + b for a, b in zip(start, duration, strict=True)), default=0.0)
    end = draw(st.sampled_from([last, last + 7.0, math.inf]))
    first, seed = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    return Traces(np.array(offsets), np.array(start), np.array(duration), first, seed, end), speeds


def check(name: str, stream: Stream, traces: Traces, speeds: list[float]) -> None:
    interface, walker, parameters = CASES[name]
    users = getattr(plain, walker)(stream, traces, speeds, **parameters)
    speed = np.array(speeds)
    assert interface.first_read(stream, traces, speed).tolist() == plain.first_read(users, stream, NEVER)
    count, seconds = interface.amounts(stream, traces, speed)
    assert count.tolist() == [len(user.reads) for user in users]
    assert seconds.tolist() == [user.seconds for user in users]
    useful = [plain.useful_reads(user, stream) for user in users]
    assert pain_of(stream, traces, speed, interface, "updates")[1].tolist() == list(map(len, useful))
    spent = [sum(stream.length[place] for place in of_user) / s for of_user, s in zip(useful, speeds, strict=True)]
    assert pain_of(stream, traces, speed, interface, "seconds")[1].tolist() == pytest.approx(spent)


@pytest.mark.parametrize("name", CASES)
@given(stream=streams(), users=traces_and_speeds())
def test_equals_the_user_who_reads_one_by_one(name: str, stream: Stream, users: tuple[Traces, list[float]]) -> None:
    check(name, stream, *users)


@pytest.mark.parametrize("name", CASES)
def test_equals_on_a_simulated_population(name: str) -> None:
    rng = np.random.default_rng(5)
    length = 2 * 86400
    time = np.sort(rng.integers(-3600, length, 150)).astype(float)
    stream = Stream.of(
        time, rng.integers(0, 60, 150).astype(float), rng.integers(0, 20, 150) / 20,
        rng.integers(0, 150, 40), rng.integers(0, 15, 40), rng.uniform(0, length, 15),
    )  # fmt: skip
    for population in (Population(), Population(MA="20m", SA="20m", MD="20s", SD="40s")):
        users = population.draw(30, seed=2)
        check(name, stream, simulate(users, length, seed=2), users.speed.tolist())


@pytest.mark.parametrize("name", CASES)
@given(stream=streams())
def test_the_order_is_that_of_one_long_visit(name: str, stream: Stream) -> None:
    interface, walker, parameters = CASES[name]
    order = interface.order(stream)
    assert sorted(order.tolist()) == list(range(len(stream.held)))
    if walker == "push":
        parameters = {}
    if walker == "ranked":
        parameters = {"p": 1.0, "lookback": 1e9}
    visit = Traces(np.array([0, 1]), np.array([1e6]), np.array([1e9]))
    (user,) = getattr(plain, walker)(stream, visit, [1.0], **parameters)
    read = [update for update, _ in user.reads if update in stream.held]
    assert stream.held[np.argsort(order)].tolist() == read


def two_days() -> tuple[Stream, Traces]:
    """Four updates of 10 words at 0, 10, 20 s and one day later; sessions at 15 s and a day later, 10 s long."""
    time = np.array([0.0, 10.0, 20.0, 86400.0])
    stream = Stream.of(time, np.full(4, 10.0), np.array([0.1, 0.9, 0.5, 0.2]), np.arange(4), np.arange(4), time)
    return stream, Traces(np.array([0, 2]), np.array([15.0, 86405.0]), np.array([10.0, 10.0]))


@pytest.mark.parametrize(
    ("interface", "expected"),
    [
        (REVERSE_CHRONOLOGICAL, [NEVER, 0, NEVER, 1]),
        (REVERSE_CHRONOLOGICAL(unread="between_sessions"), [NEVER, 0, NEVER, 1]),
        (CHRONOLOGICAL, [0, 1, NEVER, NEVER]),
        (RANKED(p=0.0), [NEVER, 0, 1, NEVER]),
        (RANKED(p=0.0, again=True), [NEVER, 0, NEVER, NEVER]),
        (RANKED(p=1.0), [0, 0, 1, 1]),
        (RANKED(p=1.0, timed=True), [NEVER, 0, 1, NEVER]),
        (RANKED(p=0.0, lookback="4s"), [NEVER, NEVER, NEVER, NEVER]),
        (PUSH, [0, 0, 1, 1]),
        (PUSH(daily_limit=2), [0, 0, NEVER, 1]),
    ],
)
def test_worked_example(interface: ReadingInterface, expected: list[int]) -> None:
    stream, traces = two_days()
    assert interface.first_read(stream, traces, np.ones(1)).tolist() == [expected]


def test_the_rules_of_the_paper_and_of_the_code_differ_where_a_session_is_too_short_or_an_update_comes_during_one() -> (
    None
):
    """10 words at 0 s, 10 s and 60 s, one word a second; sessions of 5, 12 and 30 s from 10, 50 and 100 s.

    The first session reads nothing. By the code, what it listed waits: the second reads the newest, at 10 s. The paper's text
    lists there what came after 15 s, nothing. The update of 60 s comes after both sessions, and is read at the third.
    """
    time = np.array([0.0, 10.0, 60.0])
    stream = Stream.of(time, np.full(3, 10.0), np.zeros(3), np.arange(3), np.arange(3), time)
    traces = Traces(np.array([0, 3]), np.array([10.0, 50.0, 100.0]), np.array([5.0, 12.0, 30.0]))
    of_text = REVERSE_CHRONOLOGICAL(unread="between_sessions")
    assert REVERSE_CHRONOLOGICAL.first_read(stream, traces, np.ones(1)).tolist() == [[NEVER, 1, 2]]
    assert of_text.first_read(stream, traces, np.ones(1)).tolist() == [[NEVER, NEVER, NEVER]]  # 60 s: during the second
    later = Traces(np.array([0, 3]), np.array([10.0, 50.0, 100.0]), np.array([5.0, 9.0, 30.0]))
    assert of_text.first_read(stream, later, np.ones(1)).tolist() == [[NEVER, NEVER, 2]]  # which ends at 59 s


def test_ranked_forgets_an_update_of_exactly_a_day_ago() -> None:
    stream, _ = two_days()
    late = Traces(np.array([0, 1]), np.array([86400.0]), np.array([100.0]))
    assert RANKED(p=1.0).first_read(stream, late, np.ones(1)).tolist() == [[NEVER, 0, 0, 0]]


def test_an_update_before_the_next_look_is_on_time() -> None:
    """The nugget is known at 20 s, between the sessions, and is pushed then: no session started after it."""
    stream, traces = two_days()
    session = PUSH.first_read(stream, traces, np.ones(1))[0, 2]
    known = int(np.sum(traces.start <= 20))
    assert session - known == 0


def test_the_number_of_updates_read_at_a_visit_is_geometric() -> None:
    users, p = 4000, 0.6
    stream = Stream.of(np.zeros(40), np.ones(40), np.arange(40.0), np.arange(1), np.arange(1), np.zeros(1))
    traces = Traces(np.arange(users + 1), np.zeros(users), np.zeros(users))
    count, _ = RANKED(p=p).amounts(stream, traces, np.ones(users))
    for n in range(1, 8):
        share = np.mean(count == n)
        expected = (1 - p) * p ** (n - 1)
        assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / users)


def test_the_persistence_of_users_is_beta_distributed() -> None:
    users, n = 4000, 3
    stream = Stream.of(np.zeros(60), np.ones(60), np.arange(60.0), np.arange(1), np.arange(1), np.zeros(1))
    traces = Traces(np.arange(users + 1), np.zeros(users), np.zeros(users))
    count, _ = RANKED.amounts(stream, traces, np.ones(users))
    share = np.mean(count >= n)
    expected = (2 * 3) / (4 * 5)  # E[p^2] of Beta(2, 2)
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / users)


def test_ranked_reads_the_same_for_some_of_the_users_and_goes_further_with_a_larger_p() -> None:
    stream, _ = two_days()
    users = Population(MA="1h", SA="30m").draw(20)
    traces = simulate(users, "2d")
    whole = RANKED.first_read(stream, traces, users.speed)
    part = RANKED.first_read(stream, traces.of_users(7, 12), users.speed[7:12])
    assert whole[7:12].tolist() == part.tolist()
    some, more = (RANKED(p=p).amounts(stream, traces, users.speed)[0] for p in (0.3, 0.9))
    assert np.all(more >= some)
    assert not np.array_equal(whole, RANKED(seed=1).first_read(stream, traces, users.speed))


def test_the_last_visit_of_ranked_ends_with_the_window() -> None:
    """One word a second: two updates of 10 words fit into the 20 s that are left, but not into 19."""
    stream, traces = two_days()
    for end, read in ((math.inf, [0, 0, 1, 1]), (86425.0, [0, 0, 1, 1]), (86424.0, [0, 0, 1, NEVER])):
        within = replace(traces, end=end)
        assert RANKED(p=1.0).first_read(stream, within, np.ones(1)).tolist() == [read]
    assert RANKED(p=1.0).amounts(stream, within, np.ones(1))[1].tolist() == [20.0 + 19.0]


def test_the_seed_of_the_users_is_that_of_ranked_unless_it_has_its_own() -> None:
    stream, _ = two_days()
    users = Population(MA="1h", SA="30m").draw(200)
    traces = simulate(users, "2d", seed=4)
    assert traces.seed == 4
    read = [RANKED(**own).first_read(stream, t, users.speed).tolist() for own, t in (
        ({}, traces), ({"seed": 4}, replace(traces, seed=9)), ({}, replace(traces, seed=9)), ({"seed": 9}, traces))]  # fmt: skip
    assert read[0] == read[1] != read[2] == read[3]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: RANKED(p=1.5), "'p' parameter of ranked must be a float in the range"),
        (lambda: RANKED(lookback="0s"), "'lookback' parameter of ranked"),
        (lambda: PUSH(daily_limit=-1), "'daily_limit' parameter of push must be an int in the range"),
        (lambda: CHRONOLOGICAL(p=0.5), "chronological has no parameter 'p'"),
    ],
)
def test_bad_parameters(make: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()
