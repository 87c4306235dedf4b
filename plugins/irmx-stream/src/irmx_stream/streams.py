"""Streams: the updates that a user can read and the nuggets they hold, from tables, and of a run over all topics."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmx import Column, DataError, DataWarning, Param, Rankings, Rows, UsageError, read_table
from irmx.ragged import Array, Bools, Floats, Ints, offsets_of, short_repr
from irmx.toolkit import plural
from irmx_stream.columns import (
    JUDGED_LENGTH,
    LENGTH,
    NUGGET,
    NUGGET_TIME,
    POOLED,
    QUERY_END,
    QUERY_START,
    REPLACED,
    TIMESTAMP,
)
from irmx_stream.times import seconds

# -- the nuggets of all topics ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nuggets:
    """The nuggets of the topics of rankings, numbered by topic and name, independent of the order of the qrels.

    Attributes
    ----------
    names : list of str
        Their names.
    topic : int array, shape (nuggets,)
        The topic of each, ascending.
    of_row : int array, shape (qrels rows,)
        The nugget that every row of the qrels names, -1 for none.
    """

    names: list[str]
    topic: Ints
    of_row: Ints
    _qrels: Rows
    _query_ids: tuple[Any, ...]

    @classmethod
    def of(cls, rankings: Rankings) -> Nuggets:
        """Return the nuggets of rankings; they are numbered once for all runs."""
        qrels = rankings.qrels_rows
        return cls(*rankings.qrels_memo("numbered nuggets", lambda: _numbered(qrels)), qrels, rankings.topics)

    def __len__(self) -> int:
        return len(self.names)

    def only(self, kept: Array) -> Nuggets:
        """Return a subset of the nuggets; rows that name any other nugget then name none."""
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        of_row = np.append(number, -1)[self.of_row]
        names = [name for name, is_kept in zip(self.names, kept.tolist(), strict=True) if is_kept]
        return Nuggets(names, self.topic[kept], of_row, self._qrels, self._query_ids)

    def named(self, nugget: int) -> str:
        """Return the name of a nugget in messages."""
        return f"the nugget {self.names[nugget]!r} of query {self._query_ids[self.topic[nugget]]}"

    def column(self, column: Column) -> Floats:
        """Return a qrels column over the nuggets; some rows of a nugget may omit the value, but none may differ."""
        values, given = self._first_given(column), self._qrels.column(column, missing_ok=True)
        rows = np.flatnonzero((self.of_row >= 0) & ~np.isnan(given))
        for row in rows[values[self.of_row[rows]] != given[rows]][:1].tolist():
            nugget = int(self.of_row[row])
            raise DataError(
                f"The column {column.name!r} has two values for {self.named(nugget)}: {values[nugget]:.15g} and {given[row]:.15g}."
            )
        for nugget in np.flatnonzero(np.isnan(values))[:1].tolist():
            raise DataError(f"The qrels column {column.name!r} has no value for {self.named(nugget)}.")
        return values

    def _first_given(self, column: Column) -> Floats:
        """Return a qrels column over the nuggets, from the first row of each that has a value; NaN if none has."""
        given = self._qrels.column(column, missing_ok=True)
        rows = np.flatnonzero((self.of_row >= 0) & ~np.isnan(given))[::-1]
        values = np.full(len(self), np.nan)
        values[self.of_row[rows]] = given[rows]
        return values

    def times(self) -> Floats:
        """Return when each nugget was first known, in seconds."""
        seconds(self._qrels, NUGGET_TIME, missing_ok=True)
        return self.column(NUGGET_TIME)

    def _warn_of_far(self) -> None:
        known = self._first_given(NUGGET_TIME)
        nearest = _to_nearest(known, self.topic)
        far = np.flatnonzero(np.isfinite(nearest) & (nearest > YEAR))
        if not len(far):
            return
        first = int(far[0])
        days = f"{nearest[first] / 86400:,.0f} days"
        told = np.flatnonzero((self.topic == self.topic[first]) & ~np.isnan(known))
        if len(told) == 2:
            text = (
                f"{' and '.join(f'{self.named(i)}, at {known[i]:.15g},' for i in told.tolist())} were first known {days} apart. "
                "Are both times right?"
            )
        else:
            told = far[:1]
            text = (
                f"{self.named(first)} was first known at {known[first]:.15g}, {days} before or after the nearest other nugget of "
                "its topic. Is its time right?"
            )
        more = len(far) - len(told)
        if more:
            text += (
                f" {plural(more, 'more nugget')} {'is' if more == 1 else 'are'} that far from any other of the topic."
            )
        self._qrels.warn(text, [int(np.argmax(self.of_row == i)) for i in told.tolist()])


def warn_of_far_nuggets(rankings: Rankings) -> None:
    """Warn once for all runs about nuggets first known more than a year before or after every other of their topic."""
    rankings.qrels_memo("far nuggets", Nuggets.of(rankings)._warn_of_far)


def _to_nearest(times: Floats, topic: Ints) -> Floats:
    """Return the distance of each time from the nearest other of its topic; infinite for a single or an unknown time.

    >>> _to_nearest(np.array([5.0, 100.0, 7.0, 3.0]), np.array([0, 0, 0, 1]))
    array([ 2., 93.,  2., inf])
    """
    order = np.lexsort((times, topic))
    gap = np.diff(times[order])
    gap[(np.diff(topic[order]) != 0) | np.isnan(gap)] = np.inf
    out = np.empty(len(times))
    out[order] = np.minimum(np.append(gap, np.inf), np.append(np.inf, gap)) if len(times) else out
    return out


def _numbered(qrels: Rows) -> tuple[list[str], Ints, Ints]:
    """Return the names and the topics of the nuggets, and the number of the nugget of every row."""
    keys = list(zip(qrels.topic.tolist(), nugget_names(qrels), strict=True))
    number_of = {key: number for number, key in enumerate(sorted({key for key in keys if key[1]}))}
    of_row = np.array([number_of.get(key, -1) for key in keys], dtype=np.int64)
    return [name for _, name in number_of], np.array([topic for topic, _ in number_of], dtype=np.int64), of_row


def as_in_the_track(qrels: Rows) -> Bools:
    """Return which rows of the qrels the track uses: all except a near-duplicate's own matches that its original's replace."""
    return np.asarray(qrels.column(REPLACED, missing_ok=True) != 1)


def in_use(qrels: Rows, duplicates: str) -> Bools:
    """Return which rows of the qrels count: all, or with ``"pool"`` only those recorded in the pool."""
    if duplicates == "all":
        return np.ones(len(qrels), dtype=bool)
    return np.asarray(qrels.column(POOLED, missing_ok=True) != 0)


YEAR = 366 * 86400.0


def refuse_other_times(time: Floats, topic: Ints, known: Floats, known_topic: Ints) -> None:
    """Raise if no update of a run lies within a year of the nuggets of its topic, so that the times cannot be comparable.

    Parameters
    ----------
    time, topic : array, shape (updates,)
        The time at which each update was emitted, and the number of its topic.
    known, known_topic : array, shape (nuggets,)
        The same for the nuggets.
    """
    topics = 1 + int(max(topic.max(initial=0), known_topic.max(initial=0)))
    first, last = np.full(topics, np.inf), np.full(topics, -np.inf)
    np.fmin.at(first, known_topic, known)
    np.fmax.at(last, known_topic, known)
    compared = np.flatnonzero(~np.isnan(time) & np.isfinite(first[topic]))
    time, topic = time[compared], topic[compared]
    if len(time) and not np.any((time >= first[topic] - YEAR) & (time <= last[topic] + YEAR)):
        raise DataError(
            f"No update of the run lies within a year of its topic's nuggets. The time of the first is {time[0]:.15g}, those of its topic's "
            f"nuggets are {first[topic[0]]:.15g} to {last[topic[0]]:.15g}: are both in seconds, with the same origin?"
        )


def nugget_names(qrels: Rows) -> list[str]:
    """Return the nugget of every qrels row as a string, empty if the row names none."""
    number, names = qrels.labels(NUGGET, missing_ok=True)
    texts = [*map(str, names), ""]
    return [texts[i] for i in number.tolist()]


SAME_TIME = ("id", "run")
"""The order of updates with the same time and confidence: by descending id, or in the order of the run."""


def places_of_ids(docs: Sequence[str]) -> Ints:
    """Return the rank of every id in ascending order, from 0; equal ids have the same rank.

    >>> places_of_ids(["b", "c", "b", "a"])
    array([1, 2, 1, 0])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ranks = pc.rank(pa.array(docs, pa.large_string()), tiebreaker="dense")
    return np.asarray(ranks.to_numpy().astype(np.int64) - 1)


