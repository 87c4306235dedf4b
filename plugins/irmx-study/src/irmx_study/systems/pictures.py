"""Pictures of a comparison, and what all pictures share: names, legends, ticks, numbers in cells."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irmx import UsageError
from irmx.ragged import Bools, Floats
from irmx.toolkit import COLOURS, axes_for, distinct_marker, grid_of_axes, picture_text, plural
from irmx_study.showing.result import interval, p_statement
from irmx_study.systems.pairs import (
    ComparedSystems,
    Difference,
    compared_pairs,
    complete_values,
    signs_of,
    topics_of_view,
)

if TYPE_CHECKING:
    from irmx_study.systems.compare import Comparison


BLUE, VERMILION = COLOURS[:2]
GREY = "#666666"
_TICKS = 12
"""More values than these on an axis are labelled in part."""

_LETTERS_SHOWN, _ACROSS = 26, 3
_NAMED, _BARS = 60, 200
"""How many topics are named below their bars; more topics than the second are an area."""

_P_COLOURS = ("#e8e8e8", "#9ecae1", "#3182bd", "#08306b")
"""Light to dark, so that they can be told apart in print: not significant, and p up to the level, 0.01 and 0.001."""

NAMED_POINTS = 30
"""How many systems are named beside their points in a picture."""

_P_NAMES = 30
"""Up to how many systems are named in a map; of more, every second, third, ..."""


# -- what pictures share -----------------------------------------------------------------------------------


def axes_of(ax: Any, width: float, height: float) -> Any:
    """Return the axes to draw on: the given ones, or new ones of a width and height in inches."""
    return axes_for(ax, 1, (width, height))[0]


def legend_beside(ax: Any, title: str | None = None) -> None:
    """Draw the legend of lines on the right of the axes; see :func:`width_beside`."""
    ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), handlelength=3, title=title,
        title_fontsize="small",
    )  # fmt: skip


def legend_above(ax: Any, columns: int = 3) -> None:
    """Draw the legend above the axes."""
    ax.legend(ncols=columns, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def panels_for(
    ax: Any, count: int, across: int, size: tuple[float, float], shared: Literal[False, "y"] = False
) -> list[Any]:
    """Return the axes of panels: the given ones, or new ones in rows, of the width of a row and the height of a panel."""
    if ax is not None:
        return axes_for(ax, count, size)
    return grid_of_axes(count, across, (size[0], size[1] * -(-count // across)), shared=shared)


def colour_on(image: Any, value: float) -> str:
    """Return black or white, what can be read on the colour of a value; not quite, since a dark page would swap them."""
    red, green, blue, _ = image.cmap(image.norm(value))
    return "#fffffe" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "#000001"


def name_points(on: Any, x: Floats, y: Floats, names: Iterable[str]) -> None:
    """Write names beside points, moved off each other and the points if adjustText is installed."""
    texts = [on.text(a, b, picture_text(name, 24), fontsize=7) for a, b, name in zip(x, y, names, strict=True)]
    try:
        from adjustText import adjust_text
    except ImportError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how it logs is deprecated
        arrow = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5}
        adjust_text(texts, x, y, ax=on, iter_lim=1000, force_text=(0.3, 0.5), arrowprops=arrow)


def width_beside(names: Iterable[str], ending: str = "") -> float:
    """Return the width in inches of a picture with a legend of names, each with an ending, on its right."""
    longest = max((len(picture_text(name)) for name in names), default=0) + len(ending)
    return 5.8 + 0.07 * longest


def label_ticks(axis: Any, labels: Sequence[Any]) -> None:
    """Label the places 0, 1, 2, ... of an axis, or every second, third, ... of many."""
    places = list(range(0, len(labels), -(-len(labels) // _TICKS)))
    axis.set_ticks(places, [number_text(labels[place]) for place in places])


def number_text(value: Any) -> str:
    """Return a value as a label, numbers without useless digits.

    >>> number_text(0.30000000000000004), number_text("30s")
    ('0.3', '30s')
    """
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else picture_text(str(value))


def write_in_cells(image: Any, values: Floats, empty: Bools) -> None:
    """Write correlations into the cells of a heat map, such as .45, in black or white: what can be read on their colour."""
    for (y, x), value in np.ndenumerate(values):
        if not empty[y, x]:
            text = f"{value:.2f}".replace("0.", ".", 1)
            image.axes.text(x, y, text, ha="center", va="center", fontsize=8, color=colour_on(image, value))


def grid_behind(ax: Any, axis: Any) -> None:
    """Draw light lines behind what is drawn."""
    ax.grid(axis=axis, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)


def name_rows(ax: Any, names: Sequence[str], crowded: bool | None = None) -> None:
    """Name the places 0, 1, 2, ... of the y-axis, the first on top."""
    crowded = len(names) > 40 if crowded is None else crowded
    ax.set_yticks(range(len(names)), [picture_text(name) for name in names], fontsize=7 if crowded else 9)
    ax.set_ylim(len(names) - 0.4, -0.6)


# -- differences -------------------------------------------------------------------------------------------


def plot_differences(
    comparison: Comparison, ax: Any = None, views: Sequence[str] | None = None, most: int | None = None
) -> Any:
    """Draw the differences to the baselines with their intervals; of all pairs, the means with intervals and letters.

    One panel per view. Filled markers are significant differences; systems are ordered by their means in the first view.
    """
    scores = comparison.scores
    views = list(scores.names) if views is None else list(views)
    systems = comparison.ranked()
    if comparison.baseline:
        systems.remove(comparison.baseline[0])  # which is compared with no other
    systems = systems[:most]
    crowded, several = len(systems) > 40, len(comparison.baseline) > 1
    lines = len(systems) * max(1.0, 0.6 * len(comparison.baseline))
    names = [comparison.names[system] for system in systems]
    across = min(_ACROSS, len(views))
    size = 3.6 * across + 0.08 * max(map(len, names)), 1.3 + lines * (0.13 if crowded else 0.26)
    axes = panels_for(ax, len(views), across, size, shared="y")
    for view, on in zip(views, axes, strict=True):
        _draw_differences(comparison, scores.names.index(view), systems, on, crowded, several)
    name_rows(axes[0], names, crowded)
    for on in axes[1:]:
        on.set_ylim(axes[0].get_ylim())
        if ax is None:
            on.tick_params(axis="y", left=False)
        else:
            name_rows(on, names, crowded)
    return axes[0]


def _draw_differences(
    comparison: Comparison, v: int, systems: Sequence[str], ax: Any, crowded: bool, several: bool
) -> None:
    """Draw the estimates of one view."""
    choices, view, of_view = comparison.choices, comparison.scores.names[v], comparison.cells(v)
    size, level = 3 if crowded else 5, choices.level
    ax.set_title(picture_text(view, 40), fontsize=10, pad=24 if several else None)
    grid_behind(ax, "x")
    if comparison.baseline:
        ax.axvline(0, color=GREY, linewidth=1)
    for i, baseline in enumerate(comparison.baseline or ("",)):
        cells = [of_view[system].differences.get(baseline) if baseline else of_view[system] for system in systems]
        values, low, high = np.array([cell[:3] if cell else (np.nan,) * 3 for cell in cells]).T
        significant = np.array([not isinstance(cell, Difference) or cell.p_corrected <= level for cell in cells])
        colour, marker = COLOURS[i % len(COLOURS)], distinct_marker(i)
        places = np.arange(len(systems)) + 0.5 * ((i + 0.5) / max(1, len(comparison.baseline)) - 0.5)
        ax.hlines(places, low, high, color=colour, linewidth=1 if crowded else 1.5)
        for some, face in ((significant, colour), (~significant, "white")):
            ax.plot(values[some], places[some], marker, ms=size, mfc=face, mec=colour, linestyle="none")
        if several:
            ax.plot([], [], marker, ms=size, color=colour, label=f"to {picture_text(comparison.names[baseline])}")
    if several:
        ax.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 0.99), ncols=3)
    coverage = f"{choices.coverage} interval"
    if comparison.baseline:
        to = "" if several else f" to {picture_text(comparison.names[comparison.baseline[0]])}"
        correction = str(choices.correction) if choices.is_corrected else "uncorrected"
        ax.set_xlabel(f"difference{to}\nwith {coverage}; filled: p ≤ {level:g} ({correction})", fontsize=9)
    else:
        letters = dict(zip(comparison.scores.systems, comparison.letters[view], strict=True))
        shown = len(set().union(*letters.values())) <= _LETTERS_SHOWN
        ax.set_xlabel(f"mean, {coverage}" + ("; a shared letter: not told apart" if shown else ""), fontsize=9)
        for place, system in enumerate(systems if shown else ()):
            ax.annotate(
                letters[system], (1, place), xycoords=("axes fraction", "data"), xytext=(4, 0),
                textcoords="offset points", va="center", fontsize=7 if crowded else 8,
            )  # fmt: skip
    ax.tick_params(axis="x", labelsize=8)
    ax.locator_params(axis="x", nbins=5)


# -- topics ------------------------------------------------------------------------------------------------


def plot_topics(
    comparison: Comparison, ax: Any = None, a: str | None = None, b: str | None = None, view: str | None = None
) -> Any:
    """Draw the differences of two systems topic by topic, sorted, with the result of the test: one panel per view.

    By default b is the first baseline, and a the best other system by the first view.
    """
    scores = comparison.scores
    b = (*comparison.baseline, *scores.systems)[0] if b is None else b
    a = next(system for system in comparison.ranked() if system != b) if a is None else a
    scores.select(systems=[a, b])  # refuses an unknown one
    if a == b:
        raise UsageError(f"{a} cannot be compared with itself. Name two systems.")
    places = list(range(len(scores.names))) if view is None else [comparison.place_of(view)]
    size = (max(4.5, min(9.0, 2 + 0.14 * len(scores.topics))), 3.4)
    axes = axes_for(ax, len(places), size, shared=False)
    for v, on in zip(places, axes, strict=True):
        _draw_topics(comparison, a, b, v, on)
    return axes[0]


def _draw_topics(comparison: Comparison, a: str, b: str, v: int, on: Any) -> None:
    scores, sign = comparison.scores, signs_of(comparison.scores)[v]
    values = complete_values(scores, v)
    difference = values[:, scores.systems.index(a)] - values[:, scores.systems.index(b)]
    order = np.argsort(-difference, kind="stable")
    differences = difference[order]
    topics = np.array(scores.topics, dtype=object)[topics_of_view(scores, v)][order]
    result = _result_of(comparison, a, b, v)
    places = np.arange(len(topics))
    for some, colour in ((sign * differences > 0, BLUE), (sign * differences < 0, VERMILION)):
        if len(topics) <= _BARS:
            on.bar(places[some], differences[some], color=colour, width=0.8)
        else:
            on.stairs(np.where(some, differences, 0), np.arange(len(places) + 1) - 0.5, fill=True, color=colour)
    on.axhline(0, color=GREY, linewidth=0.8)
    on.axhspan(result.low, result.high, color="black", alpha=0.12, linewidth=0, zorder=0)
    on.axhline(result.difference, color="black", linestyle="--", linewidth=1)
    names = {one: picture_text(comparison.names[one]) for one in (a, b)}
    corrected = f", corrected {p_statement(result.p_corrected)[2:]}" if result.p_corrected != result.p else ""
    mean = f"dashed: mean {result.difference:.4f} {interval(result.low, result.high, 4)}"
    test = f"{comparison.choices.test} test: {p_statement(result.p)}{corrected}"
    on.set_title(f"{names[a]} - {names[b]}\n{mean}\n{test}", fontsize=9)
    measure = picture_text(scores.names[v], 30)
    on.set_ylabel(f"difference in{' ' if len(measure) <= 10 else chr(10)}{measure}", fontsize=9)
    ends = np.array([*differences, result.low, result.high, 0])
    room = 0.15 * (ends.max() - ends.min() or 1)  # for the texts, where all differences have the same sign
    on.set_ylim(min(ends.min() - room / 4, -room), max(ends.max() + room / 4, room))
    better, worse = (a, b) if sign > 0 else (b, a)
    counts = {a: result.wins, b: result.losses}
    sides = ((0.98, 0.97, "right", "top", better), (0.02, 0.03, "left", "bottom", worse))
    for x, y, horizontal, vertical, system in sides:
        text = f"{names[system]} is better on {plural(counts[system], 'topic')}"
        colour = BLUE if system == a else VERMILION
        on.text(x, y, text, transform=on.transAxes, ha=horizontal, va=vertical, color=colour, fontsize=8)
    if len(topics) <= min(_NAMED, 9 * on.get_position().width * on.figure.get_figwidth()):
        on.set_xticks(places, [picture_text(topic) for topic in topics], rotation=90, fontsize=7)
    else:
        on.set_xticks([])
    on.set_xlabel(f"{len(topics):,} topics, sorted by difference", fontsize=9)
    on.tick_params(axis="y", labelsize=8)
    on.set_xlim(-0.8, len(places) - 0.2)


def _result_of(comparison: Comparison, a: str, b: str, v: int) -> Difference:
    """Return the result of the test of two systems, a - b; a pair that was not compared is tested alone."""
    if not {(a, b), (b, a)} & comparison.compared_pairs.keys():
        scores, choices = comparison.scores, comparison.choices
        first, second = (np.array([scores.systems.index(one)]) for one in (a, b))
        compared = compared_pairs(scores, first, second, choices, progress=False)
        return ComparedSystems(scores, (b,), choices, compared).difference(a, b, v)
    return comparison.difference(a, b, v)


# -- quality and cost --------------------------------------------------------------------------------------


def plot_cost(comparison: Comparison, ax: Any = None, cost: str | None = None, quality: str | None = None) -> Any:
    """Draw the mean quality of systems over their mean cost, with intervals, and the Pareto front of those that no other beats in both.

    By default quality is the first view of which more is better, and cost the first of which less is.
    """
    names, signs = comparison.scores.names, signs_of(comparison.scores).tolist()
    x = signs.index(-1) if cost is None else comparison.place_of(cost)
    y = signs.index(1) if quality is None else comparison.place_of(quality)
    if (signs[x], signs[y]) != (-1, 1):
        raise UsageError(
            f"Less must be better of a cost, and more of a quality. Got {names[x]} as cost and {names[y]} as quality."
        )
    compared, systems = comparison.compared, comparison.scores.systems
    (costs, *cost_ends), (values, *value_ends) = (
        [of[v] for of in (compared.means, compared.low, compared.high)] for v in (x, y)
    )
    front = [
        s
        for s in np.argsort(costs, kind="stable").tolist()
        if not ((costs <= costs[s]) & (values >= values[s]) & ((costs < costs[s]) | (values > values[s]))).any()
        and not np.isnan(costs[s] + values[s])
    ]
    on = axes_of(ax, 5.5, 3.8)
    grid_behind(on, "both")
    on.hlines(values, *cost_ends, color=GREY, linewidth=1)
    on.vlines(costs, *value_ends, color=GREY, linewidth=1)
    on.plot(costs[front], values[front], drawstyle="steps-post", color=BLUE, linewidth=1.2)
    on.plot(costs, values, "o", ms=5, mfc="white", mec=GREY, linestyle="none")
    on.plot(costs[front], values[front], "o", ms=6, color=BLUE, linestyle="none")
    named = list(range(len(systems))) if len(systems) <= NAMED_POINTS else front[:NAMED_POINTS]
    on.set_xlabel(
        f"{picture_text(names[x])}: less is better\n{comparison.choices.coverage} intervals; blue: no system is better in both",
        fontsize=9,
    )
    on.set_ylabel(picture_text(names[y]), fontsize=9)
    on.margins(0.15)
    on.tick_params(labelsize=8)
    name_points(on, costs[named], values[named], [comparison.names[systems[s]] for s in named])
    return on


# -- all pairs ---------------------------------------------------------------------------------------------


def plot_groups(comparison: Comparison, ax: Any = None, view: str | None = None) -> Any:
    """Draw a critical-difference diagram: systems at their means, with a bar over every group that cannot be told apart."""
    from matplotlib.ticker import MaxNLocator

    v = comparison.place_of(view)
    order = comparison._order(v)
    systems = [comparison.names[comparison.scores.systems[s]] for s in order]
    means = [float(comparison.compared.means[v, s]) for s in order]
    groups = groups_of([comparison.letters[comparison.scores.names[v]][s] for s in order])
    right = (len(systems) + 1) // 2
    start = 0.7 + 0.5 * len(groups)
    lowest = start + right
    line, beside = min(4.0, 1.1 + 0.06 * len(systems)), 0.06 * (max(len(picture_text(name)) for name in systems) + 7)
    on = axes_of(ax, line + 2 * beside, 0.7 + 0.27 * lowest)
    low, high = min(means), max(means)
    span = (high - low) or max(abs(high), 1e-9)
    ends = low - 0.06 * span, high + 0.06 * span
    room = beside / line * (ends[1] - ends[0])
    on.set(xlim=(ends[0] - room, ends[1] + room), ylim=(0.4 - lowest, 0.3))
    on.plot(ends, (0, 0), color="black", linewidth=1)
    for tick in MaxNLocator(round(2 * line)).tick_values(low, high):
        if low <= tick <= high:
            on.plot((tick, tick), (0, 0.12), color="black", linewidth=1)
            on.text(tick, 0.2, f"{tick:g}", ha="center", va="bottom", fontsize=8)
    turned = means[0] < means[-1]  # less is better, so that the best is on the left
    for place, (system, mean) in enumerate(zip(systems, means, strict=True)):
        is_right = (place < right) != turned
        row = place if place < right else len(systems) - 1 - place
        y, end = -(start + row), ends[is_right]
        on.plot((mean, mean, end), (0, y, y), color=GREY, linewidth=0.8)
        name, number = picture_text(system), f"{mean:.3f}"
        text = f" {name}  {number}" if is_right else f"{number}  {name} "
        on.text(end, y, text, va="center", ha="left" if is_right else "right", fontsize=8)
    for level, group in enumerate(groups):
        xs, y = [means[place] for place in group], -(0.45 + 0.5 * level)
        on.plot((max(xs), min(xs)), (y, y), color=BLUE, linewidth=3, solid_capstyle="round")
        on.plot(xs, [y] * len(xs), "o", color=BLUE, markeredgecolor="white", markersize=6, linestyle="none")
    on.set_axis_off()
    on.set_title(f"mean {picture_text(comparison.scores.names[v])}", fontsize=10, pad=14)
    return on


def groups_of(letters: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the places of the systems that share a letter, by letter; groups of one are left out.

    >>> groups_of(["a", "ab", "b", "c"])
    ((0, 1), (1, 2))
    """
    by_letter: dict[str, list[int]] = {}
    for place, of_system in enumerate(letters):
        for letter in of_system:
            by_letter.setdefault(letter, []).append(place)
    return tuple(tuple(group) for group in by_letter.values() if len(group) > 1)


