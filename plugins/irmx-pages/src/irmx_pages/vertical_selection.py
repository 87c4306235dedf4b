"""Measures of vertical selection: the verticals that a page shows, against those that it should show."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import DataError, Formula, Measure, Param, Rankings, UsageError, number
from irmx.ragged import Floats, Ints
from irmx_pages.judged_verticals import judged_verticals
from irmx_pages.page_arrays import WEB
from irmx_pages.page_measures import QREL_COLUMNS, RUN_COLUMNS, SHAPE_PARAMS, ZHOU, by_vertical, described_blocks
from irmx_pages.pages_of_rankings import shown_blocks

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
