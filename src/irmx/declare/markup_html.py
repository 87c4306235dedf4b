"""Texts, tables, results, measures and named objects as HTML that needs no stylesheet: notebooks, reports and ``-o html`` share it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from irmx.declare.citation import Citation
from irmx.declare.output_format import PrintedRows
from irmx.declare.params import has_default
from irmx.text import visible

SHOWN = 10
"""How many rows of a table a notebook shows."""


def in_html(text: str) -> str:
    r"""Return a text escaped for HTML, its control characters shown.

    >>> in_html("a<script>b\x1b & 'c'")
    'a&lt;script&gt;b\\x1b &amp; &#x27;c&#x27;'
    """
    import html

    return html.escape(visible(text))


def html_table(rows: PrintedRows, title: str = "", most: int | None = None) -> str:
    """Return rows as a table in HTML: numbers are aligned right, the first column names the row if it is a text.

    Parameters
    ----------
    rows : PrintedRows
        The rows.
    title : str
        The caption, as text.
    most : int, optional
        The number of rows to show, the first ones; a line below them counts the others.

    Examples
    --------
    >>> print(html_table(PrintedRows(("run", "AP"), [{"run": "<b>", "AP": 0.5}]), "Means"))
    <table>
    <caption style="text-align:left">Means</caption>
    <thead><tr><th scope="col" style="text-align:left">run</th><th scope="col" style="text-align:right">AP</th></tr></thead>
    <tbody>
    <tr><th scope="row" style="text-align:left">&lt;b&gt;</th><td style="text-align:right">0.5000</td></tr>
    </tbody>
    </table>
    >>> html_table(PrintedRows(("n",), [{"n": 1}, {"n": 2}]), most=1).splitlines()[-3]
    '<tr><td colspan="1" style="text-align:left">… and 1 more</td></tr>'
    """
    of_numbers = rows.of_numbers()
    sides = ["right" if numbers else "left" for numbers in of_numbers]
    more = 0 if most is None else max(len(rows.records) - most, 0)

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

    caption = f'<caption style="text-align:left">{in_html(title)}</caption>\n' if title else ""
    names = line([in_html(name) for name in rows.names], head=True)
    shown = replace(rows, records=rows.records[: len(rows.records) - more])
    body = [line(cells) for cells in shown.texts(in_html)]
    if more:
        body.append(f'<tr><td colspan="{len(rows.names)}" style="text-align:left">… and {more:,} more</td></tr>')
    footer = f"\n<tfoot>{line(rows.line(rows.footer, in_html))}</tfoot>" if rows.footer else ""
    lines = "\n".join(body)
    return f"<table>\n{caption}<thead>{names}</thead>\n<tbody>\n{lines}\n</tbody>{footer}\n</table>"


def html_result(
    title: str,
    tables: Mapping[str, Any],
    facts: Mapping[str, str] | None = None,
    notes: Iterable[str] = (),
    *,
    places: int = 4,
    most: int = SHOWN,
) -> str:
    """Return a result as a notebook shows it: what it is, its tables, and below them what a reader must know.

    Parameters
    ----------
    title : str
        What it is, such as its ``repr``, of which the angle brackets are left out.
    tables : dict of str to rows
        By caption, PrintedRows, a DataFrame or an iterable of dicts; a table without rows is left out.
    facts : dict of str to str, optional
        How the result was computed, which a click shows.
    notes : iterable of str
        What a reader must know about the data.
    places : int
        The decimal places of tables other than PrintedRows; -1 for all.
    most : int
        The number of rows of a table to show; a line below them counts the others.

    Examples
    --------
    >>> print(html_result("<Means: 1 run>", {"": [{"run": "one", "AP": 0.5}]}, {"topics": "2"}, ["few topics"]))
    <div>
    <p>Means: 1 run</p>
    <table>
    <thead><tr><th scope="col" style="text-align:left">run</th><th scope="col" style="text-align:right">AP</th></tr></thead>
    <tbody>
    <tr><th scope="row" style="text-align:left">one</th><td style="text-align:right">0.5000</td></tr>
    </tbody>
    </table>
    <p>Note: few topics</p>
    <details><summary>How it was computed</summary><dl><dt>topics</dt><dd>2</dd></dl></details>
    </div>
    """
    parts = [f"<p>{in_html(_without_brackets(title))}</p>"]
    for caption, table in tables.items():
        rows = table if isinstance(table, PrintedRows) else PrintedRows.of(table, places=places)
        if rows.records:
            parts.append(html_table(rows, caption, most))
    parts += [f"<p>Note: {in_html(note)}</p>" for note in notes]
    if facts:
        pairs = "".join(f"<dt>{in_html(name)}</dt><dd>{in_html(fact)}</dd>" for name, fact in facts.items())
        parts.append(f"<details><summary>How it was computed</summary><dl>{pairs}</dl></details>")
    return "\n".join(["<div>", *parts, "</div>"])


def _without_brackets(title: str) -> str:
    """Return a title without the brackets of a repr, which something may follow.

    >>> _without_brackets("<Run: 2 topics>; columns: query_id"), _without_brackets("a > b")
    ('Run: 2 topics; columns: query_id', 'a > b')
    """
    inside, _, after = title[1:].rpartition(">") if title.startswith("<") else (title, "", "")
    return inside + after


def described(expression: str, declared: Any, about: str, citations: Iterable[Citation]) -> str:
    """Return an object as HTML: its expression, what it is, its formula, its parameters with its values, what to cite."""
    formula = getattr(declared, "FORMULA", None)
    parts = [f"<p><code>{in_html(expression)}</code> {in_html(about)}</p>", formula.to_html() if formula else ""]
    rows = [_row(name, param, declared.params) for name, param in declared.SUPPORTED_PARAMS.items()]
    if rows:
        parts.append(html_table(PrintedRows(("parameter", "value", "meaning"), rows)))
    parts += [f"<p>{in_html(str(citation))}</p>" for citation in citations]
    return f"<div>{''.join(parts)}</div>"


def _row(name: str, param: Any, given: Mapping[str, Any]) -> dict[str, str]:
    """Return a parameter with the value that the object has: given to it, or its default."""
    missing = "required" if getattr(param, "required", False) else ""
    value = repr(given[name]) if name in given else repr(param.default) if has_default(param) else missing
    return {"parameter": name, "value": value, "meaning": param.desc or ""}
