"""The join of a run with the judgments, which gives the ranks of the judged documents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Found, Run
from irmx.errors import DataError, counted, some
from irmx.ragged import Array, Bools, Floats, Ints, offsets_of, position_in_segment, segment_count, segment_of
from irmx.rank.hits import Hits, RankedHits, SelectedHits

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
        self._source: SelectedHits | RankedHits | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: not what measures keep, which may be anything."""
        return {**vars(self), "_memo": {}}

    def __repr__(self) -> str:
        return f"<Join: {counted(len(self.pairs), 'topic')}; {self.run!r}; {self.judgments!r}>"

    @cached_property
    def in_run(self) -> Ints:
        """The numbers of the topics in the run."""
        return np.array([in_run for in_run, _ in self.pairs], dtype=np.int64)

    @cached_property
    def in_judgments(self) -> Ints:
        """The numbers of the topics in the judgments."""
        return np.array([in_judgments for _, in_judgments in self.pairs], dtype=np.int64)

    @cached_property
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
        return self.memo(("found", rel), lambda: self._found(rel) if source is None else source.found(rel))

    def _found(self, rel: float | None) -> Found:
        found = self.run.find(self.judgments.sought(rel), self.pairs)
        return replace(found, rows=cache(found.rows))  # all views ask for them

    def _hits(self, found: Found, ties: str) -> Hits:
        scores, ends = self._ascending(ties), offsets_of(self.depth)
        score, topic = _comparable(found.score, ties), segment_of(found.offsets)
        after = np.empty(len(score), dtype=np.int64)  # the position in ``scores`` after all that are not larger
        for start, end, a, b in _segments(ends, found.offsets):
            after[a:b] = start + scores[start:end].searchsorted(score[a:b], side="right")
        rank = ends[1:][topic] - after + 1
        tied = np.flatnonzero((after - ends[topic] > 1) & (scores[after - 2] == score))
        if len(tied):
            rank[tied] += self._places_among_tied(found, tied, after[tied] - 1, ties)
        order = np.argsort(topic * np.int64(self.depth.max(initial=0) + 1) + rank)
        return Hits(found.offsets, rank[order], found.doc[order], lambda: found.rows()[order])

    def _ascending(self, ties: str) -> Array:
        """Return the scores of all rows, topic by topic, smallest first."""

        def scores() -> Array:
            in_order, ends = self.comparable_scores(ties), offsets_of(self.depth)
            out = np.concatenate([in_order[:0], *(in_order[a:b] for a, b in self._rows_of_topics())])
            for start, end in _segments(ends):
                out[start:end].sort()
            return out

        return self.memo(("ascending", ties), scores)

    def _rows_of_topics(self) -> list[tuple[int, int]]:
        """Return where the rows of each topic start and end in the run."""
        ends = self.run.offsets
        return list(zip(ends[self.in_run].tolist(), ends[self.in_run + 1].tolist(), strict=True))

    def _places_among_tied(self, found: Found, tied: Ints, at: Ints, ties: str) -> Ints:
        """Return how many documents with the same score precede each of some documents whose scores are not unique.

        Parameters
        ----------
        found : Found
            The judged documents retrieved.
        tied : int array
            The positions among them of these documents.
        at : int array
            The position of a score that equals theirs in the ascending scores of all topics.
        ties : {"trec", "run"}
            Whether documents with the same score are in descending order of their ids, or in the order of the run.
        """
        scores, ends = self._ascending(ties), offsets_of(self.depth)
        is_first = np.append(True, scores[1:] != scores[:-1])
        is_first[ends[:-1]] = True
        first = np.flatnonzero(is_first)  # of the rows with the same score
        groups, group = np.unique(np.searchsorted(first, at, side="right") - 1, return_inverse=True)
        sizes = np.diff(np.append(first, len(scores)))[groups]
        group_ends = offsets_of(sizes)
        position = np.repeat(first[groups], sizes) + position_in_segment(group_ends)
        topics = np.unique(np.searchsorted(ends, at, side="right") - 1)
        members = self._rows_by_score(ties, topics)[position]
        if ties == "trec":
            names = self.judgments.docs
            return self.run.places(
                members,
                group_ends,
                group,
                lambda: [names[i] for i in found.doc[tied].tolist()],
                lambda: found.rows()[tied],
            )
        place = np.empty(len(self.run), dtype=np.int64)
        place[members] = position_in_segment(group_ends)
        return place[found.rows()[tied]]

    def _rows_by_score(self, ties: str, topics: Ints) -> Ints:
        """Return the rows of the run, topic by topic, smallest score first; those of topics that are not asked for are not sorted.

        Rows with the same score are in the order of the run if that is what breaks ties, and in any order otherwise.
        """
        scores, ends = self.comparable_scores(ties), offsets_of(self.depth)
        rows, ranges = np.empty(int(ends[-1]), dtype=np.int64), self._rows_of_topics()
        for topic in topics.tolist():
            start, end = ranges[topic]
            order = np.argsort(scores[start:end], kind="stable" if ties == "run" else None)
            rows[ends[topic] : ends[topic + 1]] = start + order
        return rows

    def comparable_scores(self, ties: str) -> Floats:
        """Return the scores of all rows in the precision in which they are compared."""
        return self.memo(("scores", ties), lambda: _comparable(self.run.score, ties))

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
        scores = self.comparable_scores(ties)
        orders = [start + np.argsort(-scores[start:end], kind="stable") for start, end in self._rows_of_topics()]
        rows = np.concatenate([np.empty(0, dtype=np.int64), *orders])
        if ties == "trec":
            new = np.append(True, scores[rows[1:]] != scores[rows[:-1]])[: len(rows)]
            new[offsets_of(self.depth)[:-1]] = True
            tied = np.flatnonzero(~(new & np.append(new[1:], True)))
            if len(tied):
                rows[tied] = rows[tied][self.run.descending(rows[tied], np.cumsum(new[tied]) - 1)]
        return rows

    # -- other judgments ---------------------------------------------------------------------------------

    def with_judgments(
        self,
        keep: Judgments | Bools | None = None,
        unjudged: float | Literal["nonrelevant", "relevant", "largest"] = "nonrelevant",
        depth: int | None = None,
    ) -> Join:
        """Return the join of the run with other judgments; the run is not read or sorted again.

        It is searched only for documents that :meth:`irmx.Judgments.with_rows` added. Every measure has the value that it has
        with qrels that were changed before reading. See
        :doc:`/guide/other-judgments`.

        Parameters
        ----------
        keep : Judgments or bool array, optional
            Judgments that :meth:`irmx.Judgments.where` or :meth:`irmx.Judgments.with_rows` made of those of this join, which
            several runs can share, or whether to keep each document of ``judgments.docs``. By default all are kept.
        unjudged : {"nonrelevant", "relevant", "largest"} or float
            What to assume about documents that the run has, and that have no grade in the judgments that are kept, or a negative
            one. ``"nonrelevant"`` leaves them unjudged, which is not relevant. With a grade of 0 or more, each gets a
            row with this grade in the qrels, so that the recall base grows with those that are relevant; ``"relevant"`` is
            the grade 1, and ``"largest"`` the largest grade in the judgments that are kept, at least 1.
        depth : int, optional
            Up to which rank, in the order of trec_eval, documents are assumed to have the grade; those below stay unjudged. By
            default all have it.

        Raises
        ------
        ValueError
            If the judgments are not made of those of this join, ``unjudged`` is anything else, or ``depth`` is below 1.

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
        if depth is not None and depth < 1:
            raise ValueError(f"depth must be a rank, 1 or more. Got {depth!r} instead.")
        return join if grade is None else join._other(*RankedHits.of_unjudged(join, grade, depth))

    def of_selection(self, judgments: Judgments) -> Join:
        """Return the join with judgments that are made of those of this join, or of judgments that are."""
        if judgments is self.judgments:
            return self
        if judgments.selection is None:
            raise ValueError(
                "The judgments must be made of those of the join by Judgments.where or with_rows. To join a run with others, "
                "use irmx.Join."
            )
        base = self.of_selection(judgments.selection.base)
        has_more = len(judgments.selection.added) > 0
        return base._other(judgments, (RankedHits.of_added if has_more else SelectedHits)(base, judgments))

    def _other(self, judgments: Judgments, source: SelectedHits | RankedHits) -> Join:
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


def _segments(*offsets: Ints) -> Iterator[tuple[int, ...]]:
    """Return, segment by segment, where each starts and ends, by several offsets."""
    bounds = [ends.tolist() for ends in offsets]
    return zip(*(part for ends in bounds for part in (ends[:-1], ends[1:])), strict=True)
