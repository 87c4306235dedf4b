"""The option for the file of a picture."""

from __future__ import annotations

from typing import Any

import typer

from irmx.adapters.matplotlib.picture_files import picture_file


def picture_option(*names: str, help: str) -> Any:
    """Return an option of a command for the file of a picture, which is checked before anything is computed.

    Parameters
    ----------
    *names : str
        The names of the option, such as ``"--plot"``.
    help : str
        What is drawn.

    Examples
    --------
    >>> import irmx
    >>> from pathlib import Path
    >>> from typing import Annotated
    >>> PlotOption = Annotated[Path | None, irmx.toolkit.picture_option("--plot", help="Also draw the values: FILE.svg, .png or .pdf.")]
    """
    return typer.Option(*names, metavar="FILE", callback=picture_file, help=help)
