"""Pictures of the means of systems in settings of a measure against those of a reference."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from irmx.ragged import Floats
from irmx_study.pictures.axes import BLUE, as_text, axes_for, plain


class ScatterDisplay:
    """The picture of a setting against a reference; :meth:`irmx_study.SettingsAgreement.plot_scatter` makes it.

    Parameters
    ----------
    reference : float array, shape (systems,)
        The value of every system by the reference.
    means : float array, shape (systems, settings)
        Its mean in every setting that is drawn.
    name : str
        The name of the reference.
    settings : sequence of str
        The names of the settings.
    taus : mapping of str to float array
        The correlations of every setting, by name.

    Attributes
    ----------
    ax_ : Axes, or list of Axes
        What was drawn on, one per setting.
    figure_ : Figure
        Its figure.
    """

    def __init__(
        self, reference: Floats, means: Floats, name: str, settings: Sequence[str], taus: Mapping[str, Floats]
    ) -> None:
        self.reference, self.means, self.name, self.settings, self.taus = reference, means, name, settings, taus

    def plot(self, ax: Any = None) -> ScatterDisplay:
        """Draw one panel per setting, one point per system, and return the display.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            Where to draw; by default on a new figure.
        """
        axes = axes_for(ax, len(self.settings), (3.6, 3.4), shared=False)
        for place, (panel, setting) in enumerate(zip(axes, self.settings, strict=True)):
            panel.plot(
                self.reference, self.means[:, place], "o", color=BLUE, markersize=5, alpha=0.75, markeredgewidth=0
            )
            panel.set_xlabel(as_text(self.name))
            panel.set_ylabel(as_text(setting.partition("(")[0]))
            values = ", ".join(f"{name} {of_setting[place]:.3f}" for name, of_setting in self.taus.items())
            panel.set_title("\n".join([*_lines(setting), values]), fontsize="small")
            panel.set_axisbelow(True)
            panel.grid(color="#dddddd", linewidth=0.6)
            plain(panel)
        self.ax_ = axes[0] if len(axes) == 1 else axes
        self.figure_ = axes[0].figure
        return self


def _lines(setting: str) -> list[str]:
    """Return the text of a setting in short lines, which break after commas."""
    words = setting.replace("'", "").replace(",", ", ")
    return [as_text(line) for line in textwrap.wrap(words, 34)]
