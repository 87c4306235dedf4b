"""A math renderer for Sphinx that writes MathML when the pages are built: browsers need neither a script nor a network for it.

LaTeX that cannot be converted in full fails the build.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes

from irmx.declare.described import mathml

STYLE = """math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math", "DejaVu Math TeX Gyre", math; }
div.math { margin: 1em 0; overflow-x: auto; overflow-y: hidden; font-size: 1.1em; }
"""


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer, and a stylesheet with the fonts that have mathematics."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.connect("build-finished", _write_style)
    app.add_css_file("mathml.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write_style(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        (app.outdir / "_static" / "mathml.css").write_text(STYLE, encoding="utf-8")
