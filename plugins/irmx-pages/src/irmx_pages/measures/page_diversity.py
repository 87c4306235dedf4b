"""Diversity measures on pages: verticals take the place of subtopics, blocks that of ranks.

The paper compares with them and gives three rules: the weight of a subtopic is the orientation of the vertical, the discount is
that of the block, and the ideal page normalises. Whatever else they need is inferred, and marked so in each measure.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from irmx import Citation, Column, Measure, Rankings
from irmx.ragged import Floats, segment_sum
from irmx_pages.ideal.ideal_blocks import ideal_blocks
from irmx_pages.ideal.ideal_utility import how_to_show, refuse_zero
from irmx_pages.measures.block_tables import described_blocks
from irmx_pages.measures.page_params import (
    LIMIT_PARAMS,
    QREL_COLUMNS,
    RUN_COLUMNS,
    SHAPE_PARAMS,
    ZHOU,
    ideal_param,
    limits_of,
)
from irmx_pages.page.judged_verticals import JudgedVerticals, judged_verticals
from irmx_pages.page.pages_of_rankings import ShownBlocks, shown_blocks

OF_PAGES = {
    "P": "the page",
    "P^{*}": "the ideal page, by the parameter ideal",
    r"\mathrm{DCG}(P)": "the discounted gain of the blocks of a page",
}


_COLUMNS: tuple[Column, ...] = tuple(c for c in RUN_COLUMNS if c.name != "media")
PAGE_DIVERSITY_PARAMS = {"ideal": ideal_param("paper", "greedy"), **LIMIT_PARAMS, **SHAPE_PARAMS}


class PageDiversity(Measure):
    """Base class: discounted gain of blocks, divided by that of the ideal page."""

    RUN_COLUMNS = _COLUMNS
    QREL_COLUMNS = tuple(c for c in QREL_COLUMNS if c.name != "media")
    CITATIONS: ClassVar[tuple[Citation, ...]] = (ZHOU,)
    RANGE = (0.0, math.inf)  # the ideal page respects limits, and is not the best page within them

    def shown(self, rankings: Rankings) -> ShownBlocks:
        """Return the blocks of the pages."""
        return shown_blocks(rankings, self["cutoff"], self["split_blocks"])

    def ideal(self, rankings: Rankings) -> ShownBlocks:
        """Return the blocks of the ideal pages."""
        ideal, limits, cutoff = self["ideal"], limits_of(self), self["cutoff"]

        def made() -> ShownBlocks:
            judged = judged_verticals(rankings)
            blocks = ideal_blocks(judged, ideal, limits)
            page = blocks.page
            position = np.arange(len(page)) - blocks.offsets[page] + 1
            keep = slice(None) if cutoff is None else position <= cutoff
            label, relevant = judged.label[blocks.place], blocks.relevant.astype(np.float64)
            return ShownBlocks(page[keep], position[keep], label[keep], relevant[keep])

        return rankings.qrels_memo(("ideal blocks", rankings.rel, ideal, limits, cutoff), made)

    def gains(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        """Return the gain of every block."""
        raise NotImplementedError

    def dcg(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        """Return the DCG sum_i gain(B_i) / log2(i + 1) of every page."""
        gain = self.gains(blocks, judged)
        return segment_sum(gain / np.log2(blocks.position + 1), blocks.page, len(judged.topics))

    def ndcg(self, rankings: Rankings) -> Floats:
        """Return the DCG of every page divided by that of the ideal page."""
        judged = judged_verticals(rankings)
        best = self.dcg(self.ideal(rankings), judged)
        there = refuse_zero(rankings, best, how_to_show(self["ideal"], limits_of(self)))
        return np.divide(self.dcg(self.shown(rankings), judged), best, out=np.zeros(len(best)), where=there)

    def score(self, rankings: Rankings) -> Floats:
        return self.ndcg(rankings)

    def of_blocks(self, rankings: Rankings) -> dict[str, Any]:
        """Return the blocks of the pages with their contributions to the normalised DCG."""
        judged, blocks = judged_verticals(rankings), self.shown(rankings)
        gain, discount = self.gains(blocks, judged), 1 / np.log2(blocks.position + 1)
        best = self.dcg(self.ideal(rankings), judged)[blocks.page]
        return {
            **described_blocks(rankings, self["cutoff"], self["split_blocks"]),
            "gain": gain,
            "discount": discount,
            "contribution": np.divide(gain * discount, best, out=np.zeros(len(best)), where=best > 0),
        }


def orientation_of(blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
    """Return the orientation of every block; 0 for web results without judgments, which have nothing relevant."""
    return np.append(judged.orientation, 0.0)[judged.place(blocks.page, blocks.label)]
