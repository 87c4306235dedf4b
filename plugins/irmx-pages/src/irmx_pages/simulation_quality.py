"""The quality of simulated pages: component scores, bins, and pairs of pages by bin."""

from __future__ import annotations

import itertools
import warnings
import zlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning
from irmx_pages.page import Block
from irmx_pages.whole import check_whole

if TYPE_CHECKING:
    import pandas as pd

    from irmx_pages.simulation import SimulatedPages

BINS = ("H", "M", "L")
"""High, medium and low quality."""


def f_measure(chosen: Collection[str], wanted: Collection[str]) -> float:
    """Return F, the harmonic mean of precision and recall of verticals; 1 where none is wanted and none is chosen.

    >>> round(f_measure(["image", "news"], ["image"]), 4), f_measure([], []), f_measure(["news"], [])
    (0.6667, 1.0, 0.0)
    """
    if not chosen and not wanted:
        return 1.0
    return 2 * len(set(chosen) & set(wanted)) / (len(set(chosen)) + len(set(wanted)))


def mean_precision(blocks: Sequence[Block], relevant: Collection[str]) -> float:
    """Return the share of relevant items of each vertical on a page, general web among them; their mean.

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
    """Return Kendall's tau of an order of blocks, given by their places in the perfect order; 1 for a single block.

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
    """Return component scores with the columns ``quality`` and ``bin``: a third of the topic's pages in each bin."""
    found = components.assign(
        quality=(components["f_measure"] + components["precision"] + (components["tau"] + 1) / 2) / 3
    )
    by_topic = found.groupby("query_id", sort=False)["quality"]
    place = by_topic.rank(method="first", ascending=False) - 1
    number = (3 * place // by_topic.transform("size")).astype(int)
    return found.assign(bin=[BINS[i] for i in number])


def page_pairs(simulated: SimulatedPages, pairs: int = 8, seed: int = 0) -> pd.DataFrame:
    """Return pairs of simulated pages to be compared, of every two bins of quality.

    Parameters
    ----------
    simulated : SimulatedPages
        What :func:`simulate_pages` gives.
    pairs : int
        How many of each of the six pairs of bins, for every topic.
    seed : int
        Of the choice, and of which page of a pair is page a. Pairs of a topic do not depend on other topics.

    Returns
    -------
    DataFrame
        A row a pair: ``query_id``, ``page_a``, ``page_b`` and ``bin_pair``, such as ``H-L``. With the columns ``assessor`` and
        ``choice`` it is a table of preferences. Two pages with the same blocks in the same order are no pair.

    Raises
    ------
    irmx.UsageError
        Where ``pairs`` is not at least 1, or the seed is negative.
    irmx.DataError
        Where no two pages differ.

    Warns
    -----
    irmx.DataWarning
        Where a topic has fewer pairs of two bins; all of them are taken.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.2.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import simulate_pages
    >>> rows = [("q", "w1", 1, "web", 0.5), ("q", "w2", 0, "web", 0.5), ("q", "i1", 1, "image", 0.8), ("q", "n1", 0, "news", 0.1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "vertical", "orientation"])
    >>> run = qrels[["query_id", "doc_id", "vertical"]].assign(score=[1.0, 4.0, 2.0, 3.0])
    >>> simulated = simulate_pages(qrels, {"bm25": run}, {"redde": {"q": {"news": 2.0, "image": 1.0}}})
    >>> page_pairs(simulated, pairs=2)["bin_pair"].value_counts(sort=False).to_dict()
    {'H-H': 2, 'H-M': 2, 'H-L': 2, 'M-M': 2, 'M-L': 2, 'L-L': 2}
    """
    import pandas as pd

    check_whole(1, pairs=pairs)
    check_whole(0, seed=seed)
    of_topic: dict[str, dict[str, list[tuple[str, Any]]]] = {}
    for page, name in zip(simulated.pages, simulated.quality["bin"], strict=True):
        of_topic.setdefault(page.query_id, {b: [] for b in BINS})[name].append((page.page_id, page.blocks))
    rows, fewer = [], 0
    for query_id, of_bin in of_topic.items():
        rng = np.random.default_rng([seed, zlib.crc32(query_id.encode())])
        for one, other in itertools.combinations_with_replacement(BINS, 2):
            both = (
                itertools.combinations(of_bin[one], 2)
                if one == other
                else itertools.product(of_bin[one], of_bin[other])
            )
            different = [(a[0], b[0]) for a, b in both if a[1] != b[1]]
            fewer += len(different) < pairs
            for i in sorted(rng.permutation(len(different))[:pairs].tolist()):
                turned = rng.random() < 0.5
                rows.append((query_id, *(different[i][::-1] if turned else different[i]), f"{one}-{other}"))
    if not rows:
        raise DataError("No two pages of a topic differ; there is nothing to compare.")
    if fewer:
        warnings.warn(
            f"{fewer} of {6 * len(of_topic)} pairs of bins of a topic have fewer than {pairs} pairs of different pages; all "
            "are taken",
            DataWarning,
            stacklevel=2,
        )
    return pd.DataFrame(rows, columns=["query_id", "page_a", "page_b", "bin_pair"])
