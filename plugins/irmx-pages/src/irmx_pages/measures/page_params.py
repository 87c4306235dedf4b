"""Shared parts of the page measures: parameters, columns, citation, ideal pages."""

from __future__ import annotations

from dataclasses import replace

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, number
from irmx_pages.ideal.ideal_blocks import GREEDY_LIMITS, Limits
from irmx_pages.page.judged_verticals import BLOCK, JUDGED_MEDIA, JUDGED_VERTICAL, MEDIA, ORIENTATION, VERTICAL

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
}
"""The limits of ideal pages."""

RUN_COLUMNS: tuple[Column, ...] = (VERTICAL, BLOCK, MEDIA)
QREL_COLUMNS: tuple[Column, ...] = (JUDGED_VERTICAL, ORIENTATION, JUDGED_MEDIA)


def limits_of(measure: Measure) -> Limits:
    """Return the limits of ideal pages: a measure's parameters, or the defaults of the ideal page."""
    found = {name: measure[f"ideal_{name}"] for name in ("web", "verticals", "items", "threshold", "fill")}
    given = {name: value for name, value in found.items() if value is not None}
    return replace(GREEDY_LIMITS if measure["ideal"] == "greedy" else Limits(), **given)
