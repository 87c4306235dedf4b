"""The page of a report: sections, styles and scripts in one file that needs no network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from irmx import UsageError, visible
from irmx_study.html_report.section import Section

_FILES = resources.files("irmx_study.html_report").joinpath("templates")


def one_page(title: str, sections: Sequence[Section]) -> str:
    """Return the page in HTML.

    Parameters
    ----------
    title : str
        The title of the page.
    sections : sequence of Section
        The sections, in order.

    Raises
    ------
    irmx.errors.UsageError
        If Jinja2 is not installed.
    """
    parts = [
        {
            "name": section.name,
            "title": section.title,
            "body": _templates().get_template(f"{section.name}.html").render(section.content),
            "script": _text(f"{section.name}.js"),
            "data": None if section.data is None else _json(section.data),
        }
        for section in sections
    ]
    text: str = (
        _templates()
        .get_template("page.html")
        .render(title=title, sections=parts, style=_text("report.css"), script=_text("report.js"))
    )
    return text


@lru_cache(maxsize=1)
def _templates() -> Any:
    """Return the templates of Jinja2; what they show is escaped, its control characters are shown."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise UsageError(
            "A report needs Jinja2 and matplotlib. To install them: pip install 'irmx-study[report]'"
        ) from error

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)

    return Environment(
        loader=PackageLoader("irmx_study.html_report"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _json(data: Any) -> str:
    """Return data as JSON that cannot end the element that it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _text(name: str) -> str:
    """Return the text of a file beside the templates; empty if there is none."""
    file = _FILES.joinpath(name)
    return file.read_text(encoding="utf-8") if file.is_file() else ""
