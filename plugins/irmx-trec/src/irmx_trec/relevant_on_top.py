"""The relevant documents at the top of the ranking: precision and recall at a cutoff, R-precision, success."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Formula, Measure, Rankings
from irmx.ragged import Floats
from irmx_trec.classic_parameters import JUDGED_ONLY, ON_TOP, RECALL_BASE, REL, REQUIRED_CUTOFF

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
