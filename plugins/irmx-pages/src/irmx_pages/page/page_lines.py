"""Pages as JSON Lines: one page per line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from irmx import DataError, read_table
from irmx.toolkit import new_file
from irmx_pages.page.page import Block, Page
from irmx_pages.page.page_arrays import WEB

_FORM = (
    'A page is {"query_id": ..., "page_id": ..., "blocks": [{"vertical": ..., "media": ..., "items": [...]}, ...]}; '
    "media is optional"
)
_ONCE = "A page has one block per vertical: put the items together, or write the page as a table with a column 'block'."


def write_pages(path: str | os.PathLike[str], pages: Iterable[Page]) -> None:
    """Write pages, one JSON object per line.

    Parameters
    ----------
    path : str or Path
        The file.
    pages : iterable of Page
        The pages, in the order of the file.

    Raises
    ------
    irmx.DataError
        If a page has two blocks of one vertical, which only a table with a column ``block`` can represent, or if the file
        cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from irmx_pages import Block, Page, read_pages
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pages.jsonl")
    >>> write_pages(path, [Page("q", "p", (Block("web", "text", ("w1",)), Block("video", "video", ("v1", "v2"))))])
    >>> print(path.read_text(), end="")
    {"query_id": "q", "page_id": "p", "blocks": [{"vertical": "web", "media": "text", "items": ["w1"]},
     {"vertical": "video", "media": "video", "items": ["v1", "v2"]}]}
    >>> read_pages(path)[0].items
    ('w1', 'v1', 'v2')
    """
    lines = [json.dumps(_record(page), ensure_ascii=False) + "\n" for page in pages]
    with new_file(path) as file:
        file.write("".join(lines).encode())


def _record(page: Page) -> dict[str, Any]:
    _refuse_repeated(page)
    blocks = [
        {"vertical": b.vertical, **({"media": b.media} if b.media else {}), "items": list(b.items)} for b in page.blocks
    ]
    return {"query_id": page.query_id, "page_id": page.page_id, "blocks": blocks}


def _refuse_repeated(page: Page) -> None:
    """Raise if a vertical, other than the web, has two blocks."""
    first: dict[str, int] = {}
    for number, block in enumerate(page.blocks, start=1):
        before = first.setdefault(block.vertical, number)
        if before != number and block.vertical != WEB:
            raise DataError(
                f"{page.name}: block {number} repeats the vertical {block.vertical!r} of block {before}. {_ONCE}"
            )


def pages_of_lines(path: Path, content: bytes) -> list[Page]:
    """Return the pages of a file.

    Raises
    ------
    irmx.DataError
        If a line is not a page, or a page, or a vertical on a page, is repeated; names the line.
    """
    table = read_table(path, {"query_id": str, "page_id": str, "blocks": object}, "pages", content=content)
    pages: list[Page] = []
    seen: dict[tuple[str, str], int] = {}
    for row, record in enumerate(zip(table["query_id"], table["page_id"], table["blocks"], strict=True)):
        try:
            page = _page(*record)
        except DataError as error:
            table.refuse(row, str(error))
        first = seen.setdefault((page.query_id, page.page_id), row)
        if first != row:
            table.refuse([first, row], f"{page.name} appears twice.")
        pages.append(page)
    return pages


def _page(query_id: str, page_id: str, blocks: Any) -> Page:
    if not isinstance(blocks, list):
        raise DataError(f"The page has no list of blocks. {_FORM}.")
    try:
        page = Page(query_id, page_id, tuple(_block(number, b) for number, b in enumerate(blocks, start=1)))
        _refuse_repeated(page)
        return page
    except DataError as error:
        name = f"Page {page_id!r} of topic {query_id!r}"
        raise (error if str(error).startswith(name) else error.at(name)) from None


def _is_id(value: Any) -> bool:
    """Tell whether a value is a non-empty string or an integer."""
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def _block(number: int, found: Any) -> Block:
    if not isinstance(found, dict):
        raise DataError(f"Block {number} is not a JSON object. {_FORM}.")
    vertical, media, items = found.get("vertical"), found.get("media") or "", found.get("items")
    if not isinstance(vertical, str) or not isinstance(media, str):
        raise DataError(
            f"Block {number} has the vertical {vertical!r} and the media {media!r}; both must be strings. {_FORM}."
        )
    if not isinstance(items, list) or not all(map(_is_id, items)):
        raise DataError(f"Block {number} has the items {items!r}; items must be a list of document ids. {_FORM}.")
    try:
        return Block(vertical, media, tuple(map(str, items)))
    except DataError as error:
        raise error.at(f"block {number}") from None
