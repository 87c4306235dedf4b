"""Judgments: qrels from any source as columns, converted once, and judgments that are made of others."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, TypeVar, cast

import ir_measures
import numpy as np

from irmx.data.sources import JudgedIds, SourceColumns, check_texts, numbers_of_dict, topics_of_dict
from irmx.data.table import (
    GRADE,
    PROGRAM,
    Fingerprints,
    Source,
    Table,
    as_number,
    byte_offsets,
    first_of_each,
    from_ints,
    from_texts,
)
from irmx.declare.columns import ITERATION, RELEVANCE, REQUIRED, vocabulary
from irmx.declare.described import html_result
from irmx.errors import DataError, DataWarning
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
    sorted_in_segments,
)

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")


class AllTopicsError(DataError):
    """Judgments of some topics are not enough for a measure."""


class Judgments(SourceColumns):
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
    docs : list of str
        The ids of the judged documents of all topics.
    grade : float array
        Their grades.
    table : Table or None
        The table that they were made of, None for a dict.
    source : Source
        Where they came from, for messages.
    base : Judgments or None
        For judgments that are made of others, such as those that :meth:`where` returns: the others.
    of_some_topics : bool
        Whether these are a part of qrels whose other topics are elsewhere, so that there is no largest grade.
    """

    KIND = "qrels"

    def __init__(self, topics: list[Any], offsets: Ints, grade: Floats, source: Source = PROGRAM) -> None:
        super().__init__(topics, source)
        self.index = {str(t): i for i, t in enumerate(topics)}
        self.offsets, self.grade = read_only(offsets), read_only(grade)
        self.base: Judgments | None = None
        self.base_topic: Ints = np.arange(len(topics))
        self.base_doc: Ints = np.empty(0, dtype=np.int64)
        self.of_some_topics = False
        self._wider: Judgments | None = None  # which have the largest grade, if these do not
        self._further: Callable[[], Sequence[str]] = list
        self._added = 0  # rows that follow those of the table
        self._ids: pa.Array = None
        self._rows: tuple[Ints, Ints] | None = None
        self._candidates: dict[Any, Any] = {}
        self._memo: tuple[bytes, dict[Hashable, Any]] = (b"", {})

    @classmethod
    def from_dict(cls, data: Mapping[Any, Mapping[str, float]], grades: Mapping[Any, float] | None = None) -> Judgments:
        """Return the judgments of ``{query_id: {doc_id: grade}}``; ``grades`` says what each grade stands for."""
        data = topics_of_dict("qrels", data)
        if grades is not None:
            cells: dict[str, list[Any]] = {
                "query_id": [str(query_id) for query_id, docs in data.items() for _ in docs],
                "doc_id": list(chain.from_iterable(data.values())),
                "relevance": [grade for docs in data.values() for grade in docs.values()],
            }
            return cls.from_table(Table("qrels", cells, len(cells["relevance"]), topics=list(map(str, data))), grades)
        out = cls(
            list(data),
            offsets_of([len(docs) for docs in data.values()]),
            numbers_of_dict("qrels", "relevance", data, GRADE),
        )
        out.docs = list(chain.from_iterable(data.values()))
        check_texts("qrels", "doc_id", out.docs)
        return out

    @classmethod
    def from_table(cls, table: Table, grades: Mapping[Any, float] | None = None) -> Judgments:
        """Return the judgments of a table whose columns have the vocabulary's names; ``grades`` says what each grade stands for."""
        table.require("qrels", REQUIRED["qrels"])
        topic, topics = table.codes("query_id")
        relevance = table.numbers("relevance", GRADE, truth=True) if grades is None else _mapped(table, grades)
        ids = table.ids("doc_id", empty=True)
        empty = np.diff(byte_offsets(ids)[0]) == 0
        if empty.any():
            _refuse_undeclared(table, np.flatnonzero(empty))
        prints = Fingerprints.of(ids)
        first = first_of_each(topic, prints, ids)
        order = np.argsort(topic * np.int64(len(topic) + 1) + first, kind="stable")
        order = order[~empty[order]]
        starts = np.flatnonzero(np.diff(first[order], prepend=-1))
        grade = np.maximum.reduceat(relevance[order], starts) if len(starts) else np.empty(0)
        out = cls(topics, offsets_of(np.bincount(topic[order][starts], minlength=len(topics))), grade, table.source)
        out.table, out.row_grade, out._rows = table, read_only(relevance), (order, np.append(starts, len(order)))
        out._ids, out._prints = ids, prints
        table.release("relevance")
        table.release("doc_id", ids)
        if len(starts) < len(order):
            _warn_of_contradiction(table, order, starts, relevance)
        return out

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: nothing that was only kept to be found again."""
        state = {**self.__dict__, "_candidates": {}, "_memo": (b"", {})}
        for found in ("_every", "_prints"):
            state.pop(found, None)
        if self.table is not None:
            state.pop("docs", None)
        return state

    # -- documents ---------------------------------------------------------------------------------------

    @cached_property
    def docs(self) -> list[str]:
        """The ids of the judged documents of all topics."""
        if self.base is None:
            return [] if self._ids is None else self.docs_at(np.arange(len(self)))
        ids = [*self.base.docs, *self._further()]
        return [ids[i] for i in self.base_doc.tolist()]

    def docs_at(self, doc: Ints) -> list[str]:
        """Return the ids of some of the judged documents."""
        if self._rows is not None:
            return list(self._ids.take(from_ints(self._row_of(doc))).to_pylist())
        docs = self.docs
        return [docs[i] for i in doc.tolist()]

    def _row_of(self, doc: Ints) -> Ints:
        """Return the first rows of documents, those of ``_ids``."""
        return doc if self._rows is None else self._rows[0][self._rows[1][doc]]

    @cached_property
    def _prints(self) -> Fingerprints:
        """The fingerprints of ``_ids``."""
        return Fingerprints.of(self._ids)

    def candidates(self, rel: float | None) -> tuple[Ints, Ints]:
        """Return the documents of at least the grade ``rel`` (None: all), and where those of each topic start and end."""
        if rel is None:
            return self._every, self.offsets
        doc = np.flatnonzero(self.grade >= rel)
        return doc, self.starts_of(doc)

    @cached_property
    def _every(self) -> Ints:
        return read_only(np.arange(len(self)))

    def documents_of(self, topics: Ints) -> tuple[Ints, Ints]:
        """Return the offsets and the documents of some topics, topic by topic."""
        lengths = self.offsets[topics + 1] - self.offsets[topics]
        ends = offsets_of(lengths)
        return ends, np.repeat(self.offsets[topics], lengths) + position_in_segment(ends)

    def starts_of(self, doc: Ints) -> Ints:
        """Return where those of each topic start and end among some documents, in ascending order."""
        return np.searchsorted(doc, self.offsets)

    def names_of(self, doc: Ints, key: Any) -> list[str]:
        """Return the ids of some documents, kept under a key."""
        if ("names", key) not in self._candidates:
            chosen = np.zeros(len(self), dtype=bool)
            chosen[doc] = True
            self._candidates["names", key] = list(compress(self.docs, chosen.tolist()))
        return cast("list[str]", self._candidates["names", key])

    def ids_of(self, doc: Ints, key: Any) -> JudgedIds:
        """Return some documents, to be found in runs by their ids; kept under a key."""
        if ("ids", key) not in self._candidates:
            if self._ids is None:
                self._ids = from_texts(self.docs)
            topic = np.searchsorted(self.offsets, doc, side="right") - 1
            self._candidates["ids", key] = JudgedIds(self._ids, self._prints, self._row_of(doc), topic)
        return cast(JudgedIds, self._candidates["ids", key])

    # -- parts of them, and more -------------------------------------------------------------------------

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
        doc, (ends, row, doc_of_row) = np.flatnonzero(keep), self.all_rows
        position = np.full(len(self) + 1, -1, dtype=np.int64)  # the last stands for no document, whose position is -1
        position[doc] = np.arange(len(doc))
        stays = (doc_of_row < 0) | (position[doc_of_row] >= 0)
        rows_left = segment_count(stays, ends)
        topic = np.flatnonzero((rows_left > 0) | (np.diff(ends) == 0) | keep_topics)
        all_rows = offsets_of(rows_left[topic]), row[stays], position[doc_of_row[stays]]
        return self._view(topic, offsets_of(segment_count(keep, self.offsets)[topic]), doc, self.grade[doc], all_rows)

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
        more = Judgments.from_dict(rows)
        unknown = [topic for topic in more.index if topic not in self.index]
        if unknown:
            raise ValueError(f"The judgments have no topic {unknown[0]!r}, so that no row can be added to it.")
        topic = np.array([self.index[topic] for topic in more.index], dtype=np.int64)
        doc: list[int] = []
        for t, a, b in zip(topic.tolist(), more.offsets[:-1].tolist(), more.offsets[1:].tolist(), strict=True):
            start, end = self.offsets[t : t + 2].tolist()
            position = dict(zip(self.docs[start:end], range(start, end), strict=True))
            doc += [position.get(doc_id, -1) for doc_id in more.docs[a:b]]
        topic_of_row, doc_of_row = topic[segment_of(more.offsets)], np.array(doc, dtype=np.int64)
        order = np.argsort(topic_of_row, kind="stable")
        new = order[doc_of_row[order] < 0].tolist()
        return self.with_added(
            topic_of_row[order], doc_of_row[order], lambda: [more.docs[i] for i in new], more.grade[order]
        )

    def with_added(self, topic: Ints, doc: Ints, ids: Callable[[], Sequence[str]], grade: float | Floats) -> Judgments:
        """Return all of these and added rows.

        Given are the topic of each row, in ascending order, its document (-1 for one that is not judged, which has one row), a
        function that returns the ids of the latter, and the grade.
        """
        new = doc < 0
        further = offsets_of(np.bincount(topic[new], minlength=len(self.topics)))
        # further documents follow those of their topic
        known = np.arange(len(self)) + further[segment_of(self.offsets)]
        of_added = np.empty(len(doc), dtype=np.int64)
        of_added[new] = self.offsets[topic[new] + 1] + np.arange(further[-1])
        of_added[~new] = known[doc[~new]]
        base_doc = np.empty(len(self) + int(further[-1]), dtype=np.int64)
        base_doc[known], base_doc[of_added[new]] = np.arange(len(self)), len(self) + np.arange(further[-1])
        grades = np.full(len(base_doc), -np.inf)
        grades[known] = self.grade
        grades[of_added] = np.maximum(grades[of_added], grade)

        ends, row, doc_of_row = self.all_rows
        topic_of_row = np.concatenate([segment_of(ends), topic])
        by_topic = np.argsort(topic_of_row, kind="stable")
        row = np.append(row, len(self.row_grade) + np.arange(len(doc)))
        doc_of_row = np.append(np.append(known, -1)[doc_of_row], of_added)
        row_ends = offsets_of(np.bincount(topic_of_row, minlength=len(self.topics)))
        all_rows = row_ends, row[by_topic], doc_of_row[by_topic]
        out = self._view(np.arange(len(self.topics)), self.offsets + further, base_doc, grades, all_rows)
        out._further, out._added = ids, self._added + len(doc)
        out.row_grade = np.append(self.row_grade, np.broadcast_to(grade, len(doc)).astype(np.float64))
        return out

    def of_subtopics(self, topic: Ints, subtopic: Ints, count: int, row: Ints, doc: Ints, grade: Floats) -> Judgments:
        """Return judgments whose topics are subtopics; the largest grade is still that of all topics of the qrels.

        Given are the topic, the subtopic (-1 for none), the number, the document and the grade of each of some rows.
        """
        chosen = np.flatnonzero(subtopic >= 0)
        chosen = chosen[np.argsort(subtopic[chosen], kind="stable")]
        of_row, doc = subtopic[chosen], doc[chosen]
        topic_of_subtopic = np.zeros(count, dtype=np.int64)
        topic_of_subtopic[of_row] = topic[chosen]
        holds = np.flatnonzero(doc >= 0)
        size = int(doc.max(initial=0)) + 1
        key, which = np.unique(of_row[holds] * size + doc[holds], return_inverse=True)
        grades = np.full(len(key), -np.inf)
        np.maximum.at(grades, which, grade[chosen[holds]])
        doc_of_row = np.full(len(chosen), -1, dtype=np.int64)
        doc_of_row[holds] = which
        all_rows = offsets_of(np.bincount(of_row, minlength=count)), row[chosen], doc_of_row
        ends = offsets_of(np.bincount(key // size, minlength=count))
        out = self._view(topic_of_subtopic, ends, key % size, grades, all_rows)
        out._wider = self
        return out

    def _view(
        self, topic: Ints, offsets: Ints, doc: Ints, grade: Floats, all_rows: tuple[Ints, Ints, Ints]
    ) -> Judgments:
        """Return judgments made of these, whose table and columns they share; several documents may stem from one."""
        out = Judgments([self.topics[t] for t in topic.tolist()], offsets, grade, self.source)
        out.base, out.base_topic, out.base_doc, out.all_rows = self, topic, doc, all_rows
        out.table, out._labels, out._numbers = self.table, self._labels, self._numbers
        out._added, out.row_grade, out.of_some_topics = self._added, self.row_grade, self.of_some_topics
        return out

    def of_base(self, doc: Ints) -> tuple[Ints, Ints]:
        """Return every pair of an index of ``doc``, documents of the base, and a document here that stems from it."""
        order, starts = self._by_base
        first = starts[doc]
        count = starts[doc + 1] - first
        if count.max(initial=0) <= 1:
            index = np.flatnonzero(count)
            return index, order[first[index]]
        place = position_in_segment(offsets_of(count))
        return np.repeat(np.arange(len(doc)), count), order[np.repeat(first, count) + place]

    @cached_property
    def _by_base(self) -> tuple[Ints, Ints]:
        """The documents in the order of the base, and where those of each document of the base start."""
        order = np.argsort(self.base_doc, kind="stable")
        return order, np.searchsorted(self.base_doc[order], np.arange(len(self.base or ()) + 1))

    # -- what measures need ------------------------------------------------------------------------------

    def _main_numbers(self) -> Floats:
        return self.row_grade

    def _over_rows(self, values: Array, nothing: float | None) -> Array:
        return np.append(values, np.full(self._added, nothing)) if self._added else values

    def _rows_of_table(self, rows: Sequence[int]) -> list[int]:
        return [row for row in rows if row < len(self.row_grade) - self._added]

    @cached_property
    def row_grade(self) -> Floats:
        """The grade of every row as given."""
        return self.grade

    def memo(self, topics: Ints, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value that is computed once for a set of topics, whatever the run; only the last set is kept."""
        memo = self._memo
        if memo[0] != topics.tobytes():
            self._memo = memo = (topics.tobytes(), {})
        values = memo[1]  # not of self._memo, which another thread may have replaced by that of its topics
        if key not in values:
            values[key] = make()
        return cast(T, values[key])

    def grades_of(self, topics: Ints, smallest: float) -> tuple[Ints, Floats]:
        """Return the offsets and the grades, largest first, of some topics; grades below ``smallest`` are left out."""

        def grades() -> tuple[Ints, Floats]:
            ends, doc = self.documents_of(topics)
            ascending = sorted_in_segments(-self.grade[doc], ends)
            keep = ascending <= -smallest
            return offsets_of(segment_count(keep, ends)), -ascending[keep]

        return self.memo(topics, ("grades", smallest), grades)

    def without_relevant(self, rel: float | None) -> Bools:
        """Return, for every topic, whether it has no document of grade ``rel``, 1 by default, or more."""
        if ("without relevant", rel) not in self._candidates:
            is_relevant = self.grade >= (1 if rel is None else rel)
            self._candidates["without relevant", rel] = read_only(np.equal(segment_count(is_relevant, self.offsets), 0))
        return cast(Bools, self._candidates["without relevant", rel])

    @cached_property
    def largest_grade(self) -> float:
        """The largest grade of any document of any topic; 0 if no grade is positive.

        Raises
        ------
        irmx.errors.DataError
            If these are ``of_some_topics`` only.
        """
        if self.of_some_topics:
            raise AllTopicsError(
                "the largest grade of all topics matters, and only the qrels of some are here. Give the qrels of all topics."
            )
        return float(self.grade.max(initial=0)) if self._wider is None else self._wider.largest_grade

    @cached_property
    def has_negative(self) -> bool:
        """Whether some grade is negative, which in TREC qrels means not judged."""
        return bool(np.any(self.grade < 0))

    @cached_property
    def all_rows(self) -> tuple[Ints, Ints, Ints]:
        """All rows by topic: the offsets of the topics, the row as given, its position in ``docs`` (-1: no ``doc_id``)."""
        if self.table is None or self._rows is None:
            every = np.arange(len(self))
            return self.offsets, every, every
        topic, topics = self.table.codes("query_id")
        doc = np.full(len(topic), -1, dtype=np.int64)
        doc[self._rows[0]] = segment_of(self._rows[1])
        by_topic = np.argsort(topic, kind="stable")
        return offsets_of(np.bincount(topic, minlength=len(topics))), by_topic, doc[by_topic]

    def __len__(self) -> int:
        return len(self.grade)

    def _repr_html_(self) -> str:
        grades, documents = np.unique(self.grade, return_counts=True)
        rows = [{"grade": _plain(g), "documents": n} for g, n in zip(grades.tolist(), documents.tolist(), strict=True)]
        return html_result(f"{self!r}; columns: {', '.join(self.columns)}", {"documents by grade": rows})

    # -- as tools in Python and C read them ---------------------------------------------------------------

    def __iter__(self) -> Iterator[ir_measures.Qrel]:
        topics, docs = list(map(str, self.topics)), ["", *self.docs]
        topic, row, doc = self.rows_in_order()
        iteration = self.labels(ITERATION)
        label = np.full(len(row), -1) if iteration is None else iteration[0][row]
        names = ("0",) if iteration is None else (*map(str, iteration[1]), "")
        columns = (values.tolist() for values in (topic, doc + 1, self.row_grade[row], label))
        for t, d, grade, i in zip(*columns, strict=True):
            yield ir_measures.Qrel(topics[t], docs[d], _plain(grade), names[i])

    def rows_in_order(self) -> tuple[Ints, Ints, Ints]:
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
        topic, row, doc = self.rows_in_order()
        label = self.labels(ITERATION)
        relevant = (row >= len(self.row_grade) - self._added) & (self.row_grade[row] > 0)
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
        docs, grades, ends = self.docs, [_plain(g) for g in self.grade.tolist()], self.offsets.tolist()
        return {
            str(t): dict(zip(docs[a:b], grades[a:b], strict=True))
            for t, a, b in zip(self.topics, ends, ends[1:], strict=False)
        }


