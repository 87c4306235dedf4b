"""Simulated pages of graded quality, and users who choose between pages by a measure, with noise."""

from __future__ import annotations

import itertools
import warnings
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import irmx
from irmx import DataError, DataWarning, Judgments, Param, Run, UsageError, read_qrels, read_run
from irmx.ragged import Ints, short_repr
from irmx.toolkit import Evaluator
from irmx_pages.ideal_pages import Limits, most_oriented, perfect_order
from irmx_pages.judged_verticals import JUDGED_VERTICAL, judged_verticals
from irmx_pages.page import WEB, WEB_ORIENTATION, Block, Page
from irmx_pages.page_files import read_pages
from irmx_pages.pages_as_runs import page_values
from irmx_pages.preference_votes import ANSWERS, Preferences, pair_numbers, read_preferences

if TYPE_CHECKING:
    import pandas as pd


PERFECT, BAD = "perfect", "bad"
_COUNT, _NUMBER = Param(int, "how many", low=1), Param(int, "how many", low=0)
_SEED, _SHARE = Param(int, "seed", low=0), Param(float, "share", low=0, high=1)


@dataclass(frozen=True)
class Judged:
    """The qrels of one topic.

    Attributes
    ----------
    orientation : dict of str to float
        orient(V|W,q) of every vertical, including general web.
    items : dict of str to list of str
        The judged items of every vertical, best grade first.
    media : dict of str to str
        The media type of the items of every vertical in the qrels.
    relevant : set of str
        The relevant items.
    """

    orientation: dict[str, float] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    media: dict[str, str] = field(default_factory=dict)
    relevant: set[str] = field(default_factory=set)

    @property
    def verticals(self) -> list[str]:
        """The verticals, without general web."""
        return [vertical for vertical in self.orientation if vertical != WEB]

    def wanted(self, threshold: float) -> list[str]:
        """Return the verticals above a threshold, the most oriented first."""
        verticals = self.verticals
        orientation = np.array([self.orientation[vertical] for vertical in verticals])
        return [verticals[i] for i in most_oriented(np.zeros(len(verticals), dtype=np.int64), orientation, threshold)]


def judged_topics(judgments: Judgments, rel: float) -> dict[str, Judged]:
    """Return the qrels of every topic; raises for errors in them, see :func:`judged_verticals`."""
    rankings = irmx.rankings(judgments, {topic: {"-": 0.0} for topic in judgments.index}, rel=rel)
    found, rows = judged_verticals(rankings), rankings.qrels_rows
    out = {str(topic): Judged(orientation={WEB: WEB_ORIENTATION}) for topic in rankings.topics}
    names = list(out)
    columns = (found.topic, found.label, found.orientation, found.media)
    for topic, label, value, media in zip(*(column.tolist() for column in columns), strict=True):
        out[names[topic]].orientation[found.names[label]] = value
        out[names[topic]].media[found.names[label]] = found.media_names[media]
    number, verticals = rows.labels(JUDGED_VERTICAL)
    for row in np.lexsort((np.arange(len(rows.doc)), -rows.grade, rows.topic)).tolist():
        if rows.doc[row] < 0:
            continue
        topic, item = out[names[rows.topic[row]]], judgments.docs[int(rows.doc[row])]
        topic.items.setdefault(str(verticals[number[row]]), []).append(item)
        if rows.grade[row] >= rel:
            topic.relevant.add(item)
    return out


@dataclass(frozen=True)
class Ranked:
    """The items of a ranking for one topic, by vertical, best first; and their media types by vertical."""

    items: dict[str, list[str]]
    media: dict[str, str]


def ranked_items(name: str, run: Any) -> dict[str, Ranked]:
    """Return a ranking of items by topic and vertical.

    Raises
    ------
    irmx.DataError
        If an item has no vertical.
    """
    found = read_run(run)
    vertical, media = found.column("vertical"), found.column("media")
    if vertical is None:
        raise DataError(
            f"The ranking {name!r} lacks the column 'vertical', the vertical that each item comes from. It has: {', '.join(found.columns)}."
        )
    out: dict[str, Ranked] = {}
    for query_id, rows in _best_first(found):
        topic = out[query_id] = Ranked({}, {})
        for row, doc in rows:
            where = vertical[row]
            if where is None or where != where or where == "":
                raise DataError(f"The ranking {name!r} has no vertical for the item {doc!r} of topic {query_id!r}.")
            topic.items.setdefault(str(where), []).append(doc)
            if media is not None and media[row]:
                topic.media.setdefault(str(where), str(media[row]))
    return out


