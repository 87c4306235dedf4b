"""Benchmark of smaller pools: 129 runs ranked by 50 samples of the judgments, with pytrec_eval doing the same beside it.

    [IRMX_DATA=...] python tests/benchmarks/pool.py [--write] [--quick]

The runs are those of TREC-8, or without IRMX_DATA synthetic ones of the same shape. Both tools use two processes. Nothing here is
a test.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytrec_eval
from joblib import Parallel, delayed
from run import TEN, trec8_files
from scipy.stats import kendalltau
from timing import Made, program

import irmx
import irmx_study
from irmx_study.judgment_samples import JudgmentSamples, exact_percentages

LEVELS, SAMPLES, JOBS = (90, 70, 50, 30, 10), 10, 2
RUNS, TOPICS, DEPTH, RELEVANT, JUDGED = 129, 50, 1000, 95, 1737
"""The shape of the synthetic collection: that of TREC-8."""


def synthetic() -> tuple[Any, dict[str, Any]]:
    """Return qrels, and runs that find more relevant documents the larger their number is."""
    rng = np.random.default_rng(8)
    names = np.array([f"doc{d:07d}" for d in range(100_000)])
    judged = [rng.choice(len(names), JUDGED, replace=False) for _ in range(TOPICS)]
    qrels = {
        f"q{t}": dict(zip(names[of].tolist(), [1] * RELEVANT + [0] * (JUDGED - RELEVANT), strict=True))
        for t, of in enumerate(judged)
    }

    def ranking(of: Any, r: int) -> dict[str, float]:
        found = np.append(rng.choice(of, DEPTH // 2, replace=False), rng.choice(len(names), DEPTH, replace=False))
        found = np.unique(found)
        scores = rng.normal(size=len(found)) + np.isin(found, of) + (r / RUNS) * np.isin(found, of[:RELEVANT])
        best = np.argsort(-scores)[:DEPTH]
        return dict(zip(names[found[best]].tolist(), scores[best].tolist(), strict=True))

    runs = {f"r{r}": irmx.read_run({f"q{t}": ranking(of, r) for t, of in enumerate(judged)}) for r in range(RUNS)}
    return qrels, runs


def seconds_of(job: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return the seconds that a job takes, its CPU seconds with those of its processes, and what it returns."""

    def cpu() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    start, before = time.perf_counter(), cpu()
    result = job()
    return time.perf_counter() - start, cpu() - before, result


def evaluated(cuts: list[dict[str, Any]], runs: list[Any], topics: int) -> tuple[float, list[Any]]:
    """Return the CPU seconds of pytrec_eval on some runs with all cuts, and their means of AP and bpref."""
    start = time.process_time()
    evaluators = [pytrec_eval.RelevanceEvaluator(cut, {"map", "bpref"}) for cut in cuts]
    means = []
    for source in runs:
        run = irmx.read_run(source).as_dict()
        by_cut = [evaluator.evaluate(run).values() for evaluator in evaluators]
        means.append([[sum(of[name] for of in values) / topics for name in ("map", "bpref")] for values in by_cut])
    return time.process_time() - start, means


def peer(qrels: Any, runs: dict[str, Any], samples: int) -> tuple[float, Any, Any]:
    """Return the CPU seconds of the same study with pytrec_eval, the means of (runs, cuts, measures), and the taus."""
    start = time.process_time()
    judgments = irmx.read_qrels(qrels)
    masks = JudgmentSamples(exact_percentages(LEVELS), samples, 0, 1).masks(judgments)
    cuts = [judgments.as_dict(), *(judgments.where(mask).as_dict() for mask in masks)]
    sources = list(runs.values())
    halves = [sources[i::JOBS] for i in range(JOBS)]
    own = time.process_time() - start
    parts = Parallel(n_jobs=JOBS)(delayed(evaluated)(cuts, half, len(judgments.topics)) for half in halves)
    start = time.process_time()
    means = np.empty((len(sources), len(cuts), 2))
    for i, (_, of_half) in enumerate(parts):
        means[i::JOBS] = of_half
    taus = [[kendalltau(means[:, 0, m], means[:, c, m]).statistic for m in range(2)] for c in range(1, len(cuts))]
    return own + time.process_time() - start + sum(seconds for seconds, _ in parts), means, np.array(taus)


def rows_of(qrels: Any, runs: dict[str, Any], samples: int) -> Iterator[list[str]]:
    """Yield the rows of the table, and last a sentence about differences."""

    def ours(measures: Any) -> Callable[[], Any]:
        return lambda: irmx_study.pool(measures, qrels, runs, keep=LEVELS, samples=samples, jobs=JOBS, progress=False)

    wall, cpu, _ = seconds_of(ours(TEN))
    yield ["ten measures of irmx", f"{wall:.1f} s", "60 s", f"{cpu:.1f} s"]
    wall, cpu, two = seconds_of(ours("AP Bpref"))
    yield ["AP and Bpref of irmx", f"{wall:.1f} s", "", f"{cpu:.1f} s"]
    wall, _, (cpu, means, taus) = seconds_of(lambda: peer(qrels, runs, samples))
    yield ["AP and bpref of pytrec_eval", f"{wall:.1f} s", "", f"{cpu:.1f} s"]
    order = {"by": ["measure", "sample", "keep"], "ascending": [True, True, False]}
    samples_of, shape = two.frame("samples").sort_values(**order), (2, len(LEVELS) * samples)
    differs = [np.abs(samples_of[name].to_numpy().reshape(shape).T - theirs).max()
               for name, theirs in (("tau", taus), ("mean_value", means[:, 1:].mean(axis=0)))]  # fmt: skip
    yield [f"The largest difference of two taus is {differs[0]:.1e}, of two means over all runs {differs[1]:.1e}."]


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text."""
    with TemporaryDirectory() as scratch:
        if data:
            qrels, paths = trec8_files(data, scratch)
            runs: dict[str, Any] = {path.name: str(path) for path in paths}
            which = "ad hoc runs of TREC-8"
        else:
            qrels, runs = synthetic()
            which = "synthetic runs of the shape of TREC-8"
        if quick:
            runs = dict(list(runs.items())[:10])
        samples = 2 if quick else SAMPLES
        *rows, [sentence] = rows_of(qrels, runs, samples)
    lines = [
        f"- {what}: {wall}{f' (goal: below {goal})' if goal else ''}, {cpu} of CPU" for what, wall, goal, cpu in rows
    ]
    about = f"The data are {len(runs)} {which}, {len(LEVELS)} levels, {samples} samples, two processes. {sentence}"
    return "\n".join([*lines, "", about, ""]), {}


ABOUT = """`irmx_study.pool` reads the run files itself; pytrec_eval gets the same samples and runs as dicts.
"""

if __name__ == "__main__":
    program(__doc__, "Pool studies", ABOUT, made)
