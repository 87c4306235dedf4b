"""Pairs of pages with a majority of the assessors, and how measures agree with it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import DataError, DataWarning
from irmx.ragged import Floats, Ints
from irmx.toolkit import Evaluator
from irmx_pages.page.page import Page
from irmx_pages.page.page_reading import read_pages
from irmx_pages.page.page_runs import page_values
from irmx_pages.preferences.preference_votes import Preferences, fleiss_kappa, read_preferences
from irmx_pages.preferences.traps import without_traps

ALL = "all"
"""The group of all pairs."""

LEVELS = (0.75, 1.0)
"""The majority levels of the paper: three of four, and all."""


@dataclass(frozen=True)
class AgreedPairs:
    """How measures agree with the majority of assessors on a group of pairs.

    Attributes
    ----------
    level : float
        The share of assessors that makes a majority.
    bin_pair : str
        The group: ``all``, or a ``bin_pair`` of the preferences.
    measures : list of str
        The names of the measures.
    agreed : float array, shape (pairs, measures)
        1 where a measure prefers the same page as the majority, 0 where the other, 0.5 where neither.
    topic : int array, shape (pairs,)
        The topic of every pair.
    both_bad : int
        The number of other pairs of the group for which a majority finds both pages bad.
    kappa : float
        Fleiss' kappa of all votes on pairs of the group.
    """

    level: float
    bin_pair: str
    measures: list[str]
    agreed: Floats
    topic: Ints
    both_bad: int
    kappa: float

    @property
    def topics(self) -> int:
        """The number of topics with a pair."""
        return len(np.unique(self.topic))


def agreed_pairs(
    pages: Any, preferences: Any, evaluator: Evaluator, levels: Sequence[float], failed_traps: int | None
) -> list[AgreedPairs]:
    """Return how measures agree with the majority, by level and group of pairs; groups without any majority are left out.

    Parameters
    ----------
    pages, preferences, levels, failed_traps
        See :func:`irmx_pages.agreement`.
    evaluator : Evaluator
        The measures and the judgments.

    Raises
    ------
    irmx.DataError
        If a preference refers to a missing page, no pair has a majority at any level, or a measure has no value for a page.
    """
    pages, votes = read_pages(pages), without_traps(read_preferences(preferences), failed_traps)
    a, b = pair_numbers(pages, votes)
    used = np.unique(np.concatenate([a, b]))
    values = np.full((len(pages), len(evaluator.measures)), np.nan)
    values[used] = page_values([pages[i] for i in used.tolist()], evaluator)
    _refuse_missing(values, used, pages, evaluator)
    preferred = np.stack([preferred_page(column[a], column[b]) for column in values.T], axis=1)
    names, topic = [str(m) for m in evaluator.measures], np.unique(votes.query_id, return_inverse=True)[1]
    labels = np.array(votes.bin_pair or [ALL] * len(votes), dtype=object)
    groups = [ALL, *(g for g in dict.fromkeys(labels.tolist()) if g not in (ALL, ""))]
    counts, found = votes.counts, []
    for level, majority in _majorities(votes, levels).items():
        both_bad = votes.majority_both_bad(level)
        for group in groups:
            of_group = np.ones(len(votes), dtype=bool) if group == ALL else labels == group
            here = np.flatnonzero(of_group & (majority != 0))
            if len(here):
                agreed = agreeing(preferred[here], majority[here, None])
                bad, kappa = int(both_bad[of_group].sum()), fleiss_kappa(counts[of_group])
                found.append(AgreedPairs(float(level), group, names, agreed, topic[here], bad, kappa))
    return found


def pair_numbers(pages: Sequence[Page], preferences: Preferences) -> tuple[Ints, Ints]:
    """Return the numbers of page a and of page b of every pair.

    Raises
    ------
    irmx.DataError
        If a page is missing.
    """
    number = {(p.query_id, p.page_id): i for i, p in enumerate(pages)}
    found = np.full((2, len(preferences)), -1)
    for side, names in enumerate((preferences.page_a, preferences.page_b)):
        found[side] = [number.get(key, -1) for key in zip(preferences.query_id, names, strict=True)]
    unknown = np.flatnonzero((found < 0).any(axis=0))
    if len(unknown):
        pair = int(unknown[0])
        page_id = (preferences.page_a if found[0, pair] < 0 else preferences.page_b)[pair]
        query_id = preferences.query_id[pair]
        there = [p.page_id for p in pages if p.query_id == query_id]
        known = f"It has: {', '.join(there[:5])}{', ...' if len(there) > 5 else ''}" if there else "It has no page"
        raise DataError(
            f"{preferences.places[pair]}: the pages have no page {page_id!r} for topic {query_id!r}. {known}. "
            f"{len(unknown)} of {len(preferences)} pairs name a page that is missing."
        )
    return found[0], found[1]


def preferred_page(a: Floats, b: Floats) -> Ints:
    """Return 1 where the first value is larger, -1 where the second is, 0 where they are equal to 9 digits.

    >>> preferred_page(np.array([0.3, 0.1, 0.1 + 0.2]), np.array([0.1, 0.2, 0.3]))
    array([ 1, -1,  0])
    """
    sign: Ints = np.sign(a - b).astype(np.int64)
    return np.where(np.isclose(a, b, rtol=1e-9, atol=1e-12), 0, sign)


def agreeing(preferred: Ints, majority: Ints) -> Floats:
    """Return 1 where a measure prefers the same page as the majority, 0 where the other, 0.5 where neither.

    >>> agreeing(np.array([1, -1, 0]), np.array([1, 1, 1]))
    array([1. , 0. , 0.5])
    """
    return np.asarray((1 + preferred * majority) / 2)


def _refuse_missing(values: Floats, used: Ints, pages: Sequence[Page], evaluator: Evaluator) -> None:
    wrong = np.argwhere(~np.isfinite(values[used]))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise DataError(
            f"{evaluator.measures[column]} has no value for page {pages[used[row]].page_id!r} of topic "
            f"{pages[used[row]].query_id!r}, so it has no preference. Remove no_relevant='nan' from the measure, or the topic from the pages."
        )


def _majorities(votes: Preferences, levels: Sequence[float]) -> dict[float, Ints]:
    """Return the preferences of the majority at every level that has any."""
    found = {level: votes.majority(level) for level in levels}
    without = [f"{level:g}" for level, majority in found.items() if not majority.any()]
    if len(without) == len(found):
        raise DataError(
            f"No pair has a majority of {' or '.join(without) or 'any level'} of its assessors, so there is nothing to "
            "agree with."
        )
    if without:
        warnings.warn(
            f"no pair has a majority of {' or '.join(without)} of its assessors; the level is omitted",
            DataWarning,
            stacklevel=4,
        )
    return {level: majority for level, majority in found.items() if majority.any()}
