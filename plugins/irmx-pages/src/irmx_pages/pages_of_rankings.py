"""From the rows of a run to pages: grouping items into blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from irmx import DataError, Rankings
from irmx.ragged import Bools, Floats, Ints, segment_of, segment_sum
from irmx_pages.judged_verticals import BLOCK, MEDIA, VERTICAL, JudgedVerticals, judged_verticals
from irmx_pages.page_arrays import DEFAULT, WEB, WEB_ORIENTATION, EffortTable, OnPages, Pages, efforts, media_of, visual


@dataclass(frozen=True)
class LaidOut(OnPages):
    """The blocks of the pages of a run, before efforts are known.

    Attributes
    ----------
    offsets : int array, shape (pages + 1,)
        The blocks of page p, which belongs to topic p, are ``offsets[p]:offsets[p + 1]``.
    first : int array, shape (blocks + 1,)
        The first item of every block, among all items of the run in reading order.
    label : int array, shape (blocks,)
        The number of each block's vertical in the judgments; -1 for general web without judgments.
    vertical : array of object, shape (blocks,)
        The name of each block's vertical.
    orientation, relevant : float array, shape (blocks,)
        orient(V|W,q), and the number of relevant items.
    media : int array, shape (items,)
        The number of each item's media type.
    media_names : list of str
        The media types by number.
    """

    first: Ints
    label: Ints
    vertical: Ints
    orientation: Floats
    relevant: Floats
    media: Ints
    media_names: list[str]


def pages_of(
    rankings: Rankings, effort: Mapping[str, float] = DEFAULT, cutoff: int | None = None, split_blocks: bool = False
) -> Pages:
    """Return the pages of a run, one per topic.

    Every general web result is a block, and so are the consecutive items of a vertical; the run column ``block`` overrides
    that.

    Parameters
    ----------
    rankings : irmx.Rankings
        A run with the column ``vertical`` and, optionally, ``media`` and ``block``, joined with qrels that have ``vertical`` and
        ``orientation``; items in reading order.
    effort : mapping of str to float
        The effort of an item by media type.
    cutoff : int, optional
        Number of blocks at the top of the page to keep.
    split_blocks : bool
        Whether items of one vertical in two places of a page are two blocks rather than an error.

    Raises
    ------
    irmx.DataError
        For an item without a vertical, a vertical that the judgments lack or that appears in two places, a block of two
        verticals, a media type without an effort, or any error in the judgments.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", "i2"], "score": [3.0, 2.0, 1.0],
    ...     "vertical": ["web", "image", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.75]})
    >>> pages = pages_of(irmx.rankings(qrels, run))
    >>> pages.vertical, pages.items, pages.effort, pages.relevant
    (array(['web', 'image'], dtype=object), array([1, 2]), array([3., 2.]), array([1., 1.]))
    """
    table = EffortTable(effort)

    def made() -> Pages:
        laid_out = layout_of(rankings, split_blocks)

        def whose(media: int) -> str:
            return f" of {_item(rankings, int(np.argmax(laid_out.media == media)))}"

        of_media = efforts(laid_out.media_names, table, whose)[laid_out.media]
        blocks, of_item = len(laid_out.label), segment_of(laid_out.first)
        attracts = segment_sum(visual(laid_out.media_names)[laid_out.media], of_item, blocks) > 0
        as_laid_out = (laid_out.offsets, laid_out.vertical, laid_out.orientation, laid_out.relevant)
        pages = Pages(*as_laid_out, np.diff(laid_out.first), segment_sum(of_media, of_item, blocks), attracts)
        return pages if cutoff is None else pages.where(pages.position <= cutoff)

    return rankings.memo(("pages", table, cutoff, split_blocks), made)


def layout_of(rankings: Rankings, split_blocks: bool) -> LaidOut:
    """Return the blocks of the pages of a run, computed once."""
    return rankings.memo(("blocks", split_blocks), lambda: _laid_out(rankings, split_blocks))


def _laid_out(rankings: Rankings, split_blocks: bool) -> LaidOut:
    documents = rankings.ranked
    judged = judged_verticals(rankings)
    number, names = _verticals(rankings)
    of_web = np.array([name == WEB for name in names], dtype=bool)
    start, explicit = _starts(rankings, number, names, of_web[number])
    first = np.append(np.flatnonzero(start), len(start))
    at = first[:-1]
    topic, vertical = documents.topic[at], number[at]
    offsets = np.searchsorted(topic, np.arange(len(rankings) + 1))
    if not explicit and not split_blocks:
        _refuse_repeated(rankings, topic, vertical, names, at)
    known = {name: i for i, name in enumerate(judged.names)}
    label = np.array([known.get(name, -1) for name in names], dtype=np.int64)
    web, place = of_web[vertical], judged.place(topic, label[vertical])
    _refuse_unknown(rankings, place < 0, web, at, names, number)
    _refuse_moved(rankings, number, names, label, judged)
    orientation = np.where(web, WEB_ORIENTATION, np.append(judged.orientation, np.nan)[place])
    relevant = np.add.reduceat(documents.grade >= rankings.rel, at, dtype=np.float64) if len(at) else np.zeros(0)
    media, media_names = _media_of_items(rankings, number, names)
    of_block = (label[vertical], np.array(names, dtype=object)[vertical], orientation, relevant)
    return LaidOut(offsets, first, *of_block, media, media_names)


def _verticals(rankings: Rankings) -> tuple[Ints, list[str]]:
    """Return the number of the vertical of every item, and the verticals."""
    number, names = rankings.ranked.labels(VERTICAL, missing_ok=True)
    for item in np.flatnonzero(number < 0)[:1].tolist():
        raise DataError(
            f"the run column 'vertical' has no value for {_item(rankings, item)}. Every item has a vertical; general web is "
            f"{WEB!r}."
        )
    return number, [str(name) for name in names]


def _starts(rankings: Rankings, number: Ints, names: list[str], web: Bools) -> tuple[Ints, bool]:
    """Return whether a block starts at each item, and whether the column ``block`` decides this."""
    documents = rankings.ranked
    new_topic = _changes(documents.topic)
    if not documents.has(BLOCK):
        return new_topic | web | _changes(number), False
    block, labels = documents.labels(BLOCK, missing_ok=True)
    for item in np.flatnonzero(block < 0)[:1].tolist():
        raise DataError(
            f"the run column 'block' has no value for {_item(rankings, item)}. Give every item its block, or leave the column out."
        )
    start = new_topic | _changes(block)
    for item in np.flatnonzero(~start & _changes(number))[:1].tolist():
        raise DataError(
            f"the block {labels[block[item]]!r} has items of two verticals, {names[number[item - 1]]!r} and "
            f"{names[number[item]]!r}, at {_item(rankings, item)}. A block has one vertical."
        )
    at = np.flatnonzero(start)
    again = _second(documents.topic[at] * np.int64(max(len(labels), 1)) + block[at])
    for item in at[again][:1].tolist():
        raise DataError(
            f"the block {labels[block[item]]!r} continues at {_item(rankings, item)}, after another block. The items of a block "
            "must be consecutive."
        )
    return start, True


def _media_of_items(rankings: Rankings, number: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """Return the number of the media type of every item, and the media types."""
    by_name = [media_of(name) for name in names]
    of_item, given = rankings.ranked.labels(MEDIA, missing_ok=True)
    of_vertical = np.arange(len(given), len(given) + len(names))
    out = np.where(of_item >= 0, of_item, of_vertical[number])
    used, out = np.unique(out, return_inverse=True)
    every = [*map(str, given), *by_name]
    return out, [every[i] for i in used.tolist()]


def _changes(values: Ints) -> Ints:
    """Tell which values differ from the previous one."""
    out = np.ones(len(values), dtype=bool)
    out[1:] = values[1:] != values[:-1]
    return out


def _second(key: Ints) -> Ints:
    """Tell which values have occurred before."""
    out = np.ones(len(key), dtype=bool)
    out[np.unique(key, return_index=True)[1]] = False
    return out


def _refuse_repeated(rankings: Rankings, topic: Ints, vertical: Ints, names: list[str], at: Ints) -> None:
    """Raise if a vertical, other than the web, has two blocks on a page."""
    web = np.array([name == WEB for name in names], dtype=bool)[vertical]
    key = np.where(web, -1 - np.arange(len(topic)), topic * np.int64(max(len(names), 1)) + vertical)
    for block in np.flatnonzero(_second(key))[:1].tolist():
        earlier = int(np.flatnonzero(key == key[block])[0])
        raise DataError(
            f"the vertical {names[vertical[block]]!r} has a second block at {_item(rankings, int(at[block]))}; the first is at "
            f"{_item(rankings, int(at[earlier]))}. A page has one block per vertical. Put its items together, allow two blocks "
            "with split_blocks=True, or name the blocks in a run column 'block'."
        )


def _refuse_unknown(rankings: Rankings, lacking: Bools, web: Bools, at: Ints, names: list[str], number: Ints) -> None:
    """Raise if the judgments do not have a block's vertical."""
    for block in np.flatnonzero(lacking & ~web)[:1].tolist():
        item = int(at[block])
        raise DataError(
            f"the judgments do not have the vertical {names[number[item]]!r} of {_item(rankings, item)} for this topic, so its "
            "orientation is unknown. Add a qrels row with the vertical and its orientation; its doc_id may be empty. General "
            f"web is {WEB!r}."
        )


