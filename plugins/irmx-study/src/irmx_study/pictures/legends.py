"""Legends of many lines, beside a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from irmx.toolkit import picture_text


def legend_beside(ax: Any, title: str | None = None) -> None:
    """Draw the legend of lines on the right of the axes; see :func:`width_beside`."""
    ax.legend(
        frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1), handlelength=3, title=title,
        title_fontsize="small",
    )  # fmt: skip


def width_beside(names: Iterable[str], ending: str = "") -> float:
    """Return the width in inches of a picture with a legend of names, each with an ending, on its right."""
    longest = max((len(picture_text(name)) for name in names), default=0) + len(ending)
    return 5.8 + 0.07 * longest
