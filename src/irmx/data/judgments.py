"""Judgments: qrels from any source as arrays, converted once."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, TypeVar

import ir_measures
import numpy as np

from irmx.data import dicts, tables
from irmx.data.arrow import byte_lengths, encoded
from irmx.data.cells import numbers
from irmx.data.contradictions import warn_of_contradiction
from irmx.data.origin import NO_ORIGIN, Origin
from irmx.data.selection import SelectedTexts, Selection
from irmx.data.sought import Sought
from irmx.declare.columns import missing_column
from irmx.declare.markup_html import html_result
from irmx.errors import DataError, counted, visible
from irmx.ragged import (
    Array,
    Bools,
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
    selection : Selection or None
        For judgments that consist of parts of others, such as those that :meth:`where` returns: which parts.
    """

    def __init__(
        self, topics: list[Any], offsets: Ints, docs: Sequence[str], grade: Floats, origin: Origin = NO_ORIGIN
    ) -> None:
        self.origin = origin
        self.topics = topics
        self.index = {str(t): i for i, t in enumerate(topics)}
        self.offsets, self.docs, self.grade = read_only(offsets), docs, read_only(grade)
        self.selection: Selection | None = None
        self._table: pa.Table | None = None
        self._row_order: Ints | None = None
        self._row_offsets: Ints | None = None
        self._added_rows = 0
        self._labels: dict[str, tuple[Ints, tuple[Any, ...]]] = {}
        self._numbers: dict[Column, Floats | None] = {}
        self._sought: dict[float | None, Sought] = {}
        self._memo: tuple[bytes, dict[Hashable, Any]] = (b"", {})

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: not what measures keep, which may be anything."""
        return {**vars(self), "_sought": {}, "_memo": (b"", {})}

    # -- construction ------------------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, qrels: Mapping[Any, Mapping[str, float]]) -> Judgments:
        """Return the judgments of ``{query_id: {doc_id: grade}}``."""
        topics = dicts.topic_ids("qrels", qrels)
        lengths = np.fromiter(map(len, qrels.values()), np.int64, len(qrels))
        grade = dicts.numbers_of_dict("qrels", "relevance", qrels)
        docs = list(chain.from_iterable(qrels.values()))
        dicts.check_ids("qrels", "query_id", list(map(str, topics)))
        dicts.check_ids("qrels", "doc_id", docs)
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
        out._row_offsets = np.append(starts, len(order)).astype(np.int64)
        if len(starts) < len(order):
            warn_of_contradiction(columns, order, starts, relevance, out.place)
        return out

    # -- parts of them, and more ------------------------------------------------------------------------

    def where(self, keep: Bools, keep_topics: bool = False) -> Judgments:
        """Return the judgments of some of the documents, as if the rows of all others had been removed before reading.

        Rows without a document, which declare a subtopic, stay. Nothing is read again: runs that are joined with these
        judgments are scored with the result by :meth:`irmx.Join.with_judgments`.

        Parameters
        ----------
        keep : bool array
            Whether to keep each document, in the order of ``docs``.
        keep_topics : bool
            Whether topics that lose all their rows stay, with nothing judged, so that means are still over the same topics. By
            default they disappear, as from a file.

        Raises
        ------
        ValueError
            If ``keep`` is anything but one truth value per document.

        Examples
        --------
        >>> import irmx
        >>> judgments = irmx.read_qrels({"p": {"a": 1, "b": 0}, "q": {"c": 2}})
        >>> relevant = judgments.where(judgments.grade >= 1)
        >>> relevant, relevant.as_dict()
        (<Judgments: 2 topics, 2 documents>, {'p': {'a': 1}, 'q': {'c': 2}})
        >>> judgments.where(judgments.grade <= 1).as_dict()
        {'p': {'a': 1, 'b': 0}}
        >>> judgments.where(judgments.grade <= 1, keep_topics=True).as_dict()
        {'p': {'a': 1, 'b': 0}, 'q': {}}
        """
        keep = np.asarray(keep, dtype=None if len(self) else bool)
        if keep.shape != (len(self),) or keep.dtype != bool:
            raise ValueError(
                f"Judgments.where takes one truth value per judged document, the shape ({len(self)},). "
                f"Got the shape {keep.shape}{'' if keep.dtype == bool else f', of {keep.dtype}'}."
            )
        return self.select(Selection.of_documents(self, keep, keep_topics))

    def with_rows(self, rows: Mapping[Any, Mapping[str, float]]) -> Judgments:
        """Return the judgments with further rows, as if these had been appended to the qrels before reading.

        A document that is judged already has the larger of its grades. The rows have no value in other columns. Runs that are
        joined with these judgments are scored with the result by :meth:`irmx.Join.with_judgments`.

        Parameters
        ----------
        rows : dict of dict
            The grades, as ``{query_id: {doc_id: grade}}``.

        Raises
        ------
        ValueError
            If these judgments lack one of the topics.
        irmx.errors.DataError
            If a grade is not a finite number, or an id not a text.

        Examples
        --------
        >>> import irmx
        >>> judgments = irmx.read_qrels({"p": {"a": 1, "b": 0}, "q": {"c": 2}})
        >>> judgments.with_rows({"p": {"x": 1, "b": 1}}).as_dict()
        {'p': {'a': 1, 'b': 1, 'x': 1}, 'q': {'c': 2}}
        """
        return self.select(Selection.of_rows(self, Judgments.from_dict(rows)))

    def select(self, selection: Selection) -> Judgments:
        """Return the judgments that a selection of these describes, which share the table and its columns."""
        topics = [self.topics[t] for t in selection.topic.tolist()]
        docs = SelectedTexts(self.docs, selection.doc, selection.further)
        out = Judgments(topics, selection.offsets, docs, selection.grade, self.origin)
        out.selection, out.all_rows = selection, selection.all_rows
        out._table, out._labels, out._numbers = self._table, self._labels, self._numbers
        out._added_rows = self._added_rows + len(selection.added)
        out.row_grade = np.append(self.row_grade, selection.added) if len(selection.added) else self.row_grade
        return out

    # -- what a join needs -------------------------------------------------------------------------------

    def sought(self, rel: float | None) -> Sought:
        """Return the documents to look up in a run: those of at least the grade ``rel``, or all if it is None."""
        if rel not in self._sought:
            where = np.arange(len(self.grade)) if rel is None else np.flatnonzero(self.grade >= rel)
            self._sought[rel] = Sought(np.searchsorted(where, self.offsets), where, self.docs)
        return self._sought[rel]

    def sought_further(self) -> Sought:
        """Return the documents to look up in a run that these judgments have, and those that they are made of lack.

        They are numbered among themselves.
        """
        assert self.selection is not None
        further = self.selection.further_documents
        return Sought(np.searchsorted(further, self.offsets), np.arange(len(further)), self.selection.further())

    # -- what measures need ------------------------------------------------------------------------------

    def column(self, name: str) -> Array | None:
        """Return a qrels column over the rows as given, None if the table lacks it."""
        if self._table is None:
            return None
        columns = tables.Columns("qrels", self._table)
        if name not in columns:
            return None
        values = columns.values(name)
        return read_only(self._with_added(values, np.nan if values.dtype.kind == "f" else None))

    def labels(self, name: str) -> tuple[Ints, tuple[Any, ...]] | None:
        """Return, over the rows as given, the number of each label, -1 if missing, and the labels; None without the column."""
        if self._table is None:
            return None
        columns = tables.Columns("qrels", self._table)
        if name not in columns:
            return None
        if name not in self._labels:
            self._labels[name] = shared(columns.labels(name))
        number, names = self._labels[name]
        return self._with_added(number, -1), names

    def numbers(self, column: Column) -> Floats | None:
        """Return an extra column of finite numbers over the rows as given; None if the table lacks it."""
        if self._table is None:
            return None
        if column not in self._numbers:
            self._numbers[column] = shared(numbers(self._table, column, self.origin))
        values = self._numbers[column]
        return None if values is None else self._with_added(values, np.nan)

    def _with_added(self, values: Array, nothing: float | None) -> Array:
        """Return values of the rows of the table, followed by those of added rows, which have none."""
        return np.append(values, np.full(self._added_rows, nothing)) if self._added_rows else values

    @cached_property
    def row_grade(self) -> Floats:
        """The grade of every row as given."""
        relevance = self.column("relevance")
        return self.grade if relevance is None else relevance

    def memo(self, topics: Ints, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value that is computed once for a set of topics, whatever the run; only the last set is kept."""
        memo = self._memo
        if memo[0] != topics.tobytes():
            self._memo = memo = (topics.tobytes(), {})
        values = memo[1]  # not of self._memo, which another thread may have replaced by that of its topics
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
        if self._table is None or self._row_order is None or self._row_offsets is None:
            every = np.arange(len(self.grade))
            return self.offsets, every, every
        topic, topics = tables.Columns("qrels", self._table).topics()
        doc = np.full(len(topic), -1, dtype=np.int64)
        doc[self._row_order] = segment_of(self._row_offsets)
        by_topic = np.argsort(topic, kind="stable")
        return offsets_of(np.bincount(topic, minlength=len(topics))), by_topic, doc[by_topic]

    @cached_property
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
        of_table = [row for row in rows if row < len(self.row_grade) - self._added_rows]
        return self.origin.place(of_table) if of_table or not len(rows) else ""

    def __len__(self) -> int:
        return len(self.grade)

    def __repr__(self) -> str:
        source = self.origin.source or self.origin.dataset_id
        size = f"{counted(len(self.topics), 'topic')}, {counted(len(self), 'document')}"
        return (
            f"<Judgments: {size}{source and ', '}{visible(os.path.basename(source) if self.origin.source else source)}>"
        )

    def _repr_html_(self) -> str:
        grades, documents = np.unique(self.grade, return_counts=True)
        rows = [{"grade": _plain(g), "documents": n} for g, n in zip(grades.tolist(), documents.tolist(), strict=True)]
        return html_result(f"{self!r}; columns: {', '.join(self.columns)}", {"documents by grade": rows})

    def __iter__(self) -> Iterator[ir_measures.Qrel]:
        topics, docs = list(map(str, self.topics)), ["", *self.docs]
        topic, row, doc = self.rows_as_given()
        iteration = self.labels("iteration")
        label = np.full(len(row), -1) if iteration is None else iteration[0][row]
        names = ("0",) if iteration is None else (*map(str, iteration[1]), "")
        columns = (values.tolist() for values in (topic, doc + 1, self.row_grade[row], label))
        for t, d, grade, i in zip(*columns, strict=True):
            yield ir_measures.Qrel(topics[t], docs[d], _plain(grade), names[i])

    def rows_as_given(self) -> tuple[Ints, Ints, Ints]:
        """Return the topic, the number and the document of all rows, in the order given."""
        ends, row, doc = self.all_rows
        order = np.argsort(row, kind="stable")
        return segment_of(ends)[order], row[order], doc[order]

    def rows_of_subtopics(self) -> list[ir_measures.Qrel]:
        """Return the rows that have a document, in the order given.

        Of rows with the same topic, iteration and document, only the one with the largest grade is returned; tools that read
        such rows would use the last of them. An added row that is relevant is an error: it has no subtopic, and tools would
        take that for one of its own.
        """
        topic, row, doc = self.rows_as_given()
        label = self.labels("iteration")
        relevant = (row >= len(self.row_grade) - self._added_rows) & (self.row_grade[row] > 0)
        if label is not None and relevant.any():
            first = int(np.argmax(relevant))
            raise DataError(
                f"The qrels column 'iteration' has no value for query {self.topics[topic[first]]}, document "
                f"{self.docs[doc[first]]!r}."
            )
        key = doc if label is None else doc * np.int64(len(label[1]) + 1) + label[0][row]
        by_key = np.lexsort((self.row_grade[row], key))
        largest = by_key[np.diff(key[by_key], append=-len(key) - 2) != 0]
        keep = np.zeros(len(row), dtype=bool)
        keep[largest] = True
        return [qrel for qrel in compress(self, keep.tolist()) if qrel.doc_id]

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
