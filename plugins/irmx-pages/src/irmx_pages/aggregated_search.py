"""The utility of aggregated search pages, for any examination model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from irmx import Formula, Measure, Param, Rankings, Symbol, UsageError, number
from irmx.ragged import Bools, Floats, segment_sum
from irmx_pages.examination_models import ATT, DCG, ERR, KIND, RBP
from irmx_pages.ideal_pages import how_to_show, ideal_utility, refuse_zero, warn_of_other_media
from irmx_pages.page_arrays import READINGS, WEB, EffortParam, Pages, check_steepness, gain, utility
from irmx_pages.page_measures import (
    LIMIT_PARAMS,
    QREL_COLUMNS,
    RUN_COLUMNS,
    SHAPE_PARAMS,
    ZHOU,
    by_vertical,
    described_blocks,
    draw_blocks,
    ideal_param,
    limits_of,
)
from irmx_pages.pages_of_rankings import pages_of, shown_blocks
from irmx_pages.vertical_selection import ALL_VERTICALS, RECALL_OF, recall_of_judged, refuse_two_counts


def utility_formula(examination: str) -> Formula:
    """Return the formula of utility for a user who examines blocks with some probability, stated after a comma."""
    return Formula(
        r"\mathrm{nUtil}(P) = \frac{\mathrm{Util}(P)}{\mathrm{Util}(P^{*})}, \qquad "
        r"\mathrm{Util}(P) = \frac{\sum_{i} \mathrm{Exam}(B_i)\,G(B_i)}{\sum_{i} \mathrm{Exam}(B_i)\,E(B_i)}",
        {
            "P": "the page",
            r"\mathrm{nUtil}(P)": (
                "the value; with personal $l$ above 0 it is $(1 - l)\\,\\mathrm{nUtil}(P) + l\\,\\mathrm{vRecall}(P)$"
            ),
            r"\mathrm{Util}(P)": "its gain per effort, which is the value with normalise=None",
            "P^{*}": "the ideal page, by the parameter ideal",
            "i": "the position of a block, from the top",
            r"\mathrm{Exam}(B_i)": f"the probability that the user examines the block at position $i$, {examination}",
            "G(B_i)": r"its gain: $g(x)$ times the number of its relevant items. $x$ is the orientation of its vertical, 0.5 for the "
            r"web, and $g(x) = 1/(1 + ((1-x)/x)^{k})$ with $k = 1/\log_{10}\alpha$, or $k = \log_{10}\alpha$ with "
            "g='literal'",
            "E(B_i)": (
                "its effort: the sum of those of its items, by default 1 for an image, 3 for a text, 6 for a video"
            ),
        },
        source="Zhou, Cummins, Lalmas and Jose (2012); it leaves two readings of the exponent of g",
    )


ORIENTED = 0.5
"""Users prefer verticals with an orientation above this to the web."""


GAIN_PARAMS: dict[str, Any] = {
    "alpha": Param(number, "steepness of the gain by orientation; 1 needs g='literal'", default=10, low=1),
    "g": Param(
        str,
        "the two readings of the paper's gain by orientation: smaller alpha is steeper, k = 1/log10(alpha) ('steep'), or k = "
        "log10(alpha) ('literal')",
        default="steep",
        choices=READINGS,
    ),
    "effort": EffortParam(),
    "normalise": Param(
        str,
        "nUtil, the utility over that of the ideal page ('ideal'), or Util, the utility itself (None)",
        default="ideal",
        choices=("ideal",),
        nullable=True,
    ),
    "ideal": ideal_param("paper", "greedy", "exact"),
    "personal": Param(number, "l, weight of vertical recall against nUtil", default=0, low=0, high=1),
    "recall_of": RECALL_OF,
    "all_verticals": ALL_VERTICALS,
    **LIMIT_PARAMS,
    **SHAPE_PARAMS,
}


class AggregatedSearch(Measure):
    """The utility of an aggregated search page, for any examination model.

    Util is the gain per effort that a user can expect of a page, nUtil that of the page relative to an ideal one. With
    ``personal`` l > 0 the value is IUtil(P) = (1 - l) nUtil(P) + l vRecall(P).

    The ideal page is by default the one that the paper normalises by (section 5.2). nUtil is above 1 for a page better than
    that; it is never clamped, and ``ideal='exact'`` is the best possible page. A topic without a relevant item has nUtil 0.

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
    >>> irmx.calc_aggregate("AS(examination=rbp(beta=0.5)) AS(examination=rbp(beta=0.5),normalise=None)", qrels, run)
    {AS(examination=rbp(beta=0.5)): 0.5357..., AS(examination=rbp(beta=0.5),normalise=None): 0.225}
    """

    NAME = "AS"
    PRETTY_NAME = "Utility of an Aggregated Search Page"
    SHORT_DESC = (
        "Gain per effort of a page of web results and verticals, for a user who examines blocks according to a model."
    )
    FORMULA = utility_formula("from the examination model")
    SUPPORTED_PARAMS: dict[str, Any] = {
        "examination": Param(str, "how likely the user is to examine each block", kind=KIND, required=True),
        **GAIN_PARAMS,
    }
    RUN_COLUMNS = RUN_COLUMNS
    QREL_COLUMNS = QREL_COLUMNS
    CITATIONS = (ZHOU,)
    RANGE = (0.0, float("inf"))
    MONOTONE = False  # under err a user satisfied by one block never reaches cheaper ones below it
    EXAMPLES: ClassVar[tuple[str, ...]] = ("AS(examination=rbp(beta=0.7))",)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        refuse_two_counts(self)
        check_steepness(self["alpha"], self["g"])
        if self["normalise"] is None and self["personal"]:
            raise UsageError(
                f"{self.NAME} with 'personal' above 0 needs normalise='ideal': vertical recall is a share, and is weighed against nUtil, "
                f"not against gain per effort. Got normalise=None and personal={self['personal']}."
            )

    @property
    def examination(self) -> Any:
        """The examination model."""
        return self["examination"]

    def pages(self, rankings: Rankings) -> Pages:
        """Return the pages of a run."""
        return pages_of(rankings, self["effort"], self["cutoff"], self["split_blocks"])

    def gain(self, pages: Pages) -> Floats:
        """Return the gain of every block."""
        return gain(pages, self["alpha"], self["g"])

    def probabilities(self, pages: Pages, gain: Floats) -> Floats:
        """Return the probability that each block is examined."""
        return np.asarray(self.examination.probabilities(pages, gain))

    def ideal(self, rankings: Rankings) -> Floats:
        """Return the utility of the ideal page of every topic; infinite for one without a relevant item."""
        split_blocks = self["split_blocks"]
        rankings.memo(("other media", split_blocks), lambda: warn_of_other_media(rankings, split_blocks))  # once
        ideal, limits = self["ideal"], limits_of(self)
        of_gain = (limits, self["effort"], self.examination, self["alpha"], self["g"])
        if ideal == "exact":
            from irmx_pages.exact_ideal import exact_utility

            best = exact_utility(rankings, self.pages(rankings).blocks, *of_gain)
            advice = "Their gain is 0; with normalise=None the utility is not divided"
        else:
            best = ideal_utility(rankings, self["cutoff"], ideal, *of_gain)
            advice = f"{how_to_show(ideal, limits)}, or take ideal='exact', or normalise=None, which does not divide"
        return np.where(refuse_zero(rankings, best, advice), best, np.inf)

    def recall(self, rankings: Rankings) -> Floats:
        """Return vRecall."""
        return recall_of_judged(self, rankings, None if self["recall_of"] == "all" else ORIENTED)

    def is_right(self, pages: Pages) -> Bools:
        """Tell which blocks show a vertical that vertical recall counts, unless they are web results."""
        return np.asarray((self["recall_of"] == "all") | (pages.orientation > ORIENTED))

    def score(self, rankings: Rankings) -> Floats:
        pages = self.pages(rankings)
        gain = self.gain(pages)
        util = utility(pages, gain, self.probabilities(pages, gain))
        if self["normalise"] is None:
            return util
        n_util = util / self.ideal(rankings)
        l = self["personal"]  # noqa: E741
        return (1 - l) * n_util + l * self.recall(rankings) if l else n_util

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        """Return the blocks of the pages with their contributions to the score.

        ``share`` is the block's part of the expected gain of the page, ``contribution`` the part of the score due to the
        block: of nUtil and, for the first block of a vertical, of vertical recall if the measure counts it.
        """
        pages = self.pages(rankings)
        gain = self.gain(pages)
        examination = self.probabilities(pages, gain)
        page = pages.page
        expected = examination * gain
        total = segment_sum(expected, page, len(pages))[page]
        spent = segment_sum(examination * pages.effort, page, len(pages))[page]
        contribution = expected / spent
        cutoff, split_blocks = self["cutoff"], self["split_blocks"]
        if self["normalise"] is not None:
            contribution = contribution / self.ideal(rankings)[page]
        if self["personal"]:
            l = self["personal"]  # noqa: E741
            right = self.is_right(pages) & (pages.vertical != WEB)
            of_recall = by_vertical(shown_blocks(rankings, cutoff, split_blocks), right, self.recall(rankings))
            contribution = (1 - l) * contribution + l * of_recall
        return {
            **described_blocks(rankings, cutoff, split_blocks),
            "examination": examination,
            "gain": gain,
            "effort": pages.effort,
            "share": np.divide(expected, total, out=np.zeros(len(total)), where=total > 0),
            "contribution": contribution,
        }

    def draw_user(self, rankings: Rankings, ax: Any) -> None:
        """Draw the blocks of the page, how likely each is examined, its gain and its effort."""
        draw_blocks(self.contributions(rankings), ax)


# -- with a model of the paper -----------------------------------------------------------------------------------------


def _by_model(
    name: str,
    model: type[Symbol],
    by: str,
    user: str,
    examination: str,
    examples: tuple[str, ...],
    value: str,
    note: str = "",
    params: Mapping[str, str] = {},
    monotone: bool = True,
) -> type[AggregatedSearch]:
    """Return the measure of a user with one model; ``params`` has the measure's names of the parameters of the model."""
    about = f"""The utility of a page for a user {user}.

    See ``AS`` for the definition of utility. The paper's name is {name}.{note}

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({{"query_id": "q", "doc_id": ["w1", "i1", "i2"], "score": [3.0, 2.0, 1.0],
    ...     "vertical": ["web", "image", "image"]}})
    >>> qrels = pd.DataFrame({{"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.8]}})
    >>> irmx.calc_aggregate("{value.partition(": ")[0]}", qrels, run)
    {{{value}}}
    """
    own = {
        "__doc__": about,
        "__module__": __name__,
        "NAME": name,
        "PRETTY_NAME": f"Utility of an Aggregated Search Page, by {by}",
        "SHORT_DESC": f"Gain per effort of a page, for a user {user}.",
        "FORMULA": utility_formula(examination),
        "SUPPORTED_PARAMS": {**{mine: model.SUPPORTED_PARAMS[of] for mine, of in params.items()}, **GAIN_PARAMS},
        "MONOTONE": monotone,
        "EXAMPLES": examples,
        "examination": property(lambda self: model(**{of: self[mine] for mine, of in params.items()})),
    }
    return type(name.replace("_", ""), (AggregatedSearch,), own)


