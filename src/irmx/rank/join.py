"""The one join of a run with the judgments: which judged documents stand at which rank."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from irmx.data import tables
from irmx.data.judgments import Judgments
from irmx.data.runs import Found, Run
from irmx.errors import DataError, some
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, segment_of

T = TypeVar("T")


@dataclass(frozen=True)
class Hits:
    """Judged documents at their ranks, by topic and rank.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Which of them belong to a topic.
    rank : int array
        Their ranks, from 1.
    doc : int array
        The place of each in ``Judgments.docs``.
    rows : callable
        Returns the row of each in the run.
    """

    offsets: Ints
    rank: Ints
    doc: Ints
    rows: Callable[[], Ints]


def no_common_topic(run: Run, judgments: Judgments) -> str:
    """Return what to say of a run that has documents, but for none of the topics of the judgments; nothing where all is well.

    Every value is a default then. Of an empty run that is so, too, but meant: a system may find nothing. Empty judgments have
    no topic to have a value.
    """
    if not len(run) or not judgments.index or not judgments.index.keys().isdisjoint(run.topics):
        return ""
    return (
        f"No topic of the run is in the qrels. The run has {some(run.topics)}; the qrels have {some(judgments.index)}."
    )


def refuse_no_common_topic(run: Run, judgments: Judgments) -> None:
    """Raise where a run has documents, but for none of the topics of the judgments."""
    told = no_common_topic(run, judgments)
    if told:
        raise DataError(told)


class Join:
    """A run joined with judgments, over the topics that both have.

    Attributes
    ----------
    run, judgments : Run, Judgments
        What was joined.
    pairs : list of (int, int)
        The topics: the number in the run, the number in the judgments.
    depth : int array
        The number of documents retrieved for each.
    """

    def __init__(self, run: Run, judgments: Judgments, only: str | None = None) -> None:
        self.run, self.judgments = run, judgments
        number_of = {t: i for i, t in enumerate(run.topics) if only is None or t == only}
        sizes = np.diff(run.offsets)
        self.pairs = [(number_of[t], n) for t, n in judgments.index.items() if t in number_of and sizes[number_of[t]]]
        self.depth = sizes[self.in_run]
        self._memo: dict[Hashable, Any] = {}

    @cached_property
    def in_run(self) -> Ints:
        """The numbers of the topics in the run."""
        return np.array([in_run for in_run, _ in self.pairs], dtype=np.int64)

    @cached_property
    def in_judgments(self) -> Ints:
        """The numbers of the topics in the judgments."""
        return np.array([in_judgments for _, in_judgments in self.pairs], dtype=np.int64)

    @property
    def topics(self) -> list[Any]:
        """The query ids of the topics, as the judgments have them."""
        return [self.judgments.topics[number] for _, number in self.pairs]

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value made once for this join."""
        if key not in self._memo:
            self._memo[key] = make()
        value: T = self._memo[key]
        return value

    def forget(self, kind: str) -> None:
        """Forget the memoised values whose key is a tuple that begins with a word."""
        for key in [key for key in self._memo if isinstance(key, tuple) and key[0] == kind]:
            del self._memo[key]

    # -- the order of documents --------------------------------------------------------------------------

    def hits(self, rel: float | None, ties: str) -> Hits:
        """Return the judged documents of at least a grade (all: None) that the run has, by topic and rank."""
        self.run.refuse_repeats()
        return self.memo(("hits", rel, ties), lambda: self._hits(self.found(rel), ties))

    def found(self, rel: float | None) -> Found:
        """Return the judged documents of at least a grade (all: None) that the run has, in the order of the run."""
        return self.memo(("found", rel), lambda: self.run.find(self.judgments.sought(rel), self.pairs))

    def _hits(self, found: Found, ties: str) -> Hits:
        rank, tied = self._ranks_by_score(found, ties)
        topic = segment_of(found.offsets)
        for t in np.unique(topic[tied]).tolist():
            start = int(found.offsets[t])
            these = np.flatnonzero(tied[start : found.offsets[t + 1]]) + start
            rank[these] += self._places_among_tied(t, found.doc[these], found.score[these], ties)
        order = np.argsort(topic * np.int64(self.depth.max(initial=0) + 1) + rank, kind="stable")
        return Hits(found.offsets, rank[order], found.doc[order], lambda: found.rows()[order])

    def _ranks_by_score(self, found: Found, ties: str) -> tuple[Ints, Array]:
        """Return 1 + the number of documents with a larger score, and where the score is not unique."""
        scores = self.comparable_scores(ties)
        hits = _comparable(found.score, ties)
        larger = np.empty(len(hits), dtype=np.int64)
        tied = np.zeros(len(hits), dtype=bool)
        ends, run_ends = found.offsets.tolist(), self.run.offsets.tolist()
        for t, (in_run, _) in enumerate(self.pairs):
            a, b = ends[t], ends[t + 1]
            if a == b:
                continue
            ascending = np.sort(scores[run_ends[in_run] : run_ends[in_run + 1]])
            below_or_equal = ascending.searchsorted(hits[a:b], side="right")
            larger[a:b] = len(ascending) - below_or_equal
            tied[a:b] = (below_or_equal > 1) & (ascending[below_or_equal - 2] == hits[a:b])
        return larger + 1, tied

    def _places_among_tied(self, topic: int, doc: Ints, score: Floats, ties: str) -> Ints:
        """Return, of documents of a topic whose scores are not unique, how many with the same score stand before each."""
        in_run = self.pairs[topic][0]
        scores = self.comparable_scores(ties)[self.run.offsets[in_run] : self.run.offsets[in_run + 1]]
        wanted = np.unique(_comparable(score, ties))
        rows = np.flatnonzero(wanted[np.minimum(np.searchsorted(wanted, scores), len(wanted) - 1)] == scores)
        groups: dict[float, list[str]] = {s: [] for s in wanted.tolist()}
        for s, name in zip(scores[rows].tolist(), self.run.docs_at(in_run, rows), strict=True):
            groups[s].append(name)
        if ties == "trec":
            for group in groups.values():
                _sort_descending(group)
        place_of = {name: place for group in groups.values() for place, name in enumerate(group)}
        names = self.judgments.docs
        return np.array([place_of[names[i]] for i in doc.tolist()], dtype=np.int64)

    def comparable_scores(self, ties: str) -> Floats:
        """Return the scores of all rows as they are compared."""
        return self.memo(("scores", ties), lambda: _comparable(self.run.score, ties))

    def order(self, topic: int, ties: str) -> Ints:
        """Return the rows of a topic, counted from its first, best first."""
        self.run.refuse_repeats()
        in_run = self.pairs[topic][0]
        scores = _comparable(self.run.score[self.run.offsets[in_run] : self.run.offsets[in_run + 1]], ties)
        rows = np.arange(len(scores))
        if ties == "trec":
            docs = self.run.docs(in_run)
            row_of = {doc: row for row, doc in enumerate(docs)}
            _sort_descending(docs)
            rows = np.array([row_of[doc] for doc in docs], dtype=np.int64)
        return rows[np.argsort(-scores[rows], kind="stable")]

    def ranked_rows(self, ties: str) -> Ints:
        """Return the rows of the run of all topics, topic by topic, best first."""
        self.run.refuse_repeats()
        ends = offsets_of(self.depth)
        topic = segment_of(ends)
        starts = self.run.offsets[self.in_run]
        rows = np.repeat(starts, self.depth) + position_in_segment(ends)
        scores = self.comparable_scores(ties)[rows]
        order = np.lexsort((-scores, topic))
        rows, scores = rows[order], scores[order]
        if ties == "trec":
            tied = (scores[1:] == scores[:-1]) & (topic[1:] == topic[:-1])
            for t in np.unique(topic[1:][tied]).tolist():
                rows[ends[t] : ends[t + 1]] = starts[t] + self.order(t, ties)
        return rows

    # -- rows of the run, and the judgments of the topics ------------------------------------------------

    def judged_at(self, offsets: Ints, rows: Ints) -> Ints:
        """Return, for rows of the run, topic by topic, the place of their document in the judgments; -1 for one not judged."""
        found = self.found(None)
        to_place = (
            offsets_of(self.depth)[:-1] - self.run.offsets[self.in_run]
        )  # of a topic's rows among all of the join
        doc = np.full(int(self.depth.sum()), -1, dtype=np.int64)
        doc[found.rows() + to_place[segment_of(found.offsets)]] = found.doc
        return doc[rows + to_place[segment_of(offsets)]]

    def doc_ids(self, offsets: Ints, rows: Ints) -> list[str]:
        """Return the documents of rows of the run, topic by topic."""
        ends = offsets.tolist()
        return [
            doc_id
            for (in_run, _), a, b in zip(self.pairs, ends, ends[1:], strict=False)
            for doc_id in self.run.docs_at(in_run, rows[a:b] - self.run.offsets[in_run])
        ]

    def per_topic(self, values: Ints) -> Ints:
        """Return, of one value per topic of the judgments, those of the topics joined."""
        return values[self.in_judgments]


def _comparable(scores: Floats, ties: str) -> Floats:
    """Return scores as they are compared: in 32 bits, as ``pytrec_eval`` holds them, or in full."""
    if ties == "run":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def _sort_descending(docs: list[str]) -> None:
    """Sort document ids in descending order; ids that are not texts are refused."""
    try:
        docs.sort(reverse=True)
    except TypeError:
        tables.refuse_odd_ids("run", docs)
        raise
