"""Runs larger than memory: CPU per line and peak memory of AP as runs grow, beside the reading of ir_measures.

    python tests/benchmarks/large_runs.py [--lines 1e6 1e7 1e8] [--jobs N] [--memory 1GB] [--write docs/results/large_runs.md]

Runs of 1,000 documents per topic, with two judgments per topic so that the qrels stay small, are written to a temporary folder, 45
bytes per line, and deleted afterwards; each is scored in a process of its own. ir_measures is left out of runs of more than 10^7
lines, which it keeps as a dict of dicts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DOCUMENTS, POOL = 1_000, 8_841_823
"""Documents per topic, and documents of the collection, as many as MS MARCO has passages."""
LARGEST_OF_IR_MEASURES = 10**7

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


def measured(*arguments: str) -> tuple[float, float, float]:
    """Return the value that a Python process prints, its CPU seconds and its peak memory in GB; with those of its children."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True) as process:
        printed = process.stdout.read()
        _, _, used = os.wait4(process.pid, 0)
    return float(printed.split()[1]), used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def main() -> None:
    """Print one row per size of run, and write the results page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=float, nargs="+", default=[1e6, 1e7], help="how long the runs are")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes of irmx")
    parser.add_argument("--memory", default="1GB", help="the memory of irmx")
    parser.add_argument("--folder", help="where the runs are written; by default the folder of temporary files")
    parser.add_argument("--write", type=Path, help="also write the results page")
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
    if arguments.write:
        lines_asked = " ".join(f"{lines:.0e}".replace("+0", "") for lines in arguments.lines)
        command = f"python tests/benchmarks/large_runs.py --lines {lines_asked} --write docs/results/large_runs.md"
        arguments.write.write_text(PAGE.format(command=command) + "\n".join(rows) + "\n", encoding="utf-8")


PAGE = """# Runs larger than memory

Made by `{command}`. Runs of 1,000 documents per topic, written by the program, are scored with AP by `irmx eval`, which reads them
in [chunks of topics](../guide/inputs.md#runs-larger-than-memory), and by ir_measures, which reads them whole and is left out of the
longest. CPU time and peak memory are those of the whole process, its start included.

"""


if __name__ == "__main__":
    main()
