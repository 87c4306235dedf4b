"""The measures of trec_eval that ir_measures lacks, or names otherwise, as functions of rankings; they add in trec_eval's order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from irmx import Rankings, Rows
from irmx.ragged import Floats, Ints
from irmx_trec.classics import AveragePrecision, BinaryPreference, logarithms

RECALL_LEVELS = tuple(i / 10 for i in range(11))
"""The recall levels at which trec_eval looks by default."""

MULTIPLES = tuple(i / 5 for i in range(1, 11))
"""The multiples of the number of relevant documents at which trec_eval looks by default."""


# -- numbers of documents, and sets of them ----------------------------------------------------------------------------


def _ratio(numerator: Ints | Floats, denominator: Ints | Floats) -> Floats:
    """Return a ratio per topic; 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros(len(denominator)), where=denominator > 0)


def set_precision(rankings: Rankings) -> Floats:
    """Return the fraction of the retrieved documents that are relevant."""
    return _ratio(rankings.relevant.count, rankings.depth)


def set_recall(rankings: Rankings) -> Floats:
    """Return the fraction of the relevant documents that are retrieved."""
    return _ratio(rankings.relevant.count, rankings.recall_base)


def set_relative_precision(rankings: Rankings) -> Floats:
    """Return the relevant documents retrieved, divided by the most that there could be."""
    return _ratio(rankings.relevant.count, np.minimum(rankings.depth, rankings.recall_base))


def set_average_precision(rankings: Rankings) -> Floats:
    """Return the product of precision and recall of the retrieved set."""
    found = rankings.relevant.count.astype(np.float64)
    return _ratio(found * found, rankings.depth.astype(np.float64) * rankings.recall_base)


def set_f(rankings: Rankings, beta: float) -> Floats:
    """Return the weighted harmonic mean of precision and recall of the retrieved set."""
    precision, recall = set_precision(rankings), set_recall(rankings)
    return _ratio((beta + 1) * precision * recall, recall + beta * precision)


def utility(rankings: Rankings) -> Floats:
    """Return the relevant documents retrieved minus the other ones retrieved."""
    return np.asarray(2.0 * rankings.relevant.count - rankings.depth)


def relative_precision(rankings: Rankings, cutoff: int) -> Floats:
    """Return the relevant documents above a cutoff, divided by the most that there could be."""
    relevant = rankings.relevant
    return _ratio(relevant.sum(relevant.rank <= cutoff), np.minimum(rankings.recall_base, cutoff))


# -- precision along the ranking ---------------------------------------------------------------------------------------


def geometric(values: Floats) -> Floats:
    """Return the logarithms of values, at least 0.00001, of whose mean the exponential is the geometric mean."""
    return np.array([math.log(max(value, 1e-5)) for value in values.tolist()])


def precision_at_recall(rankings: Rankings, level: float) -> Floats:
    """Return the largest precision at or below the rank at which a recall level is reached."""
    count, best = rankings.relevant.count, rankings.memo(("irmx-trec", "interpolated"), lambda: _interpolated(rankings))
    needed = (level * rankings.recall_base + 0.9).astype(np.int64)
    reached = (needed <= count) & (count > 0)
    scores = np.zeros(len(rankings))
    scores[reached] = best[rankings.relevant.offsets[:-1][reached] + np.maximum(needed[reached], 1) - 1]
    return scores


def _interpolated(rankings: Rankings) -> Floats:
    """Return, for every relevant document, the largest precision at its rank or that of one below."""
    best, ends = rankings.precision.copy(), rankings.relevant.offsets.tolist()
    for start, end in pairwise(ends):
        best[start:end] = np.maximum.accumulate(best[start:end][::-1])[::-1]
    return np.asarray(best)


def mean_precision_at_recall(rankings: Rankings, levels: Sequence[float]) -> Floats:
    """Return the mean of the precision at recall levels, which are added from the last to the first."""
    total = np.zeros(len(rankings))
    for level in reversed(levels):
        total = total + precision_at_recall(rankings, level)
    return np.asarray(total / len(levels))


def precision_at_multiple(rankings: Rankings, multiple: float) -> Floats:
    """Return the precision at a multiple of the number of relevant documents."""
    relevant, cutoff = rankings.relevant, (multiple * rankings.recall_base + 0.9).astype(np.int64)
    return _ratio(relevant.sum(relevant.rank <= cutoff[relevant.topic]), cutoff)


_ALMOST_NOTHING = 0.00001
"""What infAP adds to counts, so that it never divides 0 by 0."""


def inferred_precision(rankings: Rankings) -> tuple[Rows, Floats]:
    """Return the relevant documents, and the precision at each as estimated from a pool of which a sample is judged.

    A negative grade marks a document in the pool without judgment.
    """
    judged = rankings.judged
    is_relevant = judged.grade >= rankings.rel
    relevant = judged.where(is_relevant)
    unjudged = np.zeros(len(relevant), dtype=np.int64)
    if not rankings.judged_only:
        pool = rankings.with_parameters(rel=-math.inf).judged
        negative = np.append(0, np.cumsum(pool.grade < 0))
        unjudged = negative[np.flatnonzero(pool.grade >= rankings.rel)] - negative[pool.offsets[relevant.topic]]
    others, found = judged.ordinal[is_relevant] - relevant.ordinal, relevant.ordinal - 1
    above = (relevant.rank - 1).astype(np.float64)
    in_the_pool = np.divide(found + others + unjudged, above, out=np.zeros(len(above)), where=above > 0)
    sample = (found + _ALMOST_NOTHING) / (found + others + 2 * _ALMOST_NOTHING)
    return relevant, np.where(above > 0, 1.0 / (above + 1.0) + (above / (above + 1.0)) * in_the_pool * sample, 1.0)


