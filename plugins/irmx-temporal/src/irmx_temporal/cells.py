"""Cells, the pairs of a subtopic and a time window of a topic that hold a relevant document, with their weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irmx import Column, DataError, Rankings, Rows
from irmx.ragged import Array, Floats, Ints, position_among, position_in_run, segment_sum
from irmx_temporal.windows import (
    EVERYTHING,
    SUBTOPIC,
    SUBTOPIC_WEIGHT,
    WINDOW_WEIGHT,
    Windowing,
    labels,
    row_of_topic,
    windows_of_rows,
)

LARGEST = 1000
"""The largest grade whose gain 2^grade - 1 is finite."""


@dataclass(frozen=True)
class Aspects:
    """The subtopics, or the windows, of all topics, with their weights.

    Attributes
    ----------
    topic : int array, shape (aspects,)
        The topic of each, ascending.
    weight : float array, shape (aspects,)
        P(c|q) or P(t|q); within a topic they add up to 1, or to less if a column gives weight to an aspect without relevant
        documents.
    names : list
        Their labels.
    label : int array, shape (aspects,)
        The number of each label, the same for all topics.
    """

    topic: Ints
    weight: Floats
    names: list[Hashable]
    label: Ints


@dataclass(frozen=True)
class Layout:
    """The relevant documents of all topics by the subtopics and windows in which they are relevant; the same for all runs.

    Only pairs of a subtopic and a window with a relevant document are included.

    Attributes
    ----------
    topics : int
        The number of topics.
    topic, subtopic, window : int array, shape (cells,)
        The topic of each cell, its subtopic and its window (indices among those of all topics); ascending by topic.
    cell, row, doc : int array, shape (pairs,)
        For every relevant document in a cell: the cell (ascending), a row of the qrels, the document.
    grade : float array, shape (pairs,)
        Its grade there.
    part : int array, shape (qrels rows,)
        The cell of every row of the qrels, -1 for none. Rows below the relevance threshold are in the cell of their subtopic
        and window too, as documents judged not relevant there.
    """

    topics: int
    topic: Ints
    subtopic: Ints
    window: Ints
    cell: Ints
    row: Ints
    doc: Ints
    grade: Floats
    part: Ints
    _ideals: dict[tuple[int | None, Callable[[Floats], Floats]], Floats] = field(default_factory=dict, repr=False)

    @cached_property
    def row_topic(self) -> Ints:
        """The topic of every relevant document in a cell."""
        found: Ints = self.topic[self.cell]
        return found

    @cached_property
    def documents(self) -> tuple[Ints, Ints, Ints]:
        """The distinct relevant documents: the first index of each in ``doc``, its topic, and the inverse index for ``doc``."""
        _, first, number = np.unique(self.doc, return_index=True, return_inverse=True)
        return first, self.row_topic[first], number

    @cached_property
    def relevant(self) -> Ints:
        """The number of relevant documents in a cell of every topic, retrieved or not."""
        return np.bincount(self.documents[1], minlength=self.topics)

    def ideal_dcg(self, cutoff: int | None, gain_of: Callable[[Floats], Floats]) -> Floats:
        """Return the DCG of the best ranking for every cell, with a gain of the grade."""
        if (cutoff, gain_of) not in self._ideals:
            gain = gain_of(self.grade)
            best_first = np.lexsort((-gain, self.cell))
            place = position_in_run(self.cell) + 1
            within = slice(None) if cutoff is None else place <= cutoff
            self._ideals[cutoff, gain_of] = discounted(
                gain[best_first][within], place[within], self.cell[within], len(self.topic)
            )
        return self._ideals[cutoff, gain_of]


@dataclass(frozen=True)
class Cells:
    """The cells of a layout with their weights, and the documents of a ranking in them.

    Attributes
    ----------
    layout : Layout
        The cells, and all relevant documents in them.
    subtopics, windows : Aspects
        All subtopics and windows, with relevant documents or not.
    weight : float array, shape (cells,)
        P(t|q) P(c|q) of the cell, renormalised with ``cells='nonempty'``.
    at : int array, shape (retrieved,)
        The relevant documents retrieved: indices among those of the layout, by cell and rank.
    rank : int array, shape (retrieved,)
        Their ranks.
    """

    layout: Layout
    subtopics: Aspects
    windows: Aspects
    weight: Floats
    at: Ints
    rank: Ints

    @cached_property
    def cell(self) -> Ints:
        """The cell of every document retrieved, ascending."""
        found: Ints = self.layout.cell[self.at]
        return found

    @cached_property
    def grade(self) -> Floats:
        """The grade of every document retrieved in its cell."""
        found: Floats = self.layout.grade[self.at]
        return found

    @cached_property
    def place(self) -> Ints:
        """The position of every document retrieved among those of its cell, from 0."""
        return position_in_run(self.cell)

    def __len__(self) -> int:
        return len(self.weight)

    def weighing(self, weight: Floats) -> Cells:
        """Return the cells with other weights."""
        return replace(self, weight=weight)

    def per_topic(self, of_cells: Floats) -> Floats:
        """Return the sum over each topic's cells of the weighted values."""
        return segment_sum(self.weight * of_cells, self.layout.topic, self.layout.topics)


