"""Compatibility: how much a ranking overlaps with the ideal one, the more the higher."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Formula, Measure, Param, Rankings, Rows
from irmx.ragged import Floats, Ints, position_in_segment, segment_of


class Compatibility(Measure):
    """The rank-biased overlap of the ranking with the ideal ranking that is closest to it.

    The ideal ranking holds all documents with a grade above 0, the largest first, and documents of the same grade in the order in
    which they are retrieved. With ``normalize`` the overlap is divided by that of the ideal ranking with itself, which is below 1
    where the other ranking is longer.

    References
    ----------
    Clarke, C. L. A., Vtyurina, A., Smucker, M. D.: Assessing Top-k Preferences. TOIS 2021.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 3.0, "a": 2.0, "x": 1.0}}
    >>> irmx.calc_aggregate("Compat(p=0.5) Compat(p=0.5,normalize=False)", qrels, run)
    {Compat(p=0.5): 0.39999..., Compat(p=0.5,normalize=False): 0.38095...}
    """

    NAME = "Compat"
    PRETTY_NAME = "Compatibility"
    SHORT_DESC = "The rank-biased overlap of the ranking with the ideal ranking closest to it."
    FORMULA = Formula(
        r"\mathrm{Compat} = \frac{\mathrm{RBO}(L, I)}{\mathrm{RBO}(I, I)}, \qquad "
        r"\mathrm{RBO}(L, I) = \frac{\sum_{i=1}^{D} p^{i-1}\, |L_i \cap I_i| / i}{\sum_{i=1}^{D} p^{i-1}}",
        {
            r"\mathrm{RBO}": "rank-biased overlap",
            "L": "the ranking",
            "I": "the ideal ranking; with normalize=False it is not compared with itself, and the divisor is 1",
            "i": "a rank",
            "D": "the number of documents of the longer of the two rankings",
            "p": "the persistence",
            "L_i": "the first $i$ documents of the ranking",
            "I_i": "those of the ideal ranking",
        },
        source="Clarke et al. (2021)",
    )
    SUPPORTED_PARAMS = {
        "p": Param(float, "persistence", default=0.95, above=0, below=1),
        "normalize": Param(bool, "whether to divide by the overlap of the ideal ranking with itself", default=True),
    }
    MONOTONE = (
        False  # a document that becomes relevant at the bottom moves those of smaller grades down the ideal ranking
    )
    EXAMPLES = ("Compat", "Compat(p=0.8,normalize=False)")

    def score(self, rankings: Rankings) -> Floats:
        documents, contribution = self._contributions(rankings)
        return documents.sum(contribution)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        documents, contribution = self._contributions(rankings)
        ideal_rank = rankings.memo(("irmx-trec", "ideal rank"), lambda: _ideal_rank(documents, rankings))
        return {"documents": documents, "ideal rank": ideal_rank, "contribution": contribution}

    def _contributions(self, rankings: Rankings) -> tuple[Rows, Floats]:
        """Return the documents that the two rankings share, and what each adds to the overlap at its lower rank and below."""
        documents = rankings.judged.where(rankings.judged.grade > 0)
        ideal_rank = rankings.memo(("irmx-trec", "ideal rank"), lambda: _ideal_rank(documents, rankings))
        ideal_depth = _ideal_depth(rankings)
        depth = np.maximum(rankings.depth, ideal_depth)
        powers = self["p"] ** np.arange(depth.max(initial=1))
        # of a document that is shared from rank i on, the weights of the ranks up to the depth less those above i
        above = np.append(0.0, np.cumsum(powers / np.arange(1, len(powers) + 1)))
        full = np.append(0.0, np.cumsum(powers))
        divisor = (
            full[ideal_depth] + ideal_depth * (above[depth] - above[ideal_depth]) if self["normalize"] else full[depth]
        )
        weight = above[depth[documents.topic]] - above[np.maximum(documents.rank, ideal_rank) - 1]
        return documents, weight / divisor[documents.topic]


def _ideal_depth(rankings: Rankings) -> Ints:
    """Return the number of documents with a grade above 0 of every topic."""
    offsets, grades = rankings.judged_grades
    return np.bincount(segment_of(offsets)[grades > 0], minlength=len(rankings))


def _ideal_rank(documents: Rows, rankings: Rankings) -> Ints:
    """Return the ranks of the documents retrieved in the ideal ranking: after those of larger grades, and equal ones that are above."""
    offsets, grades = rankings.judged_grades
    levels = np.unique(grades)
    # ascending where topics come one after the other, and grades from the largest down
    key = segment_of(offsets) * len(levels) + len(levels) - 1 - np.searchsorted(levels, grades)
    own = documents.topic * len(levels) + len(levels) - 1 - np.searchsorted(levels, documents.grade)
    larger = np.searchsorted(key, own) - offsets[documents.topic]
    order = np.argsort(own, kind="stable")
    starts = np.flatnonzero(np.diff(own[order], prepend=-1))
    above = np.empty(len(own), dtype=np.int64)
    above[order] = position_in_segment(np.append(starts, len(own)))
    return np.asarray(larger + above + 1)
