"""What a measure sees: the ranks and grades of judged documents, of all topics or of one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from irmx.declare.columns import Column, is_missing, missing_column
from irmx.declare.measures import Measure, common_parameters
from irmx.errors import DataError
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, segment_count, segment_of
from irmx.rank.best_first import RankedDocuments, judged_in_rows, ranked_rows
from irmx.rank.join import Hits, Join
from irmx.rank.per_subtopic import PartsJoin
from irmx.rank.ranking import Ranking
from irmx.rank.rows import QrelsRows, RunRows, matching_rows, qrels_rows, run_rows

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

    def qrels_memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once for the qrels of these topics; for what depends on no run and no parameter but ``key``."""
        return self._join.judgments.memo(self._numbers, key, make)

    @cached_property
    def judged_grades(self) -> tuple[Ints, Floats]:
        """The grades of all judged documents of the topics, retrieved or not, largest first, with the offsets of the topics.

        >>> import irmx
        >>> irmx.join({"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"b": 1.0}}).judged_grades
        (array([0, 3]), array([2., 1., 0.]))
        """
        return self._join.judgments.grades_of(self._numbers, min(0, self.rel))

    @property
    def largest_grade(self) -> float:
        """The largest grade of the qrels, of any topic; 0 where none is above."""
        return self._join.judgments.largest_grade

    @cached_property
    def _numbers(self) -> Ints:
        """The numbers of the topics in the judgments."""
        return np.array([t for _, t in self._join.pairs], dtype=np.int64)

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
        lacking = np.flatnonzero(is_missing(values))
        if len(lacking):
            i = int(lacking[0])
            raise self._no_value(column, documents.topic[i], self.doc_ids(documents)[i], documents.rank[i])
        return values

    def ranked_column(self, column: Column) -> Array:
        """Return a run column over all documents of all rankings, judged or not, best first; errors as ``run_column``."""
        values = self._run_values(column)[self._ranked_rows()]
        lacking = np.flatnonzero(is_missing(values))
        if len(lacking):
            ends = offsets_of(self.depth)
            topic = int(np.searchsorted(ends, lacking[0], side="right")) - 1
            place = int(lacking[0] - ends[topic])
            raise self._no_value(column, topic, self.ranked_docs(topic)[place], place + 1)
        return values

    def refuse_texts(self, column: Column) -> None:
        """Raise where a column of numbers holds texts or an infinity; names the first wrong row, and its line in a file."""
        refuse = self._join.run.refuse_texts if column.table == "run" else self._join.judgments.refuse_texts
        refuse(column)

    def _run_values(self, column: Column) -> Array:
        self.refuse_texts(column)
        values = self._join.run.column(column.name)
        if values is None:
            raise DataError(missing_column(column, self._join.run.columns))
        return values

    def ranked_labels(self, column: Column) -> tuple[Ints, list[Any]] | None:
        """Return a run column of labels over all documents of all rankings, judged or not, best first.

        As the number of the label of every document, -1 where it is missing or empty, and the labels by number. None where
        the run lacks an optional column.

        Raises
        ------
        irmx.errors.DataError
            Where the run lacks the column.

        Examples
        --------
        >>> import irmx, pandas as pd
        >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": [1.0, 2.0], "vertical": ["web", "news"]})
        >>> vertical = irmx.Column("run", "vertical", "where it comes from", dtype="str")
        >>> irmx.join({"q": {"a": 1}}, run).ranked_labels(vertical)
        (array([1, 0]), ['web', 'news'])
        """
        found = self._join.run.labels(column.name)
        if found is None and not column.optional:
            raise DataError(missing_column(column, self._join.run.columns))
        return None if found is None else (found[0][self._ranked_rows()], found[1])

    @cached_property
    def ranked_documents(self) -> RankedDocuments:
        """All documents of all rankings, judged or not, best first."""
        return RankedDocuments(offsets_of(self.depth), *judged_in_rows(self._join, self._ranked_rows()))

    def _ranked_rows(self) -> Ints:
        """Return the rows of the run, topic by topic, best first."""
        if self.judged_only:
            rows: Ints = self.judged.hits.rows()[self.judged.hit]
            return rows
        rows = self._join.memo(("ranked rows", self.ties), lambda: ranked_rows(self._join, self.ties))
        return rows if self.cutoff is None else rows[position_in_segment(offsets_of(self._join.depth)) < self.cutoff]

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
        self.refuse_texts(column)
        there = ~is_missing(values)
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

        return qrels_rows(self._join.judgments, self._numbers, ranks)

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

    def parts(self, part: Ints, count: int, measure: Measure | None = None) -> Rankings:
        """Return the rankings of parts of the topics: the same documents and ranks, judged by some rows of the qrels.

        For measures that are computed for every subtopic or time window of a topic.

        Parameters
        ----------
        part : int array, shape (rows,)
            The number of the part of every row of ``qrels_rows``, -1 for none. The rows of a part are of one topic.
        count : int
            The number of parts; each has at least one row.
        measure : Measure, optional
            Whose common parameters are carried out; those of these rankings otherwise.

        Returns
        -------
        Rankings
            With a topic for every part, which has the name of the part's topic.

        Examples
        --------
        >>> import irmx, numpy as np, pandas as pd
        >>> rows = [("q", "a", 1, "s1"), ("q", "b", 1, "s2"), ("q", "b", 1, "s1")]
        >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
        >>> of_subtopics = irmx.join(qrels, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}).parts(np.array([0, 1, 0]), 2)
        >>> of_subtopics.relevant.rank, of_subtopics.relevant.offsets, of_subtopics.recall_base
        (array([2, 3, 2]), array([0, 2, 3]), array([2, 1]))
        """
        join = PartsJoin(self._join, self.qrels_rows, part, count)
        if measure is not None:
            return Rankings(join, **common_parameters(measure))
        return Rankings(join, self.rel, self.cutoff, self.judged_only, self.ties)

    def doc_ids(self, documents: Documents | Ints) -> list[str]:
        """Return the ids of judged documents, or of places in the documents of the judgments."""
        docs = self._join.judgments.docs
        return [docs[i] for i in (documents.doc if isinstance(documents, Documents) else documents).tolist()]

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
