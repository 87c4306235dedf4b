"""A section of a report, and the parts that sections are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from irmx.toolkit import PrintedRows, html_table, in_html


@dataclass(frozen=True)
class Section:
    """A section of a report: the template that shows it as a document, and the data that its script reads.

    Attributes
    ----------
    name : str
        The id of the section in the page, such as ``"topics"``; its template is ``NAME.html``, or if there is none
        ``parts.html``, and its script, if there is one, ``NAME.js``.
    title : str
        The heading.
    content : dict
        What the template shows: values by name. Texts are escaped by the template; only :class:`markupsafe.Markup` is not.
    data : JSON value, optional
        What the script reads, as ``JSON.parse(document.getElementById("data-NAME").textContent)``.
    """

    name: str
    title: str
    content: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True)
class Source:
    """A text to copy or to save: a table in LaTeX, data as CSV, BibTeX.

    Attributes
    ----------
    name : str
        Its id in the page.
    title : str
        What it is.
    text : str
        The text itself.
    file : str
        The name of the file to save it in; empty if it is only copied.
    is_open : bool
        Whether it is shown at once, instead of behind its title.
    """

    name: str
    title: str
    text: str
    file: str = ""
    is_open: bool = False

    @property
    def lines(self) -> Any:
        """The text escaped for HTML, its control characters shown, except that lines end where they end."""
        from markupsafe import Markup

        return Markup("\n".join(in_html(line) for line in self.text.split("\n")))


@dataclass(frozen=True)
class Figure:
    """A picture in a page.

    Attributes
    ----------
    svg : Markup
        The picture.
    caption : str
        What stands below it; may be empty.
    """

    svg: Any
    caption: str = ""


def parts(
    name: str,
    title: str,
    paragraphs: Sequence[str] = (),
    figures: Sequence[Figure] = (),
    tables: Sequence[Any] = (),
    sources: Sequence[Source] = (),
) -> Section:
    """Return a section that is made of paragraphs, pictures, tables and texts to copy, in this order."""
    shown = {"paragraphs": paragraphs, "figures": figures, "tables": tables, "sources": sources}
    return Section(name, title, shown)


def table_of(rows: Sequence[Mapping[str, Any]], caption: str, places: int = 4) -> Any:
    """Return rows of cells as a table, for :func:`parts`."""
    from markupsafe import Markup

    return Markup(html_table(PrintedRows(tuple(rows[0]), [dict(row) for row in rows], places), caption))
