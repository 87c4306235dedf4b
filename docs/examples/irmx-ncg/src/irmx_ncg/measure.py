"""The measure NCG, implemented in the simple way: one topic at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Citation, DataError, Measure, Param, Ranking, Rankings, UsageError
from irmx.ragged import Floats

JARVELIN_KEKALAINEN = Citation(
    "JarvelinKekalainen2002",
    "article",
    {
        "author": 'Kalervo J{\\"a}rvelin and Jaana Kek{\\"a}l{\\"a}inen',
        "title": "Cumulated gain-based evaluation of {IR} techniques",
        "journal": "ACM Transactions on Information Systems",
        "volume": "20",
        "number": "4",
        "pages": "422--446",
        "year": "2002",
        "doi": "10.1145/582415.582418",
    },
)


class NormalisedCumulatedGain(Measure):
    """Normalised cumulated gain: the gain of the documents down to a rank, as a share of that of the ideal ranking.

    NCG@k = CG[k] / ICG[k], with CG[k] = G[1] + ... + G[k], where G[i] is the gain of the document at rank i, and ICG is
    the same for all judged documents in the order of their gains. Ranks are not discounted, so the order within the first k
    does not matter. Without a cutoff, k is beyond the last document of either ranking. A topic without gain scores 0.

    The gain of a document is its grade, or the entry for its grade in ``gains``; the paper allows both. A document that is
    not relevant, with a grade below ``rel``, has no gain.

    References
    ----------
    Järvelin, K. and Kekäläinen, J.: Cumulated gain-based evaluation of {IR} techniques. TOIS 20(4), 2002, Section 2.

    Examples
    --------
    The ranking of the paper has the grades 3, 2, 3, 0, 0, 1, ...; the ideal one 3, 3, 3, 2, 2, 2, ... So CG[6] = 9 and
    ICG[6] = 15:

    >>> import irmx
    >>> ideal = dict(zip("abcdefghij", [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]))
    >>> ranking = ["a", "d", "b", "x", "y", "g", "e", "f", "c", "z"]
    >>> qrels, run = {"q": ideal}, {"q": {doc: -rank for rank, doc in enumerate(ranking, start=1)}}
    >>> irmx.calc_aggregate("NCG@6 NCG(gains=[0,1,10,100])@6", qrels, run)
    {NCG@6: 0.6, NCG(gains=[0,1,10,100])@6: 0.63939...}
    """

    NAME = "NCG"
    PRETTY_NAME = "Normalised Cumulated Gain"
    SHORT_DESC = "The gain of the documents down to a rank, as a share of that of the ideal ranking; without discount."
    SUPPORTED_PARAMS = {
        "gains": Param(
            list,
            "gains of documents with grade 0, 1, 2, ..., never decreasing; None: the grade itself",
            default=None,
            low=0,
        ),
        **COMMON_PARAMS,
    }
    CITATIONS = (JARVELIN_KEKALAINEN,)
    EXAMPLES = ("NCG@10", "NCG(gains=[0,1,10,100])@10")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        gains = self["gains"]
        if gains is not None and (not gains or sorted(gains) != gains):
            raise UsageError(
                f"The 'gains' parameter of NCG must be a non-empty list of gains in ascending order. "
                f"Got {gains!r} instead."
            )

    def score_topic(self, ranking: Ranking) -> float:
        cumulated_gain = self.gain(ranking.relevant.grade).sum()
        ideal = self.ideal_gain(ranking)
        return float(cumulated_gain / ideal) if ideal > 0 else 0.0

    def ideal_gain(self, ranking: Ranking) -> float:
        """Return ICG[k] of a topic, the largest possible gain of k documents."""
        grades = ranking.judged_grades[: self["cutoff"]]
        return float(self.gain(grades[grades >= self["rel"]]).sum())

    def gain(self, grades: Floats) -> Floats:
        """Return the gains of documents with the given grades."""
        gains = self["gains"]
        if gains is None:
            return grades
        unknown = grades[(grades < 0) | (grades % 1 != 0) | (grades >= len(gains))]
        if len(unknown):
            raise DataError(
                f"The 'gains' parameter of NCG has gains for the grades 0 to {len(gains) - 1}. Found the grade {unknown[0]:g}; "
                "use a list with a gain for it."
            )
        return np.take(np.asarray(gains, dtype=float), grades.astype(int))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        gain = self.gain(rankings.relevant.grade)
        ideal = np.array([self.ideal_gain(ranking) for ranking in rankings])[rankings.relevant.topic]
        return {"gain": gain, "contribution": np.divide(gain, ideal, out=np.zeros(len(gain)), where=ideal > 0)}


NCG = NormalisedCumulatedGain()
