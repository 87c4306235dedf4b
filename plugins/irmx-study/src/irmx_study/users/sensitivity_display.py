"""Pictures of the differences between systems over the settings of a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx.toolkit import axes_for, grid_of_axes, picture_text
from irmx_study.pictures.display import Display
from irmx_study.pictures.named_colours import BLUE, VERMILION
from irmx_study.pictures.ticks import number_text
from irmx_study.settings.varied_parameters import VariedParameter
from irmx_study.users.heat_map import draw_heat_map

if TYPE_CHECKING:
    import pandas as pd

_UNDECIDED = "#c8c8c8"


class SensitivityDisplay(Display):
    """The picture of a sensitivity; :meth:`irmx_study.Sensitivity.plot` makes it.

    Parameters
    ----------
    rows : DataFrame
        What :meth:`Sensitivity.frame` returns.
    summary : DataFrame
        What :meth:`Sensitivity.summary` returns.
    varied : sequence of VariedParameter
        The parameters that vary.
    measure : str
        The name of the measure.
    level : float
        The level of significance.

    Attributes
    ----------
    ax_ : Axes, or array of Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(
        self, rows: pd.DataFrame, summary: pd.DataFrame, varied: Sequence[VariedParameter], measure: str, level: float
    ) -> None:
        self.rows, self.summary, self.varied, self.measure, self.level = rows, summary, varied, measure, level

    def plot(self, ax: Any = None) -> SensitivityDisplay:
        """Draw the picture, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.

        Raises
        ------
        irmx.errors.UsageError
            If two systems are compared and more than three parameters vary, or three and ``ax`` is given.
        """
        if len(self.summary) > 1:
            self.ax_ = self._shares(ax)
        elif len(self.varied) == 1:
            ordered = self.varied[0].positions is not None
            self.ax_ = self._line(ax) if ordered else self._dots(ax)
        elif len(self.varied) == 2:
            self.ax_ = axes_for(ax, 1, (5.5, 4))[0]
            down, across = self._longest_last()
            image = draw_heat_map(self.ax_, self.rows, down, across, self._limit())
            self._colour_bar(image, self.ax_)
            self.ax_.set_title(self._title(), fontsize="medium")
        elif len(self.varied) == 3:
            self.ax_ = self._panels(ax)
        else:
            names = ", ".join(parameter.name for parameter in self.varied)
            raise UsageError(f"A picture shows up to three parameters; {names} vary. Fix some, or draw the rank bands.")
        self.figure_ = np.ravel(self.ax_)[0].figure
        return self

    def _title(self) -> str:
        row = self.summary.iloc[0]
        return f"{picture_text(self.measure)}: {picture_text(row['a'])} minus {picture_text(row['b'])}"

    # -- one parameter -----------------------------------------------------------------------------------

    def _line(self, ax: Any) -> Any:
        """Draw the difference over the values of a parameter, with its interval."""
        ax = axes_for(ax, 1, (5.5, 3.5))[0]
        [parameter] = self.varied
        assert parameter.positions is not None
        order = np.argsort(parameter.positions, kind="stable")
        rows, x = self.rows.iloc[order], parameter.positions[order]
        ax.fill_between(x, rows["low"], rows["high"], color=BLUE, alpha=0.2, linewidth=0, label=self._interval())
        ax.plot(x, rows["difference"], color=BLUE, linewidth=1)
        self._dots_at(ax, x, rows["difference"].to_numpy(), rows["better"].to_numpy() != "")
        ax.axhline(0, color="black", linewidth=0.8, linestyle="--")
        if not all(isinstance(value, (int, float)) for value in parameter.values):  # durations
            places = np.unique(np.linspace(0, len(x) - 1, min(len(x), 6)).astype(int))
            ax.set_xticks(x[places], [str(parameter.values[order[place]]) for place in places])
        ax.set_xlabel(parameter.name)
        ax.set_ylabel(self._title())
        ax.legend(frameon=False, fontsize="small")
        return ax

    def _dots(self, ax: Any) -> Any:
        """Draw one dot per value of a parameter without an order, with its interval."""
        rows = self.rows
        ax = axes_for(ax, 1, (5.5, 1.4 + 0.26 * len(rows)))[0]
        places = np.arange(len(rows), dtype=float)
        ax.hlines(places, rows["low"], rows["high"], color=BLUE, linewidth=1, label=self._interval())
        self._dots_at(ax, rows["difference"].to_numpy(), places, rows["better"].to_numpy() != "")
        ax.axvline(0, color="black", linewidth=0.8, linestyle="--")
        ax.set_yticks(places, [number_text(value) for value in rows[self.varied[0].column]])
        ax.invert_yaxis()
        ax.set_ylabel(self.varied[0].name)
        ax.set_xlabel(self._title())
        ax.legend(frameon=False, fontsize="small", ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        return ax

    def _interval(self) -> str:
        return f"{100 * (1 - self.level):g}% interval"

    def _dots_at(self, ax: Any, x: Floats, y: Floats, significant: Any) -> None:
        """Draw filled dots where the difference is significant, and hollow ones elsewhere."""
        for chosen, fill, label in ((significant, BLUE, "significant"), (~significant, "white", "not significant")):
            if chosen.any():
                ax.plot(
                    x[chosen], y[chosen], "o", color=BLUE, markerfacecolor=fill, markersize=4.5, zorder=3,
                    label=f"{label} at {self.level:g}",
                )  # fmt: skip

    # -- two and three parameters ------------------------------------------------------------------------

    def _longest_last(self) -> list[VariedParameter]:
        return sorted(self.varied, key=lambda parameter: len(set(parameter.cells())))

    def _limit(self) -> float:
        return float(self.rows["difference"].abs().max()) or 1.0

    def _panels(self, ax: Any) -> Any:
        """Draw one heat map per value of the parameter with the fewest values."""
        if ax is not None:
            raise UsageError("The picture of three parameters has several panels; leave ax out.")
        panel, y, x = self._longest_last()
        values = panel.axis()
        across = min(len(values), 3)
        down = -(-len(values) // across)
        axes = grid_of_axes(len(values), across, (2.6 * across + 1.2, 2.4 * down + 0.6), shared=True)
        for axis, value in zip(axes, values, strict=True):
            rows = self.rows[self.rows[panel.column] == value]
            image = draw_heat_map(axis, rows, y, x, self._limit())
            axis.set_title(f"{panel.name}={number_text(value)}", fontsize="medium")
            axis.label_outer()
        self._colour_bar(image, axes)
        axes[0].figure.suptitle(self._title(), fontsize="medium")
        return np.array(axes, dtype=object)

    def _colour_bar(self, image: Any, axes: Any) -> None:
        figure = np.ravel(axes)[0].figure
        bar = figure.colorbar(image, ax=axes)
        bar.set_label(f"difference; hatched: not significant at {self.level:g}", fontsize="small")

    # -- several systems ---------------------------------------------------------------------------------

    def _shares(self, ax: Any) -> Any:
        """Draw one bar per system, the best on top: the shares of users for whom it is better and worse."""
        lead = self.summary["share_better"] - self.summary["share_worse"]
        table = self.summary.loc[lead.sort_values(ascending=False, kind="stable").index]
        small = len(table) >= 40
        ax = axes_for(ax, 1, (6, 1.4 + (0.15 if small else 0.26) * len(table)))[0]
        left = np.zeros(len(table))
        several = table["b"].nunique() > 1
        other = "the other" if several else picture_text(table["b"].iloc[0])
        parts = (
            ("share_better", BLUE, "", f"better than {other}"),
            ("share_undecided", _UNDECIDED, "", "not told apart"),
            ("share_worse", VERMILION, "////", f"worse than {other}"),
        )
        for column, colour, hatch, label in parts:
            widths = 100 * table[column].to_numpy()
            ax.barh(
                np.arange(len(table)), widths, left=left, color=colour, hatch=hatch, edgecolor="white", linewidth=0.5,
                label=label,
            )  # fmt: skip
            left += widths
        names = [picture_text(f"{row.a} - {row.b}" if several else row.a) for row in table.itertuples()]
        ax.set_yticks(np.arange(len(table)), names, fontsize="x-small" if small else "small")
        ax.set_ylim(len(table) - 0.5, -0.5)
        ax.set_xlim(0, 100)
        ax.set_xlabel(f"share of users (settings of {picture_text(self.measure)}), %")
        ax.legend(frameon=False, fontsize="small", ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        return ax
