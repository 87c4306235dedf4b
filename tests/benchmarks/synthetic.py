"""Synthetic collections for the benchmarks, from fixed seeds."""

from __future__ import annotations

import random


def collection(
    topics: int = 250, depth: int = 1000, retrieved: int = 40, missed: int = 20, nonrelevant: int = 60, seed: int = 1
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return qrels and a run as dicts of dicts: ``retrieved + missed`` relevant documents a topic."""
    rng = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in range(topics):
        docs = [f"doc{d:08d}" for d in rng.sample(range(10**8), depth)]
        run[f"q{topic}"] = {d: rng.random() * 20 for d in docs}
        judged = rng.sample(docs, retrieved + nonrelevant)
        grades = dict.fromkeys(judged[:retrieved], 1) | dict.fromkeys(judged[retrieved:], 0)
        qrels[f"q{topic}"] = grades | {f"missed{topic}-{i}": 1 for i in range(missed)}
    return qrels, run
