"""Texts and tables as HTML that needs no stylesheet: notebooks, reports and ``-o html`` share it."""

from __future__ import annotations

import html

from irmx.declare.output_format import PrintedRows, visible


def in_html(text: str) -> str:
    r"""Return a text escaped for HTML, its control characters shown.

    >>> in_html("a<script>b\x1b & 'c'")
    'a&lt;script&gt;b\\x1b &amp; &#x27;c&#x27;'
    """
    return html.escape(visible(text))


def html_table(rows: PrintedRows, title: str = "") -> str:
    """Return rows as a table in HTML: numbers are aligned right, the first column names the row if it is a text.

    Parameters
    ----------
    rows : PrintedRows
        The rows.
    title : str
        The caption, as text.

    Examples
    --------
    >>> print(html_table(PrintedRows(("run", "AP"), [{"run": "<b>", "AP": 0.5}]), "Means"))
    <table>
    <caption>Means</caption>
    <thead><tr><th scope="col" style="text-align:left">run</th><th scope="col" style="text-align:right">AP</th></tr></thead>
    <tbody>
    <tr><th scope="row" style="text-align:left">&lt;b&gt;</th><td style="text-align:right">0.5000</td></tr>
    </tbody>
    </table>
    """
    of_numbers = rows.of_numbers()
    sides = ["right" if numbers else "left" for numbers in of_numbers]

    def line(cells: list[str], head: bool = False) -> str:
        tags = ['th scope="col"'] * len(cells) if head else ["td"] * len(cells)
        if cells and not head and not of_numbers[0]:
            tags[0] = 'th scope="row"'
        of_line = zip(tags, cells, sides, strict=True)
        return (
            "<tr>"
            + "".join(f'<{tag} style="text-align:{side}">{cell}</{tag[:2]}>' for tag, cell, side in of_line)
            + "</tr>"
        )

    caption = f"<caption>{in_html(title)}</caption>\n" if title else ""
    names = line([in_html(name.replace("_", " ")) for name in rows.names], head=True)
    body = "\n".join(line(cells) for cells in rows.texts(in_html))
    footer = f"\n<tfoot>{line(rows.line(rows.footer, in_html))}</tfoot>" if rows.footer else ""
    return f"<table>\n{caption}<thead>{names}</thead>\n<tbody>\n{body}\n</tbody>{footer}\n</table>"
