"""Tables that explain the value of MSU: the nuggets that users read in each update, and how late."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Rankings
from irmx.ragged import segment_sum
from irmx_stream.updates.checked_values import places_of_updates
from irmx_stream.updates.nuggets import Nuggets
from irmx_stream.updates.prepared_streams import Streams
from irmx_stream.updates.stream_columns import NUGGET_TIME, QUERY_START, TIMESTAMP
from irmx_stream.updates.streams import in_order
from irmx_stream.users.traces import simulate
from irmx_stream.utility.simulated_users import Crowd, Setting, utilities
from irmx_stream.utility.stream_utility import amounts_of, reads_of, units_of


def table_of_reads(
    rankings: Rankings,
    streams: Streams,
    crowd: Crowd,
    setting: Setting,
    same_time: str,
) -> dict[str, Any]:
    """Return one row per nugget of the first topic and update in which some user first reads it, by time of the update.

    The columns: the nugget; the update; when the nugget was known and the update emitted, in hours from the start of
    the topic's window; the words of the update; the share of users who first read the nugget there; the mean number of
    sessions by which they are late; and the contribution to the value.
    """
    stream, window = streams.each[0], float(streams.window[0])
    count = utilities([streams], crowd, [setting])[0][0][0].users
    users = crowd.of(0, count)
    traces = simulate(users, window, crowd.seed)
    reads = reads_of(stream, traces, users.speed, crowd.interface, setting.late)
    amounts = amounts_of(setting.per, stream, traces, users.speed, crowd.interface)
    units = count * units_of(amounts, count, setting.ratio)
    size = max(len(stream.nugget_time), 1)
    pair, which = np.unique(reads.update * size + reads.nugget, return_inverse=True)
    update, nugget = np.divmod(pair, size)
    readers = np.bincount(which, minlength=len(pair))
    late = segment_sum(reads.alpha, which, len(pair))
    gain = segment_sum(reads.gain_of_each(setting.L) / units[reads.user], which, len(pair))
    words = stream.length[update]
    docs, names = _names(rankings, float(rankings.topic_column(QUERY_START)[0]), window, same_time)
    return {
        "nugget": [names[i] for i in nugget.tolist()],
        "doc_id": [docs[i] for i in update.tolist()],
        "known_h": stream.nugget_time[nugget] / 3600,
        "emitted_h": stream.time[update] / 3600,
        "words": words.astype(np.int64) if np.all(words % 1 == 0) else words,
        "read_by": readers / count,
        "sessions_late": late / readers,
        "contribution": gain,
    }


def _names(rankings: Rankings, start: float, window: float, same_time: str) -> tuple[list[str], list[str]]:
    """Return the ids of the first topic's updates in the order of its stream, and of its nuggets."""
    run = rankings.run_rows
    here = slice(run.offsets[0], run.offsets[1])
    time = run.column(TIMESTAMP, missing_ok=True)
    there = np.flatnonzero(time[here] - start <= window)
    docs = run.doc_ids
    further = [places_of_updates(rankings)[here][there]] if same_time == "id" else []
    placed = there[in_order(time[here][there], run.score[here][there], *further)]
    nuggets = Nuggets.of(rankings)
    count = int(np.count_nonzero(nuggets.topic == 0))
    by_time = np.argsort(nuggets.column(NUGGET_TIME)[:count], kind="stable")
    return [docs[i] for i in placed.tolist()], [nuggets.names[i] for i in by_time.tolist()]
