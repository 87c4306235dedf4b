"""Rank-biased precision, of binary and of graded relevance."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Formula, Measure, Param, Rankings, Rows, number
from irmx.ragged import Floats
from irmx_trec.classic_parameters import CUTOFF, REL

LAST_RANK = 1000
"""The last rank at which cwl_eval looks, so that its weights add up to 1 over these ranks."""


class RankBiasedPrecision(Measure):
    """The expected gain at the ranks that a user sees who goes on from one to the next with probability p.

    Gains are graded without ``rel``, as in the results of TREC-COVID. As in cwl_eval, nobody goes beyond rank 1,000, and the
    weights of these ranks add up to 1; the divisor that this takes is 1 to 12 digits up to p = 0.97.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("RBP(rel=1,p=0.5) RBP(p=0.5) RBP(p=0.5)@2", qrels, run)
    {RBP(rel=1,p=0.5): 0.375, RBP(p=0.5): 0.3125, RBP(p=0.5)@2: 0.25}
    """

    NAME = "RBP"
    PRETTY_NAME = "Rank-biased precision"
    SHORT_DESC = "The expected gain per document of a user who goes on to the next rank with probability p."
    FORMULA = Formula(
        r"\mathrm{RBP} = \frac{1-p}{1-p^{1000}} \sum_{i=1}^{k} p^{i-1} g_i",
        {
            "p": "the persistence: the probability to go on to the next rank",
            "i": "a rank",
            "k": "the cutoff, 1,000 at most",
            "g_i": (
                "the gain of the document at rank $i$: with rel, 1 if it is relevant, else 0; without rel, its grade "
                "divided by the largest grade of the qrels"
            ),
        },
    )
    SUPPORTED_PARAMS = {
        "cutoff": CUTOFF,
        "p": Param(float, "persistence, the probability to go on to the next rank", default=0.8, above=0, below=1),
        "rel": Param(number, f"{REL.desc}; relevance is graded without it", above=0, high=REL.high),
    }
    EXAMPLES = ("RBP(rel=1)", "RBP(p=0.5)@20")

    def score(self, rankings: Rankings) -> Floats:
        documents, gain = self._gains(rankings)
        return documents.sum(gain * self._weights()[documents.rank - 1])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        documents, gain = self._gains(rankings)
        weight = self._weights()[documents.rank - 1]
        return {"documents": documents, "gain": gain, "discount": weight, "contribution": gain * weight}

    def _gains(self, rankings: Rankings) -> tuple[Rows, Floats]:
        """Return the documents that have a gain, and their gains."""
        documents = rankings.judged if self["rel"] is None else rankings.relevant
        documents = documents.where((documents.rank <= LAST_RANK) & (documents.grade > 0))
        if self["rel"] is None:
            return documents, documents.grade / rankings.largest_grade
        return documents, np.ones(len(documents))

    def _weights(self) -> Floats:
        powers = self["p"] ** np.arange(LAST_RANK)
        return np.asarray(powers / powers.sum())
