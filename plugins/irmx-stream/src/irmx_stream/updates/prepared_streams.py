"""The streams of a run over all topics as compact arrays for simulations, computed once and shared by all settings."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmx import DataError, DataWarning, Rankings
from irmx.ragged import Array, Floats, Ints, offsets_of
from irmx_stream.updates.checked_values import given_lengths, places_of_updates, refuse_other_times
from irmx_stream.updates.nuggets import Nuggets, as_in_the_track, in_use, warn_of_far_nuggets
from irmx_stream.updates.stream_columns import NUGGET_TIME, QUERY_END, QUERY_START, TIMESTAMP
from irmx_stream.updates.streams import Stream


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
        For a negative length, a nugget without a time or with two, a window that ends before it starts.
    """
    run, qrels = rankings.run_rows, rankings.qrels_rows
    start, window = _windows(rankings)
    time = run.column(TIMESTAMP, missing_ok=True)
    at_run, at_qrels = rankings.matching_rows()
    length = _lengths(rankings, at_run, at_qrels, default_length)
    numbered = Nuggets.of(rankings)
    warn_of_far_nuggets(rankings)
    known = numbered.column(NUGGET_TIME)
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


def _windows(rankings: Rankings) -> tuple[Floats, Floats]:
    """Return the start and the length of every topic's window."""
    start, end = (rankings.topic_column(c) for c in (QUERY_START, QUERY_END))
    wrong = np.flatnonzero(end < start)
    if len(wrong):
        i = int(wrong[0])
        raise DataError(
            f"The window of query {rankings.topics[i]} ends before it starts: query_start {start[i]:.15g}, "
            f"query_end {end[i]:.15g}."
        )
    return start, end - start


def _lengths(rankings: Rankings, at_run: Ints, at_qrels: Ints, default_length: float) -> Floats:
    """Return the words of every update: from the run, else from the qrels, else the default."""
    length = given_lengths(rankings, at_run, at_qrels)
    unknown = np.isnan(length)
    if unknown.any():
        warnings.warn(
            f"{int(unknown.sum()):,} of {len(length):,} updates have no length; {default_length:g} words are assumed "
            "(default_length).",
            DataWarning,
            stacklevel=2,
        )
        length[unknown] = default_length
    return length


def _tell_of_times(time: Floats, window: Floats) -> None:
    """Warn about updates without a time, or outside the window of their topic."""
    unknown = int(np.isnan(time).sum())
    if unknown:
        warnings.warn(
            f"{unknown:,} of {len(time):,} updates have no timestamp; they are never delivered.",
            DataWarning,
            stacklevel=2,
        )
    early, late = int((time < 0).sum()), int((time > window).sum())
    if early or late:
        warnings.warn(
            f"{early + late:,} of {len(time):,} updates were emitted outside their topic's time window: {early:,} before "
            f"its start, which are available in the first session, and {late:,} after its end, which are left out.",
            DataWarning,
            stacklevel=2,
        )
