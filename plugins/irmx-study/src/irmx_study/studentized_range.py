"""The studentized range distribution for many values at the same time."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np

from irmx.ragged import Floats

_NODES = 32
"""More p-values than this, as 9 systems and more have, are interpolated; SciPy integrates each for some 10 ms."""

_TAIL = 1e-7
"""Below this p-value, the absolute error of SciPy's integrals, some 1e-11, begins to show."""


def range_p_values(q: Floats, systems: int, degrees: int) -> Floats:
    """Return the probability that a studentized range is at least as large as each of many.

    Up to 32 different ranges come from ``scipy.stats.studentized_range``. More are interpolated from as many of its values: the
    normal quantile of the probability is nearly a straight line over the logarithm of the range, and a polynomial through
    Chebyshev points meets it to a relative error of about 1e-6. Below 1e-7 the probability falls as that of a t statistic;
    of two systems, it is that of a t statistic.

    Examples
    --------
    >>> import numpy as np
    >>> range_p_values(np.array([0.0, 3.5, 5.0]), systems=3, degrees=38).round(6).tolist()
    [1.0, 0.04608, 0.003059]
    """
    from numpy.polynomial import chebyshev
    from scipy.special import ndtr

    if systems == 2:
        return _pairwise(q, systems, degrees)
    tail, p_of_tail = _tail(systems, degrees)
    inside, places = np.unique(np.minimum(q, tail), return_inverse=True)
    if len(inside) <= _NODES:
        p = _from_scipy(inside, systems, degrees)
    else:
        low, coefficients = _interpolation(systems, degrees)
        where = 2 * np.log(np.maximum(inside, low) / low) / np.log(tail / low) - 1
        p = ndtr(chebyshev.chebval(where, coefficients))
    falling = p_of_tail * _pairwise(np.maximum(q, tail), systems, degrees) / _pairwise(tail, systems, degrees)
    return np.where(q > tail, falling, np.where(q == 0, 1.0, p[places.reshape(q.shape)]))


@lru_cache
def critical_range(level: float, systems: int, degrees: int) -> float:
    """Return the studentized range that is exceeded with a probability of ``level``.

    >>> round(critical_range(0.05, systems=3, degrees=38), 4), round(critical_range(0.05, systems=129, degrees=6272), 4)
    (3.449, 6.2426)
    """
    from numpy.polynomial import chebyshev
    from scipy.optimize import brentq
    from scipy.special import ndtri
    from scipy.stats import studentized_range

    if systems * (systems - 1) / 2 <= _NODES or not 1e-6 < level < 1 - 1e-6:
        return float(studentized_range.isf(level, systems, degrees))
    low, coefficients = _interpolation(systems, degrees)  # which the p-values need, too
    where = brentq(lambda x: chebyshev.chebval(x, coefficients) - ndtri(level), -1, 1, xtol=1e-12)
    return float(low * (_tail(systems, degrees)[0] / low) ** ((where + 1) / 2))


def _from_scipy(q: Floats | float, systems: int, degrees: int) -> Floats:
    from scipy.integrate import IntegrationWarning
    from scipy.stats import studentized_range

    with warnings.catch_warnings():
        # of ranges so small that the probability to be below is 0, but for the error of the integral
        warnings.simplefilter("ignore", IntegrationWarning)
        p: Floats = studentized_range.sf(q, systems, degrees)
    return p


def _pairwise(q: Floats | float, systems: int, degrees: int) -> Floats:
    """Return Bonferroni's bound of p: the sum over all pairs of the probabilities of their t statistics."""
    from scipy.special import stdtr

    bound: Floats = systems * (systems - 1) * stdtr(degrees, -np.asarray(q) / np.sqrt(2))
    return bound


@lru_cache
def _tail(systems: int, degrees: int) -> tuple[float, float]:
    """Return where the tail begins, by Bonferroni's bound, and p there."""
    from scipy.special import stdtrit

    start = -np.sqrt(2) * stdtrit(degrees, _TAIL / (systems * (systems - 1)))
    return float(start), float(_from_scipy(np.array([start]), systems, degrees)[0])


@lru_cache
def _interpolation(systems: int, degrees: int) -> tuple[float, Floats]:
    """Return the range below which p is 1, but for a millionth, and the coefficients of the polynomial above it."""
    from numpy.polynomial import chebyshev
    from scipy.special import ndtri

    tail, _ = _tail(systems, degrees)
    below, above, low = 0.0, tail, tail / 2
    while not 1e-8 < (share := 1 - float(_from_scipy(low, systems, degrees))) < 1e-6:
        below, above = (low, above) if share <= 1e-8 else (below, low)
        low = (below + above) / 2
    nodes = chebyshev.chebpts1(_NODES)
    q = low * (tail / low) ** ((nodes + 1) / 2)
    return low, chebyshev.chebfit(nodes, ndtri(_from_scipy(q, systems, degrees)), _NODES - 1)
