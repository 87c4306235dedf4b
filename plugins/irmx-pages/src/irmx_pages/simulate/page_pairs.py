"""Pairs of simulated pages for assessors to compare, by bins of quality."""

from __future__ import annotations

import itertools
import warnings
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning
from irmx_pages.simulate.page_quality import BINS
from irmx_pages.simulate.simulated_pages import SimulatedPages
from irmx_pages.whole_numbers import check_whole

if TYPE_CHECKING:
    import pandas as pd


def page_pairs(simulated: SimulatedPages, pairs: int = 8, seed: int = 0) -> pd.DataFrame:
    """Return pairs of simulated pages for assessors to compare, for every pair of quality bins.

    Parameters
    ----------
    simulated : SimulatedPages
        The result of :func:`simulate_pages`.
    pairs : int
        Number of page pairs for each of the six pairs of bins and each topic.
    seed : int
        Seed of the choice of pairs, and of which page is page a. Pairs of a topic do not depend on other topics.

    Returns
    -------
    DataFrame
        One row per pair: ``query_id``, ``page_a``, ``page_b`` and ``bin_pair``, such as ``H-L``. With the columns ``assessor`` and
        ``choice`` it is a table of preferences. Two pages with the same blocks in the same order are never paired.

    Raises
    ------
    irmx.UsageError
        If ``pairs`` is not at least 1, or the seed is negative.
    irmx.DataError
        If no two pages differ.

    Warns
    -----
    irmx.DataWarning
        If a topic has fewer pairs for two bins; all of them are then used.

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
            f"{fewer} of {6 * len(of_topic)} pairs of bins of a topic have fewer than {pairs} pairs of different pages; all of "
            "these are used",
            DataWarning,
            stacklevel=2,
        )
    return pd.DataFrame(rows, columns=["query_id", "page_a", "page_b", "bin_pair"])
