"""Files for pictures, and how they are written."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.adapters.matplotlib.picture_style import picture_style
from irmx.data.new_file import new_file
from irmx.errors import DataWarning, UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_DATES = {"png": None, "svg": "Date", "pdf": "CreationDate"}
"""The kinds of files, and what the date in them is called."""


def picture_file(path: Path | None) -> Path | None:
    """Return the file for a picture, checked before anything is computed.

    Raises
    ------
    irmx.errors.UsageError
        If its name does not end in .png, .svg or .pdf, or its folder does not exist.
    """
    if path is not None and path.suffix.lower()[1:] not in _DATES:
        kinds = ", ".join(f".{kind}" for kind in _DATES)
        raise UsageError(f"A picture is written to a file that ends in {kinds}. Got {path} instead.")
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent} for the picture {path.name}.")
    return path


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
        If the name of the file does not end in .png, .svg or .pdf, or its folder does not exist.
    irmx.errors.DataError
        If the file cannot be written.
    """
    path = Path(path)
    picture_file(path)
    content = picture_bytes(figure, path.suffix.lower()[1:])
    with new_file(path) as file:
        file.write(content)
