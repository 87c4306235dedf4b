"""What the benchmarks share: jobs timed in turns, and tables in Markdown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any


def least_seconds(*jobs: Callable[[], float], rounds: int) -> list[float]:
    """Return the smallest of the seconds that each job says it took, in turns, after one uncounted round."""
    best = [float("inf")] * len(jobs)
    for counted in range(rounds + 1):
        for i, job in enumerate(jobs):
            seconds = job()
            if counted:
                best[i] = min(best[i], seconds)
    return best


def in_turns(*jobs: Callable[[], Any], rounds: int) -> list[float]:
    """Return the best time of each job, after one uncounted round."""

    def timed(job: Callable[[], Any]) -> Callable[[], float]:
        def seconds() -> float:
            start = time.perf_counter()
            job()
            return time.perf_counter() - start

        return seconds

    return least_seconds(*map(timed, jobs), rounds=rounds)


def table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    """Return a table in Markdown."""
    return ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] + ["---:"] * (len(head) - 1), *rows]]
