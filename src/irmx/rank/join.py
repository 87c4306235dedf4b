"""The join of a run with the judgments, as columns: the retrieved judged documents, their rows and their ranks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, TypeVar

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Run
from irmx.data.table import encoded, first_rows, from_ints
from irmx.errors import DataError
from irmx.ragged import (
    Array,
    Bools,
    Floats,
    Ints,
    offsets_of,
    position_in_segment,
    segment_count,
    segment_of,
    sorted_in_segments,
)
from irmx.text import list_some, plural

T = TypeVar("T")


def no_common_topic(run: Run, judgments: Judgments) -> str:
    """Return the message about a run with documents, but for none of the topics of the judgments; empty if there is no problem.

    All values of such a run would be defaults. An empty run is no problem, because a system may find nothing; nor are
    empty judgments, which have no topic to score.
    """
    if not len(run) or not judgments.index or not judgments.index.keys().isdisjoint(run.topics):
        return ""
    return f"No topic of the run is in the qrels. The run has {list_some(run.topics)}; the qrels have {list_some(judgments.index)}."


def refuse_no_common_topic(run: Run, judgments: Judgments) -> None:
    """Raise if a run has documents, but for none of the topics of the judgments."""
    message = no_common_topic(run, judgments)
    if message:
        raise DataError(message)


@dataclass(frozen=True, eq=False)
class Hits:
    """Retrieved judged documents of all topics.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Where the documents of each topic start and end.
    doc : int array
        The position of each document in ``Judgments.docs``.
    score : float array
        Its score.
    find_rows : callable
        Returns its row in the run; called once, on demand, because a run given as a dict must count for it.
    rank : int array
        Its rank, from 1, in hits that are ordered by rank; empty in those in the order of the run.
    """

    offsets: Ints
    doc: Ints
    score: Floats
    find_rows: Callable[[], Ints]
    rank: Ints

    @cached_property
    def row(self) -> Ints:
        """The row of each document in the run."""
        return self.find_rows()

    def take(self, chosen: Ints, offsets: Ints, doc: Ints | None = None) -> Hits:
        """Return some of the hits, by their positions, possibly under other numbers of their documents."""
        doc = self.doc[chosen] if doc is None else doc
        rank = self.rank[chosen] if len(self.rank) else self.rank
        return Hits(offsets, doc, self.score[chosen], lambda: self.row[chosen], rank)

    def merged_with(self, more: Hits) -> Hits:
        """Return these hits and others of the same topics, topic by topic, without ranks."""
        order = np.argsort(np.append(segment_of(self.offsets), segment_of(more.offsets)), kind="stable")
        doc, score = np.append(self.doc, more.doc)[order], np.append(self.score, more.score)[order]
        return Hits(
            self.offsets + more.offsets, doc, score, lambda: np.append(self.row, more.row)[order], np.empty(0, np.int64)
        )

    def where(self, keep: Bools) -> Hits:
        """Return the hits for which ``keep`` is true."""
        return self.take(np.flatnonzero(keep), offsets_of(segment_count(keep, self.offsets)))


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
    reads_to : int or None
        The deepest rank that any of the measures reads which are scored together; None if one reads all.
    """

    reads_to: int | None = None

    def __init__(self, run: Run, judgments: Judgments, only: str | None = None) -> None:
        sizes, number_of = np.diff(run.offsets).tolist(), judgments.index
        in_both = (i for i, t in enumerate(run.topics) if t in number_of and sizes[i] and only in (None, t))
        pairs = sorted((number_of[run.topics[i]], i) for i in in_both)
        self._set(run, judgments, [(in_run, in_judgments) for in_judgments, in_run in pairs])

    def _set(self, run: Run, judgments: Judgments, pairs: list[tuple[int, int]], base: Join | None = None) -> None:
        self.run, self.judgments, self.pairs, self._base = run, judgments, pairs, base
        self.in_run = np.array([in_run for in_run, _ in pairs], dtype=np.int64)
        self.in_judgments = np.array([in_judgments for _, in_judgments in pairs], dtype=np.int64)
        self.depth: Ints = np.diff(run.offsets)[self.in_run]
        self._memo: dict[Hashable, Any] = {}
        self._shared: dict[Hashable, Any] = {} if base is None else base._shared
        self._assumed: tuple[Ints, Ints] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: not what measures keep, which may be anything."""
        return {**vars(self), "_memo": {}, "_shared": {}}

    def __repr__(self) -> str:
        return f"<Join: {plural(len(self.pairs), 'topic')}; {self.run!r}; {self.judgments!r}>"

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

    def _of_run(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once for the run and its topics, whatever the judgments."""
        key = (key, self.in_run.tobytes())
        if key not in self._shared:
            self._shared[key] = make()
        value: T = self._shared[key]
        return value

    def forget(self, kind: str) -> None:
        """Forget the memoised values whose key is a tuple that begins with ``kind``."""
        for key in [key for key in self._memo if isinstance(key, tuple) and key[0] == kind]:
            del self._memo[key]

    # -- finding -----------------------------------------------------------------------------------------

    def unranked_hits(self, rel: float | None) -> Hits:
        """Return the retrieved judged documents of at least the grade ``rel`` (None: all), by topic, in no order."""
        return self.memo(("found", rel), lambda: self._unranked_hits(rel))

    def _unranked_hits(self, rel: float | None) -> Hits:
        if self._base is not None:
            found = self._found_in_view()
            return found if rel is None else found.where(self.judgments.grade[found.doc] >= rel)
        known = [key[1] for key in self._memo if isinstance(key, tuple) and key[0] == "found"]
        if rel is not None and (known or self.run.table is not None):  # a table is searched once, for all of them
            found = self.unranked_hits(None)
            return found.where(self.judgments.grade[found.doc] >= rel)
        if rel is None and known:
            others = np.flatnonzero(self.judgments.grade < known[0])
            return self.unranked_hits(known[0]).merged_with(
                self._find(("below", known[0]), others, self.judgments.starts_of(others))
            )
        return self._find(rel, *self.judgments.candidates(rel))

    def _find(self, key: Any, doc: Ints, starts: Ints) -> Hits:
        """Look up documents of the judgments, where those of each topic start, in the run."""
        if self.run.table is not None:
            judged = self.judgments.ids_of(doc, key)
            offsets, chosen, score, rows = self.run.find_ids(judged, self.in_run, self.in_judgments)
            return Hits(offsets, doc[chosen], score, rows, np.empty(0, dtype=np.int64))
        counts = np.diff(starts)[self.in_judgments]
        ends = offsets_of(counts)
        place = np.repeat(starts[self.in_judgments], counts) + position_in_segment(ends)
        every = len(place) == len(doc) and bool(np.all(place[1:] > place[:-1]))
        names = self.judgments.names_of(doc, key)
        names = names if every else [names[i] for i in place.tolist()]
        offsets, chosen, score, rows = self.run.find_names(names, ends, self.in_run)
        return Hits(offsets, doc[place[chosen]], score, rows, np.empty(0, dtype=np.int64))

    # -- ranking -----------------------------------------------------------------------------------------

    def ranked_hits(self, rel: float | None, ties: str, cutoff: int | None = None) -> Hits:
        """Return the retrieved judged documents of at least the grade ``rel`` (None: all), by topic and rank.

        Those below a cutoff may be missing.
        """
        self.run.refuse_repeats()
        if ("hits", rel, ties) not in self._memo and cutoff is not None and cutoff <= (self.reads_to or 0):
            head = self.memo(("head", self.reads_to), lambda: self._head(self.reads_to or 0))
            if head is not None:
                rows, top = head
                hits = top.ranked_hits(rel, ties)
                return Hits(hits.offsets, hits.doc, hits.score, lambda: rows[hits.row], hits.rank)
        return self.memo(("hits", rel, ties), lambda: self._ranked_hits(rel, ties))

    def _head(self, cutoff: int) -> tuple[Ints, Join] | None:
        """Return the rows with the largest scores of each topic, all to a rank among them, and their join; None if these are many."""
        if self.run.table is None or self._base is not None or 4 * cutoff * len(self.pairs) > len(self.run):
            return None
        scores, smallest = self.comparable_scores(), np.full(len(self.run.topics), np.inf, dtype=np.float32)
        for topic in self.in_run.tolist():
            of_topic = scores[self.run.offsets[topic] : self.run.offsets[topic + 1]]
            last = max(0, len(of_topic) - cutoff)
            smallest[topic] = np.partition(of_topic, last)[last]
        rows = np.flatnonzero(scores >= smallest[segment_of(self.run.offsets)])
        top = Join.__new__(Join)
        top._set(self.run.with_rows(rows), self.judgments, self.pairs)
        return rows, top

    def _ranked_hits(self, rel: float | None, ties: str) -> Hits:
        is_part = self._base is not None and not self._adds
        if rel is not None and (("hits", None, ties) in self._memo or (self.run.table is not None and not is_part)):
            hits = self.ranked_hits(None, ties)
            return hits.where(self.judgments.grade[hits.doc] >= rel)
        if self._base is not None and is_part:
            hits = self._mapped(self._base.ranked_hits(rel, ties))
            return hits if rel is None else hits.where(self.judgments.grade[hits.doc] >= rel)
        found = self.unranked_hits(rel)
        rank = self._ranks_in_file_order(found) if ties == "run" else self._ranks(found)
        topic = segment_of(found.offsets)
        order = np.argsort(topic * np.int64(self.depth.max(initial=0) + 1) + rank)
        hits = found.take(order, found.offsets)
        return Hits(hits.offsets, hits.doc, hits.score, hits.find_rows, rank[order])

    def _ranks(self, found: Hits) -> Ints:
        """Return the rank of each document by score, of equal scores by id, both descending."""
        ascending = self._of_run("ascending", self._keys_in_order)
        topic = segment_of(found.offsets)
        key = _key(topic, found.score)
        starts = offsets_of(self.depth)
        first = np.searchsorted(ascending, key)
        rank: Ints = first - starts[topic] + 1
        following = np.minimum(first + 1, max(len(ascending) - 1, 0))
        tied = np.flatnonzero((ascending[following] == key) & (first + 1 < len(ascending)))
        if len(tied):
            rank[tied] += self._places_among_tied(found, tied, key[tied])
        return rank

    def _keys_in_order(self) -> Array:
        """Return a number for each row, which orders them by topic and descending score, in ascending order."""
        offsets, rows = self.rows_in_order()
        keys = _key(segment_of(offsets), self.run.score[rows])
        return sorted_in_segments(keys, offsets)

    def _places_among_tied(self, found: Hits, tied: Ints, keys: Array) -> Ints:
        """Return how many documents with the same score precede each of some documents whose scores are not unique."""
        ascending, groups, group = self._of_run("ascending", self._keys_in_order), *np.unique(keys, return_inverse=True)
        first = np.searchsorted(ascending, groups)
        ends = offsets_of(np.searchsorted(ascending, groups, side="right") - first)
        rows, scores, starts = (
            np.empty(len(ascending), dtype=np.int64),
            self.comparable_scores(),
            offsets_of(self.depth),
        )
        topics, _ = np.unique(
            groups >> np.uint64(32), return_index=True
        )  # without an index, numpy.ma is imported: 20 ms
        for topic in topics.tolist():
            start = self.run.offsets[self.in_run[topic]]
            by_score = np.argsort(-scores[start : start + self.depth[topic]])
            rows[starts[topic] : starts[topic + 1]] = start + by_score
        members = rows[np.repeat(first, np.diff(ends)) + position_in_segment(ends)]
        return self.run.places(
            members, ends, group, lambda: self.judgments.docs_at(found.doc[tied]), lambda: found.row[tied]
        )

    def _ranks_in_file_order(self, found: Hits) -> Ints:
        """Return the rank of each document by descending score, of equal scores in the order of the run."""
        offsets = offsets_of(self.depth)
        rank = np.zeros(len(self.run), dtype=np.int64)
        rank[self.ranked_rows("run")] = position_in_segment(offsets) + 1
        return rank[found.row]

    def comparable_scores(self) -> Floats:
        """Return the scores of all rows of the run in the precision in which trec_eval compares them, 32 bits."""
        return self._of_run("scores", lambda: _in_32_bits(self.run.score))

    def rows_in_order(self) -> tuple[Ints, Ints]:
        """Return the offsets of the topics, and the rows of the run of all topics, topic by topic, in the order of the run."""
        ends = offsets_of(self.depth)
        return ends, np.repeat(self.run.offsets[self.in_run], self.depth) + position_in_segment(ends)

    def ranked_rows(self, ties: str) -> Ints:
        """Return the rows of the run of all topics, topic by topic, best first."""
        self.run.refuse_repeats()
        return self._of_run(("ranked rows", ties), lambda: self._ranked_rows(ties))

    def _ranked_rows(self, ties: str) -> Ints:
        scores = self.run.score if ties == "run" else self.comparable_scores()
        bounds = zip(self.run.offsets[self.in_run].tolist(), self.run.offsets[self.in_run + 1].tolist(), strict=True)
        orders = [start + np.argsort(-scores[start:end], kind="stable") for start, end in bounds]
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
        join = self.view(judgments)
        grade = grade_of_unjudged(unjudged, judgments)
        if depth is not None and depth < 1:
            raise ValueError(f"depth must be a rank, 1 or more. Got {depth!r} instead.")
        return join if grade is None else join._assuming(grade, depth)

    def view(self, judgments: Judgments) -> Join:
        """Return the join with judgments that are made of those of this join, or of judgments that are."""
        if judgments is self.judgments:
            return self
        if judgments.base is None:
            raise ValueError(
                "The judgments must be made of those of the join by Judgments.where or with_rows. To join a run with others, "
                "use irmx.Join."
            )
        base = self.view(judgments.base)
        joined = np.full(len(base.judgments.topics), -1, dtype=np.int64)
        joined[base.in_judgments] = np.arange(len(base.pairs))
        of_base = joined[judgments.base_topic]
        in_judgments = np.flatnonzero(of_base >= 0)
        view = Join.__new__(Join)
        in_run = base.in_run[of_base[in_judgments]]
        view._set(self.run, judgments, list(zip(in_run.tolist(), in_judgments.tolist(), strict=True)), base)
        return view

    @property
    def _adds(self) -> bool:
        """Whether the judgments have rows that those of the base lack."""
        return self._base is not None and self.judgments._added > self._base.judgments._added

    def _mapped(self, hits: Hits) -> Hits:
        """Return hits of the base as hits of documents that are made of theirs, topic by topic."""
        hit, doc = self.judgments.of_base(hits.doc)
        topic = np.searchsorted(self.judgments.offsets, doc, side="right") - 1
        order = np.argsort(topic, kind="stable")
        count = np.bincount(topic, minlength=len(self.judgments.topics))[self.in_judgments]
        return hits.take(hit[order], offsets_of(count), doc[order])

    def _found_in_view(self) -> Hits:
        """Return the retrieved judged documents: those of the base, and those that are judged only here."""
        assert self._base is not None
        found = self._mapped(self._base.unranked_hits(None))
        if not self._adds:
            return found
        if self._assumed is None:
            further = np.flatnonzero(self.judgments.base_doc >= len(self._base.judgments))
            more = self._find("further", further, self.judgments.starts_of(further))
            rows, docs = more.row, more.doc
        else:
            rows, docs = self._assumed
        row, doc = np.append(found.row, rows), np.append(found.doc, docs)
        topic = np.searchsorted(self.judgments.offsets, doc, side="right") - 1
        order = np.lexsort((row, topic))
        row, doc = row[order], doc[order]
        offsets = offsets_of(np.bincount(topic, minlength=len(self.judgments.topics))[self.in_judgments])
        return Hits(offsets, doc, self.run.score[row], lambda: row, np.empty(0, dtype=np.int64))

    def _assuming(self, grade: float, depth: int | None) -> Join:
        """Return the join with judgments in which unjudged documents of the run, those at ranks up to a depth, have a grade."""
        offsets, rows = self.rows_in_order()
        doc, topic = self.judged_at(offsets, rows), self.in_judgments[segment_of(offsets)]
        is_unjudged = (np.append(self.judgments.grade, -1)[doc] < 0) & ~self.run.declares[rows]
        if depth is not None:
            deep = self.ranked_rows("trec")[position_in_segment(offsets) >= depth]
            is_unjudged &= ~np.isin(rows, deep)
        unjudged = np.flatnonzero(is_unjudged)
        of_document, _ = encoded(from_ints(self.run.first_rows[rows[unjudged]]))
        added = unjudged[first_rows(of_document)]
        new = added[doc[added] < 0]
        judgments = self.judgments.with_added(topic[added], doc[added], partial(self.run.docs_at, rows[new]), grade)
        view = self.view(judgments)
        _, row, doc_of_row = judgments.all_rows
        assumed = doc_of_row[row >= len(self.judgments.row_grade)][of_document]
        unknown = doc[unjudged] < 0  # the others are hits of the base
        view._assumed = rows[unjudged[unknown]], assumed[unknown]
        return view

    # -- rows of the run ---------------------------------------------------------------------------------

    def judged_at(self, offsets: Ints, rows: Ints) -> Ints:
        """Return, for rows of the run, topic by topic, the position of their document in the judgments; -1 if unjudged."""
        found = self.unranked_hits(None)
        # from a topic's rows in the run to their positions among all rows of the join
        to_place = offsets_of(self.depth)[:-1] - self.run.offsets[self.in_run]
        doc = np.full(int(self.depth.sum()), -1, dtype=np.int64)
        doc[found.row + to_place[segment_of(found.offsets)]] = found.doc
        return doc[rows + to_place[segment_of(offsets)]]

    def doc_ids(self, rows: Ints) -> list[str]:
        """Return the ids of the documents of rows of the run, topic by topic."""
        return self.run.docs_at(rows)


def grade_of_unjudged(unjudged: float | str, judgments: Judgments) -> float | None:
    """Return the grade that an assumption about unjudged documents gives them; None if they stay unjudged."""
    if unjudged == "nonrelevant":
        return None
    words: dict[Any, float] = {"relevant": 1.0, "largest": max(judgments.largest_grade, 1.0)}
    grade = words.get(unjudged) if isinstance(unjudged, str) else unjudged
    if grade is None or not 0 <= grade < np.inf:
        raise ValueError(
            f"unjudged must be 'nonrelevant', 'relevant', 'largest' or a grade of 0 or more. Got {unjudged!r} instead."
        )
    return float(grade)


def _in_32_bits(scores: Floats) -> Any:
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def _key(topic: Ints, score: Floats) -> Array:
    """Return a number per row that is smaller for an earlier topic, and within a topic for a larger score in 32 bits."""
    bits = (0.0 - _in_32_bits(score)).view(np.uint32)  # 0 - score, because -0.0 would differ from 0.0
    negative = bits >> np.uint32(31) == 1
    ascending = np.where(negative, ~bits, bits | np.uint32(1 << 31))
    return np.asarray((topic.astype(np.uint64) << np.uint64(32)) | ascending)
