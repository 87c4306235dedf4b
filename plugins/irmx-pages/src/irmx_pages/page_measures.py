"""What the measures of pages share: parameters, columns, the citation, and tables and drawings of blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, Rankings, number
from irmx.ragged import Bools, Floats
from irmx.toolkit import picture_text, plural
from irmx_pages.ideal_pages import GREEDY_LIMITS, Limits
from irmx_pages.judged_verticals import BLOCK, JUDGED_MEDIA, JUDGED_VERTICAL, MEDIA, ORIENTATION, VERTICAL
from irmx_pages.pages_of_rankings import ShownBlocks, layout_of

ZHOU = Citation(
    "Zhou2012",
    "inproceedings",
    {
        "author": "Ke Zhou and Ronan Cummins and Mounia Lalmas and Joemon M. Jose",
        "title": "Evaluating Aggregated Search Pages",
        "booktitle": "Proceedings of the 35th International ACM SIGIR Conference (SIGIR 2012)",
        "year": "2012",
    },
)

SHAPE_PARAMS = {
    "split_blocks": Param(
        bool,
        "treat items of one vertical in two places of a page as two blocks, rather than as an error",
        default=False,
    ),
    "cutoff": Param(int, "number of blocks at the top of the page that are scored", low=1, unit="blocks"),
    **{name: COMMON_PARAMS[name] for name in ("rel", "ties", "no_relevant")},
}
"""The parameters that define a page."""

IDEALS = {
    "paper": "the page of perfect selection, items and presentation, the paper's normaliser ('paper')",
    "greedy": "relevant items of verticals, then of the web ('greedy')",
    "exact": "the best page with as many blocks ('exact')",
}
"""Description of each ideal page."""


def ideal_param(*ideals: str) -> Param:
    """Return the parameter ``ideal``; the first ideal page is the default."""
    return Param(
        str, "the page to divide by: " + ", or ".join(IDEALS[i] for i in ideals), default=ideals[0], choices=ideals
    )


LIMIT_PARAMS = {
    "ideal_web": Param(
        int, "maximum number of web blocks on the ideal pages 'paper' and 'greedy'", default=10, low=0, unit="blocks"
    ),
    "ideal_verticals": Param(
        int, "maximum number of vertical blocks on an ideal page", default=3, low=0, unit="blocks"
    ),
    "ideal_items": Param(
        int, "maximum number of items in a vertical block of an ideal page", default=3, low=1, unit="items"
    ),
    "ideal_threshold": Param(
        number,
        "the ideal pages 'paper' and 'greedy' show verticals with an orientation above this; None: 0.75 and 0.5",
        default=None,
        low=0,
        high=1,
    ),
    "ideal_fill": Param(
        bool,
        "the ideal pages 'paper' and 'greedy' are filled up to their limits with non-relevant items; None: only 'paper' is",
        default=None,
    ),
    "ideal_empty": Param(
        bool,
        "whether an oriented vertical without items takes the place of another on the ideal page 'paper', and leaves it empty",
        default=True,
    ),
}
"""The limits of ideal pages."""

RUN_COLUMNS: tuple[Column, ...] = (VERTICAL, BLOCK, MEDIA)
QREL_COLUMNS: tuple[Column, ...] = (JUDGED_VERTICAL, ORIENTATION, JUDGED_MEDIA)


def limits_of(measure: Measure) -> Limits:
    """Return the limits of ideal pages: a measure's parameters, or the defaults of the ideal page."""
    found = {name: measure[f"ideal_{name}"] for name in ("web", "verticals", "items", "threshold", "fill", "empty")}
    given = {name: value for name, value in found.items() if value is not None}
    return replace(GREEDY_LIMITS if measure["ideal"] == "greedy" else Limits(), **given)


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