def plot_p_values(comparison: Comparison, ax: Any = None, views: Sequence[str] | None = None) -> Any:
    """Draw the heat maps of the corrected p-values of all pairs, the best system first: one panel per view."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    pairs, level = comparison.of_all_pairs, comparison.choices.level
    views = list(comparison.scores.names) if views is None else list(views)
    borders = [level, *(border for border in (0.01, 0.001) if border < level)]
    colours = [_P_COLOURS[0], *_P_COLOURS[-len(borders) :]]
    count = len(comparison.scores.systems)
    across = min(_ACROSS, len(views))
    rows = -(-len(views) // across)
    axes = panels_for(ax, len(views), across, (3.9 * across, 3.6 + 0.4 / rows))
    places = list(range(0, count, -(-count // _P_NAMES)))
    for view, on in zip(views, axes, strict=True):
        order = comparison.ranked(comparison.scores.names.index(view))
        table = pairs.pairs(view).loc[order, order].to_numpy()
        classes = sum((table <= border).astype(float) for border in borders)
        classes = np.where(np.eye(count, dtype=bool), np.nan, classes)
        on.imshow(classes, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5, interpolation="none")
        names = [picture_text(comparison.names[order[place]]) for place in places]
        on.set_yticks(places, names, fontsize=7)
        on.set_xticks(places, names, fontsize=7, rotation=90)
        on.set_title(picture_text(view), fontsize=10)
        on.spines[:].set_visible(False)
    labels = [f"p > {level:g}", *(f"p ≤ {border:g}" for border in borders)]
    patches = [Patch(color=colour, label=label) for colour, label in zip(colours, labels, strict=True)]
    axes[0].figure.legend(handles=patches, loc="outside lower center", ncols=len(patches), fontsize=8)
    return axes[0]
