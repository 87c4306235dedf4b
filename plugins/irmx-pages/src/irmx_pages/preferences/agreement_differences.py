"""Differences of measures in their agreement with assessors, tested between all pairs of measures."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irmx import DataError, DataWarning, UsageError, read_qrels
from irmx.toolkit import Evaluator, counted
from irmx_pages.preferences.agreed_pairs import LEVELS, AgreedPairs, agreed_pairs
from irmx_pages.preferences.corrected_p_values import check_correction, corrected_p_values
from irmx_pages.preferences.topic_intervals import check_test, favoured, p_value, topic_interval
from irmx_pages.preferences.traps import FAILED_TRAPS
from irmx_pages.whole_numbers import check_whole

if TYPE_CHECKING:
    import pandas as pd


def compare_agreement(
    pages: Any,
    preferences: Any,
    qrels: Any,
    measures: Any,
    levels: Sequence[float] = LEVELS,
    test: str = "t",
    correction: str = "holm",
    seed: int = 0,
    failed_traps: int | None = FAILED_TRAPS,
) -> pd.DataFrame:
    """Test which measures agree with assessors more often than others, for all pairs of measures.

    Parameters
    ----------
    pages, preferences, qrels, levels, failed_traps
        See :func:`agreement`.
    measures : str, Measure or iterable of them
        At least two.
    test : {"t", "sign"}
        The paired two-tailed t-test between the means of topics, or the two-tailed sign test over pairs of pages; see
        :func:`agreement`.
    correction : {"holm", "bonferroni", "bh", "none"}
        The correction of the p-values for several comparisons: those of all pairs of measures, for a level and a group of page
        pairs. ``bh`` is that of Benjamini and Hochberg.
    seed : int
        Seed of the bootstrap.

    Returns
    -------
    DataFrame
        One row per level, group of pairs, and two measures:

        * ``level``, ``bin_pair``, the measures ``a`` and ``b``;
        * ``pairs`` with a majority, and ``topics``, those that the pairs are of;
        * ``agreement_a`` and ``agreement_b``, in [0, 1];
        * their ``difference``, a minus b, with its 95% interval ``low`` to ``high``, by bootstrap over topics (NaN for one topic);
        * ``p_value`` of the test, and ``p_corrected`` (of the t-test, NaN for one topic);
        * ``favoured``, the measure that the test finds better, None for neither. It may be the one with the lower agreement: the
          t-test gives every topic the same weight, and the sign test counts a tie as much as a wrong preference.

    Raises
    ------
    irmx.UsageError
        If there are fewer than two measures, or the test or the correction is unknown.
    irmx.DataError
        As for :func:`agreement`; and if no group has pairs of two topics, for the t-test.

    Warns
    -----
    irmx.DataWarning
        If a group has pairs of one topic only, so that there is no t-test.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.

    Examples
    --------
    >>> from irmx_pages import simulate_pages
    >>> from irmx_pages.example import example, example_preferences
    >>> made = example(4)
    >>> pages = simulate_pages(made.qrels, made.items, made.verticals).pages
    >>> compared = compare_agreement(pages, example_preferences(made), made.qrels, "AS_RBP AS_ATT P@10", levels=[0.75])
    >>> compared.loc[compared["bin_pair"] == "all", ["a", "b", "difference", "p_value", "p_corrected"]].round(3)
            a       b  difference  p_value  p_corrected
    0  AS_RBP  AS_ATT       0.175    0.011        0.022
    1  AS_RBP    P@10       0.113    0.001        0.002
    2  AS_ATT    P@10      -0.062    0.099        0.099
    """
    import pandas as pd

    check_whole(0, seed=seed)
    check_test(test)
    check_correction(correction)
    evaluator = Evaluator(measures, read_qrels(qrels))
    check_two_measures(evaluator)
    groups = agreed_pairs(pages, preferences, evaluator, levels, failed_traps)
    if test == "t":
        _require_topics(groups)
    return pd.concat([_comparisons(group, test, correction, seed) for group in groups], ignore_index=True)


def check_two_measures(evaluator: Evaluator) -> None:
    """Raise if there are not two different measures to compare."""
    names = list(map(str, evaluator.measures))
    if len(names) < 2:
        only = f"only {names[0]}" if names else "no measure"
        raise UsageError(f"Comparing the agreement of measures needs at least two measures. There is {only}.")


def _require_topics(groups: Sequence[AgreedPairs]) -> None:
    """Raise if no group has two topics, and warn if some have not."""
    single = [f"{g.bin_pair} at level {g.level:g}" for g in groups if g.topics < 2]
    if len(single) == len(groups):
        raise DataError(
            "All pairs of pages with a majority are of one topic, and the t-test needs two or more. Collect preferences for more "
            "topics, or use the sign test over pairs of pages, 'sign'."
        )
    if single:
        warnings.warn(
            f"no t-test for {counted(len(single), 'group')} whose pairs are of one topic: {', '.join(single)}",
            DataWarning,
            stacklevel=3,
        )


def _comparisons(group: AgreedPairs, test: str, correction: str, seed: int) -> pd.DataFrame:
    """Return one row per two measures."""
    import pandas as pd

    rows = []
    for (a, of_a), (b, of_b) in itertools.combinations(zip(group.measures, group.agreed.T, strict=True), 2):
        low, high = topic_interval(of_a - of_b, group.topic, seed)
        better = {1: a, -1: b, 0: None}[favoured(test, of_a, of_b, group.topic)]
        rows.append(
            {
                "level": group.level,
                "bin_pair": group.bin_pair,
                "a": a,
                "b": b,
                "pairs": len(of_a),
                "topics": group.topics,
                "agreement_a": float(of_a.mean()),
                "agreement_b": float(of_b.mean()),
                "difference": float((of_a - of_b).mean()),
                "low": low,
                "high": high,
                "p_value": p_value(test, of_a, of_b, group.topic),
                "favoured": better,
            }
        )
    table = pd.DataFrame(rows)
    corrected = corrected_p_values(table["p_value"].to_numpy(dtype=float), correction)
    table.insert(table.columns.get_loc("favoured"), "p_corrected", corrected)
    return table
