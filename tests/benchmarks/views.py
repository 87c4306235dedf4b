"""Benchmark of views: 129 TREC-8 runs, read once, scored under 50 nested random subsets of the judgments.

    IRMX_DATA=... python tests/benchmarks/views.py [--runs 129] [--subsets 50]

Ten measures of irmx on views of one join per run, AP of irmx-trec on the same views, and AP of pytrec_eval with qrels made
of the same subsets. CPU seconds of one process; the runs are independent, so two cores take half of them. Nothing here
is a test.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytrec_eval
from run import TEN, trec8_files
from timing import table

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


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=129)
    parser.add_argument("--subsets", type=int, default=50)
    args = parser.parse_args()
    with TemporaryDirectory() as scratch:
        qrels_path, paths = trec8_files(Path(os.environ["IRMX_DATA"]), scratch)
        paths = paths[: args.runs]
        judgments = irmx.read_qrels(str(qrels_path))
        reading, joins = cpu_seconds(lambda: [irmx.Join(irmx.read_run(str(path)), judgments) for path in paths])
        cutting, subsets = cpu_seconds(lambda: nested_subsets(judgments, args.subsets))
        rows = [["read the run files", f"{reading:.1f} s", ""], ["cut the judgments", f"{cutting:.1f} s", ""]]

        def views(measures: Any) -> list[Any]:
            return [irmx.score_joined([join.with_judgments(cut) for join in joins], measures) for cut in subsets]

        count = len(joins) * len(subsets)
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
        for name, seconds in (
            ("ten measures, views", ten),
            ("AP, views", ap),
            ("AP, pytrec_eval, dicts in memory", theirs),
        ):
            rows.append([name, f"{seconds:.1f} s", f"{1e3 * seconds / count:.2f} ms"])
        print("\n".join(table([f"{len(joins)} runs, {len(subsets)} subsets", "CPU", "per run and subset"], rows)))
        print(f"\nten measures / AP of pytrec_eval: {ten / theirs:.3f}; AP / AP of pytrec_eval: {ap / theirs:.3f}")
        print(f"largest difference of AP: {difference:.1e}")


if __name__ == "__main__":
    main()
