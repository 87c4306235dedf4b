"""From qrels rows to cells: the documents relevant to each subtopic in each window."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irmx import DataError, Rankings, Rows
from irmx.ragged import Array, Floats, Ints, position_among
from irmx_temporal.cells.cell_arrays import Layout
from irmx_temporal.diversity_columns import SUBTOPIC
from irmx_temporal.natural_labels import labels
from irmx_temporal.windows.windows_of_rows import Windowing, row_of_topic, windows_of_rows

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
