"""The join of a run with the judgments, which gives the ranks of the judged documents."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from irmx.data import tables
from irmx.data.judgments import Judgments
from irmx.data.runs import Found, Run
from irmx.errors import DataError, some
from irmx.ragged import Array, Bools, Floats, Ints, offsets_of, position_in_segment, segment_count, segment_of
from irmx.rank.hits import AllHits, Hits, SelectedHits

T = TypeVar("T")


def no_common_topic(run: Run, judgments: Judgments) -> str:
    """Return the message about a run with documents, but for none of the topics of the judgments; empty if there is no problem.

    All values of such a run would be defaults. An empty run is no problem, because a system may find nothing; nor are
    empty judgments, which have no topic to score.
    """
    if not len(run) or not judgments.index or not judgments.index.keys().isdisjoint(run.topics):
        return ""
    return (
        f"No topic of the run is in the qrels. The run has {some(run.topics)}; the qrels have {some(judgments.index)}."
    )


def refuse_no_common_topic(run: Run, judgments: Judgments) -> None:
    """Raise if a run has documents, but for none of the topics of the judgments."""
    message = no_common_topic(run, judgments)
    if message:
        raise DataError(message)


class Join:
    """A run joined with judgments, over the topics that both have.

    Attributes
    ----------
    run, judgments : Run, Judgments
        The run and the judgments.
    pairs : list of (int, int)
        The topics: the number in the run, the number in the judgments.
    depth : int array
        The number of documents retrieved for each topic.
    several_grades : bool
        Whether measures ask for hits of different grades, so that all are found at once and these are chosen among them.
    """

    several_grades = False

    def __init__(self, run: Run, judgments: Judgments, only: str | None = None) -> None:
        self.run, self.judgments = run, judgments
        number_of = {t: i for i, t in enumerate(run.topics) if only is None or t == only}
        sizes = np.diff(run.offsets)
        self.pairs = [(number_of[t], n) for t, n in judgments.index.items() if t in number_of and sizes[number_of[t]]]
        self.depth = sizes[self.in_run]
        self._memo: dict[Hashable, Any] = {}
        self._source: SelectedHits | AllHits | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: not what measures keep, which may be anything."""
        return {**vars(self), "_memo": {}}

    @cached_property
    def in_run(self) -> Ints:
        """The numbers of the topics in the run."""
        return np.array([in_run for in_run, _ in self.pairs], dtype=np.int64)

    @cached_property
    def in_judgments(self) -> Ints:
        """The numbers of the topics in the judgments."""
        return np.array([in_judgments for _, in_judgments in self.pairs], dtype=np.int64)

    @property
    def topics(self) -> tuple[Any, ...]:
        """The query ids of the topics, as given in the judgments."""
        return tuple(self.judgments.topics[number] for _, number in self.pairs)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once for this join."""
        if key not in self._memo:
            self._memo[key] = make()
        value: T = self._memo[key]
        return value

    def forget(self, kind: str) -> None:
        """Forget the memoised values whose key is a tuple that begins with ``kind``."""
        for key in [key for key in self._memo if isinstance(key, tuple) and key[0] == kind]:
            del self._memo[key]

    # -- the order of documents --------------------------------------------------------------------------

    def hits(self, rel: float | None, ties: str) -> Hits:
        """Return the retrieved judged documents of at least the grade ``rel`` (None: all), by topic and rank."""
        self.run.refuse_repeats()
        return self.memo(("hits", rel, ties), lambda: self._hits_of_grade(rel, ties))

    def _hits_of_grade(self, rel: float | None, ties: str) -> Hits:
        if self._source is not None:
            return self._source.hits(rel, ties)
        if rel is None or not (self.several_grades or ("hits", None, ties) in self._memo):
            return self._hits(self.found(rel), ties)
        hits = self.hits(None, ties)
        keep = self.judgments.grade[hits.doc] >= rel
        offsets = offsets_of(segment_count(keep, hits.offsets))
        return Hits(offsets, hits.rank[keep], hits.doc[keep], lambda: hits.rows()[keep])

    def found(self, rel: float | None) -> Found:
        """Return the retrieved judged documents of at least the grade ``rel`` (None: all), in the order of the run."""
        source = self._source
        return self.memo(
            ("found", rel),
            lambda: self.run.find(self.judgments.sought(rel), self.pairs) if source is None else source.found(rel),
        )

    def _hits(self, found: Found, ties: str) -> Hits:
        rank, tied = self._ranks_by_score(found, ties)
        topic = segment_of(found.offsets)
        for t in np.unique(topic[tied]).tolist():
            start = int(found.offsets[t])
            tied_hits = np.flatnonzero(tied[start : found.offsets[t + 1]]) + start
            rank[tied_hits] += self._places_among_tied(t, found.doc[tied_hits], found.score[tied_hits], ties)
        order = np.argsort(topic * np.int64(self.depth.max(initial=0) + 1) + rank, kind="stable")
        return Hits(found.offsets, rank[order], found.doc[order], lambda: found.rows()[order])

    def _ranks_by_score(self, found: Found, ties: str) -> tuple[Ints, Array]:
        """Return 1 + the number of documents with a larger score, and whether the score is not unique."""
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
        """Return, for documents of a topic whose scores are not unique, how many with the same score precede each."""
        in_run = self.pairs[topic][0]
        scores = self.comparable_scores(ties)[self.run.offsets[in_run] : self.run.offsets[in_run + 1]]
        tied = np.unique(_comparable(score, ties))
        rows = np.flatnonzero(tied[np.minimum(np.searchsorted(tied, scores), len(tied) - 1)] == scores)
        groups: dict[float, list[str]] = {s: [] for s in tied.tolist()}
        for s, name in zip(scores[rows].tolist(), self.run.docs_at(in_run, rows), strict=True):
            groups[s].append(name)
        if ties == "trec":
            for group in groups.values():
                _sort_descending(group)
        place_of = {name: place for group in groups.values() for place, name in enumerate(group)}
        names = self.judgments.docs
        return np.array([place_of[names[i]] for i in doc.tolist()], dtype=np.int64)

    def comparable_scores(self, ties: str) -> Floats:
        """Return the scores of all rows in the precision in which they are compared."""
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

    def rows_in_order(self) -> tuple[Ints, Ints]:
        """Return the offsets of the topics, and the rows of the run of all topics, topic by topic, in the order of the run."""
        ends = offsets_of(self.depth)
        return ends, np.repeat(self.run.offsets[self.in_run], self.depth) + position_in_segment(ends)

    def ranked_rows(self, ties: str) -> Ints:
        """Return the rows of the run of all topics, topic by topic, best first."""
        self.run.refuse_repeats()
        source = self._source
        return self.memo(
            ("ranked rows", ties), lambda: self._ranked_rows(ties) if source is None else source.ranked_rows(ties)
        )

    def _ranked_rows(self, ties: str) -> Ints:
        ends, rows = self.rows_in_order()
        topic, starts = segment_of(ends), self.run.offsets[self.in_run]
        scores = self.comparable_scores(ties)[rows]
        order = np.lexsort((-scores, topic))
        rows, scores = rows[order], scores[order]
        if ties == "trec":
            tied = (scores[1:] == scores[:-1]) & (topic[1:] == topic[:-1])
            for t in np.unique(topic[1:][tied]).tolist():
                rows[ends[t] : ends[t + 1]] = starts[t] + self.order(t, ties)
        return rows

    # -- other judgments ---------------------------------------------------------------------------------

    def with_judgments(
        self,
        keep: Judgments | Bools | None = None,
        unjudged: float | Literal["nonrelevant", "relevant", "largest"] = "nonrelevant",
    ) -> Join:
        """Return the join of the run with other judgments; the run is not read, searched or sorted again.

        Every measure has the value that it has with qrels that were changed before reading. See
        :doc:`/guide/other-judgments`.

        Parameters
        ----------
        keep : Judgments or bool array, optional
            Judgments that :meth:`irmx.Judgments.where` made of those of this join, which several runs can share, or whether to
            keep each document of ``judgments.docs``. By default all are kept.
        unjudged : {"nonrelevant", "relevant", "largest"} or float
            What to assume about documents that the run has, and that have no grade in the judgments that are kept, or a negative
            one. ``"nonrelevant"`` leaves them unjudged, which is not relevant. With a grade of 0 or more, each gets a
            row with this grade in the qrels, so that the recall base grows with those that are relevant; ``"relevant"`` is
            the grade 1, and ``"largest"`` the largest grade in the judgments that are kept, at least 1.

        Raises
        ------
        ValueError
            If the judgments are not made of those of this join, or ``unjudged`` is anything else.

        Examples
        --------
        >>> import irmx
        >>> judgments = irmx.read_qrels({"q": {"a": 1, "b": 1, "c": 0}})
        >>> join = irmx.Join(irmx.read_run({"q": {"x": 4.0, "a": 3.0, "b": 2.0}}), judgments)
        >>> without_a = judgments.where([False, True, True])
        >>> views = [join, join.with_judgments(without_a), join.with_judgments(without_a, unjudged="relevant")]
        >>> [values.values.tolist() for [values] in irmx.score_joined(views, [irmx.NCP(law="uniform")])]
        [[0.58333...], [0.33333...], [1.0]]
        """
        judgments = keep if isinstance(keep, Judgments) else self.judgments
        if keep is not None and not isinstance(keep, Judgments):
            judgments = judgments.where(keep)
        join = self.of_selection(judgments)
        grade = grade_of_unjudged(unjudged, judgments)
        return join if grade is None else join._other(*AllHits.of_unjudged(join, grade))

    def of_selection(self, judgments: Judgments) -> Join:
        """Return the join with judgments that consist of parts of those of this join, or of parts of such parts."""
        if judgments is self.judgments:
            return self
        if judgments.selection is None or len(judgments.selection.added):
            raise ValueError(
                "The judgments must be made of those of the join by Judgments.where. To join a run with others, use irmx.Join."
            )
        base = self.of_selection(judgments.selection.base)
        return base._other(judgments, SelectedHits(base, judgments))

    def _other(self, judgments: Judgments, source: SelectedHits | AllHits) -> Join:
        """Return a join of the run with other judgments, whose hits another source has."""
        join = Join.__new__(Join)
        join.run, join.judgments, join._source, join._memo = self.run, judgments, source, {}
        join.in_run, join.in_judgments = self.in_run[source.of_base], source.in_judgments
        join.pairs = list(zip(join.in_run.tolist(), join.in_judgments.tolist(), strict=True))
        join.depth = self.depth[source.of_base]
        return join

    # -- rows of the run, and the judgments of the topics ------------------------------------------------

    def judged_at(self, offsets: Ints, rows: Ints) -> Ints:
        """Return, for rows of the run, topic by topic, the position of their document in the judgments; -1 if unjudged."""
        found = self.found(None)
        # from a topic's rows in the run to their positions among all rows of the join
        to_place = offsets_of(self.depth)[:-1] - self.run.offsets[self.in_run]
        doc = np.full(int(self.depth.sum()), -1, dtype=np.int64)
        doc[found.rows() + to_place[segment_of(found.offsets)]] = found.doc
        return doc[rows + to_place[segment_of(offsets)]]

    def doc_ids(self, offsets: Ints, rows: Ints) -> list[str]:
        """Return the ids of the documents of rows of the run, topic by topic."""
        ends = offsets.tolist()
        return [
            doc_id
            for (in_run, _), a, b in zip(self.pairs, ends, ends[1:], strict=False)
            for doc_id in self.run.docs_at(in_run, rows[a:b] - self.run.offsets[in_run])
        ]

    def per_topic(self, values: Ints) -> Ints:
        """Select, from one value per topic of the judgments, those of the joined topics."""
        return values[self.in_judgments]


def grade_of_unjudged(unjudged: float | str, judgments: Judgments) -> float | None:
    """Return the grade that an assumption about unjudged documents gives them; None if they stay unjudged."""
    if unjudged == "nonrelevant":
        return None
    grade = (
        {"relevant": 1.0, "largest": max(judgments.largest_grade, 1.0)}.get(unjudged)
        if isinstance(unjudged, str)
        else unjudged
    )
    if grade is None or not 0 <= grade < np.inf:
        raise ValueError(
            f"unjudged must be 'nonrelevant', 'relevant', 'largest' or a grade of 0 or more. Got {unjudged!r} instead."
        )
    return float(grade)


def _comparable(scores: Floats, ties: str) -> Floats:
    """Return scores in the precision in which they are compared: 32 bits, as in ``pytrec_eval``, or in full."""
    if ties == "run":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def _sort_descending(docs: list[str]) -> None:
    """Sort document ids in descending order; raise for ids that are not strings."""
    try:
        docs.sort(reverse=True)
    except TypeError:
        tables.refuse_odd_ids("run", docs)
        raise
