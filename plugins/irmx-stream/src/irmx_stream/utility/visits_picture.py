"""The picture of users of a stream: when updates are emitted, when users look in, and what they first read then."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx.ragged import Floats
from irmx_stream.interfaces.reading_interface import ReadingInterface
from irmx_stream.updates.prepared_streams import Streams
from irmx_stream.updates.streams import Stream
from irmx_stream.users.traces import Traces, simulate
from irmx_stream.utility.simulated_users import Crowd, Setting
from irmx_stream.utility.stream_utility import Reads, reads_of

USERS = 8
"""So many users are drawn, the first of the population."""

_UNITS = ((2 * 86400.0, 86400.0, "days"), (2 * 3600.0, 3600.0, "hours"), (0.0, 60.0, "minutes"))


def draw_visits(streams: Streams, crowd: Crowd, setting: Setting, ax: Any) -> None:
    """Draw the first users of the first topic: a line per user, their sessions as intervals, marks where they read nuggets.

    Parameters
    ----------
    streams : Streams
        The streams of a run.
    crowd : Crowd
        The users.
    setting : Setting
        What makes a nugget late, and what it is then worth.
    ax : matplotlib.axes.Axes
        Where to draw.
    """
    stream, window = streams.each[0], float(streams.window[0])
    users = crowd.of(0, USERS if crowd.users is None else min(crowd.users, USERS))
    traces = simulate(users, window, crowd.seed)
    reads = reads_of(stream, traces, users.speed, crowd.interface, setting.late)
    unit, name = next((unit, name) for least, unit, name in _UNITS if window >= least)
    _draw_updates(stream, unit, ax)
    of_user = traces.user + 1
    ends = traces.start + traces.duration
    ax.hlines(np.arange(1, len(users) + 1), 0, window / unit, color="#cccccc", linewidth=0.6)
    ax.hlines(of_user, traces.start / unit, ends / unit, color="#555555", linewidth=5)
    ax.plot(traces.start / unit, of_user, "|", color="#555555", markersize=9, markeredgewidth=0.8, label="session")
    _draw_reads(reads, session_starts(reads, stream, traces, users.speed, crowd.interface) / unit, ax)
    gains = reads.gains(setting.L)
    labels = [f"user {user + 1}: gain {gain:.2f}" for user, gain in enumerate(gains.tolist())]
    ax.set_yticks(range(len(users) + 1), ["updates", *labels])
    ax.set_ylim(len(users) + 0.6, -0.8)
    ax.set_xlim(-0.01 * window / unit, 1.01 * window / unit)
    ax.set_xlabel(f"{name} since the start of the topic's window")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def _draw_updates(stream: Stream, unit: float, ax: Any) -> None:
    """Draw when updates were emitted: those with nuggets are longer, and have a mark."""
    held = np.zeros(len(stream), dtype=bool)
    held[stream.held] = True
    time = stream.time / unit
    ax.vlines(time[~held], -0.15, 0.25, color="#aaaaaa", linewidth=0.6)
    ax.vlines(time[held], -0.4, 0.25, color="C2", linewidth=1)
    ax.plot(
        time[held],
        np.full(held.sum(), -0.4),
        "v",
        color="C2",
        markersize=5 if held.sum() < 40 else 3,
        label="update with nuggets",
    )


def _draw_reads(reads: Reads, when: Floats, ax: Any) -> None:
    """Draw a mark at every session in which a user first reads nuggets, above the line if one of them is in time."""
    late = reads.alpha > 0
    for some, shift, look, label in (
        (~late, -0.22, {"marker": "o", "color": "C0"}, "new nugget read in time"),
        (late, 0.24, {"marker": "s", "color": "C1", "markerfacecolor": "white"}, "new nugget read late"),
    ):
        marks = np.unique(np.stack([when[some], reads.user[some] + 1 + shift]), axis=1)
        ax.plot(*marks, **look, linestyle="none", markersize=4.5, label=label)


def session_starts(reads: Reads, stream: Stream, traces: Traces, speed: Floats, interface: ReadingInterface) -> Floats:
    """Return the start of the session of every read, in seconds from the start of the window."""
    if not len(reads.user):
        return np.empty(0)
    session = interface.first_read(stream, traces, speed)
    number = session[reads.user, np.searchsorted(stream.held, reads.update)]
    return np.asarray(traces.start[traces.offsets[reads.user] + number])
