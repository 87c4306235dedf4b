"""Unjudged documents of TREC-8 runs: shares counted independently, and the runs that have most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irmx_study

pytestmark = pytest.mark.real

MOST = ("surffal2", "isa25t", "isa50t", "UB99T", "UB99SW", "plt8ah3")
"""The runs of which more than a twentieth of the top 10 is unjudged."""
OTHERS = ("apl8p", "ok8amxc", "READWARE2")


def share_of_unjudged(path: Path, qrels: dict[str, set[str]], k: int) -> float:
    """Return the mean share of unjudged documents in the top k, from the lines of a run, in the order of trec_eval."""
    rows: dict[str, list[tuple[np.float32, str]]] = {}
    with open(path, encoding="latin-1") as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split(maxsplit=5)
            rows.setdefault(topic, []).append((np.float32(score), doc))
    tops = {topic: sorted(of_topic, reverse=True)[:k] for topic, of_topic in rows.items() if topic in qrels}
    return float(np.mean([np.mean([doc not in qrels[topic] for _, doc in top]) for topic, top in tops.items()]))


def test_the_pool_has_most_of_the_top_ten(trec8: Any) -> None:
    chosen = {*MOST, *OTHERS, *list(trec8.run_paths)[::5]}
    runs = {name: path for name, path in trec8.run_paths.items() if name in chosen}
    result = irmx_study.unjudged("P@10", trec8.qrels_path, runs, depth=10, progress=False)
    shares = result.frame().set_index("system")["unjudged_at_k"]
    assert set(shares[shares > 0.05].index) == set(MOST)
    assert shares.drop(list(MOST)).mean() < 0.005
    assert (shares.drop(list(MOST)) == 0).mean() > 0.6
    qrels: dict[str, set[str]] = {}
    for line in Path(trec8.qrels_path).read_text().splitlines():
        topic, _, doc, grade = line.split()
        if int(grade) >= 0:
            qrels.setdefault(topic, set()).add(doc)
    for name in (*MOST, *OTHERS):
        assert shares[name] == pytest.approx(share_of_unjudged(trec8.run_paths[name], qrels, 10), abs=1e-12)
    frame = result.frame().set_index("system")  # P@10 counts documents: the bound is the value and the share
    complete = ~result.scores.missing.any(axis=(0, 2))
    expected = (frame["value"] + frame["unjudged_at_k"])[complete]
    np.testing.assert_allclose(frame["if_relevant"][complete], expected, atol=1e-12)
