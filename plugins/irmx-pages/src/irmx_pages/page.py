"""One result page: the blocks from top to bottom, and their items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from irmx import DataError, Param, UsageError, number
from irmx.ragged import Array, Bools, Floats, Ints, offsets_of, position_in_segment, segment_of, segment_sum, short_repr
from irmx.toolkit import list_some, value_repr

# -- aggregated search pages as arrays -------------------------------------------------------------------------------


WEB = "web"
"""The label of general web results."""

WEB_ORIENTATION = 0.5
"""orient(Web): a vertical that users prefer to the web half of the time is as good as the web."""


@dataclass(frozen=True)
class OnPages:
    """Blocks of pages: those of page p are ``offsets[p]:offsets[p + 1]``, from top to bottom."""

    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def page(self) -> Ints:
        """The number of each block's page."""
        return segment_of(self.offsets)

    @cached_property
    def position(self) -> Ints:
        """The position of each block on its page, from 1."""
        return position_in_segment(self.offsets) + 1

    @property
    def blocks(self) -> Ints:
        """The number of blocks of every page."""
        return np.diff(self.offsets)

    def top(self, cutoff: int | None) -> Ints:
        """Return the indices of the blocks down to a position."""
        return np.flatnonzero(self.position <= (np.inf if cutoff is None else cutoff))


@dataclass(frozen=True)
class Pages(OnPages):
    """The blocks of pages, as ragged arrays; within a page from top to bottom.

    A block is one general web result, or consecutive items of one vertical.

    Attributes
    ----------
    offsets : int array, shape (pages + 1,)
        The blocks of page p are ``offsets[p]:offsets[p + 1]``.
    vertical : array of object, shape (blocks,)
        The label of each block's vertical; general web is ``web``.
    orientation : float array, shape (blocks,)
        orient(V|W,q) in [0, 1]: the probability that users prefer the vertical to the web for the topic; 0.5 for the web.
    relevant : float array, shape (blocks,)
        The number of relevant items, or the sum of the items' graded relevance, each in [0, 1].
    items : int array, shape (blocks,)
        The number of items, at least 1.
    effort : float array, shape (blocks,)
        E(B), the effort of examining the block: the sum over its items.
    visual : bool array, shape (blocks,)
        Whether the block contains an image or a video, which attracts attention.

    Examples
    --------
    >>> import numpy as np
    >>> pages = Pages(np.array([0, 2]), np.array(["web", "image"], dtype=object), np.array([0.5, 0.75]),
    ...     np.array([1.0, 2.0]), np.array([1, 3]), np.array([3.0, 3.0]), np.array([False, True]))
    >>> len(pages), pages.page, pages.position
    (1, array([0, 0]), array([1, 2]))
    """

    vertical: Array
    orientation: Floats
    relevant: Floats
    items: Ints
    effort: Floats
    visual: Bools

    __repr__ = short_repr

    def where(self, keep: Bools) -> Pages:
        """Return the pages with only the blocks for which ``keep`` is true."""
        offsets = offsets_of(np.bincount(self.page[keep], minlength=len(self)))
        names = ("vertical", "orientation", "relevant", "items", "effort", "visual")
        return Pages(offsets, *(getattr(self, name)[keep] for name in names))

    def without_empty(self) -> Pages:
        """Return the pages that have blocks."""
        return replace(self, offsets=offsets_of(self.blocks[self.blocks > 0]))


def utility(pages: Pages, gain: Floats, probabilities: Floats) -> Floats:
    """Return Util(P) = sum_i Exam(B_i) G(B_i) / sum_i Exam(B_i) E(B_i) of every page.

    Parameters
    ----------
    pages : Pages
        The pages.
    gain : float array, shape (blocks,)
        G(B), such as the result of :func:`irmx_pages.gain`.
    probabilities : float array, shape (blocks,)
        Exam(B), according to an examination model.

    Returns
    -------
    float array, shape (pages,)
        Gain per unit of ``pages.effort``.

    Raises
    ------
    irmx.DataError
        If a page has no blocks, or its expected effort is 0.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import numpy as np
    >>> pages = Pages(np.array([0, 2]), np.array(["web", "image"], dtype=object), np.array([0.5, 0.75]),
    ...     np.array([1.0, 2.0]), np.array([1, 3]), np.array([3.0, 3.0]), np.array([False, True]))
    >>> utility(pages, np.array([0.5, 1.5]), np.array([1.0, 0.5]))
    array([0.27777778])
    """
    for page in np.flatnonzero(pages.blocks == 0)[:1].tolist():
        raise DataError(f"page {page} (counted from 0) has no blocks; a page without blocks has no utility.")
    gained = segment_sum(probabilities * gain, pages.page, len(pages))
    spent = segment_sum(probabilities * pages.effort, pages.page, len(pages))
    for page in np.flatnonzero(~(spent > 0))[:1].tolist():
        raise DataError(
            f"the expected effort on page {page} (counted from 0) is {spent[page]:g}: none of its blocks is examined, or "
            "none requires effort. Efforts must be positive, and one block must have a positive probability."
        )
    return np.asarray(gained / spent)


