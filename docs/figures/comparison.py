"""Two runs of the demo collection, topic by topic."""

from __future__ import annotations

from typing import Any

import irmx
from irmx.demo import qrels_path, run_path

MADE_BY = {
    "differences-by-topic": "irmx compare qrels.txt runs/bm25.run runs/titles.run AP --plot topics=topics.svg",
}


def figures(plt: Any) -> dict[str, Any]:
    """Return the picture ``differences-by-topic``."""
    import irmx_study

    scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in ("bm25", "titles")})
    return {"differences-by-topic": irmx_study.compare(scores).plot("topics").figure}
