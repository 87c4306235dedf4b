"""Bpref: whether documents judged relevant stand above those judged non-relevant."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Formula, Measure, Rankings, Rows
from irmx.ragged import Floats
from irmx_trec.classic_parameters import RECALL_BASE, REL


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
