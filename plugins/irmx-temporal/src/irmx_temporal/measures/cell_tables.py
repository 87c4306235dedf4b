"""Tables that explain a value: the cells of subtopics and windows, the ranks that cover them, and those missed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from irmx import Rankings
from irmx.ragged import Array, Floats, Ints
from irmx_temporal.cells.cell_arrays import Cells, Coverage
from irmx_temporal.measures.cell_formulas import covered

MISSED = "(missed)"


def table_of_cells(cells: Cells, rankings: Rankings, contribution: Floats) -> dict[str, Any]:
    """Return one row per cell: weight, relevant documents, how many of them are retrieved, the first one, contribution."""
    layout = cells.layout
    rank, doc_id = _first(cells, layout.cell[cells.at], len(cells), rankings)
    table = {"subtopic": [str(cells.subtopics.names[s]) for s in layout.subtopic.tolist()]}
    if any(cells.windows.names):
        table["window"] = [str(cells.windows.names[w]) for w in layout.window.tolist()]
    return table | {
        "weight": cells.weight,
        "relevant": np.bincount(layout.cell, minlength=len(cells)),
        "retrieved": np.bincount(cells.cell, minlength=len(cells)),
        "rank": rank,
        "doc_id": doc_id,
        "contribution": contribution,
    }


def table_of_coverage(coverage: Iterable[Coverage], rankings: Rankings) -> dict[str, Any]:
    """Return one row per subtopic and per window: the first relevant document, or that it was missed; contribution."""
    table: dict[str, Any] = {k: [] for k in ("covers", "name", "weight", "rank", "doc_id", "contribution")}
    for of in coverage:
        rank, doc_id = _first(of.cells, of.of_cell[of.cells.cell], len(of.weight), rankings)
        table["covers"] += [of.what] * len(of.weight)
        table["name"] += [str(name) for name in of.aspects.names]
        table["weight"] += of.weight.tolist()
        table["rank"] += rank.tolist()
        table["doc_id"] += doc_id
        table["contribution"] += (of.weight * covered(of)).tolist()
    return table | {"rank": np.array(table["rank"], dtype=object)}


def _first(cells: Cells, group: Ints, count: int, rankings: Rankings) -> tuple[Array, list[str]]:
    """Return the rank and the id of the first document of every group, given the group of every document retrieved."""
    ids = dict(zip(rankings.relevant.doc.tolist(), rankings.relevant.doc_ids, strict=True))
    best: dict[int, tuple[int, str]] = {}
    for g, doc, rank in zip(group.tolist(), cells.layout.doc[cells.at].tolist(), cells.rank.tolist(), strict=True):
        found = rank, ids[doc]
        best[g] = min(found, best.get(g, found))
    pairs = [best.get(i, (0, MISSED)) for i in range(count)]
    return np.array([rank or "-" for rank, _ in pairs], dtype=object), [doc_id for _, doc_id in pairs]
