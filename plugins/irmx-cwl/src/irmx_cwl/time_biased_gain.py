"""Users whose interest fades with the time they have spent, or with the text they have read: TBG and the U-measure."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, DataError, Formula, Measure, Param, Rankings, SampleValues, UsageError
from irmx.ragged import Floats, position_in_segment, segment_cumsum, segment_of

# -- known measures per effort, where the effort of a document depends on its grade ----------------------------------


JIANG_EFFORT = Citation(
    "Jiang2016effort",
    "inproceedings",
    {
        "author": "Jiepu Jiang and James Allan",
        "title": "Adaptive Effort for Search Evaluation Metrics",
        "booktitle": "Advances in Information Retrieval, 38th European Conference on IR Research (ECIR 2016)",
        "year": "2016",
        "pages": "187--199",
        "doi": "10.1007/978-3-319-30671-1_14",
    },
)


def by_grade(values: list[float], rankings: Rankings) -> Floats:
    """Return for every document the value of its grade: the first below rel, the last for larger grades."""
    grade = rankings.ranked.grade
    return _at(values, np.where(grade >= rankings.rel, grade, 0))


def _at(values: list[float], grade: Floats) -> Floats:
    return np.asarray(values, dtype=float)[np.clip(grade, 0, len(values) - 1).astype(np.int64)]


def up_to(rankings: Rankings, amount: Any) -> Floats:
    """Return the sum of an amount over the documents of a ranking down to each of them."""
    return segment_cumsum(np.asarray(amount, dtype=float), rankings.ranked.offsets)


class ByGrade(Measure):
    """Base class: the sum of gain times weight over the documents, by lists that have a value per grade."""

    BY_GRADE: ClassVar[tuple[str, ...]] = ()

    def validate_params(self) -> None:
        super().validate_params()
        for name in self.BY_GRADE:
            if self[name] == []:
                raise UsageError(
                    f"The {name!r} parameter of {self.NAME} needs a value for grade 0 and for each grade above it. Got []."
                )

    def terms(self, rankings: Rankings) -> dict[str, Floats]:
        """Return the columns ``gain`` and ``weight`` of every document, and what else explains them."""
        raise NotImplementedError

    def score(self, rankings: Rankings) -> Floats:
        terms = self.terms(rankings)
        return rankings.ranked.sum(terms["gain"] * terms["weight"])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        terms = self.terms(rankings)
        shown = terms["gain"] > 0
        columns = {name: column[shown] for name, column in terms.items()}
        return {
            "documents": rankings.ranked.where(shown),
            **columns,
            "contribution": columns["gain"] * columns["weight"],
        }


class Effort(ByGrade):
    """A known measure per effort: the gain of a user divided by the effort, which depends on the grades of the documents.

    The effort of each document, relative to the largest, stands where the usual measure counts documents: P, RBP, AP, RR, ERR, DCG and
    nDCG. As in the authors' software, there is no effort below the end of the ranking. With equal efforts, AP, RR, ERR and nDCG, and P of
    a ranking down to the cutoff, are the usual ones; RBP and DCG are divided by the sum of their discounts.

    References
    ----------
    Jiang, J., Allan, J.: Adaptive Effort for Search Evaluation Metrics. ECIR 2016.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("Effort(measure='P')@3 Effort(measure='P',effort=[1])@3 Effort(measure='RR',effort=[0.25,1])", qrels, run)
    {Effort(measure='P')@3: 1.06818..., Effort(measure='P',effort=[1])@3: 0.66666..., Effort(measure='RR',effort=[0.25,1]): 1.0}
    """

    NAME = "Effort"
    PRETTY_NAME = "A measure per effort"
    SHORT_DESC = "P, RBP, AP, RR, ERR, DCG or nDCG, with an effort by grade in place of the number of documents."
    FORMULA = Formula(
        r"\mathrm{Effort} = \frac{\sum_i d_i g_i}{\sum_i d_i e_i}, \quad \frac{1}{\mathrm{RB}} \sum_{i \in R} \frac{G_i}{E_i}, \quad "
        r"\frac{1}{E_r}, \quad \sum_i \frac{P_i}{E_i}",
        {
            r"\mathrm{Effort}": "for P, RBP and DCG; for AP; for RR; and for ERR",
            "i": "a rank",
            "d_i": r"the discount: 1 for P, $p^{i-1}$ for RBP, $1/\log_2(i+1)$ for DCG; nDCG is DCG divided by that of the judged documents, "
            "largest grades first",
            "g_i": r"the gain of its document: 1 if it is relevant, $2^{\mathrm{grade}} - 1$ for DCG, or by grade: gains",
            "e_i": "its effort: that of its grade, divided by the largest",
            r"\mathrm{RB}": "the number of relevant documents",
            "R": "the ranks of the relevant documents retrieved",
            "G_i": "the gains down to rank $i$, added up",
            "E_i": "the efforts down to rank $i$, added up",
            "r": "the rank of the first relevant document",
            "P_i": r"the probability to stop at rank $i$: $s_i \prod_{j<i} (1 - s_j)$, $s_i = (2^{\mathrm{grade}} - 1) / 2^{\mathrm{max\_grade}}$",
        },
        source="Jiang and Allan (2016)",
    )
    SUPPORTED_PARAMS = {
        "measure": Param(str, "the measure", required=True, choices=("P", "RBP", "AP", "RR", "ERR", "DCG", "nDCG")),
        "effort": Param(
            list,
            "effort of a document by its grade, from 0, in any unit; by default seconds of the authors' users",
            default=[9.8, 23.0, 37.6],
            above=0,
        ),
        "gains": Param(
            list,
            "gain of a relevant document by its grade, from 0, instead of 1 or, for DCG and nDCG, 2^grade - 1",
            default=None,
            low=0,
        ),
        "p": Param(float, "persistence of RBP", default=0.8, above=0, below=1),
        "max_grade": Param(float, "largest grade of the scale of ERR", default=4.0, above=0, high=1000),
        **COMMON_PARAMS,
    }
    RANGE = (0.0, float("inf"))
    MONOTONE = False  # a relevant document may take more effort
    CITATIONS = (JIANG_EFFORT,)
    EXAMPLES = ("Effort(measure='P')@9", "Effort(measure='nDCG',effort=[0.25,1])@9", "Effort(measure='AP')")
    BY_GRADE = ("effort", "gains")

    def terms(self, rankings: Rankings) -> dict[str, Floats]:
        measure, ranked = self["measure"], rankings.ranked
        relevant = ranked.grade >= rankings.rel
        grade = np.where(relevant, ranked.grade, 0)
        g, e, i = self.gain(grade, relevant), self.of_grade(grade), ranked.rank
        E = up_to(rankings, e)  # noqa: N806
        if measure == "AP":
            RB = np.maximum(rankings.recall_base, 1)[ranked.topic]  # noqa: N806
            return {"effort": e, "gain": relevant * up_to(rankings, g), "weight": 1 / (RB * E)}
        if measure == "RR":
            return {"effort": e, "gain": relevant * (up_to(rankings, relevant) == 1), "weight": 1 / E}
        if measure == "ERR":
            return {"effort": e, "gain": self.stops(rankings, grade), "weight": 1 / E}
        d = self.discount(i)
        ideal = self.ideal(rankings) if measure == "nDCG" else np.ones(len(rankings))
        spent = (ranked.sum(d * e) * ideal)[ranked.topic]
        return {"effort": e, "gain": g, "weight": np.divide(d, spent, out=np.zeros(len(d)), where=spent > 0)}

    def of_grade(self, grade: Floats) -> Floats:
        """Return the effort of documents, relative to the largest."""
        return np.asarray(_at(self["effort"], grade) / max(self["effort"]))

    def gain(self, grade: Floats, relevant: Any) -> Floats:
        """Return the gains of documents by their grades, 0 for those that are not relevant."""
        if self["gains"] is not None:
            return np.asarray(relevant * _at(self["gains"], grade))
        if self["measure"] not in ("DCG", "nDCG"):
            return np.asarray(relevant, dtype=float)
        if grade.max(initial=0) > 1000:
            raise DataError(f"2^{grade.max():g} - 1 is more than a float holds. Give gains.")
        return np.asarray(relevant * (np.exp2(np.maximum(grade, 0)) - 1))

    def discount(self, i: Any) -> Floats:
        """Return the discounts of ranks, from 1."""
        if self["measure"] == "P":
            return np.ones(len(i))
        return np.asarray(self["p"] ** (i - 1.0) if self["measure"] == "RBP" else 1 / np.log2(i + 1))

    def ideal(self, rankings: Rankings) -> Floats:
        """Return DCG per effort of the judged documents, largest grades first, down to the cutoff."""
        offsets, grade = rankings.judged_grades
        topic, position = segment_of(offsets), position_in_segment(offsets)
        top = position < (rankings.cutoff or np.inf)
        relevant = grade >= rankings.rel
        grade = np.where(relevant, grade, 0)
        d = self.discount(position + 1) * top
        gain, effort = (
            np.bincount(topic, d * amount, minlength=len(rankings))
            for amount in (self.gain(grade, relevant), self.of_grade(grade))
        )
        return np.asarray(np.divide(gain, effort, out=np.zeros(len(rankings)), where=effort > 0))

    def stops(self, rankings: Rankings, grade: Floats) -> Floats:
        """Return the probability that a user of ERR stops at each document."""
        if rankings.largest_grade > self["max_grade"]:
            raise DataError(
                f"The qrels have the grade {rankings.largest_grade:g}, above max_grade={self['max_grade']:g}."
            )
        s = (np.exp2(np.maximum(grade, 0)) - 1) / 2 ** self["max_grade"]
        with np.errstate(divide="ignore"):
            go_on = np.log1p(-s)
        return np.asarray(s * np.exp(up_to(rankings, go_on) - go_on))


EFFORT = Effort()


# -- users whose interest fades with the time they have spent --------------------------------------------------------


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
