"""What the benchmarks share: rows of the table, jobs timed in turns, processes measured from outside, and invented collections."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Job = Callable[[], Any]

# -- rows --------------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """One comparison: what irmx and a peer need for the same work, and the largest ratio wanted, empty for none."""

    work: str
    ours: float
    peer: str
    theirs: float
    wanted: str = ""
    unit: str = "s"

    def cells(self) -> list[str]:
        """Return the row as texts."""
        ratio = self.ours / self.theirs
        shown = f"{ratio:.3f}" if ratio > 0.01 else f"1/{1 / ratio:,.0f}"
        times = [_shown(amount, self.unit) for amount in (self.ours, self.theirs)]
        return [self.work, self.peer, *times, shown, self.wanted]


HEAD = ["work of irmx", "peer", "irmx", "peer", "ratio", "goal"]
"""The columns of a row."""


def _shown(amount: float, unit: str) -> str:
    for prefix, scale in (("", 1.0), ("m", 1e-3), ("µ", 1e-6)):
        if amount >= scale or unit == "GB":
            return f"{amount / scale:.3g}\N{NO-BREAK SPACE}{prefix}{unit}"
    return f"{amount / 1e-9:.3g}\N{NO-BREAK SPACE}n{unit}"


# -- times -------------------------------------------------------------------------------------------------------------


def in_turns(*jobs: Job, rounds: int, seconds: Callable[[Job], float] | None = None) -> list[float]:
    """Return the best time of each job, after one uncounted round; ``seconds`` runs a job and says what it took."""
    best = [float("inf")] * len(jobs)
    for counted in range(rounds + 1):
        for i, job in enumerate(jobs):
            took = (seconds or _wall)(job)
            if counted:
                best[i] = min(best[i], took)
    return best


def _wall(job: Job) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def cpu(job: Job) -> float:
    """Return the CPU seconds of a job, with those of the processes that it starts and waits for."""

    def used() -> float:
        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in both)

    before = used()
    job()
    return used() - before


# -- processes ---------------------------------------------------------------------------------------------------------

EVAL = ("-c", "import irmx.cli; irmx.cli.main()", "eval", "-p", "-1")
"""Arguments of Python that run ``irmx eval``."""


STARTED = """
import resource, subprocess, sys, time
start = time.perf_counter()
printed = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=True).stdout
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6, time.perf_counter() - start, printed)
"""


class Used(NamedTuple):
    """What a process printed, its CPU seconds, its peak memory in GB, and the seconds that passed."""

    printed: str
    cpu: float
    memory: float
    wall: float


def process(*arguments: str) -> Used:
    """Run a Python process, and return what it used.

    A small process starts it, as what is started begins with the peak memory of its parent.
    """
    # what it imports is compiled in an installation
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", STARTED, sys.executable, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    *used, printed = done.stdout.split(" ", 3)
    return Used(printed, *map(float, used))


# -- collections -------------------------------------------------------------------------------------------------------


def collection(topics: int = 250, depth: int = 1000) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return qrels and a run as dicts of dicts: 60 relevant documents a topic, of which 40 are retrieved."""
    rng = random.Random(1)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in range(topics):
        docs = [f"doc{d:08d}" for d in rng.sample(range(10**8), depth)]
        run[f"q{topic}"] = {d: rng.random() * 20 for d in docs}
        judged = rng.sample(docs, 100)
        grades = dict.fromkeys(judged[:40], 1) | dict.fromkeys(judged[40:], 0)
        qrels[f"q{topic}"] = grades | {f"missed{topic}-{i}": 1 for i in range(20)}
    return qrels, run
