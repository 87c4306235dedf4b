"""D-nDCG and D#-nDCG of pages."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import Citation, Formula, Param, Rankings
from irmx.ragged import Floats, segment_sum
from irmx_pages.measures.block_tables import by_vertical
from irmx_pages.measures.page_diversity import OF_PAGES, PAGE_DIVERSITY_PARAMS, PageDiversity, orientation_of
from irmx_pages.measures.page_params import ZHOU
from irmx_pages.page.judged_verticals import JudgedVerticals, judged_verticals
from irmx_pages.page.pages_of_rankings import ShownBlocks

SAKAI = Citation(
    "SakaiSong2011",
    "inproceedings",
    {
        "author": "Tetsuya Sakai and Ruihua Song",
        "title": "Evaluating Diversified Search Results Using Per-Intent Graded Relevance",
        "booktitle": "Proceedings of the 34th International ACM SIGIR Conference (SIGIR 2011)",
        "year": "2011",
    },
)


class PageDNDCG(PageDiversity):
    """D-nDCG of pages: nDCG of blocks, where the gain of a relevant item is the orientation of its vertical.

    Inferred: that the gains of the items of a block add up, at the discount of the block.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.
    Sakai, Song: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "score": [2.0, 1.0], "vertical": ["web", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]})
    >>> irmx.calc_aggregate("AS_D_nDCG", qrels, run)
    {AS_D_nDCG: 0.9007...}
    """

    NAME = "AS_D_nDCG"
    PRETTY_NAME = "D-nDCG of Aggregated Search Pages"
    SHORT_DESC = "nDCG of a page's blocks, where a relevant item gains the orientation of its vertical."
    FORMULA = Formula(
        r"\text{D-nDCG}(P) = \frac{\mathrm{DCG}(P)}{\mathrm{DCG}(P^{*})}, \qquad \mathrm{DCG}(P) = \sum_{i} "
        r"\frac{o_i\,r_i}{\log_2(i+1)}",
        {
            **OF_PAGES,
            "i": "the position of a block, from the top",
            "o_i": "the orientation of its vertical, 0.5 for the web",
            "r_i": "the number of relevant items of the block at position $i$",
        },
        source="three rules of the paper; that items of a block add up is inferred",
    )
    SUPPORTED_PARAMS: dict[str, Any] = PAGE_DIVERSITY_PARAMS
    CITATIONS = (ZHOU, SAKAI)
    EXAMPLES: ClassVar[tuple[str, ...]] = ("AS_D_nDCG",)

    def gains(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        return orientation_of(blocks, judged) * blocks.relevant

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return self.of_blocks(rankings)


class PageDsharpNDCG(PageDNDCG):
    """D#-nDCG of pages: the weighted mean of I-rec and D-nDCG.

    Inferred: I-rec is the share of verticals, general web among them, of those with a relevant item in the judgments, that show
    a relevant item on the page.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.
    Sakai, Song: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "score": [2.0, 1.0], "vertical": ["web", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]})
    >>> irmx.calc_aggregate("AS_Dsharp_nDCG", qrels, run)
    {AS_Dsharp_nDCG: 0.9503...}
    """

    NAME = "AS_Dsharp_nDCG"
    PRETTY_NAME = "D#-nDCG of Aggregated Search Pages"
    SHORT_DESC = "D-nDCG of a page, averaged with the share of verticals from which it shows a relevant item."
    FORMULA = Formula(
        r"\mathrm{D}\sharp\text{-nDCG}(P) = \gamma\,\text{I-rec}(P) + (1 - \gamma)\,\text{D-nDCG}(P)",
        {
            "P": "the page",
            r"\gamma": "the weight of I-rec",
            r"\text{I-rec}(P)": (
                "the share of the verticals that have a relevant item in the judgments, general web among them, of "
                "which the page shows one"
            ),
            r"\text{D-nDCG}(P)": "the value of AS_D_nDCG",
        },
        source="three rules of the paper; what I-rec counts is inferred",
    )
    SUPPORTED_PARAMS = {
        "gamma": Param(float, "the weight of I-rec", default=0.5, low=0, high=1),
        **PAGE_DIVERSITY_PARAMS,
    }
    EXAMPLES = ("AS_Dsharp_nDCG", "AS_Dsharp_nDCG(gamma=0.2)")

    def i_rec(self, rankings: Rankings) -> Floats:
        """Return the share of verticals that show a relevant item, of those that have one."""
        judged, blocks = judged_verticals(rankings), self.shown(rankings)
        covered = np.zeros(len(judged.label), dtype=bool)
        covered[judged.place(blocks.page, blocks.label)[blocks.relevant > 0]] = True
        some = np.bincount(judged.topic[judged.relevant > 0], minlength=len(judged.topics))
        return np.asarray(segment_sum(covered, judged.topic, len(judged.topics)) / np.maximum(some, 1))

    def score(self, rankings: Rankings) -> Floats:
        gamma = self["gamma"]
        return np.asarray(gamma * self.i_rec(rankings) + (1 - gamma) * self.ndcg(rankings))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        gamma, table = self["gamma"], self.of_blocks(rankings)
        i_rec = by_vertical(self.shown(rankings), table["relevant"] > 0, self.i_rec(rankings))
        return {**table, "contribution": gamma * i_rec + (1 - gamma) * table["contribution"]}


AS_D_nDCG = PageDNDCG()
AS_Dsharp_nDCG = PageDsharpNDCG()