def places_of_updates(rankings: Rankings) -> Ints:
    """Return the ranks of the ids of all updates of a run, computed once."""
    return rankings.memo("places of updates", lambda: places_of_ids(rankings.run_rows.doc_ids))


def given_lengths(rankings: Rankings, at_run: Ints, at_qrels: Ints) -> Floats:
    """Return the words of every update of the run: from the qrels, else from the run, else NaN.

    Where the run has another length than the qrels, a warning counts such updates.

    Parameters
    ----------
    rankings : Rankings
        The run and the judgments.
    at_run, at_qrels : int array, shape (pairs,)
        Pairs of rows, of the run and of the qrels, with the same update.

    Raises
    ------
    irmx.errors.DataError
        For a length of 0 or less in the run, a negative one in the qrels, or two of one update in the qrels.
    """
    length = judged_lengths(JUDGED_LENGTH, rankings, at_run, at_qrels)
    own = rankings.run_rows.column(LENGTH, missing_ok=True)
    for i in np.flatnonzero(own <= 0)[:1].tolist():
        raise DataError(f"The length of {_update(rankings, i)} is {own[i]:g}; a length must be above 0.")
    differing = np.flatnonzero((own != length) & ~np.isnan(own) & ~np.isnan(length))
    for i in differing[:1].tolist():
        warnings.warn(
            f"{len(differing):,} of {len(own):,} updates have another length than in the qrels, which counts. The first is "
            f"{_update(rankings, i)}: {own[i]:.15g} words, {length[i]:.15g} in the qrels.",
            DataWarning,
            stacklevel=2,
        )
    return np.where(np.isnan(length), own, length)