class Coverage(NamedTuple):
    """The subtopics or the windows of all topics that a ranking should cover.

    Attributes
    ----------
    what : {"subtopic", "window"}
        Whether these are subtopics or windows.
    aspects : Aspects
        The subtopics or windows.
    cells : Cells
        The cells whose documents cover them.
    of_cell : int array, shape (cells,)
        The subtopic or the window of every cell.
    weight : float array, shape (aspects,)
        The contribution of each to its topic's value if it is covered.
    """

    what: str
    aspects: Aspects
    cells: Cells
    of_cell: Ints
    weight: Floats


def covered(coverage: Coverage) -> Ints:
    """Return 1 for subtopics or windows with a relevant document retrieved, else 0."""
    there = np.zeros(len(coverage.weight), dtype=np.int64)
    there[coverage.of_cell[coverage.cells.cell]] = 1
    return there


def exponential(grade: Floats) -> Floats:
    """Return the gains 2^grade - 1.

    >>> exponential(np.array([0.5, 2.0]))
    array([0.41421356, 3.        ])
    """
    for largest in grade[grade > LARGEST][:1].tolist():
        raise DataError(f"The gain 2^grade - 1 takes grades up to {LARGEST}. The qrels have {largest:g}; scale them.")
    gain: Floats = 2.0**grade - 1
    return gain


def binary(grade: Floats) -> Floats:
    """Return the gain 1 of every relevant document."""
    return np.ones(len(grade))


GAINS = {"binary": binary, "exponential": exponential}
"""The gain of a relevant document by its grade, by the parameter gain."""


def discounted(gain: Floats, rank: Ints, group: Ints, count: int) -> Floats:
    """Return the DCG of every group, sum gain / log2(1 + rank)."""
    return segment_sum(gain / np.log2(1 + rank), group, count)


def renormalised(weight: Floats, group: Ints, count: int) -> Floats:
    """Return weights scaled to add up to 1 within every group; those of a group with zero weight stay 0.

    >>> renormalised(np.array([0.25, 0.25, 0.5, 0.0]), np.array([0, 0, 1, 2]), 3)
    array([0.5, 0.5, 1. , 0. ])
    """
    total = segment_sum(weight, group, count)[group]
    return np.divide(weight, total, out=np.zeros(len(weight)), where=total > 0)


PLAIN = ({"0"}, {"Q0"}, {0})
"""Values of the column of subtopics in qrels without subtopics."""


