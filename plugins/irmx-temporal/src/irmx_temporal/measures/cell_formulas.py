"""The formulas of the measures: the value of a ranking for each cell, and values that are not sums over cells."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats, Ints, position_in_run, segment_sum
from irmx_temporal.cells.cell_arrays import Cells, Coverage, discounted, exponential


def ndcg(cells: Cells, cutoff: int | None) -> Floats:
    """Return nDCG@k(.|c,t) of every cell, with the gain 2^rel - 1 and the discount log(1 + rank)."""
    dcg = discounted(exponential(cells.grade), cells.rank, cells.cell, len(cells))
    ideal = cells.layout.ideal_dcg(cutoff)
    return np.divide(dcg, ideal, out=np.zeros(len(cells)), where=ideal > 0)


def err(stop: Floats, rank: Ints, group: Ints, count: int) -> Floats:
    """Return sum_r 1/r R(r) prod_{i<r} (1 - R(i)) of every group.

    Parameters
    ----------
    stop : float array, shape (documents,)
        R, the probability that a document satisfies a user of its group.
    rank, group : int array, shape (documents,)
        Its rank, and its group; by group and rank.
    count : int
        The number of groups.
    """
    place = position_in_run(group)
    going_on = np.ones(count)
    found = np.zeros(count)
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(int(place.max(initial=-1)) + 2))
    for a, b in zip(
        ends.tolist(), ends[1:].tolist(), strict=False
    ):  # the first documents of all groups, the second, ...
        these = order[a:b]
        g, r = group[these], stop[these]
        found[g] += going_on[g] * r / rank[these]
        going_on[g] *= 1 - r
    return found


def precision(cells: Cells, cutoff: Ints) -> Floats:
    """Return 1/k sum_{j<=k} rel(j|c,t) of every cell, with one k per topic."""
    held = np.bincount(cells.cell, minlength=len(cells))
    return held / np.maximum(cutoff, 1)[cells.layout.topic]


def average_precision(cells: Cells) -> Floats:
    """Return sum_{k in R} 1/k sum_{j<=k} rel(j|c,t) / |relevant| of every cell; R are the ranks of all relevant documents.

    That is, every document in the cell contributes the sum of 1/k over the ranks k in R from its own rank on.
    """
    layout = cells.layout
    first, of_topic, number = layout.documents
    rank = np.zeros(len(first), dtype=np.int64)
    rank[number[cells.at]] = cells.rank
    there = np.flatnonzero(rank)
    there = there[np.lexsort((-rank[there], of_topic[there]))]
    # topic by topic, so that no value depends on the other topics, not even in its last bit
    starts = np.searchsorted(of_topic[there], np.arange(1, layout.topics))
    from_here = np.zeros(len(first))
    from_here[there] = np.concatenate([np.cumsum(part) for part in np.split(1 / rank[there], starts)])
    held = segment_sum(from_here[number[cells.at]], cells.cell, len(cells))
    return held / layout.relevant[layout.topic]


def covered(coverage: Coverage) -> Ints:
    """Return 1 for subtopics or windows with a relevant document retrieved, else 0."""
    there = np.zeros(len(coverage.weight), dtype=np.int64)
    there[coverage.of_cell[coverage.cells.cell]] = 1
    return there


def global_ndcg(cells: Cells, of_power: bool, cutoff: int | None) -> Floats:
    """Return the part of every cell in D-nDCG@k, nDCG of the global gains GG(d) = sum_c P(c|q) g_c(d), before weighting."""
    layout = cells.layout
    gain = exponential(layout.grade) if of_power else layout.grade
    first, of_topic, number = layout.documents
    total = segment_sum(cells.weight[layout.cell] * gain, number, len(first))
    best_first = np.lexsort((-total, of_topic))
    place = position_in_run(of_topic[best_first]) + 1
    within = slice(None) if cutoff is None else place <= cutoff
    chosen = best_first[within]
    ideal = discounted(total[chosen], place[within], of_topic[chosen], layout.topics)
    dcg = discounted(gain[cells.at], cells.rank, cells.cell, len(cells))
    best = ideal[layout.topic]
    return np.divide(dcg, best, out=np.zeros(len(cells)), where=best > 0)
