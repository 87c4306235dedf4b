"""Tables that explain the scores of pages, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from irmx import Rankings
from irmx.ragged import Bools, Floats
from irmx.toolkit import picture_text, plural
from irmx_pages.page.pages_of_rankings import ShownBlocks, layout_of


def described_blocks(rankings: Rankings, cutoff: int | None, split_blocks: bool) -> dict[str, Any]:
    """Return one row per block of the pages: its position, its vertical, its items and their judgments."""
    laid_out = layout_of(rankings, split_blocks)
    keep = laid_out.top(cutoff)
    items = [rankings.ranked.doc_ids[a:b] for a, b in pairwise(laid_out.first.tolist())]
    return {
        "block": laid_out.position[keep],
        "vertical": laid_out.vertical[keep],
        "doc_id": [" ".join(items[i]) for i in keep.tolist()],
        "items": np.diff(laid_out.first)[keep],
        "relevant": laid_out.relevant[keep].astype(np.int64),
        "orientation": laid_out.orientation[keep],
    }


def by_vertical(blocks: ShownBlocks, counts: Bools, recall: Floats) -> Floats:
    """Return the contribution of each block to a share of verticals, equal for the first counting block of each vertical.

    Parameters
    ----------
    blocks : ShownBlocks
        The blocks of the pages.
    counts : bool array, shape (blocks,)
        Which of them make their vertical count.
    recall : float array, shape (pages,)
        The share of every page. If no block of a page counts, it is divided among all of them.
    """
    counted = np.flatnonzero(counts)
    key = blocks.page[counted] * (blocks.label.max(initial=0) + 2) + blocks.label[counted]
    adds = np.zeros(len(counts), dtype=bool)
    adds[counted[np.unique(key, return_index=True)[1]]] = True
    adds |= (np.bincount(blocks.page[adds], minlength=len(recall)) == 0)[blocks.page]
    each = recall / np.maximum(np.bincount(blocks.page[adds], minlength=len(recall)), 1)
    return np.where(adds, each[blocks.page], 0.0)


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
    of_items = f" ({plural(items, 'item')}, {relevant} relevant)" if items > 1 else ""
    return f"{blocks['block'][i]} {picture_text(blocks['vertical'][i])}{of_items}"
