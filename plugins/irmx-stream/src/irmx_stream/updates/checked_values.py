"""Checks of column values: numbers, names of nuggets, lengths of updates."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from irmx import Column, DataError, Rankings, Rows, UsageError
from irmx.ragged import Floats, Ints
from irmx_stream.updates.stream_columns import JUDGED_LENGTH, LENGTH, NUGGET

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


def is_number(value: Any) -> bool:
    """Tell whether an argument is a real number, of Python or numpy."""
    return isinstance(value, Real)


def require_one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise if an argument is not one of its choices."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(map(repr, choices))}. Got {value!r} instead.")


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
