"""What the measures of pages share: parameters, columns, citation, ideal pages."""

from __future__ import annotations

from dataclasses import replace

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, number
from irmx_pages.ideal.ideal_blocks import GREEDY_LIMITS, Limits
from irmx_pages.page.page_columns import BLOCK, JUDGED_MEDIA, JUDGED_VERTICAL, MEDIA, ORIENTATION, VERTICAL

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
        "take items of one vertical in two places of a page as two blocks, rather than for an error",
        default=False,
    ),
    "cutoff": Param(int, "only the first this many blocks of a page are looked at", low=1, unit="blocks"),
    **{name: COMMON_PARAMS[name] for name in ("rel", "ties", "no_relevant")},
}
"""The parameters that say what a page is."""

IDEALS = {
    "paper": "the page of perfect selection, items and presentation, the paper's normaliser ('paper')",
    "greedy": "relevant items of verticals, then of the web ('greedy')",
    "exact": "the best page with as many blocks ('exact')",
}
"""What each ideal page is."""


def ideal_param(*ideals: str) -> Param:
    """Return the parameter ``ideal``, the first ideal page being the default."""
    return Param(
        str, "the page to divide by: " + ", or ".join(IDEALS[i] for i in ideals), default=ideals[0], choices=ideals
    )


LIMIT_PARAMS = {
    "ideal_web": Param(
        int, "most web blocks on the ideal pages 'paper' and 'greedy'", default=10, low=0, unit="blocks"
    ),
    "ideal_verticals": Param(int, "most blocks of verticals on an ideal page", default=3, low=0, unit="blocks"),
    "ideal_items": Param(int, "most items in a vertical's block of an ideal page", default=3, low=1, unit="items"),
    "ideal_threshold": Param(
        number,
        "the ideal pages 'paper' and 'greedy' show verticals with an orientation above it; None: 0.75 and 0.5",
        default=None,
        low=0,
        high=1,
    ),
    "ideal_fill": Param(
        bool,
        "the ideal pages 'paper' and 'greedy' go on with non-relevant items, to their limits; None: 'paper' alone does",
        default=None,
    ),
}
"""The limits of ideal pages."""

RUN_COLUMNS: tuple[Column, ...] = (VERTICAL, BLOCK, MEDIA)
QREL_COLUMNS: tuple[Column, ...] = (JUDGED_VERTICAL, ORIENTATION, JUDGED_MEDIA)


def limits_of(measure: Measure) -> Limits:
    """Return the limits of ideal pages that a measure is asked for, those of the ideal where it is not."""
    found = {name: measure[f"ideal_{name}"] for name in ("web", "verticals", "items", "threshold", "fill")}
    given = {name: value for name, value in found.items() if value is not None}
    return replace(GREEDY_LIMITS if measure["ideal"] == "greedy" else Limits(), **given)
