"""Writes the collection of ``irmx demo``: simulated, from a fixed seed.

Run from the top of the checkout: ``python docs/make_demo_collection.py``. A test holds its output to the
files in the package.

Twelve topics with 8 to 30 relevant documents among 400. Three systems see the grade of a document through
noise: ``precise`` puts a few relevant documents on top and loses the rest, ``steady`` spreads them evenly,
``late`` finds most of them, below rank 10.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent.parent / "src" / "irmx" / "demo"
TOPICS, DOCUMENTS, DEPTH = 12, 400, 100


def files(seed: int = 2026) -> dict[str, str]:
    """Return the text of every file by name."""
    rng = np.random.default_rng(seed)
    qrels: list[str] = []
    runs: dict[str, list[str]] = {"precise": [], "steady": [], "late": []}
    for topic in range(1, TOPICS + 1):
        relevant = rng.integers(8, 31)
        grade = np.zeros(DOCUMENTS, dtype=int)
        grade[rng.choice(DOCUMENTS, relevant, replace=False)] = rng.choice([1, 2], relevant, p=[0.7, 0.3])
        noise = rng.normal(size=(3, DOCUMENTS))
        quick = (grade > 0) & (rng.random(DOCUMENTS) < 0.35)
        signal = {
            "precise": 3.2 * quick + 0.8 * noise[0],
            "steady": 1.5 * (grade > 0) + noise[1],
            "late": np.where(grade > 0, 1.6 + 0.35 * noise[2], noise[2]),
        }
        judged = grade > 0
        for name, score in signal.items():
            best = np.argsort(-score, kind="stable")[:DEPTH]
            judged[best[:60]] = True
            for rank, doc in enumerate(best, start=1):
                runs[name].append(f"{topic} Q0 d{doc:03d} {rank} {score[doc] + 10:.4f} {name}")
        qrels += [f"{topic} 0 d{doc:03d} {grade[doc]}" for doc in np.flatnonzero(judged)]
    out = {"demo.qrels": "\n".join(qrels) + "\n"}
    return out | {f"{name}.run": "\n".join(lines) + "\n" for name, lines in runs.items()}


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.splitlines())} lines")
