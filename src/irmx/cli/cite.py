"""``irmx cite``: BibTeX entries of the papers to cite."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from irmx.declare.citation import IR_MEASURES, Citation
from irmx.declare.measures import Measure
from irmx.score.evaluator import as_measures


def cite(measures: Annotated[list[str], typer.Argument(help="Measures, as for irmx eval.")]) -> None:
    """Print BibTeX entries of the papers to cite.

    Covers measures of irmx plugins, and ir_measures, through which they are computed.
    """
    entries: dict[str, Citation] = {}
    without = []
    for measure in as_measures(measures):
        own = measure.citations() if isinstance(measure, Measure) else ()
        if not own:
            without.append(str(measure))
        entries |= {c.key: c for c in own}
    entries[IR_MEASURES.key] = IR_MEASURES
    print("\n\n".join(c.bibtex() for c in entries.values()))
    if without:
        print(
            f"irmx: {', '.join(without)}: computed by ir_measures, whose documentation names their papers",
            file=sys.stderr,
        )
