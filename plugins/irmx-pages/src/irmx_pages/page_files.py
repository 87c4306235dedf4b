"""Files of pages, read from any source and written."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from irmx import DataError, Param, Table, read_table
from irmx.toolkit import content_of, new_file
from irmx_pages.page import WEB, Block, Page, is_page_line

_COLUMNS: dict[str, Param | type] = {
    "query_id": str,
    "page_id": str,
    "doc_id": str,
    "vertical": str,
    "media": Param(str, "the media type of the block", default="", nullable=True),
    "block": Param(str, "label of the block on the page"),
    "length": Param(float, "the length of the item as shown", unit="words", above=0, nullable=True),
}


def read_pages(source: Any) -> list[Page]:
    """Return pages, checked.

    Parameters
    ----------
    source : str, Path, DataFrame or iterable of Page
        A file of pages as JSON Lines (see :func:`write_pages`); or a table, also as a .csv, .tsv, .jsonl or .parquet file,
        with one row per item in reading order and the columns ``query_id``, ``page_id``, ``doc_id``, ``vertical`` and,
        optionally, ``media``, ``block`` and ``length``. Without ``block`` each item of the vertical ``web`` is a block, and so are the
        consecutive items of any other vertical.

    Returns
    -------
    list of Page
        In the order of the source.

    Raises
    ------
    irmx.DataError
        If it cannot be read, a page is repeated or has no blocks, an item has no vertical or is repeated on a page, a
        vertical is repeated on a page without a ``block`` column (JSON Lines of pages have none), or a block has items of two
        verticals or media types; names the file and the line.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("q", "p", "w1", "web"), ("q", "p", "n1", "news"), ("q", "p", "n2", "news"), ("q", "p2", "w1", "web")]
    >>> [page, other] = read_pages(pd.DataFrame(rows, columns=["query_id", "page_id", "doc_id", "vertical"]))
    >>> [block.items for block in page.blocks], other.page_id
    ([('w1',), ('n1', 'n2')], 'p2')
    """
    if isinstance(source, (str, os.PathLike)):
        return pages_of_content(Path(source), content_of(source, "pages"))
    if isinstance(source, Page):
        return [source]
    if not hasattr(source, "itertuples") and isinstance(source, Iterable):
        return _distinct(list(source))
    return _pages_of_rows(read_table(source, _COLUMNS, "pages"))


def pages_of_content(path: Path, content: bytes) -> list[Page]:
    """Return the pages of a file from its decompressed content; raises like :func:`read_pages`."""
    if not is_page_line(content[:4096]):
        return _pages_of_rows(read_table(path, _COLUMNS, "pages", content=content))
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


def _distinct(pages: list[Any]) -> list[Page]:
    seen: set[tuple[str, str]] = set()
    for page in pages:
        if not isinstance(page, Page):
            raise DataError(f"Pages must be Page objects, a DataFrame or a path. Got {type(page).__name__}.")
        if (page.query_id, page.page_id) in seen:
            raise DataError(f"{page.name} appears twice.")
        seen.add((page.query_id, page.page_id))
    if not pages:
        raise DataError("There are no pages.")
    return pages


def _pages_of_rows(rows: Table) -> list[Page]:
    """Return the pages of a table with one row per item."""
    of_page: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(zip(rows["query_id"], rows["page_id"], strict=True)):
        of_page.setdefault(key, []).append(row)
    pages = []
    for (query_id, page_id), mine in of_page.items():
        try:
            pages.append(Page(query_id, page_id, _blocks(rows, mine)))
        except DataError as error:
            raise error if error.rows else error.at(rows.place(mine[0])) from None
    return pages


def _blocks(rows: Table, mine: list[int]) -> tuple[Block, ...]:
    """Return the blocks of the rows of one page."""
    items, verticals, media = (rows[name] for name in ("doc_id", "vertical", "media"))
    explicit = "block" in rows
    names = rows["block"] if explicit else verticals
    runs: list[list[int]] = []
    seen: set[str] = set()
    for row in mine:
        label = names[row]
        if runs and (explicit or label != WEB) and label == names[runs[-1][-1]]:
            runs[-1].append(row)
            continue
        if label in seen and (explicit or label != WEB):
            what = "block" if explicit else "vertical"
            advice = "Its items must be consecutive." if explicit else "Distinguish the blocks in a column 'block'."
            rows.refuse(row, f"the {what} {label!r} appears twice on its page. {advice}")
        seen.add(label)
        runs.append([row])
    for run in runs:
        for name, values in (("vertical", verticals), ("media", media)):
            other = next((row for row in run if values[row] != values[run[0]]), None)
            if other is not None:
                rows.refuse(
                    other,
                    f"a block has the {name} {values[run[0]]!r} and {values[other]!r}, but can have only one; distinguish the blocks "
                    "in a column 'block'.",
                )
    return tuple(Block(verticals[r[0]], media[r[0]], tuple(items[row] for row in r), _lengths(rows, r)) for r in runs)


def _lengths(rows: Table, run: list[int]) -> tuple[float, ...]:
    """Return the lengths of the items of a block; none if no item has one."""
    if "length" not in rows:
        return ()
    lengths = [float(rows["length"][row]) for row in run]
    lacking = [row for row, length in zip(run, lengths, strict=True) if math.isnan(length)]
    if lacking and len(lacking) < len(run):
        rows.refuse(
            lacking, "the length is missing, but other items of the block have one. Give all of them a length, or none."
        )
    return () if lacking else tuple(lengths)


_FORM = (
    'A page is {"query_id": ..., "page_id": ..., "blocks": [{"vertical": ..., "media": ..., "items": [...], "lengths": [...]}, ...]}; '
    "media and lengths are optional"
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
        {
            "vertical": b.vertical,
            **({"media": b.media} if b.media else {}),
            "items": list(b.items),
            **({"lengths": list(b.lengths)} if b.lengths else {}),
        }
        for b in page.blocks
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


def _page(query_id: str, page_id: str, blocks: Any) -> Page:
    if not isinstance(blocks, list):
        raise DataError(f"The page has no list of blocks. {_FORM}.")
    name = f"Page {page_id!r} of topic {query_id!r}"
    page = Page(query_id, page_id, tuple(_block(name, number, found) for number, found in enumerate(blocks, start=1)))
    _refuse_repeated(page)
    return page


def _is_id(value: Any) -> bool:
    """Tell whether a value is a non-empty string or an integer."""
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def _block(page: str, number: int, found: Any) -> Block:
    if not isinstance(found, dict):
        raise DataError(f"{page}: Block {number} is not a JSON object. {_FORM}.")
    vertical, media, items = found.get("vertical"), found.get("media") or "", found.get("items")
    lengths = found.get("lengths") or []
    wrong = ""
    if not isinstance(vertical, str) or not isinstance(media, str):
        wrong = f"the vertical {vertical!r} and the media {media!r}; both must be strings"
    elif not isinstance(items, list) or not all(map(_is_id, items)):
        wrong = f"the items {items!r}; items must be a list of document ids"
    elif not isinstance(lengths, list) or not all(type(x) in (int, float) and 0 < x < 1e300 for x in lengths):
        wrong = f"the lengths {lengths!r}; lengths must be a list of numbers above 0"
    if wrong:
        raise DataError(f"{page}: Block {number} has {wrong}. {_FORM}.")
    try:
        return Block(str(vertical), str(media), tuple(map(str, items or ())), tuple(map(float, lengths)))
    except DataError as error:
        raise error.at(f"{page}: block {number}") from None
