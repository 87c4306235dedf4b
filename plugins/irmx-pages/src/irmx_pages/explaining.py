"""What the utility of a page is made of, block by block."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Rankings
from irmx_pages.building import layout_of, shown_blocks
from irmx_pages.pages import WEB, Floats, Pages

if TYPE_CHECKING:
    from irmx_pages.measures import AggregatedSearch


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
    if measure["normalise"] is not None:
        contribution = contribution / measure.ideal(rankings)[page]
    if measure["personal"]:
        l = measure["personal"]  # noqa: E741
        contribution = (1 - l) * contribution + l * _of_recall(measure, rankings, pages)
    return {
        "block": pages.position,
        "vertical": pages.vertical,
        "doc_id": _items(rankings, measure["split_blocks"], pages),
        "items": pages.items,
        "relevant": pages.relevant.astype(np.int64),
        "orientation": pages.orientation,
        "examination": examination,
        "gain": gain,
        "effort": pages.effort,
        "share": np.divide(expected, total, out=np.zeros(len(total)), where=total > 0),
        "contribution": contribution,
    }


def _items(rankings: Rankings, split_blocks: bool, pages: Pages) -> list[str]:
    """Return the ids of the items of every block, apart by spaces."""
    laid_out = layout_of(rankings, split_blocks)
    out = []
    for p, count in enumerate(pages.blocks.tolist()):
        docs, start = rankings.ranked_docs(p), int(laid_out.offsets[p])
        ends = (laid_out.first[start : start + count + 1] - laid_out.first[start]).tolist()
        out += [" ".join(docs[a:b]) for a, b in pairwise(ends)]
    return out


def _of_recall(measure: AggregatedSearch, rankings: Rankings, pages: Pages) -> Floats:
    """Return what each block adds to vertical recall; where there is no vertical to show, all blocks the same."""
    blocks = shown_blocks(rankings, measure["cutoff"], measure["split_blocks"])
    recall, each = measure.recall(rankings)
    counted = np.flatnonzero((pages.vertical != WEB) & (each > 0)[pages.page] & measure.is_right(pages))
    key = blocks.page[counted] * (blocks.label.max(initial=0) + 1) + blocks.label[counted]
    first = counted[np.unique(key, return_index=True)[1]]
    out = np.zeros(len(pages.page))
    out[first] = each[pages.page[first]]
    nothing = (each == 0)[pages.page]
    out[nothing] = (recall / np.maximum(pages.blocks, 1))[pages.page[nothing]]
    return out
