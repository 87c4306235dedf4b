"""Streams from tables of updates and nuggets."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Param, read_table
from irmx_stream.updates.checked_values import SAME_TIME, places_of_ids, require_one_of
from irmx_stream.updates.streams import Stream

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
