"""The picture of a page's reader: the blocks from top to bottom, and how likely each is examined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irmx.toolkit import counted, picture_text

_BLOCKS = 40
"""Of a longer page, so many blocks are drawn."""


def draw_blocks(blocks: Mapping[str, Any], ax: Any) -> None:
    """Draw the blocks of one page, with the columns of an explanation.

    Parameters
    ----------
    blocks : mapping of str to array
        ``vertical``, ``items``, ``relevant``, ``examination``, ``gain``, ``effort`` and ``contribution``, one value per block.
    ax : matplotlib.axes.Axes
        Where to draw.
    """
    count = min(len(blocks["block"]), _BLOCKS)
    examination, relevant = np.asarray(blocks["examination"])[:count], np.asarray(blocks["relevant"])[:count]
    places = np.arange(count)
    for some, colour, hatch, label in (
        (relevant > 0, "C1", "", "block with relevant items"),
        (relevant == 0, "C6", "//", "block without"),
    ):
        if some.any():
            ax.barh(
                places[some], examination[some], height=0.7, color=colour, edgecolor="white" if hatch else colour, hatch=hatch,
                linewidth=0, label=label,
            )  # fmt: skip
    ax.set_yticks(places, [_name(blocks, i) for i in range(count)])
    ax.set_ylim(count - 0.4, -1.6)
    ax.set_xlim(0, 1.95)
    ax.spines["bottom"].set_bounds(0, 1)
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_xlabel("probability of examination", loc="left")
    more = len(blocks["block"]) - count
    ax.set_ylabel(f"block, the first {count} of {count + more}" if more else "block")
    for x, name in ((1.2, "gain"), (1.48, "effort"), (1.92, "contribution")):
        ax.text(x, -1, name, ha="right", va="center", fontsize="small", fontweight="bold")
        for place, value in zip(places.tolist(), np.asarray(blocks[name]).tolist(), strict=False):
            ax.text(x, place, f"{value:.3g}", ha="right", va="center", fontsize="small")


def _name(blocks: Mapping[str, Any], i: int) -> str:
    """Return the number and vertical of a block, and how many items it has."""
    items, relevant = int(blocks["items"][i]), int(blocks["relevant"][i])
    of_items = f" ({counted(items, 'item')}, {relevant} relevant)" if items > 1 else ""
    return f"{blocks['block'][i]} {picture_text(blocks['vertical'][i])}{of_items}"
