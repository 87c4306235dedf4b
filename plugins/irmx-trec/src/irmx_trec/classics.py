"""The standard measures of trec_eval, computed by irmx: AP, nDCG, RBP, Rprec, Bpref, counts."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from ir_measures.measures.base import SumAgg

from irmx import COMMON_PARAMS, DataError, Formula, Measure, Param, Rankings, Rows, number
from irmx.ragged import Floats, Ints, position_in_segment, segment_of, segment_sum

# -- the parameters that several measures of ir_measures have, with their domains ------------------------------------


REL = Param(number, COMMON_PARAMS["rel"].desc, default=1, above=0, high=COMMON_PARAMS["rel"].high)
CUTOFF, JUDGED_ONLY = COMMON_PARAMS["cutoff"], COMMON_PARAMS["judged_only"]
REQUIRED_CUTOFF = Param(int, CUTOFF.desc, required=True, low=1, unit=CUTOFF.unit)

RECALL_BASE = "the recall base: the number of relevant documents in the judgments"
ON_TOP = "the number of relevant documents at the ranks up to $k$"


# -- nDCG ------------------------------------------------------------------------------------------------------------


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
        ideal = self.ideal(rankings)
        return np.divide(gains.sums(self["cutoff"], len(rankings)), ideal, out=np.zeros(len(rankings)), where=ideal > 0)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        documents, gains = self._of_documents(rankings)
        within = gains.rank <= (self["cutoff"] or math.inf)
        rank = gains.rank[within]
        return {
            "documents": documents.where(within),
            "rank": rank,
            "gain": gains.gain[within],
            "discount": 1 / logarithms(rank),
            "contribution": gains.discounted[within] / self.ideal(rankings)[gains.topic[within]],
        }

    def _of_documents(self, rankings: Rankings) -> tuple[Rows, _Gains]:
        """Return the documents that have a gain, whatever the cutoff, with their gains."""
        judged_only = rankings.judged_only
        uncut = self._uncut(rankings)

        def gains() -> tuple[Rows, _Gains]:
            judged = uncut.judged if judged_only or self._has_small_gains(uncut) else uncut.relevant
            gain = self.gains_of(judged.grade)
            if (gain < 0).any():
                judged, gain = judged.where(gain >= 0), gain[gain >= 0]
            documents = judged.where(gain > 0)
            rank = (judged.ordinal if judged_only else judged.rank)[gain > 0]
            gain = gain[gain > 0]
            return documents, _Gains(documents.topic, rank, gain, gain / logarithms(rank))

        return uncut.memo(("irmx-trec", "gains", judged_only, *self._formulation()), gains)

    def _has_small_gains(self, uncut: Rankings) -> bool:
        """Tell whether a document that is not relevant may have a gain; where none has, the run need not be searched for such."""
        grades = uncut.judged_grades[1]
        return bool(self["gains"]) or bool(((grades > 0) & (grades < uncut.rel)).any())

    def ideal(self, rankings: Rankings) -> Floats:
        """Return the discounted cumulative gain of all judged documents in the order of their gains, per topic."""
        offsets, grades = self._uncut(rankings).judged_grades
        key = ("irmx-trec", "ideal", *self._formulation())

        def gains() -> _Gains:
            gain, topic = self.gains_of(grades), segment_of(offsets)
            if self["gains"]:
                gain = gain[np.lexsort((-gain, topic))]
            positive = gain > 0
            rank = position_in_segment(offsets)[positive] + 1
            return _Gains(topic[positive], rank, gain[positive], gain[positive] / logarithms(rank))

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
        return rankings.with_parameters(rel=lowest, cutoff=rankings.shared_cutoff, judged_only=False)

    def _formulation(self) -> tuple[Any, ...]:
        return self["dcg"], tuple((self["gains"] or {}).items())

    def gains_of(self, grades: Floats) -> Floats:
        """Return the gains of documents by their grades; that of an unjudged one is negative."""
        gain: Floats = grades.copy()
        for grade, of_grade in (self["gains"] or {}).items():
            gain[grades == grade] = of_grade
        if self["dcg"] == "log2":
            return gain
        with np.errstate(over="ignore"):  # which the ideal ranking shows
            return np.asarray(np.where(gain < 0, gain, np.exp2(gain) - 1))


def logarithms(rank: Ints) -> Floats:
    """Return log2(rank + 1), with the logarithm of C, as trec_eval computes it: that of numpy can differ in the last digit."""
    if rank.max(initial=0) < len(_first_logarithms()):
        return np.asarray(_first_logarithms()[rank])
    return np.array([math.log2(r + 1) for r in rank.tolist()])


@cache
def _first_logarithms() -> Floats:
    """Return log2(rank + 1) of rank 0, which no document has, and of the following ranks."""
    return np.array([math.log2(rank + 1) for rank in range(_USUAL_DEPTH)])


# -- precision at the ranks of relevant documents --------------------------------------------------------------------


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


# -- bpref: whether documents judged relevant stand above those judged non-relevant ----------------------------------


class BinaryPreference(Measure):
    """The mean, over the relevant documents, of 1 minus the fraction of non-relevant ones that stand above.

    Only judged documents count, and of the non-relevant ones no more than there are relevant ones.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 0, "d": 0}}
    >>> irmx.calc_aggregate("Bpref", qrels, {"q": {"c": 4.0, "a": 3.0, "x": 2.0, "d": 1.5, "b": 1.0}}, provider="irmx")
    {Bpref: 0.25}
    """

    NAME = "Bpref"
    PRETTY_NAME = "Binary preference"
    SHORT_DESC = "The relative ranks of the documents that are judged relevant and non-relevant."
    FORMULA = Formula(
        r"\mathrm{Bpref} = \frac{1}{\mathrm{RB}} \sum_{d \in D} \Bigl(1 - \frac{\min(n_d, \mathrm{RB})}{\min(N, "
        r"\mathrm{RB})}\Bigr)",
        {
            r"\mathrm{RB}": RECALL_BASE,
            "d": "a relevant document",
            "D": "the relevant documents retrieved",
            "n_d": "the number of documents judged non-relevant that are ranked above $d$",
            "N": "the number of documents judged non-relevant; without any, the fraction is 0",
        },
    )
    SUPPORTED_PARAMS = {"rel": REL}
    EXAMPLES = ("Bpref", "Bpref(rel=2)")

    def score(self, rankings: Rankings) -> Floats:
        relevant, preferred = self._preferred(rankings)
        return relevant.sum(preferred) / np.maximum(rankings.recall_base, 1)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant, preferred = self._preferred(rankings)
        contribution = preferred / rankings.recall_base[relevant.topic]
        return {"documents": relevant, "preferred": preferred, "contribution": contribution}

    def _preferred(self, rankings: Rankings) -> tuple[Rows, Floats]:
        """Return the relevant documents, and of each the fraction of the non-relevant ones to which it is preferred."""
        judged = rankings.judged
        is_relevant = judged.grade >= rankings.rel
        relevant = judged.where(is_relevant)
        above = judged.ordinal[is_relevant] - relevant.ordinal
        most = rankings.recall_base
        possible = np.maximum(np.minimum(rankings.judged_nonrelevant, most), 1)
        return relevant, 1.0 - np.minimum(above, most[relevant.topic]) / possible[relevant.topic]


# -- rank-biased precision, of binary and of graded relevance --------------------------------------------------------


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


# -- numbers of documents --------------------------------------------------------------------------------------------


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


# -- the relevant documents at the top of the ranking ----------------------------------------------------------------


_AT_A_CUTOFF = {"cutoff": REQUIRED_CUTOFF, "rel": REL, "judged_only": JUDGED_ONLY}


class Precision(Measure):
    """The relevant documents above the cutoff, divided by the cutoff, also if the ranking is shorter.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("P@5", {"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0}}, provider="irmx")
    {P@5: 0.2}
    """

    NAME = "P"
    PRETTY_NAME = "Precision at k"
    SHORT_DESC = "The fraction of the top k documents that are relevant."
    FORMULA = Formula(
        r"\mathrm{P@}k = \frac{r_k}{k}",
        {"k": "the cutoff", "r_k": ON_TOP},
    )
    SUPPORTED_PARAMS = _AT_A_CUTOFF
    EXAMPLES = ("P@10", "P(rel=2,judged_only=True)@5")

    def score(self, rankings: Rankings) -> Floats:
        return np.asarray(rankings.relevant.count / self["cutoff"])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant = rankings.relevant
        return {"documents": relevant, "contribution": np.full(len(relevant), 1 / self["cutoff"])}


class Recall(Measure):
    """The fraction of the relevant documents that are above the cutoff; 0 for a topic that has none.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("R@5", {"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0}}, provider="irmx")
    {R@5: 0.5}
    """

    NAME = "R"
    PRETTY_NAME = "Recall at k"
    SHORT_DESC = "The fraction of the relevant documents that are among the top k."
    FORMULA = Formula(
        r"\mathrm{R@}k = \frac{r_k}{\mathrm{RB}}",
        {"k": "the cutoff", "r_k": ON_TOP, r"\mathrm{RB}": RECALL_BASE},
    )
    SUPPORTED_PARAMS = _AT_A_CUTOFF
    EXAMPLES = ("R@1000", "R(rel=2)@5")

    def score(self, rankings: Rankings) -> Floats:
        return np.asarray(rankings.relevant.count / np.maximum(rankings.recall_base, 1))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant = rankings.relevant
        return {"documents": relevant, "contribution": 1 / rankings.recall_base[relevant.topic]}


class RelevantPrecision(Measure):
    """The precision at rank R, where R is the number of relevant documents of the topic.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("Rprec", {"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, provider="irmx")
    {Rprec: 0.5}
    """

    NAME = "Rprec"
    PRETTY_NAME = "R-precision"
    SHORT_DESC = "The precision at rank R, the number of relevant documents of the topic."
    FORMULA = Formula(
        r"\mathrm{Rprec} = \frac{r_{\mathrm{RB}}}{\mathrm{RB}}",
        {
            r"\mathrm{RB}": RECALL_BASE,
            r"r_{\mathrm{RB}}": r"the number of relevant documents at the ranks up to $\mathrm{RB}$",
        },
    )
    SUPPORTED_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}
    EXAMPLES = ("Rprec", "Rprec(rel=2)")

    def score(self, rankings: Rankings) -> Floats:
        relevant = rankings.relevant
        within = relevant.rank <= rankings.recall_base[relevant.topic]
        return relevant.sum(within) / np.maximum(rankings.recall_base, 1)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant = rankings.relevant
        within = relevant.where(relevant.rank <= rankings.recall_base[relevant.topic])
        return {"documents": within, "contribution": 1 / rankings.recall_base[within.topic]}


class Success(Measure):
    """1 if a relevant document is above the cutoff, 0 otherwise.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("Success@1 Success@2", {"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0}}, provider="irmx")
    {Success@1: 0.0, Success@2: 1.0}
    """

    NAME = "Success"
    PRETTY_NAME = "Success at k"
    SHORT_DESC = "Whether a relevant document is among the top k."
    FORMULA = Formula(
        r"\mathrm{Success@}k = \begin{cases} 1 & \text{if } r_k > 0 \\ 0 & \text{otherwise} \end{cases}",
        {"k": "the cutoff", "r_k": ON_TOP},
    )
    SUPPORTED_PARAMS = _AT_A_CUTOFF
    EXAMPLES = ("Success@10", "Success(rel=2)@1")

    def score(self, rankings: Rankings) -> Floats:
        return np.asarray(rankings.relevant.count > 0, dtype=np.float64)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        first = rankings.relevant.where(rankings.relevant.ordinal == 1)
        return {"documents": first, "contribution": np.ones(len(first))}
