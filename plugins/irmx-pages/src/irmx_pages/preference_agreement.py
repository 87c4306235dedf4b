"""How often measures agree with the preferences of assessors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, Scores, State, UsageError, read_qrels
from irmx.ragged import Floats, Ints
from irmx.toolkit import Evaluator, NamedMeasure, list_some
from irmx_pages.page import Page
from irmx_pages.page_arrays import VISUAL, media_of
from irmx_pages.page_files import read_pages
from irmx_pages.pages_as_runs import page_values
from irmx_pages.preference_votes import FAILED_TRAPS, Preferences, fleiss_kappa, read_preferences, without_traps

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
    failed_traps: int | None = FAILED_TRAPS,
    only: str | None = None,
) -> pd.DataFrame:
    """Return how often measures agree with the majority of assessors.

    A measure prefers the page with the larger value. Where the two values are equal (to 9 digits) it prefers neither, which
    counts one half, the expected value of tossing a coin. Pairs without a majority for one of the pages are left out and counted.

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
        The measure that the others are tested against; by default each is tested against chance.
    failed_traps : int or None
        Assessors who failed more trap pairs than this are left out, with a warning; with None, no assessors are. The trap
        pairs themselves are never counted; see :func:`without_traps`.
    only : {"visual"}, optional
        Only the pairs in which a page has a block of images or videos, which attract attention.

    Returns
    -------
    DataFrame
        One row per level, group of pairs (``all``, and each ``bin_pair`` of the preferences) and measure:

        * ``level``, ``bin_pair``, ``measure``;
        * ``pairs`` with a majority for a page, and ``ties``, those on which the measure prefers neither;
        * ``both_bad``, the other pairs of the group for which a majority finds both pages bad, and ``no_majority``, those without
          a majority for anything; with ``pairs`` these are all;
        * ``agreement`` in [0, 1], the mean over these pairs;
        * ``p_value`` of the two-tailed sign test over pairs of pages, as in the paper (footnote 9): against chance, of the pairs on
          which the measure agrees or disagrees; against a baseline, of those on which one of the two does better. It treats
          pairs of one topic as independent. NaN for the baseline;
        * ``kappa``, Fleiss' kappa of all votes on pairs of the group, whatever the level (NaN where it is not defined).

        Groups without any majority are left out.

    Raises
    ------
    irmx.DataError
        If a preference refers to a missing page, no pair has a majority at any level, or a measure has no value for a page.
    irmx.UsageError
        If a level is out of range, or a measure is unknown.

    Warns
    -----
    irmx.DataWarning
        If no pair has a majority at one of several levels, which is then omitted, or assessors are left out.

    See Also
    --------
    agreement_scores : The shares of topics, for tests over topics.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import Block, Page
    >>> pages = [Page("q", name, tuple(Block("web", "", (i,)) for i in items)) for name, items in
    ...          [("one", ("w1", "w2")), ("two", ("w2", "w1")), ("three", ("w2", "w3"))]]
    >>> votes = [("q", "one", "two", "ann", "a"), ("q", "three", "one", "ann", "b"), ("q", "two", "three", "ann", "a")]
    >>> votes = pd.DataFrame(votes, columns=["query_id", "page_a", "page_b", "assessor", "choice"])
    >>> found = agreement(pages, votes, {"q": {"w1": 1}}, "P@1 RR", levels=[1])
    >>> found[["level", "bin_pair", "measure", "pairs", "ties", "agreement", "p_value"]]
       level bin_pair measure  pairs  ties  agreement  p_value
    0    1.0      all     P@1      3     1   0.833333     0.50
    1    1.0      all      RR      3     0   1.000000     0.25
    """
    evaluator = Evaluator(measures, read_qrels(qrels))
    against = baseline_of(evaluator, baseline)
    return agreement_table(agreed_pairs(pages, preferences, evaluator, levels, failed_traps, only), against)


def agreement_scores(
    pages: Any,
    preferences: Any,
    qrels: Any,
    measures: Any,
    levels: Sequence[float] = LEVELS,
    failed_traps: int | None = FAILED_TRAPS,
    only: str | None = None,
) -> Scores:
    """Return the share of each topic's pairs on which measures agree with the majority, for :func:`irmx.compare` and others.

    The measures are the systems of these scores. A view is a level of the majority and a group of pairs: ``agreement@0.75`` of
    all pairs, and ``agreement@0.75 slice=H-L`` of those with the ``bin_pair`` H-L. A topic without such a pair is not in the view.

    Parameters
    ----------
    pages, preferences, qrels, measures, levels, failed_traps, only
        See :func:`agreement`.

    Examples
    --------
    >>> import irmx
    >>> from irmx_pages import simulate_pages
    >>> from irmx_pages.example import example, example_preferences
    >>> made = example(4)
    >>> pages = simulate_pages(made.qrels, made.items, made.verticals).pages
    >>> scores = agreement_scores(pages, example_preferences(made), made.qrels, "AS_RBP AS_ATT P@10", levels=[0.75])
    >>> scores.names[:2], scores.systems
    (('agreement@0.75', 'agreement@0.75 slice=H-H'), ('AS_RBP', 'AS_ATT', 'P@10'))
    >>> tests = irmx.compare(scores, all_pairs=True).frame()
    >>> tests.loc[tests["slice"] == "", ["a", "b", "difference", "p", "p_corrected"]].round(3)
            a       b  difference      p  p_corrected
    0  AS_ATT  AS_RBP      -0.175  0.011        0.022
    1    P@10  AS_RBP      -0.113  0.001        0.002
    2    P@10  AS_ATT       0.062  0.099        0.099
    """
    evaluator = Evaluator(measures, read_qrels(qrels))
    return shares_of_topics(agreed_pairs(pages, preferences, evaluator, levels, failed_traps, only))


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
    query_id : array of str, shape (pairs,)
        The topic of every pair.
    both_bad : int
        The number of other pairs of the group for which a majority finds both pages bad.
    no_majority : int
        The number of pairs of the group without a majority.
    kappa : float
        Fleiss' kappa of all votes on pairs of the group.
    """

    level: float
    bin_pair: str
    measures: list[str]
    agreed: Floats
    query_id: np.ndarray[Any, Any]
    both_bad: int = 0
    no_majority: int = 0
    kappa: float = float("nan")


