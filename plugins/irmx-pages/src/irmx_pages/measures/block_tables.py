"""Tables that explain the scores of pages, block by block."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from irmx import Rankings
from irmx.ragged import Bools, Floats
from irmx_pages.page.pages_of_rankings import ShownBlocks, layout_of


def described_blocks(rankings: Rankings, cutoff: int | None, split_blocks: bool) -> dict[str, Any]:
    """Return one row per block of the pages: its position, its vertical, its items and their judgments."""
    laid_out = layout_of(rankings, split_blocks)
    position = np.arange(len(laid_out.label)) - laid_out.offsets[laid_out.page] + 1
    keep = np.flatnonzero(np.ones(len(position), dtype=bool) if cutoff is None else position <= cutoff)
    items = [rankings.ranked.doc_ids[a:b] for a, b in pairwise(laid_out.first.tolist())]
    return {
        "block": position[keep],
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
