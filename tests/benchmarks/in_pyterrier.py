"""Benchmarks of PyTerrier with irmx: what one more measure costs an experiment, and what the entry point costs an import.

    python tests/benchmarks/in_pyterrier.py [--write] [--quick]

The experiments take turns in one process, the imports in processes of their own; times are the best of several rounds.
Nothing here is a test.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
from ir_measures import AP, nDCG
from synthetic import collection
from timing import Made, least_seconds, made_with, program, span

from irmx_markov import GL_AD_ID, MP
from irmx_markov.markov_models import NAMED
from irmx_ncp import NCP

TEN = [*(MP(model=m) for m in NAMED[:8]), NCP(law="uniform"), NCP(law="first")]
IMPORT = """
import importlib.metadata, time
start = time.perf_counter()
import pyterrier
print(time.perf_counter() - start)
"""
WITHOUT = """
import importlib.metadata as metadata
found = metadata.entry_points
def entry_points(**wanted):
    points = found(**wanted)
    return [p for p in points if p.name != "irmx"] if wanted.get("group") == "pyterrier.modules" else points
metadata.entry_points = entry_points
"""
"""Hides the entry point of irmx from what is imported after it."""


def experiments(rounds: int) -> list[tuple[str, float, float, float, str]]:
    """Return, for experiments of 250 topics with 1,000 documents each, the seconds with irmx measures and without."""
    judged, retrieved = collection()
    qrels = pd.DataFrame([(q, d, g) for q, docs in judged.items() for d, g in docs.items()], columns=QRELS)
    run = pd.DataFrame([(q, d, s) for q, docs in retrieved.items() for d, s in docs.items()], columns=RUN)
    topics = pt.new.queries([f"words of {q}" for q in judged], list(judged))
    run = pt.model.add_ranks(run.merge(topics, on="qid"))
    system = pt.Transformer.from_df(run)

    def seconds(measures: list[Any], results: Any, **mode: Any) -> Callable[[], float]:
        def once() -> float:
            start = time.perf_counter()
            pt.Experiment([results], topics, qrels, measures, **mode)
            return time.perf_counter() - start

        return once

    out = []
    for what, more, less, wanted, given in (
        ("MP(model=GL_AD_ID), AP", [MP(model=GL_AD_ID), AP], [AP], "at most 1.15", {}),
        ("MP(model=GL_AD_ID), AP; perquery", [MP(model=GL_AD_ID), AP], [AP], "at most 1.15", {"perquery": True}),
        ("MP(model=GL_AD_ID), AP; batches of 50", [MP(model=GL_AD_ID), AP], [AP], "at most 1.15", {"batch_size": 50}),
        ("ten measures, AP", [*TEN, AP], [AP], "", {}),
        ("MP(model=GL_AD_ID)", [MP(model=GL_AD_ID)], [AP], "", {}),
        ("nDCG@10, AP (both of ir_measures)", [nDCG @ 10, AP], [AP], "", {}),
    ):
        results = system if given else run
        ours, theirs = least_seconds(seconds(more, results, **given), seconds(less, results, **given), rounds=rounds)
        out.append((what, ours, theirs, ours / theirs, wanted))
    return out


QRELS = ["qid", "docno", "label"]
RUN = ["qid", "docno", "score"]


def imports(rounds: int) -> tuple[float, float]:
    """Return the seconds of ``import pyterrier`` with the entry point of irmx and without."""

    def seconds(code: str) -> Callable[[], float]:
        def once() -> float:
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            return float(done.stdout)

        return once

    ours, theirs = least_seconds(seconds(IMPORT), seconds(WITHOUT + IMPORT), rounds=rounds)
    return ours, theirs


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text and the table."""
    rounds = 3 if quick else 10
    return report(experiments(rounds), *imports(2 * rounds))


def report(rows: list[tuple[str, float, float, float, str]], ours: float, theirs: float) -> Made:
    """Return the text and the table."""
    table = [[what, f"{a * 1e3:,.0f} ms", f"{b * 1e3:,.0f} ms", f"{r:.3f}", wanted] for what, a, b, r, wanted in rows]
    goals = span(row[3] for row in table if row[4])
    text = f"""`pt.Experiment` with AP and MP(model=GL_AD_ID) takes {goals} times AP alone (wanted: at most 1.15), for one system
and 250 topics of 1,000 documents ([all rows](speed_pyterrier.csv)). The entry point of irmx adds {(ours - theirs) * 1e3:,.0f} ms to the
{theirs * 1e3:,.0f} ms of `import pyterrier` (wanted: at most 150).

{made_with("pyterrier", "ir_measures", "pandas", "pyarrow")}
"""
    return text, {"speed_pyterrier": [["measures", "in", "AP alone, in", "ratio", "wanted"], *table]}


if __name__ == "__main__":
    program(__doc__, "PyTerrier", "", made)
