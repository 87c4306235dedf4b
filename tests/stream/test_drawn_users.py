"""The picture of MSU's users: their sessions, and what they read in them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_stream import Population, msu, simulate, stream_of

DAY = 86400.0
UPDATES = {"doc_id": ["u1", "u2", "u3"], "timestamp": [3600, 5000, 90000], "length": [24, 40, 30]}
UPDATES["score"] = [0.9, 0.5, 0.7]
NUGGETS = {"doc_id": ["u1", "u3"], "iteration": ["n1", "n2"], "timestamp": [0, 100]}


def plotted(measure: str) -> Any:
    nuggets = pd.DataFrame(NUGGETS).assign(query_id="q", relevance=1, query_start=0, query_end=3 * DAY)
    return irmx.plot(measure, nuggets, pd.DataFrame(UPDATES).assign(query_id="q"), "q")


def points(display: Any, label: str) -> list[tuple[float, float]]:
    [line] = [line for line in display.ax_.lines if line.get_label() == label]
    return list(zip(*line.get_data(), strict=True))


@pytest.mark.parametrize(
    ("measure", "seed", "users"), [("MSU", 0, 8), ("MSU(seed=3,L=0.9)", 3, 8), ("MSU(users=5)", 0, 5)]
)
def test_sessions_and_gains_are_those_of_the_simulation(measure: str, seed: int, users: int) -> None:
    display = plotted(measure)
    drawn = Population().draw(users, seed)
    traces = simulate(drawn, 3 * DAY, seed)
    assert points(display, "session") == list(zip(traces.start / DAY, traces.user + 1, strict=True))
    intervals = display.ax_.collections[-1].get_segments()
    np.testing.assert_allclose([s[1, 0] - s[0, 0] for s in intervals], traces.duration / DAY, atol=1e-12)
    gains = msu(UPDATES, NUGGETS, traces, drawn.speed, L=0.9 if "L=" in measure else 0.5).gains
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == ["updates", *(f"user {u + 1}: gain {gain:.2f}" for u, gain in enumerate(gains.tolist()))]


def test_new_nuggets_are_read_in_sessions_after_their_update_is_emitted() -> None:
    display = plotted("MSU")
    sessions = set(points(display, "session"))
    stream = stream_of(UPDATES, NUGGETS)
    first = stream.time[stream.held].min() / DAY
    in_time, late = (points(display, f"new nugget read {when}") for when in ("in time", "late"))
    assert in_time or late
    for x, y in [*in_time, *late]:
        assert x >= first
        assert (x, round(y)) in sessions
    assert points(display, "update with nuggets") == [(3600 / DAY, -0.4), (90000 / DAY, -0.4)]
