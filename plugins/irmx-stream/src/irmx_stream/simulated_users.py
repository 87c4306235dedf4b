"""Simulated users on the streams of several runs and topics, in several settings that share the simulation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from irmx import DataWarning, Rankings
from irmx.ragged import Floats, segment_sum
from irmx_stream.columns import NUGGET_TIME, QUERY_START, TIMESTAMP
from irmx_stream.gains import Reads, Utility, amounts_of, compiled_for, gains_of, mean_gain, pain_of, reads_of, units_of
from irmx_stream.interfaces import ReadingInterface
from irmx_stream.population import MOST_USERS, Population, Users
from irmx_stream.streams import Nuggets, Stream, Streams, in_order, places_of_updates
from irmx_stream.traces import Traces, cut, simulate

# -- simulated users on the streams of several runs and topics -------------------------------------------------------


FIRST_USERS = 1000
"""The initial number of users if it depends on the precision; it is doubled until the precision is reached."""

_AT_ONCE = 2000
"""Number of users that are simulated together; it bounds the memory."""


@dataclass(frozen=True)
class Crowd:
    """The simulated users: a population, and a number of users.

    Attributes
    ----------
    population : Population
        The population that users are drawn from.
    users : int or None
        The number of users; None to add users until the standard error of every value is at most ``precision``.
    precision : float
        See ``users``.
    seed : int
        Seed of all random numbers.
    sampling : {"random", "sobol"}
        How the means of users are drawn.
    interface : ReadingInterface
        How updates are presented to them.
    """

    population: Population
    users: int | None
    precision: float
    seed: int
    sampling: str
    interface: ReadingInterface

    def of(self, first: int, end: int) -> Users:
        """Return the users from ``first`` up to, but excluding, ``end``."""
        return self.population.draw(end, self.seed, self.sampling).some(first, end)

    def checkpoints(self) -> Iterator[int]:
        """Yield the numbers of users at which values are checked."""
        if self.users is not None:
            yield self.users
            return
        users = FIRST_USERS
        while users <= MOST_USERS:
            yield users
            users *= 2


class Setting(NamedTuple):
    """The parameters of a value that do not affect streams and users.

    Attributes
    ----------
    L : float
        The share of the gain that remains for each session of delay.
    per : str or None
        The unit of the value.
    late : {"before", "at"}
        Which sessions make a nugget late.
    ratio : {"by_user", "of_means"}
        How gains are divided by amounts.
    pain : str or None
        The unit of what is read in vain, if that is the value.
    """

    L: float
    per: str | None
    late: str
    ratio: str
    pain: str | None = None


@dataclass
class _Cell:
    """A stream, with the gains of its users so far in every setting, and the amounts they spent."""

    stream: Stream
    run: int
    topic: int
    pending: list[int]
    gains: dict[int, list[Floats]] = field(default_factory=dict)
    amounts: dict[str | None, list[Floats]] = field(default_factory=dict)

    def add(self, traces: Traces, speed: Floats, crowd: Crowd, settings: Sequence[Setting]) -> None:
        for i in self.pending:
            if (unit := settings[i].pain) is not None:
                read, useful = pain_of(self.stream, traces, speed, crowd.interface, unit)
                self.gains.setdefault(i, []).append(read - useful)
        of_gain = [i for i in self.pending if settings[i].pain is None]
        for late in dict.fromkeys(settings[i].late for i in of_gain):
            these = [i for i in of_gain if settings[i].late == late]
            losses = list(dict.fromkeys(settings[i].L for i in these))
            gains = gains_of(self.stream, traces, speed, crowd.interface, losses, late)
            for i in these:
                self.gains.setdefault(i, []).append(gains[losses.index(settings[i].L)])
        for per in {settings[i].per for i in self.pending} - {None}:
            amount = amounts_of(per, self.stream, traces, speed, crowd.interface)
            assert amount is not None
            self.amounts.setdefault(per, []).append(amount)

    def utility(self, number: int, setting: Setting) -> Utility:
        amounts = self.amounts.get(setting.per)
        whole = None if amounts is None else np.concatenate(amounts)
        return mean_gain(np.concatenate(self.gains[number]), whole, setting.ratio)


def utilities(runs: Sequence[Streams], crowd: Crowd, settings: Sequence[Setting]) -> list[list[list[Utility]]]:
    """Return the utility of every run, setting and topic.

    Parameters
    ----------
    runs : sequence of Streams
        The streams of the systems.
    crowd : Crowd
        The users.
    settings : sequence of Setting
        The settings to compute.
    """
    found: dict[tuple[int, int, int], Utility] = {}
    windows: dict[float, list[_Cell]] = {}
    for r, streams in enumerate(runs):
        for t, (stream, window) in enumerate(zip(streams.each, streams.window.tolist(), strict=True)):
            windows.setdefault(window, []).append(_Cell(stream, r, t, list(range(len(settings)))))
    before = 0
    for users in crowd.checkpoints():
        for first in range(before, users, _AT_ONCE):
            some = crowd.of(first, min(first + _AT_ONCE, users))
            whole = simulate(some, max(windows, default=0.0), crowd.seed)
            for window, cells in windows.items():
                _look_in(cells, cut(whole, window), some.speed, crowd, settings, runs)
        for cells in windows.values():
            for cell in cells:
                for i in list(cell.pending):
                    utility = cell.utility(i, settings[i])
                    if users in (crowd.users, MOST_USERS) or utility.standard_error <= crowd.precision:
                        found[cell.run, i, cell.topic] = utility
                        cell.pending.remove(i)
                        del cell.gains[i]
        windows = {w: left for w, cells in windows.items() if (left := [c for c in cells if c.pending])}
        if not windows:
            break
        before = users
    _tell_of_imprecise(crowd, found)
    return [
        [[found[r, i, t] for t in range(len(streams))] for i in range(len(settings))] for r, streams in enumerate(runs)
    ]


def _look_in(
    cells: Sequence[_Cell],
    traces: Traces,
    speed: Floats,
    crowd: Crowd,
    settings: Sequence[Setting],
    runs: Sequence[Streams],
) -> None:
    """Simulate users on streams with the same window; queries of the traces are shared by the runs of a topic."""
    topics: dict[Any, list[_Cell]] = {}
    for cell in cells:
        topics.setdefault(runs[cell.run].topics[cell.topic], []).append(cell)
    for of_topic in topics.values():
        asked = traces
        if not compiled_for(crowd.interface, 0):
            times = [cell.stream.time[cell.stream.held] for cell in of_topic]
            times += [cell.stream.known(late) for cell in of_topic for late in {s.late for s in settings}]
            asked = traces.indexed(np.concatenate(times))
        for cell in of_topic:
            cell.add(asked, speed, crowd, settings)


def _tell_of_imprecise(crowd: Crowd, found: dict[tuple[int, int, int], Utility]) -> None:
    if crowd.users is None:
        short = [u.standard_error for u in found.values() if u.standard_error > crowd.precision]
        if short:
            warnings.warn(
                f"{len(short)} of {len(found)} values did not reach the precision {crowd.precision:g} with {MOST_USERS:,} "
                f"users; the largest standard error is {max(short):.3g}.",
                DataWarning,
                stacklevel=2,
            )


# -- explanations of MSU ---------------------------------------------------------------------------------------------


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
    docs, names = names_in(rankings, 0, float(rankings.topic_column(QUERY_START)[0]), window, same_time)
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


def table_of_pain(streams: Streams, crowd: Crowd, setting: Setting) -> dict[str, Any]:
    """Return what the users of the first topic read, and what of it gives them something, as two rows."""
    stream, window = streams.each[0], float(streams.window[0])
    users = crowd.of(0, utilities([streams], crowd, [setting])[0][0][0].users)
    traces = simulate(users, window, crowd.seed)
    assert setting.pain is not None
    read, useful = (
        float(of_users.mean()) for of_users in pain_of(stream, traces, users.speed, crowd.interface, setting.pain)
    )
    return {
        "doc_id": ["(all that is read)", "(what gives a nugget)"],
        setting.pain: [read, useful],
        "contribution": [read, -useful],
    }


def names_in(
    rankings: Rankings, topic: int, start: float, window: float, same_time: str
) -> tuple[list[str], list[str]]:
    """Return the ids of a topic's updates in the order of its stream, and of its nuggets."""
    run = rankings.run_rows
    here = slice(run.offsets[topic], run.offsets[topic + 1])
    time = run.column(TIMESTAMP)
    there = np.flatnonzero(time[here] - start <= window)
    docs = run.doc_ids[here]
    further = [places_of_updates(rankings)[here][there]] if same_time == "id" else []
    placed = there[in_order(time[here][there], run.score[here][there], *further)]
    nuggets = Nuggets.of(rankings)
    of_topic = np.flatnonzero(nuggets.topic == topic)
    by_time = of_topic[np.argsort(nuggets.column(NUGGET_TIME)[of_topic], kind="stable")]
    return [docs[i] for i in placed.tolist()], [nuggets.names[i] for i in by_time.tolist()]


USERS = 8
"""How many users are drawn, the first of the population."""

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
