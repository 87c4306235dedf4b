"""Benchmark of agreement: 40 measures on 129 systems and 50 topics, with 1,000 resamples of the topics.

    python tests/benchmarks/agreement.py [--write] [--quick]

The values are made from a fixed seed. The peer is the loop over pairs of measures and resamples that one writes with scipy's
`kendalltau`, on a part of the same work; both give the same numbers. Nothing here is a test.
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
from irmx_study.draws import resampled_topics

SYSTEMS, TOPICS, MEASURES, RESAMPLES = 129, 50, 40, 1000
PART = 5
"""The number of resamples that the peer does."""


def synthetic(measures: int) -> irmx.Scores:
    """Return scores of systems that differ, by measures that agree more or less, from a fixed seed."""
    rng = np.random.default_rng(15)
    common = rng.normal(0, 1, (TOPICS, SYSTEMS, 1)) + np.linspace(-0.6, 0.6, SYSTEMS)[:, None]
    noise = rng.normal(0, np.linspace(0.1, 1.5, measures), (TOPICS, SYSTEMS, measures))
    values = 1 / (1 + np.exp(-common - noise))
    topic_ids, system_ids = (
        tuple(f"{kind}{i}" for i in range(count)) for kind, count in (("topic", TOPICS), ("system", SYSTEMS))
    )
    parsed = tuple(irmx.parse_measure(f"P@{k + 1}") for k in range(measures))
    return irmx.Scores(values, topic_ids, system_ids, parsed, np.ones(values.shape[:2], dtype=bool))


def rows(rounds: int) -> Iterator[list[str]]:
    """Yield a row per job: time, goal, time per tau, and the same of the peer."""
    scores = synthetic(MEASURES)
    pairs = list(combinations(range(MEASURES), 2))
    means = scores.values.mean(axis=0)

    def of_systems(values: Any) -> list[float]:
        return [stats.kendalltau(values[:, a], values[:, b]).statistic for a, b in pairs]

    def one_matrix() -> Any:
        return irmx_study.correlate(scores, resamples=0).matrix("tau")

    def resampled() -> Any:
        return irmx_study.correlate(scores, resamples=RESAMPLES, progress=False).frame("stability")

    def peer() -> list[list[float]]:
        counts = next(resampled_topics(TOPICS, PART, 0)).astype(int)
        return [of_systems(np.repeat(scores.values, count, axis=0).mean(axis=0)) for count in counts]

    jobs: list[tuple[str, str, Callable[[], Any], int, Callable[[], Any] | None, int]] = [
        ("tau of all pairs", "", one_matrix, len(pairs), lambda: of_systems(means), len(pairs)),
        ("all ten columns of the table", "", lambda: irmx_study.correlate(scores).frame(), len(pairs), None, 1),
        (
            f"stability: {RESAMPLES:,} resamples of the topics", "10 s", resampled, RESAMPLES * len(pairs),
            peer, PART * len(pairs),
        ),
        ("topic by topic", "", lambda: irmx_study.correlate(scores).frame("topics"), TOPICS * len(pairs), None, 1),
    ]  # fmt: skip
    for what, goal, own, taus, other, of_other in jobs:
        times = in_turns(own, *([other] if other else []), rounds=rounds)
        of_peer = (
            [shown(times[1] / of_other), f"{times[1] / of_other * taus / times[0]:,.0f} times"] if other else ["", ""]
        )
        yield [what, shown(times[0]), goal, shown(times[0] / taus), *of_peer]


def check() -> None:
    """Stop if the peer gives other numbers."""
    scores = synthetic(4)
    agreement = irmx_study.correlate(scores, resamples=100)
    counts = next(resampled_topics(TOPICS, 100, 0)).astype(int)
    taus = [
        [stats.kendalltau(values[:, a], values[:, b]).statistic for a, b in combinations(range(4), 2)]
        for values in (np.repeat(scores.values, count, axis=0).mean(axis=0) for count in counts)
    ]
    low = np.quantile(taus, 0.025, axis=0)
    np.testing.assert_allclose(agreement.frame("stability")["low"], low, atol=1e-9)


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text and the table."""
    check()
    head = [f"{MEASURES} measures, {SYSTEMS} systems, {TOPICS} topics", "time", "goal: below", "per tau",
            "scipy's kendalltau, per tau", "the same work by scipy would take"]  # fmt: skip
    every = list(rows(1 if quick else 3))
    found = [f"{row[1]} for {row[0]}, {row[3]} per tau instead of {row[4]}" for row in every if row[4]]
    text = f"irmx takes {'; '.join(found)} ([all rows and goals](speed_agreement.csv))."
    return text, {"speed_agreement": [head, *every]}


ABOUT = f"""`irmx_study.correlate` compares {MEASURES * (MEASURES - 1) // 2} pairs of measures on {SYSTEMS} systems. scipy's `kendalltau`, on {PART} of the resamples, gives the same numbers.
"""

if __name__ == "__main__":
    program(__doc__, "Agreement", ABOUT, made)
