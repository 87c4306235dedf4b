"""A heat map of the p-values of all pairs of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmx.toolkit import axes_for, picture_text
from irmx_study.comparison.comparison import Comparison
from irmx_study.pictures.display import Display

_COLOURS = ("#e8e8e8", "#9ecae1", "#3182bd", "#08306b")
"""Light to dark, so that they can be told apart in print: not significant, and p up to the level, 0.01 and 0.001."""

_NAMES = 30
"""Up to so many systems are named; of more, every second, third, ..."""


class PairsMap(Display):
    """The heat maps of the corrected p-values of all pairs, the best system first: one panel per measure.

    Parameters
    ----------
    comparison : Comparison
        A comparison of all pairs.
    measures : sequence of str
        The measures.

    Attributes
    ----------
    ax_ : list of Axes
        What was drawn on.
    figure_ : Figure
        Its figure.
    """

    def __init__(self, comparison: Comparison, measures: Sequence[str]) -> None:
        self.level = comparison.choices.level
        self.panels = []
        for measure in measures:
            means = comparison.scores.select(measures=[measure]).means().iloc[:, 0]
            order = means.sort_values(ascending=False, kind="stable").index
            self.panels.append((measure, comparison.pairs(measure).loc[order, order]))

    @property
    def borders(self) -> list[float]:
        """The p-values at which the colour changes, from the largest."""
        return [self.level, *(border for border in (0.01, 0.001) if border < self.level)]

    def plot(self, ax: Any = None) -> PairsMap:
        """Draw the maps."""
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        count = len(self.panels[0][1])
        self.ax_ = axes_for(ax, len(self.panels), (3.9, 3.6), shared=False)
        self.figure_ = self.ax_[0].figure
        colours = [_COLOURS[0], *_COLOURS[-len(self.borders) :]]
        step = -(-count // _NAMES)
        places = list(range(0, count, step))
        for (measure, table), on in zip(self.panels, self.ax_, strict=True):
            classes = sum((table.to_numpy() <= border).astype(float) for border in self.borders)
            classes[np.eye(count, dtype=bool)] = np.nan
            on.imshow(classes, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5, interpolation="none")
            names = [picture_text(table.index[place]) for place in places]
            on.set_yticks(places, names, fontsize=7)
            on.set_xticks([])
            on.set_title(picture_text(measure), fontsize=10)
            on.spines[:].set_visible(False)
        labels = [f"p > {self.level:g}", *(f"p ≤ {border:g}" for border in self.borders)]
        patches = [Patch(color=colour, label=label) for colour, label in zip(colours, labels, strict=True)]
        self.figure_.legend(handles=patches, loc="outside lower center", ncols=len(patches), fontsize=8, frameon=False)
        return self
