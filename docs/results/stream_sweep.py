"""The sweep of the MSU paper, 2,646 settings of 1,000 users, over an invented collection with the sizes of its runs.

Runs ``irmx sweep`` as a user would, and writes a section of the page ``streams.md`` beside this file: the time it took. Needs no data.
"""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from markdown_pages import write_section
from sweep_collection import PAPER, TOPICS, UPDATES_A_TOPIC, write_collection

import irmx_study

PAGE = Path(__file__).resolve().with_name("streams.md")
TEXT = """\
The sweep of the MSU paper, {settings} settings of 1,000 users, takes {minutes:.0f} minutes on {cores} cores (Python {python}), for {runs} invented
runs over {topics} topics with the sizes of the paper's Table 3, {updates:,} updates in all. The results have {rows:,} rows: a value and its
standard error for every run, topic and setting.

Made by `python docs/results/stream_sweep.py`.
"""


GRID = [f"{name}={','.join(map(str, values))}" for name, values in PAPER.items()]


def sweep(folder: Path, qrels: Path) -> None:
    """Run the command."""
    grid = [word for values in GRID for word in ("--grid", values)]
    command = [sys.executable, "-c", "from irmx.cli import main; main()", "sweep", qrels.name, "run*.parquet"]
    subprocess.run([*command, "--measure", "MSU", *grid, "--out", "results.parquet"], cwd=folder, check=True)


def main() -> None:
    """Run everything and write the section."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, runs = write_collection(folder)
        updates = sum(len(pd.read_parquet(path, columns=["query_id"])) for path in runs.values())
        start = time.perf_counter()
        sweep(folder, qrels)
        minutes = (time.perf_counter() - start) / 60
        results = irmx_study.read_per_topic(folder / "results.parquet")
    text = TEXT.format(
        settings=f"{math.prod(map(len, PAPER.values())):,}",
        runs=len(UPDATES_A_TOPIC),
        topics=TOPICS,
        updates=updates,
        minutes=minutes,
        cores=os.cpu_count(),
        python=platform.python_version(),
        rows=results.values.size,
    )
    write_section(PAGE, "The paper's sweep on one machine", text)


if __name__ == "__main__":
    main()
