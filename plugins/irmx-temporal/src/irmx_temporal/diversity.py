"""Base classes of the diversity measures: parameters, columns, cells, and the tables that explain a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, Formula, Measure, Param, Rankings, UsageError
from irmx.ragged import Array, Floats, Ints, position_in_run, segment_sum
from irmx_temporal.cells import WEIGHTS, Aspects, Cells, Coverage, cells_of, covered, discounted, exponential
from irmx_temporal.windows import (
    BURST,
    EVERYTHING,
    SUBTOPIC,
    SUBTOPIC_WEIGHT,
    TIMESTAMP,
    WINDOW,
    WINDOW_WEIGHT,
    Windowing,
    WindowParam,
    zone,
)

# -- base classes of the diversity measures --------------------------------------------------------------------------


OF_SUBTOPIC = {
    "c": "a subtopic",
    r"P(c \mid q)": "its probability for the topic $q$, by the parameter subtopic_weights",
}
OF_WINDOW = {"t": "a time window", r"P(t \mid q)": "its probability for the topic $q$, by the parameter window_weights"}


SINGH = Citation(
    "Singh2016",
    "inproceedings",
    {
        "author": "Jaspreet Singh and Wolfgang Nejdl and Avishek Anand",
        "title": "History by Diversity: Helping Historians Search News Archives",
        "booktitle": (
            "Proceedings of the 2016 ACM Conference on Human Information Interaction and Retrieval (CHIIR 2016)"
        ),
        "year": "2016",
    },
)

AGRAWAL = Citation(
    "Agrawal2009",
    "inproceedings",
    {
        "author": "Rakesh Agrawal and Sreenivas Gollapudi and Alan Halverson and Samuel Ieong",
        "title": "Diversifying Search Results",
        "booktitle": "Proceedings of the Second ACM International Conference on Web Search and Data Mining (WSDM 2009)",
        "pages": "5--14",
        "year": "2009",
        "doi": "10.1145/1498759.1498766",
    },
)

SUBTOPIC_PARAMS = {
    "subtopic_weights": Param(
        str,
        "P(c|q): the column subtopic_weight if there is one, else uniform ('auto'); 1 over the number of subtopics "
        "('uniform'); the share of the relevant documents ('proportional'); the column ('column')",
        default="auto",
        choices=WEIGHTS,
    ),
}

CELLS = Param(
    str,
    "a pair of a subtopic and a window without a relevant document counts 0 ('all'), or the weights are "
    "renormalised over the pairs that have one ('nonempty')",
    default="all",
    choices=("all", "nonempty"),
)

WINDOW_PARAMS = {
    "window": WindowParam(
        "time windows: None for the labels in the column window; '1d', '1w', '1mo' (a month; '1m' is a minute), '1y' or a "
        "number of seconds to cut windows from the dates in the column timestamp; 'burst' for the bursts of these dates"
    ),
    "window_weights": Param(
        str,
        "P(t|q): the weights of the bursts, or for other windows the column window_weight if there is one, else proportional "
        "('auto'); 1 over the number of windows ('uniform'); the share of the relevant documents in windows "
        "('proportional'); the column ('column')",
        default="auto",
        choices=WEIGHTS,
    ),
    "subtopics": Param(
        str,
        "subtopics: those in the column iteration, or each topic as a single subtopic ('one'), for qrels that "
        "have none",
        default="column",
        choices=("column", "one"),
    ),
    "tz": Param(str, "time zone in which days begin, such as 'Europe/Berlin'", default="UTC"),
}


class Diversity(Measure):
    """Base class of measures that are computed over cells.

    Attributes
    ----------
    TEMPORAL : bool
        Whether cells are pairs of a subtopic and a window rather than subtopics.
    """

    TEMPORAL: ClassVar[bool] = False
    QREL_COLUMNS: ClassVar[tuple[Column, ...]] = (SUBTOPIC, SUBTOPIC_WEIGHT)
    CITATIONS: ClassVar[tuple[Citation, ...]] = (AGRAWAL,)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if "tz" in self.params:
            zone(self.params["tz"])
        if self.given("window") == BURST and self.given("window_weights") == "column":
            raise UsageError(
                f"{self.NAME} with window='burst' takes no weights from a column, because these belong to other windows: leave out "
                "window_weights to use those of the bursts, or use 'uniform' or 'proportional'."
            )

    def given(self, name: str) -> Any:
        """Return the value of a parameter that not every diversity measure has; None for one that this one lacks."""
        return self[name] if name in self.SUPPORTED_PARAMS else None

    def qrel_columns(self) -> tuple[Column, ...]:
        if not self.TEMPORAL:
            return (SUBTOPIC, SUBTOPIC_WEIGHT)
        of_time = (WINDOW if self.given("window") is None else TIMESTAMP, WINDOW_WEIGHT)
        return of_time if self.given("subtopics") == "one" else (SUBTOPIC, SUBTOPIC_WEIGHT, *of_time)

    @property
    def windowing(self) -> Windowing:
        """How documents are assigned to windows."""
        if not self.TEMPORAL:
            return Windowing(EVERYTHING)
        return Windowing(self.given("window"), self.given("tz"), self.given("subtopics") == "one")

    def cells(self, rankings: Rankings) -> Cells:
        """Return the cells of rankings according to the parameters; uniform weights if the measure has no such parameter."""
        return self._cells(rankings, self.windowing)

    def by_subtopic(self, rankings: Rankings) -> Cells:
        """Return one cell per subtopic with all of its relevant documents, in windows or not."""
        return self._cells(rankings, self.windowing.without_windows())

    def _cells(self, rankings: Rankings, windowing: Windowing) -> Cells:
        of_subtopics, of_windows = (self.given(name) or "uniform" for name in ("subtopic_weights", "window_weights"))
        if windowing.one_subtopic:
            of_subtopics = "uniform"
        return cells_of(rankings, of_subtopics, windowing, of_windows, self.given("cells") == "nonempty")

    def score(self, rankings: Rankings) -> Floats:
        return self.of_cells(self.cells(rankings), rankings)

    def of_cells(self, cells: Cells, rankings: Rankings) -> Floats:
        """Return the value of every topic."""
        return cells.per_topic(self.per_cell(cells, rankings))

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        """Return the value of every cell; the value of a topic is their weighted sum."""
        raise NotImplementedError

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        cells = self.cells(rankings)
        return table_of_cells(cells, rankings, cells.weight * self.per_cell(cells, rankings))


INTENT_PARAMS: dict[str, Any] = {"cells": CELLS, **SUBTOPIC_PARAMS, **COMMON_PARAMS}
"""The parameters of measures over subtopics."""

TIME_PARAMS: dict[str, Any] = {**WINDOW_PARAMS, **INTENT_PARAMS}
"""The parameters of measures over subtopics and windows."""


class OverWindows(Diversity):
    """Base class of measures whose cells are pairs of a subtopic and a time window."""

    TEMPORAL = True
    QREL_COLUMNS = (SUBTOPIC, WINDOW, TIMESTAMP, SUBTOPIC_WEIGHT, WINDOW_WEIGHT)
    CITATIONS = (SINGH,)


MISSED = "(missed)"


def table_of_cells(cells: Cells, rankings: Rankings, contribution: Floats) -> dict[str, Any]:
    """Return one row per cell: weight, relevant documents, how many of them are retrieved, the first one, contribution."""
    layout = cells.layout
    rank, doc_id = _first(cells, layout.cell[cells.at], len(cells), rankings)
    table = {"subtopic": [str(cells.subtopics.names[s]) for s in layout.subtopic.tolist()]}
    if any(cells.windows.names):
        table["window"] = [str(cells.windows.names[w]) for w in layout.window.tolist()]
    return table | {
        "weight": cells.weight,
        "relevant": np.bincount(layout.cell, minlength=len(cells)),
        "retrieved": np.bincount(cells.cell, minlength=len(cells)),
        "rank": rank,
        "doc_id": doc_id,
        "contribution": contribution,
    }


def table_of_coverage(coverage: Iterable[Coverage], rankings: Rankings) -> dict[str, Any]:
    """Return one row per subtopic and per window: the first relevant document, or that it was missed; contribution."""
    table: dict[str, Any] = {k: [] for k in ("covers", "name", "weight", "rank", "doc_id", "contribution")}
    for of in coverage:
        rank, doc_id = _first(of.cells, of.of_cell[of.cells.cell], len(of.weight), rankings)
        table["covers"] += [of.what] * len(of.weight)
        table["name"] += [str(name) for name in of.aspects.names]
        table["weight"] += of.weight.tolist()
        table["rank"] += rank.tolist()
        table["doc_id"] += doc_id
        table["contribution"] += (of.weight * covered(of)).tolist()
    return table | {"rank": np.array(table["rank"], dtype=object)}


def _first(cells: Cells, group: Ints, count: int, rankings: Rankings) -> tuple[Array, list[str]]:
    """Return the rank and the id of the first document of every group, given the group of every document retrieved."""
    ids = dict(zip(rankings.relevant.doc.tolist(), rankings.relevant.doc_ids, strict=True))
    best: dict[int, tuple[int, str]] = {}
    for g, doc, rank in zip(group.tolist(), cells.layout.doc[cells.at].tolist(), cells.rank.tolist(), strict=True):
        found = rank, ids[doc]
        best[g] = min(found, best.get(g, found))
    pairs = [best.get(i, (0, MISSED)) for i in range(count)]
    return np.array([rank or "-" for rank, _ in pairs], dtype=object), [doc_id for _, doc_id in pairs]


# -- subtopic recall, with and without time windows; D-nDCG and D#-nDCG ----------------------------------------------


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
    """Subtopic recall (I-rec, S-recall, SBR; the coverage of nuggets): the share of the topic's subtopics that the ranking covers.

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
