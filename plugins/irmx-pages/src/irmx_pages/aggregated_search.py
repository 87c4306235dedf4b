"""The utility of aggregated search pages, for any examination model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from irmx import (
    COMMON_PARAMS,
    Citation,
    Column,
    DataError,
    Formula,
    Measure,
    Param,
    Rankings,
    Symbol,
    UsageError,
    number,
)
from irmx.ragged import Bools, Floats, Ints, segment_sum
from irmx.toolkit import picture_text, plural
from irmx_pages.examination_models import ATT, DCG, ERR, KIND, RBP
from irmx_pages.ideal_pages import GREEDY_LIMITS, Limits, how_to_show, ideal_utility, refuse_zero, warn_of_other_media
from irmx_pages.judged_verticals import (
    BLOCK,
    JUDGED_MEDIA,
    JUDGED_VERTICAL,
    LENGTH,
    MEDIA,
    ORIENTATION,
    VERTICAL,
    ShownBlocks,
    grading_of,
    judged_verticals,
    layout_of,
    pages_of,
    shown_blocks,
)
from irmx_pages.page import DEFAULT, READINGS, WEB, EffortTable, MediaParam, Pages, check_steepness, gain, utility

# -- what the measures of pages share --------------------------------------------------------------------------------


ZHOU = Citation(
    "Zhou2012",
    "inproceedings",
    {
        "author": "Ke Zhou and Ronan Cummins and Mounia Lalmas and Joemon M. Jose",
        "title": "Evaluating Aggregated Search Pages",
        "booktitle": "Proceedings of the 35th International ACM SIGIR Conference (SIGIR 2012)",
        "year": "2012",
    },
)

SHAPE_PARAMS = {
    "split_blocks": Param(
        bool,
        "treat items of one vertical in two places of a page as two blocks, rather than as an error",
        default=False,
    ),
    "cutoff": Param(int, "number of blocks at the top of the page that are scored", low=1, unit="blocks"),
    **{name: COMMON_PARAMS[name] for name in ("rel", "ties", "no_relevant")},
}
"""The parameters that define a page."""

IDEALS = {
    "paper": "the page of perfect selection, items and presentation, the paper's normaliser ('paper')",
    "greedy": "relevant items of verticals, then of the web ('greedy')",
    "exact": "the best page with as many blocks ('exact')",
}
"""Description of each ideal page."""


def ideal_param(*ideals: str) -> Param:
    """Return the parameter ``ideal``; the first ideal page is the default."""
    return Param(
        str, "the page to divide by: " + ", or ".join(IDEALS[i] for i in ideals), default=ideals[0], choices=ideals
    )


LIMIT_PARAMS = {
    "ideal_web": Param(
        int, "maximum number of web blocks on the ideal pages 'paper' and 'greedy'", default=10, low=0, unit="blocks"
    ),
    "ideal_verticals": Param(
        int, "maximum number of vertical blocks on an ideal page", default=3, low=0, unit="blocks"
    ),
    "ideal_items": Param(
        int, "maximum number of items in a vertical block of an ideal page", default=3, low=1, unit="items"
    ),
    "ideal_threshold": Param(
        number,
        "the ideal pages 'paper' and 'greedy' show verticals with an orientation above this; None: 0.75 and 0.5",
        default=None,
        low=0,
        high=1,
    ),
    "ideal_fill": Param(
        bool,
        "the ideal pages 'paper' and 'greedy' are filled up to their limits with non-relevant items; None: only 'paper' is",
        default=None,
    ),
    "ideal_empty": Param(
        bool,
        "whether an oriented vertical without items takes the place of another on the ideal page 'paper', and leaves it empty",
        default=True,
    ),
}
"""The limits of ideal pages."""

RUN_COLUMNS: tuple[Column, ...] = (VERTICAL, BLOCK, MEDIA)
QREL_COLUMNS: tuple[Column, ...] = (JUDGED_VERTICAL, ORIENTATION, JUDGED_MEDIA)


def limits_of(measure: Measure) -> Limits:
    """Return the limits of ideal pages: a measure's parameters, or the defaults of the ideal page."""
    found = {name: measure[f"ideal_{name}"] for name in ("web", "verticals", "items", "threshold", "fill", "empty")}
    given = {name: value for name, value in found.items() if value is not None}
    return replace(GREEDY_LIMITS if measure["ideal"] == "greedy" else Limits(), **given)


