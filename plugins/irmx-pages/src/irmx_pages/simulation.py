"""Simulated pages: every combination of a selection of verticals, a selection of items and a presentation."""

from __future__ import annotations

import itertools
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, UsageError, read_qrels
from irmx_pages.page import Block, Page
from irmx_pages.pages import WEB
from irmx_pages.simulation_items import (
    BAD,
    PERFECT,
    Judged,
    Ranked,
    judged_topics,
    ranked_items,
    ranked_verticals,
    refuse_names,
)
from irmx_pages.simulation_quality import binned, f_measure, mean_precision, order_tau
from irmx_pages.whole import check_whole

if TYPE_CHECKING:
    import pandas as pd

PRESENTATIONS = (PERFECT, "random", BAD)


@dataclass(frozen=True)
class SimulatedPages:
    """Simulated pages and their quality.

    Attributes
    ----------
    pages : list of Page
        Topic by topic; the ``page_id`` is the selection of verticals, that of items and the presentation, with ``-`` between.
    quality : DataFrame
        A row a page: ``query_id``, ``page_id``, ``selection``, ``items``, ``presentation``; the component scores
        ``f_measure``, ``precision`` in [0, 1] and ``tau`` in [-1, 1]; ``quality``, the mean of the first two and of
        (tau + 1)/2; and ``bin``, H, M or L.
    """

    pages: list[Page]
    quality: pd.DataFrame


@dataclass(frozen=True)
class _Limits:
    verticals: int
    block_items: int
    web_items: int
    threshold: float


def simulate_pages(
    qrels: Any,
    item_rankings: Mapping[str, Any],
    vertical_rankings: Mapping[str, Any],
    *,
    threshold: float = 0.5,
    verticals: int = 3,
    block_items: int = 3,
    web_items: int = 10,
    rel: float = 1,
    seed: int = 0,
) -> SimulatedPages:
    """Return pages of graded quality for every topic, 36 with two rankings of each kind.

    A page has a selection of verticals, a selection of items and a presentation:

    * verticals: ``perfect``, those with an orientation above the threshold, the most oriented first; the first of every
      ranking given; ``bad``, the least oriented of the others. General web is on every page.
    * items of each of these: ``perfect``, the judged ones, best grade first; the first of every ranking given.
    * presentation: ``perfect``, blocks by orientation, descending, where web results have 0.5 and stand below verticals of as
      much; ``random``; ``bad``, the perfect order upside down.

    What the paper leaves open is a choice of irmx: the bad selection, the place of web results, the quality of a page as the
    mean of its component scores, and bins of a third of the topic's pages each.

    Parameters
    ----------
    qrels : any
        Whatever :func:`irmx.read_qrels` takes, with the columns ``vertical`` and ``orientation``.
    item_rankings : mapping of str to run
        Rankings of items by name: whatever :func:`irmx.read_run` takes, with the column ``vertical`` and, if there, ``media``.
    vertical_rankings : mapping of str to run
        Rankings of verticals by name: runs whose documents are the names of verticals.
    threshold : float
        In [0, 1]; the paper's experiments have .75.
    verticals : int
        The most vertical blocks on a page, at least 1.
    block_items, web_items : int
        The most items of a vertical block, and of general web on a page, at least 1.
    rel : float
        The smallest grade that counts as relevant.
    seed : int
        Of the random presentation. Pages of a topic do not depend on other topics.

    Returns
    -------
    SimulatedPages

    Raises
    ------
    irmx.UsageError
        Where a limit or the seed is not in its range, a ranking is called ``perfect`` or ``bad``, or two pages of a topic
        would have one name.
    irmx.DataError
        Where the qrels or a ranking lack what is needed, or a page would have no item.

    Warns
    -----
    irmx.DataWarning
        Where a ranking has no item of a vertical that is selected; the page then does without it.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.2.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("q", "w1", 1, "web", 0.5), ("q", "w2", 0, "web", 0.5), ("q", "i1", 1, "image", 0.8), ("q", "n1", 0, "news", 0.1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "vertical", "orientation"])
    >>> run = qrels[["query_id", "doc_id", "vertical"]].assign(score=[1.0, 4.0, 2.0, 3.0])
    >>> simulated = simulate_pages(qrels, {"bm25": run}, {"redde": {"q": {"news": 2.0, "image": 1.0}}}, verticals=1)
    >>> len(simulated.pages), simulated.pages[0].page_id, simulated.pages[0].items
    (18, 'perfect-perfect-perfect', ('i1', 'w1', 'w2'))
    >>> print(simulated.quality.loc[[0, 17], ["page_id", "f_measure", "precision", "tau", "quality", "bin"]].round(3).to_string())
                        page_id  f_measure  precision  tau  quality bin
    0   perfect-perfect-perfect        1.0       0.75  1.0    0.917   H
    17             bad-bm25-bad        0.0       0.25 -1.0    0.083   L
    """
    import pandas as pd

    limits = _checked(_Limits(verticals, block_items, web_items, threshold))
    check_whole(0, seed=seed)
    refuse_names(item_rankings, "items")
    refuse_names(vertical_rankings, "verticals")
    _refuse_one_name((PERFECT, *vertical_rankings, BAD), (PERFECT, *item_rankings))
    judged = judged_topics(read_qrels(qrels), rel)
    of_items = {name: ranked_items(name, run) for name, run in item_rankings.items()}
    of_verticals = {name: ranked_verticals(name, run) for name, run in vertical_rankings.items()}
    pages: list[Page] = []
    rows: list[tuple[Any, ...]] = []
    without: set[tuple[str, str, str]] = set()
    for query_id, topic in judged.items():
        selections = {
            PERFECT: _oriented(topic, limits)[: limits.verticals],
            **{name: found.get(query_id, [])[: limits.verticals] for name, found in of_verticals.items()},
            BAD: _unwanted(topic, limits),
        }
        sources = {PERFECT: Ranked(topic.items, _media(of_items, query_id))}
        sources |= {name: found.get(query_id, Ranked({}, {})) for name, found in of_items.items()}
        for selection, chosen in selections.items():
            for name, source in sources.items():
                _refuse_unknown(selection, query_id, chosen, topic)
                blocks = _blocks(topic, chosen, source, limits)
                without |= {(name, query_id, v) for v in chosen if v not in source.items}
                if not blocks:
                    raise DataError(f"The ranking {name!r} has no item for topic {query_id!r}; a page needs a block.")
                for presentation in PRESENTATIONS:
                    order = _order(presentation, len(blocks), (seed, query_id, selection, name))
                    page_id = f"{selection}-{name}-{presentation}"
                    pages.append(Page(query_id, page_id, tuple(blocks[i] for i in order)))
                    scores = (
                        f_measure(pages[-1].verticals, _oriented(topic, limits)),
                        mean_precision(blocks, topic.relevant),
                        order_tau(order),
                    )
                    rows.append((query_id, page_id, selection, name, presentation, *scores))
    if without:
        name, query_id, vertical = min(without)
        warnings.warn(
            f"{len(without)} times a ranking has no item of a vertical that is selected, such as {name!r} of {vertical!r} "
            f"for topic {query_id!r}; the pages do without it",
            DataWarning,
            stacklevel=2,
        )
    columns = ["query_id", "page_id", "selection", "items", "presentation", "f_measure", "precision", "tau"]
    return SimulatedPages(pages, binned(pd.DataFrame(rows, columns=columns)))


