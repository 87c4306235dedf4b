"""Numbers of documents: relevant ones, retrieved ones, and the fraction of those retrieved that are judged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from ir_measures.measures.base import SumAgg

from irmx import Formula, Measure, Param, Rankings, number
from irmx.ragged import Floats
from irmx_trec.classic_parameters import CUTOFF, RECALL_BASE, REL


class Judged(Measure):
    """The fraction of the documents above the cutoff that are in the qrels, with whatever grade, a negative one too.

    A ranking shorter than the cutoff counts with its own length.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("Judged@10", {"q": {"a": 1, "b": -2}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, provider="irmx")
    {Judged@10: 0.66666...}
    """

    NAME = "Judged"
    PRETTY_NAME = "Judgment rate at k"
    SHORT_DESC = "The fraction of the top k documents that are judged."
    FORMULA = Formula(
        r"\mathrm{Judged@}k = \frac{j_k}{\min(k, T)}",
        {
            "k": "the cutoff; without one, all documents retrieved count",
            "j_k": "the number of documents at the ranks up to $k$ that are in the qrels, with whatever grade",
            "T": "the number of documents retrieved",
        },
    )
    SUPPORTED_PARAMS = {"cutoff": CUTOFF}
    EXAMPLES = ("Judged", "Judged@10")

    def score(self, rankings: Rankings) -> Floats:
        return np.asarray(_with_any_grade(rankings).judged.count / rankings.depth)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        judged = _with_any_grade(rankings).judged
        return {"documents": judged, "contribution": 1 / rankings.depth[judged.topic]}


def _with_any_grade(rankings: Rankings) -> Rankings:
    """Return rankings in which documents with negative grades are judged ones, too."""
    return rankings.with_parameters(rel=-math.inf)


class _Count(Measure):
    """A number of documents, which is added up over topics."""

    RANGE = (0.0, math.inf)

    def aggregator(self) -> SumAgg:
        return SumAgg()


class RelevantDocuments(_Count):
    """The number of relevant documents of a topic, retrieved or not; 0 for a topic that the run lacks, as with pytrec_eval.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("NumRel", {"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0}}, provider="irmx")
    {NumRel: 2.0}
    """

    NAME = "NumRel"
    PRETTY_NAME = "Number of relevant documents"
    SHORT_DESC = "The number of relevant documents in the qrels."
    FORMULA = Formula(
        r"\mathrm{NumRel} = \mathrm{RB}",
        {r"\mathrm{RB}": RECALL_BASE},
    )
    SUPPORTED_PARAMS = {"rel": REL}
    EXAMPLES = ("NumRel", "NumRel(rel=2)")

    def score(self, rankings: Rankings) -> Floats:
        return rankings.recall_base.astype(np.float64)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        rows = rankings.qrels_rows
        relevant = rows.where((rows.doc >= 0) & (rows.grade >= rankings.rel))
        largest_first = np.argsort(-relevant.grade)
        first = largest_first[np.unique(relevant.doc[largest_first], return_index=True)[1]]  # of the rows of a document
        return {
            "doc_id": [relevant.doc_ids[i] for i in first.tolist()],
            "grade": relevant.grade[first],
            "contribution": np.ones(len(first)),
        }


class RetrievedDocuments(_Count):
    """The number of documents retrieved; with ``rel``, of those that are relevant.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("NumRet NumRelRet", {"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0}}, provider="irmx")
    {NumRet: 2.0, NumRet(rel=1): 1.0}
    """

    NAME = "NumRet"
    PRETTY_NAME = "Number of retrieved documents"
    SHORT_DESC = "The number of documents retrieved, or of relevant ones among them."
    FORMULA = Formula(
        r"\mathrm{NumRet} = T",
        {"T": "the number of documents retrieved; with rel, of relevant ones among them"},
    )
    SUPPORTED_PARAMS = {"rel": Param(number, f"{REL.desc}; all documents count without it", above=0, high=REL.high)}
    EXAMPLES = ("NumRet", "NumRet(rel=1)")

    def score(self, rankings: Rankings) -> Floats:
        return np.asarray(rankings.depth if self["rel"] is None else rankings.relevant.count, dtype=np.float64)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        documents = rankings.ranked if self["rel"] is None else rankings.relevant
        return {"documents": documents, "contribution": np.ones(len(documents))}
