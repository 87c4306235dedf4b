"""The cells of rankings: the layout of the qrels, the weights, and the documents that the run retrieves."""

from __future__ import annotations

import numpy as np

from irmx import Rankings
from irmx.ragged import Floats, Ints
from irmx_temporal.cells.aspect_weights import aspects_of
from irmx_temporal.cells.cell_arrays import Aspects, Cells, renormalised
from irmx_temporal.cells.layout_of_qrels import LaidOut, layout_of
from irmx_temporal.diversity_columns import SUBTOPIC_WEIGHT, WINDOW_WEIGHT
from irmx_temporal.windows.windows_of_rows import EVERYTHING, Windowing

Weighted = tuple[Aspects, Aspects, Floats]


def cells_of(
    rankings: Rankings, subtopic_weights: str, windowing: Windowing, window_weights: str, nonempty: bool
) -> Cells:
    """Return the cells of rankings.

    Parameters
    ----------
    rankings : Rankings
        The rankings.
    subtopic_weights, window_weights : str
        One of :data:`irmx_temporal.cells.aspect_weights.WEIGHTS`.
    windowing : Windowing
        How documents get their windows.
    nonempty : bool
        Whether the weights of the cells with a relevant document are renormalised to a sum of 1.
    """
    laid = layout_of(rankings, windowing)
    options = ("weights", rankings.rel, windowing, subtopic_weights, window_weights, nonempty)
    subtopics, windows, weight = rankings.qrels_memo(
        options, lambda: _weighted(rankings, laid, subtopic_weights, windowing, window_weights, nonempty)
    )
    at, rank = rankings.memo(("retrieved", windowing), lambda: _retrieved(rankings, laid))
    return Cells(laid.layout, subtopics, windows, weight, at, rank)


def _retrieved(rankings: Rankings, laid: LaidOut) -> tuple[Ints, Ints]:
    """Return the relevant documents in cells that were retrieved, by cell and rank, and their ranks."""
    rank = rankings.qrels_rows.rank[laid.layout.row]
    at = np.flatnonzero(rank > 0)
    at = at[np.lexsort((rank[at], laid.layout.cell[at]))]
    return at, rank[at]


def _weighted(
    rankings: Rankings,
    laid: LaidOut,
    subtopic_weights: str,
    windowing: Windowing,
    window_weights: str,
    nonempty: bool,
) -> Weighted:
    layout = laid.layout
    subtopics = _subtopics(rankings, laid, subtopic_weights, windowing)
    windows = _windows(rankings, laid, "uniform" if windowing.window == EVERYTHING else window_weights)
    weight = windows.weight[layout.window] * subtopics.weight[layout.subtopic]
    return subtopics, windows, renormalised(weight, layout.topic, layout.topics) if nonempty else weight


def _subtopics(rankings: Rankings, laid: LaidOut, weights: str, windowing: Windowing) -> Aspects:
    if weights == "auto":
        weights = "column" if rankings.qrels_rows.has(SUBTOPIC_WEIGHT) else "uniform"
    if weights == "proportional":  # P(c|q) knows no time: documents outside all windows count in it
        laid = layout_of(rankings, windowing.without_windows())
    layout = laid.layout
    size = np.bincount(layout.subtopic[layout.cell], minlength=len(laid.subtopics.topic)).astype(float)
    return aspects_of(rankings, laid.subtopics, laid.subtopic_label, size, weights, SUBTOPIC_WEIGHT)


def _windows(rankings: Rankings, laid: LaidOut, weights: str) -> Aspects:
    layout, places = laid.layout, laid.windows
    if weights == "auto" and laid.burst_weight is not None:
        names = [places.names[i] for i in places.label.tolist()]
        return Aspects(places.topic, laid.burst_weight, names, places.label)
    if weights == "auto":
        weights = "column" if rankings.qrels_rows.has(WINDOW_WEIGHT) else "proportional"
    first, _, _ = layout.documents
    size = np.bincount(layout.window[layout.cell[first]], minlength=len(places.topic)).astype(float)
    return aspects_of(rankings, places, laid.window_label, size, weights, WINDOW_WEIGHT)
