"""Gains and costs of a run of the Temporal Summarization track: nuggets found, by update, and words read."""

from __future__ import annotations

import math
import warnings
from functools import cached_property, partial

import numpy as np

from irmx import Column, DataError, DataWarning, Rankings
from irmx.ragged import Floats, Ints, position_in_run, segment_sum
from irmx_stream.columns import (
    IMPORTANCE,
    JUDGED_LENGTH,
    MATCH_END,
    MATCH_START,
    NUGGET_LENGTH,
    ORIGINAL_LENGTH,
    TIMESTAMP,
    TRACK_COLUMNS,
)
from irmx_stream.streams import (
    Nuggets,
    as_in_the_track,
    given_lengths,
    in_use,
    judged_lengths,
    places_of_updates,
    refuse_other_times,
    warn_of_far_nuggets,
    with_default,
)
from irmx_stream.times import seconds

LATENCY_STEP = 21600.0
"""Seconds in 6 hours: a nugget found this late is worth half."""
LARGEST_IMPORTANCE = 3.0


class Accounts:
    """Updates in the order of time, and the nuggets that each is the first to hold.

    Columns are read lazily, when first needed.

    Parameters
    ----------
    rankings : Rankings
        The run and the judgments; nothing is ranked.
    duplicates : {"pool", "all"}
        Whether near-duplicates found later than the pool count.
    track : {"2014", "2013"}
        Whether updates that were never pooled cost one word each, or are dropped.
    default_length : float
        Number of words of a pooled update of unknown length.
    same_time : {"id", "run"}
        Whether updates with the same time are ordered by descending id or as in the run.
    words : {"white_space", "track"}
        How words are counted.
    unimportant : {"drop", "keep"}
        Whether nuggets of importance 0 are left out, if the qrels have the importance.

    Attributes
    ----------
    rows : int array, shape (updates,)
        The rows of the run that count, ordered by topic, by time, and for equal times according to ``same_time``.
    topic : int array, shape (updates,)
        The topic of each.
    pooled : bool array, shape (updates,)
        Whether it was judged.
    names : list of str
        The nuggets of all topics.
    nugget_topic : int array, shape (nuggets,)
        The topic of each.
    nugget, update : int array, shape (found,)
        The nuggets found, and the update that each belongs to; by update.
    """

    def __init__(
        self,
        rankings: Rankings,
        duplicates: str,
        track: str,
        default_length: float,
        same_time: str,
        words: str,
        unimportant: str,
    ) -> None:
        self._run, self._qrels, self._topics = rankings.run_rows, rankings.qrels_rows, rankings.topics
        self._same_time = same_time
        self._with_default = partial(with_default, rankings, default_length=default_length, what="pooled updates")
        time = seconds(self._run, TIMESTAMP)
        at_run, at_qrels = matching = rankings.matching_rows()
        self._text_lengths = partial(_text_lengths, rankings, words, *matching)
        self._counted_as = TRACK_COLUMNS if words == "track" else {}
        judged = in_use(self._qrels, duplicates)[at_qrels]
        at_run, at_qrels = at_run[judged], at_qrels[judged]
        pooled = np.zeros(len(time), dtype=bool)
        pooled[at_run] = True
        counted = pooled if track == "2013" else np.ones(len(time), dtype=bool)
        rows = np.flatnonzero(counted)
        keys = [time[rows], self._run.topic[rows]]
        if same_time == "id":
            keys.insert(0, -places_of_updates(rankings)[rows])
        order = np.lexsort(keys)
        self.rows = rows[order]
        self._alike = np.cumsum(np.any([position_in_run(key[order]) == 0 for key in keys], axis=0))
        self.topic, self.pooled, self.time = self._run.topic[self.rows], pooled[self.rows], time[self.rows]
        place = np.full(len(time), -1, dtype=np.int64)
        place[self.rows] = np.arange(len(self.rows))
        self._nuggets, self._warn_of_far_nuggets = Nuggets.of(rankings), partial(warn_of_far_nuggets, rankings)
        if unimportant == "drop" and self._qrels.has(IMPORTANCE):
            self._nuggets = self._nuggets.only(self._nuggets.column(IMPORTANCE) != 0)
        self.names, self.nugget_topic = self._nuggets.names, self._nuggets.topic
        there = counted[at_run]
        self._judged_update, self._judged_row = place[at_run[there]], at_qrels[there]
        self._take_first(rankings.rel)

    def _take_first(self, rel: float) -> None:
        """Assign every nugget to the earliest update that holds it."""
        holds = (
            as_in_the_track(self._qrels)[self._judged_row]
            & (self._nuggets.of_row[self._judged_row] >= 0)
            & (self._qrels.grade[self._judged_row] >= rel)
        )
        update, row = self._judged_update[holds], self._judged_row[holds]
        nugget = self._nuggets.of_row[row]
        first = np.full(len(self.names), len(self.rows), dtype=np.int64)
        np.minimum.at(first, nugget, update)
        own = update == first[nugget]
        self._own_update, self._own_row = update[own], row[own]
        found = np.flatnonzero(first < len(self.rows))
        self.nugget = found[np.argsort(first[found], kind="stable")]
        self.update = first[self.nugget]

    # -- sums over topics --------------------------------------------------------------------------------

    def per_update(self, values: Floats) -> Floats:
        """Return, per topic, the sum of values over its updates."""
        return segment_sum(values, self.topic, len(self._topics))

    def per_found(self, values: Floats) -> Floats:
        """Return, per topic, the sum of values over the nuggets found, in the order of all nuggets: no share exceeds 1."""
        of_all = np.zeros(len(self.names))
        of_all[self.nugget] = values
        return self.per_nugget(of_all)

    def per_nugget(self, values: Floats) -> Floats:
        """Return, per topic, the sum of values over all its nuggets."""
        return segment_sum(values, self.nugget_topic, len(self._topics))

    @cached_property
    def updates(self) -> Floats:
        """|S|, the number of updates of every topic."""
        return self.per_update(np.ones(len(self.rows)))

    @cached_property
    def nuggets(self) -> Floats:
        """|N|, the number of nuggets of every topic."""
        return self.per_nugget(np.ones(len(self.names)))

    # -- the terms of the measures -----------------------------------------------------------------------

    @cached_property
    def importance(self) -> Floats:
        """The importance of every nugget, 0 to 3."""
        found = self._nuggets.column(IMPORTANCE)
        for i in np.flatnonzero((found < 0) | (found > LARGEST_IMPORTANCE))[:1].tolist():
            raise DataError(
                f"The importance of {self._nuggets.named(i)} is {found[i]:g}. It must be 0 to {LARGEST_IMPORTANCE:g}."
            )
        return found

    def worth(self, gain: str) -> Floats:
        """R(n) of every nugget: graded exp(importance) / exp(3), or binary 1 if the importance is above 0."""
        if gain == "binary":
            return (self.importance > 0).astype(np.float64)
        return np.asarray(np.exp(self.importance - LARGEST_IMPORTANCE))

    @cached_property
    def latency(self) -> Floats:
        """L(n.t, u.t) of every nugget found: 1 when found as it was known, in (0, 2), above 1 when early."""
        known = self._nuggets.times()
        self._warn_of_far_nuggets()
        refuse_other_times(self.time, self.topic, known, self.nugget_topic)
        late = self.time[self.update] - known[self.nugget]
        return np.asarray(1 - (2 / math.pi) * np.arctan(late / LATENCY_STEP))

    @cached_property
    def verbosity(self) -> Floats:
        """V(u) of every update: 1 + max(0, |u| - words that match its own nuggets) / mean words per nugget.

        0 in a topic without nuggets, for which the mean is undefined.
        """
        mean = self.per_nugget(self._nugget_words) / np.maximum(self.nuggets, 1)
        there = self.nuggets > 0
        mean[~there] = np.inf
        return np.asarray(there[self.topic] + np.maximum(0, self._words - self._words_matched) / mean[self.topic])

    @cached_property
    def _nugget_words(self) -> Floats:
        words = self._nuggets.column(self._column(NUGGET_LENGTH))
        total = self.per_nugget(words)
        for i in np.flatnonzero(words < 0)[:1].tolist():
            raise DataError(f"The length of {self._nuggets.named(i)} is {words[i]:g}; a length cannot be negative.")
        for topic in np.flatnonzero((self.nuggets > 0) & ~(total > 0))[:1].tolist():
            raise DataError(f"The nuggets of query {self._topics[topic]} have no words: their 'nugget_length' is 0.")
        return words

    def _column(self, column: Column) -> Column:
        """Return the variant of a column of words for the way in which words are counted."""
        return self._counted_as.get(column, column)

    @cached_property
    def _words(self) -> Floats:
        """|u|, for a near-duplicate that of its original; one word for an update that was never pooled."""
        words = self._text_lengths()[self.rows]
        words[~self.pooled] = 1.0
        words[self.pooled] = self._with_default(words[self.pooled], self.rows[self.pooled])
        return words if self._same_time == "run" else words[np.lexsort((words, self._alike))]

    @cached_property
    def _words_matched(self) -> Floats:
        """The number of words of every update in the matches of its own nuggets, each counted once."""
        columns = map(self._column, (MATCH_START, MATCH_END))
        start, end = (self._qrels.column(c, missing_ok=True)[self._own_row] for c in columns)
        placed = ~(np.isnan(start) | np.isnan(end))
        if not placed.all():
            warnings.warn(
                f"{int((~placed).sum()):,} of {len(placed):,} matches have no position in their update; they cover none of its words.",
                DataWarning,
                stacklevel=2,
            )
        update, start, end = self._own_update[placed], start[placed], end[placed]
        for i in np.flatnonzero((start < 0) | (end < start))[:1].tolist():
            raise DataError(
                f"A match in the update {self.doc_id(update[i])!r} goes from word {start[i]:g} to {end[i]:g}: "
                "it must start at 0 or later and must not end before it starts."
            )
        return _covered(update, start, end, len(self.rows))

    # -- names -------------------------------------------------------------------------------------------

    def doc_id(self, update: int) -> str:
        """Return the id of an update."""
        return self._run.doc_ids[int(self.rows[update])]

    def doc_ids(self, updates: Ints) -> list[str]:
        """Return the ids of updates."""
        return [self._run.doc_ids[row] for row in self.rows[updates].tolist()]


