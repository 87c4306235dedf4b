"""How often measures agree with the preferences of assessors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, Evaluator, UsageError, read_qrels
from irmx.ragged import Floats, Ints
from irmx_pages.page.page import Page
from irmx_pages.page.page_reading import read_pages
from irmx_pages.page.page_runs import page_values
from irmx_pages.preferences.preference_votes import Preferences, fleiss_kappa, read_preferences
from irmx_pages.preferences.topic_intervals import check_test, p_value, topic_interval
from irmx_pages.preferences.traps import FAILED_TRAPS, without_traps
from irmx_pages.whole_numbers import check_whole

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"
"""The group of all pairs."""

LEVELS = (0.75, 1.0)
"""The majority levels of the paper: three of four, and all."""


def agreement(
    pages: Any,
    preferences: Any,
    qrels: Any,
    measures: Any,
    levels: Sequence[float] = LEVELS,
    baseline: Any = None,
    seed: int = 0,
    test: str = "t",
    failed_traps: int | None = FAILED_TRAPS,
) -> pd.DataFrame:
    """Return how often measures agree with the majority of assessors.

    A measure prefers the page with the larger value. Where the two values are equal (to 9 digits) it prefers neither, which
    counts one half, the expected value of tossing a coin. Pairs without a majority for one of the pages are left out; the
    number of those for which a majority finds both pages bad is reported.

    Parameters
    ----------
    pages : any
        Whatever :func:`read_pages` takes.
    preferences : any
        Whatever :func:`read_preferences` takes; all of its pages, except those of trap pairs, must be among ``pages``.
    qrels : any
        Whatever :func:`irmx.read_qrels` takes.
    measures : str, Measure or iterable of them
        Measures of pages, such as ``AS_RBP``, or any others, such as ``nDCG@10``.
    levels : sequence of float
        The shares of assessors that make a majority, each in (0.5, 1].
    baseline : str or Measure, optional
        The measure that the others are tested against; by default the first.
    seed : int
        Seed of the bootstrap.
    test : {"t", "sign"}
        The test against the baseline: the paired two-tailed t-test between the means of topics; or the two-tailed sign test
        over pairs of pages, as in the paper (footnote 9), which treats pairs of one topic as independent and leaves out those
        on which both measures do equally well.
    failed_traps : int or None
        Assessors who failed more trap pairs than this are left out, with a warning; with None, no assessors are. The trap
        pairs themselves are never counted; see :func:`without_traps`.

    Returns
    -------
    DataFrame
        One row per level, group of pairs (``all``, and each ``bin_pair`` of the preferences) and measure:

        * ``level``, ``bin_pair``, ``measure``;
        * ``pairs`` with a majority for a page, and ``ties``, those on which the measure prefers neither;
        * ``both_bad``, the other pairs of the group for which a majority finds both pages bad;
        * ``agreement`` in [0, 1], the mean over these pairs, with its 95% interval ``low`` to ``high``, by bootstrap over topics
          (NaN for fewer than two topics);
        * ``p_value`` of the test against the baseline (NaN for the baseline, and of the t-test for fewer than two topics);
        * ``kappa``, Fleiss' kappa of all votes on pairs of the group, whatever the level (NaN where it is not defined).

        Groups without any majority are left out.

    Raises
    ------
    irmx.DataError
        If a preference refers to a missing page, no pair has a majority at any level, or a measure has no value for a page.
    irmx.UsageError
        If a level is out of range, the seed is negative, or the test or a measure is unknown.

    Warns
    -----
    irmx.DataWarning
        If no pair has a majority at one of several levels, which is then omitted, or assessors are left out.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import Block
    >>> pages = [Page("q", name, tuple(Block("web", "", (i,)) for i in items)) for name, items in
    ...          [("one", ("w1", "w2")), ("two", ("w2", "w1")), ("three", ("w2", "w3"))]]
    >>> votes = [("q", "one", "two", "ann", "a"), ("q", "three", "one", "ann", "b"), ("q", "two", "three", "ann", "a")]
    >>> votes = pd.DataFrame(votes, columns=["query_id", "page_a", "page_b", "assessor", "choice"])
    >>> found = agreement(pages, votes, {"q": {"w1": 1}}, "P@1 RR", levels=[1])
    >>> found[["level", "bin_pair", "measure", "pairs", "ties", "agreement"]]
       level bin_pair measure  pairs  ties  agreement
    0    1.0      all     P@1      3     1   0.833333
    1    1.0      all      RR      3     0   1.000000
    """
    check_whole(0, seed=seed)
    check_test(test)
    pages, votes = read_pages(pages), without_traps(read_preferences(preferences), failed_traps)
    a, b = pair_numbers(pages, votes)
    evaluator = Evaluator(measures, read_qrels(qrels))
    against = _baseline(evaluator, baseline)
    used = np.unique(np.concatenate([a, b]))
    values = np.full((len(pages), len(evaluator.measures)), np.nan)
    values[used] = page_values([pages[i] for i in used.tolist()], evaluator)
    _refuse_missing(values, used, pages, evaluator)
    preferred = np.stack([preferred_page(column[a], column[b]) for column in values.T], axis=1)
    return _table(votes, preferred, [str(m) for m in evaluator.measures], against, levels, seed, test)


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


def _baseline(evaluator: Evaluator, baseline: Any) -> str:
    """Return the name of the measure that others are tested against."""
    names = [str(m) for m in evaluator.measures]
    if not names:
        raise UsageError("No measures given.")
    if baseline is None:
        return names[0]
    wanted = str(Evaluator(baseline, evaluator.judgments).measures[0])
    if wanted not in names:
        raise UsageError(f"The baseline {wanted} is not among the measures {', '.join(names)}.")
    return wanted


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


def _table(
    votes: Preferences, preferred: Ints, names: list[str], against: str, levels: Sequence[float], seed: int, test: str
) -> pd.DataFrame:
    import pandas as pd

    topic = np.unique(votes.query_id, return_inverse=True)[1]
    labels = np.array(votes.bin_pair or [ALL] * len(votes), dtype=object)
    groups = [ALL, *(g for g in dict.fromkeys(labels.tolist()) if g not in (ALL, ""))]
    counts, rows = votes.counts, []
    for level, majority in _majorities(votes, levels).items():
        both_bad = votes.majority_both_bad(level)
        for group in groups:
            of_group = np.ones(len(votes), dtype=bool) if group == ALL else labels == group
            here = np.flatnonzero(of_group & (majority != 0))
            if not len(here):
                continue
            agreed = {name: agreeing(preferred[here, column], majority[here]) for column, name in enumerate(names)}
            for column, name in enumerate(names):
                low, high = topic_interval(agreed[name], topic[here], seed)
                rows.append(
                    {
                        "level": float(level),
                        "bin_pair": group,
                        "measure": name,
                        "pairs": len(here),
                        "ties": int((preferred[here, column] == 0).sum()),
                        "both_bad": int(both_bad[of_group].sum()),
                        "agreement": float(agreed[name].mean()),
                        "low": low,
                        "high": high,
                        "p_value": np.nan
                        if name == against
                        else p_value(test, agreed[name], agreed[against], topic[here]),
                        "kappa": fleiss_kappa(counts[of_group]),
                    }
                )
    return pd.DataFrame(rows)
