"""Benchmark of views: 129 TREC-8 runs, read once, scored under 50 nested random subsets of the judgments.

    IRMX_DATA=... python tests/benchmarks/views.py [--write] [--quick]

Ten measures of irmx on views of one join per run, AP of irmx-trec on the same views, and AP of pytrec_eval with qrels made
of the same subsets. CPU seconds of one process; the runs are independent, so two cores take half of them. Nothing here
is a test.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytrec_eval
from run import TEN, trec8_files
from timing import Made, program

import irmx


def cpu_seconds(job: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds that a job takes, and what it returns."""
    start = time.process_time()
    result = job()
    return time.process_time() - start, result


def nested_subsets(judgments: irmx.Judgments, count: int) -> list[irmx.Judgments]:
    """Return so many random subsets of the judged documents, each part of the one before, in equal steps down to 2%."""
    order = np.random.default_rng(8).random(len(judgments))
    return [judgments.where(order < share, keep_topics=True) for share in np.linspace(1, 0.02, count)]


def report(data: Path, count_of_runs: int | None, count_of_subsets: int) -> str:
    """Run all and return the text."""
    with TemporaryDirectory() as scratch:
        qrels_path, paths = trec8_files(data, scratch)
        judgments = irmx.read_qrels(str(qrels_path))
        reading, runs = cpu_seconds(lambda: [irmx.read_run(str(path)) for path in paths[:count_of_runs]])
    joins = [irmx.Join(run, judgments) for run in runs]
    cutting, subsets = cpu_seconds(lambda: nested_subsets(judgments, count_of_subsets))

    def views(measures: Any) -> list[Any]:
        return [irmx.score_joined([join.with_judgments(cut) for join in joins], measures) for cut in subsets]

    ten, _ = cpu_seconds(lambda: views(TEN))
    ap, ours = cpu_seconds(lambda: views("AP"))
    theirs, evaluators = cpu_seconds(
        lambda: [pytrec_eval.RelevanceEvaluator(cut.as_dict(), {"map"}) for cut in subsets]
    )
    difference = 0.0
    for j, join in enumerate(joins):
        run = join.run.as_dict()
        seconds, values = cpu_seconds(lambda run=run: [evaluator.evaluate(run) for evaluator in evaluators])
        theirs += seconds
        for i, cut in enumerate(subsets):
            known = zip(cut.topics, ours[i][j][0].values.tolist(), strict=True)
            of_topic = [abs(value - values[i][topic]["map"]) for topic, value in known if topic in values[i]]
            difference = max(difference, *of_topic)

    lines = []
    for name, seconds in (("ten measures", ten), ("AP of irmx-trec", ap), ("AP of pytrec_eval", theirs)):
        each = f"{1e3 * seconds / len(joins) / len(subsets):.2f} ms"
        lines.append(f"- {name}: {seconds:.1f} s of CPU, {each} per run and subset, ratio {seconds / theirs:.3f}")
    return "\n".join(
        [
            *lines,
            "",
            f"Reading the {len(joins)} runs takes {reading:.1f} s, cutting the judgments {len(subsets)} times {cutting:.2f} s. The two APs of a",
            f"topic differ by at most {difference:.1e}.",
            "",
        ]
    )


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text."""
    return report(data, 10 if quick else None, 10 if quick else 50) if data else "", {}


ABOUT = """The 129 ad hoc runs of TREC-8 are scored under 50 nested subsets of the judgments, down to 2%: by irmx on
[views of one join](../guide/other-judgments.md) per run, by pytrec_eval from dicts, whose making is not counted.
"""

if __name__ == "__main__":
    program(__doc__, "Other judgments of the same runs", ABOUT, made)
