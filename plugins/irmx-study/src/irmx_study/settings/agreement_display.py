"""Pictures of a correlation with a reference over the settings of a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmx.ragged import Floats
from irmx.toolkit import axes_for, picture_text
from irmx_study.pictures.cell_numbers import write_in_cells
from irmx_study.pictures.display import Display
from irmx_study.pictures.named_colours import BLUE
from irmx_study.pictures.ticks import label_ticks, number_text
from irmx_study.settings.parameter_map import draw_over_two
from irmx_study.settings.parameter_spread import most_important, named_parameters
from irmx_study.settings.varied_parameters import VariedParameter

_WRITTEN = 150
"""A heat map of at most so many cells has their values in it."""


class AgreementDisplay(Display):
    """The picture of an agreement; :meth:`irmx_study.SettingsAgreement.plot` makes it.

    Parameters
    ----------
    varied : sequence of VariedParameter
        The parameters that vary.
    correlations : float array
        The correlation of every setting; NaN if it has none.
    title : str
        What is drawn.
    along : sequence of str, optional
        The names of one or two parameters.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(
        self,
        varied: Sequence[VariedParameter],
        correlations: Floats,
        title: str,
        along: Sequence[str] | None = None,
    ) -> None:
        self.correlations, self.title = correlations, title
        if along is not None:
            self.along = named_parameters(varied, along)
        else:
            self.along = list(varied) if len(varied) <= 2 else most_important(varied, correlations)
        self.others = [parameter for parameter in varied if parameter not in self.along]
        axes = [parameter.axis() for parameter in self.along]
        places = [
            np.array([axis.index(cell) for cell in parameter.cells()])
            for axis, parameter in zip(axes, self.along, strict=True)
        ]
        shape = tuple(map(len, axes))
        self.low, self.median, self.high = (np.full(shape, np.nan) for _ in range(3))
        cells = np.ravel_multi_index(places, shape)
        for cell in np.unique(cells):
            values = correlations[cells == cell]
            values = values[~np.isnan(values)]
            if len(values):
                at = np.unravel_index(cell, shape)
                self.low[at], self.median[at], self.high[at] = values.min(), np.median(values), values.max()

    def plot(self, ax: Any = None) -> AgreementDisplay:
        """Draw the picture, and return the display.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        """
        if len(self.along) == 2:
            self.ax_ = self._heat_map(ax)
        else:
            self.ax_ = self._line(ax) if self.along[0].positions is not None else self._dots(ax)
        self.figure_ = self.ax_.figure
        return self

    def _over(self) -> str:
        """Return what the median is over, empty if nothing."""
        names = ", ".join(picture_text(parameter.name) for parameter in self.others)
        return f"median over {names}" if names else ""

    def _line(self, ax: Any) -> Any:
        ax = axes_for(ax, 1, (5.5, 3.5))[0]
        [parameter] = self.along
        labels = parameter.axis()
        is_number = all(isinstance(value, (int, float)) for value in labels)
        x = np.array(labels, dtype=float) if is_number else np.arange(len(labels), dtype=float)
        if self.others:
            ax.fill_between(x, self.low, self.high, color=BLUE, alpha=0.2, linewidth=0, label="lowest to highest")
        ax.plot(x, self.median, "o-", color=BLUE, markersize=4, linewidth=1.2, label=self._over() or None)
        if not is_number:
            label_ticks(ax.xaxis, labels)
        self._labels(ax, ax.set_xlabel, ax.set_ylabel)
        ax.set_ylim(min(0.0, float(np.nanmin(self.low)) - 0.05), 1.03)
        ax.grid(axis="y", color="#dddddd", linewidth=0.6)
        return ax

    def _dots(self, ax: Any) -> Any:
        labels = self.along[0].axis()
        ax = axes_for(ax, 1, (5.5, 1.2 + 0.26 * len(labels)))[0]
        places = np.arange(len(labels), dtype=float)
        if self.others:
            ax.hlines(places, self.low, self.high, color=BLUE, linewidth=3, alpha=0.4, label="lowest to highest")
        ax.plot(self.median, places, "o", color=BLUE, markersize=5, label=self._over() or None)
        ax.set_yticks(places, [number_text(label) for label in labels])
        ax.set_ylim(len(labels) - 0.5, -0.5)
        self._labels(ax, ax.set_ylabel, ax.set_xlabel)
        ax.set_xlim(min(0.0, float(np.nanmin(self.low)) - 0.05), 1.03)
        ax.grid(axis="x", color="#dddddd", linewidth=0.6)
        return ax

    def _labels(self, ax: Any, of_parameter: Any, of_value: Any) -> None:
        of_parameter(picture_text(self.along[0].name))
        of_value(self.title.partition(" of ")[0])
        ax.set_title(_text(self.title), fontsize="medium", pad=22 if self.others else None)
        ax.set_axisbelow(True)
        if self.others:
            ax.legend(frameon=False, fontsize="small", ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))

    def _heat_map(self, ax: Any) -> Any:
        down, across = sorted(self.along, key=lambda parameter: len(parameter.axis()))
        values = self.median if down is self.along[0] else self.median.T
        ax = axes_for(ax, 1, (5.8, 1.6 + 0.36 * min(len(values), 10)))[0]
        least = float(np.nanmin(values))
        image = draw_over_two(ax, values, down, across, cmap="cividis", vmin=least, vmax=1)
        if values.size <= _WRITTEN and values.shape[1] <= 12:
            write_in_cells(image, values, np.isnan(values))
        ax.set_title(_text(self.title), fontsize="medium")
        ax.figure.colorbar(image, ax=ax).set_label(self._over() or self.title.partition(" of ")[0], fontsize="small")
        return ax


def _text(title: str) -> str:
    """Return a title with the names in it as texts of a picture."""
    kind, _, names = title.partition(" of ")
    measure, _, reference = names.rpartition(" with ")
    return f"{kind} of {picture_text(measure)} with {picture_text(reference)}"
