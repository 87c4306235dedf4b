"""Diversity measures on pages: verticals take the place of subtopics, blocks that of ranks.

The paper compares with them and gives three rules: the weight of a subtopic is the orientation of the vertical, the discount is
that of the block, and the ideal page normalises. Whatever else they need is inferred, and marked so in each measure.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from irmx import Citation, Column, Formula, Measure, Param, Rankings
from irmx.ragged import Floats, segment_sum
from irmx_pages.aggregated_search import (
    LIMIT_PARAMS,
    QREL_COLUMNS,
    RUN_COLUMNS,
    SHAPE_PARAMS,
    ZHOU,
    by_vertical,
    described_blocks,
    ideal_param,
    limits_of,
)
from irmx_pages.ideal_pages import how_to_show, ideal_blocks, refuse_zero
from irmx_pages.judged_verticals import JudgedVerticals, ShownBlocks, judged_verticals, shown_blocks

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
            keep = blocks.top(cutoff)
            label, relevant = judged.label[blocks.place[keep]], blocks.relevant[keep].astype(np.float64)
            return ShownBlocks(blocks.page[keep], blocks.position[keep], label, relevant)

        return rankings.qrels_memo(("ideal blocks", rankings.rel, ideal, limits, cutoff), made)

    def gains(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        """Return the gain of every block."""
        raise NotImplementedError

    def dcg(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        """Return the DCG sum_i gain(B_i) / log2(i + 1) of every page."""
        gain = self.gains(blocks, judged)
        return segment_sum(gain / np.log2(blocks.position + 1), blocks.page, len(judged.topics))

    def score(self, rankings: Rankings) -> Floats:
        """Return the DCG of every page divided by that of the ideal page."""
        judged = judged_verticals(rankings)
        best = self.dcg(self.ideal(rankings), judged)
        there = refuse_zero(rankings, best, how_to_show(self["ideal"], limits_of(self)))
        return np.divide(self.dcg(self.shown(rankings), judged), best, out=np.zeros(len(best)), where=there)


def orientation_of(blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
    """Return the orientation of every block; 0 for web results without judgments, which have nothing relevant."""
    return np.append(judged.orientation, 0.0)[judged.place(blocks.page, blocks.label)]


CLARKE = Citation(
    "Clarke2008",
    "inproceedings",
    {
        "author": "Charles L. A. Clarke and Maheedhar Kolla and Gordon V. Cormack and Olga Vechtomova and Azin Ashkan and Stefan "
        'B{\\"u}ttcher and Ian MacKinnon',
        "title": "Novelty and Diversity in Information Retrieval Evaluation",
        "booktitle": "Proceedings of the 31st Annual International ACM SIGIR Conference (SIGIR 2008)",
        "pages": "659--666",
        "year": "2008",
        "doi": "10.1145/1390334.1390446",
    },
)


class PageAlphaNDCG(PageDiversity):
    """alpha-nDCG of pages: a relevant item gains less, the more relevant items of its vertical came before.

    General web counts as a vertical here. By default all verticals have the weight 1: of alpha-nDCG the paper says that it "treats
    relevant verticals in a binary sense". With ``weights='orientation'`` it is the orientation, the paper's general rule for the
    weight of a subtopic. Inferred: the items of a block follow each other at one discount.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.
    Clarke et al.: Novelty and Diversity in Information Retrieval Evaluation. SIGIR 2008.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "score": [2.0, 1.0], "vertical": ["web", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", "i2"], "relevance": 1,
    ...     "vertical": ["web", "image", "image"], "orientation": [None, 0.8, 0.8]})
    >>> irmx.calc_aggregate("AS_alpha_nDCG", qrels, run)
    {AS_alpha_nDCG: 0.7653...}
    """

    NAME = "AS_alpha_nDCG"
    PRETTY_NAME = "alpha-nDCG of Aggregated Search Pages"
    SHORT_DESC = "nDCG of a page's blocks, where a relevant item gains less after others of its vertical."
    FORMULA = Formula(
        r"\alpha\text{-nDCG}(P) = \frac{\mathrm{DCG}(P)}{\mathrm{DCG}(P^{*})}, \qquad \mathrm{DCG}(P) = \sum_{i} "
        r"\frac{w_i}{\log_2(i+1)} \sum_{m=0}^{r_i - 1} (1 - \alpha)^{a_i + m}",
        {
            **OF_PAGES,
            "i": "the position of a block, from the top",
            "w_i": "the weight of its vertical: 1, or its orientation with weights='orientation'",
            "r_i": "the number of relevant items of the block at position $i$",
            r"\alpha": "how much a relevant item reduces the gain of the next one of its vertical",
            "a_i": "the number of relevant items of its vertical in the blocks above",
            "m": "counts the relevant items of the block",
        },
        source="three rules of Zhou, Cummins, Lalmas and Jose (2012); that the items of a block follow each other at one discount is inferred",
    )
    SUPPORTED_PARAMS = {
        "alpha": Param(
            float,
            "how much a relevant item reduces the gain of the next one of its vertical",
            default=0.5,
            low=0,
            high=1,
        ),
        "weights": Param(
            str,
            "the weight of a vertical: the same for all ('equal'), or its orientation ('orientation')",
            default="equal",
            choices=("equal", "orientation"),
        ),
        **PAGE_DIVERSITY_PARAMS,
    }
    CITATIONS = (ZHOU, CLARKE)
    EXAMPLES = ("AS_alpha_nDCG", "AS_alpha_nDCG(alpha=0.9,weights='orientation')")

    def gains(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        weight = 1.0 if self["weights"] == "equal" else orientation_of(blocks, judged)
        return np.asarray(weight * self._novelty(blocks, judged))

    def _novelty(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        """Return the gain of every block before weighting by vertical."""
        key = blocks.page * (len(judged.names) + 1) + blocks.label
        order = np.argsort(key, kind="stable")
        running = np.cumsum(blocks.relevant[order])
        first = np.searchsorted(key[order], key[order], side="left")
        before = np.empty(len(key))
        before[order] = running - blocks.relevant[order] - np.append(0.0, running)[first]
        kept = 1.0 - self["alpha"]
        if kept == 1.0:
            return blocks.relevant
        return np.asarray(kept**before * (1 - kept**blocks.relevant) / (1 - kept))


AS_alpha_nDCG = PageAlphaNDCG()


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
        source="three rules of Zhou, Cummins, Lalmas and Jose (2012); that items of a block add up is inferred",
    )
    SUPPORTED_PARAMS: dict[str, Any] = PAGE_DIVERSITY_PARAMS
    CITATIONS = (ZHOU, SAKAI)
    EXAMPLES: ClassVar[tuple[str, ...]] = ("AS_D_nDCG",)

    def gains(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        return orientation_of(blocks, judged) * blocks.relevant

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
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
        source="three rules of Zhou, Cummins, Lalmas and Jose (2012); what I-rec counts is inferred",
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
        return np.asarray(gamma * self.i_rec(rankings) + (1 - gamma) * super().score(rankings))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        gamma, table = self["gamma"], super().contributions(rankings)
        i_rec = by_vertical(self.shown(rankings), table["relevant"] > 0, self.i_rec(rankings))
        return {**table, "contribution": gamma * i_rec + (1 - gamma) * table["contribution"]}


AS_D_nDCG = PageDNDCG()
AS_Dsharp_nDCG = PageDsharpNDCG()


AGRAWAL = Citation(
    "Agrawal2009",
    "inproceedings",
    {
        "author": "Rakesh Agrawal and Sreenivas Gollapudi and Alan Halverson and Samuel Ieong",
        "title": "Diversifying Search Results",
        "booktitle": "Proceedings of the Second ACM International Conference on Web Search and Data Mining (WSDM 2009)",
        "pages": "5--14",
        "year": "2009",
        "doi": "10.1145/1498759.1498766",
    },
)


class PageIANDCG(PageDiversity):
    """IA-nDCG of pages: the mean over verticals, weighted by orientation, of the nDCG for each vertical.

    For a vertical, only its relevant items gain, 1 each at the discount of their block. By default the gain is divided by that of
    the ideal page, by the paper's rule to "normalise according to the ideal aggregated search page". Inferred: each vertical is
    normalised separately; normalising the sum over verticals would give D-nDCG.

    With ``normalise='vertical'`` each vertical has its own ideal, the best page for it alone within the limits of ideal
    pages: one block with its relevant items at the top or, for the web, its relevant results from the top on. The weights are
    then those of all verticals with a relevant item in the judgments.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.
    Agrawal, Gollapudi, Halverson, Ieong: Diversifying Search Results. WSDM 2009.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "score": [2.0, 1.0], "vertical": ["web", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]})
    >>> irmx.calc_aggregate("AS_IA_nDCG", qrels, run)
    {AS_IA_nDCG: 0.9978...}
    """

    NAME = "AS_IA_nDCG"
    PRETTY_NAME = "IA-nDCG of Aggregated Search Pages"
    SHORT_DESC = "The mean over verticals, weighted by orientation, of the nDCG of a page for each vertical."
    FORMULA = Formula(
        r"\text{IA-nDCG}(P) = \sum_{v} p_v\,\frac{\mathrm{DCG}(P \mid v)}{\mathrm{DCG}(P^{*} \mid v)}",
        {
            "P": "the page",
            "P^{*}": "the ideal page, by the parameter ideal; with normalise='vertical', the best page for $v$ alone",
            "v": "a vertical, or the general web",
            "p_v": (
                "its weight: its orientation, 0.5 for the web, divided by the sum of those of all verticals for "
                "which the ideal page gains"
            ),
            r"\mathrm{DCG}(P \mid v)": (
                r"the sum of $r_i / \log_2(i+1)$ over the blocks of $v$, with $i$ the position and $r_i$ the relevant "
                "items of a block"
            ),
        },
        source="three rules of Zhou, Cummins, Lalmas and Jose (2012); that each vertical is divided separately is inferred",
    )
    SUPPORTED_PARAMS = {
        "normalise": Param(
            str,
            "what the DCG for a vertical is divided by: that of the ideal page ('page'), or of the best page for "
            "it ('vertical')",
            default="page",
            choices=("page", "vertical"),
        ),
        **PAGE_DIVERSITY_PARAMS,
    }
    CITATIONS = (ZHOU, AGRAWAL)
    EXAMPLES = ("AS_IA_nDCG", "AS_IA_nDCG(normalise='vertical')@5")

    def score(self, rankings: Rankings) -> Floats:
        judged = judged_verticals(rankings)
        if self["normalise"] == "page":
            ideal = self._dcg_of_verticals(self.ideal(rankings), judged)
            advice = how_to_show(self["ideal"], limits_of(self))
        else:
            ideal, advice = self._own_ideals(judged), "Orientations of 0 give them no weight"
        weight = judged.orientation * (ideal > 0)
        total = segment_sum(weight, judged.topic, len(judged.topics))
        refuse_zero(rankings, total, advice)
        ndcg = self._dcg_of_verticals(self.shown(rankings), judged) / np.where(ideal > 0, ideal, 1.0)
        expected = segment_sum(weight * ndcg, judged.topic, len(judged.topics))
        return np.divide(expected, total, out=np.zeros(len(total)), where=total > 0)

    def _dcg_of_verticals(self, blocks: ShownBlocks, judged: JudgedVerticals) -> Floats:
        """Return DCG(P|v) of every vertical of every topic."""
        place = judged.place(blocks.page, blocks.label)
        known = place >= 0
        gain = blocks.relevant / np.log2(blocks.position + 1)
        return segment_sum(gain[known], place[known], len(judged.label))

    def _own_ideals(self, judged: JudgedVerticals) -> Floats:
        """Return the DCG of the best page for every vertical alone."""
        of_web = min(self["ideal_web"], self["cutoff"] or self["ideal_web"])
        discounts = np.append(0.0, np.cumsum(1 / np.log2(np.arange(1, of_web + 1) + 1)))
        of_vertical = np.minimum(judged.relevant, self["ideal_items"])
        return np.asarray(np.where(judged.web, discounts[np.minimum(judged.relevant, of_web)], of_vertical))


AS_IA_nDCG = PageIANDCG()
