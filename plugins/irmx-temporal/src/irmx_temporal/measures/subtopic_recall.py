"""Subtopic recall, with and without time windows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import Citation, Formula, Param, Rankings
from irmx.ragged import Floats, segment_sum
from irmx_temporal.cells.cell_arrays import Aspects, Cells, Coverage
from irmx_temporal.measures import cell_formulas
from irmx_temporal.measures.cell_tables import table_of_coverage
from irmx_temporal.measures.diversity import (
    INTENT_PARAMS,
    OF_SUBTOPIC,
    OF_WINDOW,
    SINGH,
    TIME_PARAMS,
    WINDOW_COLUMNS,
    Diversity,
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
            segment_sum(of.weight * cell_formulas.covered(of), of.aspects.topic, len(rankings))
            for of in self.coverage(rankings)
        )
        return np.asarray(sum(parts))

    def coverage(self, rankings: Rankings) -> list[Coverage]:
        """Return the subtopics and windows to cover."""
        return [of_subtopics(self.by_subtopic(rankings))]

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return table_of_coverage(self.coverage(rankings), rankings)


class TimeAwareSubtopicRecall(SubtopicRecall):
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
    TEMPORAL = True
    QREL_COLUMNS = WINDOW_COLUMNS
    CITATIONS = (SINGH,)
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
