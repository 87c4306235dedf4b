"""alpha-nDCG of pages."""

from __future__ import annotations

import numpy as np

from irmx import Citation, Formula, Param
from irmx.ragged import Floats
from irmx_pages.measures.page_diversity import OF_PAGES, PAGE_DIVERSITY_PARAMS, PageDiversity, orientation_of
from irmx_pages.measures.page_params import ZHOU
from irmx_pages.page.judged_verticals import JudgedVerticals
from irmx_pages.page.pages_of_rankings import ShownBlocks

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
        source="three rules of the paper; that the items of a block follow each other at one discount is inferred",
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
