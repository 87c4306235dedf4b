"""Benchmarks of irmx-stream: users who read one by one in plain Python, and irmx, over the same traces in one process.

    python tests/benchmarks/stream.py [--write] [--quick]

The gains of every user are compared, and must be equal. The real part needs the variable IRMX_DATA, and is left out,
saying so, without it. The last part runs a fixed sample of the paper's sweep through ``irmx_study.sweep`` and says what the
whole would take. Nothing here is a test.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib.metadata
import math
import os
import sys
import tempfile
import textwrap
import threading
import time
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sweep_collection import PAPER, TOPICS, write_collection
from timing import HEAD, Made, Row, in_turns, made_with, program, span

import irmx
import irmx_study
from irmx_stream import MSU, Population, Stream, Traces, compiled_gains, simulate
from irmx_stream.gains import gains_of
from irmx_stream.interfaces import REVERSE_CHRONOLOGICAL

LOSS = 0.5
USERS = 1000


# -- the plain way ---------------------------------------------------------------------------------------------------


def plain_gains(stream: Stream, traces: Traces, speeds: list[float]) -> list[float]:
    """Return what every user gains: walk the sessions, bisect, read updates backwards."""
    time_, length, known = stream.time.tolist(), stream.length.tolist(), stream.nugget_time.tolist()
    holds: dict[int, list[int]] = {}
    for update, nugget in zip(stream.update.tolist(), stream.nugget.tolist(), strict=True):
        holds.setdefault(update, []).append(nugget)
    ends = traces.offsets.tolist()
    gains = []
    for a, b, speed in zip(ends, ends[1:], speeds, strict=False):
        starts, durations = traces.start[a:b].tolist(), traces.duration[a:b].tolist()
        got: dict[int, float] = {}
        newest = -1
        for session, (start, duration) in enumerate(zip(starts, durations, strict=True)):
            top = bisect_right(time_, start)
            room, words, at, read = duration * speed, 0.0, top - 1, False
            while at > newest:
                words += length[at]
                if words > room:
                    break
                read = True
                for nugget in holds.get(at, ()):
                    if nugget not in got:
                        got[nugget] = LOSS ** max(0, session - bisect_right(starts, known[nugget]))
                at -= 1
            if read:
                newest = top - 1
        total = 0.0
        for nugget in sorted(got):
            total += got[nugget]
        gains.append(total)
    return gains


def compared(what: str, cases: list[tuple[Stream, float]], rounds: int, wanted: str) -> Iterator[Row]:
    """Yield the plain way against irmx, compiled and in numpy, over the traces of reasonable users."""
    users = Population().draw(USERS)
    given = [(stream, simulate(users, window)) for stream, window in cases]
    speeds = users.speed.tolist()
    ways: dict[str, Callable[[int], bool]] = {"numpy": lambda work: False}
    try:
        importlib.metadata.version("numba")
        ways["numba"] = lambda work: True
    except importlib.metadata.PackageNotFoundError:
        print("numba is not installed: left out", file=sys.stderr)

    def ours() -> list[Any]:
        return [gains_of(s, t, users.speed, REVERSE_CHRONOLOGICAL, [LOSS], "before")[0] for s, t in given]

    def plain() -> list[list[float]]:
        return [plain_gains(s, t, speeds) for s, t in given]

    for name, in_use in ways.items():
        compiled_gains.in_use = in_use
        equal = all(a.tolist() == b for a, b in zip(ours(), plain(), strict=True))
        if not equal:
            raise SystemExit(f"{what}, {name}: the gains are not equal")
        fast, slow = in_turns(ours, plain, rounds=rounds)
        yield Row(f"{what}, {name}", fast, "plain Python, equal gains", slow, wanted if name == "numba" else "")


def pool_topics(folder: Path) -> list[tuple[Stream, float]]:
    """Return the streams of the three runs on the 15 topics of 2014."""
    import pandas as pd

    names = ["topic", "team", "run", "doc", "sentence", "timestamp", "score"]
    with gzip.open(folder / "runs.cunlp.ssv.gz") as file:
        table = pd.read_csv(file, sep=" ", header=None, names=names, dtype={"topic": str})
    judgments = irmx.read_qrels(f"tst:{folder}")
    out = []
    for _, run in table.groupby("run"):
        rows = pd.DataFrame(
            {
                "query_id": run["topic"],
                "doc_id": run["doc"] + "-" + run["sentence"].astype(str),
                "score": run["score"],
                "timestamp": run["timestamp"],
            }
        )
        streams = MSU.prepare(irmx.rankings(judgments, rows))
        out += list(zip(streams.each, streams.window.tolist(), strict=True))
    return out


def synthetic(updates: int, holders: int, nuggets: int = 150, days: int = 10) -> tuple[Stream, float]:
    """Return an invented stream of a topic."""
    rng = np.random.default_rng(updates)
    window = days * 86400.0
    stream = Stream.of(
        rng.integers(0, window, updates).astype(float),
        rng.integers(5, 60, updates).astype(float),
        rng.random(updates),
        rng.choice(updates, holders),
        rng.zipf(1.3, holders) % nuggets,
        rng.integers(0, window * 0.7, nuggets).astype(float),
    )
    return stream, window


# -- what the cost depends on ------------------------------------------------------------------------------------------


def growth(rounds: int) -> list[tuple[str, float]]:
    """Return what a simulation takes as the updates and the sessions grow, with 500 pairs of update and nugget."""
    out = []
    for updates in (1_000, 10_000, 100_000, 1_000_000):
        out.append(_timed(updates, Population(), "", rounds))
    for away in ("24h", "6h", "1h", "10m", "5m"):
        out.append(_timed(100_000, Population(MA=away, SA=away), f" (MA={away})", rounds))
    return out


def _timed(updates: int, population: Population, what: str, rounds: int) -> tuple[str, float]:
    users = population.draw(USERS)
    stream, window = synthetic(updates, 500)
    traces = simulate(users, window)
    [best] = in_turns(
        lambda: gains_of(stream, traces, users.speed, REVERSE_CHRONOLOGICAL, [LOSS], "before"), rounds=rounds
    )
    return f"{updates:,} updates, {len(traces.start):,} sessions{what}", best


# -- the sweep of the paper ---------------------------------------------------------------------------------------------


def sweep_sample(quick: bool) -> str:
    """Return what a sample of the paper's sweep took, and what the whole would take."""
    sample = {**PAPER, "MD": ["2m"], "SD": ["1*MD"], "SA": ["1*MA"]}
    if quick:
        sample["MA"] = ["10m", "6h"]
    done, every = (math.prod(map(len, grid.values())) for grid in (sample, PAPER))
    with tempfile.TemporaryDirectory() as folder:
        qrels, runs = write_collection(Path(folder))
        with Memory() as memory:
            prepared = _seconds_of(qrels, runs, {"users": [1]})
            spent = _seconds_of(qrels, runs, sample) - prepared
    whole = prepared + spent * every / done
    return (
        f"Of the paper's sweep of {every:,} settings, on {TOPICS} topics and {len(runs)} invented runs with the sizes of its Table 3, "
        f"{done} took {spent:.0f} s on {os.cpu_count()} cores after {prepared:.0f} s of preparation: the whole would take "
        f"{whole / 60:.1f} minutes (wanted: under 30), with {memory.most:.2f} GB (wanted: under 2)."
    )


