"""Measures of trec_eval that look at the retrieved set, at one recall level, or at a pool of which a sample is judged."""

from __future__ import annotations

from typing import Any

import numpy as np
from ir_measures.measures.base import SumAgg

from irmx import Formula, Measure, Param, Rankings
from irmx.ragged import Floats
from irmx_trec.classics import JUDGED_ONLY, RECALL_BASE, REL
from irmx_trec.trec_eval_measures import (
    inferred_average_precision,
    inferred_precision,
    precision_at_recall,
    set_average_precision,
    set_f,
    set_precision,
    set_recall,
    set_relative_precision,
)

# -- the retrieved set, in whatever order ------------------------------------------------------------------------------


_OF_SETS = {
    "r": "the number of relevant documents retrieved",
    "T": "the number of documents retrieved",
    r"\mathrm{RB}": RECALL_BASE,
}


class OfSet(Measure):
    """Base class of measures of the retrieved set, to which every relevant document contributes the same."""

    def score(self, rankings: Rankings) -> Floats:
        raise NotImplementedError

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant = rankings.relevant
        return {"contribution": (self.score(rankings) / np.maximum(relevant.count, 1))[relevant.topic]}


class SetPrecision(OfSet):
    """The fraction of the retrieved documents that are relevant; with ``relative``, divided by the largest fraction possible.

    ``SetRelP`` is ``SetP(relative=True)``.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 1}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "z": 1.0}}
    >>> irmx.calc_aggregate("SetP SetRelP", qrels, run)
    {SetP: 0.25, SetP(relative=True): 1.0}
    """

    NAME = "SetP"
    PRETTY_NAME = "Set precision"
    SHORT_DESC = "The fraction of the retrieved documents that are relevant."
    FORMULA = Formula(
        r"\mathrm{SetP} = \frac{r}{T}, \qquad \mathrm{SetRelP} = \frac{r}{\min(T, \mathrm{RB})}",
        {r"\mathrm{SetRelP}": "the measure with relative=True", **_OF_SETS},
    )
    SUPPORTED_PARAMS = {
        "relative": Param(
            bool, "whether to divide by the largest precision that a set of this size can have", default=False
        ),
        "rel": REL,
        "judged_only": JUDGED_ONLY,
    }
    EXAMPLES = ("SetP", "SetP(relative=True)", "SetP(rel=2,judged_only=True)")

    def score(self, rankings: Rankings) -> Floats:
        return set_relative_precision(rankings) if self["relative"] else set_precision(rankings)


class SetRecall(OfSet):
    """The fraction of the relevant documents that are retrieved.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("SetR", {"q": {"a": 1, "b": 1}}, {"q": {"x": 2.0, "a": 1.0}})
    {SetR: 0.5}
    """

    NAME = "SetR"
    PRETTY_NAME = "Set recall"
    SHORT_DESC = "The fraction of the relevant documents that are retrieved."
    FORMULA = Formula(r"\mathrm{SetR} = \frac{r}{\mathrm{RB}}", {k: v for k, v in _OF_SETS.items() if k != "T"})
    SUPPORTED_PARAMS = {"rel": REL}
    EXAMPLES = ("SetR", "SetR(rel=2)")

    def score(self, rankings: Rankings) -> Floats:
        return set_recall(rankings)


class SetF(OfSet):
    """The weighted harmonic mean of the precision and the recall of the retrieved set.

    As in trec_eval, ``beta`` weights recall itself, not by its square.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 1}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "z": 1.0}}
    >>> irmx.calc_aggregate("SetF SetF(beta=3.0)", qrels, run)
    {SetF: 0.4, SetF(beta=3.0): 0.57142...}
    """

    NAME = "SetF"
    PRETTY_NAME = "Set F"
    SHORT_DESC = "The weighted harmonic mean of the precision and the recall of the retrieved set."
    FORMULA = Formula(
        r"\mathrm{SetF} = \frac{(\beta + 1)\,P\,R}{R + \beta P}, \qquad P = \frac{r}{T}, \quad R = \frac{r}{\mathrm{RB}}",
        {r"\beta": "the weight of recall", "P": "the precision", "R": "the recall", **_OF_SETS},
    )
    SUPPORTED_PARAMS = {
        "beta": Param(float, "weight of recall against precision", default=1.0, low=0, high=1e6),
        "rel": REL,
        "judged_only": JUDGED_ONLY,
    }
    EXAMPLES = ("SetF", "SetF(beta=0.5)")

    def score(self, rankings: Rankings) -> Floats:
        return set_f(rankings, self["beta"])


class SetAveragePrecision(OfSet):
    """The product of the precision and the recall of the retrieved set.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("SetAP", {"q": {"a": 1, "b": 1}}, {"q": {"x": 2.0, "a": 1.0}})
    {SetAP: 0.25}
    """

    NAME = "SetAP"
    PRETTY_NAME = "Set average precision"
    SHORT_DESC = "The product of the precision and the recall of the retrieved set."
    FORMULA = Formula(r"\mathrm{SetAP} = \frac{r^2}{T \cdot \mathrm{RB}}", _OF_SETS)
    SUPPORTED_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}
    EXAMPLES = ("SetAP", "SetAP(rel=2)")

    def score(self, rankings: Rankings) -> Floats:
        return set_average_precision(rankings)


