"""Measures of rankings that may stop: after the last document stands the end, which is worth what the documents before it gave."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Citation, DataError, DataWarning, Formula, Judgments, Measure, Param, Rankings, Rows
from irmx.ragged import Floats, Ints, offsets_of, position_in_segment, segment_cumsum, segment_of, segment_sum
from irmx.toolkit import plural
from irmx_stream.columns import DAYS_ASKED, DAYS_NAMED

LIU = Citation(
    "Liu2016",
    "inproceedings",
    {
        "author": "Fei Liu and Alistair Moffat and Timothy Baldwin and Xiuzhen Zhang",
        "title": "Quit While Ahead: Evaluating Truncated Rankings",
        "booktitle": "Proceedings of the 39th International ACM SIGIR Conference on Research and Development in Information Retrieval",
        "year": "2016",
    },
)

END = r",\quad r_{d+1} = \frac{\sum_{i=1}^{d} r_i}{R}"
SYMBOLS = {
    "d": "the number of documents of the ranking, 0 for a run that returns nothing",
    "r_i": "the gain of the document at rank $i$: its grade, or 1 with binary=True, if it is relevant, else 0",
    "R": "the sum of the gains of all relevant documents",
    "r_{d+1}": "the gain of the end; 1 if no document is relevant",
    "i": "a rank",
}


@dataclass(frozen=True)
class Ended:
    """Rankings with their ends.

    ``document`` are the relevant documents, ``gain`` their gains, ``before`` the sums of the gains of a topic down to each; ``last``
    is the rank of the end of each topic, ``end`` its gain, and ``retrieved`` the sum of the gains before it. ``ideal`` are the gains
    of all relevant documents of each topic, the largest first, from ``offsets`` on.
    """

    document: Rows
    gain: Floats
    before: Floats
    last: Ints
    end: Floats
    retrieved: Floats
    ideal: Floats
    offsets: Ints

    def ideal_with_end(self) -> tuple[Ints, Ints, Floats]:
        """Return topic, rank and gain of the documents of the ideal rankings, and of the ends after them."""
        counts = np.diff(self.offsets)
        offsets = offsets_of(counts + 1)
        topic, rank = segment_of(offsets), position_in_segment(offsets) + 1
        gain = np.ones(len(topic))
        gain[rank <= counts[topic]] = self.ideal
        return topic, rank, gain


class Truncated(Measure):
    """A measure of rankings that may stop, or return nothing at all."""

    SUPPORTED_PARAMS = {
        "cutoff": COMMON_PARAMS["cutoff"],
        "rel": COMMON_PARAMS["rel"],
        "binary": Param(bool, "whether all relevant documents have the gain 1, instead of their grades", default=False),
    }
    CITATIONS = (LIU,)
    RUN_COLUMNS, QREL_COLUMNS = (DAYS_NAMED,), (DAYS_ASKED,)
    SMALLEST_GAIN = 1.0
    """The smallest gain of a relevant document with which the values are at most 1; 0 if any gain does."""

    def of_missing(self, judgments: Judgments) -> Floats:
        """Return 1 for a topic without a relevant document, of which nothing is the right answer, and 0 for all others."""
        return judgments.without_relevant(self["rel"]).astype(float)

    def score(self, rankings: Rankings) -> Floats:
        _tell_of_days_not_named(rankings)
        ended = self.ended(rankings)
        topics = len(rankings)
        values = segment_sum(self.of_documents(ended), ended.document.topic, topics) + self.of_ends(ended)
        return np.asarray(values / self.ideal(ended, topics))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        """Return the relevant documents of one topic, and its end."""
        ended, rows = self.ended(rankings), rankings.relevant
        ideal = self.ideal(ended, len(rankings))
        return {
            "rank": [*rows.rank.tolist(), *ended.last.tolist()],
            "doc_id": [*rows.doc_ids, *["(the end)"] * len(rankings)],
            "gain": np.append(ended.gain, ended.end),
            "contribution": np.append(self.of_documents(ended) / ideal[rows.topic], self.of_ends(ended) / ideal),
        }

    def ended(self, rankings: Rankings) -> Ended:
        """Return the rankings with their ends."""
        document, topics = rankings.relevant, len(rankings)
        offsets, grades = rankings.judged_grades
        is_relevant = grades >= rankings.rel
        topic = segment_of(offsets)[is_relevant]
        ideal, gain = self.gains(grades[is_relevant]), self.gains(document.grade)
        if len(ideal) and (ideal.min() < self.SMALLEST_GAIN or ideal.min() <= 0):
            least = f"of {self.SMALLEST_GAIN:g} or more" if self.SMALLEST_GAIN else "above 0"
            raise DataError(
                f"{self} needs gains {least} of relevant documents: with others a value may exceed 1, or means nothing. The qrels "
                f"have the grade {ideal.min():g}, which rel={rankings.rel:g} makes relevant. Give binary=True, or a larger rel."
            )
        retrieved = segment_sum(gain, document.topic, topics)
        every = segment_sum(ideal, topic, topics)
        end = np.divide(retrieved, every, out=np.ones(topics), where=every > 0)
        before = segment_cumsum(gain, document.offsets)
        of_ideal = offsets_of(np.bincount(topic, minlength=topics))
        return Ended(document, gain, before, rankings.depth + 1, end, retrieved, ideal, of_ideal)

    def gains(self, grade: Floats) -> Floats:
        """Return the gains of relevant documents."""
        return np.ones(len(grade)) if self["binary"] else grade

    def of_documents(self, ended: Ended) -> Floats:
        """Return what each relevant document adds, before it is divided by that of the ideal ranking."""
        raise NotImplementedError

    def of_ends(self, ended: Ended) -> Floats:
        """Return what the end of each topic adds."""
        raise NotImplementedError

    def ideal(self, ended: Ended, topics: int) -> Floats:
        """Return by what the value of each topic is divided."""
        return np.ones(topics)


def _tell_of_days_not_named(rankings: Rankings) -> None:
    """Warn of days of topics that a run lacks, rather than being silent on purpose; only inboxes say which days were asked."""
    named, asked = (
        {day for text in rows.labels(column, missing_ok=True)[1] for day in str(text).split("\n") if day}
        for rows, column in ((rankings.run_rows, DAYS_NAMED), (rankings.qrels_rows, DAYS_ASKED))
    )
    if not (named and asked):
        return
    if lacking := sorted(asked - named):
        topics = dict.fromkeys(day.rpartition("/")[0] for day in lacking)
        warnings.warn(
            f"{len(lacking):,} of {plural(len(asked), 'day')} of topics, of {plural(len(topics), 'topic')}, are not named, such as {lacking[0]}, and count "
            "as silence. If the system is silent on purpose, name each day with an empty list; else run it on them.",
            DataWarning,
            stacklevel=2,
        )


class ReciprocalRank(Truncated):
    """The reciprocal of the first rank with a gain: of the first relevant document, or of the end of a ranking that rightly has none.

    References
    ----------
    Liu, F., Moffat, A., Baldwin, T., Zhang, X.: Quit While Ahead: Evaluating Truncated Rankings. SIGIR 2016.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc("TruncatedRR", {"news": {"a": 1}, "none": {"a": 0}}, {"news": {"x": 2.0, "a": 1.0}}).per_query
    [Metric(query_id='news', measure=TruncatedRR, value=0.5), Metric(query_id='none', measure=TruncatedRR, value=1.0)]
    """

    NAME = "TruncatedRR"
    PRETTY_NAME = "Reciprocal rank of truncated rankings (RR')"
    SHORT_DESC = (
        "The reciprocal rank of the first relevant document, or of the end of a ranking where none is relevant."
    )
    FORMULA = Formula(
        r"\mathrm{RR}' = \frac{1}{\min\{i \le d+1 : r_i > 0\}}" + END,
        {**SYMBOLS, "i": "a rank; without a gain at any, the value is 0"},
        source="Liu et al. (2016)",
    )
    SUPPORTED_PARAMS = {name: param for name, param in Truncated.SUPPORTED_PARAMS.items() if name != "binary"}
    EXAMPLES = ("TruncatedRR", "TruncatedRR@10")
    SMALLEST_GAIN = 0.0

    def gains(self, grade: Floats) -> Floats:
        return np.ones(len(grade))

    def of_documents(self, ended: Ended) -> Floats:
        return np.asarray(np.where(ended.document.ordinal == 1, 1 / ended.document.rank, 0.0))

    def of_ends(self, ended: Ended) -> Floats:
        return np.asarray(np.where((ended.retrieved == 0) & (ended.end > 0), 1 / ended.last, 0.0))


class RankBiasedPrecision(Truncated):
    """Rank-biased precision of a user who reaches the end with probability p^d, and is left with what it is worth.

    With grades it is a rate of gain, which may exceed 1; ``max_gain`` divides the gains of documents, but not that of the end.

    References
    ----------
    Liu, F., Moffat, A., Baldwin, T., Zhang, X.: Quit While Ahead: Evaluating Truncated Rankings. SIGIR 2016.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("TruncatedRBP TruncatedRBP(p=0.8)", {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    {TruncatedRBP: 0.708333..., TruncatedRBP(p=0.8): 0.669333...}
    """

    NAME = "TruncatedRBP"
    PRETTY_NAME = "Rank-biased precision of truncated rankings (RBP')"
    SHORT_DESC = "The expected gain per document of a user who goes on with probability p, and at the end gains what all before gave."
    FORMULA = Formula(
        r"\mathrm{RBP}' = (1-p) \sum_{i=1}^{d} r_i\, p^{i-1} + r_{d+1}\, p^{d}" + END,
        {**SYMBOLS, "p": "the probability to go on after a document"},
        source="Liu et al. (2016)",
    )
    SUPPORTED_PARAMS = {
        "p": Param(float, "the probability to go on after a document", default=0.5, above=0, below=1),
        "max_gain": Param(float, "by what the gains of documents are divided", default=1.0, above=0),
        **Truncated.SUPPORTED_PARAMS,
    }
    RANGE = (0.0, float("inf"))
    EXAMPLES = ("TruncatedRBP", "TruncatedRBP(p=0.8)@10", "TruncatedRBP(max_gain=2.0)")
    SMALLEST_GAIN = 0.0

    def of_documents(self, ended: Ended) -> Floats:
        p = self["p"]
        return np.asarray((1 - p) * ended.gain / self["max_gain"] * p ** (ended.document.rank - 1.0))

    def of_ends(self, ended: Ended) -> Floats:
        return np.asarray(ended.end * self["p"] ** (ended.last - 1.0))


class DiscountedGain(Truncated):
    """Normalised discounted cumulative gain of a ranking with its end, relative to the ideal ranking of the same length.

    References
    ----------
    Liu, F., Moffat, A., Baldwin, T., Zhang, X.: Quit While Ahead: Evaluating Truncated Rankings. SIGIR 2016.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("TruncatedNDCG", {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    {TruncatedNDCG: 0.697655...}
    """

    NAME = "TruncatedNDCG"
    PRETTY_NAME = "Normalised discounted cumulative gain of truncated rankings (nDCG')"
    SHORT_DESC = (
        "The gains of the documents and of the end, discounted by rank, relative to those of an ideal ranking as long."
    )
    FORMULA = Formula(
        r"\mathrm{nDCG}' = \frac{\sum_{i=1}^{d+1} r_i / \log_2(i+1)}{\sum_{i=1}^{d+1} r^{*}_i / \log_2(i+1)}" + END,
        {
            **SYMBOLS,
            "r^{*}_i": "the $i$-th largest gain of the relevant documents; after the last of them 1, then 0",
        },
        source="Liu et al. (2016)",
    )
    EXAMPLES = ("TruncatedNDCG", "TruncatedNDCG(binary=True)@10")

    def of_documents(self, ended: Ended) -> Floats:
        return np.asarray(ended.gain / np.log2(ended.document.rank + 1))

    def of_ends(self, ended: Ended) -> Floats:
        return np.asarray(ended.end / np.log2(ended.last + 1))

    def ideal(self, ended: Ended, topics: int) -> Floats:
        topic, rank, gain = ended.ideal_with_end()
        return segment_sum(np.where(rank <= ended.last[topic], gain / np.log2(rank + 1), 0.0), topic, topics)


class AveragePrecision(Truncated):
    """Average precision of a ranking with its end, relative to the ideal ranking.

    References
    ----------
    Liu, F., Moffat, A., Baldwin, T., Zhang, X.: Quit While Ahead: Evaluating Truncated Rankings. SIGIR 2016.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("TruncatedAP", {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    {TruncatedAP: 0.527777...}
    """

    NAME = "TruncatedAP"
    PRETTY_NAME = "Average precision of truncated rankings (AP')"
    SHORT_DESC = "The gains of the documents and of the end, times the mean gain down to each, relative to those of the ideal ranking."
    FORMULA = Formula(
        r"\mathrm{AP}' = \frac{\sum_{i=1}^{d+1} r_i \sum_{j \le i} r_j / i}{\sum_{i} r^{*}_i \sum_{j \le i} r^{*}_j / i}"
        + END,
        {
            **SYMBOLS,
            "j": "a rank, down to $i$",
            "r^{*}_i": "the $i$-th largest gain of the relevant documents; after the last of them 1",
        },
        source="Liu et al. (2016)",
    )
    EXAMPLES = ("TruncatedAP", "TruncatedAP(rel=2)@10")

    def of_documents(self, ended: Ended) -> Floats:
        return np.asarray(ended.gain * ended.before / ended.document.rank)

    def of_ends(self, ended: Ended) -> Floats:
        return np.asarray(ended.end * (ended.retrieved + ended.end) / ended.last)

    def ideal(self, ended: Ended, topics: int) -> Floats:
        topic, rank, gain = ended.ideal_with_end()
        before = segment_cumsum(gain, offsets_of(np.bincount(topic, minlength=topics)))
        return segment_sum(gain * before / rank, topic, topics)


TruncatedRR, TruncatedRBP = ReciprocalRank(), RankBiasedPrecision()
TruncatedNDCG, TruncatedAP = DiscountedGain(), AveragePrecision()
