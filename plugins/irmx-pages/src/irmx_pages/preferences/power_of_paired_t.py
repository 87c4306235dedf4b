"""Power of the two-sided paired t test: the effect that so many topics detect, and the topics that an effect needs.

An effect is a difference of means in units of the standard deviation of the differences. The square of the noncentral t
of n topics is the noncentral F with 1 and n - 1 degrees of freedom and the noncentrality n effect^2.
"""

from __future__ import annotations

from functools import cache

from irmx import UsageError

_MOST_TOPICS = 10**8
"""The largest number of topics that is looked for."""
_LARGEST_EFFECT = 1e4


def power_of_paired_t(topics: int, effect: float, significance: float) -> float:
    """Return the probability that the test is significant.

    Parameters
    ----------
    topics : int
        At least 2.
    effect : float
        The difference of the means over the standard deviation of the differences.
    significance : float
        The level of significance, in (0, 1).

    Examples
    --------
    >>> round(power_of_paired_t(50, 0.4, 0.05), 4)
    0.7918
    """
    from scipy.stats import f, ncf

    noncentrality = topics * effect**2
    if noncentrality == 0:  # no effect, or the square of it is too small: here scipy's noncentral F is wrong
        return significance
    return float(ncf.sf(f.isf(significance, 1, topics - 1), 1, topics - 1, noncentrality))


@cache
def detectable_effect(topics: int, significance: float, power: float) -> float:
    """Return the effect that the test detects with some power.

    >>> round(detectable_effect(50, 0.05, 0.8), 4)
    0.4042
    """
    from scipy.optimize import brentq

    high = 1.0
    while power_of_paired_t(topics, high, significance) < power:
        high *= 2
        if high > _LARGEST_EFFECT:
            raise UsageError(
                f"With {topics} topics, no difference is found with a probability of {power:g} at the level {significance:.3g}. Ask "
                "for a lower power, a higher level or fewer comparisons."
            )
    return float(brentq(lambda effect: power_of_paired_t(topics, effect, significance) - power, 0, high, xtol=1e-12))


@cache
def topics_for_effect(effect: float, significance: float, power: float) -> int:
    """Return the smallest number of topics, from 2, with which the test detects an effect with some power.

    >>> topics_for_effect(0.4, 0.05, 0.8)
    52
    """

    def enough(topics: int) -> bool:
        return power_of_paired_t(topics, effect, significance) >= power

    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST_TOPICS:
            raise UsageError(f"Not even {_MOST_TOPICS:,} topics are enough for the difference. Ask for a larger one.")
    low = high // 2
    while high - low > 1 and high > 2:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
