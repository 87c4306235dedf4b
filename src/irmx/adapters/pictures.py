"""How pictures look, the axes that they are drawn on, and the files that they are written to."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import ir_measures
import numpy as np

from irmx.data.files import file_to_write, is_path, new_file
from irmx.declare.measure_failures import failures_of
from irmx.declare.measures import Measure, NothingToDrawError, picture_text
from irmx.errors import DataWarning, UsageError, located
from irmx.rank.rankings import Rankings
from irmx.score.backends import checked
from irmx.score.explain import explained
from irmx.score.scored_runs import named_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


# -- how pictures look, the axes that they are drawn on, and the files that they are written to ----------------------


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
"""The colours of pictures, those of Okabe and Ito, which people who see fewer colours can tell apart, too.

Yellow is left out, as it is hard to see on white. Within :func:`picture_style` they are ``"C0"`` to ``"C6"``.
"""

_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (8, 1.5)))

_MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_STYLE: Any = {
    "figure.facecolor": "white",  # a dark page shows the picture as a light panel
    "savefig.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "irmx",  # the same picture is the same file
}


@contextmanager
def picture_style(settings: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """Give ``matplotlib.pyplot`` in the style of the pictures of irmx: no frame, colours for everyone.

    Only these settings are restored. What matplotlib sets when the first figure loads its backend stays, such as whether a notebook
    shows figures at once.

    Parameters
    ----------
    settings : mapping, optional
        Further settings, by their names in ``matplotlib.rcParams``.

    Raises
    ------
    irmx.errors.UsageError
        If matplotlib is not installed.

    Examples
    --------
    >>> import irmx
    >>> with irmx.toolkit.picture_style() as plt:
    ...     figure, ax = plt.subplots()
    >>> ax.spines["top"].get_visible()
    False
    >>> plt.close(figure)
    """
    try:
        from cycler import cycler
        from matplotlib import pyplot, rcParams
    except ImportError as error:
        raise UsageError(
            "Drawing needs matplotlib, which is not installed. To install it: pip install matplotlib"
        ) from error
    style = {**_STYLE, "axes.prop_cycle": cycler(color=COLOURS), **(settings or {})}
    before = {name: rcParams[name] for name in style}
    try:
        rcParams.update(style)
        yield pyplot
    finally:
        rcParams.update(before)


_PANEL, _POINTS = 3.0, 8.0
"""In a picture of a given width, a panel has at least so many inches, and text this size."""

_width: ContextVar[tuple[float, list[Figure]] | None] = ContextVar("_width", default=None)


@contextmanager
def picture_width(inches: float | None) -> Iterator[None]:
    """Make new pictures as wide as they are printed, with text of 8 points: 3.35 inches are a column of a paper, 7 its page.

    Panels that do not fit beside each other stand below each other. None leaves pictures as they are.

    Examples
    --------
    >>> import irmx
    >>> with irmx.toolkit.picture_width(3.35):
    ...     (ax,) = irmx.toolkit.axes_for(None, 1, (9, 3.4))
    >>> float(ax.figure.get_figwidth())
    3.35
    """
    if inches is None:
        yield
        return
    if not 1 <= inches <= 50:
        raise UsageError(
            f"The width of a picture is from 1 to 50 inches: 3.35 for a column, 7 for a page. Got {inches:g} instead."
        )
    made: list[Figure] = []
    token = _width.set((inches, made))
    try:
        yield
    finally:
        _width.reset(token)
    for figure in made:
        _fit(figure)


def _fit(figure: Figure) -> None:
    """Give a figure text of 8 points, and put the legends that stand beside or above its panels below them, as wide as it is."""
    from matplotlib.text import Text

    outside = list(figure.legends)
    for ax in figure.axes:
        ax.title.set_wrap(True)
        legend = ax.get_legend()
        if legend is not None and legend.get_bbox_to_anchor().bounds != ax.bbox.bounds:
            outside.append(legend)
            for place in ("left", "center"):
                ax.set_title(ax.get_title(place), loc=place, pad=6)
    entries = {t.get_text(): one for of in outside for t, one in zip(of.get_texts(), of.legend_handles, strict=True)}
    title = next((legend.get_title().get_text() for legend in outside), "")
    for legend in outside:
        legend.remove()
    if entries:
        inches = 0.6 + 0.065 * max(map(len, entries))
        columns = max(1, min(len(entries), int(figure.get_figwidth() / inches)))
        handles: Any = list(entries.values())
        figure.legend(
            handles, list(entries), loc="outside lower center", ncols=columns, title=title or None, frameon=False
        )
        figure.set_figheight(figure.get_figheight() + 0.17 * -(-len(entries) // columns))
    for text in figure.findobj(Text):
        text.set_fontsize(_POINTS)


def distinct_line(number: int) -> dict[str, Any]:
    """Return the colour and dashes of a line, counted from 0; the first 35 differ, and neighbours differ in both.

    >>> import irmx
    >>> irmx.toolkit.distinct_line(0), irmx.toolkit.distinct_line(35) == irmx.toolkit.distinct_line(0)
    ({'color': '#0072b2', 'linestyle': '-'}, True)
    """
    turn = number // len(COLOURS)
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": _DASHES[(number + turn) % len(_DASHES)]}


def distinct_marker(number: int) -> str:
    """Return the marker of a line, counted from 0; lines of one colour have different ones.

    >>> import irmx
    >>> irmx.toolkit.distinct_marker(0), irmx.toolkit.distinct_marker(7)
    ('o', 's')
    """
    return _MARKERS[(number + number // len(COLOURS)) % len(_MARKERS)]


def axes_for(
    ax: Axes | Sequence[Axes] | None, panels: int, size: tuple[float, float], shared: bool = True
) -> list[Axes]:
    """Return the axes of a display to draw on: the given ones, or new ones side by side.

    Parameters
    ----------
    ax : Axes or sequence of Axes, optional
        The axes, one per panel.
    panels : int
        The number of panels.
    size : tuple of float
        The width and height of a new panel, in inches.
    shared : bool
        Whether new panels share their y-axis.

    Raises
    ------
    irmx.errors.UsageError
        If matplotlib is not installed, or the number of axes is not that of the panels.
    """
    if ax is None:
        return grid_of_axes(panels, panels, (size[0] * panels, size[1]), "y" if shared else False)
    axes_given: list[Axes] = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(axes_given) != panels:
        raise UsageError(
            f"The display has {panels} panel{'s' * (panels != 1)}. Got {len(axes_given)} axes to draw on instead."
        )
    return axes_given


def grid_of_axes(
    panels: int, across: int, size: tuple[float, float], shared: bool | Literal["y"] = False
) -> list[Axes]:
    """Return the axes of a new figure in rows.

    Parameters
    ----------
    panels : int
        The number of panels.
    across : int
        The number in a row.
    size : tuple of float
        The width and height of the figure, in inches.
    shared : bool or "y"
        Whether the panels share their axes; ``"y"`` for the y-axis alone.

    Returns
    -------
    list of Axes
        One per panel.

    Raises
    ------
    irmx.errors.UsageError
        If matplotlib is not installed.
    """
    limited = _width.get()
    if limited is not None:
        width, rows = limited[0], -(-panels // across)
        across, panel = max(1, min(across, int(width / _PANEL))), size[0] / across
        size = width, size[1] / rows * -(-panels // across) * max(0.8, min(1.0, width / across / panel))
    with picture_style() as pyplot:
        figure, grid = pyplot.subplots(
            -(-panels // across),
            across,
            figsize=size,
            sharex=shared is True,
            sharey=bool(shared),
            squeeze=False,
            layout="constrained",
        )
    if limited is not None:
        limited[1].append(figure)
    axes = list(grid.flat)
    for ax in axes[panels:]:
        figure.delaxes(ax)
    for ax in axes[max(panels - across, 0) : panels]:
        ax.xaxis.set_tick_params(labelbottom=True)  # also where the row below is not full
    return axes[:panels]


_DATES = {"png": None, "svg": "Date", "pdf": "CreationDate"}
"""The kinds of files, and what the date in them is called."""


def picture_file(path: Path | None) -> Path | None:
    """Return the file for a picture, checked before anything is computed."""
    return None if path is None else file_to_write(path, "picture", [f".{kind}" for kind in _DATES])


def picture_bytes(figure: Figure | SubFigure | None, kind: str = "svg") -> bytes:
    """Return a figure of matplotlib as the content of a file, the same for the same picture, and close it.

    Parameters
    ----------
    figure : Figure
        What to write, such as the ``figure_`` of a display.
    kind : {"svg", "png", "pdf"}
        The format.

    Examples
    --------
    >>> import irmx
    >>> display = irmx.plot("AP", {"q": {"a": 1}}, {"q": {"a": 1.0}}, "q")
    >>> irmx.toolkit.picture_bytes(display.figure_).startswith(b"<?xml")
    True
    """
    whole: Any = figure
    out, date = io.BytesIO(), _DATES[kind]
    with picture_style() as pyplot, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        whole.savefig(out, format=kind, dpi=200, metadata={date: None} if date else None)
        pyplot.close(whole)
    _warn_once(caught)
    return out.getvalue()


def _warn_once(caught: list[warnings.WarningMessage]) -> None:
    """Issue warnings again: one in place of all those about characters that the font lacks."""
    lacking = [one for one in caught if str(one.message).startswith("Glyph ")]
    for one in caught:
        if one not in lacking:
            warnings.warn(one.message, one.category, stacklevel=3)
    if lacking:
        warnings.warn(
            "The font of the picture lacks characters of its names, which are drawn as boxes. To choose other "
            "fonts, list them as font.family in a file matplotlibrc.",
            DataWarning,
            stacklevel=3,
        )


def write_picture(figure: Figure | SubFigure | None, path: str | os.PathLike[str]) -> None:
    """Write a figure of matplotlib to a file, in the format that the name ends in, and close it.

    Raises
    ------
    irmx.errors.UsageError
        If the name of the file does not end in .png, .svg or .pdf, it is a folder, or its own folder does not exist.
    irmx.errors.DataError
        If the file cannot be written.
    """
    path = Path(path)
    picture_file(path)
    content = picture_bytes(figure, path.suffix.lower()[1:])
    with new_file(path) as file:
        file.write(content)


# -- the picture of a measure's user on one topic --------------------------------------------------------------------


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
