"""Histograms of the time windows of topics, with their documents and weights."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import irmx
from irmx import Judgments, Rankings
from irmx.ragged import position_among
from irmx.toolkit import visible
from irmx_temporal.cells import Aspects, Places, aspects_of
from irmx_temporal.windows import WINDOW_WEIGHT, Windowing, windows_of_rows

WIDTH = 40
"""The length of the bar of a topic's heaviest window, in characters."""


@dataclass(frozen=True)
class TopicWindows:
    """The windows of one topic.

    Attributes
    ----------
    query_id : str
        The topic.
    relevant : int
        The number of its relevant documents; some may be in no window.
    names : list of str
        The names of the windows: labels, starts, or the first and the last day of bursts.
    documents : list of int
        The number of relevant documents of each.
    weights : list of float
        P(t|q) of each.
    """

    query_id: str
    relevant: int
    names: list[str]
    documents: list[int]
    weights: list[float]


def windows_of(qrels: Judgments, windowing: Windowing, rel: float = 1) -> list[TopicWindows]:
    """Return the windows of every topic, as time-aware measures define them; no subtopics are needed.

    Parameters
    ----------
    qrels : Judgments
        With the column ``window`` or ``timestamp``.
    windowing : Windowing
        How documents are assigned to windows.
    rel : float
        The smallest grade that counts as relevant.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "2014-03-01"), ("q", "b", 1, "2014-03-09"), ("q", "c", 1, "2014-05-02")]
    >>> qrels = irmx.read_qrels(pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "timestamp"]))
    >>> [topic] = windows_of(qrels, Windowing("1mo"))
    >>> topic.names, topic.documents, [round(w, 3) for w in topic.weights]
    (['2014-03', '2014-05'], [2, 1], [0.667, 0.333])
    """
    rankings = irmx.rankings(qrels, {topic: {"-": 0.0} for topic in qrels.index}, rel=rel)
    rows = rankings.qrels_rows
    relevant = (rows.grade >= rankings.rel) & ~rows.declares
    found = windows_of_rows(rankings, relevant, windowing)
    size = np.int64(max(len(found.names), 1))
    key = np.where(found.label >= 0, rows.topic * size + found.label, -1)
    known = np.unique(key[(relevant | rows.declares) & (key >= 0)])
    places = Places(known // size, known % size, found.names)
    chosen = np.flatnonzero(relevant)
    chosen = chosen[np.unique(rows.doc[chosen], return_index=True)[1]]
    documents = np.bincount(position_among(known, key[chosen[key[chosen] >= 0]]), minlength=len(known))
    aspects = _weighted(rankings, places, found.label, documents, found.weight)
    counted = np.bincount(rows.topic[chosen], minlength=len(rankings))
    return [
        TopicWindows(
            query_id,
            int(counted[t]),
            [str(aspects.names[i]) for i in here],
            [int(documents[i]) for i in here],
            [float(aspects.weight[i]) for i in here],
        )
        for t, query_id in enumerate(qrels.index)
        for here in [np.flatnonzero(places.topic == t).tolist()]
    ]


def _weighted(rankings: Rankings, places: Places, label: Any, documents: Any, of_bursts: Any) -> Aspects:
    """Return the windows with their weights, by the rule ``window_weights='auto'`` of the measures."""
    if of_bursts is not None:
        names = [places.names[i] for i in places.label.tolist()]
        return Aspects(places.topic, of_bursts[places.label], names, places.label)
    how = "column" if rankings.qrels_rows.has(WINDOW_WEIGHT) else "proportional"
    return aspects_of(rankings, places, label, documents.astype(float), how, WINDOW_WEIGHT)


def rows_of(topics: Sequence[TopicWindows]) -> list[dict[str, Any]]:
    """Return a row per window."""
    return [
        {"query_id": topic.query_id, "window": name, "documents": documents, "weight": weight}
        for topic in topics
        for name, documents, weight in zip(topic.names, topic.documents, topic.weights, strict=True)
    ]


def print_histograms(topics: Sequence[TopicWindows], places: int) -> None:
    """Print a histogram per topic, whose bars are the weights; in plain characters unless this is a terminal."""
    for topic in topics:
        inside = sum(topic.documents)
        some = "" if inside == topic.relevant else f", {inside} of them in windows"
        print(f"topic {visible(topic.query_id)}  {topic.relevant} relevant documents{some}")
        if topic.names:
            _bars(topic, places)


def _bars(topic: TopicWindows, places: int) -> None:
    heaviest = max(*topic.weights, 1e-300)
    texts = [
        (f"  {visible(name)}", str(documents), _number(weight, places))
        for name, documents, weight in zip(topic.names, topic.documents, topic.weights, strict=True)
    ]
    lengths = [weight / heaviest for weight in topic.weights]
    if not sys.stdout.isatty():
        name, documents, number = (max(len(row[i]) for row in texts) for i in range(3))
        for row, length in zip(texts, lengths, strict=True):
            bar = "#" * round(WIDTH * length)
            print(f"{row[0]:<{name}}  {row[1]:>{documents}}  {row[2]:>{number}}  {bar}".rstrip())
        return
    from rich.bar import Bar
    from rich.console import Console
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    for row, length in zip(texts, lengths, strict=True):
        grid.add_row(*row, Bar(1, 0, length, width=WIDTH))
    Console(markup=False, highlight=False, emoji=False).print(grid)


def _number(weight: float, places: int) -> str:
    return repr(weight) if places == -1 else f"{weight:.{places}f}"
