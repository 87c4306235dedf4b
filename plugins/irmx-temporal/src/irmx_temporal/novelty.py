"""The measures of ndeval at any cutoff: alpha-nDCG, ERR-IA, NRBP and others, which count a subtopic less each time it is covered."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irmx import COMMON_PARAMS, Column, Formula, Param, Rankings, number
from irmx.ragged import Floats, Ints, segment_sum
from irmx_temporal.cells import Cells
from irmx_temporal.diversity import Diversity, table_of_cells
from irmx_temporal.windows import SUBTOPIC

REL = Param(number, COMMON_PARAMS["rel"].desc, default=1, above=0, high=COMMON_PARAMS["rel"].high)
RANKED = {"cutoff": COMMON_PARAMS["cutoff"], "rel": REL, "judged_only": COMMON_PARAMS["judged_only"]}
ALPHA = Param(
    float, "redundancy intolerance: the share of a subtopic's gain that each document takes", default=0.5, low=0, high=1
)
BETA = Param(float, "patience: the probability to go on to the next document", default=0.5, above=0, below=1)

OF_GAINS = {
    "c": "a subtopic",
    "S": "the number of subtopics of the topic that have a relevant document or are declared",
    "n_{c,i}": "the number of documents above rank $i$ that are relevant to $c$",
    "r_{c,i}": "1 if the document at rank $i$ is relevant to $c$, else 0",
}
GAIN = r"g_i = \sum_{c} r_{c,i}\,(1-\alpha)^{n_{c,i}}"
NEGLIGIBLE = 1e-20
"""Ranks whose weight is below this share change no float."""


class _Greedy(NamedTuple):
    """The gains of the greedy ideal ranking of every topic, by topic and rank."""

    topic: Ints
    rank: Ints
    gain: Floats


class OfNdeval(Diversity):
    """Base class of the measures of ndeval: a sum over the subtopics of each document retrieved, divided by a number per topic."""

    QREL_COLUMNS: ClassVar[tuple[Column, ...]] = (SUBTOPIC,)
    CITATIONS = ()

    def qrel_columns(self) -> tuple[Column, ...]:
        return (SUBTOPIC,)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        divisor = self.divisor(cells, rankings)[cells.layout.topic]
        total = segment_sum(self.gains(cells), cells.cell, len(cells))
        return np.divide(total, divisor, out=np.zeros(len(cells)), where=divisor > 0)

    def of_cells(self, cells: Cells, rankings: Rankings) -> Floats:
        return segment_sum(self.per_cell(cells, rankings), cells.layout.topic, len(rankings))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        cells = self.cells(rankings)
        return table_of_cells(cells, rankings, self.per_cell(cells, rankings))

    def gains(self, cells: Cells) -> Floats:
        """Return the gain of every document retrieved in each of its subtopics."""
        return np.asarray((1 - self.alpha) ** cells.place * self.discount(cells.rank))

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        """Return the number by which the sum of each topic is divided."""
        raise NotImplementedError

    @property
    def alpha(self) -> float:
        """The redundancy intolerance; that of ERR-IA is fixed, as in ndeval."""
        return float(self["alpha"]) if "alpha" in self.SUPPORTED_PARAMS else 0.5

    def discount(self, rank: Ints) -> Floats:
        """Return the weight of ranks."""
        raise NotImplementedError

    def ideal(self, cells: Cells, rankings: Rankings) -> Floats:
        """Return the sum of discounted gains of the greedy ideal ranking of every topic."""
        greedy = greedy_gains(cells, rankings, self.alpha, self.deepest())
        return segment_sum(greedy.gain * self.discount(greedy.rank), greedy.topic, len(rankings))

    def deepest(self) -> int | None:
        """Return the last rank of the ideal ranking that matters."""
        cutoff: int | None = self["cutoff"]
        return cutoff

    def depth(self, rankings: Rankings) -> Ints:
        """Return the number of ranks over which a measure is normalised: the cutoff, or the length of the ranking."""
        return np.full(len(rankings), self["cutoff"]) if self["cutoff"] else rankings.depth


def subtopics_per_topic(cells: Cells, rankings: Rankings) -> Ints:
    """Return the number of subtopics of every topic."""
    return np.bincount(cells.subtopics.topic, minlength=len(rankings))


def greedy_gains(cells: Cells, rankings: Rankings, alpha: float, depth: int | None) -> _Greedy:
    """Return the gains of the ranking that takes, rank by rank, a document of the largest gain; of several, that of the largest id."""

    def made() -> _Greedy:
        layout = cells.layout
        ids = rankings.qrels_rows.doc_ids
        names = [ids[row] for row in layout.row.tolist()]
        ends = np.searchsorted(layout.row_topic, np.arange(layout.topics + 1)).tolist()
        gains = [
            _greedy_gains(names[start:end], layout.subtopic[layout.cell[start:end]], alpha, depth)
            for start, end in pairwise(ends)
        ]
        lengths = [len(of_topic) for of_topic in gains]
        topic = np.repeat(np.arange(layout.topics), lengths)
        rank = np.array([i for length in lengths for i in range(1, length + 1)], dtype=np.int64)
        return _Greedy(topic, rank, np.array([gain for of_topic in gains for gain in of_topic], dtype=np.float64))

    return rankings.qrels_memo(("irmx-temporal", "greedy", rankings.rel, alpha, depth), made)


def _greedy_gains(names: list[str], subtopic: Ints, alpha: float, depth: int | None) -> list[float]:
    """Return the gains of one topic; documents with the same subtopics are taken in descending order of their ids."""
    if not names:
        return []
    documents = {name: place for place, name in enumerate(sorted(set(names), reverse=True))}
    number = subtopic - subtopic.min()
    covers = np.zeros((len(documents), int(number.max()) + 1))
    covers[[documents[name] for name in names], number] = 1
    kinds, kind = np.unique(covers, axis=0, return_inverse=True)
    waiting = [np.flatnonzero(kind.reshape(-1) == i).tolist()[::-1] for i in range(len(kinds))]
    worth, gains = np.ones(kinds.shape[1]), list[float]()
    for _ in range(min(len(documents), depth or len(documents))):
        gain = np.cumsum(kinds * worth, axis=1)[:, -1]  # which adds in the order of subtopics, as ndeval does
        gain[[not docs for docs in waiting]] = -1
        best = float(gain.max())
        if best <= 0:
            break
        chosen = min(np.flatnonzero(gain == best).tolist(), key=lambda i: waiting[i][-1])
        waiting[chosen].pop()
        gains.append(best)
        worth[kinds[chosen] > 0] *= 1 - alpha
    return gains


# -- alpha-DCG and ERR-IA ----------------------------------------------------------------------------------------------


class AlphaDCG(OfNdeval):
    """The discounted gain of a ranking, relative to that of documents that each cover all subtopics.

    As in ndeval, the value at cutoff 1 is not divided: it is the number of subtopics that the first document covers. Without a
    cutoff, the ideal is as long as the ranking.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("alpha_DCG@2 alpha_nDCG@2 ERR_IA@2", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {alpha_DCG@2: 0.73981..., alpha_nDCG@2: 0.84060..., ERR_IA@2: 0.7}
    """

    NAME = "alpha_DCG"
    PRETTY_NAME = "Alpha discounted cumulative gain"
    SHORT_DESC = "The discounted gain of new subtopics, relative to documents that each cover all of them."
    FORMULA = Formula(
        rf"\alpha\text{{-DCG@}}k = \frac{{\sum_{{i=1}}^{{k}} g_i / \log_2(i+1)}}{{\sum_{{i=1}}^{{k}} S\,(1-\alpha)^{{i-1}} / \log_2(i+1)}}, \qquad {GAIN}",
        {
            "k": "the cutoff; without one, the length of the ranking",
            "i": "a rank",
            "g_i": "the gain of the document at rank $i$",
            **OF_GAINS,
            r"\alpha": "the share of a subtopic's gain that each document takes",
        },
    )
    SUPPORTED_PARAMS: dict[str, Any] = {**RANKED, "alpha": ALPHA}
    RANGE = (0.0, math.inf)
    EXAMPLES = ("alpha_DCG@20", "alpha_DCG(alpha=0.2)@50")

    def discount(self, rank: Ints) -> Floats:
        return np.asarray(1 / np.log2(rank + 1))

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        depth = self.depth(rankings)
        ranks = np.arange(1, int(depth.max(initial=1)) + 1)
        best = np.cumsum((1 - self.alpha) ** (ranks - 1.0) * self.discount(ranks))
        whole = subtopics_per_topic(cells, rankings) * best[np.maximum(depth, 1) - 1]
        return np.ones(len(rankings)) if self["cutoff"] == 1 else whole


class AlphaNDCG(AlphaDCG):
    """The discounted gain of a ranking, relative to that of the greedy ideal ranking of all judged documents.

    The ideal ranking takes a document of the largest gain at every rank, and of several that of the largest id, as in ndeval. It
    need not be the best ranking, so that a value may be larger than 1.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("alpha_nDCG(alpha=0.2)@100", qrels, {"q": {"b": 2.0, "a": 1.0}})
    {alpha_nDCG(alpha=0.2)@100: 1.0}
    """

    NAME = "alpha_nDCG"
    PRETTY_NAME = "Alpha normalised discounted cumulative gain"
    SHORT_DESC = "The discounted gain of new subtopics, relative to a greedy ideal ranking."
    FORMULA = Formula(
        rf"\alpha\text{{-nDCG@}}k = \frac{{\sum_{{i=1}}^{{k}} g_i / \log_2(i+1)}}{{\sum_{{i=1}}^{{k}} g^{{*}}_i / \log_2(i+1)}}, \qquad {GAIN}",
        {
            "k": "the cutoff; without one, all documents count",
            "i": "a rank",
            "g_i": "the gain of the document at rank $i$",
            "g^{*}_i": "the gain at rank $i$ of the ranking that takes a document of the largest gain at every rank",
            **{symbol: text for symbol, text in OF_GAINS.items() if symbol != "S"},
            r"\alpha": "the share of a subtopic's gain that each document takes",
        },
    )
    EXAMPLES = ("alpha_nDCG@20", "alpha_nDCG(alpha=0.2)@50")

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        return self.ideal(cells, rankings)


class ExpectedReciprocalRankIA(AlphaDCG):
    r"""ERR over the subtopics of a user who stops at each relevant document with probability 1/2, relative to its largest value.

    As in ndeval, the value at cutoff 1 is not divided: it is the number of subtopics that the first document covers.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("ERR_IA@2 nERR_IA@2", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {ERR_IA@2: 0.7, nERR_IA@2: 0.777777...}
    """

    NAME = "ERR_IA"
    PRETTY_NAME = "Intent-aware expected reciprocal rank"
    SHORT_DESC = "The expected reciprocal rank at which a user with an unknown subtopic in mind stops."
    FORMULA = Formula(
        r"\text{ERR-IA@}k = \frac{\sum_{i=1}^{k} g_i / i}{\sum_{i=1}^{k} S\,2^{1-i} / i}, \qquad g_i = \sum_{c} r_{c,i}\,2^{-n_{c,i}}",
        {
            "k": "the cutoff; without one, the length of the ranking",
            "i": "a rank",
            "g_i": "the gain of the document at rank $i$",
            **OF_GAINS,
        },
    )
    SUPPORTED_PARAMS: dict[str, Any] = RANKED
    EXAMPLES = ("ERR_IA@20", "ERR_IA(rel=2)@50")

    def discount(self, rank: Ints) -> Floats:
        return np.asarray(1 / rank)


class NormalisedExpectedReciprocalRankIA(ExpectedReciprocalRankIA):
    """ERR over the subtopics, relative to that of the greedy ideal ranking of all judged documents.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("nERR_IA@5", qrels, {"q": {"x": 2.0, "b": 1.0}})
    {nERR_IA@5: 0.333333...}
    """

    NAME = "nERR_IA"
    PRETTY_NAME = "Normalised intent-aware expected reciprocal rank"
    SHORT_DESC = "The intent-aware expected reciprocal rank, relative to a greedy ideal ranking."
    FORMULA = Formula(
        r"\text{nERR-IA@}k = \frac{\sum_{i=1}^{k} g_i / i}{\sum_{i=1}^{k} g^{*}_i / i}, \qquad g_i = \sum_{c} r_{c,i}\,2^{-n_{c,i}}",
        {
            "k": "the cutoff; without one, all documents count",
            "i": "a rank",
            "g_i": "the gain of the document at rank $i$",
            "g^{*}_i": "the gain at rank $i$ of the ranking that takes a document of the largest gain at every rank",
            **{symbol: text for symbol, text in OF_GAINS.items() if symbol != "S"},
        },
    )
    EXAMPLES = ("nERR_IA@20", "nERR_IA@50")

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        return self.ideal(cells, rankings)


# -- novelty- and rank-biased precision --------------------------------------------------------------------------------


class NoveltyBiasedPrecision(OfNdeval):
    """The expected gain of new subtopics of a user who goes on to the next document with probability beta.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("NRBP nNRBP", qrels, {"q": {"x": 2.0, "b": 1.0}})
    {NRBP: 0.1875, nNRBP: 0.333333...}
    """

    NAME = "NRBP"
    PRETTY_NAME = "Novelty- and rank-biased precision"
    SHORT_DESC = "The expected gain of new subtopics of a user who goes on with probability beta."
    FORMULA = Formula(
        rf"\mathrm{{NRBP}} = \frac{{1-(1-\alpha)\beta}}{{S}} \sum_{{i=1}}^{{T}} \beta^{{i-1}} g_i, \qquad {GAIN}",
        {
            r"\beta": "the probability to go on to the next document",
            "i": "a rank",
            "T": "the number of documents retrieved",
            "g_i": "the gain of the document at rank $i$",
            **OF_GAINS,
            r"\alpha": "the share of a subtopic's gain that each document takes",
        },
    )
    SUPPORTED_PARAMS: dict[str, Any] = {"rel": REL, "alpha": ALPHA, "beta": BETA}
    EXAMPLES = ("NRBP", "NRBP(alpha=0.2,beta=0.8)")

    def discount(self, rank: Ints) -> Floats:
        return np.asarray(self["beta"] ** (rank - 1.0))

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        return np.asarray(subtopics_per_topic(cells, rankings) / (1 - (1 - self.alpha) * self["beta"]))


class NormalisedNoveltyBiasedPrecision(NoveltyBiasedPrecision):
    """Novelty- and rank-biased precision, relative to that of the greedy ideal ranking of all judged documents.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("nNRBP", qrels, {"q": {"b": 2.0, "a": 1.0}})
    {nNRBP: 1.0}
    """

    NAME = "nNRBP"
    PRETTY_NAME = "Normalised novelty- and rank-biased precision"
    SHORT_DESC = "Novelty- and rank-biased precision, relative to a greedy ideal ranking."
    FORMULA = Formula(
        rf"\mathrm{{nNRBP}} = \frac{{\sum_{{i=1}}^{{T}} \beta^{{i-1}} g_i}}{{\sum_{{i}} \beta^{{i-1}} g^{{*}}_i}}, \qquad {GAIN}",
        {
            r"\beta": "the probability to go on to the next document",
            "i": "a rank",
            "T": "the number of documents retrieved",
            "g_i": "the gain of the document at rank $i$",
            "g^{*}_i": "the gain at rank $i$ of the ranking that takes a document of the largest gain at every rank",
            **{symbol: text for symbol, text in OF_GAINS.items() if symbol != "S"},
            r"\alpha": "the share of a subtopic's gain that each document takes",
        },
    )
    RANGE = (0.0, math.inf)
    EXAMPLES = ("nNRBP", "nNRBP(alpha=0.2,beta=0.8)")

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        return self.ideal(cells, rankings)

    def deepest(self) -> int:
        return math.ceil(math.log(NEGLIGIBLE) / math.log(self["beta"])) + 1


# -- means over subtopics ----------------------------------------------------------------------------------------------


class AveragePrecisionIA(OfNdeval):
    """The mean over the subtopics of the average precision of each.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("AP_IA P_IA@4 StRecall@1", qrels, {"q": {"b": 2.0, "a": 1.0}})
    {AP_IA: 0.75, P_IA@4: 0.25, StRecall@1: 0.5}
    """

    NAME = "AP_IA"
    PRETTY_NAME = "Intent-aware average precision"
    SHORT_DESC = "The mean over the subtopics of the average precision of each."
    FORMULA = Formula(
        r"\text{AP-IA} = \frac{1}{S} \sum_{c} \mathrm{AP}_c",
        {"S": OF_GAINS["S"], "c": "a subtopic", r"\mathrm{AP}_c": "the average precision with the documents that are relevant to $c$"},
    )  # fmt: skip
    SUPPORTED_PARAMS: dict[str, Any] = {"rel": REL, "judged_only": RANKED["judged_only"]}
    EXAMPLES = ("AP_IA", "AP_IA(rel=2)")

    def gains(self, cells: Cells) -> Floats:
        relevant = np.bincount(cells.layout.cell, minlength=len(cells))
        return np.asarray((cells.place + 1) / cells.rank / relevant[cells.cell])

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        return subtopics_per_topic(cells, rankings).astype(np.float64)


class PrecisionIA(OfNdeval):
    """The mean over the subtopics of the precision of each, also if the ranking is shorter than the cutoff.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("P_IA@2", qrels, {"q": {"b": 2.0, "x": 1.0}})
    {P_IA@2: 0.25}
    """

    NAME = "P_IA"
    PRETTY_NAME = "Intent-aware precision"
    SHORT_DESC = "The mean over the subtopics of the precision of each."
    FORMULA = Formula(
        r"\text{P-IA@}k = \frac{1}{S\,k} \sum_{i=1}^{k} \sum_{c} r_{c,i}",
        {
            "k": "the cutoff; without one, the length of the ranking",
            "i": "a rank",
            "S": OF_GAINS["S"],
            "c": "a subtopic",
            "r_{c,i}": OF_GAINS["r_{c,i}"],
        },
    )
    SUPPORTED_PARAMS: dict[str, Any] = RANKED
    EXAMPLES = ("P_IA@20", "P_IA(rel=2)@50")

    def gains(self, cells: Cells) -> Floats:
        return np.ones(len(cells.at))

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        return np.asarray(subtopics_per_topic(cells, rankings) * self.depth(rankings), dtype=np.float64)


class StRecall(OfNdeval):
    """The share of the topic's subtopics that the ranking covers, with the parameters that it has in ir_measures.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("StRecall@1", qrels, {"q": {"b": 2.0, "x": 1.0}})
    {StRecall@1: 0.5}
    """

    NAME = "StRecall"
    PRETTY_NAME = "Subtopic recall"
    SHORT_DESC = "The share of the topic's subtopics that the ranking covers."
    FORMULA = Formula(
        r"\text{StRecall@}k = \frac{s_k}{S}",
        {
            "k": "the cutoff; without one, all documents count",
            "s_k": "the number of subtopics to which a document at the ranks up to $k$ is relevant",
            "S": OF_GAINS["S"],
        },
    )
    SUPPORTED_PARAMS: dict[str, Any] = {"cutoff": RANKED["cutoff"], "rel": REL}
    EXAMPLES = ("StRecall@20", "StRecall(rel=2)@50")

    def gains(self, cells: Cells) -> Floats:
        return np.asarray(cells.place == 0, dtype=np.float64)

    def divisor(self, cells: Cells, rankings: Rankings) -> Floats:
        return subtopics_per_topic(cells, rankings).astype(np.float64)


SCORERS = (
    *(AlphaDCG(), AlphaNDCG(), ExpectedReciprocalRankIA(), NormalisedExpectedReciprocalRankIA(), AveragePrecisionIA()),
    *(PrecisionIA(), StRecall(), NoveltyBiasedPrecision(), NormalisedNoveltyBiasedPrecision()),
)
