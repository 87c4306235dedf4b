"""Benchmark of discriminative power: 129 systems on 50 topics by 10 measures, beside what one writes with numpy and scipy.

    python tests/benchmarks/discrimination.py [--write] [--quick]

The values are made from a fixed seed. Nothing here is a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from timing import Made, in_turns, program, shown

import irmx
import irmx_study

SYSTEMS, TOPICS, DRAWS, SPLITS = 129, 50, 10_000, 1000
MEASURES = ("AP", "P@5", "P@10", "RR", "nDCG", "nDCG@10", "Rprec", "Bpref", "RBP", "R@100")
PAIRS = SYSTEMS * (SYSTEMS - 1) // 2
FEW = 10
"""So many systems, draws and splits by the peers, which would take minutes for all; their times are multiplied."""
PAIRS_OF_FEW = FEW * (FEW - 1) // 2


def synthetic() -> irmx.Scores:
    """Return scores of systems that differ, on topics that differ more, by measures that are noisy in different degrees."""
    rng = np.random.default_rng(15)
    means = rng.normal(0, 1.5, (TOPICS, 1, 1)) + np.linspace(-0.6, 0.6, SYSTEMS)[:, None]
    noise = rng.normal(0, 1, (TOPICS, SYSTEMS, len(MEASURES))) * np.linspace(0.5, 1.5, len(MEASURES))
    values = 1 / (1 + np.exp(-means - noise))
    topic_ids, system_ids = (
        tuple(f"{kind}{i}" for i in range(count)) for kind, count in (("topic", TOPICS), ("system", SYSTEMS))
    )
    measures = tuple(map(irmx.parse_measure, MEASURES))
    return irmx.Scores(values, topic_ids, system_ids, measures, np.ones((TOPICS, SYSTEMS), dtype=bool))


def discriminated(scores: irmx.Scores, **how: Any) -> Callable[[], Any]:
    """Return a job that makes the table."""
    return lambda: irmx_study.discriminate(scores, progress=False, **how).frame()


def t_tests(block: Any) -> Callable[[], float]:
    """Return a loop over all pairs of a few systems by all measures with scipy."""
    columns = block[:, :FEW].transpose(2, 1, 0)
    pairs = [pair for of_measure in columns for pair in combinations(of_measure, 2)]
    return lambda: float(np.mean([stats.ttest_rel(a, b).pvalue <= 0.05 for a, b in pairs]))


def ranges(block: Any) -> Callable[[], list[Any]]:
    """Return a few draws of the randomised Tukey test with numpy: the range of means of systems permuted within topics."""

    def loop() -> list[Any]:
        rng = np.random.default_rng(0)
        return [
            np.ptp(rng.permuted(block[:, :, m], axis=1).mean(axis=0)) for m in range(block.shape[2]) for _ in range(FEW)
        ]

    return loop


def swaps(block: Any) -> Callable[[], int]:
    """Return a few splits with numpy: the differences of all pairs in both halves, and how many have opposite signs."""

    def loop() -> int:
        rng, count = np.random.default_rng(0), 0
        first, second = np.triu_indices(block.shape[1], 1)
        for m in range(block.shape[2]):
            for _ in range(FEW):
                order = rng.permutation(len(block))
                halves = (block[chosen, :, m].mean(axis=0) for chosen in np.array_split(order, 2))
                one, other = (means[first] - means[second] for means in halves)
                bins = np.minimum(np.abs(one) * 100, 20).astype(int)
                count += int(np.bincount(bins, weights=one * other < 0).sum())
        return count

    return loop


def rows(rounds: int) -> Iterator[list[str]]:
    """Yield a row per part of the work."""
    scores = synthetic()
    block = scores.values
    tukey = {"test": "randomised-tukey", "draws": DRAWS}
    jobs: list[tuple[str, dict[str, Any], str, Callable[[], Any], float]] = [
        ("t tests", {"splits": 0}, "scipy, a loop over pairs", t_tests(block), PAIRS / PAIRS_OF_FEW),
        (f"randomised Tukey test, {DRAWS:,} draws", {**tukey, "splits": 0}, "numpy, a loop over draws", ranges(block), DRAWS / FEW),
        (f"t tests and swap rates, {SPLITS:,} splits", {"splits": SPLITS}, "numpy, a loop over splits, swaps only", swaps(block), SPLITS / FEW),
    ]  # fmt: skip
    for what, how, peer, loop, times in jobs:
        own, other = in_turns(discriminated(scores, **how), loop, rounds=rounds)
        yield [what, shown(own), peer, shown(other * times)]


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text."""
    return "\n".join(f"- {what}: {own}; {peer}: {other}" for what, own, peer, other in rows(1 if quick else 3)), {}


ABOUT = f"""`irmx_study.discriminate` tests all {PAIRS:,} pairs of {SYSTEMS} systems on {TOPICS} topics by {len(MEASURES)} measures.
Peers are timed on {FEW} systems, draws or splits, and multiplied to the same size.
"""

if __name__ == "__main__":
    program(__doc__, "Discriminative power", ABOUT, made)
