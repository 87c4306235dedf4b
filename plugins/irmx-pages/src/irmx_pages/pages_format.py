"""The run formats for files of pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataError, Format
from irmx.toolkit import list_some

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx_pages.page import Page


def _named(column: bytes) -> bytes:
    """Return the regular expression of a first line that names a column, in a header or as a key."""
    return rb'(?:[^\n]*[:,\t])?[{" \r]*' + column + rb'[{" \r]*(?:[:,\t\n]|\Z)'


_TABLE = b"(?=%b)(?=%b)(?!%b)" % (_named(b"page_id"), _named(b"vertical"), _named(b"score"))
"""How a table of pages begins: with their columns, and without scores, which a run has."""


class PagesFormat(Format):
    """Pages as a run: JSON Lines, or a table with one row per item."""

    NAME = "pages"
    SHORT_DESC = "pages of blocks, one JSON object per page or one row per item; as a run, one page per topic"
    EXAMPLES = ("pages:shown.jsonl",)
    TABLES = ("run",)
    SIGNS = {"run": (rb'\{[^\n]*"blocks"\s*:|' + _TABLE,)}

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the pages as a run in reading order."""
        from irmx_pages.page_files import pages_of_content
        from irmx_pages.pages_as_runs import run_table

        first: dict[str, Page] = {}
        for page in (pages := pages_of_content(path, content)):
            other = first.setdefault(page.query_id, page)
            if other is not page:
                raise DataError(
                    f"{path}: topic {page.query_id!r} has the pages {other.page_id!r} and {page.page_id!r}. A run has one page "
                    "per topic: 'irmx pages score' scores every page of such a file, and 'irmx explain --ranking' picks one."
                )
        return run_table(pages)

    def read_ranking(self, path: Path, content: bytes, name: str) -> pa.Table:
        """Return the pages of one name as a run in reading order."""
        from irmx_pages.page_files import pages_of_content
        from irmx_pages.pages_as_runs import run_table

        pages = pages_of_content(path, content)
        mine = [p for p in pages if p.page_id == name]
        if not mine:
            names = list(dict.fromkeys(p.page_id for p in pages))
            raise DataError(f"{path} has no page {name!r}. It has {len(names)} page names: {list_some(names, 5)}.")
        return run_table(mine)
