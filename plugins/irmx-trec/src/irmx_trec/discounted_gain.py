"""nDCG: gains of graded documents, discounted by rank, relative to those of the ideal ranking."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from irmx import DataError, Formula, Measure, Param, Rankings, Rows
from irmx.ragged import Floats, Ints, position_in_segment, segment_of, segment_sum
from irmx_trec.classic_parameters import CUTOFF, JUDGED_ONLY

_USUAL_DEPTH = 10_000
"""Up to which rank logarithms are kept."""


class _Gains(NamedTuple):
    """The documents of all topics that have a gain, by topic and rank.

    The discounted gains are in this order, in which trec_eval adds them.
    """

    topic: Ints
    rank: Ints
    gain: Floats
    discounted: Floats

    def sums(self, cutoff: int | None, topics: int) -> Floats:
        """Return the discounted cumulative gain of every topic."""
        if cutoff is None:
            return segment_sum(self.discounted, self.topic, topics)
        within = self.rank <= cutoff
        return segment_sum(self.discounted[within], self.topic[within], topics)


class DiscountedGain(Measure):
    """The discounted cumulative gain of a ranking, divided by that of all judged documents in the order of their gains.

    ``gains`` replaces grades by others first; negative ones make documents unjudged.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 3.0, "a": 2.0}}
    >>> irmx.calc_aggregate("nDCG nDCG(dcg='exp-log2')@1 nDCG(gains={2:1})", qrels, run, provider="irmx")
    {nDCG: 0.8597..., nDCG(dcg='exp-log2')@1: 0.3333..., nDCG(gains={2:1}): 1.0}
    """

    NAME = "nDCG"
    PRETTY_NAME = "Normalised discounted cumulative gain"
    SHORT_DESC = "The gains of the documents, discounted by rank, relative to those of the ideal ranking."
    FORMULA = Formula(
        r"\mathrm{nDCG@}k = \frac{\sum_{i=1}^{k} g_i / \log_2(i+1)}{\sum_{i=1}^{k} g^{*}_i / \log_2(i+1)}",
        {
            "k": "the cutoff; without one, all documents count",
            "i": "a rank",
            "g_i": (
                r"the gain of the document at rank $i$: its grade, or $2^{\mathrm{grade}} - 1$ with dcg='exp-log2'; 0 "
                "if it is not judged"
            ),
            "g^{*}_i": "the $i$-th largest gain of all judged documents, retrieved or not",
        },
    )
    SUPPORTED_PARAMS = {
        "cutoff": CUTOFF,
        "dcg": Param(
            str,
            "the gain of a document: its grade ('log2'), or 2^grade - 1 ('exp-log2')",
            default="log2",
            choices=("log2", "exp-log2"),
        ),
        "gains": Param(
            dict, "grades that replace those of the qrels, such as {1:0,2:1}; a negative one means unjudged"
        ),
        "judged_only": JUDGED_ONLY,
    }
    MONOTONE = False  # gains may put a lower grade above a higher one
    EXAMPLES = ("nDCG", "nDCG(dcg='exp-log2')@10", "nDCG(gains={1:0,2:10})@5")

    def score(self, rankings: Rankings) -> Floats:
        _, gains = self._of_documents(rankings)
        ideal = self._ideal(rankings)
        return np.divide(gains.sums(self["cutoff"], len(rankings)), ideal, out=np.zeros(len(rankings)), where=ideal > 0)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        documents, gains = self._of_documents(rankings)
        within = gains.rank <= (self["cutoff"] or math.inf)
        rank = gains.rank[within]
        return {
            "documents": documents.where(within),
            "rank": rank,
            "gain": gains.gain[within],
            "discount": 1 / _logarithms(rank),
            "contribution": gains.discounted[within] / self._ideal(rankings)[gains.topic[within]],
        }

    def _of_documents(self, rankings: Rankings) -> tuple[Rows, _Gains]:
        """Return the documents that have a gain, whatever the cutoff, with their gains."""
        judged_only = rankings.judged_only
        uncut = self._uncut(rankings)

        def gains() -> tuple[Rows, _Gains]:
            judged = uncut.judged
            gain = self._gain(judged.grade)
            if (gain < 0).any():
                judged, gain = judged.where(gain >= 0), gain[gain >= 0]
            documents = judged.where(gain > 0)
            rank = (judged.ordinal if judged_only else judged.rank)[gain > 0]
            gain = gain[gain > 0]
            return documents, _Gains(documents.topic, rank, gain, gain / _logarithms(rank))

        return uncut.memo(("irmx-trec", "gains", judged_only, *self._formulation()), gains)

    def _ideal(self, rankings: Rankings) -> Floats:
        """Return the discounted cumulative gain of all judged documents in the order of their gains, per topic."""
        offsets, grades = self._uncut(rankings).judged_grades
        key = ("irmx-trec", "ideal", *self._formulation())

        def gains() -> _Gains:
            gain, topic = self._gain(grades), segment_of(offsets)
            if self["gains"]:
                gain = gain[np.lexsort((-gain, topic))]
            positive = gain > 0
            rank = position_in_segment(offsets)[positive] + 1
            return _Gains(topic[positive], rank, gain[positive], gain[positive] / _logarithms(rank))

        def sums() -> Floats:
            with np.errstate(over="ignore"):
                ideal = rankings.qrels_memo(key, gains).sums(self["cutoff"], len(rankings))
            if not np.isfinite(ideal).all():
                topic = int(np.flatnonzero(~np.isfinite(ideal))[0])
                raise DataError(
                    f"The gains of the judged documents of query {rankings.topics[topic]} add up to more than a float holds, "
                    f"1.8e308. The largest grade is {grades[offsets[topic]]:g}. Replace large grades by smaller ones with gains."
                )
            return ideal

        return rankings.qrels_memo((*key, self["cutoff"]), sums)

    def _uncut(self, rankings: Rankings) -> Rankings:
        """Return rankings that the settings share, in which documents are judged if their grade, or its gain, may count."""
        lowest = min([1, *(self["gains"] or ())])
        return rankings.with_parameters(rel=lowest, cutoff=None, judged_only=False)

    def _formulation(self) -> tuple[Any, ...]:
        return self["dcg"], tuple((self["gains"] or {}).items())

    def _gain(self, grades: Floats) -> Floats:
        """Return the gains of documents by their grades; that of an unjudged one is negative."""
        gain: Floats = grades.copy()
        for grade, of_grade in (self["gains"] or {}).items():
            gain[grades == grade] = of_grade
        if self["dcg"] == "log2":
            return gain
        with np.errstate(over="ignore"):  # which the ideal ranking shows
            return np.asarray(np.where(gain < 0, gain, np.exp2(gain) - 1))


def _logarithms(rank: Ints) -> Floats:
    """Return log2(rank + 1), with the logarithm of C, as trec_eval computes it: that of numpy can differ in the last digit."""
    if rank.max(initial=0) < len(_first_logarithms()):
        return np.asarray(_first_logarithms()[rank])
    return np.array([math.log2(r + 1) for r in rank.tolist()])


@cache
def _first_logarithms() -> Floats:
    """Return log2(rank + 1) of rank 0, which no document has, and of the following ranks."""
    return np.array([math.log2(rank + 1) for rank in range(_USUAL_DEPTH)])
