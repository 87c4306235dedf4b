"""Explanations of MSU: a table of what users read in each update and how late, and a picture of their visits."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Rankings
from irmx.ragged import Floats, segment_sum
from irmx_stream.columns import NUGGET_TIME, QUERY_START, TIMESTAMP
from irmx_stream.gains import Reads, amounts_of, reads_of, units_of
from irmx_stream.interfaces import ReadingInterface
from irmx_stream.nuggets import Nuggets, places_of_updates
from irmx_stream.simulated_users import Crowd, Setting, utilities
from irmx_stream.streams import Stream, Streams, in_order
from irmx_stream.traces import Traces, simulate


def table_of_reads(
    rankings: Rankings,
    streams: Streams,
    crowd: Crowd,
    setting: Setting,
    same_time: str,
) -> dict[str, Any]:
    """Return one row per nugget of the first topic and update in which some user first reads it, by time of the update.

    The columns: the nugget; the update; when the nugget was known and the update emitted, in hours from the start of
    the topic's window; the words of the update; the share of users who first read the nugget there; the mean number of
    sessions by which they are late; and the contribution to the value.
    """
    stream, window = streams.each[0], float(streams.window[0])
    count = utilities([streams], crowd, [setting])[0][0][0].users
    users = crowd.of(0, count)
    traces = simulate(users, window, crowd.seed)
    reads = reads_of(stream, traces, users.speed, crowd.interface, setting.late)
    amounts = amounts_of(setting.per, stream, traces, users.speed, crowd.interface)
    units = count * units_of(amounts, count, setting.ratio)
    size = max(len(stream.nugget_time), 1)
    pair, which = np.unique(reads.update * size + reads.nugget, return_inverse=True)
    update, nugget = np.divmod(pair, size)
    readers = np.bincount(which, minlength=len(pair))
    late = segment_sum(reads.alpha, which, len(pair))
    gain = segment_sum(reads.gain_of_each(setting.L) / units[reads.user], which, len(pair))
    words = stream.length[update]
    docs, names = _names(rankings, float(rankings.topic_column(QUERY_START)[0]), window, same_time)
    return {
        "nugget": [names[i] for i in nugget.tolist()],
        "doc_id": [docs[i] for i in update.tolist()],
        "known_h": stream.nugget_time[nugget] / 3600,
        "emitted_h": stream.time[update] / 3600,
        "words": words.astype(np.int64) if np.all(words % 1 == 0) else words,
        "read_by": readers / count,
        "sessions_late": late / readers,
        "contribution": gain,
    }


def _names(rankings: Rankings, start: float, window: float, same_time: str) -> tuple[list[str], list[str]]:
    """Return the ids of the first topic's updates in the order of its stream, and of its nuggets."""
    run = rankings.run_rows
    here = slice(run.offsets[0], run.offsets[1])
    time = run.column(TIMESTAMP, missing_ok=True)
    there = np.flatnonzero(time[here] - start <= window)
    docs = run.doc_ids
    further = [places_of_updates(rankings)[here][there]] if same_time == "id" else []
    placed = there[in_order(time[here][there], run.score[here][there], *further)]
    nuggets = Nuggets.of(rankings)
    count = int(np.count_nonzero(nuggets.topic == 0))
    by_time = np.argsort(nuggets.column(NUGGET_TIME)[:count], kind="stable")
    return [docs[i] for i in placed.tolist()], [nuggets.names[i] for i in by_time.tolist()]


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
