"""One result page: the blocks from top to bottom, and their items."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from irmx import DataError
from irmx.ragged import short_repr
from irmx.toolkit import list_some
from irmx_pages.page_arrays import WEB


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

    Raises
    ------
    irmx.DataError
        Without a vertical or without items.
    """

    vertical: str
    media: str
    items: tuple[str, ...]

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if not self.vertical:
            raise DataError(
                f"The block with {list_some(map(repr, self.items)) or 'no item'} has no vertical. General web is {WEB!r}."
            )
        if not self.items:
            raise DataError(f"A block of the vertical {self.vertical!r} has no items. Leave it out.")


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


def is_page_table(start: bytes) -> bool:
    """Tell whether a file begins as a table of pages does: with their columns, and without scores, which a run has.

    >>> [is_page_table(s) for s in (b"query_id,page_id,doc_id,vertical", b"query_id,doc_id,score,vertical,page_id")]
    [True, False]
    >>> is_page_table(b'{"query_id": "q", "page_id": "p", "doc_id": "d", "vertical": "web"}')
    True
    """
    first = start.lstrip().split(b"\n", 1)[0]
    names = {name.strip(b'{" \r') for name in re.split(rb"[:,\t]", first)}
    return {b"page_id", b"vertical"} <= names and b"score" not in names