def described_blocks(rankings: Rankings, cutoff: int | None, split_blocks: bool) -> dict[str, Any]:
    """Return one row per block of the pages: its position, its vertical, its items and their judgments."""
    laid_out = layout_of(rankings, split_blocks)
    keep = laid_out.top(cutoff)
    items = [rankings.ranked.doc_ids[a:b] for a, b in pairwise(laid_out.first.tolist())]
    return {
        "block": laid_out.position[keep],
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


_BLOCKS = 40
"""Of a longer page, so many blocks are drawn."""


def draw_blocks(blocks: Mapping[str, Any], ax: Any) -> None:
    """Draw the blocks of one page, with the columns of an explanation.

    Parameters
    ----------
    blocks : mapping of str to array
        ``vertical``, ``items``, ``relevant``, ``examination``, ``gain``, ``effort`` and ``contribution``, one value per block.
    ax : matplotlib.axes.Axes
        Where to draw.
    """
    count = min(len(blocks["block"]), _BLOCKS)
    examination, relevant = np.asarray(blocks["examination"])[:count], np.asarray(blocks["relevant"])[:count]
    places = np.arange(count)
    for some, colour, hatch, label in (
        (relevant > 0, "C1", "", "block with relevant items"),
        (relevant == 0, "C6", "//", "block without"),
    ):
        if some.any():
            ax.barh(
                places[some], examination[some], height=0.7, color=colour, edgecolor="white" if hatch else colour, hatch=hatch,
                linewidth=0, label=label,
            )  # fmt: skip
    ax.set_yticks(places, [_name(blocks, i) for i in range(count)])
    ax.set_ylim(count - 0.4, -1.6)
    ax.set_xlim(0, 1.95)
    ax.spines["bottom"].set_bounds(0, 1)
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_xlabel("probability of examination", loc="left")
    more = len(blocks["block"]) - count
    ax.set_ylabel(f"block, the first {count} of {count + more}" if more else "block")
    for x, name in ((1.2, "gain"), (1.48, "effort"), (1.92, "contribution")):
        ax.text(x, -1, name, ha="right", va="center", fontsize="small", fontweight="bold")
        for place, value in zip(places.tolist(), np.asarray(blocks[name]).tolist(), strict=False):
            ax.text(x, place, f"{value:.3g}", ha="right", va="center", fontsize="small")


def _name(blocks: Mapping[str, Any], i: int) -> str:
    """Return the number and vertical of a block, and how many items it has."""
    items, relevant = int(blocks["items"][i]), int(blocks["relevant"][i])
    of_items = f" ({plural(items, 'item')}, {relevant} relevant)" if items > 1 else ""
    return f"{blocks['block'][i]} {picture_text(blocks['vertical'][i])}{of_items}"


# -- measures of vertical selection ----------------------------------------------------------------------------------


_SHOWN = "the verticals on the page, without the general web"


RECALL_OF = Param(
    str,
    "the verticals that vertical recall counts: 'all', or those with an orientation above 0.5 ('oriented')",
    default="all",
    choices=("all", "oriented"),
)
ALL_VERTICALS = Param(
    int,
    "number of verticals that could be shown for every topic, with recall_of='all'; None: those in the topic's "
    "qrels rows",
    default=None,
    low=1,
    unit="verticals",
)
THRESHOLD = Param(
    number, "verticals with an orientation above this are the right ones to show", default=0.5, low=0, high=1
)


def counts(measure: Measure, rankings: Rankings, threshold: float | None) -> tuple[Ints, Ints, Ints]:
    """Return, for every topic, the numbers of right verticals on the page, of all on it, and of right ones in the judgments.

    General web is excluded. Right verticals have an orientation above the threshold; without a threshold all are right.
    """
    judged = judged_verticals(rankings)
    right = ~judged.web & (True if threshold is None else judged.orientation > threshold)
    blocks = shown_blocks(rankings, measure["cutoff"], measure["split_blocks"])
    place = np.unique(judged.place(blocks.page, blocks.label))
    shown = np.zeros(len(right), dtype=bool)
    shown[place[place >= 0]] = True
    topics = len(rankings)

    def count(which: Any) -> Ints:
        return np.bincount(judged.topic[which], minlength=topics)

    return count(shown & right), count(shown & ~judged.web), count(right)


def recall_of_judged(measure: Measure, rankings: Rankings, threshold: float | None) -> Floats:
    """Return the share of the right verticals that each page shows: of those in the judgments, or ``all_verticals`` of the measure.

    Raises
    ------
    irmx.DataError
        If a page shows more verticals than ``all_verticals``.
    """
    (hit, _, right), stated = counts(measure, rankings, threshold), measure["all_verticals"]
    for topic in np.flatnonzero(hit > (np.inf if stated is None else stated))[:1].tolist():
        raise DataError(
            f"the page of query {rankings.topics[topic]} shows {hit[topic]} verticals, more than all_verticals={stated}. Give the "
            "number of all verticals that a page can show."
        )
    return recall(hit, right if stated is None else np.full(len(right), stated))


def refuse_two_counts(measure: Measure) -> None:
    """Raise if a measure has both ``all_verticals`` and a recall of oriented verticals only."""
    if measure["all_verticals"] is not None and measure["recall_of"] == "oriented":
        raise UsageError(
            f"{measure.NAME} with all_verticals={measure['all_verticals']} needs recall_of='all': which verticals are oriented is "
            "a matter of the judgments of each topic."
        )


def recall(hit: Ints, right: Ints) -> Floats:
    """Return the share of the right verticals that a page shows; 1 where there are none to show.

    >>> recall(np.array([1, 0]), np.array([4, 0]))
    array([0.25, 1.  ])
    """
    return np.where(right > 0, hit / np.maximum(right, 1), 1.0)


def precision(hit: Ints, shown: Ints, right: Ints) -> Floats:
    """Return the share of the verticals shown that are right; for a page without verticals, 1 if there are none to show, else 0.

    >>> precision(np.array([1, 0, 0]), np.array([2, 0, 0]), np.array([4, 4, 0]))
    array([0.5, 0. , 1. ])
    """
    return np.where(shown > 0, hit / np.maximum(shown, 1), np.where(right > 0, 0.0, 1.0))


class VerticalMeasure(Measure):
    """Base class of measures of how well the verticals of a page are chosen."""

    RUN_COLUMNS = RUN_COLUMNS
    QREL_COLUMNS = QREL_COLUMNS
    CITATIONS = (ZHOU,)


class VerticalRecall(VerticalMeasure):
    """Vertical recall: the share of the topic's verticals that the page shows.

    The paper divides by the number of all verticals. By default these are the verticals in the topic's qrels rows, except
    general web; a row with an empty doc_id declares a vertical without judged documents. A topic without verticals scores 1.
    ``all_verticals`` sets the number for every topic.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "score": [2.0, 1.0], "vertical": ["web", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", ""], "relevance": [1, 1, 0],
    ...     "vertical": ["web", "image", "news"], "orientation": [None, 0.75, 0.2]})
    >>> irmx.calc_aggregate("vRecall vRecall(recall_of='oriented') vRecall(all_verticals=12)", qrels, run)
    {vRecall: 0.5, vRecall(recall_of='oriented'): 1.0, vRecall(all_verticals=12): 0.0833...}
    """

    NAME = "vRecall"
    PRETTY_NAME = "Vertical Recall"
    SHORT_DESC = "The share of the topic's verticals that the page shows."
    FORMULA = Formula(
        r"\mathrm{vRecall} = \frac{\lvert V_P \cap V_q \rvert}{\lvert V_q \rvert}",
        {
            "V_P": _SHOWN,
            "V_q": (
                "the verticals of the topic: those in its qrels rows, or, with recall_of='oriented', those with an "
                "orientation above the threshold; all_verticals sets their number. Without any the value is 1"
            ),
        },
        source="Zhou, Cummins, Lalmas and Jose (2012)",
    )
    SUPPORTED_PARAMS = {"recall_of": RECALL_OF, "all_verticals": ALL_VERTICALS, "threshold": THRESHOLD, **SHAPE_PARAMS}
    EXAMPLES = ("vRecall", "vRecall(recall_of='oriented')", "vRecall(all_verticals=12)")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        refuse_two_counts(self)

    def score(self, rankings: Rankings) -> Floats:
        return recall_of_judged(self, rankings, None if self["recall_of"] == "all" else self["threshold"])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        what = (rankings, self["cutoff"], self["split_blocks"])
        table = described_blocks(*what)
        right = (self["recall_of"] == "all") | (table["orientation"] > self["threshold"])
        counted = right & (table["vertical"] != WEB)
        return {**table, "contribution": by_vertical(shown_blocks(*what), counted, self.score(rankings))}


class VerticalPrecision(VerticalMeasure):
    """Vertical precision: the share of the verticals on the page that users prefer to the web.

    General web is excluded. A page without verticals scores 1 if no vertical has such an orientation, else 0, which is a
    choice of irmx.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["n1", "i1"], "score": [2.0, 1.0], "vertical": ["news", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["n1", "i1"], "relevance": 1, "vertical": ["news", "image"],
    ...     "orientation": [0.2, 0.75]})
    >>> irmx.calc_aggregate("vPrecision", qrels, run)
    {vPrecision: 0.5}
    """

    NAME = "vPrecision"
    PRETTY_NAME = "Vertical Precision"
    SHORT_DESC = "The share of the verticals on the page that users prefer to the web."
    FORMULA = Formula(
        r"\mathrm{vPrecision} = \frac{\lvert V_P \cap V_q \rvert}{\lvert V_P \rvert}",
        {"V_P": _SHOWN, "V_q": "the verticals with an orientation above the threshold, 0.5 by default"},
        source="Zhou, Cummins, Lalmas and Jose (2012), for simulated pages",
    )
    SUPPORTED_PARAMS = {"threshold": THRESHOLD, **SHAPE_PARAMS}
    EXAMPLES = ("vPrecision", "vPrecision(threshold=0.75)")

    def score(self, rankings: Rankings) -> Floats:
        return precision(*counts(self, rankings, self["threshold"]))


class VerticalF(VerticalMeasure):
    """The F-measure of verticals: a mean of vertical precision and recall; 0 if both are 0.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.2.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["n1", "i1"], "score": [2.0, 1.0], "vertical": ["news", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["n1", "i1"], "relevance": 1, "vertical": ["news", "image"],
    ...     "orientation": [0.2, 0.75]})
    >>> irmx.calc_aggregate("vF", qrels, run)
    {vF: 0.6666666666666666}
    """

    NAME = "vF"
    PRETTY_NAME = "F-Measure of Verticals"
    SHORT_DESC = "The harmonic mean of vertical precision and recall, over verticals that users prefer to the web."
    FORMULA = Formula(
        r"\mathrm{vF} = \frac{(1 + \beta^2)\,p\,r}{\beta^2\,p + r}",
        {
            r"\beta": "how many times as much recall counts as precision does",
            "p": "vPrecision: the share of the verticals on the page with an orientation above the threshold",
            "r": "vRecall of the verticals with an orientation above the threshold",
        },
        source="Zhou, Cummins, Lalmas and Jose (2012), section 5.2",
    )
    SUPPORTED_PARAMS = {
        "beta": Param(float, "how many times as much recall counts as precision does", default=1.0, above=0),
        "threshold": THRESHOLD,
        **SHAPE_PARAMS,
    }
    EXAMPLES = ("vF", "vF(beta=2.0)")

    def score(self, rankings: Rankings) -> Floats:
        hit, shown, right = counts(self, rankings, self["threshold"])
        p, r, beta = precision(hit, shown, right), recall(hit, right), self["beta"]
        squared = min(beta, 1 / beta) ** 2  # of the smaller weight; that of a large beta would overflow
        of_p, of_r = (squared, 1.0) if beta <= 1 else (1.0, squared)
        f: Floats = np.divide((of_p + of_r) * p * r, of_p * p + of_r * r, out=np.zeros(len(p)), where=p + r > 0)
        return f


vRecall = VerticalRecall()  # noqa: N816
vPrecision = VerticalPrecision()  # noqa: N816
vF = VerticalF()  # noqa: N816


# -- the utility of aggregated search pages, for any examination model -----------------------------------------------


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
            r"g='literal'. With max_grade, a relevant item counts $(2^{\mathrm{grade}} - 1) / 2^{\mathrm{max\_grade}}$ or "
            "grade / max_grade, as gain says, instead of 1",
            "E(B_i)": (
                "its effort: the sum of those of its items, by default 1 for an image, 3 for a text, 6 for a video; for media types "
                "in standard_length, times the length of the item over the standard length"
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
    "max_grade": Param(
        float, "largest grade of the scale; without it, relevance is binary", default=None, above=0, high=1000
    ),
    "gain": Param(
        str,
        "relevance of a relevant item if max_grade is given: (2^grade - 1) / 2^max_grade, or grade / max_grade",
        default="exponential",
        choices=("exponential", "linear"),
    ),
    "effort": MediaParam(
        "effort of examining one item, by media type; by default image 1, text 3, video 6, the paper's, in units of an "
        "image's 2.34 s; any media types are allowed",
        DEFAULT,
        DEFAULT,
    ),
    "standard_length": MediaParam(
        "length of an item that takes this effort, by media type: the effort of an item is proportional to its run column "
        "'length'; None, and other media types: all items of a type take the same effort",
        EffortTable(text=25),
    ),
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

    Util is the gain per effort that a user can expect of a page, nUtil that of the page relative to an ideal one. Relevance is
    binary, as in the paper, or graded with ``max_grade``: binary grades are the authors' explanation of why AS_ERR agrees less with
    users. With ``personal`` l > 0 the value is IUtil(P) = (1 - l) nUtil(P) + l vRecall(P).

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
    RUN_COLUMNS = (*RUN_COLUMNS, LENGTH)
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
        if self["normalise"] is not None and self["ideal"] == "exact" and self["max_grade"] is not None:
            raise UsageError(
                f"{self.NAME} has no exact ideal page for graded relevance. Take ideal='paper' or 'greedy', or normalise=None. Got "
                f"ideal='exact' and max_grade={self['max_grade']:g}."
            )

    def run_columns(self) -> tuple[Column, ...]:
        return RUN_COLUMNS if self["standard_length"] is None else self.RUN_COLUMNS

    @property
    def examination(self) -> Any:
        """The examination model."""
        return self["examination"]

    def pages(self, rankings: Rankings) -> Pages:
        """Return the pages of a run."""
        others = {name: self[name] for name in ("max_grade", "gain", "standard_length")}
        return pages_of(rankings, self["effort"], self["cutoff"], self["split_blocks"], **others)

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
            grading = grading_of(rankings, self["max_grade"], self["gain"])
            best = ideal_utility(rankings, self["cutoff"], ideal, *of_gain, grading)
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
    ("AS_DCG", "AS_DCG(alpha=7,ideal='exact')@10", "AS_DCG(standard_length={'text':25})"), "AS_DCG(normalise=None): 0.2357...",
)  # fmt: skip
ASRBP = _by_model(
    "AS_RBP", RBP, "Persistence", "who continues to the next block with probability beta", r"$\beta^{i-1}$",
    ("AS_RBP", "AS_RBP(beta=0.85,alpha=7)", "AS_RBP(personal=0.23)"), "AS_RBP(beta=0.5,personal=0.5): 0.7678...",
    " It learned alpha = 7 and beta = 0.85 from preferences, and l = 0.23\n    in the mean over assessors.", {"beta": "beta"},
)  # fmt: skip
ASERR = _by_model(
    "AS_ERR", ERR, "Satisfaction", "who stops at the first satisfying block",
    r"$\prod_{j<i} (1 - G(B_j)/n_j)$ with $n_j$ the items of a block, times $1/i$ with err_discount='rank'",
    ("AS_ERR", "AS_ERR(err_discount='rank')", "AS_ERR(max_grade=7.0)", "AS_ERR(max_grade=7.0,gain='linear')"), "AS_ERR(normalise=None): 0.225",
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
