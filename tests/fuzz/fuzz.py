"""Fuzzing: random inputs for everything that reads something, for a time, on several cores.

    tox -e fuzz -- --minutes 30 --jobs 2 --seed 1
    python tests/fuzz/fuzz.py --target jsonl-run --only 12345
    python tests/fuzz/fuzz.py --replay tests/fuzz/regressions/*/*

Prints a table with one row per target, and the findings, each made smaller and kept as a regression file. The exit code is 1
if there was a finding.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from importlib import metadata
from pathlib import Path

from outcomes import ACCEPTED, FINDINGS, REFUSED, Outcome
from regression_files import FOLDER, content_of, keep, smaller
from targets import all_targets
from workers import Worker, outcomes_of

from irmx import counted

AT_ONCE = 20
"""How many inputs of a target a worker runs before it turns to the one that had the least time."""

SHRINKING = 4.0
"""The seconds that a finding is made smaller."""


@dataclass
class Finding:
    """A cause, with the first input that showed it, made smaller."""

    target: str
    number: int
    outcome: Outcome
    content: bytes
    path: Path | None = None
    times: Counter[str] = field(default_factory=Counter)


@dataclass
class Tally:
    """What became of the inputs of a target."""

    outcomes: Counter[str] = field(default_factory=Counter)
    next_number: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_number: int = 0


class Fuzzing:
    """One run of the fuzzer: its targets, what became of their inputs, and the findings.

    Attributes
    ----------
    tallies : dict of str to Tally
        By target.
    findings : list of Finding
        One per cause.
    """

    def __init__(self, targets: list[str], seed: int, folder: Path, keep_in: Path | None) -> None:
        self.tallies = {name: Tally() for name in targets}
        self.findings: dict[tuple[str, str], Finding] = {}
        self._seed, self._folder, self._keep_in = seed, folder, keep_in
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._mistakes: list[Exception] = []

    def work(self, minutes: float, jobs: int) -> None:
        """Run inputs until the time is over or Ctrl-C."""
        end = time.monotonic() + 60 * minutes
        threads = [threading.Thread(target=self._work, args=(end,)) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            print("Stopping.", file=sys.stderr)
            self._stopped.set()
            for thread in threads:
                thread.join()

        if self._mistakes:
            raise self._mistakes[0]

    def _work(self, end: float) -> None:
        try:
            self._work_until(end)
        except Exception as mistake:  # of the fuzzer
            self._mistakes.append(mistake)
            self._stopped.set()

    def _work_until(self, end: float) -> None:
        worker = Worker(self._folder)
        while time.monotonic() < end and not self._stopped.is_set():
            with self._lock:
                name, tally = min(self.tallies.items(), key=lambda pair: pair[1].seconds)
                numbers = range(tally.next_number, tally.next_number + AT_ONCE)
                tally.next_number += AT_ONCE
                tally.seconds += 0.1  # so that the other worker takes another target
            for number in numbers:
                if time.monotonic() > end or self._stopped.is_set():
                    break
                outcome = worker.run(name, (self._seed, number))
                self._count(name, number, outcome)
                if outcome.is_finding:
                    worker = self._found(worker, name, number, outcome)
        worker.kill()

    def _count(self, name: str, number: int, outcome: Outcome) -> None:
        with self._lock:
            tally = self.tallies[name]
            tally.outcomes[outcome.kind] += 1
            tally.seconds += outcome.seconds
            if outcome.seconds > tally.slowest:
                tally.slowest, tally.slowest_number = outcome.seconds, number

    def _found(self, worker: Worker, name: str, number: int, outcome: Outcome) -> Worker:
        """Record a finding, make it smaller if it is new, and return a worker that lives."""
        with self._lock:
            is_new = outcome.cause not in self.findings
            found = self.findings.setdefault(outcome.cause, Finding(name, number, outcome, worker.content()))
            found.times[name] += 1
        if is_new:
            print(f"{name} --only {number}: {outcome.kind}: {outcome.where}", file=sys.stderr, flush=True)
            worker = self._made_smaller(worker, found)
        return self._living(worker, outcome)

    def _living(self, worker: Worker, outcome: Outcome) -> Worker:
        if worker.alive and outcome.kind not in ("memory", "hang"):
            return worker
        worker.kill()
        return Worker(self._folder)

    def _made_smaller(self, worker: Worker, found: Finding) -> Worker:
        worker = self._living(worker, found.outcome)

        def remains(content: bytes) -> bool:
            nonlocal worker
            outcome = worker.run(found.target, content)
            worker = self._living(worker, outcome)
            return outcome.cause == found.outcome.cause

        if found.outcome.kind not in ("hang", "memory"):
            found.content = smaller(found.content, remains, SHRINKING)
        if self._keep_in is not None:
            found.path = keep(self._keep_in, found.target, found.content, found.outcome)
        return worker


def totals(tallies: dict[str, Tally]) -> str:
    """Return a sentence about all targets."""
    outcomes = sum((tally.outcomes for tally in tallies.values()), Counter())
    found = ", ".join(f"{kind} {outcomes[kind]:,}" for kind in FINDINGS)
    return (
        f"{outcomes.total():,} inputs, of which {outcomes[REFUSED]:,} were refused and {outcomes[ACCEPTED]:,} accepted. "
        f"Findings: {found}."
    )


HEAD = ["target", "inputs", "refused", "accepted", *FINDINGS, "slowest"]


def table(tallies: dict[str, Tally]) -> str:
    """Return what became of the inputs as a table in Markdown."""
    everything = Tally(
        sum((t.outcomes for t in tallies.values()), Counter()), slowest=max(t.slowest for t in tallies.values())
    )
    rows = []
    for name, tally in (tallies | {"all": everything}).items():
        counts = [tally.outcomes.total(), *(tally.outcomes[kind] for kind in (REFUSED, ACCEPTED, *FINDINGS))]
        rows.append([name, *(f"{count:,}" for count in counts), f"{tally.slowest:.2g} s"])
    lines = [HEAD, ["---"] + ["---:"] * (len(HEAD) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


PAGE = """# Fuzzing

