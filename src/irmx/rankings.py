"""What a measure sees: the ranks and grades of judged documents, of all topics or of one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from irmx.columns import Column
from irmx.errors import DataError
from irmx.joining import Hits, Join
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, segment_count, segment_of
from irmx.rows import QrelsRows, RunRows, matching_rows, qrels_rows, run_rows

T = TypeVar("T")


@dataclass(frozen=True)
class Documents:
    """Judged documents of the rankings, as ragged arrays; within a topic by rank.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Which documents belong to a topic.
    rank : int array, shape (documents,)
        Their ranks, from 1.
    grade : float array, shape (documents,)
        Their grades.
    hit : int array, shape (documents,)
        Their numbers among the hits of the join.
    hits : Hits
        Those hits.
    """

    offsets: Ints
    rank: Ints
    grade: Floats
    hit: Ints
    hits: Hits

    @property
    def doc(self) -> Ints:
        """The place of each in the documents of the judgments."""
        doc: Ints = self.hits.doc[self.hit]
        return doc

    @cached_property
    def topic(self) -> Ints:
        """The number of each document's topic."""
        return segment_of(self.offsets)

    @cached_property
    def ordinal(self) -> Ints:
        """The place of each document among those of its topic, from 1."""
        return position_in_segment(self.offsets) + 1

    @property
    def count(self) -> Ints:
        """The number of documents of every topic."""
        return np.diff(self.offsets)

    def where(self, keep: Array) -> Documents:
        """Return the documents for which ``keep`` is true."""
        offsets = offsets_of(segment_count(keep, self.offsets))
        return Documents(offsets, self.rank[keep], self.grade[keep], self.hit[keep], self.hits)


