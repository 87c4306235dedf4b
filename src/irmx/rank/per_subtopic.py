"""Rankings per subtopic: the same documents at the same ranks, judged by some rows of the qrels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Found
from irmx.declare.columns import Column
from irmx.ragged import Floats, Ints, offsets_of, segment_of
from irmx.rank.join import Hits, Join
from irmx.rank.rows import Rows


class _SomeOf(Sequence[str]):
    """Some of the documents of judgments, looked up on access."""

    def __init__(self, docs: Sequence[str], chosen: Ints) -> None:
        self._docs, self._chosen = docs, chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...
    def __getitem__(self, key: int | slice) -> str | list[str]:
        if isinstance(key, slice):
            return [self._docs[i] for i in self._chosen[key].tolist()]
        return self._docs[int(self._chosen[key])]


class SubtopicJudgments(Judgments):
    """Judgments whose topics are subtopics; each consists of some rows of a topic of other judgments.

    Attributes
    ----------
    base_doc : int array, shape (documents,)
        The position of each document in the documents of the base.
    """

    def __init__(self, base: Judgments, rows: Rows, subtopic: Ints, count: int) -> None:
        chosen = np.flatnonzero(subtopic >= 0)
        chosen = chosen[np.argsort(subtopic[chosen], kind="stable")]
        of_row, doc = subtopic[chosen], rows.doc[chosen]
        holds = np.flatnonzero(doc >= 0)
        size = int(doc.max(initial=0)) + 1
        key, which = np.unique(of_row[holds] * size + doc[holds], return_inverse=True)
        order = np.argsort(which, kind="stable")
        starts = np.searchsorted(which[order], np.arange(len(key)))
        grade = np.maximum.reduceat(rows.grade[chosen[holds[order]]], starts) if len(key) else np.empty(0)
        self.base_doc: Ints = key % size
        docs = _SomeOf(base.docs, self.base_doc)
        super().__init__(list(range(count)), offsets_of(np.bincount(key // size, minlength=count)), docs, grade)
        self._base, self._rows, self._chosen = base, rows, chosen
        self.largest_grade = base.largest_grade
        self._row_doc = np.full(len(chosen), -1, dtype=np.int64)
        self._row_doc[holds] = which
        self._ends = offsets_of(np.bincount(of_row, minlength=count))

    def numbers(self, column: Column) -> Floats | None:
        return self._rows._numbers_of(column)[self._chosen]

    def labels(self, name: str) -> tuple[Ints, tuple[Any, ...]] | None:
        found = self._base.labels(name)
        return None if found is None else (found[0][self._rows.row[self._chosen]], found[1])

    @property
    def row_grade(self) -> Floats:
        return self._rows.grade[self._chosen]

    @property
    def columns(self) -> list[str]:
        return self._base.columns

    def lacking(self, column: Column) -> str:
        return self._base.lacking(column)

    def place(self, rows: Sequence[int]) -> str:
        return self._rows.place(self._chosen[list(rows)].tolist())

    @property
    def all_rows(self) -> tuple[Ints, Ints, Ints]:
        return self._ends, np.arange(len(self._chosen)), self._row_doc


class SubtopicJoin(Join):
    """A join whose topics are subtopics of the topics of another join, with the same rankings."""

    def __init__(self, base: Join, rows: Rows, subtopic: Ints, count: int) -> None:
        topic = np.zeros(count, dtype=np.int64)
        topic[subtopic[subtopic >= 0]] = rows.topic[subtopic >= 0]
        self.run, self.judgments = base.run, SubtopicJudgments(base.judgments, rows, subtopic, count)
        self._base, self._topic = base, topic
        self.pairs = [(base.pairs[t][0], i) for i, t in enumerate(topic.tolist())]
        self.depth = base.depth[topic]
        self._memo = {}

    @property
    def topics(self) -> tuple[str, ...]:
        names = self._base.topics
        return tuple(str(names[t]) for t in self._topic.tolist())

    def hits(self, rel: float | None, ties: str) -> Hits:
        return self.memo(("hits", rel, ties), lambda: self._of_base(self._base.hits(None, ties), rel))

    def _of_base(self, hits: Hits, rel: float | None) -> Hits:
        judgments: SubtopicJudgments = self.judgments  # type: ignore[assignment]
        at = np.full(len(self._base.judgments), -1, dtype=np.int64)
        at[hits.doc] = np.arange(len(hits.doc))
        retrieved = at[judgments.base_doc] >= 0
        if rel is not None:
            retrieved &= judgments.grade >= rel
        doc = np.flatnonzero(retrieved)
        hit = at[judgments.base_doc[doc]]
        subtopic = segment_of(judgments.offsets)[doc]
        order = np.lexsort((hits.rank[hit], subtopic))
        doc, hit = doc[order], hit[order]
        ends = offsets_of(np.bincount(subtopic, minlength=len(self.pairs)))
        return Hits(ends, hits.rank[hit], doc, lambda: hits.rows()[hit])

    def order(self, topic: int, ties: str) -> Ints:
        of_base = int(self._topic[topic])
        return self._base.memo(("order", of_base, ties), lambda: self._base.order(of_base, ties))

    def found(self, rel: float | None) -> Found:
        hits = self.hits(rel, "trec")
        return Found(hits.offsets, hits.doc, self.run.score[hits.rows()], hits.rows)