What becomes of random inputs: mutated files of every format, texts of measures, command lines, extreme data, plugins that return
nonsense, and faults while a command runs. `CONTRIBUTING.md` says how it works.

```console
$ tox -e fuzz -- --minutes {minutes:g} --jobs {jobs} --seed {seed} --report docs/results/fuzzing.md
```

makes this page. An input must be accepted or refused with a message for the user; the other columns are findings. Runs and qrels
that are accepted must have the rows and values of a strict reader in plain Python, a measure must parse back to an equal one, a
value must be in its range and, where pytrec_eval has it, equal to that of pytrec_eval. The slowest input is in seconds of a
machine that runs {jobs} of them at the same time.

{totals}

{table}

{count} on {date}, commit {commit}; {versions}.{findings}
"""


def page(fuzzing: Fuzzing, minutes: float, jobs: int, seed: int) -> str:
    """Return the page of results."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=FOLDER
    ).stdout.strip()
    packages = ("irmx", "numpy", "pyarrow", "pandas", "ir_measures", "pytrec-eval-terrier")
    versions = ", ".join(f"{package} {metadata.version(package)}" for package in packages)
    findings = [
        f"* `--target {found.target} --only {found.number}`: {found.outcome.kind}, {found.outcome.where}"
        for found in fuzzing.findings.values()
    ]
    return PAGE.format(
        minutes=minutes, jobs=jobs, seed=seed, totals=totals(fuzzing.tallies), table=table(fuzzing.tallies), findings="\n".join(["", "", *findings] if findings else []), count=counted(len(findings), "finding"), date=date.today(),
        commit=commit, versions=f"Python {platform.python_version()}, {versions}",
    )  # fmt: skip


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long, in total (default 5)")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="other inputs for another seed (default 1)")
    parser.add_argument(
        "--target", action="append", help="a target, or the start of its name; may be repeated (default all)"
    )
    parser.add_argument("--only", type=int, help="run the input of this number alone, and print what becomes of it")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="run these regression files")
    parser.add_argument("--keep", type=Path, default=FOLDER, metavar="FOLDER", help="where findings are kept")
    parser.add_argument("--report", type=Path, metavar="FILE.md", help="also write the table to this page")
    arguments = parser.parse_args()
    targets = [t for t in all_targets() if not arguments.target or t.startswith(tuple(arguments.target))]
    if not targets:
        parser.error(f"there is no target {arguments.target}; there are {', '.join(all_targets())}")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        if arguments.replay or arguments.only is not None:
            inputs = [(p.parent.name, content_of(p)) for p in arguments.replay or ()]
            if arguments.only is not None:
                inputs += [(t, all_targets()[t].input(arguments.seed, arguments.only)) for t in targets]
            return replay(inputs, Path(folder))
        fuzzing = Fuzzing(targets, arguments.seed, Path(folder), arguments.keep)
        fuzzing.work(arguments.minutes, arguments.jobs)
    print(table(fuzzing.tallies))
    if arguments.report is not None:
        arguments.report.write_text(page(fuzzing, arguments.minutes, arguments.jobs, arguments.seed), encoding="utf-8")
    for found in fuzzing.findings.values():
        times = ", ".join(f"{name} {count:,} times" for name, count in found.times.items())
        print(
            f"\n--target {found.target} --only {found.number}: {found.outcome.kind}: {found.outcome.where}\n  in {times}"
        )
        print(
            f"  {found.content[:200]!r}\n  {found.outcome.text.strip()[:100]!r} ... {found.outcome.text.strip()[-500:]!r}\n  {found.path}"
        )
    return int(bool(fuzzing.findings))


def replay(inputs: list[tuple[str, bytes]], folder: Path) -> int:
    """Run inputs, print what became of each, and return 1 if there was a finding."""
    found = 0
    for (name, content), outcome in zip(inputs, outcomes_of(inputs, folder), strict=True):
        found |= outcome.is_finding
        print(f"{name}: {content[:300]!r}\n{outcome.kind}, {outcome.seconds:.2g} s: {outcome.text}\n")
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
