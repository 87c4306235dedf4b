"""The weights of the subtopics and time windows of topics: P(c|q) and P(t|q)."""

from __future__ import annotations

import numpy as np

from irmx import Column, DataError, Rankings
from irmx.ragged import Floats, Ints, position_among, segment_sum
from irmx_temporal.cells.cell_arrays import Aspects, renormalised
from irmx_temporal.cells.layout_of_qrels import Places

TOLERANCE = 1e-6
"""Tolerance for the sum of the weights of a topic, which must be 1."""

WEIGHTS = ("auto", "uniform", "proportional", "column")
"""Sources of weights: the default rule of the aspect; 1 over their number; the share of relevant documents; a column."""


def aspects_of(rankings: Rankings, places: Places, label: Ints, size: Floats, weights: str, column: Column) -> Aspects:
    """Return subtopics or windows with their weights.

    Parameters
    ----------
    rankings : Rankings
        The rankings.
    places : Places
        The subtopics or the windows.
    label : int array, shape (rows,)
        The number of the label of every row of the qrels, -1 for none.
    size : float array, shape (aspects,)
        The number of relevant documents of each.
    weights : {"uniform", "proportional", "column"}
        Where the weights come from.
    column : Column
        The column of weights.
    """
    topics = len(rankings)
    if weights == "column":
        weight = _given(rankings, places, label, column)
    else:
        weight = renormalised(np.ones(len(size)) if weights == "uniform" else size, places.topic, topics)
    return Aspects(places.topic, weight, [places.names[i] for i in places.label.tolist()], places.label)


def _given(rankings: Rankings, places: Places, label: Ints, column: Column) -> Floats:
    """Return the weights in a column, checked: one per label, none negative, with the sum 1 in every topic."""
    rows = rankings.qrels_rows
    if not rows.has(column):
        raise DataError(f"the qrels column {column.name!r}, {column.desc}, is missing.")
    values = rows.column(column, missing_ok=True)
    size = np.int64(max(len(places.names), 1))
    there = np.flatnonzero(~np.isnan(values) & (label >= 0))
    key, first, which = np.unique(rows.topic[there] * size + label[there], return_index=True, return_inverse=True)
    weight = values[there[first]]

    def of_query(key: int) -> str:
        return f"{places.names[key % size]!r} of query {rankings.topics[key // size]}"

    for i in np.flatnonzero(weight[which] != values[there])[:1].tolist():
        raise DataError(
            f"The qrels column {column.name!r} has two values for {of_query(int(key[which[i]]))}: {weight[which[i]]:g} and "
            f"{values[there[i]]:g}."
        )
    for i in np.flatnonzero(~(weight >= 0))[:1].tolist():
        raise DataError(
            f"The qrels column {column.name!r} has the negative weight {weight[i]:g} for {of_query(int(key[i]))}."
        )
    total = segment_sum(weight, key // size, len(rankings))
    for t in np.flatnonzero(np.isin(np.arange(len(rankings)), key // size) & (np.abs(total - 1) > TOLERANCE))[
        :1
    ].tolist():
        raise DataError(
            f"The weights in the qrels column {column.name!r} of query {rankings.topics[t]} must add up to 1, to within "
            f"{TOLERANCE:g}. They add up to {total[t]:.9g}."
        )
    wanted = places.topic * size + places.label
    at = position_among(key, wanted)
    for i in np.flatnonzero(at < 0)[:1].tolist():
        raise DataError(f"The qrels column {column.name!r} has no value for {of_query(int(wanted[i]))}.")
    found: Floats = weight[at]
    return found
