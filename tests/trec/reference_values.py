"""Values of the tools that irmx-trec equals, and the settings that are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ir_measures
import numpy as np
from ir_measures import (
    AP,
    BPM,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    RBP,
    RR,
    SDCG,
    Bpref,
    Compat,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    Success,
    infAP,
    nDCG,
)

LEVELS = (0.0, 0.1, 0.25, 0.5, 1.0)
BY_LEVEL = [
    measure(rel=rel)
    for rel in (1, 2, 3)
    for measure in (AP, AP @ 3, P @ 1, P @ 5, R @ 4, R @ 1000, Rprec, RR, Success @ 1, Success @ 3)
]
OF_SETS = [
    measure(rel=rel, judged_only=judged_only)
    for rel in (1, 2, 3)
    for judged_only in (False, True)
    for measure in (SetP, SetRelP, SetAP, SetF, SetF(beta=0.5), SetF(beta=3.0), *(IPrec @ level for level in LEVELS))
]
EXACT = [
    *BY_LEVEL,
    *(measure(judged_only=True) for measure in BY_LEVEL),
    *(measure(rel=rel) for rel in (1, 2, 3) for measure in (Bpref, infAP, SetR)),
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
    NumQ,
    *OF_SETS,
]
"""Settings whose values pytrec_eval computes by adding in the order of ranks."""

OVERLAPS = [Compat(p=p, normalize=normalize) for p in (0.5, 0.95, 0.999) for normalize in (True, False)]
JUDGED = [Judged, Judged @ 3, Judged @ 100]
BIASED = [RBP(rel=rel, p=p) for rel in (1, 2) for p in (0.5, 0.8, 0.95, 0.99)]
EXPECTED_GAINS = [
    *(
        measure(max_rel=3, **grades) @ k
        for measure in (BPM, SDCG, NERR8, NERR9)
        for k, grades in ((1, {}), (7, {"min_rel": 1}))
    ),
    *(measure(max_rel=3, T=T) for measure in (INST, INSQ, NERR11) for T in (0.25, 3.5)),
    *(BPM(max_rel=2, T=2.5) @ 20, NERR10(max_rel=2), NERR10(max_rel=3, min_rel=2, p=0.5)),
]
WITHOUT_TIES = (
    ("judged", JUDGED, 0),
    ("cwl_eval", BIASED, 1e-12),
    ("cwl_eval", EXPECTED_GAINS, 1e-12),
    ("compat", OVERLAPS, 1e-12),
)
"""Settings of providers that break ties otherwise, with the largest difference."""
EXPONENTIAL = [nDCG(dcg="exp-log2") @ k for k in (1, 5, 20)]

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]
Values = dict[ir_measures.Measure, dict[str, float]]


def reference(provider: str, measures: list[ir_measures.Measure], qrels: Qrels, run: Run) -> Values:
    """Return what a provider of ir_measures computes, one measure at a time, for the topics of the qrels.

    The NaN of pytrec_eval, for the precision at recall levels in a condensed list without documents, is 0.
    """
    tool = ir_measures.providers.registry[provider]
    return {
        measure: {
            m.query_id: 0.0 if m.value != m.value else float(m.value)
            for m in tool.iter_calc([measure], qrels, run)
            if m.query_id in qrels
        }
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
    assert not any(
        value != value for values in (found, expected) for topics in values.values() for value in topics.values()
    )
    return max(
        ((abs(value - expected[m][topic]), (str(m), topic)) for m, topics in found.items() for topic, value in topics.items()),
        default=(0.0, ""),
    )  # fmt: skip
