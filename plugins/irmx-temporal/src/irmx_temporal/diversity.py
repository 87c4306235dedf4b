"""Base classes of the diversity measures: parameters, columns, cells, and the tables that explain a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, Rankings, UsageError
from irmx.ragged import Array, Floats, Ints
from irmx_temporal.cells import WEIGHTS, Cells, Coverage, cells_of, covered
from irmx_temporal.columns import SUBTOPIC, SUBTOPIC_WEIGHT, TIMESTAMP, WINDOW, WINDOW_WEIGHT
from irmx_temporal.windows import BURST, EVERYTHING, Windowing, WindowParam, zone

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
