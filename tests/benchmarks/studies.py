"""Comparisons, agreement and discriminative power, beside the loops that one writes with scipy and numpy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests
from timing import Row, in_turns

import irmx
import irmx_study
from irmx_study.statistics.paired import resampled_topics

SYSTEMS, TOPICS, MEASURES, DRAWS = 129, 50, 10, 10_000
PAIRS, PAIRS_OF_MEASURES = SYSTEMS * (SYSTEMS - 1) // 2, MEASURES * (MEASURES - 1) // 2
FEW = 10
"""So many systems, draws, splits or resamples by a peer that would take minutes for all; its time is multiplied."""
PAIRS_OF_FEW = FEW * (FEW - 1) // 2


def synthetic() -> irmx.Scores:
    """Return scores of systems that differ, on topics that differ more, by measures that are noisy in different degrees."""
    rng = np.random.default_rng(15)
    means = rng.normal(0, 1.5, (TOPICS, 1, 1)) + np.linspace(-0.6, 0.6, SYSTEMS)[:, None]
    noise = rng.normal(0, 1, (TOPICS, SYSTEMS, MEASURES)) * np.linspace(0.5, 1.5, MEASURES)
    values = 1 / (1 + np.exp(-means - noise))
    topics, systems = (tuple(map(str, range(count))) for count in (TOPICS, SYSTEMS))
    measures = tuple(irmx.parse_measure(f"P@{k + 1}") for k in range(MEASURES))
    return irmx.Scores(values, topics, systems, measures)


def studies(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield all pairs of 129 systems on 50 topics: compared by one measure, discriminated by ten; and the agreement of ten measures."""
    scores, rounds = synthetic(), 1 if quick else 3
    one, block, means = scores.select(measures=["P@1"]), scores.values, scores.values.mean(axis=0)
    of_one = block[:, :, 0].T
    first = of_one[0] - of_one[1]

    def compared(**how: Any) -> Any:
        return lambda: irmx_study.compare(one, all_pairs=True, progress=False, **how)

    def discriminated(**how: Any) -> Any:
        return lambda: irmx_study.discriminate(scores, progress=False, **how).frame()

    def mean(differences: Any, axis: int) -> Any:
        return differences.mean(axis=axis)

    def permutations() -> Any:
        return stats.permutation_test(
            (first,), mean, permutation_type="samples", n_resamples=DRAWS - 1, vectorized=True
        )

    def holm() -> Any:
        return multipletests([stats.ttest_rel(a, b).pvalue for a, b in combinations(of_one, 2)], method="holm")

    def t_tests() -> Any:
        columns = block[:, :FEW].transpose(2, 1, 0)
        return [stats.ttest_rel(a, b).pvalue for of in columns for a, b in combinations(of, 2)]

    def ranges() -> Any:
        rng = np.random.default_rng(0)
        return [np.ptp(rng.permuted(block[:, :, m], axis=1).mean(axis=0)) for m in range(MEASURES) for _ in range(FEW)]

    def swaps() -> Any:
        rng, (a, b) = np.random.default_rng(0), np.triu_indices(SYSTEMS, 1)
        for m in range(MEASURES):
            for _ in range(FEW):
                halves = np.array_split(rng.permutation(TOPICS), 2)
                one, other = (of[a] - of[b] for of in (block[half, :, m].mean(axis=0) for half in halves))
                np.bincount(np.minimum(np.abs(one) * 100, 20).astype(int), weights=one * other < 0)

    def taus(values: Any) -> list[float]:
        return [stats.kendalltau(values[:, a], values[:, b]).statistic for a, b in combinations(range(MEASURES), 2)]

    def resampled() -> Any:
        counts = next(resampled_topics(TOPICS, FEW, 0)).astype(int)
        return [taus(np.repeat(block, count, axis=0).mean(axis=0)) for count in counts]

    tukey = {"test": "randomised-tukey", "draws": DRAWS}
    agreement = irmx_study.correlate
    for work, ours, peer, loop, times in (
        ("compare, t tests, Holm", compared(), "scipy, statsmodels", holm, 1),
        ("compare, permutation tests", compared(test="permutation"), "scipy, one pair", permutations, PAIRS),
        ("compare, Tukey's test, two-way", compared(test="tukey"), "scipy, one-way, 10 systems",
         lambda: stats.tukey_hsd(*of_one[:FEW]), PAIRS / PAIRS_OF_FEW),
        ("discriminate, t tests", discriminated(splits=0), "scipy, 10 systems", t_tests, PAIRS / PAIRS_OF_FEW),
        ("discriminate, randomised Tukey test", discriminated(splits=0, **tukey), "numpy, 10 draws", ranges, DRAWS / FEW),
        ("discriminate, 1,000 splits", discriminated(splits=1000), "numpy, 10 splits, swaps only", swaps, 1000 / FEW),
        ("correlate, tau", lambda: agreement(scores, resamples=0).matrix("tau"), "scipy", lambda: taus(means), 1),
        ("correlate, tau, 1,000 resamples", lambda: agreement(scores, resamples=1000, progress=False).frame("stability"),
         "scipy, 10 resamples", resampled, 1000 / FEW),
    ):  # fmt: skip
        mine, its = in_turns(ours, loop, rounds=rounds)
        yield Row(work, mine, peer, its * times)
