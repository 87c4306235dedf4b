"""The quality of simulated pages: component scores, and bins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmx_pages.page.page import Block

if TYPE_CHECKING:
    import pandas as pd

BINS = ("H", "M", "L")
"""High, medium and low quality."""


def f_measure(chosen: Collection[str], wanted: Collection[str]) -> float:
    """Return F, the harmonic mean of precision and recall of verticals; 1 if none are wanted and none are chosen.

    >>> round(f_measure(["image", "news"], ["image"]), 4), f_measure([], []), f_measure(["news"], [])
    (0.6667, 1.0, 0.0)
    """
    if not chosen and not wanted:
        return 1.0
    return 2 * len(set(chosen) & set(wanted)) / (len(set(chosen)) + len(set(wanted)))


def mean_precision(blocks: Sequence[Block], relevant: Collection[str]) -> float:
    """Return the mean over the verticals on a page, including general web, of the share of relevant items.

    >>> blocks = [Block("web", "", ("w1",)), Block("web", "", ("w2",)), Block("news", "", ("n1", "n2"))]
    >>> mean_precision(blocks, {"w1", "n1", "n2"})
    0.75
    """
    items: dict[str, list[str]] = {}
    for block in blocks:
        items.setdefault(block.vertical, []).extend(block.items)
    shares = [sum(item in relevant for item in mine) / len(mine) for mine in items.values()]
    return sum(shares) / len(shares)


def order_tau(order: Sequence[int]) -> float:
    """Return Kendall's tau of an order of blocks, given as positions in the perfect order; 1 for a single block.

    >>> order_tau([0, 1, 2]), round(order_tau([1, 0, 2]), 4), order_tau([2, 1, 0]), order_tau([0])
    (1.0, 0.3333, -1.0, 1.0)
    """
    places = np.asarray(order)
    pairs = len(places) * (len(places) - 1) // 2
    if not pairs:
        return 1.0
    discordant = int(np.triu(places[:, None] > places[None, :], 1).sum())
    return 1 - 2 * discordant / pairs


def binned(components: pd.DataFrame) -> pd.DataFrame:
    """Return component scores with the columns ``quality`` and ``bin``; each bin has a third of the topic's pages."""
    found = components.assign(
        quality=(components["f_measure"] + components["precision"] + (components["tau"] + 1) / 2) / 3
    )
    by_topic = found.groupby("query_id", sort=False)["quality"]
    place = by_topic.rank(method="first", ascending=False) - 1
    number = (3 * place // by_topic.transform("size")).astype(int)
    return found.assign(bin=[BINS[i] for i in number])