def counted_votes(
    pages: Sequence[Page], preferences: Any, failed_traps: int | None, only: str | None = None
) -> Preferences:
    """Return the votes that count: not those of careless assessors; of visual pairs only, those with images or videos on a page."""
    votes = without_traps(read_preferences(preferences), failed_traps)
    if only is None:
        return votes
    if only != "visual":
        raise UsageError(f"only must be 'visual', or None for all pairs. Got {only!r} instead.")
    visual = {
        (page.query_id, page.page_id)
        for page in pages
        if any((block.media or media_of(block.vertical)) in VISUAL for block in page.blocks)
    }
    sides = (zip(votes.query_id, names, strict=True) for names in (votes.page_a, votes.page_b))
    keep = np.any([[key in visual for key in keys] for keys in sides], axis=0)
    if not keep.any():
        raise DataError(f"None of {len(votes)} pairs has a page with a block of images or videos.")
    return votes.where(keep[votes.pair])


def agreed_pairs(
    pages: Any,
    preferences: Any,
    evaluator: Evaluator,
    levels: Sequence[float],
    failed_traps: int | None,
    only: str | None = None,
) -> list[AgreedPairs]:
    """Return how measures agree with the majority, by level and group of pairs; groups without any majority are left out."""
    if not evaluator.measures:
        raise UsageError("No measures given.")
    pages = read_pages(pages)
    votes = counted_votes(pages, preferences, failed_traps, only)
    a, b = pair_numbers(pages, votes)
    used = np.unique(np.concatenate([a, b]))
    values = np.full((len(pages), len(evaluator.measures)), np.nan)
    values[used] = page_values([pages[i] for i in used.tolist()], evaluator)
    _refuse_missing(values, used, pages, evaluator)
    preferred, names = preferred_page(values[a], values[b]), [str(m) for m in evaluator.measures]
    labels = np.array(votes.bin_pair or [ALL] * len(votes), dtype=object)
    groups = [ALL, *(g for g in dict.fromkeys(labels.tolist()) if g not in (ALL, ""))]
    found = []
    for level, majority in _majorities(votes, levels).items():
        both_bad = votes.majority_both_bad(level)
        for group in groups:
            of_group = np.ones(len(votes), dtype=bool) if group == ALL else labels == group
            here = np.flatnonzero(of_group & (majority != 0))
            if len(here):
                agreed, query_id = agreeing(preferred[here], majority[here, None]), np.array(votes.query_id)[here]
                bad, kappa = int(both_bad[of_group].sum()), fleiss_kappa(votes.counts[of_group])
                none = int(of_group.sum()) - len(here) - bad
                found.append(AgreedPairs(float(level), group, names, agreed, query_id, bad, none, kappa))
    return found


