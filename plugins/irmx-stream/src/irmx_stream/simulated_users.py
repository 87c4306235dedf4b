"""Simulated users on the streams of several runs and topics, in several settings that share the simulation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from irmx import DataWarning
from irmx.ragged import Floats
from irmx_stream.gains import Utility, amounts_of, compiled_for, gains_of, mean_gain
from irmx_stream.interfaces import ReadingInterface
from irmx_stream.population import MOST_USERS, Population, Users
from irmx_stream.streams import Stream, Streams
from irmx_stream.traces import Traces, cut, simulate

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
    """

    L: float
    per: str | None
    late: str
    ratio: str


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
        for late in dict.fromkeys(settings[i].late for i in self.pending):
            these = [i for i in self.pending if settings[i].late == late]
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
