"""Lines that can be told apart in print, and by people who see fewer colours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from irmx_study.pictures.axes import as_text

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
"""Colours of Okabe and Ito, without yellow, which is hard to see on white."""

_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (8, 1.5)))

_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def distinct_line(number: int) -> dict[str, Any]:
    """Return the colour and dashes of a line, counted from 0; the first 35 differ, and neighbours differ in both.

    >>> distinct_line(0), distinct_line(35) == distinct_line(0)
    ({'color': '#0072b2', 'linestyle': '-'}, True)
    """
    turn = number // len(COLOURS)
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": _DASHES[(number + turn) % len(_DASHES)]}


def distinct_marker(number: int) -> str:
    """Return the marker of a line, counted from 0; lines of one colour have different ones.

    >>> distinct_marker(0), distinct_marker(7)
    ('o', 's')
    """
    return _MARKERS[(number + number // len(COLOURS)) % len(_MARKERS)]


def legend_beside(ax: Any, title: str | None = None) -> None:
    """Draw the legend of lines on the right of the axes; see :func:`width_beside`."""
    ax.legend(
        frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1), handlelength=3, title=title,
        title_fontsize="small",
    )  # fmt: skip


def width_beside(names: Iterable[str], ending: str = "") -> float:
    """Return the width in inches of a picture with a legend of names, each with an ending, on its right."""
    longest = max((len(as_text(name)) for name in names), default=0) + len(ending)
    return 5.8 + 0.07 * longest
