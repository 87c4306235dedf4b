"""A stream of updates, and the traces of some users over it: when they look in, and what they read first there."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference_generator.drawing import COLOURS

from irmx_stream import REVERSE_CHRONOLOGICAL, Population, reads_of, simulate, stream_of

HOUR = 3600.0
DAYS, USERS = 3, 6
UPDATES = {
    "doc_id": ["u1", "u2", "u3", "u4"],
    "timestamp": [3600, 5000, 90000, 100000],
    "length": [24, 400, 30, 18],
    "score": [0.9, 0.5, 0.7, 0.8],
}
NUGGETS = {
    "doc_id": ["u1", "u1", "u3", "u4"],
    "iteration": ["magnitude", "place", "magnitude", "victims"],
    "timestamp": [0, 0, 0, 36000],
}
NAMES = tuple(dict.fromkeys(NUGGETS["iteration"]))
MARKERS = "osD"


def figures(plt: Any) -> dict[str, Any]:
    """Return the picture ``trace``: the updates above, below a line per user with a tick per session."""
    users = Population().draw(USERS, seed=0)
    traces = simulate(users, DAYS * 24 * HOUR, seed=0)
    stream = stream_of(UPDATES, NUGGETS)
    reads = reads_of(stream, traces, users.speed)
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(9, 4.4), sharex=True, height_ratios=(1, 2.4), layout="constrained"
    )
    _draw_updates(above)
    for user in range(USERS):
        of_user = slice(traces.offsets[user], traces.offsets[user + 1])
        start = traces.start[of_user] / HOUR
        below.hlines(user, 0, DAYS * 24, color="#bbbbbb", linewidth=0.6)
        below.plot(start, np.full(len(start), user), "|", color="#555555", markersize=8, markeredgewidth=0.8)
    when = _starts_of_sessions_of_reads(stream, traces, users, reads) / HOUR
    for nugget, name in enumerate(NAMES):
        its = reads.nugget == nugget
        style = {"color": COLOURS[nugget], "markersize": 6, "label": f"first reads: {name}"}
        below.plot(when[its], reads.user[its] + 0.26 * (nugget - 1), MARKERS[nugget], **style)
    below.set(xlabel="hours since the start of the topic's window", ylabel="user", xlim=(-1, DAYS * 24 + 1),
              yticks=range(USERS), yticklabels=[f"{u + 1}" for u in range(USERS)], ylim=(USERS - 0.4, -0.6),
              xticks=range(0, DAYS * 24 + 1, 12))  # fmt: skip
    below.plot([], [], "|", color="#555555", markersize=8, label="session")
    figure.legend(*below.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return {"trace": figure}


def _draw_updates(panel: Any) -> None:
    """Draw when each update was emitted and how long it is, and since when each nugget was known."""
    columns = (UPDATES[name] for name in ("doc_id", "timestamp", "length"))
    for place, (doc_id, time, words) in enumerate(zip(*columns, strict=True)):
        height = 1 if place % 2 else 2
        panel.vlines(time / HOUR, 0, height, color="#555555", linewidth=1)
        held = [n for d, n in zip(NUGGETS["doc_id"], NUGGETS["iteration"], strict=True) if d == doc_id]
        text = f"{doc_id}, {words} words" + (f": {', '.join(held)}" if held else ": nothing")
        panel.annotate(text, (time / HOUR, height), xytext=(4, -3), textcoords="offset points", va="center")
    panel.set(ylim=(0, 2.6), yticks=[], ylabel="updates")
    panel.spines["left"].set_visible(False)


def _starts_of_sessions_of_reads(stream: Any, traces: Any, users: Any, reads: Any) -> Any:
    """Return when the session of every read starts, in seconds."""
    session = REVERSE_CHRONOLOGICAL.first_read(stream, traces, users.speed)
    number = session[reads.user, np.searchsorted(stream.held, reads.update)]
    return traces.start[traces.offsets[reads.user] + number]
