"""Judged documents at their ranks: of a join, and of joins of its run with other judgments, taken from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Found
from irmx.data.selection import Selection
from irmx.errors import DataError
from irmx.ragged import Ints, offsets_of, position_in_segment, segment_count, segment_of

if TYPE_CHECKING:
    from irmx.rank.join import Join


@dataclass(frozen=True)
class Hits:
    """Judged documents at their ranks, by topic and rank.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Where the documents of each topic start and end.
    rank : int array
        Their ranks, from 1.
    doc : int array
        The position of each document in ``Judgments.docs``.
    rows : callable
        Returns the row of each document in the run.
    """

    offsets: Ints
    rank: Ints
    doc: Ints
    rows: Callable[[], Ints]


class SelectedHits:
    """The hits of a join, over judgments that consist of parts of its own.

    Parameters
    ----------
    base : Join
        The join.
    judgments : Judgments
        The judgments, with a selection of those of the join.

    Attributes
    ----------
    in_judgments : int array
        The topics of the judgments that the join has.
    of_base : int array
        For each of them, the topic of the join.
    """

    def __init__(self, base: Join, judgments: Judgments) -> None:
        assert judgments.selection is not None
        self._base, self._judgments, self._selection = base, judgments, judgments.selection
        joined = np.full(len(base.judgments.topics), -1, dtype=np.int64)
        joined[base.in_judgments] = np.arange(len(base.pairs))
        of_base = joined[self._selection.topic]
        self.in_judgments = np.flatnonzero(of_base >= 0)
        self.of_base: Ints = of_base[self.in_judgments]

    def _selected(self, doc: Ints, rel: float | None) -> tuple[Ints, Ints, Ints]:
        """Return the offsets of the topics, the indices of hits of the base by topic, and their documents."""
        hit, doc = self._selection.of_base(doc)
        if rel is not None:
            keep = self._judgments.grade[doc] >= rel
            hit, doc = hit[keep], doc[keep]
        topic = np.searchsorted(self._judgments.offsets, doc, side="right") - 1
        order = np.argsort(topic, kind="stable")
        count = np.bincount(topic, minlength=len(self._judgments.topics))[self.in_judgments]
        return offsets_of(count), hit[order], doc[order]

    def found(self, rel: float | None) -> Found:
        """Return the retrieved judged documents of at least the grade ``rel`` (None: all), in the order of the run."""
        found = self._base.found(rel)
        offsets, hit, doc = self._selected(found.doc, rel)
        return Found(offsets, doc, found.score[hit], lambda: found.rows()[hit])

    def hits(self, rel: float | None, ties: str) -> Hits:
        """Return the retrieved judged documents of at least the grade ``rel`` (None: all), by topic and rank."""
        hits = self._base.hits(rel, ties)
        offsets, hit, doc = self._selected(hits.doc, rel)
        return Hits(offsets, hits.rank[hit], doc, lambda: hits.rows()[hit])

    def ranked_rows(self, ties: str) -> Ints:
        """Return the rows of the run of all topics, topic by topic, best first."""
        depth = self._base.depth[self.of_base]
        starts = np.repeat(offsets_of(self._base.depth)[self.of_base], depth)
        rows: Ints = self._base.ranked_rows(ties)[starts + position_in_segment(offsets_of(depth))]
        return rows


class RankedHits:
    """The hits of a run, over judgments with added rows, taken from its ranking of all documents.

    Parameters
    ----------
    base : Join
        A join of the run.
    judgments : Judgments
        The judgments, with the topics of those of the join.
    doc : int array
        The document of every row of the topics of the run, in its order; -1 for an unjudged one.

    Attributes
    ----------
    in_judgments, of_base : int array
        As in :class:`SelectedHits`.
    """

    def __init__(self, base: Join, judgments: Judgments, doc: Ints) -> None:
        self._base, self._judgments, self._doc = base, judgments, doc
        self.in_judgments, self.of_base = base.in_judgments, np.arange(len(base.pairs))

    @classmethod
    def of_unjudged(cls, base: Join, grade: float, depth: int | None) -> tuple[Judgments, RankedHits]:
        """Return judgments in which documents of a run that were unjudged have a grade, and the hits of the run.

        All of them have it, or those at ranks up to a depth.
        """
        offsets, rows = base.rows_in_order()
        doc = base.judged_at(offsets, rows)
        topic = base.in_judgments[segment_of(offsets)]
        is_unjudged = np.append(base.judgments.grade, -1)[doc] < 0
        if depth is not None:
            is_unjudged[_places(base, "trec")[position_in_segment(offsets) >= depth]] = False
        unjudged = np.flatnonzero(is_unjudged)
        first, of_document = _first_rows(base, offsets, rows, unjudged)
        added = unjudged[first]
        new = added[doc[added] < 0]
        ids = partial(base.doc_ids, np.searchsorted(new, offsets), rows[new])
        selection = Selection.with_rows(base.judgments, topic[added], doc[added], ids, grade)
        judgments = base.judgments.select(selection)
        judged = np.flatnonzero(doc >= 0)
        _, doc[judged] = selection.of_base(doc[judged])
        _, row, doc_of_row = judgments.all_rows
        doc[unjudged] = doc_of_row[row >= len(base.judgments.row_grade)][of_document]
        return judgments, cls(base, judgments, doc)

    @classmethod
    def of_added(cls, base: Join, judgments: Judgments) -> RankedHits:
        """Return the hits of a run over judgments that are those of a join with added rows."""
        assert judgments.selection is not None
        offsets, rows = base.rows_in_order()
        doc = base.judged_at(offsets, rows)
        judged = np.flatnonzero(doc >= 0)
        _, doc[judged] = judgments.selection.of_base(doc[judged])
        found = base.run.find(judgments.sought_further(), base.pairs)
        # from a topic's rows in the run to their positions here
        to_place = offsets[:-1] - base.run.offsets[base.in_run]
        doc[found.rows() + to_place[segment_of(found.offsets)]] = judgments.selection.further_documents[found.doc]
        return cls(base, judgments, doc)

    def found(self, rel: float | None) -> Found:
        """Return the judged documents of at least the grade ``rel`` (None: all), in the order of the run."""
        offsets, rows = self._base.rows_in_order()
        keep, offsets = self._at_least(rel, offsets, self._doc)
        rows = rows[keep]
        return Found(offsets, self._doc[keep], self._base.run.score[rows], lambda: rows)

    def hits(self, rel: float | None, ties: str) -> Hits:
        """Return the judged documents of at least the grade ``rel`` (None: all), by topic and rank."""
        offsets, _ = self._base.rows_in_order()
        rows, doc = self._base.ranked_rows(ties), self._doc[_places(self._base, ties)]
        keep, ends = self._at_least(rel, offsets, doc)
        return Hits(ends, position_in_segment(offsets)[keep] + 1, doc[keep], lambda: rows[keep])

    def ranked_rows(self, ties: str) -> Ints:
        """Return the rows of the run of all topics, topic by topic, best first."""
        return self._base.ranked_rows(ties)

    def _at_least(self, rel: float | None, offsets: Ints, doc: Ints) -> tuple[Ints, Ints]:
        keep = doc >= 0 if rel is None else np.append(self._judgments.grade, np.nan)[doc] >= rel
        return np.flatnonzero(keep), offsets_of(segment_count(keep, offsets))


def _places(join: Join, ties: str) -> Ints:
    """Return the positions, among all rows of a join in the order of the run, of the ranked ones, topic by topic, best first."""
    offsets, in_order = join.rows_in_order()
    # the rows of a topic stand together in the run: their positions there differ from those here by one number
    return join.ranked_rows(ties) - np.repeat(in_order[offsets[:-1]] - offsets[:-1], np.diff(offsets))


def _first_rows(join: Join, offsets: Ints, rows: Ints, some: Ints) -> tuple[Ints, Ints]:
    """Return, for the distinct documents of some rows, the first of them, and for each row the number of its document."""
    try:
        join.run.refuse_repeats()
    except DataError:  # a stream
        names, topic = join.doc_ids(offsets, rows), segment_of(offsets).tolist()
        first: dict[tuple[int, str], int] = {}
        of_row = [first.setdefault((topic[i], names[i]), at) for at, i in enumerate(some.tolist())]
        distinct, of_document = np.unique(np.array(of_row, dtype=np.int64), return_inverse=True)
        return distinct, of_document
    return np.arange(len(some)), np.arange(len(some))
