"""Q-measure of NTCIR: average precision for graded relevance."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Citation, Formula, Measure, Param, Rankings
from irmx.ragged import Floats, offsets_of, segment_cumsum, segment_of

SAKAI = Citation(
    "SakaiSong2011",
    "inproceedings",
    {
        "author": "Tetsuya Sakai and Ruihua Song",
        "title": "Evaluating Diversified Search Results Using Per-Intent Graded Relevance",
        "booktitle": "Proceedings of the 34th International ACM SIGIR Conference (SIGIR 2011)",
        "year": "2011",
    },
)


class QMeasure(Measure):
    """The mean over the relevant documents of the blended ratio, in which precision and cumulative gain count together.

    With a cutoff, the sum is divided by the number of relevant documents or the cutoff, whichever is smaller, as NTCIREVAL does. With
    beta=0 it is average precision.

    References
    ----------
    Sakai, T., Song, R.: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 3, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("Q Q(beta=0) AP Q(gains={3:7})@2", qrels, run)
    {Q: 0.761904..., Q(beta=0.0): 0.583333..., AP: 0.583333..., Q(gains={3:7})@2: 0.4}
    """

    NAME = "Q"
    PRETTY_NAME = "Q-measure"
    SHORT_DESC = "The mean over the relevant documents of the blended ratio of precision and cumulative gain."
    FORMULA = Formula(
        r"\mathrm{Q} = \frac{1}{\mathrm{RB}} \sum_{n \in R} \frac{C(n) + \beta\,\mathrm{cg}(n)}{n + \beta\,\mathrm{cg}^{*}(n)}",
        {
            r"\mathrm{RB}": "the number of relevant documents in the judgments, with a cutoff at most the cutoff",
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved, up to the cutoff if there is one",
            "C(n)": "the number of relevant documents at the ranks up to $n$",
            r"\beta": "the weight of gain against counts",
            r"\mathrm{cg}(n)": "the sum of the gains at the ranks up to $n$",
            r"\mathrm{cg}^{*}(n)": "that of the ideal ranking, of all relevant documents in the order of their gains",
        },
        source="Sakai and Song (2011)",
    )
    SUPPORTED_PARAMS = {
        "beta": Param(float, "weight of gain against counts", default=1.0, low=0, high=1e6),
        "gains": Param(dict, "gains that replace the grades of relevant documents, such as {1:1,2:3,3:7}"),
        **COMMON_PARAMS,
    }
    CITATIONS = (SAKAI,)
    EXAMPLES = ("Q", "Q(gains={1:1,2:3})@10")

    def score(self, rankings: Rankings) -> Floats:
        return rankings.relevant.sum(self._contribution(rankings))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return {"gain": self._gains(rankings.relevant.grade), "contribution": self._contribution(rankings)}

    def _contribution(self, rankings: Rankings) -> Floats:
        relevant, best = rankings.relevant, self._ideal(rankings)
        gained = segment_cumsum(self._gains(relevant.grade), relevant.offsets)
        starts = offsets_of(rankings.recall_base)
        last = starts[:-1][relevant.topic] + np.minimum(relevant.rank, rankings.recall_base[relevant.topic]) - 1
        ratio = (relevant.ordinal + self["beta"] * gained) / (relevant.rank + self["beta"] * best[last])
        most = np.minimum(rankings.recall_base, self["cutoff"] or rankings.recall_base)
        return np.asarray(ratio / most[relevant.topic])

    def _ideal(self, rankings: Rankings) -> Floats:
        """Return the cumulative gain of the ideal ranking at every rank, topic by topic, over all relevant documents."""
        offsets, grades = rankings.judged_grades
        is_relevant = grades >= rankings.rel
        topic, gain = segment_of(offsets)[is_relevant], self._gains(grades[is_relevant])
        gain = gain[np.lexsort((-gain, topic))]
        return segment_cumsum(gain, offsets_of(np.bincount(topic, minlength=len(rankings))))

    def _gains(self, grades: Floats) -> Floats:
        gain = np.maximum(grades, 0)
        for grade, replacement in (self["gains"] or {}).items():
            gain[grades == grade] = max(replacement, 0)
        return np.asarray(gain)