class Places(NamedTuple):
    """The subtopics or the windows of all topics, without weights.

    Attributes
    ----------
    topic, label : int array, shape (aspects,)
        The topic of each, ascending, and the number of its label, ascending within a topic.
    names : list
        The labels by number.
    """

    topic: Ints
    label: Ints
    names: list[Any]


class LaidOut(NamedTuple):
    """A layout, and the subtopics and windows that it is made from.

    Attributes
    ----------
    layout : Layout
        The cells.
    subtopics, windows : Places
        All subtopics and windows, with relevant documents or not.
    subtopic_label, window_label : int array, shape (qrels rows,)
        The number of the label of every row, -1 for none.
    burst_weight : float array or None, shape (windows,)
        The weights of the windows, if they are bursts.
    """

    layout: Layout
    subtopics: Places
    windows: Places
    subtopic_label: Ints
    window_label: Ints
    burst_weight: Floats | None


def layout_of(rankings: Rankings, windowing: Windowing) -> LaidOut:
    """Return the layout of the qrels of rankings.

    A subtopic of a topic is one that a relevant document or a row without a document has; subtopics for which documents
    were judged, but none relevant, do not count, as in ndeval.
    """
    return rankings.qrels_memo(("layout", rankings.rel, windowing), lambda: _laid_out(rankings, windowing))


def _laid_out(rankings: Rankings, windowing: Windowing) -> LaidOut:
    rows = rankings.qrels_rows
    relevant = (rows.grade >= rankings.rel) & ~rows.declares
    if windowing.one_subtopic:
        label, names = np.where(rows.declares, -1, 0), ["all"]
    else:
        label, names = subtopics_of_rows(rankings)
    of_rows = windows_of_rows(rankings, relevant, windowing)
    subtopics, subtopic_of = _places(rows, label, names, relevant | rows.declares)
    windows, window_of = _places(rows, of_rows.label, of_rows.names, relevant | rows.declares)
    weight = None if of_rows.weight is None else of_rows.weight[windows.label]
    layout = _layout(rows, relevant, len(rankings), subtopics, subtopic_of, windows, window_of)
    return LaidOut(layout, subtopics, windows, label, of_rows.label, weight)