def ranked_verticals(name: str, run: Any) -> dict[str, list[str]]:
    """Return a ranking of verticals by topic, best first."""
    out = {query_id: [doc for _, doc in rows] for query_id, rows in _best_first(read_run(run))}
    for query_id, verticals in out.items():
        if WEB in verticals:
            raise DataError(
                f"The ranking of verticals {name!r} has {WEB!r} for topic {query_id!r}; the web is always on the page. Remove it."
            )
    return out


def _best_first(run: Run) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield the rows and documents of every topic, by score and, for equal scores, by document, both descending."""
    for number, query_id in enumerate(run.topics):
        rows = enumerate(run.docs(number), start=int(run.offsets[number]))
        yield query_id, sorted(rows, key=lambda row: (run.score[row[0]], row[1]), reverse=True)


def refuse_names(given: Mapping[str, Any], what: str) -> None:
    """Raise if a ranking has a reserved name, or there are no rankings."""
    for name in given:
        if name in (PERFECT, BAD) or not name:
            raise UsageError(
                f"A ranking of {what} cannot be called {name!r}; {PERFECT} and {BAD} are reserved for the rankings that irmx makes."
            )


@dataclass(frozen=True)
class SimulatedPages:
    """Simulated pages and their quality.

    Attributes
    ----------
    pages : list of Page
        Topic by topic; the ``page_id`` consists of the selection of verticals, that of items and the presentation, joined by
        ``-``.
    quality : DataFrame
        One row per page: ``query_id``, ``page_id``, ``selection``, ``items``, ``presentation``; the component scores
        ``f_measure``, ``precision`` in [0, 1] and ``tau`` in [-1, 1]; ``quality``, the mean of the first two and of
        (tau + 1)/2; and ``bin``, H, M or L.
    """

    pages: list[Page]
    quality: pd.DataFrame

    __repr__ = short_repr


def simulate_pages(
    qrels: Any,
    item_rankings: Mapping[str, Any],
    vertical_rankings: Mapping[str, Any],
    *,
    threshold: float = 0.75,
    verticals: int = 3,
    block_items: int = 3,
    web_items: int = 10,
    rel: float = 1,
    seed: int = 0,
) -> SimulatedPages:
    """Return pages of graded quality for every topic, 36 per topic with two rankings of each kind.

    A page has a selection of verticals, a selection of items and a presentation:

    * verticals: ``perfect``, those with an orientation above the threshold, the most oriented first; the first of every
      given ranking; ``bad``, as many of the others as a page may have, drawn at random. General web is on every page.
    * items of each vertical: ``perfect``, the judged ones, best grade first; the first of every given ranking.
    * presentation: ``perfect``, blocks with relevant items above those without, in each group by descending orientation, where
      web results have 0.5 and come after verticals with the same orientation; ``random``, vertical blocks anywhere between the
      web results, which keep the order of their ranking; ``bad``, the perfect order reversed.

    The page that is perfect in all three is the one that ``ideal='paper'`` divides by, so its nUtil is 1 if the measure has the
    same limits (``ideal_threshold``, ``ideal_verticals``, ``ideal_items``, ``ideal_web``) and the same ``rel``.

    The following are choices of irmx, which the paper leaves open: the bad selection draws from all verticals not above the
    threshold, the position of web results among verticals, and the items of a block keep the order of their ranking.

    Parameters
    ----------
    qrels : any
        Whatever :func:`irmx.read_qrels` takes, with the columns ``vertical`` and ``orientation``.
    item_rankings : mapping of str to run
        Rankings of items by name: whatever :func:`irmx.read_run` takes, with the column ``vertical`` and, optionally, ``media``.
    vertical_rankings : mapping of str to run
        Rankings of verticals by name: runs whose documents are the names of verticals.
    threshold : float
        Orientation above which a vertical is wanted, in [0, 1]; the default is that of the paper's experiments.
    verticals : int
        The maximum number of vertical blocks on a page, at least 1.
    block_items, web_items : int
        The maximum numbers of items in a vertical block, and of web results on a page, at least 1.
    rel : float
        The smallest grade that counts as relevant.
    seed : int
        Seed of the bad selection and the random presentation. Pages of a topic do not depend on other topics.

    Returns
    -------
    SimulatedPages

    Raises
    ------
    irmx.UsageError
        If a limit or the seed is out of range, a ranking is named ``perfect`` or ``bad``, or two pages of a topic
        would have the same name.
    irmx.DataError
        If the qrels or a ranking lack a required column or value, or a page would have no items.

    Warns
    -----
    irmx.DataWarning
        If a ranking has no item of a selected vertical; the page then leaves it out.

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

    _SHARE.check(threshold, "threshold", "simulate_pages")
    _SEED.check(seed, "seed", "simulate_pages")
    for name, value in (("verticals", verticals), ("block_items", block_items), ("web_items", web_items)):
        _COUNT.check(value, name, "simulate_pages")
    limits = Limits(web_items, verticals, block_items, threshold)
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
        below = [v for v in topic.verticals if topic.orientation[v] <= threshold]
        selections = {
            PERFECT: topic.wanted(threshold)[:verticals],
            **{name: found.get(query_id, [])[:verticals] for name, found in of_verticals.items()},
            BAD: [below[i] for i in _generator(seed, query_id).permutation(len(below))[:verticals].tolist()],
        }
        sources = {PERFECT: Ranked(topic.items, topic.media)}
        sources |= {name: found.get(query_id, Ranked({}, {})) for name, found in of_items.items()}
        for selection, chosen in selections.items():
            for name, source in sources.items():
                _refuse_unknown(selection, query_id, chosen, topic)
                blocks = _blocks(topic, chosen, source, limits)
                without |= {(name, query_id, v) for v in chosen if v not in source.items}
                if not blocks:
                    raise DataError(
                        f"The ranking {name!r} has no items for topic {query_id!r}; a page needs at least one block."
                    )
                orders = _orders(blocks, topic, _generator(seed, query_id, selection, name))
                place = np.argsort(orders[PERFECT])
                for presentation, order in orders.items():
                    page_id = f"{selection}-{name}-{presentation}"
                    pages.append(Page(query_id, page_id, tuple(blocks[i] for i in order.tolist())))
                    scores = (
                        f_measure(pages[-1].verticals, topic.wanted(threshold)),
                        mean_precision(blocks, topic.relevant),
                        order_tau(place[order].tolist()),
                    )
                    rows.append((query_id, page_id, selection, name, presentation, *scores))
    if without:
        name, query_id, vertical = min(without)
        warnings.warn(
            f"In {len(without)} cases a ranking has no item of a selected vertical, such as {name!r} of {vertical!r} "
            f"for topic {query_id!r}; the pages leave it out",
            DataWarning,
            stacklevel=2,
        )
    columns = ["query_id", "page_id", "selection", "items", "presentation", "f_measure", "precision", "tau"]
    return SimulatedPages(pages, binned(pd.DataFrame(rows, columns=columns)))