class NumberOfTopics(Measure):
    """1 for a topic that has both judgments and retrieved documents; added over topics, their number.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("NumQ", {"p": {"a": 1}, "q": {"a": 1}}, {"q": {"a": 1.0}})
    {NumQ: 1.0}
    """

    NAME = "NumQ"
    PRETTY_NAME = "Number of topics"
    SHORT_DESC = "The number of judged topics for which documents are retrieved."
    FORMULA = Formula(
        r"\mathrm{NumQ} = \sum_{t} 1", {"t": "a topic that has judgments and for which documents are retrieved"}
    )
    EXAMPLES = ("NumQ",)

    def aggregator(self) -> SumAgg:
        return SumAgg()

    def score(self, rankings: Rankings) -> Floats:
        return np.ones(len(rankings))


# -- precision at a recall level, and from a sample of the pool --------------------------------------------------------


class InterpolatedPrecision(Measure):
    """The largest precision at or below the rank at which a recall level is reached; 0 if it is never reached.

    As in trec_eval, a level of recall is a number of relevant documents, rounded up unless its fraction is 0.1 or less.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"x": 4.0, "a": 3.0, "b": 2.0, "y": 1.0}}
    >>> irmx.calc_aggregate("IPrec@0.1 IPrec@1.0", qrels, run)
    {IPrec@0.1: 0.66666..., IPrec@1.0: 0.66666...}
    """

    NAME = "IPrec"
    PRETTY_NAME = "Interpolated precision"
    SHORT_DESC = "The largest precision at or below the rank at which a recall level is reached."
    AT_PARAM = "recall"
    FORMULA = Formula(
        r"\mathrm{IPrec@}\rho = \max_{n \in R,\; C(n) \geq \lfloor \rho\,\mathrm{RB} + 0.9 \rfloor} \mathrm{Prec}(n)",
        {
            r"\rho": "the recall level",
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved",
            "C(n)": "the number of relevant documents at the ranks up to $n$",
            r"\mathrm{RB}": RECALL_BASE,
            r"\mathrm{Prec}(n)": "the precision at rank $n$: $C(n)$ divided by $n$",
        },
    )
    SUPPORTED_PARAMS = {
        "recall": Param(float, "recall level", required=True, low=0, high=1),
        "rel": REL,
        "judged_only": JUDGED_ONLY,
    }
    EXAMPLES = ("IPrec@0.1", "IPrec(rel=2)@0.5")

    def score(self, rankings: Rankings) -> Floats:
        return precision_at_recall(rankings, self["recall"])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant = rankings.relevant
        enough = relevant.ordinal >= (self["recall"] * rankings.recall_base + 0.9).astype(np.int64)[relevant.topic]
        best = relevant.where(enough & (rankings.precision == self.score(rankings)[relevant.topic]))
        best = best.where(best.ordinal == 1)
        return {"documents": best, "contribution": self.score(rankings)[best.topic]}


class InferredAveragePrecision(Measure):
    """Average precision, estimated from a pool of which a sample is judged.

    A negative grade marks a document that is in the pool and was not judged. The relevant share of such documents above a relevant
    one is taken to be that of the judged documents above it.

    References
    ----------
    Yilmaz, E., Aslam, J. A.: Estimating Average Precision with Incomplete and Imperfect Judgments. CIKM 2006.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 1, "b": 1, "x": 0, "y": -1}}, {"q": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("infAP AP", qrels, run)
    {infAP: 0.8125, AP: 0.75}
    """

    NAME = "infAP"
    PRETTY_NAME = "Inferred average precision"
    SHORT_DESC = "Average precision, estimated from a pool of which a sample is judged."
    FORMULA = Formula(
        r"\mathrm{infAP} = \frac{1}{\mathrm{RB}} \sum_{n \in R} \Bigl(\frac{1}{n} + \frac{d_n}{n}\, \frac{r_n + \epsilon}{r_n + s_n + 2\epsilon}\Bigr)",
        {
            r"\mathrm{RB}": RECALL_BASE,
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved",
            "d_n": "the number of documents above rank $n$ that are in the pool, judged or not",
            "r_n": "the number of relevant documents above rank $n$",
            "s_n": "the number of documents above rank $n$ that are judged non-relevant",
            r"\epsilon": "0.00001",
        },
        source="Yilmaz and Aslam (2006), as in trec_eval",
    )
    SUPPORTED_PARAMS = {"rel": REL}
    MONOTONE = False  # a relevant document at the bottom makes the recall base larger, and the estimate smaller
    EXAMPLES = ("infAP", "infAP(rel=2)")

    def score(self, rankings: Rankings) -> Floats:
        return inferred_average_precision(rankings)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant, expected = inferred_precision(rankings)
        contribution = expected / rankings.recall_base[relevant.topic]
        return {"documents": relevant, "expected precision": expected, "contribution": contribution}
