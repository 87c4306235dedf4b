"""The one join of a run with the judgments: which judged documents stand at which rank."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from irmx.judgments import Judgments
from irmx.ragged import Floats, Ints, offsets_of, segment_of
from irmx.runs import Run

T = TypeVar("T")


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
        mine = {t: i for i, t in enumerate(run.topics) if only is None or t == only}
        sizes = np.diff(run.offsets)
        self.pairs = [(mine[t], theirs) for t, theirs in judgments.index.items() if t in mine and sizes[mine[t]]]
        self.depth = sizes[[m for m, _ in self.pairs]] if self.pairs else np.zeros(0, dtype=np.int64)
        self.found = run.find(judgments, self.pairs)
        self._memo: dict[Hashable, Any] = {}

    @property
    def topics(self) -> list[Any]:
        """The query ids of the topics, as the judgments have them."""
        return [self.judgments.topics[theirs] for _, theirs in self.pairs]

    @cached_property
    def rows(self) -> Ints:
        """The row in the run of every judged document found."""
        return self.found.rows()

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value made once for this join."""
        if key not in self._memo:
            self._memo[key] = make()
        found: T = self._memo[key]
        return found

    # -- the order of documents --------------------------------------------------------------------------

    def ranked(self, ties: str) -> tuple[Ints, Ints]:
        """Return an order of the found documents, by topic and rank, and their ranks in that order."""
        return self.memo(("ranked", ties), lambda: self._ranked(ties))

    def _ranked(self, ties: str) -> tuple[Ints, Ints]:
        rank, tied = self._ranks_by_score(ties)
        topic = segment_of(self.found.offsets)
        for t in np.unique(topic[tied]):
            here = slice(self.found.offsets[t], self.found.offsets[t + 1])
            start = self.run.offsets[self.pairs[t][0]]
            rank_of_row = np.empty(self.depth[t], dtype=np.int64)
            rank_of_row[self.order(int(t), ties)] = np.arange(1, self.depth[t] + 1)
            rank[here] = rank_of_row[self.rows[here] - start]
        order = np.argsort(topic * np.int64(self.depth.max(initial=0) + 1) + rank, kind="stable")
        return order, rank[order]

    def _ranks_by_score(self, ties: str) -> tuple[Ints, np.ndarray[Any, np.dtype[np.bool_]]]:
        """Return 1 + the number of documents with a larger score, and where the score is not unique."""
        scores, hits = _comparable(self.run.score, ties), _comparable(self.found.score, ties)
        larger = np.empty(len(hits), dtype=np.int64)
        tied = np.zeros(len(hits), dtype=bool)
        ends, run_ends = self.found.offsets.tolist(), self.run.offsets.tolist()
        for t, (mine, _) in enumerate(self.pairs):
            a, b = ends[t], ends[t + 1]
            if a == b:
                continue
            ascending = np.sort(scores[run_ends[mine] : run_ends[mine + 1]])
            below_or_equal = ascending.searchsorted(hits[a:b], side="right")
            larger[a:b] = len(ascending) - below_or_equal
            tied[a:b] = (below_or_equal > 1) & (ascending[below_or_equal - 2] == hits[a:b])
        return larger + 1, tied

    def order(self, topic: int, ties: str) -> Ints:
        """Return the rows of a topic, counted from its first, best first."""
        mine = self.pairs[topic][0]
        scores = _comparable(self.run.score[self.run.offsets[mine] : self.run.offsets[mine + 1]], ties)
        rows = np.arange(len(scores))
        if ties == "trec":
            docs = self.run.docs(mine)
            rows = np.array(sorted(range(len(docs)), key=docs.__getitem__, reverse=True), dtype=np.int64)
        return rows[np.argsort(-scores[rows], kind="stable")]

    # -- the judgments of the topics ---------------------------------------------------------------------

    def per_topic(self, values: Ints) -> Ints:
        """Return, of one value per topic of the judgments, those of the topics joined."""
        return values[[theirs for _, theirs in self.pairs]] if self.pairs else values[:0]

    @cached_property
    def judged_offsets(self) -> Ints:
        """The offsets of the found documents; the same in every order."""
        return offsets_of(np.diff(self.found.offsets))


def _comparable(scores: Floats, ties: str) -> Floats:
    """Return scores as they are compared: in 32 bits, as ``pytrec_eval`` holds them, or in full."""
    if ties == "run":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)