def judged_lengths(column: Column, rankings: Rankings, at_run: Ints, at_qrels: Ints) -> Floats:
    """Return the lengths that a qrels column has of the updates of the run, else NaN; errors as above."""
    length = np.full(len(rankings.run_rows), np.nan)
    of_pair = rankings.qrels_rows.column(column, missing_ok=True)[at_qrels]
    given = ~np.isnan(of_pair)
    row, judged = at_run[given], of_pair[given]
    length[row] = judged
    for i in np.flatnonzero(length[row] != judged)[:1].tolist():
        raise DataError(
            f"The qrels column {column.name!r} has two lengths of {_update(rankings, int(row[i]))}: {judged[i]:.15g} "
            f"and {length[row[i]]:.15g} words."
        )
    for i in np.flatnonzero(length < 0)[:1].tolist():
        raise DataError(f"The length of {_update(rankings, i)} is {length[i]:g}; a length cannot be negative.")
    return length


def with_default(rankings: Rankings, length: Floats, rows: Ints, default_length: float, what: str) -> Floats:
    """Return lengths with the default where none is known, with a warning that counts these rows of the run.

    Raises
    ------
    irmx.errors.DataError
        If the run has lengths of other updates: a run that tells some is not to gain by those that it leaves out.
    """
    unknown = np.flatnonzero(np.isnan(length))
    if not len(unknown):
        return length
    if not np.isnan(rankings.run_rows.column(LENGTH, missing_ok=True)).all():
        raise DataError(
            f"{len(unknown):,} of {len(length):,} {what} have no length, while the run has lengths of others. The first is "
            f"{_update(rankings, int(rows[unknown[0]]))}. Give the length of every update, or of none."
        )
    warnings.warn(
        f"{len(unknown):,} of {len(length):,} {what} have no length; {default_length:g} words are assumed (default_length).",
        DataWarning,
        stacklevel=2,
    )
    length = length.copy()
    length[unknown] = default_length
    return length


def _update(rankings: Rankings, row: int) -> str:
    run = rankings.run_rows
    return f"the update {run.doc_ids[row]!r} of query {rankings.topics[run.topic[row]]}"


# -- streams ---------------------------------------------------------------------------------------------------------


LATE = ("before", "at")
"""Which sessions make a nugget late: those that start after it was known, or also those that start at that time."""

_CELLS = 2**17


