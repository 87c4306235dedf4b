"""The picture of a verdict: the intervals of all views, by doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.toolkit import axes_for, picture_text
from irmx_study.pictures import BLUE, GREY, VERMILION, grid_behind

if TYPE_CHECKING:
    from irmx_study.verdicts import Verdict

_VIEWS = 60
"""Of so many views each is named."""


def plot_verdict(verdict: Verdict, ax: Any = None) -> Any:
    """Draw the difference in every view with its interval, grouped by doubt, and the margin; views that break the claim are red.

    Views in other units, those of users and of other measures, are scaled to the standard deviation of the claim's differences.
    """
    rows = verdict.frame("views")
    scale = np.array(verdict.scales())
    doubts = rows["doubt"].to_numpy()
    gaps = np.cumsum(np.append(0, doubts[1:] != doubts[:-1])) * 0.8
    places = np.arange(len(rows)) + gaps
    names = [d if d == "claim" else f"{d}: {picture_text(v, 30)}" for d, v in zip(doubts, rows["view"], strict=True)]
    size = 5.0 + 0.06 * max(map(len, names)), 1.1 + 0.24 * (len(rows) + gaps[-1])
    on = axes_for(ax, 1, size)[0]
    grid_behind(on, "x")
    values, low, high = (rows[name].to_numpy(dtype=float) * scale for name in ("difference", "low", "high"))
    for outcome, face in (("holds", None), ("undecided", "white"), ("contradicted", None)):
        for breaking, colour in ((False, BLUE), (True, VERMILION)):
            some = ((rows["outcome"] == outcome) & (rows["breaks"] == breaking)).to_numpy()
            on.hlines(places[some], low[some], high[some], color=colour, linewidth=1.5)
            marker = "x" if outcome == "contradicted" else "o"
            on.plot(
                values[some],
                places[some],
                marker,
                ms=5,
                mfc=colour if face is None else face,
                mec=colour,
                linestyle="none",
            )
    on.axvline(0, color=GREY, linewidth=1)
    for margin in verdict.margins():
        if margin:
            on.axvline(margin, color=GREY, linewidth=1, linestyle="--")
    on.set_yticks(places)
    on.set_yticklabels(names, fontsize=8 if len(rows) <= _VIEWS else 5)
    on.set_ylim(places[-1] + 0.7, -0.7)
    on.set_title(f"{picture_text(verdict.claimed, 60)}: {verdict.outcome}", fontsize=10)
    on.set_xlabel(
        f"difference in {picture_text(verdict.measure)}, {picture_text(verdict.run)} - {picture_text(verdict.baseline)}\n"
        "filled: the claim holds; empty: undecided;\ncross: contradicted; red: breaks the claim",
        fontsize=9,
    )  # fmt: skip
    on.tick_params(axis="x", labelsize=8)
    return on
