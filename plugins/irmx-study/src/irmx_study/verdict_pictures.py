"""The picture of a verdict: the intervals of all views, by doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.ragged import Floats
from irmx.toolkit import axes_for, grid_of_axes, picture_text
from irmx_study.pictures import BLUE, GREY, VERMILION, grid_behind

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.verdicts import Verdict

_VIEWS = 60
"""Of so many views each is named."""


def plot_verdict(verdict: Verdict, ax: Any = None) -> Any:
    """Draw the difference in every view with its interval, grouped by doubt, and the margin; views that break the claim are red.

    Other measures are scaled to the standard deviation of the claim's differences; those in units of their own, such as costs, have
    a panel each.
    """
    rows = verdict.frame("views")
    units, scale = zip(*verdict.scales(), strict=True)
    panels = [np.flatnonzero([one == unit for one in units]) for unit in dict.fromkeys(units)]
    doubts = rows["doubt"].to_numpy()
    names = [d if d == "claim" else f"{d}: {picture_text(v, 30)}" for d, v in zip(doubts, rows["view"], strict=True)]
    heights = [len(of) + 0.8 * len(set(doubts[of])) for of in panels]
    size = 5.0 + 0.06 * max(map(len, names)), 1.1 * len(panels) + 0.24 * sum(heights)
    axes = axes_for(grid_of_axes(len(panels), 1, size) if ax is None else ax, len(panels), size)
    if ax is None:
        grid: Any = axes[0].get_gridspec()
        grid.set_height_ratios([height + 2 for height in heights])
    for of, on in zip(panels, axes, strict=True):
        _draw_views(rows.iloc[of], np.array(scale)[of], on)
        on.set_yticklabels([names[place] for place in of], fontsize=8 if len(rows) <= _VIEWS else 5)
        unit = units[of[0]]
        differs = f"difference in {picture_text(unit or verdict.measure)}" if unit == units[0] or unit else "difference"
        on.set_xlabel(f"{differs}, {picture_text(verdict.run)} - {picture_text(verdict.baseline)}", fontsize=9)
    for margin in verdict.margins():
        if margin:
            axes[0].axvline(margin, color=GREY, linewidth=1, linestyle="--")
    axes[0].set_title(f"{picture_text(verdict.claimed, 60)}: {verdict.outcome}", fontsize=10)
    legend = "filled: the claim holds; empty: undecided;\ncross: contradicted; red: breaks the claim"
    axes[-1].set_xlabel(f"{axes[-1].get_xlabel()}\n{legend}", fontsize=9)
    return axes[0]


def _draw_views(rows: pd.DataFrame, scale: Floats, on: Any) -> None:
    """Draw the views of one unit."""
    doubts = rows["doubt"].to_numpy()
    places = np.arange(len(rows)) + np.cumsum(np.append(0, doubts[1:] != doubts[:-1])) * 0.8
    grid_behind(on, "x")
    values, low, high = (rows[name].to_numpy(dtype=float) * scale for name in ("difference", "low", "high"))
    for outcome, marker, is_filled in (("holds", "o", True), ("undecided", "o", False), ("contradicted", "x", True)):
        for breaking, colour in ((False, BLUE), (True, VERMILION)):
            some = ((rows["outcome"] == outcome) & (rows["breaks"] == breaking)).to_numpy()
            face = colour if is_filled else "white"
            on.hlines(places[some], low[some], high[some], color=colour, linewidth=1.5)
            on.plot(values[some], places[some], marker, ms=5, mfc=face, mec=colour, linestyle="none")
    on.axvline(0, color=GREY, linewidth=1)
    on.set_yticks(places)
    on.set_ylim(places[-1] + 0.7, -0.7)
    on.tick_params(axis="x", labelsize=8)