def _generator(seed: int, *names: str) -> np.random.Generator:
    """Return the random generator for a seed and some names."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])


def _refuse_one_name(selections: Sequence[str], sources: Sequence[str]) -> None:
    """Raise if pages of two kinds would have the same name."""
    of_name: dict[str, tuple[str, str]] = {}
    for kind in itertools.product(selections, sources):
        other = of_name.setdefault("-".join(kind), kind)
        if other != kind:
            raise UsageError(
                f"The pages of {other[0]!r} with {other[1]!r} and those of {kind[0]!r} with {kind[1]!r} would both be named "
                f"'{'-'.join(kind)}'. Rename one of the rankings."
            )


def _refuse_unknown(selection: str, query_id: str, chosen: list[str], topic: Judged) -> None:
    """Raise if a selected vertical is missing from the qrels of the topic."""
    unknown = next((v for v in chosen if v not in topic.orientation), None)
    if unknown is not None:
        raise DataError(
            f"The ranking of verticals {selection!r} has {unknown!r} for topic {query_id!r}, for which the qrels of the topic "
            "have no orientation."
        )


def _blocks(topic: Judged, chosen: list[str], source: Ranked, limits: Limits) -> list[Block]:
    """Return the blocks of a page: the verticals in the order of selection, then the web results as ranked."""
    verticals = [
        Block(v, source.media.get(v, ""), tuple(source.items[v][: limits.items])) for v in chosen if v in source.items
    ]
    web = [Block(WEB, source.media.get(WEB, ""), (item,)) for item in source.items.get(WEB, [])[: limits.web]]
    return [*verticals, *web]


def _orders(blocks: list[Block], topic: Judged, rng: np.random.Generator) -> dict[str, Ints]:
    """Return the indices of blocks in the order of every presentation."""
    orientation = np.array([topic.orientation[block.vertical] for block in blocks])
    relevant = np.array([len(topic.relevant.intersection(block.items)) for block in blocks])
    perfect = perfect_order(np.zeros(len(blocks), dtype=np.int64), orientation, relevant)
    dispersed = rng.permutation(len(blocks))
    web = np.array([block.vertical == WEB for block in blocks])[dispersed]
    dispersed[web] = np.sort(dispersed[web])
    return {PERFECT: perfect, "random": dispersed, BAD: perfect[::-1]}


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
    quality = (components["f_measure"] + components["precision"] + (components["tau"] + 1) / 2) / 3
    found = components.assign(quality=quality)
    by_topic = found.groupby("query_id", sort=False)["quality"]
    place = by_topic.rank(method="first", ascending=False) - 1
    number = (3 * place // by_topic.transform("size")).astype(int)
    return found.assign(bin=[BINS[i] for i in number])


def page_pairs(simulated: SimulatedPages, pairs: int = 8, seed: int = 0, traps: int = 0) -> pd.DataFrame:
    """Return pairs of simulated pages for assessors to compare, for every pair of quality bins.

    Parameters
    ----------
    simulated : SimulatedPages
        The result of :func:`simulate_pages`.
    pairs : int
        Number of page pairs for each of the six pairs of bins and each topic.
    seed : int
        Seed of the choice of pairs, and of which page is page a. Pairs of a topic, other than traps, do not depend on other topics.
    traps : int
        Number of trap pairs for each topic, which show careless assessors: one of the two pages was made for another topic. The
        paper has 500 such assessments beside 10,752, and does not say of which pages. Here both are drawn from the bins of high
        quality, so that the page for the topic is the right answer, and the other topic shares no item with this one.

    Returns
    -------
    DataFrame
        One row per pair: ``query_id``, ``page_a``, ``page_b`` and ``bin_pair``, such as ``H-L``. With the columns ``assessor`` and
        ``choice`` it is a table of preferences. Two pages with the same blocks in the same order are never paired. With ``traps``
        there is the column ``trap`` too, the right answer of a trap pair and empty for others; page ``p`` of topic ``t`` is named
        ``t:p`` there, and ``bin_pair`` is empty.

    Raises
    ------
    irmx.UsageError
        If ``pairs`` is not at least 1, or the seed or ``traps`` is negative.
    irmx.DataError
        If no two pages differ, or a topic has fewer trap pairs than asked for.

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

    _COUNT.check(pairs, "pairs", "page_pairs")
    _SEED.check(seed, "seed", "page_pairs")
    _NUMBER.check(traps, "traps", "page_pairs")
    of_topic: dict[str, dict[str, list[tuple[str, Any]]]] = {}
    for page, name in zip(simulated.pages, simulated.quality["bin"], strict=True):
        of_topic.setdefault(page.query_id, {b: [] for b in BINS})[name].append((page.page_id, page.blocks))
    rows, fewer = [], 0
    trap_pairs = _trap_pairs(simulated, traps, seed) if traps else {}
    for query_id, of_bin in of_topic.items():
        rng = np.random.default_rng([seed, zlib.crc32(query_id.encode())])
        for one, other in itertools.combinations_with_replacement(BINS, 2):
            of_two = itertools.product(of_bin[one], of_bin[other])
            both = itertools.combinations(of_bin[one], 2) if one == other else of_two
            different = [(a[0], b[0]) for a, b in both if a[1] != b[1]]
            fewer += len(different) < pairs
            for i in sorted(rng.permutation(len(different))[:pairs].tolist()):
                turned = rng.random() < 0.5
                rows.append((query_id, *(different[i][::-1] if turned else different[i]), f"{one}-{other}", ""))
        rows += trap_pairs.get(query_id, [])
    if all(row[-1] for row in rows):
        raise DataError("No two pages of a topic differ; there is nothing to compare.")
    if fewer:
        warnings.warn(
            f"{fewer} of {6 * len(of_topic)} pairs of bins of a topic have fewer than {pairs} pairs of different pages; all of "
            "these are used",
            DataWarning,
            stacklevel=2,
        )
    table = pd.DataFrame(rows, columns=["query_id", "page_a", "page_b", "bin_pair", "trap"])
    return table if traps else table.drop(columns="trap")


