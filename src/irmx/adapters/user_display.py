"""The picture of a measure's user on one topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ir_measures

from irmx.adapters.pictures import axes_for, grid_of_axes, picture_style
from irmx.data.files import is_path
from irmx.declare.measure_failures import failures_of
from irmx.declare.measures import Measure, NothingToDrawError, picture_text
from irmx.errors import located
from irmx.rank.rankings import Rankings
from irmx.score.backends import checked
from irmx.score.explain import explained
from irmx.score.scored_runs import named_runs

_ACROSS = 2
_WIDTH, _HEIGHT = 6.4, 3.9
_LINE = 0.24
"""The height of an entry of a list, in inches."""


@dataclass(frozen=True)
class UserPanel:
    """One panel of a :class:`UserDisplay`.

    Attributes
    ----------
    measure : Measure
        The measure.
    run : str
        The name of the run; empty if it has none.
    value : float
        Its score on the topic.
    scorer : Measure
        What computes and draws it.
    rankings : Rankings
        The ranking of the topic.
    """

    measure: ir_measures.Measure
    run: str
    value: float
    scorer: Measure = field(repr=False)
    rankings: Rankings = field(repr=False)


@dataclass(eq=False)
class UserDisplay:
    """The users of measures on one topic: where they are, what they examine, what that contributes to the score.

    It is made by :func:`irmx.plot`. What a panel shows depends on the measure, see :meth:`irmx.Measure.draw_user`.

    Attributes
    ----------
    query_id : str
        The topic.
    panels : tuple of UserPanel
        What is drawn: one panel per run and measure.
    ax_ : Axes or list of Axes
        The axes of matplotlib; a list if there are several panels.
    figure_ : Figure
        The figure of matplotlib.
    """

    query_id: str
    panels: tuple[UserPanel, ...]
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    def plot(self, ax: Any = None) -> UserDisplay:
        """Draw the panels, and return the display.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            Where to draw, one per panel; by default on a new figure.

        Raises
        ------
        irmx.errors.UsageError
            If matplotlib is not installed, the number of axes is not that of the panels, or a measure has nothing to draw.
        """
        count = len(self.panels)
        across = min(_ACROSS, count)
        new = ax is None
        axes = (
            grid_of_axes(count, across, (_WIDTH * across, _HEIGHT * -(-count // across)))
            if new
            else axes_for(ax, count, (1, 1))
        )
        with picture_style() as pyplot:
            try:
                for panel, on in zip(self.panels, axes, strict=True):
                    self._draw(panel, on)
            except BaseException:
                if new:
                    pyplot.close(axes[0].figure)
                raise
        if new:
            self._on_one_scale(axes)
        self.ax_, self.figure_ = (axes[0] if count == 1 else axes), axes[0].figure
        if new:
            rows = len({on.get_position().y0 for on in axes})  # a narrow picture has more
            self.figure_.set_figheight(rows * max(_height(on) for on in axes))
        return self

    def _on_one_scale(self, axes: list[Any]) -> None:
        """Give the panels of a measure, which are of several runs, the same scale; lists have their own."""
        for measure in {panel.measure for panel in self.panels}:
            alike = [on for panel, on in zip(self.panels, axes, strict=True) if panel.measure == measure]
            drawn = [on for on in alike if on.has_data()]
            if drawn and not any(on.yaxis_inverted() for on in drawn):
                top = max(on.get_ylim()[1] for on in drawn)
                right = max(on.get_xlim()[1] for on in drawn)
                for on in alike:
                    on.set_ylim(top=top)
                    on.set_xlim(right=right)

    def _draw(self, panel: UserPanel, ax: Any) -> None:
        try:
            with failures_of(panel.scorer):
                panel.scorer.draw_user(panel.rankings, ax)
        except NothingToDrawError:
            if len(self.panels) == 1:
                raise
            ax.text(0.5, 0.5, "no document contributes", ha="center", va="center", transform=ax.transAxes)
        name = f", {picture_text(panel.run)}" if panel.run else ""
        title = f"{picture_text(panel.measure, 60)}\ntopic {picture_text(self.query_id)}{name}: {panel.value:.4f}"
        labels = ax.get_legend_handles_labels()[1]
        columns = 2 if len(labels) == 4 else 3
        rows = -(-len(labels) // columns)
        ax.set_title(title, fontsize="medium", loc="left", pad=8 + 15 * rows)
        if labels:
            ax.legend(
                fontsize="small", ncols=columns, loc="lower left", bbox_to_anchor=(-0.02, 0.985), handletextpad=0.4,
                columnspacing=1.2, borderpad=0.2,
            )  # fmt: skip


def _height(ax: Any) -> float:
    """Return the height of a panel in inches: of a list, as its entries need."""
    return 1.7 + _LINE * len(ax.get_yticks()) if ax.yaxis_inverted() else _HEIGHT


def plot(
    measure: str | ir_measures.Measure | Sequence[str | ir_measures.Measure],
    qrels: Any,
    run: Any,
    query_id: str,
    ax: Any = None,
) -> UserDisplay:
    """Draw the user of a measure on one topic: where MP's user is, when users of MSU look in, what a page's reader examines.

    Of any other measure that :func:`irmx.explain` explains, the weight and the contribution of every document are drawn.

    Parameters
    ----------
    measure : str, Measure, or sequence of them
        One or several measures of irmx, or of ir_measures that a plugin computes.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    run : any
        Anything that :func:`irmx.read_run` accepts; or several runs, as a mapping from names to runs or a list of paths. There is one
        panel per run and measure.
    query_id : str
        The topic.
    ax : Axes or sequence of Axes, optional
        Where to draw, one per panel; by default on a new figure.

    Returns
    -------
    UserDisplay
        The display, with ``ax_`` and ``figure_``.

    Raises
    ------
    irmx.errors.UsageError
        If matplotlib is not installed, or a measure has nothing to draw.
    irmx.errors.DataError
        For a topic that is not in the qrels or in a run.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import qrels_path, run_path
    >>> display = irmx.plot("MP(model=GL_AD_ID)", qrels_path(), run_path("bm25"), "1")
    >>> display.panels
    (UserPanel(measure=MP(model=GL_AD_ID), run='bm25.run', value=0.6...),)
    >>> irmx.toolkit.write_picture(display.figure_, "user.pdf")  # doctest: +SKIP
    """
    measures = [measure] if isinstance(measure, (str, ir_measures.Measure)) else list(measure)
    panels = [
        _panel(one, qrels, source, name, query_id) for name, source in _runs(run).items() for one in measures
    ]  # fmt: skip
    return UserDisplay(str(panels[0].rankings.topics[0]), tuple(panels)).plot(ax)


def _runs(run: Any) -> dict[str, Any]:
    """Return the runs by name; a run that is no file has no name."""
    paths = run if isinstance(run, (list, tuple)) and run else [run]
    several = isinstance(run, Mapping) and _holds_runs(run)
    return named_runs(run) if several or all(map(is_path, paths)) else {"": run}


def _holds_runs(mapping: Mapping[Any, Any]) -> bool:
    """Tell whether a mapping is from names to runs, rather than one run, from topics to scores of documents."""
    first = next(iter(mapping.values()), None)
    if not isinstance(first, Mapping):
        return first is not None
    return any(isinstance(value, Mapping) for value in first.values())


def _panel(measure: Any, qrels: Any, run: Any, name: str, query_id: str) -> UserPanel:
    with located(f"run {name}" if name else ""):
        parsed, scorer, rankings = explained(measure, qrels, run, query_id)
        with failures_of(scorer):
            score = scorer.score(rankings)
        scores = checked(scorer, rankings.topics, score)
    return UserPanel(parsed, name, float(scores.values[0]), scorer, rankings)
