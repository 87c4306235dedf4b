"""Texts of help, folded to the width of a terminal."""

from __future__ import annotations

import re
import textwrap

from irmx.errors import visible_lines


def fitted(text: str, width: int) -> str:
    r"""Return a text whose lines fit a width: paragraphs are filled, indented lines folded, examples left as they are; all of it visible.

    Parameters
    ----------
    text : str
        Paragraphs separated by empty lines. Those that start with ``>>>`` are examples.
    width : int
        The number of characters of a line.

    Examples
    --------
    >>> print(fitted("A paragraph\nof two lines.\n\nRows\n  p  a chance to stop", 16))
    A paragraph of
    two lines.
    <BLANKLINE>
    Rows
      p  a chance to
         stop
    """
    return "\n\n".join(_block(block, width) for block in visible_lines(text).split("\n\n"))


def _block(block: str, width: int) -> str:
    lines = block.split("\n")
    if block.lstrip("\n").startswith(">>>"):
        return block
    if any(line.startswith(("  ", "---", ">>>")) for line in lines):
        in_example = False
        out = []
        for line in lines:
            in_example = in_example or line.startswith(">>>")
            out.append(line if in_example else _folded(line, width))
        return "\n".join(out)
    return "\n".join(_folded(line, width) for line in [*[""] * (not lines[0]), " ".join(filter(None, lines))])


def _folded(line: str, width: int) -> str:
    """Return a line folded between words; what goes on is indented like the text after its last column."""
    if len(line) <= width:
        return line
    left = len(line) - len(line.lstrip())
    columns = re.match(r" *\S.{0,24}?  +", line)
    indent = len(columns[0]) if columns and len(columns[0]) < width // 2 else left + 2 * (left > 0)
    return textwrap.fill(line, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
