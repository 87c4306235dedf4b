"""Random samples of judgments, stratified by topic and grade, and judgments without what one group brought into the pool."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from irmx import DataError, Join, Judgments, Run, UsageError, read_table
from irmx.ragged import Bools, Ints, offsets_of, position_in_segment, segment_of
from irmx.toolkit import list_some, of_each_run, plural, progress_bar, suggest
from irmx_study.draws import random_words

Percentages = Any
"""Percentages as a user gives them: numbers, texts, or one text such as ``"90,70,50"``."""


def exact_percentages(percentages: Percentages) -> tuple[Fraction, ...]:
    """Return percentages as fractions of 100, in the order given.

    A float counts as the decimal number that it is printed as, so that 12.5 and 0.1 are what they look like.

    Examples
    --------
    >>> exact_percentages("50, 12.5")
    (Fraction(50, 1), Fraction(25, 2))
    >>> exact_percentages([90, 0.1])
    (Fraction(90, 1), Fraction(1, 10))
    >>> exact_percentages([90, 0])
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The share of the judgments to keep is a percentage in the range (0, 100]. Got 0 instead.
    """
    if isinstance(percentages, str):
        percentages = percentages.split(",")
    elif not isinstance(percentages, Iterable):
        percentages = [percentages]
    exact: list[Fraction] = []
    for percentage in percentages:
        level = _exact(percentage)
        if level in exact:
            raise UsageError(f"The percentage {text_of(level)} is to be kept twice. Give each level once.")
        exact.append(level)
    if not exact:
        raise UsageError("There is no percentage of the judgments to keep. Give some, such as 90,70,50,30,10.")
    return tuple(exact)


def _exact(percentage: Any) -> Fraction:
    text = str(percentage).strip()
    try:
        if isinstance(percentage, bool) or not 0 < float(percentage) <= 100:  # before a fraction of 1e9999999 is made
            raise ValueError
        return percentage if isinstance(percentage, Fraction) else Fraction(text)
    except (TypeError, ValueError):
        shown = repr(percentage) if isinstance(percentage, bool) or not text else text
        raise UsageError(
            f"The share of the judgments to keep is a percentage in the range (0, 100]. Got {shown} instead."
        ) from None


def number_of(level: Fraction) -> int | float:
    """Return a percentage as an int if it is a whole number, else as a float."""
    return int(level) if level.denominator == 1 else float(level)


def text_of(level: Fraction) -> str:
    """Return a percentage as a text.

    >>> text_of(Fraction(25, 2)), text_of(Fraction(90))
    ('12.5', '90')
    """
    return str(number_of(level))


def kept_of(size: int, level: Fraction, least: int) -> int:
    """Return how many of some documents to keep: the percentage, rounded half up, but at least so many, and not more than all.

    Examples
    --------
    >>> [(kept_of(25, Fraction(p), 1), kept_of(300, Fraction(p), 10)) for p in (90, 70, 50, 30, 10)]
    [(23, 270), (18, 210), (13, 150), (8, 90), (3, 30)]
    >>> [(kept_of(3, Fraction(p), 1), kept_of(40, Fraction(p), 10)) for p in (90, 70, 50, 30, 10)]
    [(3, 36), (2, 28), (2, 20), (1, 12), (1, 10)]
    """
    rounded = (2 * level.numerator * size + 100 * level.denominator) // (200 * level.denominator)
    return min(size, max(least, rounded))


LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10
"""How many documents of a topic and grade are kept at least, of a relevant grade and of any other."""


class Strata:
    """The judged documents of each topic and grade, in an order that the order of the rows of the qrels does not change.

    A document with several rows, for subtopics or assessors, is in the stratum of the largest of its grades. Documents with a
    negative grade, which in TREC qrels means not judged, are in none, and always kept.
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


