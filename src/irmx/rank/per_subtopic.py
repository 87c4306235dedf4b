"""Rankings taken apart: the same documents at the same ranks, judged by only some rows of the qrels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Found
from irmx.ragged import Array, Ints, offsets_of, segment_of
from irmx.rank.join import Hits, Join
from irmx.rank.rows import QrelsRows


class _SomeOf(Sequence[str]):
    """Some of the documents of judgments, looked up one by one."""

    def __init__(self, docs: Sequence[str], where: Ints) -> None:
        self._docs, self._where = docs, where

    def __len__(self) -> int:
        return len(self._where)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...
    def __getitem__(self, key: int | slice) -> str | list[str]:
        if isinstance(key, slice):
            return [self._docs[i] for i in self._where[key].tolist()]
        return self._docs[int(self._where[key])]


class PartJudgments(Judgments):
    """Judgments whose topics are parts: some rows of a topic of other judgments each.

    Attributes
    ----------
    base_doc : int array, shape (documents,)
        The place of each document in the documents of the base.
    """

    def __init__(self, base: Judgments, rows: QrelsRows, part: Ints, count: int) -> None:
        chosen = np.flatnonzero(part >= 0)
        chosen = chosen[np.argsort(part[chosen], kind="stable")]
        of_part, doc = part[chosen], rows.doc[chosen]
        holds = np.flatnonzero(doc >= 0)
        size = int(doc.max(initial=0)) + 1
        key, which = np.unique(of_part[holds] * size + doc[holds], return_inverse=True)
        order = np.argsort(which, kind="stable")
        starts = np.searchsorted(which[order], np.arange(len(key)))
        grade = np.maximum.reduceat(rows.grade[chosen[holds[order]]], starts) if len(key) else np.empty(0)
        self.base_doc: Ints = key % size
        docs = _SomeOf(base.docs, self.base_doc)
        super().__init__(list(range(count)), offsets_of(np.bincount(key // size, minlength=count)), docs, grade)
        self._base, self._chosen, self._by_document = rows, chosen, holds[order]
        self.largest_grade = base.largest_grade
        self.row_offsets = np.append(starts, len(holds)).astype(np.int64)
        self._row_doc = np.full(len(chosen), -1, dtype=np.int64)
        self._row_doc[holds] = which
        self._ends = offsets_of(np.bincount(of_part, minlength=count))

    def column(self, name: str) -> Array | None:
        values = self.given_column(name)
        return None if values is None else values[self._by_document]

    def given_column(self, name: str) -> Array | None:
        values = self._base.grade if name == "relevance" else self._base.column(name)
        return None if values is None else values[self._chosen]

    def given_labels(self, name: str) -> tuple[Ints, list[Any]] | None:
        found = self._base.labels(name)
        return None if found is None else (found[0][self._chosen], found[1])

    def place(self, rows: Sequence[int]) -> str:
        return self._base.place([int(self._chosen[row]) for row in rows])

    @property
    def all_rows(self) -> tuple[Ints, Ints, Ints]:
        return self._ends, np.arange(len(self._chosen)), self._row_doc


class PartsJoin(Join):
    """A join whose topics are parts of the topics of another, ranked as these are."""

    def __init__(self, base: Join, rows: QrelsRows, part: Ints, count: int) -> None:
        topic = np.zeros(count, dtype=np.int64)
        topic[part[part >= 0]] = rows.topic[part >= 0]
        self.run, self.judgments = base.run, PartJudgments(base.judgments, rows, part, count)
        self._base, self._topic = base, topic
        self.pairs = [(base.pairs[t][0], i) for i, t in enumerate(topic.tolist())]
        self.depth = base.depth[topic]
        self._memo = {}

    @property
    def topics(self) -> list[str]:
        names = self._base.topics
        return [str(names[t]) for t in self._topic.tolist()]

    def hits(self, rel: float | None, ties: str) -> Hits:
        return self.memo(("hits", rel, ties), lambda: self._of_base(self._base.hits(None, ties), rel))

    def _of_base(self, hits: Hits, rel: float | None) -> Hits:
        judgments: PartJudgments = self.judgments  # type: ignore[assignment]
        at = np.full(len(self._base.judgments), -1, dtype=np.int64)
        at[hits.doc] = np.arange(len(hits.doc))
        there = at[judgments.base_doc] >= 0
        if rel is not None:
            there &= judgments.grade >= rel
        doc = np.flatnonzero(there)
        hit = at[judgments.base_doc[doc]]
        part = segment_of(judgments.offsets)[doc]
        order = np.lexsort((hits.rank[hit], part))
        doc, hit = doc[order], hit[order]
        ends = offsets_of(np.bincount(part, minlength=len(self.pairs)))
        return Hits(ends, hits.rank[hit], doc, lambda: hits.rows()[hit])

    def order(self, topic: int, ties: str) -> Ints:
        whole = int(self._topic[topic])
        return self._base.memo(("order", whole, ties), lambda: self._base.order(whole, ties))

    def found(self, rel: float | None) -> Found:
        hits = self.hits(rel, "trec")
        return Found(hits.offsets, hits.doc, self.run.score[hits.rows()], hits.rows)
