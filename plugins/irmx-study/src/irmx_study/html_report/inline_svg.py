"""Figures of matplotlib as SVG inside of a page."""

from __future__ import annotations

import re
import warnings
from typing import Any

from irmx.toolkit import in_html, picture_bytes


def inline_svg(figure: Any, name: str, title: str) -> Any:
    """Return a figure as an element of a page, and close it; the same figure gives the same text.

    Parameters
    ----------
    figure : Figure
        The figure of matplotlib.
    name : str
        The id of the element; all ids inside begin with it, so that those of several figures differ.
    title : str
        What the picture shows, for those who do not see it.

    Returns
    -------
    Markup
        An ``svg`` element with the role ``img``. Texts are drawn as outlines, so that they look the same everywhere.
    """
    from markupsafe import Markup
    from matplotlib import rc_context

    with warnings.catch_warnings(), rc_context({"svg.fonttype": "path"}):
        warnings.filterwarnings(
            "ignore", "Glyph .* missing|The font of the picture lacks"
        )  # a box stands for it; the tables have the name
        if layout := figure.get_layout_engine():
            layout.execute(figure)
            figure.set_layout_engine(None)  # writing would lay it out twice more
        text = picture_bytes(figure).decode()
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>|^.*?(?=<svg )", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    width, height = (float(re.search(rf'<svg [^>]*?{side}="([\d.]+)pt"', text)[1]) for side in ("width", "height"))  # type: ignore[index]
    start = f'<svg id="{name}" role="img" aria-labelledby="{name}-title" viewBox="0 0 {width:g} {height:g}" '
    start += (
        f'width="{width * 4 / 3:.0f}" height="{height * 4 / 3:.0f}"><title id="{name}-title">{in_html(title)}</title>'
    )
    text = re.sub(r"<svg [^>]*>", lambda _: start, text, count=1).replace("xlink:href", "href")
    return Markup(re.sub(r"\n\s*", "\n", text).strip())
