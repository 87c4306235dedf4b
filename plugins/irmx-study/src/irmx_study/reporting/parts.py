"""What a report is made of: sections, sources and pictures, and the page around them."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from importlib.util import find_spec
from typing import Any

from irmx import Judgments, Scores, UsageError
from irmx.toolkit import in_html, picture_bytes, picture_style, visible
from irmx_study.comparing import Comparison
from irmx_study.findings import pair_shown_first

_FILES = resources.files("irmx_study.reporting").joinpath("templates")
_LIBRARIES = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}
JUDGED = "Judged@10"
"""The measure that gives the shares of unjudged documents: it is computed with the others, so that no run is read twice."""


@dataclass(frozen=True, eq=False)
class Reported:
    """What the sections of a report are made from."""

    comparison: Comparison
    judgments: Judgments | None = None
    runs: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] | None = None
    queries: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    qrels: str = ""
    judged: Scores | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems that the report shows first: the best other system and the baseline that was named, or the best two."""
        return pair_shown_first(self.comparison)


@dataclass(frozen=True)
class Section:
    """A section of a report: an id, a heading, what its template shows, and the data that the script reads.

    The template is ``NAME.html``, or if there is none ``parts.html``, which shows paragraphs, figures, tables and sources.
    """

    name: str
    title: str
    content: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True)
class Source:
    """A text to copy or to save: a table in LaTeX, data as CSV, BibTeX."""

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


# -- the page ----------------------------------------------------------------------------------------------


def one_page(title: str, headline: str, sections: Sequence[Section]) -> str:
    """Return the page in HTML: sections, styles and scripts in one file."""
    environment = _templates()
    parts = [
        {
            "name": section.name,
            "title": section.title,
            "body": environment.select_template([f"{section.name}.html", "parts.html"]).render(section.content),
            "data": None if section.data is None else _json(section.data),
        }
        for section in sections
    ]
    page = environment.get_template("page.html")
    text: str = page.render(
        title=title, headline=headline, sections=parts, style=_text("report.css"), script=_text("report.js")
    )
    return text


def check_libraries() -> None:
    """Check that the libraries of a report are installed; the error says how to install them."""
    lacking = [name for module, name in _LIBRARIES.items() if find_spec(module) is None]
    if lacking:
        raise UsageError(
            f"A report needs {' and '.join(_LIBRARIES.values())}; {' and '.join(lacking)} cannot be imported. To install "
            "them: pip install jinja2 matplotlib, or from a checkout of irmx: pip install './plugins/irmx-study[report]'"
        )


@lru_cache(maxsize=1)
def _templates() -> Any:
    """Return the templates of Jinja2; what they show is escaped, its control characters are shown."""
    check_libraries()
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)

    return Environment(
        loader=PackageLoader("irmx_study.reporting"), autoescape=True, finalize=shown, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def _json(data: Any) -> str:
    """Return data as JSON that cannot end the element that it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _text(name: str) -> str:
    return _FILES.joinpath(name).read_text(encoding="utf-8")


_THEME = {
    "#000000": "currentColor", "#ffffff": "var(--page)", "#666666": "var(--soft)", "#dddddd": "var(--line)",
    "#0072b2": "var(--gain)", "#d55e00": "var(--loss)",
}  # fmt: skip
"""The colours of pictures that are those of the page, in the light and in the dark."""


def inline_svg(draw: Callable[[], Any], name: str, title: str) -> Any:
    """Return a picture as an ``svg`` element of a page with the role ``img``, and close it; the same picture gives the same text.

    Texts are drawn as outlines, so that they look the same everywhere. All ids begin with the name.
    """
    from markupsafe import Markup

    with warnings.catch_warnings(), picture_style({"svg.fonttype": "path"}):
        # a box stands for a glyph that is missing; the tables have the name
        warnings.filterwarnings("ignore", "Glyph .* missing|The font of the picture lacks")
        figure = draw().figure
        for patch in (figure.patch, *(axes.patch for axes in figure.axes)):
            if patch.get_facecolor()[:3] == (1, 1, 1):  # the page is seen, and the shade where a picture goes on
                patch.set_visible(False)
        if layout := figure.get_layout_engine():
            layout.execute(figure)
            figure.set_layout_engine(None)  # writing would lay it out twice more
        text = picture_bytes(figure).decode()
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>|^.*?(?=<svg )", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub("|".join(_THEME), lambda found: _THEME[found[0]], text)
    width, height = (float(re.search(rf'<svg [^>]*?{side}="([\d.]+)pt"', text)[1]) for side in ("width", "height"))  # type: ignore[index]
    start = f'<svg id="{name}" role="img" aria-labelledby="{name}-title" viewBox="0 0 {width:g} {height:g}" '
    size = f'width="{width * 4 / 3:.0f}" height="{height * 4 / 3:.0f}"'
    start += f'{size}><title id="{name}-title">{in_html(title)}</title>'
    text = re.sub(r"<svg [^>]*>", lambda _: start, text, count=1).replace("xlink:href", "href")
    return Markup(re.sub(r"\n\s*", "\n", text).strip())