def _layout(
    rows: Rows,
    relevant: Array,
    topics: int,
    subtopics: Places,
    subtopic_of: Ints,
    windows: Places,
    window_of: Ints,
) -> Layout:
    count = np.int64(max(len(windows.topic), 1))
    placed = np.flatnonzero(~rows.declares & (subtopic_of >= 0) & (window_of >= 0))
    key = subtopic_of[placed] * count + window_of[placed]
    occupied = np.unique(key[relevant[placed]])
    part = np.full(len(rows.doc), -1, dtype=np.int64)
    part[placed] = position_among(occupied, key)
    chosen = np.flatnonzero(relevant & (part >= 0))
    chosen = chosen[np.lexsort((-rows.grade[chosen], rows.doc[chosen], part[chosen]))]
    cell, doc = part[chosen], rows.doc[chosen]
    first = np.ones(len(chosen), dtype=bool)
    first[1:] = (cell[1:] != cell[:-1]) | (doc[1:] != doc[:-1])
    chosen = chosen[first]
    return Layout(
        topics, subtopics.topic[occupied // count], occupied // count, occupied % count,
        part[chosen], chosen, rows.doc[chosen], rows.grade[chosen], part,
    )  # fmt: skip


def _places(rows: Rows, label: Ints, names: list[Any], counts: Array) -> tuple[Places, Ints]:
    """Return the distinct labels of every topic in the rows that count, and the index of the label of every row, or -1."""
    size = np.int64(max(len(names), 1))
    key = np.where(label >= 0, rows.topic * size + label, -1)
    known = np.unique(key[counts & (label >= 0)])
    return Places(known // size, known % size, names), position_among(known, key)


def subtopics_of_rows(rankings: Rankings) -> tuple[Ints, list[Any]]:
    """Return the number of the subtopic of every row, -1 for none, and the subtopics in their natural order.

    Raises
    ------
    irmx.DataError
        If there are no subtopics, or a relevant document has none.
    """

    def made() -> tuple[Ints, list[Any]]:
        rows = rankings.qrels_rows
        number, names = labels(rows, SUBTOPIC)
        there = {names[i] for i in np.unique(number[number >= 0]).tolist()}
        if len(number) and (not there or there in PLAIN):
            what = f"holds {there.pop()!r} only" if there else "is empty"
            raise DataError(
                f"the qrels have no subtopics: their column 'iteration' {what}. To get them, {SUBTOPIC.how}. A measure "
                "over time windows treats every topic as one subtopic with subtopics='one'."
            )
        for row in np.flatnonzero((number < 0) & (rows.grade >= rankings.rel) & ~rows.declares)[:1].tolist():
            raise DataError(
                f"The qrels column 'iteration' has no subtopic for query {rankings.topics[rows.topic[row]]}, a relevant "
                f"document in {row_of_topic(rows, row)}."
            )
        return number, names

    return rankings.qrels_memo(("subtopics of rows", rankings.rel), made)


TOLERANCE = 1e-6
"""Tolerance for the sum of the weights of a topic, which must be 1."""

WEIGHTS = ("auto", "uniform", "proportional", "column")
"""Sources of weights: the default rule of the aspect; 1 over their number; the share of relevant documents; a column."""


def aspects_of(rankings: Rankings, places: Places, label: Ints, size: Floats, weights: str, column: Column) -> Aspects:
    """Return subtopics or windows with their weights.

    Parameters
    ----------
    rankings : Rankings
        The rankings.
    places : Places
        The subtopics or the windows.
    label : int array, shape (rows,)
        The number of the label of every row of the qrels, -1 for none.
    size : float array, shape (aspects,)
        The number of relevant documents of each.
    weights : {"uniform", "proportional", "column"}
        Where the weights come from.
    column : Column
        The column of weights.
    """
    topics = len(rankings)
    if weights == "column":
        weight = _given(rankings, places, label, column)
    else:
        weight = renormalised(np.ones(len(size)) if weights == "uniform" else size, places.topic, topics)
    return Aspects(places.topic, weight, [places.names[i] for i in places.label.tolist()], places.label)


def _given(rankings: Rankings, places: Places, label: Ints, column: Column) -> Floats:
    """Return the weights in a column, checked: one per label, none negative, with the sum 1 in every topic."""
    rows = rankings.qrels_rows
    if not rows.has(column):
        raise DataError(f"the qrels column {column.name!r}, {column.desc}, is missing.")
    values = rows.column(column, missing_ok=True)
    size = np.int64(max(len(places.names), 1))
    there = np.flatnonzero(~np.isnan(values) & (label >= 0))
    key, first, which = np.unique(rows.topic[there] * size + label[there], return_index=True, return_inverse=True)
    weight = values[there[first]]

    def of_query(key: int) -> str:
        return f"{places.names[key % size]!r} of query {rankings.topics[key // size]}"

    for i in np.flatnonzero(weight[which] != values[there])[:1].tolist():
        raise DataError(
            f"The qrels column {column.name!r} has two values for {of_query(int(key[which[i]]))}: {weight[which[i]]:g} and "
            f"{values[there[i]]:g}."
        )
    for i in np.flatnonzero(~(weight >= 0))[:1].tolist():
        raise DataError(
            f"The qrels column {column.name!r} has the negative weight {weight[i]:g} for {of_query(int(key[i]))}."
        )
    total = segment_sum(weight, key // size, len(rankings))
    for t in np.flatnonzero(np.isin(np.arange(len(rankings)), key // size) & (np.abs(total - 1) > TOLERANCE))[
        :1
    ].tolist():
        raise DataError(
            f"The weights in the qrels column {column.name!r} of query {rankings.topics[t]} must add up to 1, to within "
            f"{TOLERANCE:g}. They add up to {total[t]:.9g}."
        )
    wanted = places.topic * size + places.label
    at = position_among(key, wanted)
    for i in np.flatnonzero(at < 0)[:1].tolist():
        raise DataError(f"The qrels column {column.name!r} has no value for {of_query(int(wanted[i]))}.")
    found: Floats = weight[at]
    return found


Weighted = tuple[Aspects, Aspects, Floats]


def cells_of(
    rankings: Rankings, subtopic_weights: str, windowing: Windowing, window_weights: str, nonempty: bool
) -> Cells:
    """Return the cells of rankings.

    Parameters
    ----------
    rankings : Rankings
        The rankings.
    subtopic_weights, window_weights : str
        One of :data:`irmx_temporal.cells.WEIGHTS`.
    windowing : Windowing
        How documents get their windows.
    nonempty : bool
        Whether the weights of the cells with a relevant document are renormalised to a sum of 1.
    """
    laid = layout_of(rankings, windowing)
    options = ("weights", rankings.rel, windowing, subtopic_weights, window_weights, nonempty)
    subtopics, windows, weight = rankings.qrels_memo(
        options, lambda: _weighted(rankings, laid, subtopic_weights, windowing, window_weights, nonempty)
    )
    at, rank = rankings.memo(("retrieved", windowing), lambda: _retrieved(rankings, laid))
    return Cells(laid.layout, subtopics, windows, weight, at, rank)


def _retrieved(rankings: Rankings, laid: LaidOut) -> tuple[Ints, Ints]:
    """Return the relevant documents in cells that were retrieved, by cell and rank, and their ranks."""
    rank = rankings.qrels_rows.rank[laid.layout.row]
    at = np.flatnonzero(rank > 0)
    at = at[np.lexsort((rank[at], laid.layout.cell[at]))]
    return at, rank[at]


def _weighted(
    rankings: Rankings,
    laid: LaidOut,
    subtopic_weights: str,
    windowing: Windowing,
    window_weights: str,
    nonempty: bool,
) -> Weighted:
    layout = laid.layout
    subtopics = _subtopics(rankings, laid, subtopic_weights, windowing)
    windows = _windows(rankings, laid, "uniform" if windowing.window == EVERYTHING else window_weights)
    weight = windows.weight[layout.window] * subtopics.weight[layout.subtopic]
    return subtopics, windows, renormalised(weight, layout.topic, layout.topics) if nonempty else weight


def _subtopics(rankings: Rankings, laid: LaidOut, weights: str, windowing: Windowing) -> Aspects:
    if weights == "auto":
        weights = "column" if rankings.qrels_rows.has(SUBTOPIC_WEIGHT) else "uniform"
    if weights == "proportional":  # P(c|q) knows no time: documents outside all windows count in it
        laid = layout_of(rankings, windowing.without_windows())
    layout = laid.layout
    size = np.bincount(layout.subtopic[layout.cell], minlength=len(laid.subtopics.topic)).astype(float)
    return aspects_of(rankings, laid.subtopics, laid.subtopic_label, size, weights, SUBTOPIC_WEIGHT)


def _windows(rankings: Rankings, laid: LaidOut, weights: str) -> Aspects:
    layout, places = laid.layout, laid.windows
    if weights == "auto" and laid.burst_weight is not None:
        names = [places.names[i] for i in places.label.tolist()]
        return Aspects(places.topic, laid.burst_weight, names, places.label)
    if weights == "auto":
        weights = "column" if rankings.qrels_rows.has(WINDOW_WEIGHT) else "proportional"
    first, _, _ = layout.documents
    size = np.bincount(layout.window[layout.cell[first]], minlength=len(places.topic)).astype(float)
    return aspects_of(rankings, places, laid.window_label, size, weights, WINDOW_WEIGHT)
