"""What the scores of pages are made of, block by block."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Rankings
from irmx_pages.building import ShownBlocks, layout_of, shown_blocks
from irmx_pages.pages import WEB, Bools, Floats

if TYPE_CHECKING:
    from irmx_pages.measures import AggregatedSearch


def described_blocks(rankings: Rankings, cutoff: int | None, split_blocks: bool) -> dict[str, Any]:
    """Return what every block of the pages is: its place, vertical and items, and what is judged of them."""
    laid_out = layout_of(rankings, split_blocks)
    position = np.arange(len(laid_out.label)) - laid_out.offsets[laid_out.page] + 1
    keep = np.flatnonzero(np.ones(len(position), dtype=bool) if cutoff is None else position <= cutoff)
    documents = [doc for p in range(len(rankings)) for doc in rankings.ranked_docs(p)]
    items = [documents[a:b] for a, b in pairwise(laid_out.first.tolist())]
    return {
        "block": position[keep],
        "vertical": laid_out.vertical[keep],
        "doc_id": [" ".join(items[i]) for i in keep.tolist()],
        "items": np.diff(laid_out.first)[keep],
        "relevant": laid_out.relevant[keep].astype(np.int64),
        "orientation": laid_out.orientation[keep],
    }


def table_of_blocks(measure: AggregatedSearch, rankings: Rankings) -> dict[str, Any]:
    """Return the blocks of the pages with what they add to the score.

    ``share`` is the block's part of the gain that the user can expect of the page, ``contribution`` what it adds to the score:
    of nUtil, and of vertical recall where the measure counts it, for the first block of a vertical.
    """
    pages = measure.pages(rankings)
    gain = measure.gain(pages)
    examination = measure.probabilities(pages, gain)
    page = pages.page
    expected = examination * gain
    total = np.bincount(page, expected, len(pages))[page]
    spent = np.bincount(page, examination * pages.effort, len(pages))[page]
    contribution = expected / spent
    cutoff, split_blocks = measure["cutoff"], measure["split_blocks"]
    if measure["normalise"] is not None:
        contribution = contribution / measure.ideal(rankings)[page]
    if measure["personal"]:
        l = measure["personal"]  # noqa: E741
        right = measure.is_right(pages) & (pages.vertical != WEB)
        of_recall = by_vertical(shown_blocks(rankings, cutoff, split_blocks), right, measure.recall(rankings))
        contribution = (1 - l) * contribution + l * of_recall
    return {
        **described_blocks(rankings, cutoff, split_blocks),
        "examination": examination,
        "gain": gain,
        "effort": pages.effort,
        "share": np.divide(expected, total, out=np.zeros(len(total)), where=total > 0),
        "contribution": contribution,
    }


def by_vertical(blocks: ShownBlocks, counts: Bools, recall: Floats) -> Floats:
    """Return what each block adds to a share of verticals: the first block that counts of each vertical adds the same.

    Parameters
    ----------
    blocks : ShownBlocks
        The blocks of the pages.
    counts : bool array, shape (blocks,)
        Which of them show what their vertical is counted for.
    recall : float array, shape (pages,)
        The share of every page. Where no block counts, each block has its part.
    """
    counted = np.flatnonzero(counts)
    key = blocks.page[counted] * (blocks.label.max(initial=0) + 2) + blocks.label[counted]
    adds = np.zeros(len(counts), dtype=bool)
    adds[counted[np.unique(key, return_index=True)[1]]] = True
    adds |= (np.bincount(blocks.page[adds], minlength=len(recall)) == 0)[blocks.page]
    each = recall / np.maximum(np.bincount(blocks.page[adds], minlength=len(recall)), 1)
    return np.where(adds, each[blocks.page], 0.0)
