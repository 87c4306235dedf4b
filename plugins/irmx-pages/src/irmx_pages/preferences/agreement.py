"""How often measures agree with the preferences of assessors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import UsageError, read_qrels
from irmx.toolkit import Evaluator
from irmx_pages.preferences.agreed_pairs import LEVELS, agreed_pairs
from irmx_pages.preferences.topic_intervals import check_test, p_value, topic_interval
from irmx_pages.preferences.traps import FAILED_TRAPS
from irmx_pages.whole_numbers import check_whole

if TYPE_CHECKING:
    import pandas as pd


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
    >>> from irmx_pages import Block, Page
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
    import pandas as pd

    check_whole(0, seed=seed)
    check_test(test)
    evaluator = Evaluator(measures, read_qrels(qrels))
    against = _baseline(evaluator, baseline)
    rows = []
    for group in agreed_pairs(pages, preferences, evaluator, levels, failed_traps):
        agreed = dict(zip(group.measures, group.agreed.T, strict=True))
        for name, values in agreed.items():
            low, high = topic_interval(values, group.topic, seed)
            rows.append(
                {
                    "level": group.level,
                    "bin_pair": group.bin_pair,
                    "measure": name,
                    "pairs": len(values),
                    "ties": int((values == 0.5).sum()),
                    "both_bad": group.both_bad,
                    "agreement": float(values.mean()),
                    "low": low,
                    "high": high,
                    "p_value": np.nan if name == against else p_value(test, values, agreed[against], group.topic),
                    "kappa": group.kappa,
                }
            )
    return pd.DataFrame(rows)


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
