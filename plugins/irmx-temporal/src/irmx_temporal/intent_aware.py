"""Intent-aware precision, average precision, ERR and nDCG, over subtopics (IA), and over subtopics and time windows (TIA)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import Formula, Param, Rankings, UsageError
from irmx.ragged import Floats, Ints, position_in_run, segment_sum
from irmx_temporal.cells import GAINS, Cells, discounted, renormalised
from irmx_temporal.diversity import INTENT_PARAMS, OF_SUBTOPIC, OF_WINDOW, TIME_PARAMS, Diversity, OverWindows


class IntentAwarePrecision(Diversity):
    """Intent-aware precision: the weighted mean over subtopics of the precision for each.

    In the paper all subtopics have the same probability.

    References
    ----------
    Agrawal, R., Gollapudi, S., Halverson, A., Ieong, S.: Diversifying Search Results. WSDM 2009.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("IA_P@5", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {IA_P@5: 0.2}
    """

    NAME = "IA_P"
    PRETTY_NAME = "Intent-Aware Precision"
    SHORT_DESC = "The precision for each subtopic, weighted by the subtopics' probabilities."
    FORMULA = Formula(
        r"\text{IA-P@}k = \sum_{c} P(c \mid q)\,\frac{1}{k} \sum_{j=1}^{k} \mathrm{rel}(j \mid c)",
        {
            "k": "the cutoff; without one, the number of documents retrieved",
            **OF_SUBTOPIC,
            "j": "a rank",
            r"\mathrm{rel}(j \mid c)": "1 if the document at rank $j$ is relevant to $c$, else 0",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = INTENT_PARAMS
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_P@20",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        k = rankings.depth if self["cutoff"] is None else np.full(len(rankings), self["cutoff"])
        held = np.bincount(cells.cell, minlength=len(cells))
        return held / np.maximum(k, 1)[cells.layout.topic]


class TimeAwarePrecision(OverWindows, IntentAwarePrecision):
    """Time- and intent-aware precision.

    In the paper all subtopics have the same probability.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.
    """

    NAME = "TIA_P"
    PRETTY_NAME = "Time-Aware Intent-Aware Precision"
    SHORT_DESC = "The precision for each pair of a time window and a subtopic, weighted by their probabilities."
    FORMULA = Formula(
        r"\text{TIA-P@}k = \sum_{t} P(t \mid q) \sum_{c} P(c \mid q)\,\frac{1}{k} \sum_{j=1}^{k} \mathrm{rel}(j "
        r"\mid c,t)",
        {
            "k": "the cutoff; without one, the number of documents retrieved",
            **OF_WINDOW,
            **OF_SUBTOPIC,
            "j": "a rank",
            r"\mathrm{rel}(j \mid c,t)": "1 if the document at rank $j$ is relevant to $c$ and in $t$, else 0",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = TIME_PARAMS
    EXAMPLES = ("TIA_P@20", "TIA_P(window='1mo')@20")


IA_P, TIA_P = IntentAwarePrecision(), TimeAwarePrecision()


class IntentAwareAP(Diversity):
    """Intent-aware average precision: the mean of IA-P at the ranks of documents relevant to any subtopic.

    It is not the mean over subtopics of AP, which ndeval calls MAP-IA; that is ``IntentAware(measure='AP')``.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("IA_AP IntentAware(measure='AP')", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {IA_AP: 0.5, IntentAware(measure='AP'): 0.75}
    """

    NAME = "IA_AP"
    PRETTY_NAME = "Intent-Aware Average Precision"
    SHORT_DESC = "The mean of the intent-aware precision at the ranks of relevant documents."
    FORMULA = Formula(
        r"\text{IA-AP} = \frac{1}{\mathrm{RB}} \sum_{n \in R} \text{IA-P@}n",
        {
            r"\mathrm{RB}": "the number of documents relevant to any subtopic in the judgments",
            "n": "a rank",
            "R": "the ranks of the documents retrieved that are relevant to any subtopic, up to the cutoff if there is one",
            r"\text{IA-P@}n": "the measure IA_P with the cutoff $n$",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = INTENT_PARAMS
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_AP",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        # every document in the cell contributes the sum of 1/n over the ranks n in R from its own rank on
        layout = cells.layout
        first, of_topic, number = layout.documents
        rank = np.zeros(len(first), dtype=np.int64)
        rank[number[cells.at]] = cells.rank
        there = np.flatnonzero(rank)
        there = there[np.lexsort((-rank[there], of_topic[there]))]
        # topic by topic, so that no value depends on the other topics, not even in its last bit
        starts = np.searchsorted(of_topic[there], np.arange(1, layout.topics))
        from_here = np.zeros(len(first))
        from_here[there] = np.concatenate([np.cumsum(part) for part in np.split(1 / rank[there], starts)])
        held = segment_sum(from_here[number[cells.at]], cells.cell, len(cells))
        return held / layout.relevant[layout.topic]


class TimeAwareAP(OverWindows, IntentAwareAP):
    """Time- and intent-aware average precision; its mean over topics is TIA-MAP.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.
    """

    NAME = "TIA_AP"
    ALIASES = ("TIA_MAP",)
    PRETTY_NAME = "Time-Aware Intent-Aware Average Precision"
    SHORT_DESC = "The mean of the time- and intent-aware precision at the ranks of relevant documents."
    FORMULA = Formula(
        r"\text{TIA-AP} = \frac{1}{\mathrm{RB}} \sum_{n \in R} \text{TIA-P@}n",
        {
            r"\mathrm{RB}": "the number of documents relevant to any subtopic in any window, in the judgments",
            "n": "a rank",
            "R": (
                "the ranks of the documents retrieved that are relevant to any subtopic in any window, up to the cutoff if there "
                "is one"
            ),
            r"\text{TIA-P@}n": "the measure TIA_P with the cutoff $n$",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = TIME_PARAMS
    EXAMPLES = ("TIA_AP", "TIA_AP(window='1mo')")


IA_AP, TIA_AP = IntentAwareAP(), TimeAwareAP()


STOP = Param(
    str,
    "R, the probability that a relevant document satisfies the user: 1 ('one', as in the paper), or (2^grade - 1)/2^max "
    "('graded'), where max is the largest grade in the qrels of all topics",
    default="one",
    choices=("one", "graded"),
)
TIMED_STOP = Param(
    str,
    "R, the probability that a relevant document satisfies the user: 1 ('one', as in the paper), (2^grade - 1)/2^max ('graded'), where "
    "max is the largest grade in the qrels of all topics, or the weight of its window over the largest of the topic ('window'), so that "
    "the size of bursts stands for grades",
    default="one",
    choices=("one", "graded", "window"),
)
ERR = Param(
    str,
    "the paper's definitions: that of its table, which weighs windows and subtopics by P(t|q) P(c|q); that of its text, with "
    "P(c|q,t) and relevance in any window; or the weights of the text with the relevance of the table ('mixed')",
    default="table",
    choices=("table", "text", "mixed"),
)
IN_WINDOW = Param(
    str,
    "P(c|q,t) of err='text' and 'mixed': the weights P(c|q) of the subtopics in the window, scaled to add up to 1 ('scaled'), or the "
    "share of the window's relevant documents that the subtopic has ('counted'), as the paper's P(t|q) counts those of the topic",
    default="scaled",
    choices=("scaled", "counted"),
)


def expected_reciprocal_ranks(stop: Floats, rank: Ints, group: Ints, count: int) -> Floats:
    """Return sum_r 1/r R(r) prod_{i<r} (1 - R(i)) of every group.

    Parameters
    ----------
    stop : float array, shape (documents,)
        R, the probability that a document satisfies a user of its group.
    rank, group : int array, shape (documents,)
        Its rank, and its group; by group and rank.
    count : int
        The number of groups.
    """
    place = position_in_run(group)
    going_on = np.ones(count)
    found = np.zeros(count)
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(int(place.max(initial=-1)) + 2))
    for a, b in zip(
        ends.tolist(), ends[1:].tolist(), strict=False
    ):  # the first documents of all groups, the second, ...
        these = order[a:b]
        g, r = group[these], stop[these]
        found[g] += going_on[g] * r / rank[these]
        going_on[g] *= 1 - r
    return found


class IntentAwareERR(Diversity):
    """Intent-aware expected reciprocal rank: the expected 1/rank of the document that satisfies a user of a subtopic.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("IA_ERR@5", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {IA_ERR@5: 0.75}
    """

    NAME = "IA_ERR"
    PRETTY_NAME = "Intent-Aware Expected Reciprocal Rank"
    SHORT_DESC = "The expected reciprocal rank for each subtopic, weighted by the subtopics' probabilities."
    FORMULA = Formula(
        r"\text{IA-ERR} = \sum_{r=1}^{k} \frac{1}{r} \sum_{c} P(c \mid q)\,R(r \mid c) \prod_{i<r} (1 - R(i \mid c))",
        {
            "r": "a rank",
            "k": "the cutoff, or the number of documents retrieved",
            **OF_SUBTOPIC,
            r"R(r \mid c)": (
                "the probability that the document at rank $r$ satisfies a user of $c$: 1 if it is relevant, else 0; "
                "with stop='graded', $(2^{g} - 1)/2^{m}$ of the grade $g$ and the largest grade $m$"
            ),
            "i": "each rank above $r$",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = {"stop": STOP, **INTENT_PARAMS}
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_ERR@20",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        return expected_reciprocal_ranks(self.stop(cells, rankings), cells.rank, cells.cell, len(cells))

    def stop(self, cells: Cells, rankings: Rankings) -> Floats:
        """Return R for the relevant documents retrieved."""
        if self["stop"] == "one":
            return np.ones(len(cells.rank))
        largest = rankings.largest_grade
        return np.asarray(2.0 ** (cells.grade - largest) - 2.0**-largest)


class TimeAwareERR(OverWindows, IntentAwareERR):
    """Time- and intent-aware expected reciprocal rank.

    The formula is that of the table of the paper. Its text has P(c|q,t) instead of P(c|q), and relevance to the subtopic in any window in R: ``err='text'``. A third formula,
    commented out in the paper, has P(c|q,t) and R(r|c,t): ``err='mixed'``. The paper does not say what P(c|q,t) is; here it
    is P(c|q), scaled to add up to 1 over the subtopics with a relevant document in the window, or with
    ``subtopics_in_window='counted'`` the share ``|d_ctq| / |d_tq|`` of the window's relevant documents, as its P(t|q) is a share of the
    topic's. A document of several subtopics is counted for each, and the shares of a window are scaled to add up to 1.

    Beside the third formula, the paper thinks of the size of a burst as relevance: ``stop='window'`` has R = P(t|q) / max P(t|q), so
    that documents of a topic's largest burst satisfy in any case, and those of a burst of half its weight one user in two.

    Raises
    ------
    irmx.UsageError
        If ``subtopics_in_window='counted'`` is given to the formula of the table, which has no P(c|q,t), or ``stop='window'`` to
        the formula of the text, whose relevance is in any window.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1", "t1"), ("q", "b", 1, "c1", "t2"), ("q", "c", 1, "c2", "t2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> for measure, value in irmx.calc_aggregate("TIA_ERR TIA_ERR(err='text') TIA_ERR(err='mixed')", qrels, run).items():
    ...     print(measure, round(value, 6))
    TIA_ERR 0.444444
    TIA_ERR(err='text') 0.777778
    TIA_ERR(err='mixed') 0.611111

    With a second document of c2 in t2, P(t|q) is 1/4 and 3/4. In t2, c1 has one of three documents and c2 two. So the mixed formula is
    1/4 * 1 + 3/4 (1/3 * 1/2 + 2/3 * 1/3). If bursts stand for grades, a satisfies with probability 1/3 in the table's:
    1/4 * 1/2 * 1/3 + 3/4 * 1/2 (1/2 + 1/3).

    >>> qrels.loc[3] = "q", "d", 1, "c2", "t2"
    >>> two = "TIA_ERR(err='mixed',subtopics_in_window='counted') TIA_ERR(stop='window')"
    >>> [round(value, 6) for value in irmx.calc_aggregate(two, qrels, run).values()]
    [0.541667, 0.354167]
    """

    NAME = "TIA_ERR"
    PRETTY_NAME = "Time-Aware Intent-Aware Expected Reciprocal Rank"
    SHORT_DESC = (
        "The expected reciprocal rank for each pair of a time window and a subtopic, weighted by their probabilities."
    )
    FORMULA = Formula(
        r"\text{TIA-ERR} = \sum_{r=1}^{k} \frac{1}{r} \sum_{t} P(t \mid q) \sum_{c} P(c \mid q)\,R(r \mid c,t) "
        r"\prod_{i<r} (1 - R(i \mid c,t))",
        {
            "r": "a rank",
            "k": "the cutoff, or the number of documents retrieved",
            **OF_WINDOW,
            **OF_SUBTOPIC,
            r"R(r \mid c,t)": (
                "the probability that the document at rank $r$ satisfies a user of $c$ in $t$: 1 if it is relevant, "
                "else 0; with stop='graded', $(2^{g} - 1)/2^{m}$ of the grade $g$ and the largest grade $m$; with stop='window', "
                r"$P(t \mid q)$ over the largest of the topic"
            ),
            "i": "each rank above $r$",
        },
        source="the table of Singh, Nejdl and Anand (2016); err='text' and err='mixed' are two other formulas of theirs",
    )
    SUPPORTED_PARAMS = {"err": ERR, "subtopics_in_window": IN_WINDOW, "stop": TIMED_STOP, **TIME_PARAMS}
    EXAMPLES = ("TIA_ERR@20", "TIA_ERR(window='1y')@20")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self["err"] == "table" and self["subtopics_in_window"] == "counted":
            raise UsageError(
                "TIA_ERR has P(c|q,t) with err='text' and err='mixed' only. Add one of them, or leave out subtopics_in_window='counted'."
            )
        if self["err"] == "text" and self["stop"] == "window":
            raise UsageError(
                "With err='text', TIA_ERR counts relevance in any window, so that there is none for stop='window'. Use err='mixed'."
            )

    def cells(self, rankings: Rankings) -> Cells:
        cells = super().cells(rankings)
        if self["err"] == "table":
            return cells
        layout = cells.layout
        of_subtopic = (
            np.bincount(layout.cell, minlength=len(cells)).astype(float)
            if self["subtopics_in_window"] == "counted"
            else cells.subtopics.weight[layout.subtopic]
        )
        in_window = renormalised(of_subtopic, layout.window, len(cells.windows.topic))  # P(c|q,t)
        weight = cells.windows.weight[layout.window] * in_window
        if self["cells"] == "nonempty":
            weight = renormalised(weight, layout.topic, layout.topics)
        return cells.weighing(weight)

    def stop(self, cells: Cells, rankings: Rankings) -> Floats:
        if self["stop"] != "window":
            return super().stop(cells, rankings)
        windows = cells.windows
        largest = np.zeros(len(rankings))
        np.maximum.at(largest, windows.topic, windows.weight)
        window = cells.layout.window[cells.cell]
        return np.asarray(windows.weight[window] / largest[windows.topic[window]])

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        if self["err"] != "text":
            return super().per_cell(cells, rankings)
        by_subtopic = self.by_subtopic(rankings)
        of_subtopic = np.zeros(len(cells.subtopics.topic))
        of_subtopic[by_subtopic.layout.subtopic] = super().per_cell(by_subtopic, rankings)
        return of_subtopic[cells.layout.subtopic]


IA_ERR, TIA_ERR = IntentAwareERR(), TimeAwareERR()


GAIN = Param(
    str,
    "the gain of a relevant document: 1 ('binary', as in the paper of the time-aware measures), or 2^grade - 1",
    default="binary",
    choices=tuple(GAINS),
)


class IntentAwareNDCG(Diversity):
    """Intent-aware nDCG: the weighted mean over subtopics of the nDCG for each.

    References
    ----------
    Agrawal, R., Gollapudi, S., Halverson, A., Ieong, S.: Diversifying Search Results. WSDM 2009.
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "d1", 1, "c1"), ("q", "d2", 1, "c1"), ("q", "d3", 1, "c2"), ("q", "d4", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> run = {"q": {"d1": 4.0, "x": 3.0, "d4": 2.0, "d3": 1.0}}
    >>> round(irmx.calc_aggregate("IA_nDCG@4", qrels, run)[irmx.IA_nDCG @ 4], 6)
    0.591894
    """

    NAME = "IA_nDCG"
    PRETTY_NAME = "Intent-Aware nDCG"
    SHORT_DESC = "The nDCG for each subtopic, weighted by the subtopics' probabilities."
    FORMULA = Formula(
        r"\text{IA-nDCG} = \sum_{c} P(c \mid q)\,\mathrm{nDCG}(\cdot \mid c)",
        {
            **OF_SUBTOPIC,
            r"\mathrm{nDCG}(\cdot \mid c)": (
                "nDCG of the ranking for $c$ alone at the cutoff, with the gain 1 of a relevant document, or $2^{g} - 1$ of its "
                "grade $g$ with gain='exponential', and the discount of the logarithm of the rank + 1"
            ),
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = {"gain": GAIN, **INTENT_PARAMS}
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_nDCG@20", "IA_nDCG(gain='exponential')@20")

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        gain = GAINS[self["gain"]]
        dcg = discounted(gain(cells.grade), cells.rank, cells.cell, len(cells))
        ideal = cells.layout.ideal_dcg(self["cutoff"], gain)
        return np.divide(dcg, ideal, out=np.zeros(len(cells)), where=ideal > 0)


class TimeAwareNDCG(OverWindows, IntentAwareNDCG):
    """Time- and intent-aware nDCG: the weighted mean of the nDCG for each pair of a time window and a subtopic.

    The probability of a window is its share of the topic's relevant documents,
    unless weights are given. A pair without a relevant document counts 0.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "d1", 1, "c1", "t1"), ("q", "d2", 1, "c1", "t1"), ("q", "d3", 1, "c2", "t1"), ("q", "d4", 1, "c2", "t2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    >>> run = {"q": {"d1": 4.0, "x": 3.0, "d4": 2.0, "d3": 1.0}}
    >>> for measure, value in irmx.calc_aggregate("TIA_nDCG@4 TIA_ERR@4 TIA_P@4 TIA_AP@4", qrels, run).items():
    ...     print(measure, round(value, 6))
    TIA_nDCG@4 0.453934
    TIA_ERR@4 0.510417
    TIA_P@4 0.21875
    TIA_AP@4 0.190104
    """

    NAME = "TIA_nDCG"
    PRETTY_NAME = "Time-Aware Intent-Aware nDCG"
    SHORT_DESC = "The nDCG for each pair of a time window and a subtopic, weighted by their probabilities."
    FORMULA = Formula(
        r"\text{TIA-nDCG} = \sum_{t} P(t \mid q) \sum_{c} P(c \mid q)\,\mathrm{nDCG}(\cdot \mid c,t)",
        {
            **OF_WINDOW,
            **OF_SUBTOPIC,
            r"\mathrm{nDCG}(\cdot \mid c,t)": (
                "nDCG of the ranking for the documents of $c$ in $t$ alone at the cutoff, with the gain 1 of a relevant document, "
                "or $2^{g} - 1$ of its grade $g$ with gain='exponential', and the discount of the logarithm of the rank + 1"
            ),
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = {"gain": GAIN, **TIME_PARAMS}
    EXAMPLES = ("TIA_nDCG@20", "TIA_nDCG(window='1mo')@20")


IA_nDCG, TIA_nDCG = IntentAwareNDCG(), TimeAwareNDCG()
