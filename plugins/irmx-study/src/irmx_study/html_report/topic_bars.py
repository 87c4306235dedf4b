"""The section with the differences of two systems on every topic, sorted, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmx.ragged import Floats
from irmx.toolkit import visible
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section
from irmx_study.html_report.shown_systems import short, shown_systems

MOST_VALUES = 150_000
"""So many values are embedded; of a larger study, the systems with the best means."""

MOST_BARS = 200
"""Of more topics, half as many with the largest gains and half as many with the largest losses are drawn."""

_ROUNDING = 1e-9  # as in paired_values.py: a difference that is the threshold but for rounding is a tie


def topics(reported: Reported) -> Section:
    """Return the differences of the pair that is shown first, and the values with which its script draws those of others."""
    scores, (a, b) = reported.comparison.scores, reported.pair
    most = MOST_VALUES // max(len(scores.topics) * len(scores.measures), 1)
    systems = shown_systems(reported, max(2, most))
    chosen = scores.select(systems=systems)
    compared = np.where(np.isnan(scores.values).any(axis=1, keepdims=True), np.nan, chosen.values)  # as compare does
    values = [[[short(v) for v in system] for system in compared[:, :, m].T] for m in range(len(chosen.measures))]
    names = [visible(str(topic)) for topic in chosen.topics]
    queries = [visible(reported.queries.get(str(topic), "")) for topic in chosen.topics]
    threshold = reported.comparison.choices.tie_threshold * (1 + _ROUNDING)
    measures = [visible(str(measure)) for measure in chosen.measures]
    shared = {"systems": [visible(system) for system in systems], "measures": measures, "most": MOST_BARS}
    return Section(
        "topics",
        "Topics",
        {
            **shared,
            **_first_picture(names, queries, compared[:, 0, 0], compared[:, 1, 0], threshold),
            "a": a,
            "b": b,
            "measure": measures[0],
            "queried": any(queries),
            "of_systems": len(scores.systems),
        },
        {**shared, "topics": names, "queries": queries, "values": values, "tie": threshold},
    )


def _first_picture(
    names: Sequence[str], queries: Sequence[str], a: Floats, b: Floats, threshold: float
) -> dict[str, Any]:
    """Return what the template draws for two systems: the topics from the largest gain to the largest loss, and their numbers."""
    difference = a - b
    known = np.flatnonzero(np.isfinite(difference))
    order = known[np.argsort(-difference[known], kind="stable")].tolist()
    wins, losses = (int(np.count_nonzero(sign * difference[known] > threshold)) for sign in (1, -1))
    up, down = max(difference[known].max(initial=0), 0), max((-difference[known]).max(initial=0), 0)
    span = up + down or 1
    drawn = order if len(order) <= MOST_BARS else order[: MOST_BARS // 2] + order[-MOST_BARS // 2 :]
    rows = [
        {
            "topic": names[t],
            "query": queries[t],
            "a": a[t],
            "b": b[t],
            "difference": difference[t],
            "top": 100 * (up - max(difference[t], 0)) / span,
            "height": 100 * abs(difference[t]) / span,
        }
        for t in drawn
    ]
    return {
        "rows": rows,
        "wins": wins,
        "ties": len(known) - wins - losses,
        "losses": losses,
        "without": len(names) - len(known),
        "hidden": len(order) - len(drawn),
        "up": up,
        "down": down,
        "zero": 100 * up / span,
    }
