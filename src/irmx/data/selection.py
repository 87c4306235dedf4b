"""Judgments made of others: which topics, documents and rows they consist of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from irmx.ragged import Bools, Floats, Ints, offsets_of, position_in_segment, segment_count, segment_of

if TYPE_CHECKING:
    from irmx.data.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Selection:
    """The topics, documents and rows of some judgments, the base, of which other judgments consist, and rows added to them.

    A topic of the base may become several topics, each with some of its rows, and a document one document of each of them.
    An added row has a grade, and no value in other columns.

    Attributes
    ----------
    base : Judgments
        The judgments selected from.
    topic : int array
        The position in ``base.topics`` of every topic.
    offsets : int array, shape (topics + 1,)
        Where the documents of each topic start and end.
    doc : int array
        The position in ``base.docs`` of every document; counted on from their number for further documents.
    grade : float array
        The grade of every document.
    all_rows : tuple of int arrays
        As ``Judgments.all_rows``, with the rows numbered as in the base; counted on from their number for added rows.
    added : float array
        The grades of added rows.
    further : callable
        Returns the ids of further documents.
    """

    base: Judgments
    topic: Ints
    offsets: Ints
    doc: Ints
    grade: Floats
    all_rows: tuple[Ints, Ints, Ints]
    added: Floats = field(default_factory=lambda: np.empty(0))
    further: Callable[[], Sequence[str]] = tuple

    @classmethod
    def of_documents(cls, base: Judgments, keep: Bools, keep_topics: bool) -> Selection:
        """Return the selection of some documents, and of all rows without a document; see :meth:`irmx.Judgments.where`."""
        doc, (ends, row, doc_of_row) = np.flatnonzero(keep), base.all_rows
        position = np.full(len(base) + 1, -1, dtype=np.int64)  # the last stands for no document, whose position is -1
        position[doc] = np.arange(len(doc))
        stays = (doc_of_row < 0) | (position[doc_of_row] >= 0)
        rows_left = segment_count(stays, ends)
        topic = np.flatnonzero((rows_left > 0) | (np.diff(ends) == 0) | keep_topics)
        all_rows = offsets_of(rows_left[topic]), row[stays], position[doc_of_row[stays]]
        offsets = offsets_of(segment_count(keep, base.offsets)[topic])
        return cls(base, topic, offsets, doc, base.grade[doc], all_rows)

    @classmethod
    def with_rows(
        cls, base: Judgments, topic: Ints, doc: Ints, doc_ids: Callable[[], Sequence[str]], grade: float | Floats
    ) -> Selection:
        """Return all of the base, and added rows.

        Parameters
        ----------
        base : Judgments
            The judgments.
        topic : int array
            The position of each row's topic, in ascending order.
        doc : int array
            The position of its document; -1 for a document that the base lacks, which has one row.
        doc_ids : callable
            Returns the ids of the latter.
        grade : float or float array
            The grade of all rows, or of each.
        """
        new = doc < 0
        further = offsets_of(np.bincount(topic[new], minlength=len(base.topics)))
        known = (
            np.arange(len(base)) + further[segment_of(base.offsets)]
        )  # further documents follow those of their topic
        of_added = np.empty(len(doc), dtype=np.int64)
        of_added[new] = base.offsets[topic[new] + 1] + np.arange(further[-1])
        of_added[~new] = known[doc[~new]]
        source = np.empty(len(base) + int(further[-1]), dtype=np.int64)
        source[known], source[of_added[new]] = np.arange(len(base)), len(base) + np.arange(further[-1])
        grades = np.full(len(source), -np.inf)
        grades[known] = base.grade
        grades[of_added] = np.maximum(grades[of_added], grade)

        ends, row, doc_of_row = base.all_rows
        topic_of_row = np.concatenate([segment_of(ends), topic])
        by_topic = np.argsort(topic_of_row, kind="stable")
        row = np.append(row, len(base.row_grade) + np.arange(len(doc)))
        doc_of_row = np.append(np.append(known, -1)[doc_of_row], of_added)
        row_ends = offsets_of(np.bincount(topic_of_row, minlength=len(base.topics)))
        return cls(
            base, np.arange(len(base.topics)), base.offsets + further, source, grades,
            (row_ends, row[by_topic], doc_of_row[by_topic]), np.broadcast_to(grade, len(doc)).astype(np.float64), doc_ids,
        )  # fmt: skip

    @classmethod
    def of_rows(cls, base: Judgments, rows: Judgments) -> Selection:
        """Return all of the base, and the rows of other judgments; see :meth:`irmx.Judgments.with_rows`."""
        unknown = [topic for topic in rows.index if topic not in base.index]
        if unknown:
            raise ValueError(f"The judgments have no topic {unknown[0]!r}, so that no row can be added to it.")
        topic = np.array([base.index[topic] for topic in rows.index], dtype=np.int64)
        doc: list[int] = []
        for t, a, b in zip(topic.tolist(), rows.offsets[:-1].tolist(), rows.offsets[1:].tolist(), strict=True):
            start, end = base.offsets[t : t + 2].tolist()
            position = dict(zip(base.docs[start:end], range(start, end), strict=True))
            doc += [position.get(doc_id, -1) for doc_id in rows.docs[a:b]]
        topic_of_row, doc_of_row = topic[segment_of(rows.offsets)], np.array(doc, dtype=np.int64)
        order = np.argsort(topic_of_row, kind="stable")
        new = order[doc_of_row[order] < 0].tolist()
        return cls.with_rows(
            base, topic_of_row[order], doc_of_row[order], lambda: [rows.docs[i] for i in new], rows.grade[order]
        )

    @cached_property
    def further_documents(self) -> Ints:
        """The documents that the base lacks."""
        return np.flatnonzero(self.doc >= len(self.base))

    @cached_property
    def _place(self) -> Ints | None:
        """The selected document that stems from each document of the base, -1 if none does; None if several stem from one."""
        known = self.doc < len(self.base)
        place = np.full(len(self.base), -1, dtype=np.int64)
        place[self.doc[known]] = np.flatnonzero(known)
        return place if np.count_nonzero(place >= 0) == np.count_nonzero(known) else None

    @cached_property
    def _by_base(self) -> tuple[Ints, Ints]:
        """The documents in the order of the base, and where those of each document of the base start."""
        order = np.argsort(self.doc, kind="stable")
        return order, np.searchsorted(self.doc[order], np.arange(len(self.base) + 1))

    def of_base(self, doc: Ints) -> tuple[Ints, Ints]:
        """Return every pair of an index of ``doc``, documents of the base, and a selected document that stems from it."""
        if self._place is not None:
            place = self._place[doc]
            index = np.flatnonzero(place >= 0)
            return index, place[index]
        order, starts = self._by_base
        first = starts[doc]
        count = starts[doc + 1] - first
        return (
            np.repeat(np.arange(len(doc)), count),
            order[np.repeat(first, count) + position_in_segment(offsets_of(count))],
        )


class SelectedTexts(Sequence[str]):
    """Some of a sequence of texts, looked up on access.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    chosen : int array
        The position of each in ``texts``; counted on from their number, its position in ``further``.
    further : callable
        Returns further texts; called when the first of them is accessed.
    """

    def __init__(self, texts: Sequence[str], chosen: Ints, further: Callable[[], Sequence[str]]) -> None:
        self._texts, self._chosen, self._make_further = texts, chosen, further

    @cached_property
    def _further(self) -> Sequence[str]:
        return self._make_further()

    def _text(self, position: int) -> str:
        here = len(self._texts)
        return self._texts[position] if position < here else self._further[position - here]

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...
    def __getitem__(self, key: int | slice) -> str | list[str]:
        if isinstance(key, slice):
            return [self._text(i) for i in self._chosen[key].tolist()]
        return self._text(int(self._chosen[key]))

    def __iter__(self) -> Iterator[str]:
        return map(self._text, self._chosen.tolist())