READINGS = ("steep", "literal")
"""The readings of the steepness of g, k = 1/log10(alpha) and k = log10(alpha)."""


def check_steepness(alpha: float, g: str) -> None:
    """Raise if alpha does not define the exponent k of the gain by orientation, or the reading is unknown."""
    if g not in READINGS:
        raise UsageError(f"There is no reading {g!r} of g. Known: {', '.join(READINGS)}.")
    if not alpha >= 1:
        raise UsageError(
            f"The steepness alpha must be 1 or more: below 1 an item that no user wants would gain more than one that all users "
            f"want. Got {alpha!r}."
        )
    if alpha == 1 and g == "steep":
        raise UsageError(
            "With alpha = 1, the exponent 1/log10(alpha) of the gain by orientation is infinite. Begin a grid at 1.01, or take "
            "g='literal', where it is log10(alpha), 0: every relevant item gains 0.5."
        )


def orientation_gain(x: Any, alpha: float = 10, g: str = "steep") -> Floats:
    """Return g(x) = 1 / (1 + ((1 - x)/x)^k), the gain of one relevant item of a vertical.

    g(0.5) = 0.5 and g(x) + g(1 - x) = 1 for any alpha. With alpha = 10 both readings are the identity.

    Parameters
    ----------
    x : float array
        Orientations, in [0, 1].
    alpha : float
        The steepness, above 1; 1 with ``g="literal"``.
    g : {"steep", "literal"}
        ``steep``: k = 1/log10(alpha), so that a smaller alpha is steeper, as in the paper's text. ``literal``: k =
        log10(alpha), so that a larger alpha is steeper.

    Raises
    ------
    irmx.UsageError
        If alpha does not define k, or the reading is unknown.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> orientation_gain([0, 0.25, 0.5, 0.75, 1], alpha=2).round(6)
    array([0.      , 0.025345, 0.5     , 0.974655, 1.      ])
    >>> orientation_gain([0.75], alpha=7).round(6), orientation_gain([0.75], alpha=7, g="literal").round(6)
    (array([0.785832]), array([0.716758]))
    """
    check_steepness(alpha, g)
    k = 1 / np.log10(alpha) if g == "steep" else np.log10(alpha)
    x = np.asarray(x, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(1 / (1 + ((1 - x) / x) ** k))


def gain(pages: Pages, alpha: float = 10, g: str = "steep") -> Floats:
    """Return G(B) = g(orient(V|W,q), alpha) * (relevance of the items of B) of every block.

    Parameters
    ----------
    pages : Pages
        The pages.
    alpha, g
        As in :func:`orientation_gain`.

    Returns
    -------
    float array, shape (blocks,)
        In [0, relevant items].

    Examples
    --------
    >>> import numpy as np
    >>> from irmx_pages import Pages
    >>> gain(Pages(np.array([0, 2]), np.array(["web", "image"], dtype=object), np.array([0.5, 0.75]),
    ...     np.array([1.0, 2.0]), np.array([1, 3]), np.array([3.0, 3.0]), np.array([False, True])))
    array([0.5, 1.5])
    """
    return orientation_gain(pages.orientation, alpha, g) * pages.relevant


IMAGE, TEXT, VIDEO = "image", "text", "video"
VISUAL = (IMAGE, VIDEO)
"""The media types that attract attention."""

_NAMED = {IMAGE: {"image", "images", "photo", "photos", "picture", "pictures"}, VIDEO: {"video", "videos"}}


class EffortTable(dict[str, float]):
    """Efforts by media type; the string form is that used in measure expressions.

    >>> EffortTable(text=3, image=1)
    {'image':1,'text':3}
    """

    def __init__(self, *given: Any, **named: float) -> None:
        super().__init__(sorted(dict(*given, **named).items()))

    def __repr__(self) -> str:
        return "{" + ",".join(f"{name!r}:{effort!r}" for name, effort in self.items()) + "}"

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(repr(self))


DEFAULT = EffortTable(image=1, text=3, video=6)
"""The paper's efforts: examining an image takes 2.34 s, a text 7.02 s, a video 14 s."""


class MediaParam(Param):
    """A parameter of positive numbers by media type; with the default None it may be None."""

    def __init__(self, about: str, example: EffortTable, default: EffortTable | None = None) -> None:
        super().__init__(dict, about, default=default, nullable=default is None)
        self.example = example

    def expects(self) -> str:
        """Return a description of the allowed values."""
        return f"positive numbers by media type, such as {self.example}{' or None' if self.nullable else ''}"

    def check(self, value: Any, name: str, owner: str) -> EffortTable | None:
        """Return the table, its media types in order."""
        if value is None and self.nullable:
            return None
        try:
            if isinstance(value, Mapping) and value and all(isinstance(k, str) and k for k in value):
                positive = Param(number, "", above=0)
                return EffortTable({k: positive.check(v, name, owner) for k, v in value.items()})
        except UsageError:
            pass
        raise UsageError(
            f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead."
        )


def media_of(vertical: str) -> str:
    """Return the media type of a vertical's items according to its name: ``image``, ``video``, else ``text``.

    The name must contain one of the words image, photo, picture or video, in singular or plural.

    >>> [media_of(name) for name in ("image", "Photo/Pictures", "online-videos", "news", "web")]
    ['image', 'image', 'video', 'text', 'text']
    """
    words = set(re.findall(r"[^\W\d_]+", vertical.casefold()))
    return next((media for media, names in _NAMED.items() if words & names), TEXT)


def efforts(
    media: Sequence[str], table: Mapping[str, float] = DEFAULT, whose: Callable[[int], str] = lambda _: ""
) -> Floats:
    """Return the effort of one item of every media type; ``whose`` tells messages where the i-th type comes from.

    Raises
    ------
    irmx.DataError
        If the table lacks a media type.

    Examples
    --------
    >>> efforts(["video", "text"])
    array([6., 3.])
    """
    for i, unknown in [(i, name) for i, name in enumerate(media) if name not in table][:1]:
        raise DataError(
            f"there is no effort for the media type {unknown!r}{whose(i)}. The table has {', '.join(table)}. Set one with the parameter "
            f"effort, such as effort={EffortTable({**table, unknown: 3})}, or use one of these in the column media."
        )
    return np.array([table[name] for name in media], dtype=np.float64)


def visual(media: Sequence[str]) -> Bools:
    """Tell which media types attract attention.

    >>> visual(["video", "text"])
    array([ True, False])
    """
    return np.array([name in VISUAL for name in media], dtype=bool)


def blocks_to_nearest(marked: Bools, offsets: Ints) -> Ints:
    """Return the distance of every value to the nearest marked one of its segment, -1 where the segment has none.

    >>> blocks_to_nearest(np.array([False, False, True, False, False]), np.array([0, 4, 5]))
    array([ 2,  1,  0,  1, -1])
    """
    count = len(marked)
    index = np.arange(count)
    lengths = np.diff(offsets)
    start, end = np.repeat(offsets[:-1], lengths), np.repeat(offsets[1:], lengths)
    before = np.maximum.accumulate(np.where(marked, index, -1))
    after = np.minimum.accumulate(np.where(marked, index, count)[::-1])[::-1]
    above = np.where(before >= start, index - before, count)
    below = np.where(after < end, after - index, count)
    nearest = np.minimum(above, below)
    return np.where(nearest < count, nearest, -1)


def attention(position: Ints, visual: Bools, offsets: Ints, beta: float, phi: float | None = None) -> Floats:
    """Return phi + (1 - phi) beta^dist of every block, where dist is the distance to the nearest visual block.

    Without a constant phi, phi is 1/log2(position + 1).

    >>> attention(np.array([1, 2, 3]), np.array([False, False, True]), np.array([0, 3]), 0.5)
    array([1.        , 0.81546488, 1.        ])
    """
    by_position = 1 / np.log2(position + 1) if phi is None else np.full(len(position), phi)
    distance = blocks_to_nearest(visual, offsets)
    near = np.where(distance >= 0, beta ** np.maximum(distance, 0.0), 0.0)
    return np.asarray(by_position + (1 - by_position) * near)


# -- one result page: the blocks from top to bottom, and their items -------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A general web result, or the items of one vertical.

    Attributes
    ----------
    vertical : str
        The vertical that the items come from; ``web`` is general web.
    media : str
        The media type of the items, such as ``text``, ``image`` or ``video``; if empty, derived from the vertical's name.
    items : tuple of str
        The ids of the documents, in reading order.
    lengths : tuple of float
        The length of each item as shown, above 0, such as the number of words of a snippet; empty if unknown.

    Raises
    ------
    irmx.DataError
        Without a vertical or without items, or if the lengths are not one positive number per item.
    """

    vertical: str
    media: str
    items: tuple[str, ...]
    lengths: tuple[float, ...] = ()

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if not self.vertical:
            raise DataError(
                f"The block with {list_some(map(repr, self.items)) or 'no item'} has no vertical. General web is {WEB!r}."
            )
        if not self.items:
            raise DataError(f"A block of the vertical {self.vertical!r} has no items. Leave it out.")
        if self.lengths and (len(self.lengths) != len(self.items) or not all(0 < x < np.inf for x in self.lengths)):
            raise DataError(
                f"A block of the vertical {self.vertical!r} has {len(self.items)} items and the lengths {list(self.lengths)}. "
                "Give every item of the block a length above 0, or none."
            )


@dataclass(frozen=True)
class Page:
    """A page that a system made for a topic.

    Attributes
    ----------
    query_id, page_id : str
        The topic, and an id of the page, unique within the topic. Pages of several topics with the same ``page_id`` are
        taken to come from one system, and form a run.
    blocks : tuple of Block
        From top to bottom.

    Raises
    ------
    irmx.DataError
        Without a block, or with a repeated item.

    Examples
    --------
    >>> page = Page("q", "p", (Block("image", "image", ("i1", "i2")), Block("web", "text", ("w1",))))
    >>> page.items, page.verticals
    (('i1', 'i2', 'w1'), ('image',))
    """

    query_id: str
    page_id: str
    blocks: tuple[Block, ...]

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if not self.query_id or not self.page_id:
            raise DataError(f"A page needs a query_id and a page_id. Got {self.query_id!r} and {self.page_id!r}.")
        if not self.blocks:
            raise DataError(f"{self.name} has no blocks.")
        items = self.items
        if len(set(items)) < len(items):
            twice, _ = Counter(items).most_common(1)[0]
            raise DataError(f"{self.name} has the item {twice!r} twice.")
        for text in (self.query_id, self.page_id, *(t for b in self.blocks for t in (b.vertical, b.media)), *items):
            try:
                text.encode()  # JSON can also escape half of a character
            except UnicodeEncodeError:
                says = f"{self.name} has the text {text!r}, in which a character is half of a surrogate pair."
                raise DataError(says) from None

    @property
    def name(self) -> str:
        """The name of the page in messages."""
        return f"Page {self.page_id!r} of topic {self.query_id!r}"

    @property
    def items(self) -> tuple[str, ...]:
        """All items in reading order."""
        return tuple(item for block in self.blocks for item in block.items)

    @property
    def verticals(self) -> tuple[str, ...]:
        """The verticals of its blocks, each once, from top to bottom, without general web."""
        return tuple(dict.fromkeys(b.vertical for b in self.blocks if b.vertical != WEB))


def is_page_line(start: bytes) -> bool:
    """Tell whether a file begins as a page does.

    >>> is_page_line(b'{"query_id": "q", "page_id": "p", "blocks": []}'), is_page_line(b'{"query_id": "q", "doc_id": 1}')
    (True, False)
    """
    first = start.lstrip().split(b"\n", 1)[0]
    return first.startswith(b"{") and bool(re.search(rb'"blocks"\s*:', first))
