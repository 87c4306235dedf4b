"""Power, and numbers of topics, of tests of the same topics: the t test, the analysis of variance, and intervals.

In the notation of Sakai's topic set size design: n topics, m systems, the level alpha, the power 1 - beta. Sakai approximates
the noncentral distributions, because spreadsheets lack them; here they are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from irmx import UsageError

_LARGEST = 10**9
"""The largest number of topics that is looked for."""
_NONCENTRALITY = 1e9
"""Above it, the series of the noncentral F distribution does not converge; the power is 1 long before."""


def power_of_anova(topics: int, systems: int, difference: float, variance: float, level: float) -> float:
    r"""Return the power of the two-way analysis of variance, topics x systems, for a difference of two systems.

    The difference D is that of the best and the worst system. The means of the others are as hard to tell apart as possible:
    all in the middle, so that the sum of squared effects is D^2/2. Then F has m - 1 and (n - 1)(m - 1) degrees of freedom and
    the noncentrality n D^2 / (2 variance).

    Parameters
    ----------
    topics, systems : int
        n and m, at least 2.
    difference : float
        D.
    variance : float
        The residual variance; for two systems, half the variance of their differences.
    level : float
        The level of significance, in (0, 1).

    Examples
    --------
    >>> round(power_of_anova(50, 3, 0.1, 0.02, 0.05), 4)
    0.8865
    """
    from scipy.stats import ncf

    between, within = systems - 1, (topics - 1) * (systems - 1)
    noncentrality = min(topics * difference**2 / (2 * variance), _NONCENTRALITY)
    if noncentrality == 0:  # no difference, or the square of it is too small: here scipy's noncentral F is wrong
        return level
    return float(ncf.sf(_critical(level, between, within), between, within, noncentrality))


@cache
def _critical(level: float, between: int, within: int) -> float:
    """Return the value that F exceeds with the probability of the level if all means are equal."""
    from scipy.stats import f

    return float(f.isf(level, between, within))


def power_of_t(topics: int, difference: float, sd: float, level: float) -> float:
    """Return the power of the two-sided paired t test.

    Its square is the F of the analysis of variance of two systems, whose distribution is computed more reliably than the
    noncentral t.

    Parameters
    ----------
    topics : int
        The number of topics, at least 2.
    difference : float
        The difference of the means.
    sd : float
        The standard deviation of the differences.
    level : float
        The level of significance, in (0, 1).

    Examples
    --------
    >>> round(power_of_t(50, 0.1, 0.25, 0.05), 4)
    0.7918
    """
    return power_of_anova(topics, 2, difference, sd**2 / 2, level)


def detectable_difference(topics: int, sd: float, level: float, power: float) -> float:
    """Return the difference that the two-sided paired t test detects with some power.

    Examples
    --------
    >>> round(detectable_difference(50, 0.25, 0.05, 0.8), 4)
    0.101
    """
    return sd * _detectable_effect(topics, level, power)


@cache
def _detectable_effect(topics: int, level: float, power: float) -> float:
    """Return the detectable difference in units of the standard deviation."""
    from scipy.optimize import brentq

    def lacking(effect: float) -> float:
        return power_of_t(topics, effect, 1, level) - power

    high = 1.0
    while lacking(high) < 0:
        if topics * high**2 > _NONCENTRALITY:
            raise UsageError(
                f"With {topics:,} topics, not even a difference of {high:,.0f} standard deviations is found with a probability of "
                f"{power:g} at the level {level:.3g}. Plan more topics, a lower power or a higher level."
            )
        high *= 2
    return float(brentq(lacking, 0, high, xtol=1e-12))


def topics_for_t(difference: float, sd: float, level: float, power: float) -> int:
    """Return the smallest number of topics with which the two-sided paired t test detects a difference with some power.

    Examples
    --------
    >>> topics_for_t(0.1, 0.25, 0.05, 0.8)
    52
    """
    return _smallest(lambda topics: power_of_t(topics, difference, sd, level) >= power)


def topics_for_anova(difference: float, variance: float, systems: int, level: float, power: float) -> int:
    """Return the smallest number of topics with which the analysis of variance detects a difference with some power.

    Examples
    --------
    >>> topics_for_anova(0.1, 0.02, 3, 0.05, 0.8)
    41
    """
    return _smallest(lambda topics: power_of_anova(topics, systems, difference, variance, level) >= power)


def expected_width(topics: int, sd: float, level: float) -> float:
    r"""Return the expected width of the t interval of a mean difference, which covers 1 - level.

    It is 2 t sd c / sqrt(n), where c = sqrt(2/(n-1)) Gamma(n/2) / Gamma((n-1)/2) is the expected standard deviation of n
    normal values over the true one.

    Examples
    --------
    >>> round(expected_width(50, 0.25, 0.05), 4)
    0.1414
    """
    from scipy.stats import t

    c = math.sqrt(2 / (topics - 1)) * math.exp(math.lgamma(topics / 2) - math.lgamma((topics - 1) / 2))
    return float(2 * t.isf(level / 2, topics - 1) * sd * c / math.sqrt(topics))


def topics_for_width(width: float, sd: float, level: float) -> int:
    """Return the smallest number of topics with which the expected interval of a mean difference is narrow enough.

    Examples
    --------
    >>> topics_for_width(0.1, 0.25, 0.05)
    98
    """
    return _smallest(lambda topics: expected_width(topics, sd, level) <= width)


def _smallest(enough: Callable[[int], bool]) -> int:
    """Return the smallest number of topics, from 2, that is enough; a larger number is enough, too.

    Raises
    ------
    irmx.errors.UsageError
        If not even a thousand million topics are enough.
    """
    high = 2
    while not enough(high):
        high *= 2
        if high > _LARGEST:
            raise UsageError(f"Not even {_LARGEST:,} topics are enough. Ask for a larger difference or width.")
    low = high // 2  # not enough, unless both are 2
    while high - low > 1 and high > 2:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
