"""Subtopic recall, with and without time windows; D-nDCG and D#-nDCG."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import Citation, Formula, Param, Rankings
from irmx.ragged import Floats, position_in_run, segment_sum
from irmx_temporal.cells import Aspects, Cells, Coverage, covered, discounted, exponential
from irmx_temporal.diversity import (
    INTENT_PARAMS,
    OF_SUBTOPIC,
    OF_WINDOW,
    TIME_PARAMS,
    Diversity,
    OverWindows,
    table_of_cells,
    table_of_coverage,
)

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

COVERED_PARAMS: dict[str, Any] = {k: p for k, p in INTENT_PARAMS.items() if k not in ("cells", "subtopic_weights")}
WINDOWS_PARAMS: dict[str, Any] = {k: p for k, p in TIME_PARAMS.items() if k != "cells"}


class SubtopicRecall(Diversity):
    """Subtopic recall (I-rec, S-recall, SBR): the share of the topic's subtopics that the ranking covers.

    References
    ----------
    Sakai, T., Song, R.: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2"), ("q", "", 0, "c3")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> round(irmx.calc_aggregate("I_rec@5", qrels, {"q": {"a": 2.0, "b": 1.0}})[irmx.I_rec @ 5], 6)
    0.666667
    """

    NAME = "I_rec"
    ALIASES: ClassVar[tuple[str, ...]] = ("SBR",)
    PRETTY_NAME = "Intent Recall"
    SHORT_DESC = "The share of the topic's subtopics that the ranking covers."
    FORMULA = Formula(
        r"\text{I-rec} = \frac{\lvert C_S \rvert}{\lvert C_q \rvert}",
        {
            "C_S": "the subtopics to which a document retrieved is relevant, up to the cutoff if there is one",
            "C_q": "the subtopics of the topic: those that have a relevant document or are declared",
        },
        source="Sakai and Song (2011)",
    )
    SUPPORTED_PARAMS = COVERED_PARAMS
    CITATIONS = (SAKAI,)
    EXAMPLES: ClassVar[tuple[str, ...]] = ("I_rec@20",)

    def score(self, rankings: Rankings) -> Floats:
        parts = (
            segment_sum(of.weight * covered(of), of.aspects.topic, len(rankings)) for of in self.coverage(rankings)
        )
        return np.asarray(sum(parts))

    def coverage(self, rankings: Rankings) -> list[Coverage]:
        """Return the subtopics and windows to cover."""
        return [of_subtopics(self.by_subtopic(rankings))]

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return table_of_coverage(self.coverage(rankings), rankings)


class TimeAwareSubtopicRecall(OverWindows, SubtopicRecall):
    """Subtopic recall with time windows: the share of subtopics and windows, counted together, that are covered.

    A relevant document outside all windows covers its subtopic, and no window.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "d1", 1, "c1", "t1"), ("q", "d2", 1, "c1", "t1"), ("q", "d3", 1, "c2", "t1"), ("q", "d4", 1, "c2", "t2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    >>> run = {"q": {"d1": 4.0, "x": 3.0, "d4": 2.0, "d3": 1.0}}
    >>> irmx.calc_aggregate("T_StRecall@1 T_SBR@3 TIA_StRecall@1 TIA_SBR(a=0.7)@1", qrels, run)
    {T_StRecall@1: 0.5, T_StRecall@3: 1.0, TIA_StRecall@1: 0.625, TIA_StRecall(a=0.7)@1: 0.575}
    """

    NAME = "T_StRecall"
    ALIASES = ("T_SBR",)
    PRETTY_NAME = "Time-Aware Subtopic Recall"
    SHORT_DESC = "The share of the topic's subtopics and time windows, counted together, that the ranking covers."
    FORMULA = Formula(
        r"\text{T-SBR} = \frac{\lvert C_S \rvert + \lvert T_S \rvert}{\lvert C_q \rvert + \lvert T_q \rvert}",
        {
            "C_S": "the subtopics to which a document retrieved is relevant, up to the cutoff if there is one",
            "T_S": "the time windows of the relevant documents retrieved, up to the cutoff if there is one",
            "C_q": "the subtopics of the topic",
            "T_q": "the time windows of the topic",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = {k: p for k, p in WINDOWS_PARAMS.items() if k not in ("subtopic_weights", "window_weights")}
    EXAMPLES = ("T_StRecall@20", "T_StRecall(window='1mo')@20")

    def coverage(self, rankings: Rankings) -> list[Coverage]:
        subtopics, cells = of_subtopics(self.by_subtopic(rankings)), self.cells(rankings)
        windows = Coverage("window", cells.windows, cells, cells.layout.window, cells.windows.weight)
        weights = self.weights(subtopics.aspects, windows.aspects, len(rankings))
        return [of._replace(weight=weight) for of, weight in zip((subtopics, windows), weights, strict=True)]

    def weights(self, subtopics: Aspects, windows: Aspects, topics: int) -> tuple[Floats, Floats]:
        """Return the contribution of every subtopic and window to its topic's value if it is covered."""
        count = np.bincount(subtopics.topic, minlength=topics) + np.bincount(windows.topic, minlength=topics)
        return 1 / count[subtopics.topic], 1 / count[windows.topic]


class TimeAwareIntentAwareSubtopicRecall(TimeAwareSubtopicRecall):
    """Subtopic recall with time windows, weighted by probabilities.

    The paper leaves the weight a open; 0.5 is a choice of irmx. A relevant document outside all windows covers its subtopic, and no window.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.
    """

    NAME = "TIA_StRecall"
    ALIASES = ("TIA_SBR",)
    PRETTY_NAME = "Time-Aware Intent-Aware Subtopic Recall"
    SHORT_DESC = "The sum of the weights of the subtopics and time windows that the ranking covers."
    FORMULA = Formula(
        r"\text{TIA-SBR} = a \sum_{c \in C_S} P(c \mid q) + (1 - a) \sum_{t \in T_S} P(t \mid q)",
        {
            "a": "the weight of subtopics against windows",
            **OF_SUBTOPIC,
            "C_S": "the subtopics to which a document retrieved is relevant, up to the cutoff if there is one",
            **OF_WINDOW,
            "T_S": "the time windows of the relevant documents retrieved, up to the cutoff if there is one",
        },
        source="Singh, Nejdl and Anand (2016), who leave a open",
    )
    SUPPORTED_PARAMS = {
        "a": Param(float, "weight of subtopics against windows", default=0.5, low=0, high=1),
        **WINDOWS_PARAMS,
    }
    EXAMPLES = ("TIA_StRecall@20", "TIA_StRecall(a=0.7,window='1mo')@20")

    def weights(self, subtopics: Aspects, windows: Aspects, topics: int) -> tuple[Floats, Floats]:
        return self["a"] * subtopics.weight, (1 - self["a"]) * windows.weight


def of_subtopics(cells: Cells) -> Coverage:
    """Return the subtopics, with their weights, for the documents of cells to cover."""
    return Coverage("subtopic", cells.subtopics, cells, cells.layout.subtopic, cells.subtopics.weight)


I_rec, T_StRecall, TIA_StRecall = SubtopicRecall(), TimeAwareSubtopicRecall(), TimeAwareIntentAwareSubtopicRecall()


SUBTOPIC_ONLY_PARAMS: dict[str, Any] = {k: p for k, p in INTENT_PARAMS.items() if k != "cells"}


class DNDCG(Diversity):
    """D-nDCG: nDCG over the global gain of a document, the weighted sum of its gains for the subtopics.

    That the gain for a subtopic is the grade by default is a choice of irmx; the paper leaves the values open.

    References
    ----------
    Sakai, T., Song, R.: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> for measure, value in irmx.calc_aggregate("D_nDCG@1 I_rec@1 Dsharp_nDCG@1", qrels, {"q": {"a": 2.0, "b": 1.0}}).items():
    ...     print(measure, value)
    D_nDCG@1 0.5
    I_rec@1 0.5
    Dsharp_nDCG@1 0.5
    """

    NAME = "D_nDCG"
    PRETTY_NAME = "D-nDCG"
    SHORT_DESC = (
        "nDCG whose gain is the sum of a document's gains for the subtopics, weighted by the subtopics' probabilities."
    )
    FORMULA = Formula(
        r"\text{D-nDCG@}k = \frac{\sum_{i=1}^{k} \mathrm{GG}(d_i) / \log(i+1)}{\sum_{i=1}^{k} \mathrm{GG}(d^{*}_i) / \log(i+1)}, "
        r"\qquad \mathrm{GG}(d) = \sum_{c} P(c \mid q)\,g_c(d)",
        {
            "k": "the cutoff; without one, all documents count",
            "i": "a rank",
            r"\mathrm{GG}(d)": "the global gain of a document $d$",
            "d_i": "the document at rank $i$",
            "d^{*}_i": "that with the $i$-th largest global gain of all relevant ones",
            **OF_SUBTOPIC,
            "g_c(d)": "the gain of $d$ for $c$: its grade, or $2^{g} - 1$ of the grade $g$ with gain='exponential'",
        },
        source="Sakai and Song (2011), who leave the values of the gain open",
    )
    SUPPORTED_PARAMS = {
        "gain": Param(
            str, "the gain of a document for a subtopic: its grade, or 2^grade - 1", default="linear",
            choices=("linear", "exponential"),
        ),
        **SUBTOPIC_ONLY_PARAMS,
    }  # fmt: skip
    CITATIONS = (SAKAI,)
    EXAMPLES: ClassVar[tuple[str, ...]] = ("D_nDCG@20",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        layout = cells.layout
        gain = exponential(layout.grade) if self["gain"] == "exponential" else layout.grade
        first, of_topic, number = layout.documents
        total = segment_sum(cells.weight[layout.cell] * gain, number, len(first))
        best_first = np.lexsort((-total, of_topic))
        place = position_in_run(of_topic[best_first]) + 1
        within = slice(None) if self["cutoff"] is None else place <= self["cutoff"]
        chosen = best_first[within]
        ideal = discounted(total[chosen], place[within], of_topic[chosen], layout.topics)
        dcg = discounted(gain[cells.at], cells.rank, cells.cell, len(cells))
        best = ideal[layout.topic]
        return np.divide(dcg, best, out=np.zeros(len(cells)), where=best > 0)


class DSharpNDCG(DNDCG):
    """D#-nDCG: the weighted mean of I-rec and D-nDCG.

    References
    ----------
    Sakai, T., Song, R.: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("Dsharp_nDCG(gamma=0.25)@1", qrels, {"q": {"b": 2.0, "a": 1.0}})
    {Dsharp_nDCG(gamma=0.25)@1: 1.0}
    """

    NAME = "Dsharp_nDCG"
    PRETTY_NAME = "D#-nDCG"
    SHORT_DESC = "The mean of I-rec and D-nDCG."
    FORMULA = Formula(
        r"\mathrm{D}\sharp\text{-nDCG@}k = \gamma\,\text{I-rec@}k + (1 - \gamma)\,\text{D-nDCG@}k",
        {
            "k": "the cutoff",
            r"\gamma": "the weight of I-rec",
            r"\text{I-rec@}k": "the measure I_rec",
            r"\text{D-nDCG@}k": "the measure D_nDCG",
        },
        source="Sakai and Song (2011)",
    )
    SUPPORTED_PARAMS = {
        "gamma": Param(float, "weight of I-rec", default=0.5, low=0, high=1),
        **DNDCG.SUPPORTED_PARAMS,
    }
    EXAMPLES: ClassVar[tuple[str, ...]] = ("Dsharp_nDCG@20",)

    def of_cells(self, cells: Cells, rankings: Rankings) -> Floats:
        recall = np.bincount(cells.subtopics.topic, self.shares(cells), len(rankings))
        return np.asarray(recall + (1 - self["gamma"]) * super().of_cells(cells, rankings))

    def shares(self, cells: Cells) -> Floats:
        """Return the contribution of every subtopic to gamma I-rec."""
        topic = cells.subtopics.topic
        return np.asarray(self["gamma"] * covered(of_subtopics(cells)) / np.bincount(topic)[topic])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        cells = self.cells(rankings)
        of_gains = (1 - self["gamma"]) * cells.weight * self.per_cell(cells, rankings)
        return table_of_cells(cells, rankings, of_gains + self.shares(cells)[cells.layout.subtopic])


D_nDCG, Dsharp_nDCG = DNDCG(), DSharpNDCG()
