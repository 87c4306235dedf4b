"""Tables for papers, notes and pages: LaTeX, Markdown and HTML."""

from __future__ import annotations

import re
from typing import TextIO

from irmx.declare.markup_html import html_table
from irmx.declare.output_format import OutputFormat, PrintedRows
from irmx.errors import visible

_IN_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
             "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}", "-": "-{}",
             **{character: f"\\{character}" for character in "&%$#_{}"},
             **{character: f"{{{character}}}" for character in "[*"}}  # fmt: skip
"""A line break of a tabular takes a ``[`` or ``*`` that follows it for its own; in braces they are the next row's. Two hyphens
would be a dash, and not every encoding of fonts has ``\\textquotedbl``."""

_IN_MARKDOWN = re.compile(r"[\\|<&*`~\[]|(?<![^\W_])_|_(?![^\W_])")
"""What is special in a cell; underscores inside of words are not."""


def in_latex(text: str) -> str:
    r"""Return a text escaped for LaTeX.

    >>> print(in_latex("AS_RBP & 50%"))
    AS\_RBP \& 50\%
    >>> print(in_latex("bm25--rm3"))
    bm25-{}-rm3
    """
    return re.sub(r'[\\~^<>|"&%$#_{}\[*]|-(?=-)', lambda found: _IN_LATEX[found[0]], visible(text))


def in_markdown(text: str) -> str:
    r"""Return a text escaped for a cell of a Markdown table.

    >>> print(in_markdown("a|b <i> *c* _d_ max_hop"))
    a\|b \<i> \*c\* \_d\_ max_hop
    """
    return _IN_MARKDOWN.sub(lambda found: f"\\{found[0]}", visible(text))


class Latex(OutputFormat):
    """A LaTeX ``tabular`` with the rules of the package ``booktabs``."""

    NAME = "latex"
    SHORT_DESC = "a LaTeX tabular, with the rules of the package booktabs"
    WIDE = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        columns = "".join("r" if numbers else "l" for numbers in rows.of_numbers())
        lines = [[in_latex(name) for name in rows.names], *rows.texts(in_latex)]
        head, *body = (" & ".join(line) + r" \\" for line in lines)
        foot = [r"\midrule", " & ".join(rows.line(rows.footer, in_latex)) + r" \\"] if rows.footer else []
        table = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, *foot]
        print(*table, r"\bottomrule", r"\end{tabular}", sep="\n", file=out)


class Markdown(OutputFormat):
    """A table in GitHub's Markdown."""

    NAME = "markdown"
    SHORT_DESC = "a Markdown table"
    WIDE = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        under = ["---:" if numbers else "---" for numbers in rows.of_numbers()]
        foot = [rows.line(rows.footer, in_markdown)] if rows.footer else []
        for line in [[in_markdown(name) for name in rows.names], under, *rows.texts(in_markdown), *foot]:
            print(f"| {' | '.join(line)} |", file=out)


class Html(OutputFormat):
    """A table in HTML; what is special in HTML is shown as text."""

    NAME = "html"
    SHORT_DESC = "a table in HTML"
    WIDE = True

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write the table."""
        print(html_table(rows), file=out)
