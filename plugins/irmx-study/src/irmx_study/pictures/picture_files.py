"""Files for pictures, and how they are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx import DataError, UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

KINDS = (".png", ".svg", ".pdf")


def picture_file(path: Path | None) -> Path | None:
    """Return the file for a picture, checked before anything is computed.

    Raises
    ------
    irmx.errors.UsageError
        If its name does not end in .png, .svg or .pdf, or its folder does not exist.
    """
    if path is not None and path.suffix.lower() not in KINDS:
        raise UsageError(f"A picture is written to a file that ends in {', '.join(KINDS)}. Got {path} instead.")
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent} for the picture {path.name}.")
    return path


def write_picture(figure: Figure | SubFigure | None, path: Path) -> None:
    """Write a figure of matplotlib to a file, in the format that the name ends in, and close it.

    Raises
    ------
    irmx.errors.DataError
        If the file cannot be written.
    """
    from matplotlib import pyplot, rc_context

    whole: Any = figure
    dates = {".svg": "Date", ".pdf": "CreationDate"}
    without_date = {dates[path.suffix.lower()]: None} if path.suffix.lower() in dates else None
    try:
        with rc_context({"svg.hashsalt": "irmx"}):  # the same picture is the same file
            whole.savefig(path, dpi=200, metadata=without_date)
    except OSError as error:
        raise DataError(f"The picture {path} cannot be written: {error.strerror}.") from error
    pyplot.close(whole)