def agreement_table(groups: Sequence[AgreedPairs], baseline: str | None) -> pd.DataFrame:
    """Return the rows of :func:`agreement`."""
    import pandas as pd

    tables = []
    for group in groups:
        others = 0.5 if baseline is None else group.agreed[:, [group.measures.index(baseline)]]
        tests = zip(group.measures, (group.agreed - others).T, strict=True)
        table = {
            "level": group.level,
            "bin_pair": group.bin_pair,
            "measure": group.measures,
            "pairs": len(group.agreed),
            "ties": (group.agreed == 0.5).sum(axis=0),
            "both_bad": group.both_bad,
            "no_majority": group.no_majority,
            "agreement": group.agreed.mean(axis=0),
            "p_value": [np.nan if name == baseline else _sign_test(differences) for name, differences in tests],
            "kappa": group.kappa,
        }
        tables.append(pd.DataFrame(table))
    return pd.concat(tables, ignore_index=True)


def _sign_test(differences: Floats) -> float:
    """Return the p-value of the two-tailed sign test; 1 if all differences are 0."""
    from scipy.stats import binomtest

    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def shares_of_topics(groups: Sequence[AgreedPairs]) -> Scores:
    """Return the mean agreement of every topic: topics x measures x groups."""
    topics = np.unique(np.concatenate([group.query_id for group in groups]))
    member = [(topics[:, None] == group.query_id).astype(float) for group in groups]
    pairs = np.stack([of.sum(axis=1) for of in member], axis=1)
    agreed = np.stack([of @ group.agreed for of, group in zip(member, groups, strict=True)], axis=2)
    shares = np.divide(agreed, pairs[:, None], out=np.full(agreed.shape, np.nan), where=pairs[:, None] > 0)
    return Scores(
        shares,
        tuple(topics.tolist()),
        tuple(groups[0].measures),
        tuple(NamedMeasure(f"agreement@{group.level:g}") for group in groups),
        np.where(np.isnan(shares), np.int8(State.OUTSIDE), np.int8(State.SCORED)),
        marks={"slice": tuple("" if group.bin_pair == ALL else group.bin_pair for group in groups)},
    )


def pair_numbers(pages: Sequence[Page], preferences: Preferences) -> tuple[Ints, Ints]:
    """Return the numbers of page a and of page b of every pair; raise if a page is missing."""
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
        known = f"It has: {list_some(there, 5)}" if there else "It has no page"
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


def baseline_of(evaluator: Evaluator, baseline: Any) -> str | None:
    """Return the name of the measure that others are tested against."""
    if baseline is None:
        return None
    names, wanted = [str(m) for m in evaluator.measures], str(Evaluator(baseline, evaluator.judgments).measures[0])
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