def _seconds_of(qrels: Path, runs: dict[str, Path], grid: dict[str, list[Any]]) -> float:
    start = time.perf_counter()
    irmx_study.sweep("MSU", grid, qrels, runs, progress=False)
    return time.perf_counter() - start


class Memory:
    """The most memory that this process and its children hold together, in GB; pages that they share count once.

    Read from ``/proc`` twice a second; 0 where there is none.
    """

    most = 0.0

    def __enter__(self) -> Memory:
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            self.most = max(self.most, sum(map(_resident, _family(os.getpid()))) / 2**20)


def _family(pid: int) -> Iterator[int]:
    yield pid
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in tasks.read_text().split():
                yield from _family(int(child))


def _resident(pid: int) -> int:
    """Return the kB of a process, its part of what it shares."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


# -- report ----------------------------------------------------------------------------------------------------------


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text and the tables."""
    warnings.simplefilter("ignore", irmx.DataWarning)
    rounds = 2 if quick else 7
    rows: list[Row] = []
    if data:
        cases = pool_topics(data / "trec_ts" / "2014")
        rows += compared(f"{len(cases)} streams of TREC 2014: three runs, 15 topics", cases, rounds, "1/50")
    for holders in (300, 1000):
        case = synthetic(300_000, holders)
        rows += compared(f"300,000 updates, {holders:,} of them hold a nugget", [case], rounds, "1/50")
    grown = [[what, f"{1000 * best:.1f} ms"] for what, best in growth(rounds)]
    goals = [row.cells() for row in rows if row.wanted]
    lines = [
        f"With numba, irmx takes {span(cells[4] for cells in goals)} times as long (wanted: at most 1/50; [all rows](speed_streams.csv), with numpy too).",
        "[The time by updates and sessions](speed_streams_growth.csv) follows the sessions.",
    ]
    lines += ["", *textwrap.wrap(sweep_sample(quick), 120), ""]
    lines += [made_with("numpy", "scipy", "numba", "joblib"), ""]
    return "\n".join(lines), {
        "speed_streams": [HEAD, *(row.cells() for row in rows)],
        "speed_streams_growth": [["1,000 users, 500 pairs of an update and a nugget", "time"], *grown],
    }


ABOUT = """irmx and plain Python score the same traces of 1,000 reasonable users, with equal gains.
"""

if __name__ == "__main__":
    program(__doc__, "Streams", ABOUT, made)
