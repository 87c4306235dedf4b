"""Users whose interest fades with the time they have spent, or with the text they have read: TBG and the U-measure."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, DataError, Formula, Param, Rankings, SampleValues
from irmx.ragged import Floats
from irmx_cwl.effort_by_grade import JIANG_EFFORT, ByGrade, by_grade, up_to

SMUCKER = Citation(
    "Smucker2012",
    "inproceedings",
    {
        "author": "Mark D. Smucker and Charles L. A. Clarke",
        "title": "Time-based Calibration of Effectiveness Measures",
        "booktitle": "Proceedings of the 35th International ACM SIGIR Conference (SIGIR 2012)",
        "year": "2012",
        "pages": "95--104",
        "doi": "10.1145/2348283.2348300",
    },
)
SAKAI = Citation(
    "Sakai2013",
    "inproceedings",
    {
        "author": "Tetsuya Sakai and Zhicheng Dou",
        "title": "Summaries, Ranked Retrieval and Sessions: A Unified Framework for Information Access Evaluation",
        "booktitle": "Proceedings of the 36th International ACM SIGIR Conference (SIGIR 2013)",
        "year": "2013",
        "pages": "473--482",
        "doi": "10.1145/2484028.2484031",
    },
)
LENGTH = Column(
    "run",
    "length",
    "length of the document",
    "words",
    how="give a run as a table with this column, or times by grade, such as times=[9.8,23,37.6]",
    sample=SampleValues(range(8, 61), ("query_id", "doc_id")),
)
TIMES = Param(
    list,
    "time spent on a document by its grade, from 0; without it, the time follows from the run column 'length'",
    default=None,
    low=0,
)


class FadingGain(ByGrade):
    """Base class: the sum of gain times a discount, which falls with what the documents above have taken."""

    RANGE = (0.0, float("inf"))
    MONOTONE = False  # a relevant document takes longer
    RUN_COLUMNS: ClassVar[tuple[Column, ...]] = (LENGTH,)

    def run_columns(self) -> tuple[Column, ...]:
        return self.RUN_COLUMNS if self["times"] is None else ()

    def length(self, rankings: Rankings) -> Floats:
        """Return the number of words of each document, after checking that it is not negative."""
        ranked = rankings.ranked
        length = ranked.column(LENGTH)
        for i in np.flatnonzero(length < 0)[:1].tolist():
            raise DataError(
                f"The run column 'length' must be 0 words or more. It is {length[i]:g} for query {rankings.topics[ranked.topic[i]]}, "
                f"document {ranked.doc_ids[i]!r}."
            ).at(ranked.place([i]))
        return length


class TimeBiasedGain(FadingGain):
    """Time-biased gain: the gains of the documents, each discounted by the time a user takes to reach it.

    A user reads the summaries one after the other, clicks on some, and reads what was clicked. Half of the users have stopped after
    ``half_life`` seconds. The value is the expected number of relevant documents that a user finds and saves; it is not normalised.
    ``CWL(user=tbg)`` is the same discount, normalised as in cwl_eval.

    References
    ----------
    Smucker, M. D., Clarke, C. L. A.: Time-based Calibration of Effectiveness Measures. SIGIR 2012. Times by grade: Jiang, J., Allan, J.:
    Adaptive Effort for Search Evaluation Metrics. ECIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "length": [500, 1000, 200]})
    >>> irmx.calc_aggregate("TBG TBG(half_life=31,times=[9.8,23])", {"q": {"a": 1, "b": 1}}, run)
    {TBG: 0.94244..., TBG(half_life=31.0,times=[9.8,23]): 0.72947...}
    """

    NAME = "TBG"
    PRETTY_NAME = "Time-biased gain"
    SHORT_DESC = "The relevant documents that a user saves before running out of time."
    FORMULA = Formula(
        r"\mathrm{TBG} = \sum_{i} P_S(i)\,P_C(i)\,2^{-T_i / h}, \quad T_i = \sum_{j<i} T_S + P_C(j)\,(a\,l_j + b)",
        {
            "i": "a rank",
            "P_S(i)": "the probability that a clicked document is saved, by grade: p_save",
            "P_C(i)": "the probability of a click on the document, by grade: p_click",
            "T_i": "the time to reach rank $i$, in seconds; with times, each document takes the time of its grade",
            "h": "the half-life, in seconds",
            "j": "a rank above $i$",
            "T_S": "the time to read a summary, in seconds",
            "l_j": "the length of the document, in words",
            "a": "the time per word: word_time",
            "b": "the time per document: document_time",
        },
        source="Smucker and Clarke (2012)",
    )
    SUPPORTED_PARAMS = {
        "half_life": Param(float, "time after which half of the users have stopped", default=224.0, above=0, unit="s"),
        "summary_time": Param(float, "time to read a summary", default=4.4, low=0, unit="s"),
        "word_time": Param(float, "time to read a word of a document", default=0.018, low=0, unit="s"),
        "document_time": Param(
            float, "time spent on a document regardless of its length", default=7.8, low=0, unit="s"
        ),
        "p_click": Param(list, "probability of a click by grade, from 0", default=[0.39, 0.64], low=0, high=1),
        "p_save": Param(
            list, "probability by grade, from 0, that a clicked document is saved", default=[0, 0.77], low=0, high=1
        ),
        "times": TIMES,
        **COMMON_PARAMS,
    }
    CITATIONS = (SMUCKER, JIANG_EFFORT)
    EXAMPLES = ("TBG", "TBG(half_life=31.0,p_click=[0.26,0.5,0.55],p_save=[0,0.2,0.8],times=[9.8,23,37.6])@9")
    BY_GRADE = ("p_click", "p_save", "times")

    def terms(self, rankings: Rankings) -> dict[str, Floats]:
        p_click, p_save = (by_grade(self[name], rankings) for name in ("p_click", "p_save"))
        if self["times"] is None:
            reading = self["word_time"] * self.length(rankings) + self["document_time"]
            time = self["summary_time"] + p_click * reading
        else:
            time = by_grade(self["times"], rankings)
        reached = np.maximum(up_to(rankings, time) - time, 0)
        return {"time": reached, "gain": p_click * p_save, "weight": 0.5 ** (reached / self["half_life"])}


class UMeasure(FadingGain):
    """U-measure: the gains of the documents, each discounted linearly by the text that has been read when it ends.

    A user reads the documents one after the other, and stops after ``L`` characters. The value is not normalised, as the constant
    of the paper does not change comparisons. ``CWL(user=u)`` is the discount of cwl_eval, which is normalised.

    References
    ----------
    Sakai, T., Dou, Z.: Summaries, Ranked Retrieval and Sessions: A Unified Framework for Information Access Evaluation. SIGIR 2013.
    Times by grade: Jiang, J., Allan, J.: Adaptive Effort for Search Evaluation Metrics. ECIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "length": [500, 1000, 700]})
    >>> irmx.calc_aggregate("UMeasure UMeasure(L=99,times=[9.8,23])", {"q": {"a": 1, "b": 1}}, run)
    {UMeasure: 1.87727..., UMeasure(L=99.0,times=[9.8,23]): 1.20404...}
    """

    NAME = "UMeasure"
    PRETTY_NAME = "U-measure"
    SHORT_DESC = "The gains of the documents, discounted linearly by the text that a user has read."
    FORMULA = Formula(
        r"\mathrm{UMeasure} = \sum_{i} g_i \max\left(0, 1 - \frac{\sum_{j \leq i} s\,l_j}{L}\right)",
        {
            "i": "a rank",
            "g_i": r"the gain of its document: 1 if it is relevant; with max_grade, $(2^{\mathrm{grade}} - 1) / 2^{\mathrm{max\_grade}}$ "
            "or grade / max_grade, as gain says",
            "j": "a rank down to $i$",
            "s": "the characters per word; with times, each document takes the time of its grade instead",
            "l_j": "the length of the document, in words",
            "L": "the amount of text, or of time, after which the user stops",
        },
        source="Sakai and Dou (2013), without their constant",
    )
    SUPPORTED_PARAMS = {
        "L": Param(
            float,
            "text after which the user stops, in characters; with times, the time in their unit",
            default=132_000.0,
            above=0,
        ),
        "characters": Param(float, "characters per word, with the blank", default=6.0, above=0),
        "gain": Param(
            str,
            "gain of a relevant document if max_grade is given: (2^grade - 1) / 2^max_grade, or grade / max_grade",
            default="exponential",
            choices=("exponential", "linear"),
        ),
        "max_grade": Param(float, "largest grade of the scale; without it, relevance is binary", above=0, high=1000),
        "times": TIMES,
        **COMMON_PARAMS,
    }
    CITATIONS = (SAKAI, JIANG_EFFORT)
    EXAMPLES = ("UMeasure", "UMeasure(L=99.0,times=[9.8,23,37.6])@9")
    BY_GRADE = ("times",)

    def terms(self, rankings: Rankings) -> dict[str, Floats]:
        length = (
            self["characters"] * self.length(rankings) if self["times"] is None else by_grade(self["times"], rankings)
        )
        end = up_to(rankings, length)
        return {"end": end, "gain": self._gains(rankings), "weight": np.maximum(0, 1 - end / self["L"])}

    def _gains(self, rankings: Rankings) -> Floats:
        grade, largest = rankings.ranked.grade, self["max_grade"]
        relevant = grade >= rankings.rel
        if largest is None:
            return np.asarray(relevant, dtype=float)
        if rankings.largest_grade > largest:
            raise DataError(f"The qrels have the grade {rankings.largest_grade:g}, above max_grade={largest:g}.")
        grade = np.where(relevant, np.maximum(grade, 0), 0)
        return np.asarray((np.exp2(grade) - 1) / 2**largest if self["gain"] == "exponential" else grade / largest)


TBG, U = TimeBiasedGain(), UMeasure()