def _trap_pairs(simulated: SimulatedPages, traps: int, seed: int) -> dict[str, list[tuple[str, ...]]]:
    """Return rows of pairs of a page of a topic and one of another topic, both of high quality, by topic."""
    topics_of: dict[str, set[str]] = {}
    for page in simulated.pages:
        for item in page.items:
            topics_of.setdefault(item, set()).add(page.query_id)
    related: dict[str, set[str]] = {}
    for topics in topics_of.values():
        for query_id in topics:
            related.setdefault(query_id, set()).update(topics)
    high = [page for page, name in zip(simulated.pages, simulated.quality["bin"], strict=True) if name == BINS[0]]
    topic_of = np.array([page.query_id for page in high], dtype=object)
    out: dict[str, list[tuple[str, ...]]] = {}
    for query_id, others in related.items():
        own, foreign = np.flatnonzero(topic_of == query_id), np.flatnonzero(~np.isin(topic_of, sorted(others)))
        if len(own) * len(foreign) < traps:
            raise DataError(
                f"Topic {query_id!r} has {len(own) * len(foreign)} trap pairs, fewer than {traps}: their other page is made for a topic that "
                "shares no item with it. Ask for fewer, or add topics."
            )
        rng = _generator(seed, query_id, "trap")
        drawn = rng.choice(len(own) * len(foreign), traps, replace=False)
        first = rng.random(traps) < 0.5
        out[query_id] = []
        for a, b, is_a in zip(own[drawn // len(foreign)], foreign[drawn % len(foreign)], first.tolist(), strict=True):
            names = (high[a].page_id, f"{high[b].query_id}:{high[b].page_id}")
            out[query_id].append((query_id, *(names if is_a else names[::-1]), "", "a" if is_a else "b"))
    return out


def simulate_preferences(
    pages: Any,
    pairs: pd.DataFrame,
    qrels: Any,
    users: Mapping[str, Any],
    scale: float = 20.0,
    seed: int = 0,
    bad_below: float | None = None,
) -> Preferences:
    """Return simulated preferences of users who choose by measures: P(A > B) = 1 / (1 + exp(-scale (m(A) - m(B)))).

    Useful for finding out what can be learned from preferences, and how many are needed.

    Parameters
    ----------
    pages : any
        Whatever :func:`read_pages` takes.
    pairs : DataFrame
        ``query_id``, ``page_a``, ``page_b`` and, optionally, ``bin_pair`` and ``trap``, such as the result of :func:`page_pairs`.
        All users give the right answer to trap pairs, whose pages need not be among ``pages``.
    qrels : any
        Whatever :func:`irmx.read_qrels` takes.
    users : mapping of str to Measure or str
        The measure m by which each assessor chooses, by the assessor's name.
    scale : float
        Above 0; larger values mean less noise.
    seed : int
        Seed of the choices.
    bad_below : float, optional
        A user for whom both pages have values below this answers that both are bad; with None, no user does.

    Returns
    -------
    Preferences
        One vote of every user on every pair.

    Raises
    ------
    irmx.UsageError
        If the scale is not above 0, the seed is negative, or there are no users.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import Block, Page
    >>> pages = [Page("q", name, (Block("web", "", (name,)),)) for name in ("w1", "w2")]
    >>> pairs = pd.DataFrame({"query_id": ["q"], "page_a": ["w2"], "page_b": ["w1"]})
    >>> simulate_preferences(pages, pairs, {"q": {"w1": 1}}, {"ann": "P@1", "bob": "RR"}).choice
    array([-1, -1])
    """
    import pandas as pd

    _SEED.check(seed, "seed", "simulate_preferences")
    if not scale > 0:
        raise UsageError(f"The scale must be a number above 0. Got {scale!r} instead.")
    if not users:
        raise UsageError("There are no users: 'users' maps names to measures, such as {'ann': 'AS_RBP(alpha=5)'}.")
    pages, judgments = read_pages(pages), read_qrels(qrels)
    votes = read_preferences(pd.concat([pairs.assign(assessor=name, choice="a") for name in users], ignore_index=True))
    right = np.array([ANSWERS.index(trap) if trap else -1 for trap in votes.trap or [""] * len(votes)])[votes.pair]
    asked = votes.where(right < 0)
    a, b = pair_numbers(pages, asked)
    evaluator = Evaluator(list(users.values()), judgments)
    values = page_values(pages, evaluator)
    column = {str(m): i for i, m in enumerate(evaluator.measures)}
    of_user = [column[str(Evaluator(users[name], judgments).measures[0])] for name in asked.assessors]
    assessed = np.array(of_user)[asked.assessor]
    value_a, value_b = values[a[asked.pair], assessed], values[b[asked.pair], assessed]
    preferred = 1 / (1 + np.exp(-np.clip(scale * (value_a - value_b), -700, 700)))
    drawn = np.random.default_rng(seed).random(len(asked.pair)) < preferred
    answer = np.where(drawn, ANSWERS.index("a"), ANSWERS.index("b"))
    if bad_below is not None:
        answer[np.maximum(value_a, value_b) < bad_below] = ANSWERS.index("bad")
    right[right < 0] = answer
    return replace(votes, answer=right)
