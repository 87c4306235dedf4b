"""How pictures look, the axes that they are drawn on, and the files that they are written to."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irmx.data.files import file_to_write, new_file
from irmx.errors import DataWarning, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


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
