"""Judgments per subtopic: each consists of some rows of a topic of the qrels."""

from __future__ import annotations

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.selection import Selection
from irmx.ragged import Ints, offsets_of
from irmx.rank.rows import Rows


def subtopic_judgments(base: Judgments, topics: Ints, rows: Rows, subtopic: Ints, count: int) -> Judgments:
    """Return judgments whose topics are subtopics.

    The largest grade is still that of all topics of the qrels.

    Parameters
    ----------
    base : Judgments
        The judgments.
    topics : int array
        The positions in ``base.topics`` of the topics of ``rows``.
    rows : Rows
        Rows of the qrels.
    subtopic : int array, shape (rows,)
        The number of the subtopic of every row, -1 for none.
    count : int
        The number of subtopics.
    """
    chosen = np.flatnonzero(subtopic >= 0)
    chosen = chosen[np.argsort(subtopic[chosen], kind="stable")]
    of_row, doc = subtopic[chosen], rows.doc[chosen]
    topic = np.zeros(count, dtype=np.int64)
    topic[of_row] = topics[rows.topic[chosen]]
    holds = np.flatnonzero(doc >= 0)
    size = int(doc.max(initial=0)) + 1
    key, which = np.unique(of_row[holds] * size + doc[holds], return_inverse=True)
    grade = np.full(len(key), -np.inf)
    np.maximum.at(grade, which, rows.grade[chosen[holds]])
    doc_of_row = np.full(len(chosen), -1, dtype=np.int64)
    doc_of_row[holds] = which
    doc_ends = offsets_of(np.bincount(key // size, minlength=count))
    all_rows = offsets_of(np.bincount(of_row, minlength=count)), rows.row[chosen], doc_of_row
    judgments = base.select(Selection(base, topic, doc_ends, key % size, grade, all_rows))
    judgments.largest_grade = base.largest_grade
    return judgments
