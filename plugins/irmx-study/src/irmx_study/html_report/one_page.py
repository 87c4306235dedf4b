"""The page of a report: sections, styles and scripts in one file that needs no network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from importlib.util import find_spec
from typing import Any

from irmx import UsageError
from irmx.toolkit import visible
from irmx_study.html_report.section import Section

_FILES = resources.files("irmx_study.html_report").joinpath("templates")

LIBRARIES = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}
"""The libraries of a report by the name of the module."""


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
        If Jinja2 or matplotlib is not installed.
    """
    parts = [
        {
            "name": section.name,
            "title": section.title,
            "body": _templates().select_template([f"{section.name}.html", "parts.html"]).render(section.content),
            "script": _text(f"{section.name}.js"),
            "data": None if section.data is None else _json(section.data),
        }
        for section in sections
    ]
    style = "".join([_text("report.css"), *(_text(f"{section.name}.css") for section in sections)])
    text: str = (
        _templates()
        .get_template("page.html")
        .render(title=title, sections=parts, style=style, script=_text("report.js"))
    )
    return text


def check_libraries() -> None:
    """Check that the libraries of a report are installed.

    Raises
    ------
    irmx.errors.UsageError
        If one is not; the message says how to install them.
    """
    lacking = [name for module, name in LIBRARIES.items() if find_spec(module) is None]
    if lacking:
        raise UsageError(
            f"A report needs {' and '.join(LIBRARIES.values())}; {' and '.join(lacking)} cannot be imported. To install "
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
