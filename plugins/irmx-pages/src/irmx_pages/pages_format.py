"""The run formats for files of pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataError, Format
from irmx.toolkit import list_some
from irmx_pages.page import is_page_line, is_page_table

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx_pages.page import Page


class PagesFormat(Format):
    """Pages as a run: JSON Lines, or a table with one row per item."""

    NAME = "pages"
    SHORT_DESC = "pages of blocks, one JSON object per page or one row per item; as a run, one page per topic"
    EXAMPLES = ("pages:shown.jsonl",)
    TABLES = ("run",)

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Tell from the first line whether a file has this format."""
        return table == "run" and (is_page_line(start) or is_page_table(start))

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
