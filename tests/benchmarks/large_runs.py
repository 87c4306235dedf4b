"""Large and many runs: CPU per line and peak memory of AP as runs grow, beside the reading of ir_measures, and as there are more.

    python tests/benchmarks/large_runs.py [--lines 1e6 1e7 1e8] [--runs 10 1000] [--jobs N] [--memory 1GB] [--write]

Runs of 1,000 documents per topic, with two judgments per topic so that the qrels stay small, are written to a temporary folder, 45
bytes per line, and deleted afterwards; each is scored in a process of its own. ir_measures is left out of runs of more than 10^7
lines, which it keeps as a dict of dicts.

With --runs, so many files of 50 topics x 1,000 documents, of which ten are distinct and the others links to them, are scored by one
command, in one process and in two; the peak memory of two is that of the largest process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from timing import PAGE, write_section

DOCUMENTS, POOL = 1_000, 8_841_823
"""Documents per topic, and documents of the collection, as many as MS MARCO has passages."""
LARGEST_OF_IR_MEASURES = 10**7
TOPICS, DISTINCT = 50, 10
"""Topics of each of many runs, and how many of these are written; the others are links."""

_OURS = ["-c", "from irmx.cli import main; main()", "eval", "-p", "-1"]
_THEIRS = """
import ir_measures, sys
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
print("AP", ir_measures.calc_aggregate([ir_measures.AP], qrels, run)[ir_measures.AP])
"""


def write(folder: Path, lines: int) -> tuple[Path, Path]:
    """Write qrels and a run of so many lines, topic by topic, and return their paths."""
    rng = np.random.default_rng(lines)
    qrels, run = folder / f"{lines}.qrels", folder / f"{lines}.run"
    with open(qrels, "w") as of_qrels, open(run, "w") as of_run:
        for topic in range(lines // DOCUMENTS):
            docs = np.unique(rng.integers(0, POOL, DOCUMENTS + 20))
            docs = rng.permutation(docs)[:DOCUMENTS].tolist()
            scores = np.sort(rng.uniform(0, 30, DOCUMENTS))[::-1].tolist()
            ranked = zip(docs, scores, strict=True)
            of_run.writelines(f"{topic} Q0 D{doc} {i} {score:.6f} system\n" for i, (doc, score) in enumerate(ranked, 1))
            judged = (docs[int(rng.integers(DOCUMENTS))], int(rng.integers(POOL, 2 * POOL)))  # one of them is retrieved
            of_qrels.writelines(f"{topic} 0 D{doc} 1\n" for doc in judged)
    return qrels, run


def printed_by(*arguments: str) -> tuple[str, float, float]:
    """Return what a Python process prints, its CPU seconds and its peak memory in GB; with those of its children."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True) as process:
        printed = process.stdout.read()
        _, _, used = os.wait4(process.pid, 0)
    return printed, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def measured(*arguments: str) -> tuple[float, float, float]:
    """Return the value that a Python process prints, its CPU seconds and its peak memory in GB."""
    printed, seconds, memory = printed_by(*arguments)
    return float(printed.split()[1]), seconds, memory


def write_many(folder: Path, runs: int) -> tuple[Path, list[Path]]:
    """Write qrels and so many runs, and return their paths."""
    qrels, first = write(folder, TOPICS * DOCUMENTS)
    rows = [line.split() for line in first.read_text().splitlines()]
    rng = np.random.default_rng(runs)
    for number in range(runs):
        path = folder / f"{number:05}.run"
        if number >= DISTINCT:
            path.hardlink_to(folder / f"{number % DISTINCT:05}.run")
            continue
        scores = rng.uniform(0, 30, len(rows)).tolist()
        path.write_text("".join(f"{topic} Q0 {doc} {rank} {score:.6f} {number}\n" for (topic, _, doc, rank, *_), score in zip(rows, scores, strict=True)))  # fmt: skip
    first.unlink()
    return qrels, sorted(folder.glob("*.run"))


def of_many(runs: int, folder: str | None, memory: str) -> str:
    """Return the row of a table for so many runs."""
    cells = [f"{runs:,}", f"{runs * TOPICS * DOCUMENTS:,}"]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        qrels, paths = write_many(Path(place), runs)
        printed = set()
        for jobs in ("1", "2"):
            options = ["--memory", memory, "--jobs", jobs, "-o", "csv"]
            text, seconds, peak = printed_by(*_OURS, *options, os.fspath(qrels), os.path.join(place, "*.run"), "AP")
            if text.count("\n") != len(paths) + 1:
                raise AssertionError(f"{text.count(chr(10))} lines are printed for {len(paths)} runs")
            printed.add(text)
            cells += [f"{seconds:.1f} s", f"{peak:.2f} GB"]
        if len(printed) > 1:
            raise AssertionError("two processes have other values than one")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print one row per size of run, and write the results page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=float, nargs="*", default=[1e6, 1e7], help="how long the runs are")
    parser.add_argument("--runs", type=int, nargs="*", default=[], help="how many runs one command scores")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes of irmx")
    parser.add_argument("--memory", default="1GB", help="the memory of irmx")
    parser.add_argument("--folder", help="where the runs are written; by default the folder of temporary files")
    parser.add_argument("--write", action="store_true", help="also write the sections of docs/results/speed.md")
    arguments = parser.parse_args()
    rows = [
        "| lines | irmx, µs of CPU per line | peak memory | ir_measures | peak memory | ratio of CPU |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    print(*rows, sep="\n")
    for lines in map(int, arguments.lines):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            qrels, run = map(os.fspath, write(Path(folder), lines))
            options = ["--memory", arguments.memory, "--jobs", str(arguments.jobs)]
            value, seconds, memory = measured(*_OURS, *options, qrels, run, "AP")
            cells = [f"{lines:,}", f"{seconds / lines * 1e6:.2f}", f"{memory:.2f} GB"]
            if lines <= LARGEST_OF_IR_MEASURES:
                theirs, their_seconds, their_memory = measured("-c", _THEIRS, qrels, run)
                if abs(value - theirs) > 1e-12:
                    raise AssertionError(f"irmx has {value}, ir_measures {theirs}")
                cells += [
                    f"{their_seconds / lines * 1e6:.2f}",
                    f"{their_memory:.2f} GB",
                    f"{seconds / their_seconds:.2f}",
                ]
            else:
                cells += ["-"] * 3
            rows.append(f"| {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    many = [of_many(runs, arguments.folder, arguments.memory) for runs in arguments.runs]
    print(*(_MANY if many else ()), *many, sep="\n")
    if arguments.write:
        write_section(PAGE, "Runs larger than memory", "\n".join([ABOUT, *rows, ""]))
        if many:
            write_section(PAGE, "Many runs", "\n".join([ABOUT_MANY, *_MANY, *many, ""]))


_MANY = [
    "| runs | lines | one process: CPU | peak memory | two: CPU | peak memory |",
    "| ---: | ---: | ---: | ---: | ---: | ---: |",
]


ABOUT = """`irmx eval` computes AP in [chunks of topics](../guide/inputs.md#runs-larger-than-memory) of 1,000 documents each, ir_measures from the whole
run. CPU time and peak memory include the start of the process.
"""
ABOUT_MANY = """One `irmx eval` scores runs of 50 topics with 1,000 documents, in one process and with `--jobs 2` (memory of the larger process). Ten
files are distinct, the others links to them.
"""


if __name__ == "__main__":
    main()
