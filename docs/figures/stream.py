"""A stream of updates, and some of its users: when they look in, and what they read first there."""

from __future__ import annotations

from typing import Any

import irmx

UPDATES = {
    "query_id": ["quake"] * 4,
    "doc_id": ["u1", "u2", "u3", "u4"],
    "timestamp": [3600, 5000, 90000, 100000],
    "length": [24, 400, 30, 18],
    "score": [0.9, 0.5, 0.7, 0.8],
}
NUGGETS = {
    "query_id": ["quake"] * 4,
    "relevance": [1] * 4,
    "doc_id": ["u1", "u1", "u3", "u4"],
    "iteration": ["magnitude", "place", "magnitude", "victims"],
    "timestamp": [0, 0, 0, 36000],
    "query_start": [0] * 4,
    "query_end": [3 * 86400] * 4,
}
MADE_BY = {"users-of-a-stream": "irmx plot nuggets.csv updates.csv MSU --topic quake -o users.svg"}


def figures(plt: Any) -> dict[str, Any]:
    """Return the picture ``users-of-a-stream``, of the example of the guide."""
    import pandas as pd

    return {"users-of-a-stream": irmx.plot("MSU", pd.DataFrame(NUGGETS), pd.DataFrame(UPDATES), "quake").figure_}
