"""The users of measures on single topics, as ``irmx plot`` draws them."""

from __future__ import annotations

from typing import Any

import irmx
from irmx.demo import qrels_path, run_path

MADE_BY = {
    "user-of-mp": "irmx plot qrels.txt run.txt 'MP(model=GL_AD_ID)' --topic 1 -o user.svg",
    "contributions": "irmx plot qrels.txt runs/bm25.run runs/titles.run 'RBP(p=0.8)' --topic 1 -o rbp.svg",
    "reader-of-a-page": "irmx plot vertical-qrels.csv page.csv AS_RBP --topic q -o reader.svg",
}


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures ``user-of-mp``, ``contributions`` and ``reader-of-a-page``."""
    qrels, runs = qrels_path(), [run_path(name) for name in ("bm25", "titles")]
    return {
        "user-of-mp": irmx.plot("MP(model=GL_AD_ID)", qrels, runs[0], "1").figure_,
        "contributions": irmx.plot("RBP", qrels, runs, "1").figure_,
        "reader-of-a-page": irmx.plot("AS_RBP", *_page(), "q").figure_,
    }


def _page() -> tuple[Any, Any]:
    """Return the judgments and the page of the guide to aggregated search pages."""
    import pandas as pd

    run = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": ["w1", "i1", "i2", "i3", "v1", "v2", "v3"],
            "vertical": ["web", *["image"] * 3, *["video"] * 3],
            "score": range(7, 0, -1),
        }
    )
    rows: list[tuple[str, int, str, float | None]] = [
        ("w1", 1, "web", None), ("i1", 1, "image", 0.75), ("i2", 1, "image", None), ("i3", 0, "image", None),
        ("i4", 1, "image", None), ("v1", 0, "video", 0.6), ("v2", 1, "video", None), ("v3", 0, "video", None),
        ("v4", 1, "video", None), ("v5", 1, "video", None), ("", 0, "news", 0.2),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["doc_id", "relevance", "vertical", "orientation"]).assign(query_id="q"), run
