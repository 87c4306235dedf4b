"""``irmx cite``: BibTeX entries of the papers to cite."""

from __future__ import annotations

from typing import Annotated

from irmx.adapters.papers import papers_of
from irmx.cli.click_command import Argument
from irmx.declare.described import IR_MEASURES, TOOLS
from irmx.declare.expressions import measures_named, split_measures
from irmx.declare.measures import Measure, refuse_broken
from irmx.text import note, visible_lines


def cite(measures: Annotated[list[str], Argument(help="Measures, as for irmx eval; or irmx, ir_measures.")]) -> None:
    """Print BibTeX entries of the papers to cite.

    Covers the measures of irmx plugins and of ir_measures, ir_measures itself, and irmx.
    """
    tools = [TOOLS[name] for name in measures if name in TOOLS]
    texts = [text for name in measures if name not in TOOLS for text in split_measures(name)]
    named = [one for text in texts for one in measures_named(text, complete=False)]
    for measure in named:
        if isinstance(measure, Measure):
            refuse_broken(measure)
    papers = {str(measure): papers_of(measure) for measure in named}
    of_tools = (tools,) if tools and not papers else (tools, (IR_MEASURES,))
    entries = {paper.key: paper for cited in (*papers.values(), *of_tools) for paper in cited}
    print(visible_lines("\n\n".join(paper.bibtex() for paper in entries.values())))
    if without := [name for name, cited in papers.items() if not cited]:
        note(f"{', '.join(without)}: no paper to cite but that of ir_measures")