class Rankings:
    """The rankings of one run over all topics that the run and the qrels both have.

    The common parameters are carried out: ranks are those after ``judged_only`` and ``ties``, documents
    below ``cutoff`` are gone, ``relevant`` are those of grade ``rel`` or more.

    Attributes
    ----------
    topics : list
        The query ids.
    depth : int array, shape (topics,)
        T, the number of documents in each ranking.
    judged : Documents
        The judged documents retrieved. A negative grade means not judged, as in trec_eval.
    relevant : Documents
        The relevant documents retrieved.
    recall_base : int array, shape (topics,)
        RB, the number of relevant judged documents, retrieved or not.
    judged_nonrelevant : int array, shape (topics,)
        NRB, the number of judged documents that are not relevant, retrieved or not.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 2}}
    >>> run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0, "c": 0.5}}
    >>> rankings = irmx.join(qrels, run)
    >>> rankings.relevant.rank, rankings.precision, rankings.recall_base
    (array([1, 4]), array([1. , 0.5]), array([2]))
    """

    def __init__(
        self, join: Join, rel: float = 1, cutoff: int | None = None, judged_only: bool = False, ties: str = "trec"
    ) -> None:
        self._join = join
        self.rel, self.cutoff, self.judged_only, self.ties = rel, cutoff, judged_only, ties
        self.topics = join.topics
        self.depth = self.judged.count if judged_only else join.depth
        if cutoff is not None:
            self.depth = np.minimum(self.depth, cutoff)

    @cached_property
    def judged(self) -> Documents:
        negative = self._join.memo("negative", lambda: self._join.judgments.has_negative)
        documents = self._documents(min(0, self.rel) if negative else None)
        if self.judged_only:
            documents = replace(documents, rank=documents.ordinal)
        return self._within_cutoff(documents)

    @cached_property
    def relevant(self) -> Documents:
        if self.judged_only:
            return self.judged.where(self.judged.grade >= self.rel)
        return self._within_cutoff(self._documents(self.rel))

    def _documents(self, rel: float | None) -> Documents:
        hits = self._join.hits(rel, self.ties)
        grade = self._join.judgments.grade[hits.doc]
        return Documents(hits.offsets, hits.rank, grade, np.arange(len(hits.rank)), hits)

    def _within_cutoff(self, documents: Documents) -> Documents:
        return documents if self.cutoff is None else documents.where(documents.rank <= self.cutoff)

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[Ranking]:
        return (Ranking(self, i) for i in range(len(self)))

    @cached_property
    def precision(self) -> Floats:
        """The precision at the rank of each relevant document: Prec(n) for n in R."""
        return self.relevant.ordinal / self.relevant.rank

    @cached_property
    def recall_base(self) -> Ints:
        return self._join.per_topic(self._counts[0])

    @cached_property
    def judged_nonrelevant(self) -> Ints:
        return self._join.per_topic(self._counts[1])

    @property
    def _counts(self) -> tuple[Ints, Ints]:
        """Relevant and judged non-relevant documents per topic of the judgments."""
        judgments = self._join.judgments

        def count() -> tuple[Ints, Ints]:
            relevant = segment_count(judgments.grade >= self.rel, judgments.offsets)
            return relevant, segment_count(judgments.grade >= min(0, self.rel), judgments.offsets) - relevant

        return self._join.memo(("counts", self.rel), count)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once for these rankings; measures of one family share work by it."""
        view = (self.rel, self.cutoff, self.judged_only, self.ties)
        return self._join.memo((view, key), make)

    # -- columns -----------------------------------------------------------------------------------------

    def run_column(self, column: Column, documents: Documents | None = None) -> Array:
        """Return a run column over ``relevant``, or over other documents of these rankings, such as ``judged``.

        Raises
        ------
        irmx.errors.DataError
            Where the run lacks the column, or a document lacks its value.
        """
        documents = self.relevant if documents is None else documents
        values = self._run_values(column)[documents.hits.rows()[documents.hit]]
        _refuse_texts(column, values)
        lacking = np.flatnonzero(_missing(values))
        if len(lacking):
            i = int(lacking[0])
            raise self._no_value(column, documents.topic[i], self.doc_ids(documents)[i], documents.rank[i])
        return values

    def ranked_column(self, column: Column) -> Array:
        """Return a run column over all documents of all rankings, judged or not, best first; ``depth`` of each topic.

        Raises
        ------
        irmx.errors.DataError
            Where the run lacks the column, or a document lacks its value.
        """
        values = self._run_values(column)[self._ranked_rows()]
        _refuse_texts(column, values)
        lacking = np.flatnonzero(_missing(values))
        if len(lacking):
            ends = offsets_of(self.depth)
            topic = int(np.searchsorted(ends, lacking[0], side="right")) - 1
            place = int(lacking[0] - ends[topic])
            raise self._no_value(column, topic, self.ranked_docs(topic)[place], place + 1)
        return values

    def _run_values(self, column: Column) -> Array:
        values = self._join.run.column(column.name)
        if values is None:
            raise DataError(missing_column(column, self._join.run.columns))
        return values

    def _ranked_rows(self) -> Ints:
        """Return the rows of the run, topic by topic, best first."""
        if self.judged_only:
            rows: Ints = self.judged.hits.rows()[self.judged.hit]
            return rows
        starts = [int(self._join.run.offsets[mine]) for mine, _ in self._join.pairs]
        ordered = [a + self._join.order(i, self.ties)[: self.cutoff] for i, a in enumerate(starts)]
        return np.concatenate([*ordered, np.empty(0, dtype=np.int64)])

    def _no_value(self, column: Column, topic: int, doc_id: str, rank: int) -> DataError:
        return DataError(
            f"The run column {column.name!r} has no value for query {self.topics[topic]}, "
            f"document {doc_id!r} at rank {rank}."
        )

    def topic_column(self, column: Column) -> Array:
        """Return a qrels column that has one value per topic, over ``topics``; rows may leave it out, but not all."""
        rows = self.qrels_rows
        values = rows.column(column.name)
        if values is None:
            raise DataError(missing_column(column, self._join.judgments.columns))
        _refuse_texts(column, values)
        there = ~_missing(values)
        out: list[Any] = []
        for query_id, a, b in zip(self.topics, rows.offsets, rows.offsets[1:], strict=False):
            found = set(values[a:b][there[a:b]].tolist())
            if len(found) != 1:
                raise DataError(
                    f"The qrels column {column.name!r} must have one value for query {query_id}. Found {sorted(found)}."
                )
            out += found
        return np.array(out)

    @cached_property
    def qrels_rows(self) -> QrelsRows:
        """All qrels rows of the topics: retrieved or not, and those that declare a subtopic nobody holds."""

        def ranks() -> Ints:
            rank = np.zeros(len(self._join.judgments), dtype=np.int64)
            documents = self.judged if self.judged_only else self._within_cutoff(self._documents(None))
            rank[documents.doc] = documents.rank
            return rank

        return qrels_rows(self._join.judgments, np.array([t for _, t in self._join.pairs], dtype=np.int64), ranks)

    @cached_property
    def run_rows(self) -> RunRows:
        """All rows of the run of the topics, in the order of the run: what a measure of streams reads."""
        return run_rows(self._join)

    def matching_rows(self) -> tuple[Ints, Ints]:
        """Return every pair of a row of ``run_rows`` and a row of ``qrels_rows`` with the same document.

        Examples
        --------
        >>> import irmx, pandas as pd
        >>> nuggets = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["u", "u"], "iteration": ["n1", "n2"], "relevance": [1, 1]})
        >>> irmx.join(nuggets, {"q": {"x": 2.0, "u": 1.0}}).matching_rows()
        (array([1, 1]), array([0, 1]))
        """
        return matching_rows(self._join, self.run_rows, self.qrels_rows)

    def doc_ids(self, documents: Documents) -> list[str]:
        """Return the ids of judged documents."""
        docs = self._join.judgments.docs
        return [docs[i] for i in documents.doc.tolist()]

    def judgment_rows(self) -> tuple[Documents, Callable[[str], Array | None]]:
        """Return the judgment rows of the documents in ``judged``, and a function that gives a qrels column over them.

        A document with several rows, one per subtopic or nugget, stands there once per row, with the
        grade of that row.
        """
        judgments, doc = self._join.judgments, self.judged.doc
        if judgments.row_offsets is None:
            return self.judged, lambda name: None
        starts = judgments.row_offsets[doc]
        lengths = judgments.row_offsets[doc + 1] - starts
        each = np.repeat(np.arange(len(doc)), lengths)
        row = np.repeat(starts, lengths) + position_in_segment(offsets_of(lengths))
        relevance = judgments.column("relevance")
        assert relevance is not None
        offsets = offsets_of(lengths)[self.judged.offsets]
        rows = Documents(offsets, self.judged.rank[each], relevance[row], self.judged.hit[each], self.judged.hits)

        def column(name: str) -> Array | None:
            values = judgments.column(name)
            return None if values is None else values[row]

        return rows, column

    def ranked_docs(self, topic: int) -> list[str]:
        """Return all documents of one topic's ranking, best first."""
        if self.judged_only:
            here = slice(self.judged.offsets[topic], self.judged.offsets[topic + 1])
            names = self._join.judgments.docs
            return [names[i] for i in self.judged.doc[here].tolist()]
        docs = self._join.run.docs(self._join.pairs[topic][0])
        return [docs[i] for i in self._join.order(topic, self.ties)[: self.cutoff].tolist()]


