"""All documents of rankings, judged or not, best first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmx.ragged import Floats, Ints, offsets_of, position_in_segment, segment_of
from irmx.rank.join import Join


@dataclass(frozen=True)
class RankedDocuments:
    """All documents of all rankings, as ragged arrays; within a topic best first.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Which documents belong to a topic.
    doc : int array, shape (documents,)
        The place of each in the documents of the judgments, as in ``QrelsRows.doc``; -1 where it is not judged.
    grade : float array, shape (documents,)
        Their grades, NaN where they are not judged.

    Examples
    --------
    >>> import irmx
    >>> irmx.join({"q": {"a": 1, "b": 0}}, {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}).ranked_documents
    RankedDocuments(offsets=array([0, 3]), doc=array([ 1, -1,  0]), grade=array([ 0., nan,  1.]))
    """

    offsets: Ints
    doc: Ints
    grade: Floats

    @cached_property
    def topic(self) -> Ints:
        """The number of each document's topic."""
        return segment_of(self.offsets)


def ranked_rows(join: Join, ties: str) -> Ints:
    """Return the rows of the run of all topics of a join, topic by topic, best first."""
    join.run.refuse_repeats()
    ends = offsets_of(join.depth)
    topic = segment_of(ends)
    starts = join.run.offsets[np.array([mine for mine, _ in join.pairs], dtype=np.int64)]
    rows = np.repeat(starts, join.depth) + position_in_segment(ends)
    scores = join.comparable_scores(ties)[rows]
    order = np.lexsort((-scores, topic))
    rows, scores = rows[order], scores[order]
    if ties == "trec":
        tied = (scores[1:] == scores[:-1]) & (topic[1:] == topic[:-1])
        for t in np.unique(topic[1:][tied]).tolist():
            rows[ends[t] : ends[t + 1]] = starts[t] + join.order(t, ties)
    return rows


def judged_in_rows(join: Join, rows: Ints) -> tuple[Ints, Floats]:
    """Return the place of the document of each row in the judgments, -1 for none, and its grade, NaN for none."""
    found = join.found(None)
    place = np.full(len(join.run), -1, dtype=np.int64)
    place[found.rows()] = found.doc
    doc = place[rows]
    grade = np.full(len(doc), np.nan)
    grade[doc >= 0] = join.judgments.grade[doc[doc >= 0]]
    return doc, grade
