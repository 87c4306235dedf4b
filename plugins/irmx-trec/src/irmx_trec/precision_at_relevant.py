"""Precision at the ranks of relevant documents: average precision, and the reciprocal of the first such rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Formula, Measure, Rankings
from irmx.ragged import Floats
from irmx_trec.classic_parameters import CUTOFF, JUDGED_ONLY, RECALL_BASE, REL


class AveragePrecision(Measure):
    """The mean of the precision at the rank of each relevant document, 0 for those not retrieved.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("AP", {"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, provider="irmx")
    {AP: 0.58333...}
    """

    NAME = "AP"
    PRETTY_NAME = "Average precision"
    SHORT_DESC = "The mean of the precision at the rank of each relevant document."
    FORMULA = Formula(
        r"\mathrm{AP} = \frac{1}{\mathrm{RB}} \sum_{n \in R} \mathrm{Prec}(n)",
        {
            r"\mathrm{RB}": RECALL_BASE,
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved, up to the cutoff if there is one",
            r"\mathrm{Prec}(n)": (
                "the precision at rank $n$: the number of relevant documents at the ranks up to $n$, divided by $n$"
            ),
        },
    )
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "rel": REL, "judged_only": JUDGED_ONLY}
    EXAMPLES = ("AP", "AP(rel=2)@100")

    def score(self, rankings: Rankings) -> Floats:
        return rankings.relevant.sum(rankings.precision) / np.maximum(rankings.recall_base, 1)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return {"contribution": rankings.precision / rankings.recall_base[rankings.relevant.topic]}


class ReciprocalRank(Measure):
    """The reciprocal of the rank of the first relevant document; 0 if none is retrieved.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("RR RR@1", {"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0}}, provider="irmx")
    {RR: 0.5, RR@1: 0.0}
    """

    NAME = "RR"
    PRETTY_NAME = "Reciprocal rank"
    SHORT_DESC = "The reciprocal of the rank of the first relevant document."
    FORMULA = Formula(
        r"\mathrm{RR} = \frac{1}{\min R}",
        {"R": "the ranks of the relevant documents retrieved, up to the cutoff if there is one; without any, RR is 0"},
    )
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "rel": REL, "judged_only": JUDGED_ONLY}
    EXAMPLES = ("RR", "RR(judged_only=True)@10")

    def score(self, rankings: Rankings) -> Floats:
        relevant = rankings.relevant
        scores = np.zeros(len(rankings))
        with_relevant = relevant.count > 0
        scores[with_relevant] = 1 / relevant.rank[relevant.offsets[:-1][with_relevant]]
        return scores

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        first = rankings.relevant.where(rankings.relevant.ordinal == 1)
        return {"documents": first, "contribution": 1 / first.rank}