def inferred_average_precision(rankings: Rankings) -> Floats:
    """Return AP as estimated from a pool of which a sample is judged."""
    relevant, expected = inferred_precision(rankings)
    return _ratio(relevant.sum(expected), rankings.recall_base)


# -- gains -------------------------------------------------------------------------------------------------------------


def binary_gain(rankings: Rankings) -> Floats:
    """Return the mean, over the relevant documents, of a discount by the number of others above each."""
    relevant = rankings.relevant
    return _ratio(relevant.sum(1.0 / logarithms(relevant.rank - relevant.ordinal + 1)), rankings.recall_base)


Ranked = tuple[list[int], list[float], list[float], int]
"""Ranks and gains of the documents of a topic that have a gain, the gains of the ideal ranking, and the number retrieved."""


def _graded(rankings: Rankings) -> Iterator[Ranked]:
    """Yield the gains of each topic."""
    gained = rankings.judged.where(rankings.judged.grade > 0)
    ends, grades = rankings.judged_grades
    of_ideal = [grades[a:b][grades[a:b] > 0].tolist() for a, b in pairwise(ends)]
    rank, gain, places = gained.rank.tolist(), gained.grade.tolist(), gained.offsets.tolist()
    depth = rankings.depth.tolist()
    for i, (start, end) in enumerate(pairwise(places)):
        yield rank[start:end], gain[start:end], of_ideal[i], depth[i]


def _cumulated(ideal: Sequence[float]) -> list[float]:
    """Return the discounted gain of the ideal ranking up to every rank, from 0 on."""
    out = [0.0]
    for i, gain in enumerate(ideal, start=1):
        out.append(out[-1] + gain / math.log2(i + 1))
    return out


def gain_against_ideal(rankings: Rankings) -> Floats:
    """Return the gains, each discounted by how far the ranking is behind the ideal one at its rank, divided by all gains."""

    def of_topic(ranks: list[int], gains: list[float], ideal: list[float]) -> float:
        costs = [0.0]
        for gain in ideal:
            costs.append(costs[-1] + max(gain, 1.0))
        total = value = 0.0
        for rank, gain in zip(ranks, gains, strict=True):
            total += gain
            cost = costs[min(rank, len(ideal))] + max(rank - len(ideal), 0)
            value += gain / math.log2(2 + cost - total)
        return value / sum(ideal)

    return np.array([of_topic(ranks, gains, ideal) if ideal else 0.0 for ranks, gains, ideal, _ in _graded(rankings)])


def mean_ndcg_at_relevant(rankings: Rankings) -> Floats:
    """Return the mean of nDCG at the ranks of documents with a gain; one that is not retrieved counts with the last."""

    def of_topic(ranks: list[int], gains: list[float], ideal: list[float]) -> float:
        best = _cumulated(ideal)
        total = dcg = 0.0
        for rank, gain in zip(ranks, gains, strict=True):
            dcg += gain / math.log2(rank + 1)
            total += dcg / best[min(rank, len(ideal))]
        return (total + (len(ideal) - len(ranks)) * dcg / best[-1]) / len(ideal)

    return np.array([of_topic(ranks, gains, ideal) if ideal else 0.0 for ranks, gains, ideal, _ in _graded(rankings)])


def mean_ndcg_at_levels(rankings: Rankings) -> Floats:
    """Return the mean of nDCG at the ranks where the gain of the ideal ranking changes, and at the end of a longer ranking."""

    def of_topic(ranks: list[int], gains: list[float], ideal: list[float], depth: int) -> float:
        best, levels = _cumulated(ideal), [*ideal, 0.0]
        changes = [rank for rank in range(1, len(levels)) if levels[rank] != levels[rank - 1]]
        at, total, dcg = 0, 0.0, 0.0
        for rank in [*changes, *([depth] if depth > len(levels) else [])]:
            while at < len(ranks) and ranks[at] <= rank:
                dcg += gains[at] / math.log2(ranks[at] + 1)
                at += 1
            total += dcg / best[min(rank, len(ideal))]
        return total / (len(changes) + (depth > len(levels)))

    with_relevant = (rankings.recall_base > 0).tolist()
    return np.array(
        [
            of_topic(*topic) if some and topic[2] else 0.0
            for some, topic in zip(with_relevant, _graded(rankings), strict=True)
        ]
    )


# -- by name -----------------------------------------------------------------------------------------------------------


SINGLE: dict[str, Callable[[Rankings], Floats]] = {
    "num_q": lambda rankings: np.ones(len(rankings)),
    "num_ret": lambda rankings: rankings.depth.astype(np.float64),
    "num_rel": lambda rankings: rankings.recall_base.astype(np.float64),
    "num_rel_ret": lambda rankings: rankings.relevant.count.astype(np.float64),
    "num_nonrel_judged_ret": lambda rankings: (rankings.judged.count - rankings.relevant.count).astype(np.float64),
    "gm_map": lambda rankings: geometric(AveragePrecision().score(rankings)),
    "gm_bpref": lambda rankings: geometric(BinaryPreference().score(rankings)),
    "infAP": inferred_average_precision,
    "utility": utility,
    "binG": binary_gain,
    "G": gain_against_ideal,
    "ndcg_rel": mean_ndcg_at_relevant,
    "Rndcg": mean_ndcg_at_levels,
    "set_P": set_precision,
    "set_recall": set_recall,
    "set_relative_P": set_relative_precision,
    "set_map": set_average_precision,
}
"""The measures that take no parameter."""
