"""What tells a file of pages from other files: its first line."""

import re


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