def _text_lengths(rankings: Rankings, words: str, at_run: Ints, at_qrels: Ints) -> Floats:
    """Return the length of the text that the matches of every update refer to, NaN where unknown.

    For a near-duplicate it is that of its original; otherwise it comes from the qrels, or the run. Words as counted by the
    track's script are in the qrels only.
    """
    if words == "track":
        return judged_lengths(TRACK_COLUMNS[JUDGED_LENGTH], rankings, at_run, at_qrels)
    of_original = judged_lengths(ORIGINAL_LENGTH, rankings, at_run, at_qrels)
    return np.where(np.isnan(of_original), given_lengths(rankings, at_run, at_qrels), of_original)


def _covered(update: Ints, start: Floats, end: Floats, updates: int) -> Floats:
    """Return the number of words of every update that are in at least one span.

    >>> _covered(np.array([0, 0, 2]), np.array([0.0, 3.0, 1.0]), np.array([4.0, 6.0, 2.0]), 3)
    array([6., 0., 1.])
    """
    order = np.lexsort((end, start, update))
    update, start, end = update[order], start[order], end[order]
    nth = np.arange(len(update)) - np.searchsorted(update, update)
    covered, reach = np.zeros(updates), np.zeros(updates)
    for k in range(int(nth.max(initial=-1)) + 1):
        of, a, b = (values[nth == k] for values in (update, start, end))
        covered[of] += np.maximum(0, b - np.maximum(a, reach[of]))
        reach[of] = np.maximum(reach[of], b)
    return covered