class Ranking:
    """One topic's ranking, for measures that score one topic at a time.

    Attributes
    ----------
    query_id : str
        The topic.
    depth : int
        T, the number of documents in the ranking.
    rank, grade : array
        The ranks and grades of the judged documents retrieved, by rank.
    relevant_rank, relevant_grade, precision : array
        The ranks and grades of the relevant documents retrieved, and the precision there.
    recall_base, judged_nonrelevant : int
        RB and NRB.
    """

    def __init__(self, rankings: Rankings, topic: int) -> None:
        self._rankings, self._topic = rankings, topic
        self.query_id = rankings.topics[topic]
        self.depth = int(rankings.depth[topic])
        judged, relevant = rankings.judged, rankings.relevant
        here = slice(judged.offsets[topic], judged.offsets[topic + 1])
        self.rank, self.grade = judged.rank[here], judged.grade[here]
        self._relevant = here = slice(relevant.offsets[topic], relevant.offsets[topic + 1])
        self.relevant_rank, self.relevant_grade = relevant.rank[here], relevant.grade[here]
        self.precision = rankings.precision[here]
        self.recall_base = int(rankings.recall_base[topic])
        self.judged_nonrelevant = int(rankings.judged_nonrelevant[topic])

    @property
    def docs(self) -> list[str]:
        """All documents, best first."""
        return self._rankings.ranked_docs(self._topic)

    def run_column(self, column: Column) -> Array:
        """Return a run column over the relevant documents."""
        return self._rankings.run_column(column)[self._relevant]

    def ranked_column(self, column: Column) -> Array:
        """Return a run column over all documents, best first."""
        ends = offsets_of(self._rankings.depth)
        return self._rankings.ranked_column(column)[ends[self._topic] : ends[self._topic + 1]]

    def topic_column(self, column: Column) -> Any:
        """Return the topic's value of a qrels column."""
        return self._rankings.topic_column(column)[self._topic]


def _refuse_texts(column: Column, values: Array) -> None:
    """Raise where a column of numbers holds something else."""
    if column.dtype == "float" and values.dtype.kind != "f":
        raise DataError(f"The {column.table} column {column.name!r} must hold numbers. Found {values[0]!r}.")


def _missing(values: Array) -> Array:
    """Tell where a column has no value."""
    return np.asarray(values != values if values.dtype.kind == "f" else values == None)  # noqa: E711


def missing_column(column: Column, there: list[str]) -> str:
    """Return what to say of a column that is not there."""
    unit = f" ({column.unit})" if column.unit else ""
    how = f" To have it, {column.how}." if column.how else ""
    return f"the {column.table} column {column.name!r}, {column.desc}{unit}, is missing; the {column.table} has {', '.join(there)}.{how}"
