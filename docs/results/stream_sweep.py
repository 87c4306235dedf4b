"""The sweep of the MSU paper, 2,646 settings of 1,000 users, over an invented collection with the sizes of its runs.

Runs ``irmx sweep`` as a user would, and writes the page ``stream_sweep.md`` beside this file: the log of the command, the
time it took, and what its results say. Needs no data.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

import irmx
import irmx_study

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "benchmarks"))

from sweep_collection import PAPER, TOPICS, UPDATES_A_TOPIC, write_collection  # noqa: E402

PAGE = """# The paper's sweep on one machine

The sweep of the paper on Modeled Stream Utility, thousands of settings over millions of updates, takes {minutes:.0f} minutes on {cores} cores.

```console
$ python docs/results/stream_sweep.py
```

makes this page: it invents {runs} runs over {topics} topics of 10 days with the sizes of Table 3 of Baruah, Smucker and Clarke
(SIGIR 2015), {updates:,} updates in all, and runs the sweep of the paper over them, with 1,000 users in each setting:

```text
irmx sweep nuggets.parquet 'run*.parquet' --measure MSU {grid} --out results.parquet
```

Its log, with the minutes since it began:

```text
{log}
```

It took {minutes:.1f} minutes on {cores} cores (Python {python}), reading and writing included. The results have {rows:,} rows: a value
and its standard error for every run, topic and setting.

## What the results say of it

The runs are random, so what follows shows the form, not a finding. For the first runs, the setting in which each ranks
best, as in Table 3 of the paper:

{best}

"settings" counts those that give that rank. Kendall's tau between the runs under the reasonable users of the paper
and under every other setting is {low:.3f} at least and {median:.3f} in the median.
"""


def sweep(folder: Path, qrels: Path) -> list[str]:
    """Run the command; return its log with the minutes before every line."""
    grid = [part for name, values in PAPER.items() for part in ("--grid", f"{name}={','.join(map(str, values))}")]
    command = [sys.executable, "-c", "from irmx.cli import main; main()", "sweep", qrels.name, "run*.parquet"]
    start, lines = time.perf_counter(), []
    with subprocess.Popen(
        [*command, "--measure", "MSU", *grid, "--out", "results.parquet"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        parts = folder / "results.parquet.parts"
        while process.poll() is None:
            time.sleep(60)
            done = sum(1 for _ in parts.rglob("output.pkl"))
            if done:
                lines.append(f"{(time.perf_counter() - start) / 60:5.1f}  {done} settings are stored")
        assert process.stdout is not None
        lines += [f"{(time.perf_counter() - start) / 60:5.1f}  {line.rstrip()}" for line in process.stdout]
        if process.returncode:
            raise SystemExit("\n".join(lines))
    return lines


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown."""
    rows = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main() -> None:
    """Run everything and write the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, runs = write_collection(folder)
        updates = sum(len(pd.read_parquet(path, columns=["query_id"])) for path in runs.values())
        start = time.perf_counter()
        log = sweep(folder, qrels)
        minutes = (time.perf_counter() - start) / 60
        results = irmx_study.read_per_topic(folder / "results.parquet")
    ranks = irmx_study.compare(results).frame("ranks")
    best = ranks.sort_values(["best", "first"], ascending=[True, False], kind="stable").head(6).round(3)
    reasonable = irmx.parse_measure("MSU(MD='2m',SD='1m',MA='3h',SA='1.5h',L=0.5)")
    taus = irmx_study.correlate(results, reference=reasonable, resamples=0).frame("views")["tau"]
    grid = " ".join(f"--grid '{name}={','.join(map(str, values))}'" for name, values in PAPER.items())
    page = PAGE.format(
        runs=len(UPDATES_A_TOPIC),
        topics=TOPICS,
        updates=updates,
        grid=grid,
        log="\n".join(log),
        minutes=minutes,
        cores=os.cpu_count(),
        python=platform.python_version(),
        rows=results.values.size,
        best=markdown(best),
        low=taus.min(),
        median=taus.median(),
    )
    Path(__file__).with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
