"""IA-nDCG of pages."""

from __future__ import annotations

import numpy as np

from irmx import Citation, Formula, Param, Rankings
from irmx.ragged import Floats, segment_sum
from irmx_pages.ideal.ideal_utility import how_to_show, refuse_zero
from irmx_pages.measures.page_diversity import PAGE_DIVERSITY_PARAMS, PageDiversity
from irmx_pages.measures.page_params import ZHOU, limits_of
from irmx_pages.page.judged_verticals import JudgedVerticals, judged_verticals
from irmx_pages.page.pages_of_rankings import ShownBlocks

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
        source="three rules of the paper; that each vertical is divided separately is inferred",
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
