"""Qrels rows as a measure sees them: of every topic all of them, whether their document was retrieved or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmx.judgments import Judgments
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, segment_of


@dataclass(frozen=True)
class QrelsRows:
    """All qrels rows of the topics of rankings, as ragged arrays; within a topic in the order of the qrels.

    This is where denominators come from: the subtopics, nuggets or verticals of a topic are the different values of
    a column over its rows. A row with an empty ``doc_id`` declares one that no judged document holds.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Which rows belong to a topic.
    rank : int array, shape (rows,)
        The rank of the row's document, from 1; 0 where it is not in the ranking.
    grade : float array, shape (rows,)
        The grade of the row.
    declares : bool array, shape (rows,)
        Whether the row has an empty ``doc_id``.
    column : callable
        Gives a qrels column by name over the rows, None where the qrels lack it.
    """

    offsets: Ints
    rank: Ints
    grade: Floats
    declares: Array
    column: Callable[[str], Array | None]

    @cached_property
    def topic(self) -> Ints:
        """The number of each row's topic."""
        return segment_of(self.offsets)


def qrels_rows(judgments: Judgments, topics: Ints, rank: Ints) -> QrelsRows:
    """Return the rows of some topics.

    Parameters
    ----------
    judgments : Judgments
        The judgments.
    topics : int array
        The numbers of the topics in the judgments.
    rank : int array, shape (documents,)
        The rank of every judged document, 0 where it has none.
    """
    offsets, source, doc = judgments.all_rows
    lengths = np.diff(offsets)[topics]
    ends = offsets_of(lengths)
    row = np.repeat(offsets[topics], lengths) + position_in_segment(ends)
    doc, declares = doc[row], doc[row] < 0
    ranks = np.zeros(len(row), dtype=np.int64)
    ranks[~declares] = rank[doc[~declares]]

    def column(name: str) -> Array | None:
        values = judgments.given_column(name)
        return None if values is None else values[source[row]]

    relevance = column("relevance")
    return QrelsRows(ends, ranks, judgments.grade[doc] if relevance is None else relevance, declares, column)
