"""Judgments: qrels from any source as arrays, converted once."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, TypeVar

import ir_measures
import numpy as np

from irmx.data import tables
from irmx.data.arrow import byte_lengths, encoded, from_texts
from irmx.data.cells import numbers
from irmx.data.contradictions import warn_of_contradiction
from irmx.data.origin import NO_ORIGIN, Origin
from irmx.declare.columns import missing_column
from irmx.errors import counted
from irmx.ragged import (
    Array,
    Floats,
    Ints,
    offsets_of,
    position_in_segment,
    read_only,
    segment_count,
    segment_of,
    shared,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx.declare.columns import Column

T = TypeVar("T")


class Sought:
    """Judged documents to look up in runs, in the two forms in which runs are searched.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Where the documents of each topic of the judgments start and end.
    doc : int array
        The position of each document in ``Judgments.docs``.
    """

    def __init__(self, offsets: Ints, doc: Ints, docs: Sequence[str]) -> None:
        self.offsets, self.doc, self._docs = offsets, doc, docs

    @cached_property
    def names(self) -> list[str]:
        """The ids of the documents."""
        if len(self.doc) == len(self._docs):
            return list(self._docs)
        return [self._docs[i] for i in self.doc.tolist()]

    @cached_property
    def keys(self) -> tuple[pa.Array, Ints, Ints]:
        """The distinct ids, the sorted keys topic * size + id, and the position in ``Judgments.docs`` of each key."""
        try:
            numbers, distinct = encoded(from_texts(self.names))
        except (TypeError, UnicodeEncodeError):
            tables.refuse_odd_ids("qrels", self.names)
            raise
        topic = segment_of(self.offsets)
        key = topic * np.int64(len(distinct)) + numbers
        order = np.argsort(key, kind="stable")
        return distinct, key[order], self.doc[order]


class Judgments:
    """The judgments of all topics: one grade per judged document, and the rows of the qrels.

    A document with several rows, as in diversity qrels, has the largest of their grades.
    Created by :func:`irmx.read_qrels`; iterating over it gives ``ir_measures.Qrel`` rows.

    Attributes
    ----------
    topics : list
        The query ids as given, in order of first appearance.
    index : dict of str to int
        The position in ``topics`` of every query id, as a string.
    offsets : int array, shape (topics + 1,)
        Where the documents of each topic start and end.
    docs : sequence of str
        The ids of the judged documents of all topics.
    grade : float array
        Their grades.
    origin : Origin
        Where they came from, for messages.
    """

    def __init__(
        self, topics: list[Any], offsets: Ints, docs: Sequence[str], grade: Floats, origin: Origin = NO_ORIGIN
    ) -> None:
        self.origin = origin
        self.topics = topics
        self.index = {str(t): i for i, t in enumerate(topics)}
        self.offsets, self.docs, self.grade = read_only(offsets), docs, read_only(grade)
        self._table: pa.Table | None = None
        self._row_order: Ints | None = None
        self.row_offsets: Ints | None = None
        self._sought: dict[float | None, Sought] = {}
        self._labels: dict[str, tuple[Ints, tuple[Any, ...]]] = {}
        self._memo: tuple[bytes, dict[Hashable, Any]] = (b"", {})

    # -- construction ------------------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, qrels: Mapping[Any, Mapping[str, float]]) -> Judgments:
        """Return the judgments of ``{query_id: {doc_id: grade}}``."""
        topics = tables.topic_ids("qrels", qrels)
        lengths = np.fromiter(map(len, qrels.values()), np.int64, len(qrels))
        total = int(lengths.sum())
        try:
            grade = np.fromiter(chain.from_iterable(d.values() for d in qrels.values()), np.float64, total)
        except (TypeError, ValueError, OverflowError):
            raise tables.bad_number_in_dict("qrels", "relevance", qrels) from None
        if not np.isfinite(grade).all():
            raise tables.bad_number_in_dict("qrels", "relevance", qrels)
        docs = list(chain.from_iterable(qrels.values()))
        return cls(topics, offsets_of(lengths), docs, grade)

    @classmethod
    def from_table(cls, table: pa.Table, origin: Origin = NO_ORIGIN) -> Judgments:
        """Return the judgments of a table whose columns have the vocabulary's names.

        Parameters
        ----------
        table : pyarrow.Table
            The table.
        origin : Origin
            Where it came from, for messages.
        """
        columns = tables.Columns("qrels", table)
        topic, topics = columns.topics()
        relevance = columns.floats("relevance")
        docs = columns.texts("doc_id")
        empty = byte_lengths(docs) == 0
        code, distinct = encoded(docs)
        key = topic * np.int64(len(distinct) + 1) + code
        order = np.argsort(key, kind="stable")
        order = order[~empty[order]]
        sorted_key = key[order]
        first = np.ones(len(order), dtype=bool)
        first[1:] = sorted_key[1:] != sorted_key[:-1]
        starts = np.flatnonzero(first)
        grade = np.maximum.reduceat(relevance[order], starts) if len(starts) else np.empty(0)
        judged_topic = topic[order][starts]
        counts = np.bincount(judged_topic, minlength=len(topics)).astype(np.int64)
        out = cls(topics, offsets_of(counts), tables.LazyTexts(docs, order[starts]), grade, origin)
        out._table, out._row_order = table, order
        out.row_offsets = np.append(starts, len(order)).astype(np.int64)
        if len(starts) < len(order):
            warn_of_contradiction(columns, order, starts, relevance, out.place)
        return out

    # -- what a join needs -------------------------------------------------------------------------------

    def sought(self, rel: float | None) -> Sought:
        """Return the documents to look up in a run: those of at least the grade ``rel``, or all if it is None."""
        if rel not in self._sought:
            where = np.arange(len(self.grade)) if rel is None else np.flatnonzero(self.grade >= rel)
            self._sought[rel] = Sought(np.searchsorted(where, self.offsets), where, self.docs)
        return self._sought[rel]

    # -- what measures need ------------------------------------------------------------------------------

    def column(self, name: str) -> Array | None:
        """Return a qrels column over the rows as given, None if the table lacks it."""
        if self._table is None:
            return None
        columns = tables.Columns("qrels", self._table)
        return read_only(columns.values(name)) if name in columns else None

    def labels(self, name: str) -> tuple[Ints, tuple[Any, ...]] | None:
        """Return, over the rows as given, the number of each label, -1 if missing, and the labels; None without the column."""
        if self._table is None:
            return None
        columns = tables.Columns("qrels", self._table)
        if name not in columns:
            return None
        if name not in self._labels:
            self._labels[name] = shared(columns.labels(name))
        return self._labels[name]

    def numbers(self, column: Column) -> Floats | None:
        """Return an extra column of finite numbers over the rows as given; None if the table lacks it."""
        return None if self._table is None else numbers(self._table, column, self.origin)

    @cached_property
    def row_grade(self) -> Floats:
        """The grade of every row as given."""
        relevance = self.column("relevance")
        return self.grade if relevance is None else relevance

    def memo(self, topics: Ints, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value that is computed once for a set of topics, whatever the run; only the last set is kept."""
        if self._memo[0] != topics.tobytes():
            self._memo = (topics.tobytes(), {})
        values = self._memo[1]
        if key not in values:
            values[key] = make()
        value: T = values[key]
        return value

    def grades_of(self, topics: Ints, smallest: float) -> tuple[Ints, Floats]:
        """Return the offsets and the grades, largest first, of some topics; grades below ``smallest`` are left out."""

        def grades() -> tuple[Ints, Floats]:
            lengths = np.diff(self.offsets)[topics]
            ends = offsets_of(lengths)
            grade = self.grade[np.repeat(self.offsets[topics], lengths) + position_in_segment(ends)]
            grade = grade[np.lexsort((-grade, segment_of(ends)))]
            keep = grade >= smallest
            return offsets_of(segment_count(keep, ends)), grade[keep]

        return self.memo(topics, ("grades", smallest), grades)

    @cached_property
    def largest_grade(self) -> float:
        """The largest grade of any document of any topic; 0 if no grade is positive."""
        return float(self.grade.max(initial=0))

    @cached_property
    def all_rows(self) -> tuple[Ints, Ints, Ints]:
        """All rows by topic: the offsets of the topics, the row as given, its position in ``docs`` (-1: no ``doc_id``)."""
        if self._table is None or self._row_order is None or self.row_offsets is None:
            every = np.arange(len(self.grade))
            return self.offsets, every, every
        topic, topics = tables.Columns("qrels", self._table).topics()
        doc = np.full(len(topic), -1, dtype=np.int64)
        doc[self._row_order] = segment_of(self.row_offsets)
        by_topic = np.argsort(topic, kind="stable")
        return offsets_of(np.bincount(topic, minlength=len(topics))), by_topic, doc[by_topic]

    @property
    def has_negative(self) -> bool:
        """Whether some grade is negative, which in TREC qrels means not judged."""
        return bool(np.any(self.grade < 0))

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return ["query_id", "doc_id", "relevance"] if self._table is None else list(self._table.column_names)

    def lacking(self, column: Column) -> str:
        """Return the message about a missing column: what it is, which columns there are, and how to get it."""
        return missing_column(column, self.columns) + self.origin.how_to_get(column.name)

    def place(self, rows: Sequence[int]) -> str:
        """Return the file and the lines of some rows, for the start of a message; empty if there is no file."""
        return self.origin.place(rows)

    def __len__(self) -> int:
        return len(self.grade)

    def __repr__(self) -> str:
        source = self.origin.source or self.origin.dataset_id
        size = f"{counted(len(self.topics), 'topic')}, {counted(len(self), 'document')}"
        return f"<Judgments: {size}{source and ', '}{os.path.basename(source) if self.origin.source else source}>"

    def __iter__(self) -> Iterator[ir_measures.Qrel]:
        if self._table is not None:
            columns = tables.Columns("qrels", self._table)
            query, doc, iteration = (
                columns.texts(n).to_pylist() if n in columns else None for n in ("query_id", "doc_id", "iteration")
            )
            assert query is not None
            assert doc is not None
            for i, grade in enumerate(columns.floats("relevance").tolist()):
                yield ir_measures.Qrel(query[i], doc[i], _plain(grade), iteration[i] if iteration else "0")
            return
        for query_id, docs in self.as_dict().items():
            for doc_id, value in docs.items():
                yield ir_measures.Qrel(query_id, doc_id, value)

    def rows_of_subtopics(self) -> list[ir_measures.Qrel]:
        """Return the rows that have a document, in the order given.

        Of rows with the same topic, iteration and document, only the one with the largest grade is returned; tools that read
        such rows would use the last of them.
        """
        if self._table is None or self._row_order is None or self.row_offsets is None:
            return [row for row in self if row.doc_id]
        labels, order = self.labels("iteration"), self._row_order
        key = segment_of(self.row_offsets)
        if labels is not None:
            key = key * np.int64(len(labels[1]) + 1) + labels[0][order]
        by_key = np.lexsort((tables.Columns("qrels", self._table).floats("relevance")[order], key))
        largest = np.diff(key[by_key], append=-2) != 0
        keep = np.zeros(self._table.num_rows, dtype=bool)
        keep[order[by_key[largest]]] = True
        return list(compress(self, keep.tolist()))

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Return ``{query_id: {doc_id: grade}}``, as ``pytrec_eval`` expects it."""
        docs, grades, ends = list(self.docs), [_plain(g) for g in self.grade.tolist()], self.offsets.tolist()
        return {
            str(t): dict(zip(docs[a:b], grades[a:b], strict=True))
            for t, a, b in zip(self.topics, ends, ends[1:], strict=False)
        }


def _plain(grade: float) -> Any:
    """Return a whole-number grade as an int, as tools written in C require, and any other grade as a float."""
    return int(grade) if grade.is_integer() else grade
