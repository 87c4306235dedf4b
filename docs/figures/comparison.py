"""Two runs of the demo collection, topic by topic; and what agents find against what they cost."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import irmx
from irmx.demo import qrels_path, run_path

TRACES = Path(__file__).resolve().parent.parent / "examples" / "agent_traces.py"

MADE_BY = {
    "differences-by-topic": "irmx compare qrels.txt runs/bm25.run runs/titles.run AP --plot topics=topics.svg",
    "quality-and-cost": "irmx compare chats.qrels careful.jsonl quick.jsonl \"Session(measure='RR',over=max)\" \"SessionCost(of='tokens')\" --plot cost=cost.svg",
}


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures."""
    import irmx_study

    scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in ("bm25", "titles")})
    measures = "Session(measure='RR',over=max) SessionCost(of='tokens')"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, TRACES], cwd=folder, check=True)
        qrels, *traces = (Path(folder, name) for name in ("chats.qrels", "careful.jsonl", "quick.jsonl"))
        agents = irmx_study.compare(measures, qrels, traces)
    return {
        "differences-by-topic": irmx_study.compare(scores).plot("topics").figure,
        "quality-and-cost": agents.plot("cost").figure,
    }