def _plain(grade: float) -> Any:
    """Return a whole-number grade as an int, as tools written in C require, and any other grade as a float."""
    return int(grade) if grade.is_integer() else grade


def _labels_of_rows(table: Table) -> Iterator[Ints]:
    """Yield the number of each row's label, -1 for none, for every column of labels that the table has."""
    for column in vocabulary():
        is_label = column.table == "qrels" and column.dtype == "str" and column.name not in REQUIRED["qrels"]
        if is_label and column.name in table:
            yield table.labels(column)[0]


def _mapped(table: Table, grades: Mapping[Any, float]) -> Floats:
    """Return the grades that those of a table stand for."""
    codes, found = table.labels(RELEVANCE)
    known = {_number_or_text(grade): float(new) for grade, new in grades.items()}
    labels = list(map(_number_or_text, found))
    new = [known.get(grade, grade if not isinstance(grade, str) and grade < 0 else None) for grade in labels]
    out = np.array([*(math.nan if grade is None else grade for grade in new), math.nan])[codes]
    for row in np.flatnonzero(np.isnan(out))[:1].tolist():
        shown = "missing" if codes[row] < 0 else f"{found[codes[row]]}, which is not mapped"
        of_all = ", ".join(str(grade) for grade in found)
        table.refuse(row, f"the relevance is {shown}. Map all of its grades: {of_all}.")
    return out


