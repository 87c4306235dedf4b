"""Pictures over the views of a measure: for which users a system is better, ranks, agreement with a reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx.toolkit import axes_for, grid_of_axes, picture_text, suggest
from irmx_study.comparing import Comparison
from irmx_study.correlating import Agreement
from irmx_study.over_views import signs
from irmx_study.pictures import (
    BLUE,
    VERMILION,
    grid_behind,
    label_ticks,
    legend_above,
    name_rows,
    number_text,
    write_in_cells,
)
from irmx_study.view_groups import Group, Parameter, group_of

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
        on = axes_for(ax, 1, (5.5, 4))[0]
        image = _heat_map(on, comparison, group, range(len(group.views)), *parameters)
        _colour_bar(comparison, image, on)
        on.set_title(_title(comparison, group), fontsize="medium")
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
        on.set_title(f"{panel.name}={number_text(value)}", fontsize="medium")
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
    on = axes_for(ax, 1, (5.5, 3.5))[0]
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
    on.set_xlabel(parameter.name)
    on.set_ylabel(_title(comparison, group))
    on.legend(frameon=False, fontsize="small")
    return on


def _dots(comparison: Comparison, group: Group, parameter: Parameter, ax: Any) -> Any:
    """Draw one dot per value of a parameter without an order, with its interval."""
    of = _of_pair(comparison, group)
    on = axes_for(ax, 1, (5.5, 1.4 + 0.26 * len(group.views)))[0]
    places = np.arange(len(group.views), dtype=float)
    interval = f"{comparison.choices.coverage} interval"
    on.hlines(places, of["low"], of["high"], color=BLUE, linewidth=1, label=interval)
    _dots_at(comparison, on, of["difference"], places, of["significant"])
    on.axvline(0, color="black", linewidth=0.8, linestyle="--")
    on.set_yticks(places, [number_text(value) for value in parameter.cells])
    on.invert_yaxis()
    on.set_ylabel(parameter.name)
    on.set_xlabel(_title(comparison, group))
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
    on.set_xlabel(picture_text(across.name))
    on.set_ylabel(picture_text(down.name))
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
    on = axes_for(ax, 1, (6, 1.4 + (0.15 if len(table) >= 40 else 0.26) * len(table)))[0]
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
    on.set_xlim(0, 100)
    on.set_xlabel(f"share of users (settings of {picture_text(group.name)}), %")
    legend_above(on)
    return on


def plot_ranks(comparison: Comparison, ax: Any = None, measure: str | None = None) -> Any:
    """Draw the band of ranks of every system over the views of a measure, the best on top."""
    group = _group_named(comparison, measure)
    table = comparison.frame("ranks")
    table = table[table["measure"] == group.name].sort_values(["median", "best", "worst"], kind="stable")
    on = axes_for(ax, 1, (5.5, 1.2 + (0.26 if len(table) < 40 else 0.15) * len(table)))[0]
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
        on = axes_for(ax, 1, (5.5, 3.5))[0]
        is_number = not isinstance(parameter.axis[0], str)
        x = np.array(parameter.axis, dtype=float) if is_number else np.arange(len(parameter.axis), dtype=float)
        if others:
            on.fill_between(x, low, high, color=BLUE, alpha=0.2, linewidth=0, label="lowest to highest")
        on.plot(x, median, "o-", color=BLUE, markersize=4, linewidth=1.2, label=over or None)
        if not is_number:
            label_ticks(on.xaxis, parameter.axis)
        on.set_xlabel(picture_text(parameter.name))
        on.set_ylabel(coefficient)
        on.set_ylim(min(0.0, ends), 1.03)
        grid_behind(on, "y")
    else:
        on = axes_for(ax, 1, (5.5, 1.2 + 0.26 * len(parameter.axis)))[0]
        places = np.arange(len(parameter.axis), dtype=float)
        if others:
            on.hlines(places, low, high, color=BLUE, linewidth=3, alpha=0.4, label="lowest to highest")
        on.plot(median, places, "o", color=BLUE, markersize=5, label=over or None)
        on.set_yticks(places, [number_text(label) for label in parameter.axis])
        on.set_ylim(len(parameter.axis) - 0.5, -0.5)
        on.set_ylabel(picture_text(parameter.name))
        on.set_xlabel(coefficient)
        on.set_xlim(min(0.0, ends), 1.03)
        grid_behind(on, "x")
    on.set_title(title, fontsize="medium", pad=22 if others else None)
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
    on = axes_for(ax, 1, (5.8, 1.6 + 0.36 * min(len(values), 10)))[0]
    image = _draw_over_two(on, values, down, across, cmap="cividis", vmin=float(np.nanmin(values)), vmax=1)
    if values.size <= _WRITTEN and values.shape[1] <= 12:
        write_in_cells(image, values, np.isnan(values))
    on.set_title(title, fontsize="medium")
    on.figure.colorbar(image, ax=on).set_label(label, fontsize="small")
    return on
