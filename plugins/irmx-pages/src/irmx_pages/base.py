"""What the measures of pages share: parameters, columns, citation, ideal pages."""

from __future__ import annotations

from irmx import COMMON_PARAMS, Citation, Column, Param, number
from irmx_pages.columns import BLOCK, JUDGED_MEDIA, JUDGED_VERTICAL, MEDIA, ORIENTATION, VERTICAL
from irmx_pages.ideal import Limits

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

LIMIT_PARAMS = {
    "ideal_web": Param(int, "most web blocks on the greedy ideal page", default=10, low=0, unit="blocks"),
    "ideal_verticals": Param(int, "most blocks of verticals on an ideal page", default=3, low=0, unit="blocks"),
    "ideal_items": Param(int, "most items in a vertical's block of an ideal page", default=3, low=1, unit="items"),
    "ideal_threshold": Param(
        number,
        "the greedy ideal page shows verticals with an orientation above it; 0.75 in the paper's experiments",
        default=0.5,
        low=0,
        high=1,
    ),
    "ideal_fill": Param(bool, "the greedy ideal page goes on with non-relevant items, to its limits", default=False),
}
"""The limits of ideal pages."""

RUN_COLUMNS: tuple[Column, ...] = (VERTICAL, BLOCK, MEDIA)
QREL_COLUMNS: tuple[Column, ...] = (JUDGED_VERTICAL, ORIENTATION, JUDGED_MEDIA)


def limits_of(measure: object) -> Limits:
    """Return the limits of ideal pages that a measure is asked for."""
    names = ("web", "verticals", "items", "threshold", "fill")
    return Limits(*(measure[f"ideal_{name}"] for name in names))  # type: ignore[index]
