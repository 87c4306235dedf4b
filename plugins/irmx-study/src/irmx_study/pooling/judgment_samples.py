"""Nested random samples of judgments, stratified by topic and grade."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from irmx import Judgments
from irmx.ragged import Bools, Ints, offsets_of, position_in_segment, segment_of
from irmx_study.pooling.percentages import kept_of
from irmx_study.significance.random_draws import random_words

LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10
"""How many documents of a topic and grade are kept at least, of a relevant grade and of any other."""


class Strata:
    """The judged documents of each topic and grade, in an order that the order of the rows of the qrels does not change.

    A document with several rows, for subtopics or assessors, is in the stratum of the largest of its grades. Documents with a
    negative grade, which in TREC qrels means not judged, are in none, and always kept.

    Parameters
    ----------
    judgments : Judgments
        The judgments.
    rel : float
        The smallest grade that is relevant.
    """

    def __init__(self, judgments: Judgments, rel: float) -> None:
        self._judgments, self._rel = judgments, rel

    @cached_property
    def _in_order(self) -> Ints:
        """The positions of the judged documents in the order of the ids of their topics and of their own."""
        names, ends = list(self._judgments.docs), self._judgments.offsets.tolist()
        topics = sorted(range(len(ends) - 1), key=lambda topic: str(self._judgments.topics[topic]))
        order = [i for t in topics for i in sorted(range(ends[t], ends[t + 1]), key=names.__getitem__)]
        return np.array(order, dtype=np.int64)

    @cached_property
    def _strata(self) -> tuple[Ints, Ints, Bools]:
        """The stratum of every document, in order, -1 if in none; the size of each stratum, and whether it is relevant."""
        grade = self._judgments.grade[self._in_order]
        topic = segment_of(self._judgments.offsets)[self._in_order]
        judged = grade >= 0
        grades, code = np.unique(grade[judged], return_inverse=True)
        key = topic[judged] * np.int64(len(grades) + 1) + code
        keys, number, sizes = np.unique(key, return_inverse=True, return_counts=True)
        stratum = np.full(len(grade), -1, dtype=np.int64)
        stratum[judged] = number
        return stratum, sizes, np.asarray(grades[keys % (len(grades) + 1)] >= self._rel)

    @property
    def sizes(self) -> Ints:
        """The number of documents of each stratum."""
        return self._strata[1]

    @property
    def relevant(self) -> Bools:
        """Whether each stratum is of a relevant grade."""
        return self._strata[2]

    def kept(self, level: Fraction) -> Ints:
        """Return how many documents of each stratum a percentage keeps."""
        least = np.where(self.relevant, LEAST_RELEVANT, LEAST_NONRELEVANT)
        of_size = {pair: kept_of(pair[0], level, pair[1]) for pair in set(self._pairs(least))}
        return np.array([of_size[pair] for pair in self._pairs(least)], dtype=np.int64)

    def _pairs(self, least: Ints) -> list[tuple[int, int]]:
        return list(zip(self.sizes.tolist(), least.tolist(), strict=True))

    def places(self, sample: int, seed: int) -> Ints:
        """Return the place of every document of the judgments in its shuffled stratum, from 0; -1 for those that stay."""
        stratum, order = self._strata[0], self._in_order
        shuffled = np.lexsort((random_words(len(order), sample, seed), stratum))
        unsampled = int(np.count_nonzero(stratum < 0))  # they come first
        places = np.full(len(order), -1, dtype=np.int64)
        places[order[shuffled[unsampled:]]] = position_in_segment(offsets_of(self.sizes))
        return places

    def of_documents(self, values: Ints) -> Ints:
        """Return, from one value per stratum, one per document of the judgments; 0 for those in none."""
        of_documents = np.empty(len(self._in_order), dtype=np.int64)
        of_documents[self._in_order] = np.append(values, 0)[self._strata[0]]
        return of_documents


@dataclass(frozen=True)
class JudgmentSamples:
    """Random samples of judgments: for each, the list of every topic and grade is shuffled once, and its first documents are kept.

    The samples at smaller percentages are therefore part of those at larger ones. A sample depends on the seed and its number
    alone, and not on which other samples or percentages are asked for.

    Attributes
    ----------
    levels : tuple of Fraction
        The percentages to keep.
    samples : int
        The number of samples at each.
    seed : int
        The seed.
    rel : float
        The smallest grade that is relevant.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.

    Examples
    --------
    >>> import irmx
    >>> judgments = irmx.read_qrels({"q": {f"d{i}": int(i < 4) for i in range(40)}})
    >>> samples = JudgmentSamples((Fraction(50), Fraction(10)), samples=1, seed=0, rel=1)
    >>> [int(mask.sum()) for mask in samples.masks(judgments)]
    [20, 11]
    """

    levels: tuple[Fraction, ...]
    samples: int
    seed: int
    rel: float

    def masks(self, judgments: Judgments) -> Iterator[Bools]:
        """Yield which documents of ``judgments.docs`` to keep: all percentages of the first sample, then those of the next."""
        strata = Strata(judgments, self.rel)
        kept = [strata.of_documents(strata.kept(level)) for level in self.levels]
        for sample in range(self.samples):
            places = strata.places(sample, self.seed)
            for of_level in kept:
                yield places < of_level
