"""The utility of the ideal page of every topic."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from irmx import DataError, DataWarning, Rankings
from irmx.ragged import Bools, Floats, Ints, segment_of
from irmx_pages.ideal.ideal_blocks import Limits, ideal_blocks, pages_of_blocks
from irmx_pages.page.judged_verticals import judged_verticals
from irmx_pages.page.page_arrays import gain, utility
from irmx_pages.page.pages_of_rankings import layout_of


def ideal_utility(
    rankings: Rankings,
    cutoff: int | None,
    ideal: str,
    limits: Limits,
    table: Mapping[str, float],
    examination: Any,
    alpha: float,
    g: str,
) -> Floats:
    """Return the utility of the ideal page ``"paper"`` or ``"greedy"`` of each topic at a cutoff; computed once per qrels.

    The utility of a page without blocks is 0.
    """

    def made() -> Floats:
        judged = judged_verticals(rankings)
        pages = pages_of_blocks(ideal_blocks(judged, ideal, limits), judged, table)
        pages = pages if cutoff is None else pages.where(pages.position <= cutoff)
        there = pages.blocks > 0
        out = np.zeros(len(pages))
        if there.any():
            some = pages.without_empty()
            of_blocks = gain(some, alpha, g)
            out[there] = utility(some, of_blocks, examination.probabilities(some, of_blocks))
        return out

    key = ("ideal utility", rankings.rel, cutoff, ideal, limits, table, examination, alpha, g)
    return rankings.qrels_memo(key, made)


def exact_utility(
    rankings: Rankings,
    blocks: Ints,
    limits: Limits,
    table: Mapping[str, float],
    examination: Any,
    alpha: float,
    g: str,
) -> Floats:
    """Return, for each topic, the largest utility of a page with as many blocks as the run's page."""
    from irmx_pages.ideal.candidates import best_page, candidates_of

    judged = judged_verticals(rankings)
    kept: dict[tuple[int, int], float] = rankings.qrels_memo(
        ("exact ideals", rankings.rel, limits, table, examination, alpha, g), dict
    )
    for key in enumerate(blocks.tolist()):
        if key not in kept:
            candidates = candidates_of(judged, key[0], limits, table, alpha, g)
            kept[key] = best_page(candidates, examination, key[1])[0]
    return np.array([kept[key] for key in enumerate(blocks.tolist())])


def how_to_show(ideal: str, limits: Limits) -> str:
    """Return advice for the case that the ideal page ``"paper"`` or ``"greedy"`` shows nothing relevant.

    >>> how_to_show("greedy", Limits(threshold=0.5))
    "The page ideal='greedy' shows verticals whose orientation is above ideal_threshold, 0.5, and web..."
    """
    return (
        f"The page ideal={ideal!r} shows verticals whose orientation is above ideal_threshold, {limits.threshold:g}, and web "
        "results, up to its limits; lower the threshold or raise the limits"
    )


def refuse_zero(rankings: Rankings, ideal: Floats, advice: str) -> Bools:
    """Return which topics have an ideal above 0; raise if a topic has none despite relevant items."""
    for topic in np.flatnonzero((ideal <= 0) & (rankings.recall_base > 0))[:1].tolist():
        judged = judged_verticals(rankings)
        here = np.flatnonzero((judged.topic == topic) & (judged.relevant > 0))
        held = ", ".join(
            f"{judged.names[judged.label[i]]} (orientation {judged.orientation[i]:g})" for i in here.tolist()
        )
        raise DataError(
            f"the ideal page of query {rankings.topics[topic]} has utility 0, so nothing can be divided by it. All "
            f"relevant items come from: {held}. {advice}."
        )
    return np.asarray(ideal > 0)


def warn_of_other_media(rankings: Rankings, split_blocks: bool) -> None:
    """Warn once if items of pages have a media type other than that of their vertical on ideal pages."""
    rankings.memo(("other media", split_blocks), lambda: _warn_of_other_media(rankings, split_blocks))


def _warn_of_other_media(rankings: Rankings, split_blocks: bool) -> None:
    laid_out, judged = layout_of(rankings, split_blocks), judged_verticals(rankings)
    of_item = segment_of(laid_out.first)
    place = judged.place(laid_out.page, laid_out.label)[of_item]
    names = {name: i for i, name in enumerate(dict.fromkeys([*judged.media_names, *laid_out.media_names]))}
    theirs = np.array([names[name] for name in judged.media_names], dtype=np.int64)[judged.media]
    mine = np.array([names[name] for name in laid_out.media_names], dtype=np.int64)[laid_out.media]
    other = np.flatnonzero((place >= 0) & (mine != np.append(theirs, -1)[place]))
    if len(other):
        item = int(other[0])
        vertical = laid_out.vertical[of_item[item]]
        ideal = judged.media_names[judged.media[place[item]]]
        warnings.warn(
            f"{len(other)} items of the run have a media type other than that of their vertical on ideal pages: the first is "
            f"{laid_out.media_names[laid_out.media[item]]!r}, in the vertical {vertical!r}, whose items are {ideal!r} there, "
            "according to the qrels column 'media' or, without one, to its name.",
            DataWarning,
            stacklevel=2,
        )