def _refuse_moved(rankings: Rankings, number: Ints, names: list[str], label: Ints, judged: JudgedVerticals) -> None:
    """Raise if a judged item is in a vertical other than the one it was judged in."""
    doc = rankings.ranked.doc
    known = np.flatnonzero(doc >= 0)
    moved = known[~judged.holds(doc[known], label[number[known]])]
    for item in moved[:1].tolist():
        there = [
            judged.names[p % len(judged.names)] for p in judged.pair.tolist() if p // len(judged.names) == doc[item]
        ]
        place = rankings.qrels_rows.place(np.flatnonzero(rankings.qrels_rows.doc == doc[item]).tolist())
        raise DataError(
            f"the vertical of {_item(rankings, item)} is {names[number[item]]!r} in the run, but {' and '.join(map(repr, there))} "
            f"in the qrels{f' ({place})' if place else ''}. Give it the same in both."
        )


def _item(rankings: Rankings, item: int) -> str:
    """Return the name of an item of a page in messages."""
    ranked = rankings.ranked
    return f"query {rankings.topics[ranked.topic[item]]}, item {ranked.doc_ids[item]!r} at rank {ranked.rank[item]}"


@dataclass(frozen=True)
class ShownBlocks:
    """The blocks of pages as verticals of the judgments.

    Attributes
    ----------
    page, position, label : int array, shape (blocks,)
        The page of each block, its position there from 1, and the number of its vertical in the judgments, -1 for none.
    relevant : float array, shape (blocks,)
        The number of relevant items.
    """

    page: Ints
    position: Ints
    label: Ints
    relevant: Floats


def shown_blocks(rankings: Rankings, cutoff: int | None, split_blocks: bool) -> ShownBlocks:
    """Return the blocks of the pages of a run, up to a cutoff in blocks."""
    laid_out = layout_of(rankings, split_blocks)
    keep = laid_out.top(cutoff)
    return ShownBlocks(laid_out.page[keep], laid_out.position[keep], laid_out.label[keep], laid_out.relevant[keep])
