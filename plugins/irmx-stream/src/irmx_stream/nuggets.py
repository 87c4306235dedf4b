"""The nuggets of all topics, numbered, with their columns of the qrels; and checks of lengths and times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import Column, DataError, Rankings, Rows
from irmx.ragged import Array, Bools, Floats, Ints
from irmx.toolkit import plural
from irmx_stream.columns import JUDGED_LENGTH, LENGTH, NUGGET, NUGGET_TIME, POOLED, REPLACED


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
    """Return the words of every update of the run: from the run, else from the qrels, else NaN.

    Parameters
    ----------
    rankings : Rankings
        The run and the judgments.
    at_run, at_qrels : int array, shape (pairs,)
        Pairs of rows, of the run and of the qrels, with the same update.

    Raises
    ------
    irmx.errors.DataError
        For a negative length, and for two lengths of one update in the qrels where the run has none.
    """
    length = rankings.run_rows.column(LENGTH, missing_ok=True)
    return with_judged(JUDGED_LENGTH, length, rankings, at_run, at_qrels)


def with_judged(column: Column, length: Floats, rankings: Rankings, at_run: Ints, at_qrels: Ints) -> Floats:
    """Return lengths of the updates of the run, with those of a qrels column where there is none; errors as above."""
    length, of_pair = length.copy(), rankings.qrels_rows.column(column, missing_ok=True)[at_qrels]
    lacking = np.isnan(length[at_run]) & ~np.isnan(of_pair)
    row, judged = at_run[lacking], of_pair[lacking]
    length[row] = judged
    for i in np.flatnonzero(length[row] != judged)[:1].tolist():
        raise DataError(
            f"The qrels column {column.name!r} has two lengths of {_update(rankings, int(row[i]))}: {judged[i]:.15g} "
            f"and {length[row[i]]:.15g} words."
        )
    for i in np.flatnonzero(length < 0)[:1].tolist():
        raise DataError(f"The length of {_update(rankings, i)} is {length[i]:g}; a length cannot be negative.")
    return length


def _update(rankings: Rankings, row: int) -> str:
    run = rankings.run_rows
    return f"the update {run.doc_ids[row]!r} of query {rankings.topics[run.topic[row]]}"
