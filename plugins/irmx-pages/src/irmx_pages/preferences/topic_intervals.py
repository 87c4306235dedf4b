"""Means over pairs of pages, with intervals and tests that account for the dependence of pairs within topics."""

from __future__ import annotations

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats, Ints

SAMPLES = 2000
"""Number of bootstrap samples of topics."""

TESTS = ("t", "sign")
"""The tests between two values of every pair."""

_ROUNDING = 1e-12
"""Means of topics that differ by less are equal."""


def topic_interval(values: Floats, topic: Ints, seed: int = 0) -> tuple[float, float]:
    """Return the 95% interval of the mean of values, by the percentile bootstrap over topics.

    Parameters
    ----------
    values : float array, shape (pairs,)
        A value of every pair.
    topic : int array, shape (pairs,)
        The topic of every pair, from 0; topics are drawn, with all of their pairs.
    seed : int
        Seed of the 2,000 samples.

    Returns
    -------
    tuple of float
        The 2.5% and the 97.5% quantile; NaN with fewer than two topics, which cannot be resampled.

    Examples
    --------
    >>> low, high = topic_interval(np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 2]))
    >>> low, high
    (0.5, 1.0)
    """
    numbers = np.unique(topic, return_inverse=True)[1]
    size = np.bincount(numbers)
    if len(size) < 2:
        return float("nan"), float("nan")
    total = np.bincount(numbers, values)
    drawn = np.random.default_rng(seed).multinomial(len(size), np.full(len(size), 1 / len(size)), SAMPLES)
    low, high = np.quantile((drawn @ total) / (drawn @ size), (0.025, 0.975))
    return float(low), float(high)


def topic_differences(values: Floats, others: Floats, topic: Ints) -> Floats:
    """Return the mean difference between two values of every pair, by topic.

    >>> topic_differences(np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0]), np.array([0, 1, 1])).tolist()
    [1.0, 0.5]
    """
    numbers = np.unique(topic, return_inverse=True)[1]
    differences: Floats = np.bincount(numbers, values - others) / np.bincount(numbers)
    return differences


def topic_test(values: Floats, others: Floats, topic: Ints) -> float:
    """Return the p-value of the paired two-tailed t-test between two values of every pair, averaged by topic.

    Returns
    -------
    float
        1 if all differences between the means are 0; NaN with fewer than two topics.

    Examples
    --------
    >>> round(topic_test(np.array([1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0]), np.array([0, 1, 2, 2])), 4)
    0.0377
    """
    from scipy.stats import ttest_1samp

    difference = topic_differences(values, others, topic)
    if len(difference) < 2:
        return float("nan")
    if np.ptp(difference) == 0:  # no spread: the statistic is infinite, or 0/0
        return 1.0 if difference[0] == 0 else 0.0
    return float(ttest_1samp(difference, 0).pvalue)


def sign_test(values: Floats, others: Floats) -> float:
    """Return the p-value of the two-tailed sign test between two values of every pair.

    Pairs are treated as independent; those with two equal values are left out.

    Returns
    -------
    float
        1 if the values of all pairs are equal.

    Examples
    --------
    Better on five pairs and worse on none: 2/2^5.

    >>> sign_test(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.5]), np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.5]))
    0.0625
    """
    from scipy.stats import binomtest

    better, worse = int((values > others).sum()), int((values < others).sum())
    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def check_test(test: str) -> None:
    """Raise if a test is unknown."""
    if test not in TESTS:
        raise UsageError(f"There is no test {test!r}. Known: 't' (over topics), 'sign' (over pairs of pages).")


def p_value(test: str, values: Floats, others: Floats, topic: Ints) -> float:
    """Return the p-value of a test of ``TESTS`` between two values of every pair."""
    return sign_test(values, others) if test == "sign" else topic_test(values, others, topic)


def favoured(test: str, values: Floats, others: Floats, topic: Ints) -> int:
    """Return 1 if a test of ``TESTS`` finds the first values larger, -1 if the others, 0 if neither.

    The mean over pairs may say the opposite, because the t-test weighs topics alike, and the sign test pairs.

    >>> values, others = np.array([1.0, 1.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0, 1.0])
    >>> topic = np.array([0, 0, 0, 1, 2])
    >>> float((values - others).mean()), favoured("t", values, others, topic), favoured("sign", values, others, topic)
    (0.2, -1, 1)
    """
    differences = values - others if test == "sign" else topic_differences(values, others, topic)
    total = np.sign(differences).sum() if test == "sign" else differences.mean()
    return 0 if abs(total) < _ROUNDING else int(np.sign(total))