def _checked(limits: _Limits) -> _Limits:
    check_whole(1, verticals=limits.verticals, block_items=limits.block_items, web_items=limits.web_items)
    if not 0 <= limits.threshold <= 1:
        raise UsageError(f"threshold must be a number in the range [0, 1]. Got {limits.threshold!r} instead.")
    return limits


def _oriented(topic: Judged, limits: _Limits) -> list[str]:
    """Return the verticals above the threshold, the most oriented first."""
    above = [v for v, value in topic.orientation.items() if v != WEB and value > limits.threshold]
    return sorted(above, key=lambda v: -topic.orientation[v])


def _unwanted(topic: Judged, limits: _Limits) -> list[str]:
    """Return the verticals that are not above the threshold, the least oriented first."""
    below = [v for v, value in topic.orientation.items() if v != WEB and value <= limits.threshold]
    return sorted(below, key=lambda v: topic.orientation[v])[: limits.verticals]


def _media(rankings: Mapping[str, Mapping[str, Ranked]], query_id: str) -> dict[str, str]:
    """Return the media types that the rankings give to the verticals of a topic."""
    found: dict[str, str] = {}
    for ranking in rankings.values():
        found = {**ranking[query_id].media, **found} if query_id in ranking else found
    return found


def _refuse_one_name(selections: Sequence[str], sources: Sequence[str]) -> None:
    """Raise where pages of two kinds would have one name."""
    of_name: dict[str, tuple[str, str]] = {}
    for kind in itertools.product(selections, sources):
        other = of_name.setdefault("-".join(kind), kind)
        if other != kind:
            raise UsageError(
                f"The pages of {other[0]!r} with {other[1]!r} and those of {kind[0]!r} with {kind[1]!r} would both be called "
                f"'{'-'.join(kind)}'. Give a ranking another name."
            )


def _refuse_unknown(selection: str, query_id: str, chosen: list[str], topic: Judged) -> None:
    """Raise where a vertical is selected that the qrels of the topic lack."""
    unknown = next((v for v in chosen if v not in topic.orientation), None)
    if unknown is not None:
        raise DataError(
            f"The ranking of verticals {selection!r} has {unknown!r} for topic {query_id!r}, to which the qrels of the topic "
            "give no orientation."
        )


def _blocks(topic: Judged, chosen: list[str], source: Ranked, limits: _Limits) -> list[Block]:
    """Return the blocks of a page in the perfect order."""
    verticals = [
        Block(v, source.media.get(v, ""), tuple(source.items[v][: limits.block_items]))
        for v in chosen
        if v in source.items
    ]
    web = [Block(WEB, source.media.get(WEB, ""), (item,)) for item in source.items.get(WEB, [])[: limits.web_items]]
    return sorted([*verticals, *web], key=lambda block: -topic.orientation[block.vertical])


def _order(presentation: str, size: int, of: tuple[int, str, str, str]) -> list[int]:
    """Return the places of blocks in the perfect order, as they are presented."""
    if presentation == "random":
        seed, *names = of
        found: list[int] = (
            np.random.default_rng([seed, *(zlib.crc32(n.encode()) for n in names)]).permutation(size).tolist()
        )
        return found
    return list(range(size)) if presentation == PERFECT else list(range(size))[::-1]
