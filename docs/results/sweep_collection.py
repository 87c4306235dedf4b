"""An invented collection with the sizes of the MSU paper's runs, and the settings of its sweep.

Updates a topic and the grid are facts of Table 3 and section 5 of Baruah, Smucker and Clarke (SIGIR 2015); times,
lengths, nuggets and what holds them are random.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

UPDATES_A_TOPIC = (
    21.9, 93.8, 97.8, 799.4, 2696.1, 42.3, 122.1, 358.8, 164.8, 163.0, 8790.7, 12743.0, 139.0,
    22476.1, 168.3, 954.7, 2077.8, 2338.7, 41863.3, 42534.1, 299559.6, 312863.3, 213735.7, 230056.0, 11.9, 151.3,
)  # fmt: skip
"""Mean number of updates of each of the 26 runs."""

TOPICS, WINDOW, NUGGETS = 9, 10 * 86400, 120

PAPER = {
    "MD": ["30s", "1m", "2m", "5m", "15m", "30m"],
    "SD": ["0.5*MD", "1*MD", "2*MD"],
    "MA": ["5m", "10m", "30m", "1h", "3h", "6h", "24h"],
    "SA": ["0.5*MA", "1*MA", "2*MA"],
    "L": [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1],
}
"""The grid of the paper's sweep: 2,646 settings."""


def write_collection(folder: Path) -> tuple[Path, dict[str, Path]]:
    """Write nuggets and runs as Parquet; return where."""
    rng = np.random.default_rng(2015)
    starts = 1_330_000_000 + 2_000_000 * np.arange(TOPICS)
    known = {t: starts[t] + rng.integers(0, WINDOW * 0.6, NUGGETS) for t in range(TOPICS)}
    held: list[pd.DataFrame] = []
    runs = {}
    for number, mean in enumerate(UPDATES_A_TOPIC):
        parts = []
        for topic in range(TOPICS):
            count = max(1, round(mean * rng.uniform(0.5, 1.5)))
            names = [f"{number}-{topic}-{i}" for i in range(count)]
            parts.append(
                pd.DataFrame(
                    {
                        "query_id": f"q{topic}",
                        "doc_id": names,
                        "score": rng.random(count),
                        "timestamp": starts[topic] + np.sort(rng.integers(0, WINDOW, count)),
                        "length": rng.integers(5, 60, count),
                    }
                )
            )
            holders = rng.choice(count, min(count, int(2 * count**0.5) + 1), replace=False)
            nugget = rng.zipf(1.3, len(holders)) % NUGGETS
            held.append(
                pd.DataFrame(
                    {
                        "query_id": f"q{topic}",
                        "doc_id": [names[i] for i in holders.tolist()],
                        "iteration": [f"n{n}" for n in nugget.tolist()],
                        "relevance": 1,
                        "timestamp": known[topic][nugget],
                        "query_start": starts[topic],
                        "query_end": starts[topic] + WINDOW,
                    }
                )
            )
        runs[f"run{number:02}"] = folder / f"run{number:02}.parquet"
        pd.concat(parts, ignore_index=True).to_parquet(runs[f"run{number:02}"], index=False)
    qrels = folder / "nuggets.parquet"
    pd.concat(held, ignore_index=True).to_parquet(qrels, index=False)
    return qrels, runs
