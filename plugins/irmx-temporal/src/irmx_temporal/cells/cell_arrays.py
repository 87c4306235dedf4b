"""Cells: the pairs of a subtopic and a time window of a topic that hold a relevant document, with their weights."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irmx import DataError
from irmx.ragged import Floats, Ints, position_in_run, segment_sum

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
    _ideals: dict[int | None, Floats] = field(default_factory=dict, repr=False)

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

    def ideal_dcg(self, cutoff: int | None) -> Floats:
        """Return the DCG of the best ranking for every cell, with the gain 2^grade - 1."""
        if cutoff not in self._ideals:
            gain = exponential(self.grade)
            best_first = np.lexsort((-gain, self.cell))
            place = position_in_run(self.cell) + 1
            within = slice(None) if cutoff is None else place <= cutoff
            self._ideals[cutoff] = discounted(
                gain[best_first][within], place[within], self.cell[within], len(self.topic)
            )
        return self._ideals[cutoff]


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


def exponential(grade: Floats) -> Floats:
    """Return the gains 2^grade - 1.

    >>> exponential(np.array([0.5, 2.0]))
    array([0.41421356, 3.        ])
    """
    for largest in grade[grade > LARGEST][:1].tolist():
        raise DataError(f"The gain 2^grade - 1 takes grades up to {LARGEST}. The qrels have {largest:g}; scale them.")
    gain: Floats = 2.0**grade - 1
    return gain


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
