"""Pictures of judges: grades side by side, leaderboards under two judges, agreement on labels against agreement on systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import UsageError
from irmx.toolkit import COLOURS, axes_for, distinct_marker, picture_text, suggest
from irmx_study.inputs.choices import short_names
from irmx_study.showing.result import listing
from irmx_study.statistics.labels import COEFFICIENTS
from irmx_study.systems.pictures import (
    BLUE,
    GREY,
    VERMILION,
    colour_on,
    grid_behind,
    legend_beside,
    panels_for,
    width_beside,
)

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.judging.judges import Judges


_GRADES, _PANELS, _ACROSS = 12, 12, 3
"""Judges with more grades have no confusion matrix to look at; so many panels are drawn."""

_MOVED = 3
"""How many of the runs that move most, up and down, are coloured."""


def plot_confusion(result: Judges, ax: Any = None, judge: str | None = None) -> Any:
    """Draw how often grades meet: one panel per judge beside the first, coloured by the share of the first judge's grade.

    Parameters
    ----------
    result : Judges
        The result.
    ax : Axes or sequence of Axes, optional
        Where to draw.
    judge : str, optional
        The only judge to draw beside the first.
    """
    others = _others(result, judge)
    few = [b for b in others if len(result.counts(0, b).grades) <= _GRADES]
    if not few:
        raise UsageError(
            f"The judges give more than {_GRADES} different grades, too many for a picture. Map them to fewer."
        )
    chosen = few[:_PANELS]
    across = min(len(chosen), _ACROSS)
    axes = panels_for(ax, len(chosen), across, (2.9 * across, 2.9))
    _say_who_is_not_drawn(axes[0], result, [b for b in others if b not in chosen])
    for on, b in zip(axes, chosen, strict=True):
        counts = result.counts(0, b)
        of_first, of_other = (np.isin(counts.grades, result.judges[place].grades) for place in (0, b))
        matrix = counts.matrix()[np.ix_(of_first, of_other)]
        share = np.divide(matrix, matrix.sum(axis=1, keepdims=True), out=np.zeros(matrix.shape), where=matrix > 0)
        image = on.imshow(share, cmap="cividis", vmin=0, vmax=1)
        for (i, j), number in np.ndenumerate(matrix):
            colour = colour_on(image, share[i, j])
            on.text(j, i, f"{number:,.0f}", ha="center", va="center", fontsize=8, color=colour)
        for axis, used in ((on.xaxis, of_other), (on.yaxis, of_first)):
            axis.set_ticks(range(int(used.sum())), [f"{grade:g}" for grade in counts.grades[used]], fontsize="small")
        on.set_xlabel(picture_text(result.names[b], 30), fontsize="small")
        on.set_ylabel(picture_text(result.names[0], 30), fontsize="small")
        on.spines[:].set_visible(False)
    return axes[0]


def plot_leaderboards(result: Judges, ax: Any = None, judge: str | None = None, measure: str | None = None) -> Any:
    """Draw the ranks of the runs under the first judge and another one, the best on top: a line per run, a panel per judge.

    Parameters
    ----------
    result : Judges
        The result, with runs.
    ax : Axes, optional
        Where to draw.
    judge : str, optional
        The only judge to draw beside the first.
    measure : str, optional
        The measure; by default the first.
    """
    frame = result.frame("runs")
    measure = _measure_of(frame, measure)
    frame = frame[(frame["measure"] == measure) & (frame["judge_a"] == result.names[0])]
    others = _others(result, judge)
    ranked = [b for b in others if (frame["judge_b"] == result.names[b]).any()]
    if not ranked:
        raise UsageError(f"No judge ranks the runs on topics of {result.names[0]}.")
    chosen = ranked[:_PANELS]
    names = short_names(list(dict.fromkeys(frame["system"])))
    across, longest = min(len(chosen), _ACROSS), max(map(len, names.values()))
    height = 1.0 + len(names) * (0.13 if len(names) > 40 else 0.24)
    axes = panels_for(ax, len(chosen), across, ((3.4 + 0.12 * longest) * across, height))
    for on, b in zip(axes, chosen, strict=True):
        _draw_leaderboards(result, frame[frame["judge_b"] == result.names[b]], names, measure, b, on)
    _say_who_is_not_drawn(axes[0], result, [b for b in others if b not in chosen])
    return axes[0]


def _draw_leaderboards(
    result: Judges, of: pd.DataFrame, names: Mapping[str, str], measure: str, b: int, on: Any
) -> None:
    """Draw the ranks under the first judge and another one."""
    crowded = len(of) > 40
    # runs with the same rank stand one below the other
    left, right = (of[side].rank(method="first").to_numpy() for side in ("rank_a", "rank_b"))
    order = np.argsort(of["lifted"].to_numpy(), kind="stable")
    colours = np.full(len(of), GREY, dtype=object)
    lifted = of["lifted"].to_numpy()
    for at, colour in ((order[-_MOVED:], BLUE), (order[:_MOVED], VERMILION)):
        colours[[place for place in at if lifted[place] * (1 if colour == BLUE else -1) > 0]] = colour
    for system, y_left, y_right, colour in zip(of["system"], left, right, colours, strict=True):
        is_moved = colour != GREY
        on.plot(
            (0, 1), (y_left, y_right), color=colour, linewidth=1.6 if is_moved else 0.7, alpha=1 if is_moved else 0.7
        )
        look: dict[str, Any] = {
            "va": "center",
            "fontsize": 6 if crowded else 8,
            "color": colour if is_moved else "black",
        }
        on.text(-0.03, y_left, picture_text(names[system]), ha="right", **look)
        on.text(1.03, y_right, picture_text(names[system]), ha="left", **look)
    on.set_xlim(0, 1)
    on.set_ylim(len(of) + 0.6, 0.4)
    on.set_xticks((0, 1), [picture_text(result.names[place], 24) for place in (0, b)])
    on.xaxis.tick_top()
    on.tick_params(length=0)
    on.set_yticks([])
    on.spines[:].set_visible(False)
    tau = (
        result.frame("systems")
        .set_index(["measure", "judge_a", "judge_b"])
        .loc[(measure, result.names[0], result.names[b]), "tau"]
    )
    on.set_xlabel(f"ranks by {picture_text(measure)}: tau = {tau:.3f}\ncoloured: moved most", fontsize="small")


def plot_kappa_and_tau(
    result: Judges, ax: Any = None, coefficient: str = "kappa_binary", measure: str | None = None
) -> Any:
    """Draw agreement on systems over agreement on labels, with the first judge: one marker per other judge.

    Parameters
    ----------
    result : Judges
        The result, with runs.
    ax : Axes, optional
        Where to draw.
    coefficient : str
        The agreement on labels, such as ``"kappa_binary"`` or ``"alpha_ordinal"``.
    measure : str, optional
        The measure; by default the first.
    """
    if coefficient not in COEFFICIENTS:
        raise UsageError(
            f"There is no coefficient {coefficient!r}.{suggest(coefficient, COEFFICIENTS)} Known: {', '.join(COEFFICIENTS)}."
        )
    frame = result.frame("pairs")
    measure = _measure_of(frame, measure)
    of = frame[(frame["measure"] == measure) & (frame["judge_a"] == result.names[0])].dropna(
        subset=[coefficient, "tau"]
    )
    if not len(of):
        raise UsageError(f"No judge has both {coefficient} and a tau with {result.names[0]}.")
    of = of.sort_values("tau", ascending=False, kind="stable")
    drawn = set(of["judge_b"])
    on = axes_for(ax, 1, (width_beside(of["judge_b"]), 4))[0]
    for place, row in enumerate(of.to_dict("records")):
        on.plot(
            row[coefficient],
            row["tau"],
            distinct_marker(place),
            color=COLOURS[place % len(COLOURS)],
            markersize=7,
            label=picture_text(row["judge_b"]),
            linestyle="none",
        )
    on.set_xlabel(f"{COEFFICIENTS[coefficient]}, with {picture_text(result.names[0])}")
    on.set_ylabel(f"tau of runs by {picture_text(measure)}")
    grid_behind(on, "both")
    legend_beside(on, "judge, by tau")
    _say_who_is_not_drawn(on, result, [b for b in range(1, len(result.names)) if result.names[b] not in drawn])
    return on


def _others(result: Judges, judge: str | None) -> list[int]:
    """Return the places of the judges to draw beside the first: all, or one."""
    if judge is None:
        return list(range(1, len(result.names)))
    if judge not in result.names[1:]:
        raise UsageError(
            f"There is no judge {judge!r} beside the first.{suggest(judge, result.names[1:])} The judges: {', '.join(result.names[1:])}."
        )
    return [result.names.index(judge)]


def _say_who_is_not_drawn(on: Any, result: Judges, places: Sequence[int]) -> None:
    """Name below a picture the judges that it lacks, because they are too many, or have nothing to draw."""
    if places:
        names = listing([picture_text(result.names[place], 30) for place in places])
        on.figure.supxlabel(f"not drawn: {names}", fontsize="small")


def _measure_of(frame: pd.DataFrame, measure: str | None) -> str:
    """Return the measure by which runs are ranked, by default the first."""
    measures = list(dict.fromkeys(frame["measure"]))
    if measure is not None and measure not in measures:
        raise UsageError(
            f"The runs are not ranked by {measure!r}.{suggest(measure, measures)} They are by: {', '.join(measures)}."
        )
    return measure or str(measures[0])
