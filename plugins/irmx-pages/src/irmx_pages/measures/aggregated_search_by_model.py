"""The utility of aggregated search pages with each of the four examination models of the paper."""

from __future__ import annotations

from typing import Any

from irmx import Param, Symbol
from irmx_pages.examination.examination_models import ATT, DCG, ERR, RBP
from irmx_pages.measures.aggregated_search import GAIN_PARAMS, AggregatedSearch, utility_formula


def _with(**of_model: Param) -> dict[str, Any]:
    """Return the parameters of a measure, with those of its examination model."""
    return {**of_model, **GAIN_PARAMS}


class ASDCG(AggregatedSearch):
    """The utility of a page for a user who examines blocks according to the discount of DCG.

    See ``AS`` for the definition of utility. The paper's name is AS_DCG.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", "i2"], "score": [3.0, 2.0, 1.0],
    ...     "vertical": ["web", "image", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]})
    >>> irmx.calc_aggregate("AS_DCG(normalise=None)", qrels, run)
    {AS_DCG(normalise=None): 0.2357...}
    """

    NAME = "AS_DCG"
    PRETTY_NAME = "Utility of an Aggregated Search Page, by the Discount of DCG"
    SHORT_DESC = "Gain per effort of a page, for a user who examines blocks according to the discount of DCG."
    FORMULA = utility_formula(r"$1/\log_2(i+1)$")
    MONOTONE = True
    SUPPORTED_PARAMS = _with()
    EXAMPLES = ("AS_DCG", "AS_DCG(alpha=7,ideal='exact')@10")

    @property
    def examination(self) -> Symbol:
        return DCG()


class ASRBP(AggregatedSearch):
    """The utility of a page for a user who continues to the next block with probability beta.

    See ``AS`` for the definition of utility. The paper's name is AS_RBP. It learned alpha = 7 and beta = 0.85 from preferences, and l = 0.23
    in the mean over assessors.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", "i2"], "score": [3.0, 2.0, 1.0],
    ...     "vertical": ["web", "image", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]})
    >>> irmx.calc_aggregate("AS_RBP(beta=0.5,personal=0.5)", qrels, run)
    {AS_RBP(beta=0.5,personal=0.5): 0.7678...}
    """

    NAME = "AS_RBP"
    PRETTY_NAME = "Utility of an Aggregated Search Page, by Persistence"
    SHORT_DESC = "Gain per effort of a page, for a user who continues to the next block with probability beta."
    FORMULA = utility_formula(r"$\beta^{i-1}$")
    MONOTONE = True
    SUPPORTED_PARAMS = _with(beta=RBP.SUPPORTED_PARAMS["beta"])
    EXAMPLES = ("AS_RBP", "AS_RBP(beta=0.85,alpha=7)", "AS_RBP(personal=0.23)")

    @property
    def examination(self) -> Symbol:
        return RBP(beta=self["beta"])


class ASERR(AggregatedSearch):
    """The utility of a page for a user who stops at a block with probability equal to its mean gain per item.

    See ``AS`` for the definition of utility. The paper's name is AS_ERR. The paper does not
    say what the factor before the product is, so it is 1 by default; 1/i, the discount of ERR, is the other reading.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", "i2"], "score": [3.0, 2.0, 1.0],
    ...     "vertical": ["web", "image", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]})
    >>> irmx.calc_aggregate("AS_ERR(normalise=None)", qrels, run)
    {AS_ERR(normalise=None): 0.225}
    """

    NAME = "AS_ERR"
    PRETTY_NAME = "Utility of an Aggregated Search Page, by Satisfaction"
    SHORT_DESC = "Gain per effort of a page, for a user who stops at the first satisfying block."
    FORMULA = utility_formula(
        r"$\prod_{j<i} (1 - G(B_j)/n_j)$ with $n_j$ the items of a block, times $1/i$ with err_discount='rank'"
    )
    SUPPORTED_PARAMS = _with(err_discount=ERR.SUPPORTED_PARAMS["discount"])
    EXAMPLES = ("AS_ERR", "AS_ERR(err_discount='rank')")

    @property
    def examination(self) -> Symbol:
        return ERR(discount=self["err_discount"])


class ASATT(AggregatedSearch):
    """The utility of a page for a user attracted by images and videos.

    See ``AS`` for the definition of utility. The paper's name is AS_ATT. The paper assumes the same phi at all positions,
    without a value, which a number as ``phi`` follows. It gives no value of beta either; 0.5 is a choice of irmx.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", "i2"], "score": [3.0, 2.0, 1.0],
    ...     "vertical": ["web", "image", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]})
    >>> irmx.calc_aggregate("AS_ATT(beta=0.3,normalise=None)", qrels, run)
    {AS_ATT(beta=0.3,normalise=None): 0.26}
    """

    NAME = "AS_ATT"
    PRETTY_NAME = "Utility of an Aggregated Search Page, by Attention"
    SHORT_DESC = "Gain per effort of a page, for a user attracted by images and videos."
    FORMULA = utility_formula(
        r"$\varphi_i + (1-\varphi_i)\,\beta^{d_i}$ with $\varphi_i = 1/\log_2(i+1)$ or the parameter phi, and $d_i$ the number of blocks to the nearest one with an image or a video; without one it is $\varphi_i$"
    )
    MONOTONE = True
    SUPPORTED_PARAMS = _with(beta=ATT.SUPPORTED_PARAMS["beta"], phi=ATT.SUPPORTED_PARAMS["phi"])
    EXAMPLES = ("AS_ATT", "AS_ATT(beta=0.3)", "AS_ATT(phi=0.2)")

    @property
    def examination(self) -> Symbol:
        return ATT(beta=self["beta"], phi=self["phi"])


AS_DCG = ASDCG()
AS_RBP = ASRBP()
AS_ERR = ASERR()
AS_ATT = ASATT()
