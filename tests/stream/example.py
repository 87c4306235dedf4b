"""Judgments and updates of one topic, as the measures of the Temporal Summarization track read them, and the worked example."""

from typing import Any

import pandas as pd

import irmx

NAMES = ["EG", "nEG", "ELG", "nELG", "Comp", "LC", "TS_H", "TS_Verbosity", "TS_Latency"]

NUGGETS = {
    "n1": {"importance": 3.0, "timestamp": 0.0, "nugget_length": 4.0},
    "n2": {"importance": 1.0, "timestamp": 3600.0, "nugget_length": 6.0},
}
COLUMNS = ["query_id", "doc_id", "iteration", "relevance", "importance", "timestamp", "nugget_length",
           "match_start", "match_end", "length"]  # fmt: skip
EXTRA = ["pooled", "original_length", "replaced"]
OF_THE_TRACK = ["track_nugget_length", "track_match_start", "track_match_end", "track_length"]
ALL = [*COLUMNS, *EXTRA, *OF_THE_TRACK]


def qrels_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Judgments of one topic; a row has doc_id, iteration and what is special."""
    full = [
        {"query_id": "q", "relevance": int(r["iteration"] > ""), **NUGGETS.get(r["iteration"], {}), **r} for r in rows
    ]
    extra = [name for name in [*EXTRA, *OF_THE_TRACK] if any(name in r for r in rows)]
    return pd.DataFrame(full).reindex(columns=[*COLUMNS, *extra])


def run_of(*rows: tuple[str, float]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["doc_id", "timestamp"])
    return frame.assign(query_id="q", score=1.0)


U1 = {"doc_id": "u1", "iteration": "n1", "match_start": 0, "match_end": 4, "length": 10}
U2 = {"doc_id": "u2", "iteration": "n2", "match_start": 0, "match_end": 6, "length": 6}
U3 = {"doc_id": "u3", "iteration": "", "length": 15}
EXAMPLE = qrels_of([U1, U2, U3])
STREAM = run_of(("u1", 0), ("u2", 25200), ("u3", 30000))


def values(measures: str, qrels: Any = EXAMPLE, run: Any = STREAM) -> list[float]:
    return [round(v, 6) for v in irmx.calc_aggregate(measures, qrels, run).values()]