def _number_or_text(grade: Any) -> Any:
    number = as_number(grade)
    return grade if number is None else number


def _refuse_undeclared(table: Table, rows: Ints) -> None:
    """Raise if a row has neither a document nor a label, such as a subtopic, that it declares."""
    for number in _labels_of_rows(table):
        rows = rows[number[rows] < 0]
    if len(rows):
        code, topics = table.codes("query_id")
        topic = topics[int(code[rows[0]])]
        table.refuse(
            int(rows[0]),
            f"the doc_id of a row of query {topic} is missing, and the row declares no subtopic or other label.",
        )


def _warn_of_contradiction(table: Table, order: Ints, starts: Ints, grade: Floats) -> None:
    """Warn about rows of one document and one subtopic with different grades, naming the first two.

    Rows of one document that differ in a column of labels belong to different subtopics or other parts, and do not contradict
    each other. ``order`` has the rows by topic and document, ``starts`` where those of each document start in it.
    """
    document = segment_of(np.append(starts, len(order)))
    parts = np.stack([*(number[order] for number in _labels_of_rows(table)), document])
    by_part = np.lexsort((order, *parts))
    parts, rows, grades = parts[:, by_part], order[by_part], grade[order[by_part]]
    odd = np.flatnonzero((parts[:, 1:] == parts[:, :-1]).all(axis=0) & (grades[1:] != grades[:-1]))
    if not len(odd):
        return
    at = int(odd[np.argmin(rows[odd + 1])])
    first, second = rows[at : at + 2].tolist()
    query = table.codes("query_id")
    doc = table.ids("doc_id", empty=True)[second].as_py()
    more = len(np.unique(parts[-1, odd])) - 1
    warnings.warn(
        f"{table.place([first, second])}: the grades {grade[first]:g} and {grade[second]:g} of document "
        f"{doc!r} for query {str(query[1][query[0][second]])!r} contradict each other"
        f"{f', and so do those of {more} more' if more else ''}; the largest grade of a document counts.",
        DataWarning,
        stacklevel=2,
    )
