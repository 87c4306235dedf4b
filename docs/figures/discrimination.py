"""How well measures tell mixtures of the demo's runs apart: significance levels and swap rates."""

from __future__ import annotations

from typing import Any

import numpy as np

import irmx
from irmx.demo import SYSTEMS, qrels_path, run_path

MIXTURES = 24
MADE_BY = {
    "significance-levels": "irmx discriminate qrels.txt 'runs/*.run' AP P@5 RR --plot levels.svg",
    "swap-rates": "irmx discriminate qrels.txt 'runs/*.run' AP P@5 RR --plot swaps=swaps.svg",
}


def mixtures() -> dict[str, dict[str, dict[str, float]]]:
    """Return made-up systems: the reciprocal ranks of the three runs, added up with random weights."""
    weights = np.random.default_rng(0).dirichlet(np.ones(len(SYSTEMS)), MIXTURES).tolist()
    systems: dict[str, dict[str, dict[str, float]]] = {f"mixture {i}": {} for i in range(MIXTURES)}
    for place, system in enumerate(SYSTEMS):
        ranks: dict[str, int] = {}
        for line in run_path(system).read_text(encoding="utf-8").splitlines():  # the best document of a topic first
            topic, _, document, *_ = line.split()
            ranks[topic] = ranks.get(topic, 0) + 1
            for mixture, weight in zip(systems.values(), weights, strict=True):
                scores = mixture.setdefault(topic, {})
                scores[document] = scores.get(document, 0.0) + weight[place] / ranks[topic]
    return systems


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures ``significance-levels`` and ``swap-rates``."""
    import irmx_study

    scores = irmx.scores("AP P@5 RR MP(model=GL_AD_ID)", qrels_path(), mixtures())
    discrimination = irmx_study.discriminate(scores)
    return {
        "significance-levels": discrimination.plot().figure,
        "swap-rates": discrimination.plot("swaps").figure,
    }
