"""What the benchmarks share: jobs timed in turns, tables in Markdown, and the section of a program in the page of speed."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "results" / "speed.md"
sys.path.append(str(PAGE.parent))

from markdown_pages import beside  # noqa: E402
from markdown_pages import write_section as write_section  # noqa: E402

Made = tuple[str, dict[str, list[list[str]]]]
"""The text of a section, and the tables beside the page by name, each with its header first."""


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


def shown(seconds: float) -> str:
    """Return a time as a text."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def span(ratios: Iterable[str]) -> str:
    """Return the smallest and the largest of some ratios as a text."""
    ordered = sorted(ratios, key=float)
    return f"{ordered[0]} to {ordered[-1]}"


HEAD = ["irmx computes", "in", "against", "in", "ratio", "wanted: at most"]
"""The columns of a row."""


@dataclass
class Row:
    """One comparison: seconds of irmx and of a peer."""

    what: str
    ours: float
    peer: str
    theirs: float
    wanted: str = ""

    def cells(self) -> list[str]:
        """Return the row as texts."""
        ratio = self.ours / self.theirs
        factor = f"{ratio:.3f}" if ratio > 0.01 else f"1/{1 / ratio:,.0f}"
        return [self.what, shown(self.ours), self.peer, shown(self.theirs), factor, self.wanted]


def made_with(*packages: str) -> str:
    """Return the versions and the cores with which a page was made."""
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"Python {platform.python_version()}, {versions}, {os.cpu_count()} cores."


def program(doc: str, title: str, about: str, made: Callable[[bool, Path | None], Made]) -> None:
    """Print what a benchmark found, which is told whether to be quick and where the real data are; with --write, put it into the page."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--write", action="store_true", help=f"also write the section {title!r} of docs/results/speed.md"
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, or less data")
    args = parser.parse_args()
    data = os.environ.get("IRMX_DATA")
    if not data:
        print("IRMX_DATA is not set: what needs real data is left out", file=sys.stderr)
    text, tables = made(args.quick, Path(data) if data else None)
    print(text)
    for name, rows in tables.items():
        print(f"{name}.csv", *table(rows[0], rows[1:]), sep="\n", end="\n\n")
        if args.write:
            beside(PAGE, name, rows[0], rows[1:])
    if args.write:
        write_section(PAGE, title, f"{about}\n{text}")
