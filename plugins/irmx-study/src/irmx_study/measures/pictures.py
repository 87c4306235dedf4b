"""Pictures of studies of measures and of views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import distinct_line, distinct_marker, grid_of_axes, picture_text, suggest
from irmx_study.inputs.views import Group, Parameter, group_of
from irmx_study.measures.correlate import COEFFICIENTS, DIRECTED, Agreement
from irmx_study.measures.discriminate import BINS, RELIABLE
from irmx_study.showing.result import Result
from irmx_study.systems.compare import Comparison
from irmx_study.systems.pairs import signs
from irmx_study.systems.pictures import (
    BLUE,
    GREY,
    NAMED_POINTS,
    VERMILION,
    axes_of,
    grid_behind,
    label_ticks,
    legend_above,
    legend_beside,
    name_points,
    name_rows,
    number_text,
    panels_for,
    width_beside,
    write_in_cells,
)

if TYPE_CHECKING:
    import pandas as pd


# -- pictures over the views of a measure ----------------------------------------------------------------------------


_UNDECIDED = "#c8c8c8"
_WRITTEN = 150
"""A heat map of at most so many cells has their values in it."""


def _group_named(comparison: Comparison, measure: str | None) -> Group:
    """Return the views of a measure, by default of the first with several."""
    several = {group.name: group for group in comparison.groups.several}
    if measure is None:
        return next(iter(several.values()))
    if measure not in several:
        raise UsageError(
            f"{measure} has not several views.{suggest(measure, several)} These have: {', '.join(several)}."
        )
    return several[measure]


def plot_views(comparison: Comparison, ax: Any = None, measure: str | None = None) -> Any:
    """Draw the differences over the views of a measure along its parameters; of several systems the shares of users."""
    group = _group_named(comparison, measure)
    if len(comparison.compared.first) > 1:
        return _shares(comparison, group, ax)
    parameters = sorted(group.parameters, key=lambda parameter: len(parameter.axis))
    if len(parameters) == 1:
        return (_line if parameters[0].is_ordered else _dots)(comparison, group, parameters[0], ax)
    if len(parameters) == 2:
        on = axes_of(ax, 5.5, 4)
        image = _heat_map(on, comparison, group, range(len(group.views)), *parameters)
        _colour_bar(comparison, image, on)
        on.set_title(_title(comparison, group))
        return on
    if len(parameters) > 3:
        names = ", ".join(parameter.name for parameter in group.parameters)
        raise UsageError(f"A picture shows up to three parameters; {names} vary. Fix some, or draw the ranks.")
    if ax is not None:
        raise UsageError("The picture of three parameters has several panels; leave ax out.")
    panel, down, right = parameters
    across = min(len(panel.axis), 3)
    rows = -(-len(panel.axis) // across)
    axes = grid_of_axes(len(panel.axis), across, (2.6 * across + 1.2, 2.4 * rows + 0.6), shared=True)
    for on, value in zip(axes, panel.axis, strict=True):
        chosen = [place for place, cell in enumerate(panel.cells) if cell == value]
        image = _heat_map(on, comparison, group, chosen, down, right)
        on.set_title(f"{panel.name}={number_text(value)}")
        on.label_outer()
    _colour_bar(comparison, image, axes)
    axes[0].figure.suptitle(_title(comparison, group), fontsize="medium")
    return axes[0]


def _title(comparison: Comparison, group: Group) -> str:
    systems = [comparison.names[system] for system in comparison.scores.systems]
    a, b = (systems[places[0]] for places in (comparison.compared.first, comparison.compared.second))
    return f"{picture_text(group.name)}: {picture_text(a)} minus {picture_text(b)}"


def _of_pair(comparison: Comparison, group: Group) -> dict[str, Floats]:
    """Return the differences, their intervals, and whether they are significant, in every view of a measure."""
    at = list(group.views)
    columns = {name: comparison.compared.columns[name][at, 0] for name in ("difference", "low", "high")}
    return {**columns, "significant": comparison.better[at, 0] != 0}


def _line(comparison: Comparison, group: Group, parameter: Parameter, ax: Any) -> Any:
    """Draw the difference over the values of a parameter, with its interval."""
    on = axes_of(ax, 5.5, 3.5)
    assert parameter.positions is not None
    order = np.argsort(parameter.positions, kind="stable")
    of = {name: values[order] for name, values in _of_pair(comparison, group).items()}
    x = parameter.positions[order]
    interval = f"{comparison.choices.coverage} interval"
    on.fill_between(x, of["low"], of["high"], color=BLUE, alpha=0.2, linewidth=0, label=interval)
    on.plot(x, of["difference"], color=BLUE, linewidth=1)
    _dots_at(comparison, on, x, of["difference"], of["significant"])
    on.axhline(0, color="black", linewidth=0.8, linestyle="--")
    if isinstance(parameter.cells[0], str):  # durations
        places = np.unique(np.linspace(0, len(x) - 1, min(len(x), 6)).astype(int))
        on.set_xticks(x[places], [str(parameter.cells[order[place]]) for place in places])
    on.set(xlabel=parameter.name, ylabel=_title(comparison, group))
    on.legend()
    return on


def _dots(comparison: Comparison, group: Group, parameter: Parameter, ax: Any) -> Any:
    """Draw one dot per value of a parameter without an order, with its interval."""
    of = _of_pair(comparison, group)
    on = axes_of(ax, 5.5, 1.4 + 0.26 * len(group.views))
    places = np.arange(len(group.views), dtype=float)
    interval = f"{comparison.choices.coverage} interval"
    on.hlines(places, of["low"], of["high"], color=BLUE, linewidth=1, label=interval)
    _dots_at(comparison, on, of["difference"], places, of["significant"])
    on.axvline(0, color="black", linewidth=0.8, linestyle="--")
    on.set_yticks(places, [number_text(value) for value in parameter.cells])
    on.invert_yaxis()
    on.set(xlabel=_title(comparison, group), ylabel=parameter.name)
    legend_above(on)
    return on


def _dots_at(comparison: Comparison, on: Any, x: Floats, y: Floats, significant: Any) -> None:
    """Draw filled dots where the difference is significant, and hollow ones elsewhere."""
    for chosen, fill, label in ((significant, BLUE, "significant"), (~significant, "white", "not significant")):
        if chosen.any():
            text = f"{label} at {comparison.choices.level:g}"
            on.plot(x[chosen], y[chosen], "o", color=BLUE, markerfacecolor=fill, markersize=4.5, zorder=3, label=text)


def _draw_over_two(on: Any, values: Floats, down: Parameter, across: Parameter, **colours: Any) -> Any:
    """Draw values by colour, the cell (y, x) around that point; what is NaN, a combination that is no setting, is grey."""
    edges = [np.arange(len(parameter.axis) + 1) - 0.5 for parameter in (across, down)]
    on.set_facecolor("#dddddd")
    image = on.pcolormesh(*edges, np.ma.masked_invalid(values), rasterized=True, **colours)
    on.spines[:].set_visible(False)
    label_ticks(on.xaxis, across.axis)
    label_ticks(on.yaxis, down.axis)
    on.set(xlabel=picture_text(across.name), ylabel=picture_text(down.name))
    return image


def _heat_map(
    on: Any, comparison: Comparison, group: Group, chosen: Sequence[int], down: Parameter, across: Parameter
) -> Any:
    """Draw differences by colour, the border where their sign changes as a line, and hatch what is not significant."""
    from matplotlib.collections import PolyCollection

    of = _of_pair(comparison, group)
    limit = float(np.abs(of["difference"]).max()) or 1.0
    difference = np.full((len(down.axis), len(across.axis)), np.nan)
    squares = []
    for place in chosen:
        y, x = down.axis.index(down.cells[place]), across.axis.index(across.cells[place])
        difference[y, x] = of["difference"][place]
        if not of["significant"][place]:
            squares.append([(x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5)])
    image = _draw_over_two(on, difference, down, across, cmap="PuOr", vmin=-limit, vmax=limit)
    on.add_collection(PolyCollection(squares, facecolor="none", edgecolor="#555555", hatch="////", linewidth=0))
    sign = signs(difference)
    line = {"color": "black", "linewidth": 2, "solid_capstyle": "projecting"}
    for y, x in zip(*np.nonzero(_differ(sign[:, :-1], sign[:, 1:])), strict=True):
        on.plot([x + 0.5, x + 0.5], [y - 0.5, y + 0.5], **line)
    for y, x in zip(*np.nonzero(_differ(sign[:-1], sign[1:])), strict=True):
        on.plot([x - 0.5, x + 0.5], [y + 0.5, y + 0.5], **line)
    return image


def _differ(one: Floats, other: Floats) -> Any:
    return (one != other) & ~np.isnan(one) & ~np.isnan(other)


def _colour_bar(comparison: Comparison, image: Any, axes: Any) -> None:
    figure = np.ravel(np.asarray(axes, dtype=object))[0].figure
    text = f"difference; hatched: not significant at {comparison.choices.level:g}"
    figure.colorbar(image, ax=axes).set_label(text, fontsize="small")


def _shares(comparison: Comparison, group: Group, ax: Any) -> Any:
    """Draw one bar per system, the best on top: the shares of users for whom it is better and worse."""
    over = comparison.frame("over")
    over = over[over["measure"] == group.name]
    lead = over["share_better"] - over["share_worse"]
    table = over.loc[lead.sort_values(ascending=False, kind="stable").index]
    several = table["b"].nunique() > 1
    other = "the other" if several else picture_text(comparison.names[table["b"].iloc[0]])
    on = axes_of(ax, 6, 1.4 + (0.15 if len(table) >= 40 else 0.26) * len(table))
    left = np.zeros(len(table))
    parts = (
        ("share_better", BLUE, "", f"better than {other}"),
        ("share_undecided", _UNDECIDED, "", "not told apart"),
        ("share_worse", VERMILION, "////", f"worse than {other}"),
    )
    for column, colour, hatch, label in parts:
        widths = 100 * table[column].to_numpy()
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
        on.barh(np.arange(len(table)), widths, left=left, label=label, **look)
        left += widths
    of_pair = [(comparison.names[row.a], comparison.names[row.b]) for row in table.itertuples()]
    name_rows(on, [f"{a} - {b}" if several else a for a, b in of_pair])
    on.set(xlim=(0, 100), xlabel=f"share of users (settings of {picture_text(group.name)}), %")
    legend_above(on)
    return on


def plot_ranks(comparison: Comparison, ax: Any = None, measure: str | None = None) -> Any:
    """Draw the band of ranks of every system over the views of a measure, the best on top."""
    group = _group_named(comparison, measure)
    table = comparison.frame("ranks")
    table = table[table["measure"] == group.name].sort_values(["median", "best", "worst"], kind="stable")
    on = axes_of(ax, 5.5, 1.2 + (0.26 if len(table) < 40 else 0.15) * len(table))
    places = np.arange(len(table))
    on.hlines(places, table["best"], table["worst"], color=BLUE, linewidth=3, alpha=0.5, label="best to worst")
    on.plot(table["median"], places, "d", color=VERMILION, markeredgecolor="black", markersize=5, label="median")
    name_rows(on, [comparison.names[system] for system in table["system"]])
    on.set_xlim(0.5, len(table) + 0.5)
    on.locator_params(axis="x", integer=True)
    grid_behind(on, "x")
    on.set_xlabel(f"rank over {len(group.views)} settings of {picture_text(group.name)}")
    legend_above(on, 2)
    return on


# -- agreement with a reference ----------------------------------------------------------------------------


def plot_agreement(
    agreement: Agreement, ax: Any = None, along: str | Sequence[str] | None = None, coefficient: str = "tau"
) -> Any:
    """Draw a correlation with the reference over views: a line or dots along one parameter, a heat map along two.

    Of more than two parameters, the two along which the median of the correlation changes most; over the others the median is
    drawn, of a line also the range.
    """
    group = group_of(agreement.scores, agreement.pairs[1].tolist())
    values = agreement.coefficient(coefficient)
    if not group.parameters:
        raise UsageError(
            f"{agreement.reference_name} is compared with one view alone. The picture of views needs several."
        )
    chosen = _chosen(group.parameters, values, [along] if isinstance(along, str) else along)
    others = [parameter for parameter in group.parameters if parameter not in chosen]
    over = f"median over {', '.join(picture_text(parameter.name) for parameter in others)}" if others else ""
    title = f"{coefficient} of {picture_text(group.name)} with {picture_text(agreement.reference_name)}"
    shape = tuple(len(parameter.axis) for parameter in chosen)
    low, median, high = (np.full(shape, np.nan) for _ in range(3))
    cells = [tuple(parameter.axis.index(parameter.cells[i]) for parameter in chosen) for i in range(len(values))]
    for cell in dict.fromkeys(cells):
        of_cell = values[[one == cell for one in cells]]
        of_cell = of_cell[~np.isnan(of_cell)]
        if len(of_cell):
            low[cell], median[cell], high[cell] = of_cell.min(), np.median(of_cell), of_cell.max()
    if len(chosen) == 2:
        return _agreement_map(ax, chosen, median, title, over or coefficient)
    [parameter] = chosen
    ends = float(np.nanmin(low)) - 0.05
    if parameter.is_ordered:
        on = axes_of(ax, 5.5, 3.5)
        is_number = not isinstance(parameter.axis[0], str)
        x = np.array(parameter.axis, dtype=float) if is_number else np.arange(len(parameter.axis), dtype=float)
        if others:
            on.fill_between(x, low, high, color=BLUE, alpha=0.2, linewidth=0, label="lowest to highest")
        on.plot(x, median, "o-", color=BLUE, markersize=4, linewidth=1.2, label=over or None)
        if not is_number:
            label_ticks(on.xaxis, parameter.axis)
        on.set(xlabel=picture_text(parameter.name), ylabel=coefficient, ylim=(min(0.0, ends), 1.03))
        grid_behind(on, "y")
    else:
        on = axes_of(ax, 5.5, 1.2 + 0.26 * len(parameter.axis))
        places = np.arange(len(parameter.axis), dtype=float)
        if others:
            on.hlines(places, low, high, color=BLUE, linewidth=3, alpha=0.4, label="lowest to highest")
        on.plot(median, places, "o", color=BLUE, markersize=5, label=over or None)
        on.set_yticks(places, [number_text(label) for label in parameter.axis])
        on.set(xlabel=coefficient, xlim=(min(0.0, ends), 1.03), ylim=(len(parameter.axis) - 0.5, -0.5))
        on.set_ylabel(picture_text(parameter.name))
        grid_behind(on, "x")
    on.set_title(title, pad=22 if others else None)
    if others:
        legend_above(on, 2)
    return on


def _chosen(parameters: Sequence[Parameter], values: Floats, along: Sequence[str] | None) -> list[Parameter]:
    """Return the parameters on the axes: those named, or up to two along which the median changes most."""
    if along is not None:
        by_name = {parameter.name: parameter for parameter in parameters}
        for name in along:
            if name not in by_name:
                raise UsageError(
                    f"No parameter {name!r} varies.{suggest(name, by_name)} These do: {', '.join(by_name)}."
                )
        if not 1 <= len(set(along)) <= 2:
            raise UsageError(
                f"A picture shows the settings along one or two parameters. Got {', '.join(along) or 'none'}."
            )
        return [by_name[name] for name in dict.fromkeys(along)]
    if len(parameters) <= 2:
        return list(parameters)
    spreads = []
    for parameter in parameters:
        of_cells = [values[[cell == value for cell in parameter.cells]] for value in parameter.axis]
        medians = [float(np.median(of[~np.isnan(of)])) for of in of_cells if (~np.isnan(of)).any()]
        spreads.append(float(np.ptp(medians)) if medians else 0.0)
    return [parameters[place] for place in sorted(np.argsort(-np.round(spreads, 12), kind="stable")[:2].tolist())]


def _agreement_map(ax: Any, chosen: Sequence[Parameter], median: Floats, title: str, label: str) -> Any:
    down, across = sorted(chosen, key=lambda parameter: len(parameter.axis))
    values = median if down is chosen[0] else median.T
    on = axes_of(ax, 5.8, 1.6 + 0.36 * min(len(values), 10))
    image = _draw_over_two(on, values, down, across, cmap="cividis", vmin=float(np.nanmin(values)), vmax=1)
    if values.size <= _WRITTEN and values.shape[1] <= 12:
        write_in_cells(image, values, np.isnan(values))
    on.set_title(title)
    on.figure.colorbar(image, ax=on).set_label(label, fontsize="small")
    return on


# -- pictures of studies of measures: significance levels, swaps, agreement, robustness ------------------------------


_SHOWN_LEVELS = 3
"""A linear axis of significance levels ends at so many times the level."""

ORDERS = ("listed", "similar")
"""The orders of a heat map."""

_NUMBERS, _NAMES = 16, 60
"""Cells of up to so many measures have their number in them; up to so many are named, of more every second, third, ..."""

_MOST_PANELS, _ACROSS = 12, 3
_SHADED, _TOGETHER = 3, 9
"""Up to how many measures have bands; up to how many are drawn in one panel."""


# -- discrimination ----------------------------------------------------------------------------------------


def plot_levels(result: Result, ax: Any = None, log: bool = False) -> Any:
    """Draw the achieved significance levels of all pairs, sorted: one curve per view, the largest power first in the legend."""
    measures, levels = result.frame("measures"), result.frame("asl")
    on = axes_of(ax, width_beside(measures["measure"], " (99.9%)"), 4)
    level = float(measures["level"].iloc[0])
    for row in measures.sort_values("power", ascending=False, kind="stable").itertuples():
        curve = levels[levels["measure"] == row.measure]
        shown = curve["p_corrected"].clip(lower=1e-16) if log else curve["p_corrected"]
        label = f"{picture_text(str(row.measure))} ({row.power:.1%})"
        on.plot(100 * curve["share"], shown, label=label, linewidth=1.6, **distinct_line(row.Index))
    on.axhline(level, color=GREY, linewidth=0.8, linestyle="--", label=f"level {level:g}", zorder=1)
    on.set_xlim(0, 100)
    if log:
        on.set_yscale("log")
    else:
        on.set_ylim(0, min(1, _SHOWN_LEVELS * level))
    on.set(xlabel="share of the pairs of systems, %", ylabel="achieved significance level")
    legend_beside(on, "measure (power)")
    return on


def plot_log_levels(result: Result, ax: Any = None) -> Any:
    """Draw all achieved significance levels on a logarithmic axis."""
    return plot_levels(result, ax, log=True)


def plot_swaps(result: Result, ax: Any = None) -> Any:
    """Draw the swap rates by the difference of means: one curve per view over the smallest difference of each bin."""
    rates = result.frame("swaps")
    on = axes_of(ax, width_beside(rates["measure"]), 4)
    for number, (measure, curve) in enumerate(rates.groupby("measure", sort=False)):
        used = curve[curve["compared"] > 0]
        look = {**distinct_line(number), "marker": distinct_marker(number), "markersize": 4, "linewidth": 1.4}
        on.plot(
            used.index - curve.index[0], 100 * used["swap_rate"], label=picture_text(measure), clip_on=False, **look
        )
    lows = rates["low"].to_numpy()[:BINS]
    ticks = np.arange(0, len(lows), 4)
    on.set_xticks(ticks, [f"{'≥ ' if tick == len(lows) - 1 else ''}{lows[tick]:g}" for tick in ticks.tolist()])
    on.axhline(100 * RELIABLE, color=GREY, linewidth=0.8, linestyle="--", label=f"{RELIABLE:.0%} swapped", zorder=1)
    on.set_ylim(bottom=0)
    on.set(
        xlabel="difference of means in one half of the topics, in bins", ylabel="opposite order in the other half, %"
    )
    legend_beside(on)
    return on


# -- agreement ---------------------------------------------------------------------------------------------


def plot_map(agreement: Agreement, ax: Any = None, coefficient: str = "tau", order: str = "listed") -> Any:
    """Draw a heat map of one coefficient of all views with all others, as listed or such that similar ones are neighbours."""
    if order not in ORDERS:
        raise UsageError(f"The order of the measures is one of {', '.join(ORDERS)}. Got {order!r} instead.")
    values = agreement.matrix(coefficient).to_numpy()
    at = order_by_similarity(values) if order == "similar" else np.arange(len(values))
    values, measures = values[np.ix_(at, at)], [agreement.measures[place] for place in at]
    count = len(measures)
    side = max(2.8, 0.45 * min(count, _NUMBERS) + 0.16 * max(0, min(count, _NAMES) - _NUMBERS))
    step = -(-count // _NAMES)
    places = list(range(0, count, step))
    names = [picture_text(measures[place], 22 if count <= _NUMBERS else 36) for place in places]
    room = 0.075 * max(len(line) for name in names for line in name.split("\n"))
    on = axes_of(ax, side + 1.2 + room, side + 0.2 + room)
    image = on.imshow(values, cmap="cividis", vmin=float(np.nanmin(values)), vmax=1.0)
    if count <= _NUMBERS:
        write_in_cells(image, values, np.eye(count, dtype=bool))
    size = "small" if count <= _NUMBERS else "x-small"
    on.set_xticks(places, names, rotation=90, fontsize=size)
    on.set_yticks(places, names, fontsize=size)
    on.tick_params(length=0 if step == 1 else 2)
    if coefficient == DIRECTED:
        on.set_ylabel("reference")
    on.spines[:].set_visible(False)
    bar: Any = on.figure.colorbar(image, ax=on, shrink=0.8)
    bar.set_label(COEFFICIENTS[coefficient])
    bar.outline.set_visible(False)
    return on


def order_by_similarity(values: Floats) -> Ints:
    """Return the order of measures in which those that agree are neighbours: hierarchical clustering by mean linkage.

    >>> order_by_similarity(np.array([[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]])).tolist()
    [1, 2, 0]
    """
    if len(values) < 3:
        return np.arange(len(values))
    from scipy.cluster.hierarchy import leaves_list, linkage

    distances = 1 - (values + values.T)[np.triu_indices(len(values), 1)] / 2
    order: Ints = leaves_list(linkage(np.maximum(distances, 0), "average", optimal_ordering=True)).astype(np.int64)
    return order


def plot_scatter(agreement: Agreement, ax: Any = None, views: Any = None) -> Any:
    """Draw the means of the systems by every view b over those by a: one panel per pair, of many the extremes of tau.

    A system that is tied with another by one of the two views is hollow. In one panel, up to 30 systems are named.
    """
    a, b = agreement.pairs
    taus = agreement.coefficient("tau")
    chosen = list(range(len(a)))
    if views is not None:
        wanted = {
            agreement.scores.select(views=view).names[0] for view in ([views] if isinstance(views, str) else views)
        }
        chosen = [i for i in chosen if agreement.measures[b[i]] in wanted]
    elif len(a) > _MOST_PANELS and agreement.has_reference:
        order = np.argsort(np.round(taus, 12), kind="stable")
        chosen = list(dict.fromkeys(order[[0, (len(order) - 1) // 2, -1]].tolist()))
    if len(chosen) > _MOST_PANELS:
        raise UsageError(
            f"A picture shows up to {_MOST_PANELS} pairs of measures. There are {len(chosen)}: name a reference, or fewer measures."
        )
    across = min(len(chosen), _ACROSS)
    axes = panels_for(ax, len(chosen), across, (5.5, 4.6) if len(chosen) == 1 else (3.1 * across, 3.0))
    for on, i in zip(axes, chosen, strict=True):
        _scatter(on, agreement, int(a[i]), int(b[i]), f"tau = {taus[i]:.3f}")
        if len(chosen) == 1 and len(agreement.means) <= NAMED_POINTS:
            on.margins(0.15)
            x, y = agreement.means[:, [a[i], b[i]]].T
            name_points(on, x, y, agreement.scores.systems)
    return axes[0]


def _scatter(on: Any, agreement: Agreement, x: int, y: int, title: str) -> None:
    values = agreement.means[:, [x, y]]
    is_tied = tied(values)
    size = 18 if len(values) <= 40 else 10
    kinds = ((~is_tied, BLUE, BLUE, None), (is_tied, "white", VERMILION, "tied with another system"))
    for chosen, fill, colour, label in kinds:
        if chosen.any():
            look = {"facecolor": fill, "edgecolor": colour, "linewidth": 1.1, "alpha": 0.85}
            on.scatter(*values[chosen].T, s=size, label=label, zorder=3 if label else 2, **look)
    on.set_xlabel(picture_text(agreement.measures[x], 34), fontsize="small")
    on.set_ylabel(picture_text(agreement.measures[y], 34), fontsize="small")
    on.set_title(title)
    if is_tied.any():
        on.legend(fontsize="x-small", loc="best", handletextpad=0.2, borderpad=0.2)


def tied(values: Floats) -> Bools:
    """Return which systems have the same value as another one in a column.

    >>> tied(np.array([[0.1, 0.5], [0.2, 0.5], [0.3, 0.7]])).tolist()
    [True, True, False]
    """
    is_tied: Bools = ((values[None, :, :] == values[:, None, :]).sum(axis=1) > 1).any(axis=1)
    return is_tied


# -- missing judgments -------------------------------------------------------------------------------------


def plot_robustness(result: Result, ax: Any = None) -> Any:
    """Draw tau against the percentage of the judgments, one line per measure, with the range of the samples.

    The legend is in the order of the curves at the smallest percentage. Of more than nine measures, each has a panel.
    """
    full = dict.fromkeys(result.frame("levels")["measure"], 1.0)
    return _against_judgments(result, "tau", full, "tau with the full pool", ax)


def plot_means(result: Result, ax: Any = None) -> Any:
    """Draw the mean over systems and topics against the percentage of the judgments, as :func:`plot_robustness` draws tau."""
    drops = result.frame("drops")
    full = dict(zip(drops["measure"], drops["full_value"].astype(float), strict=True))
    return _against_judgments(result, "mean_value", full, "mean over systems and topics", ax)


def _against_judgments(result: Result, column: str, full: dict[str, float], label: str, ax: Any) -> Any:
    """Draw a column of the samples, whose values with all judgments are given by measure."""
    import pandas as pd

    by_level = result.frame("samples").groupby(["measure", "keep"], sort=False)[column]
    rows = by_level.agg(["mean", "min", "max"]).reset_index()
    if 100 not in set(rows["keep"]):  # with all judgments there is nothing to draw at random
        whole = {"measure": list(full), "keep": 100, **{name: list(full.values()) for name in ("mean", "min", "max")}}
        rows = pd.concat([pd.DataFrame(whole), rows])
    rows = rows.sort_values("keep", ascending=False, kind="stable")
    systems = len(result.scores.systems) if result.scores is not None else 0
    last = rows[rows["keep"] == rows["keep"].min()]
    measures = list(last.sort_values("mean", ascending=False, kind="stable", na_position="last")["measure"])
    if ax is None and len(measures) > _TOGETHER:
        return _panels(rows, measures, systems, label)
    on = axes_of(ax, width_beside(measures), 4.5)
    gap = min(np.abs(np.diff(_levels(rows))), default=10.0)
    for i, measure in enumerate(measures):
        shade = 0.15 if len(measures) <= _SHADED else 0.0
        _curve(on, rows, measure, i, 0.0 if shade else 0.06 * gap * ((len(measures) - 1) / 2 - i), shade)
    _axes(on, rows, 0.05, label)
    how = "bands" if len(measures) <= _SHADED else "bars"
    on.set_title(f"{systems} systems; lines are means, {how} the range of samples", fontsize="small")
    legend_beside(on, "measure")
    return on


def _levels(rows: pd.DataFrame) -> list[float]:
    return sorted(set(rows["keep"].astype(float)), reverse=True)


def _points(rows: pd.DataFrame, measure: str) -> list[Floats]:
    """Return the percentages of a measure, largest first, and the mean of its samples, the smallest and the largest there."""
    of_measure = rows[rows["measure"] == measure]
    return [of_measure[name].to_numpy(dtype=float) for name in ("keep", "mean", "min", "max")]


def _curve(on: Any, rows: pd.DataFrame, measure: str, number: int, shift: float = 0.0, shade: float = 0.0) -> None:
    """Draw the line of a measure: with its band if that is shaded, else with bars, moved so that they do not overlap."""
    levels, mean, low, high = _points(rows, measure)
    look, x = distinct_line(number), levels + shift * (levels < 100)
    if shade:
        on.fill_between(x, low, high, color=look["color"], alpha=shade, linewidth=0)
    else:
        on.vlines(x, low, high, color=look["color"], linewidth=1.2, alpha=0.7)
    on.plot(
        x, mean, **look, linewidth=1.3, marker=distinct_marker(number), markersize=5.5, markeredgecolor="white",
        markeredgewidth=0.5, label=picture_text(measure),
    )  # fmt: skip


def _axes(on: Any, rows: pd.DataFrame, apart: float, label: str) -> None:
    """Label the axes; a percentage that is closer to the last one than a share of the axis has no text."""
    levels = _levels(rows)
    width = (levels[0] - levels[-1]) or 1.0
    texts, last = [], np.inf
    for level in levels:
        is_apart = last - level >= apart * width
        texts.append(f"{level:g}" if is_apart else "")
        last = level if is_apart else last
    on.set_xticks(levels, texts)
    low, high = float(np.nanmin(rows["min"])), float(np.nanmax(rows["max"]))
    on.set(
        xlim=(levels[0] + 0.03 * width, levels[-1] - 0.04 * width), xlabel="judgments kept, %", ylabel=label,
        ylim=(low - 0.05 * (high - low) - 0.005, high + 0.02 * (high - low) + 0.002),
    )  # fmt: skip
    grid_behind(on, "y")


def _panels(rows: pd.DataFrame, measures: list[str], systems: int, label: str) -> Any:
    """Draw one panel per measure, the others in grey behind it."""
    across = min(4, len(measures))
    axes = grid_of_axes(
        len(measures), across, (2.3 * across + 0.6, 2.0 * -(-len(measures) // across) + 0.6), shared=True
    )
    for i, (on, measure) in enumerate(zip(axes, measures, strict=True)):
        _axes(on, rows, 0.13, "")
        for other in measures:
            levels, mean, *_ = _points(rows, other)
            on.plot(levels, mean, color="#cccccc", linewidth=0.7)
        _curve(on, rows, measure, i, shade=0.25)
        on.xaxis.set_tick_params(labelbottom=i + across >= len(measures))
        on.set_title(picture_text(measure), fontsize="small")
        on.tick_params(labelsize="small")
        on.set_xlabel("")
    figure: Any = axes[0].figure
    figure.supxlabel("judgments kept, %", fontsize="medium")
    figure.supylabel(label, fontsize="medium")
    title = f"{systems} systems; lines are means, bands the range of samples, grey the other measures"
    figure.suptitle(title, fontsize="small")
    return axes[0]


def plot_falls(result: Result, ax: Any = None) -> Any:
    """Draw how far runs fall without their own group: a line per measure, a ring for each rank change, by its number of runs."""
    by_measure = result.frame("runs").groupby("measure", sort=False)["rank_change"]
    changes = {str(measure): of_runs.dropna().to_numpy(dtype=float) for measure, of_runs in by_measure}
    on = axes_of(ax, 6.4, 1.7 + 0.42 * len(changes))
    for place, of_measure in enumerate(changes.values()):
        values, counts = np.unique(of_measure, return_counts=True)
        sizes = 18 + 400 * counts / max(len(of_measure), 1)
        on.scatter(values, np.full(len(values), place), s=sizes, facecolor="none", edgecolor=BLUE, linewidth=1.2)
        if len(of_measure):
            on.plot(of_measure.mean(), place, "d", color=VERMILION, markeredgecolor="black", markersize=5)
    on.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    on.plot([], [], "o", markerfacecolor="none", markeredgecolor=BLUE, label="runs, by area")
    on.plot([], [], "d", color=VERMILION, markeredgecolor="black", markersize=5, label="mean")
    on.set_yticks(range(len(changes)), [picture_text(measure, 24) for measure in changes], fontsize="small")
    on.set_ylim(len(changes) - 0.4, -0.6)
    on.locator_params(axis="x", integer=True)
    on.set_xlabel("ranks that a run falls without its own group in the pool")
    grid_behind(on, "x")
    legend_above(on, 2)
    return on
