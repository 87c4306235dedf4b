"""Values of the tools that irmx-trec equals, and the settings that are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ir_measures
import numpy as np
from ir_measures import AP, RBP, RR, Bpref, Judged, NumRel, NumRelRet, NumRet, P, R, Rprec, Success, nDCG

BY_LEVEL = [
    measure(rel=rel)
    for rel in (1, 2, 3)
    for measure in (AP, AP @ 3, P @ 1, P @ 5, R @ 4, R @ 1000, Rprec, RR, Success @ 1, Success @ 3)
]
EXACT = [
    *BY_LEVEL,
    *(measure(judged_only=True) for measure in BY_LEVEL),
    *(Bpref(rel=rel) for rel in (1, 2, 3)),
    nDCG,
    nDCG @ 3,
    nDCG @ 1000,
    nDCG(gains={1: 5, 2: 3}),
    nDCG(gains={0: 1, 2: 0, 3: -1}) @ 4,
    nDCG(judged_only=True),
    nDCG(judged_only=True) @ 2,
    nDCG(judged_only=True, gains={-1: 2, 2: -1}),
    nDCG(judged_only=True, gains={-2: 1}) @ 2,
    NumRel,
    NumRet,
    NumRelRet,
    NumRet(rel=2),
]
"""Settings whose values pytrec_eval computes by adding in the order of ranks."""

JUDGED = [Judged, Judged @ 3, Judged @ 100]
BIASED = [RBP(rel=rel, p=p) for rel in (1, 2) for p in (0.5, 0.8, 0.95, 0.99)]
EXPONENTIAL = [nDCG(dcg="exp-log2") @ k for k in (1, 5, 20)]

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]
Values = dict[ir_measures.Measure, dict[str, float]]


def reference(provider: str, measures: list[ir_measures.Measure], qrels: Qrels, run: Run) -> Values:
    """Return what a provider of ir_measures computes, one measure at a time, for the topics of the qrels."""
    tool = ir_measures.providers.registry[provider]
    return {
        measure: {m.query_id: float(m.value) for m in tool.iter_calc([measure], qrels, run) if m.query_id in qrels}
        for measure in measures
    }


def without_ties(run: Run) -> dict[str, dict[str, float]]:
    """Return a run whose scores are distinct, with the order in which trec_eval ranks the documents."""
    distinct = {}
    for topic, scores in run.items():
        order = sorted(scores, key=lambda doc: (np.float32(scores[doc]), doc), reverse=True)
        distinct[topic] = {doc: float(len(order) - place) for place, doc in enumerate(order)}
    return distinct


def largest_difference(found: Values, expected: Values) -> tuple[float, Any]:
    """Return the largest difference between values, with the measure and the topic where it is."""
    assert {m: set(topics) for m, topics in found.items()} == {m: set(topics) for m, topics in expected.items()}
    return max(
        ((abs(value - expected[m][topic]), (str(m), topic)) for m, topics in found.items() for topic, value in topics.items()),
        default=(0.0, ""),
    )  # fmt: skip
