"""How far measures agree about fifteen systems: a heat map, and scatter plots of the systems."""

from __future__ import annotations

from typing import Any

import irmx
from irmx.demo import SYSTEMS, qrels_path, run_path

MEASURES = "AP P@5 P@10 RR nDCG@10 RBP NCP(law=uniform)"
MADE_BY = {
    "agreement-of-measures": "irmx correlate qrels.txt 'runs/*.run' AP P@10 nDCG@10 --plot agreement.svg --order similar",
    "systems-by-measures": "irmx correlate qrels.txt 'runs/*.run' AP P@5 RR RBP --reference AP --plot scatter=systems.svg",
}


def mixtures() -> dict[str, dict[str, dict[str, float]]]:
    """Return mixtures of the runs of the demo collection, in shares of a quarter."""
    parts = [irmx.read_run(run_path(name)).as_dict() for name in SYSTEMS]
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for shares in ((b, t, 4 - b - t) for b in range(5) for t in range(5 - b)):
        run = runs.setdefault("".join(map(str, shares)), {})
        for share, part in ((share, part) for share, part in zip(shares, parts, strict=True) if share):
            for topic, docs in part.items():
                for doc, score in docs.items():
                    of_topic = run.setdefault(topic, {})
                    of_topic[doc] = of_topic.get(doc, 0) + share * score / max(docs.values())
    return runs


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures ``agreement-of-measures`` and ``systems-by-measures``."""
    import irmx_study

    scores = irmx.scores(MEASURES, qrels_path(), mixtures())
    some = scores.select(measures=["AP", "P@5", "RR", "RBP"])
    return {
        "agreement-of-measures": irmx_study.correlate(scores).plot(order="similar").figure,
        "systems-by-measures": irmx_study.correlate(some, reference="AP").plot("scatter").figure,
    }
