"""Streams from tables of updates and nuggets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irmx import DataError
from irmx.ragged import Floats
from irmx_stream.updates.checked_values import SAME_TIME, places_of_ids, require_one_of
from irmx_stream.updates.streams import Stream


def stream_of(updates: Any, nuggets: Any = None, same_time: str = "id") -> Stream:
    """Return the stream of one topic's updates and nuggets.

    Parameters
    ----------
    updates : Stream, DataFrame or mapping of columns
        ``doc_id``, ``timestamp`` (s), ``length`` (words), and ``score``, the confidence, if known.
    nuggets : DataFrame or mapping of columns
        ``doc_id``, ``iteration`` (the nugget), ``timestamp`` (s; when it was first known). Rows of updates that were not
        emitted count for nothing.
    same_time : {"id", "run"}
        Updates of one time and one confidence are read by descending ``doc_id``, or in the order of the table.

    Raises
    ------
    irmx.errors.UsageError
        For another ``same_time``.
    irmx.errors.DataError
        Where a column or a number is missing, a length is negative, or a nugget has two times.

    Examples
    --------
    >>> updates = {"doc_id": ["u2", "u1"], "timestamp": [150, 10], "length": [8, 12]}
    >>> stream_of(updates, {"doc_id": ["u1"], "iteration": ["n1"], "timestamp": [5]}).time
    array([ 10., 150.])
    """
    if isinstance(updates, Stream):
        return updates
    require_one_of("same_time", same_time, SAME_TIME)
    ids = _texts("updates", updates, "doc_id")
    time, length = _numbers("updates", updates, "timestamp"), _numbers("updates", updates, "length")
    if np.any(length < 0):
        row = int(np.flatnonzero(length < 0)[0])
        raise DataError(
            f"The length of an update cannot be negative. Found {length[row]:g} for {ids[row]!r}, row {row}."
        )
    confidence = _numbers("updates", updates, "score") if "score" in updates else np.zeros(len(ids))
    holders, names = _texts("nuggets", nuggets, "doc_id"), _texts("nuggets", nuggets, "iteration")
    known = _numbers("nuggets", nuggets, "timestamp")
    number = {name: i for i, name in enumerate(sorted(set(names)))}
    times: dict[str, float] = {}
    for name, when in zip(names, known.tolist(), strict=True):
        if times.setdefault(name, when) != when:
            raise DataError(f"The nugget {name!r} has two times: {times[name]:g} and {when:g}.")
    emitted: dict[str, list[int]] = {}
    for row, doc_id in enumerate(ids):
        emitted.setdefault(doc_id, []).append(row)
    pairs = [
        (row, number[name]) for doc_id, name in zip(holders, names, strict=True) for row in emitted.get(doc_id, ())
    ]
    update, nugget = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    nugget_time = np.array([times[name] for name in number], dtype=np.float64)
    place = places_of_ids(ids) if same_time == "id" else None
    return Stream.of(time, length, confidence, update, nugget, nugget_time, place)


def _column(table: str, columns: Any, name: str) -> Any:
    try:
        found = name in columns
    except TypeError:
        raise DataError(f"The {table} must be a table of columns. Got {type(columns).__name__} instead.") from None
    if not found:
        there = ", ".join(map(str, columns if isinstance(columns, Mapping) else getattr(columns, "columns", ())))
        raise DataError(f"The {table} lack the column {name!r}. They have: {there or 'none'}.")
    return columns[name]


def _texts(table: str, columns: Any, name: str) -> list[str]:
    return [str(value) for value in _column(table, columns, name)]


def _numbers(table: str, columns: Any, name: str) -> Floats:
    values = np.asarray(_column(table, columns, name))
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        numbers = np.full(len(values), np.nan)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(f"The column {name!r} of the {table} must hold numbers. Found {values[row]!r} in row {row}.")
    return numbers
