"""A measure or a named object as HTML: what a notebook shows of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from irmx.declare.citation import Citation
from irmx.declare.markup_html import html_table, in_html
from irmx.declare.output_format import PrintedRows
from irmx.declare.params import has_default


def described(expression: str, declared: Any, about: str, citations: Iterable[Citation]) -> str:
    """Return an object as HTML: its expression, what it is, its formula, its parameters with its values, what to cite.

    Parameters
    ----------
    expression : str
        The text that parses back to it.
    declared : Measure or Symbol
        The object, or the scorer of a measure of ir_measures.
    about : str
        Its name written out, and what it is.
    citations : iterable of Citation
        The publications to cite.
    """
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
