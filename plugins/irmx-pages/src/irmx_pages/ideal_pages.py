"""Ideal pages and their utility: the rules and limits of the paper's simulated perfect page, and the greedy page."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import DataError, DataWarning, Rankings
from irmx.ragged import Bools, Floats, Ints, offsets_of, position_in_run, position_in_segment, segment_of, segment_sum
from irmx_pages.judged_verticals import Grading, JudgedVerticals, judged_verticals, layout_of
from irmx_pages.page import OnPages, Pages, efforts, gain, utility, visual


@dataclass(frozen=True)
class Limits:
    """Limits of an ideal page.

    Attributes
    ----------
    web, verticals : int
        The maximum numbers of web blocks and of vertical blocks.
    items : int
        The maximum number of items in a vertical block.
    threshold : float
        The page shows verticals with an orientation above it.
    fill : bool
        Whether the page is filled up to the limits with non-relevant items.
    empty : bool
        Whether an oriented vertical without any item takes the place of another on the page ``"paper"``.

    The defaults are those of the paper's experiments.
    """

    web: int = 10
    verticals: int = 3
    items: int = 3
    threshold: float = 0.75
    fill: bool = True
    empty: bool = True


GREEDY_LIMITS = Limits(threshold=0.5, fill=False)
"""The default limits of the greedy page: only verticals that users prefer to the web, and only relevant items."""


@dataclass(frozen=True)
class IdealBlocks(OnPages):
    """The blocks of one ideal page per topic.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        The blocks of page p are ``offsets[p]:offsets[p + 1]``; a page may have none.
    place : int array, shape (blocks,)
        The index of each block's vertical among those judged.
    first : int array, shape (blocks,)
        The number of items of the vertical, the best first, that are on the page above the block.
    relevant, items : int array, shape (blocks,)
        The numbers of relevant items and of items.
    """

    place: Ints
    first: Ints
    relevant: Ints
    items: Ints


def most_oriented(topic: Ints, orientation: Floats, threshold: float, most: int | None = None) -> Ints:
    """Return the indices of verticals above a threshold, topic by topic, the most oriented first; ties in the order given.

    >>> most_oriented(np.array([0, 0, 0, 1]), np.array([0.8, 0.3, 0.9, 0.8]), threshold=0.75, most=1)
    array([2, 3])
    """
    above = np.flatnonzero(orientation > threshold)
    above = above[np.lexsort((-orientation[above], topic[above]))]
    return above if most is None else above[position_in_run(topic[above]) < most]


def perfect_order(page: Ints, orientation: Floats, relevant: Ints) -> Ints:
    """Return the order of the blocks of pages in the paper's perfect presentation; ties in the order given.

    Blocks with relevant items come before those without; within each group by orientation, which is 0.5 for general web.

    >>> perfect_order(np.zeros(4, dtype=int), np.array([0.5, 0.5, 0.9, 0.8]), np.array([0, 1, 0, 2]))
    array([3, 1, 2, 0])
    """
    return np.lexsort((-orientation, relevant == 0, page))


def ideal_blocks(judged: JudgedVerticals, ideal: str, limits: Limits) -> IdealBlocks:
    """Return the ideal page ``"paper"`` or ``"greedy"`` of every topic, the same for all pages of the topic.

    ``paper`` is the paper's normaliser, the page with perfect selection, perfect items and perfect presentation: the most
    oriented verticals, whatever their items, and web results, relevant items first in each. A vertical without any item takes the
    place of another, unless ``limits.empty`` is False. The rules are those of
    :func:`irmx_pages.simulate_pages`, which uses :func:`most_oriented` and :func:`perfect_order` as well.

    Of graded items, those of the best grades are shown, the best first.

    ``greedy`` shows first the verticals with an orientation above the threshold and relevant items, by orientation (ties by name),
    then web results. It does not maximise the utility, which is a ratio.
    """
    there = judged.relevant + judged.nonrelevant if limits.fill else judged.relevant
    may_be_shown = limits.empty | (there > 0) if ideal == "paper" else judged.relevant > 0
    candidates = np.flatnonzero(~judged.web & may_be_shown)
    topic, orientation = judged.topic[candidates], judged.orientation[candidates]
    verticals = candidates[most_oriented(topic, orientation, limits.threshold, limits.verticals)]
    verticals = verticals[there[verticals] > 0]
    web = np.flatnonzero(judged.web)
    shown = np.minimum(there[web], limits.web)
    of_web = np.repeat(web, shown)
    nth = position_in_segment(offsets_of(shown))
    place = np.concatenate([verticals, of_web])
    in_vertical = np.minimum(judged.relevant[verticals], limits.items)
    above = np.concatenate([np.zeros(len(verticals), dtype=np.int64), nth])
    relevant = np.concatenate([in_vertical, nth < judged.relevant[of_web]], dtype=np.int64)
    items = np.concatenate([np.minimum(there[verticals], limits.items), np.ones(len(of_web), dtype=np.int64)])
    page = judged.topic[place]
    by_topic = ideal == "greedy"
    order = np.argsort(page, kind="stable") if by_topic else perfect_order(page, judged.orientation[place], relevant)
    offsets = offsets_of(np.bincount(page, minlength=len(judged.topics)))
    return IdealBlocks(offsets, place[order], above[order], relevant[order], items[order])


def pages_of_blocks(
    blocks: IdealBlocks, judged: JudgedVerticals, table: Mapping[str, float], grading: Grading
) -> Pages:
    """Return ideal pages with the efforts of a table of media types, and the relevance of a grading.

    Effort and relevance are added up as those of pages are, to the last bit.
    """
    per_item, attracts = effort_of_verticals(judged, blocks.place, table)
    number = np.arange(len(blocks.place))
    of_item, of_relevant = np.repeat(number, blocks.items), np.repeat(number, blocks.relevant)
    start = offsets_of(judged.relevant)[blocks.place] + blocks.first
    shown = start[of_relevant] + position_in_segment(offsets_of(blocks.relevant))
    return Pages(
        blocks.offsets,
        np.array(judged.names, dtype=object)[judged.label[blocks.place]],
        judged.orientation[blocks.place],
        segment_sum(grading.relevance(judged.grades[shown]), of_relevant, len(number)),
        blocks.items,
        segment_sum(per_item[of_item], of_item, len(number)),
        attracts,
    )


def effort_of_verticals(judged: JudgedVerticals, place: Ints, table: Mapping[str, float]) -> tuple[Floats, Bools]:
    """Return the effort of an item of each vertical, and whether the vertical attracts attention."""
    used, number = np.unique(judged.media[place], return_inverse=True)
    names = [judged.media_names[i] for i in used.tolist()]

    def whose(media: int) -> str:
        first = place[np.argmax(number == media)]
        return f" of query {judged.topics[judged.topic[first]]} and the vertical {judged.names[judged.label[first]]!r} in the qrels"

    return efforts(names, table, whose)[number], visual(names)[number]


def ideal_utility(
    rankings: Rankings,
    cutoff: int | None,
    ideal: str,
    limits: Limits,
    table: Mapping[str, float],
    examination: Any,
    alpha: float,
    g: str,
    grading: Grading,
) -> Floats:
    """Return the utility of the ideal page ``"paper"`` or ``"greedy"`` of each topic at a cutoff; computed once per qrels.

    The utility of a page without blocks is 0.
    """

    def made() -> Floats:
        judged = judged_verticals(rankings)
        pages = pages_of_blocks(ideal_blocks(judged, ideal, limits), judged, table, grading)
        pages = pages if cutoff is None else pages.where(pages.position <= cutoff)
        there = pages.blocks > 0
        out = np.zeros(len(pages))
        some = pages.without_empty()
        of_blocks = gain(some, alpha, g)
        out[there] = utility(some, of_blocks, examination.probabilities(some, of_blocks))
        return out

    key = ("ideal utility", cutoff, ideal, limits, table, examination, alpha, g, grading)
    return rankings.qrels_memo(key, made)


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
    """Warn if items of pages have a media type other than that of their vertical on ideal pages."""
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