ASDCG = _by_model(
    "AS_DCG", DCG, "the Discount of DCG", "who examines blocks according to the discount of DCG", r"$1/\log_2(i+1)$",
    ("AS_DCG", "AS_DCG(alpha=7,ideal='exact')@10"), "AS_DCG(normalise=None): 0.2357...",
)  # fmt: skip
ASRBP = _by_model(
    "AS_RBP", RBP, "Persistence", "who continues to the next block with probability beta", r"$\beta^{i-1}$",
    ("AS_RBP", "AS_RBP(beta=0.85,alpha=7)", "AS_RBP(personal=0.23)"), "AS_RBP(beta=0.5,personal=0.5): 0.7678...",
    " It learned alpha = 7 and beta = 0.85 from preferences, and l = 0.23\n    in the mean over assessors.", {"beta": "beta"},
)  # fmt: skip
ASERR = _by_model(
    "AS_ERR", ERR, "Satisfaction", "who stops at the first satisfying block",
    r"$\prod_{j<i} (1 - G(B_j)/n_j)$ with $n_j$ the items of a block, times $1/i$ with err_discount='rank'",
    ("AS_ERR", "AS_ERR(err_discount='rank')"), "AS_ERR(normalise=None): 0.225",
    " The paper does not\n    say what the factor before the product is, so it is 1 by default; 1/i, the discount of ERR, is the other reading.",
    {"err_discount": "discount"}, monotone=False,  # a user satisfied by one block never reaches cheaper ones below it
)  # fmt: skip
ASATT = _by_model(
    "AS_ATT", ATT, "Attention", "attracted by images and videos",
    r"$\varphi_i + (1-\varphi_i)\,\beta^{d_i}$ with $\varphi_i = 1/\log_2(i+1)$ or the parameter phi, and $d_i$ the number of blocks "
    r"to the nearest one with an image or a video; without one it is $\varphi_i$",
    ("AS_ATT", "AS_ATT(beta=0.3)", "AS_ATT(phi=0.2)"), "AS_ATT(beta=0.3,normalise=None): 0.26",
    " The paper assumes the same phi at all positions,\n    without a value, which a number as ``phi`` follows. It gives no value of beta "
    "either; 0.5 is a choice of irmx.",
    {"beta": "beta", "phi": "phi"},
)  # fmt: skip

AS = AggregatedSearch()
AS_DCG, AS_RBP, AS_ERR, AS_ATT = ASDCG(), ASRBP(), ASERR(), ASATT()