def groups_of_runs(groups: Any, runs: Iterable[str]) -> dict[str, str]:
    """Return the group of every run.

    Examples
    --------
    >>> groups_of_runs({"a1": "A", "b1": "B", "a2": "A"}, ["a1", "a2", "b1"])
    {'a1': 'A', 'a2': 'A', 'b1': 'B'}
    """
    names = list(runs)
    if groups is None:
        return {name: name for name in names}
    if isinstance(groups, Mapping) and not {"run", "group"} <= set(groups):
        what, by_run = "The groups", {str(run): str(group) for run, group in groups.items()}
    else:
        what, by_run = _from_table(groups)
    unknown = sorted(set(by_run) - set(names))
    if unknown:
        near = suggest(unknown[0], names)
        raise DataError(
            f"{what}: {plural(len(unknown), 'run')} of {len(by_run)} {'is' if len(unknown) == 1 else 'are'} not among the runs here: "
            f"{list_some(unknown)}.{near} The runs: {list_some(names, 20)}."
        )
    missing = [name for name in names if name not in by_run]
    if missing:
        raise DataError(
            f"{what}: no group of {plural(len(missing), 'run')}: {list_some(missing)}. Give every run a group."
        )
    if len(set(by_run.values())) == 1:
        raise DataError(f"{what}: all runs are in one group, {by_run[names[0]]!r}. Give at least two groups.")
    return {name: by_run[name] for name in names}


def _from_table(source: Any) -> tuple[str, dict[str, str]]:
    """Return the name of a table of groups, for messages, and the group of every run in it."""
    table = read_table(source, {"run": str, "group": str}, "groups")
    by_run: dict[str, str] = {}
    for row, (run, group) in enumerate(zip(table["run"].tolist(), table["group"].tolist(), strict=True)):
        if by_run.setdefault(run, group) != group:
            table.refuse(row, f"the run {run} is in two groups, {by_run[run]!r} and {group!r}.")
    return table.name, by_run


@dataclass(frozen=True, eq=False)
class GroupCuts:
    """Judgments without the documents that one group alone brought into the pool, for every group."""

    groups: tuple[str, ...]
    lost: Bools
    unpooled: int

    def masks(self, judgments: Judgments) -> Iterable[Bools]:
        """Return, for every group, which documents of ``judgments.docs`` stay."""
        return ~self.lost


def left_out(
    runs: Mapping[str, Any], group_of: Mapping[str, str], judgments: Judgments, depth: int, progress: bool | None = None
) -> GroupCuts:
    """Return what the judgments lose without each group of runs.

    The pool is the union of the top ``depth`` documents of all runs, in the order of trec_eval. Without a group, the judged
    documents that only its runs have there are lost. Documents with a negative grade are not judged, and always stay.
    """
    groups = tuple(dict.fromkeys(group_of.values()))
    has = np.zeros((len(groups), len(judgments)), dtype=bool)

    def top(run: Run) -> np.ndarray[Any, Any]:
        hits = Join(run, judgments).hits(None, "trec")
        return hits.doc[hits.rank <= depth]

    with progress_bar("Reading pools", len(runs), shown=progress) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scoring the runs issues them again
        for name, documents in of_each_run(runs, judgments, top):
            has[groups.index(group_of[name]), documents] = True
            advance(1)
    judged = judgments.grade >= 0
    of_groups = has.sum(axis=0)
    return GroupCuts(groups, has & (of_groups == 1) & judged, int(np.count_nonzero((of_groups == 0) & judged)))


def topics_emptied(cuts: GroupCuts, judgments: Judgments, rel: float) -> Sequence[int]:
    """Return for how many topics with relevant documents none is left without each group."""
    topic, relevant = segment_of(judgments.offsets), judgments.grade >= rel
    count = len(judgments.topics)
    before = np.bincount(topic[relevant], minlength=count) > 0
    left = [np.bincount(topic[relevant & ~lost], minlength=count) > 0 for lost in cuts.lost]
    return [int(np.count_nonzero(before & ~after)) for after in left]


def counts_of(cuts: GroupCuts, judgments: Judgments, rel: float) -> Sequence[tuple[int, int]]:
    """Return how many judged documents are lost without each group, and how many of them are relevant."""
    relevant = judgments.grade >= rel
    return [(int(lost.sum()), int((lost & relevant).sum())) for lost in cuts.lost]