def in_order(time: Floats, confidence: Floats, *further: Array) -> Ints:
    """Return the updates of a run oldest first, in the order of :class:`Stream`.

    Updates with the same time and confidence are sorted by further columns, lowest first; if these are equal too, or there
    are none, the one later in the run comes first.

    >>> in_order(np.array([5, 5, 0]), np.zeros(3)), in_order(np.array([5, 5, 0]), np.zeros(3), np.array([1, 2, 3]))
    (array([2, 1, 0]), array([2, 0, 1]))
    """
    return np.lexsort((-np.arange(len(time)), *reversed(further), confidence, time))


@dataclass(frozen=True)
class Stream:
    """One topic's updates, oldest first, and the nuggets that some of them hold.

    Updates with the same time are sorted by confidence, lowest first, so that reading from the end is reading the newest
    first and, for equal times, the most confident first. Those with the same confidence are sorted by id, so that the
    largest id is read first, or by the order of the run; see :meth:`of`.

    Attributes
    ----------
    time : float array, shape (updates,)
        The time at which each was emitted, in seconds; ascending.
    length : float array, shape (updates,)
        The number of words of each.
    confidence : float array, shape (updates,)
        The system's confidence in each.
    update : int array, shape (pairs,)
        The index of the update, for every pair of an update and a nugget that it holds; ascending.
    nugget : int array, shape (pairs,)
        The number of the nugget, for every pair.
    nugget_time : float array, shape (nuggets,)
        The time at which each nugget was first known; ascending.
    """

    time: Floats
    length: Floats
    confidence: Floats
    update: Ints
    nugget: Ints
    nugget_time: Floats

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(
        cls,
        time: Floats,
        length: Floats,
        confidence: Floats,
        update: Ints,
        nugget: Ints,
        nugget_time: Floats,
        place: Ints | None = None,
    ) -> Stream:
        """Return the stream for updates in the order of a run, and pairs of an update and a nugget in any order.

        The nuggets are numbered in the order of their times. ``place`` is the rank of the id of each update among all ids:
        updates with the same time and confidence are read by descending id, whatever the order of the run. Without it they
        are read in the order of the run.
        """
        by_time = np.argsort(nugget_time, kind="stable")
        number = np.empty(len(by_time), dtype=np.int64)
        number[by_time] = np.arange(len(by_time))
        oldest_first = in_order(time, confidence, *(() if place is None else (place, length)))
        new = np.empty(len(time), dtype=np.int64)
        new[oldest_first] = np.arange(len(time))
        of_pairs = np.stack([new[np.asarray(update, dtype=np.int64)], number[np.asarray(nugget, dtype=np.int64)]])
        place_of_pair, nugget_of_pair = np.unique(of_pairs, axis=1)
        return cls(
            time[oldest_first],
            length[oldest_first],
            confidence[oldest_first],
            place_of_pair,
            nugget_of_pair,
            nugget_time[by_time],
        )

    @cached_property
    def words(self) -> Floats:
        """The cumulative words of the updates, starting with 0, shape (updates + 1,)."""
        out = np.zeros(len(self) + 1)
        np.cumsum(self.length, out=out[1:])
        return out

    @cached_property
    def table(self) -> tuple[Ints, float]:
        """Lookup table for a moment t among the times: it is between table[c] and table[c + 1], with c = floor(t * scale).

        Moments outside the times of the updates are in the nearest cell.
        """
        cells = min(_CELLS, 4 * len(self) + 1)
        last = float(self.time[-1]) if len(self) else 0.0
        scale = cells / last if last > 0 and np.isfinite(cells / last) else 0.0
        cell = np.clip(np.floor(self.time * scale), 0, cells).astype(np.int64)
        return offsets_of(np.bincount(cell, minlength=cells + 1)).astype(np.int32), scale

    def known(self, late: str) -> Floats:
        """Return the moment from which on the start of a session makes each nugget late: just after its time, or at it."""
        return self.nugget_time if late == "at" else np.asarray(np.nextafter(self.nugget_time, np.inf))

    @cached_property
    def held(self) -> Ints:
        """The indices of the updates that hold a nugget, ascending: the only ones that need work."""
        return np.unique(self.update)


_UPDATES: dict[str, Param | type] = {
    "doc_id": str,
    "timestamp": Param(float, "time at which the update was emitted", unit="s", required=True),
    "length": Param(float, "length of the update", unit="words", low=0, required=True),
    "score": Param(float, "the confidence of the system", default=0.0),
}
_NUGGETS: dict[str, Param | type] = {
    "doc_id": str,
    "iteration": Param(str, "the nugget", required=True),
    "timestamp": Param(float, "time at which the nugget was first known", unit="s", required=True),
}


def require_one_of(name: str, value: Any, choices: tuple[str | None, ...]) -> None:
    """Raise if an argument is not one of its choices."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(map(repr, choices))}. Got {value!r} instead.")


def stream_of(updates: Any, nuggets: Any = None, same_time: str = "id") -> Stream:
    """Return the stream of one topic's updates and nuggets.

    Parameters
    ----------
    updates : Stream, DataFrame or mapping of columns
        ``doc_id``, ``timestamp`` (s), ``length`` (words) and, if known, ``score``, the confidence.
    nuggets : DataFrame or mapping of columns
        ``doc_id``, ``iteration`` (the nugget), ``timestamp`` (s; when it was first known). Rows of updates that were not
        emitted are ignored.
    same_time : {"id", "run"}
        Whether updates with the same time and confidence are read by descending ``doc_id``, or in the order of the table.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown ``same_time``.
    irmx.errors.DataError
        If a column or a number is missing, a length is negative, or a nugget has two times.

    Examples
    --------
    >>> updates = {"doc_id": ["u2", "u1"], "timestamp": [150, 10], "length": [8, 12]}
    >>> stream_of(updates, {"doc_id": ["u1"], "iteration": ["n1"], "timestamp": [5]}).time
    array([ 10., 150.])
    """
    if isinstance(updates, Stream):
        return updates
    require_one_of("same_time", same_time, SAME_TIME)
    emissions = read_table(updates, _UPDATES, "table of updates", empty=True)
    known = read_table(nuggets, _NUGGETS, "table of nuggets", empty=True)
    ids, names = emissions["doc_id"].tolist(), known["iteration"].tolist()
    number = {name: i for i, name in enumerate(sorted(set(names)))}
    times: dict[str, float] = {}
    for row, (name, when) in enumerate(zip(names, known["timestamp"].tolist(), strict=True)):
        if times.setdefault(name, when) != when:
            known.refuse([names.index(name), row], f"the nugget {name!r} has two times: {times[name]:g} and {when:g}.")
    emitted: dict[str, list[int]] = {}
    for row, doc_id in enumerate(ids):
        emitted.setdefault(doc_id, []).append(row)
    pairs = [
        (row, number[name])
        for doc_id, name in zip(known["doc_id"], names, strict=True)
        for row in emitted.get(doc_id, ())
    ]
    update, nugget = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    nugget_time = np.array([times[name] for name in number], dtype=np.float64)
    place = places_of_ids(ids) if same_time == "id" else None
    time, length, confidence = (emissions[name] for name in ("timestamp", "length", "score"))
    return Stream.of(time, length, confidence, update, nugget, nugget_time, place)


@dataclass(frozen=True)
class Streams:
    """The streams of a run, one per topic, as ragged arrays; times are seconds from the start of the topic's window.

    Attributes
    ----------
    topics : tuple
        The query ids.
    window : float array, shape (topics,)
        The length of each topic's window, in seconds.
    updates, pairs, nuggets : int array, shape (topics + 1,)
        The offsets of each topic's updates, pairs and nuggets.
    time, length, confidence : float array
        Values of the updates, oldest first; see :class:`Stream`.
    update, nugget : int array
        The update and the nugget of each pair; see :class:`Stream`.
    nugget_time : float array
        Times of the nuggets.
    """

    topics: tuple[Any, ...]
    window: Floats
    updates: Ints
    pairs: Ints
    nuggets: Ints
    time: Floats
    length: Floats
    confidence: Floats
    update: Ints
    nugget: Ints
    nugget_time: Floats

    def __len__(self) -> int:
        return len(self.topics)

    @cached_property
    def each(self) -> list[Stream]:
        """The stream of every topic."""
        return [self._of(topic) for topic in range(len(self))]

    def _of(self, topic: int) -> Stream:
        updates, pairs, nuggets = (
            slice(offsets[topic], offsets[topic + 1]) for offsets in (self.updates, self.pairs, self.nuggets)
        )
        return Stream(
            self.time[updates],
            self.length[updates],
            self.confidence[updates],
            self.update[pairs],
            self.nugget[pairs],
            self.nugget_time[nuggets],
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "each"}


def streams_of(rankings: Rankings, default_length: float, duplicates: str, copies: str, same_time: str) -> Streams:
    """Return the streams of a run.

    Parameters
    ----------
    rankings : Rankings
        The run and the judgments; only their rows are used, nothing is ranked.
    default_length : float
        Number of words of an update whose length neither the run nor the qrels have; a warning counts these updates.
    duplicates : {"all", "pool"}
        Whether near-duplicates found later than the pool hold the nuggets of their originals.
    copies : {"both", "original"}
        Whether a near-duplicate holds its own nuggets and its original's, or its original's instead of its own.
    same_time : {"id", "run"}
        Whether updates with the same time and confidence are read by descending id or in the order of the run.

    Raises
    ------
    irmx.errors.DataError
        For a wrong length, an update without a time, a nugget without one or with two, a window that ends before it starts.
    """
    run, qrels = rankings.run_rows, rankings.qrels_rows
    start, window = windows_of(rankings)
    time = seconds(run, TIMESTAMP)
    at_run, at_qrels = rankings.matching_rows()
    length = given_lengths(rankings, at_run, at_qrels)
    length = with_default(rankings, length, np.arange(len(run)), default_length, "updates")
    numbered = Nuggets.of(rankings)
    known = numbered.times()
    warn_of_far_nuggets(rankings)
    nuggets = np.searchsorted(numbered.topic, np.arange(len(rankings) + 1))
    holds = (numbered.of_row >= 0) & (qrels.grade >= rankings.rel) & in_use(qrels, duplicates)
    if copies == "original":
        holds &= as_in_the_track(qrels)
    at_run, at_qrels = at_run[holds[at_qrels]], at_qrels[holds[at_qrels]]
    refuse_other_times(time, run.topic, known, numbered.topic)
    time, nugget_time = time - start[run.topic], known - start[numbered.topic]
    _tell_of_times(time, window[run.topic])
    places = places_of_updates(rankings) if same_time == "id" else None
    made = []
    ends = np.searchsorted(at_run, run.offsets)
    for topic, (a, b) in enumerate(zip(run.offsets.tolist(), run.offsets[1:].tolist(), strict=False)):
        pairs = slice(ends[topic], ends[topic + 1])
        there = time[a:b] <= window[topic]
        number = np.cumsum(there) - 1
        update, name = at_run[pairs] - a, numbered.of_row[at_qrels[pairs]] - nuggets[topic]
        update, name = number[update[there[update]]], name[there[update]]
        made.append(
            Stream.of(
                time[a:b][there],
                length[a:b][there],
                run.score[a:b][there],
                update,
                name,
                nugget_time[nuggets[topic] : nuggets[topic + 1]],
                None if places is None else places[a:b][there],
            )
        )
    return _packed(rankings.topics, window, nuggets, made)


def _packed(topics: tuple[Any, ...], window: Floats, nuggets: Ints, streams: list[Stream]) -> Streams:
    def joined(name: str, dtype: type) -> Array:
        return np.concatenate([np.empty(0, dtype), *(getattr(s, name) for s in streams)])

    return Streams(
        topics,
        window,
        offsets_of([len(s) for s in streams]),
        offsets_of([len(s.update) for s in streams]),
        nuggets,
        joined("time", float),
        joined("length", float),
        joined("confidence", float),
        joined("update", int),
        joined("nugget", int),
        joined("nugget_time", float),
    )


def windows_of(rankings: Rankings) -> tuple[Floats, Floats]:
    """Return the start and the length of every topic's window."""
    for column in (QUERY_START, QUERY_END):
        seconds(rankings.qrels_rows, column, missing_ok=True)
    start, end = (rankings.topic_column(c) for c in (QUERY_START, QUERY_END))
    wrong = np.flatnonzero(end < start)
    if len(wrong):
        i = int(wrong[0])
        raise DataError(
            f"The window of query {rankings.topics[i]} ends before it starts: query_start {start[i]:.15g}, "
            f"query_end {end[i]:.15g}."
        )
    return start, end - start


def _tell_of_times(time: Floats, window: Floats) -> None:
    """Warn about updates outside the window of their topic."""
    early, late = int((time < 0).sum()), int((time > window).sum())
    if early or late:
        warnings.warn(
            f"{early + late:,} of {len(time):,} updates were emitted outside their topic's time window: {early:,} before "
            f"its start, which are available in the first session, and {late:,} after its end, which are left out.",
            DataWarning,
            stacklevel=2,
        )
