"""Maximum-likelihood estimation of a population from a log of visits."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, UsageError
from irmx.ragged import Floats, Ints, segment_sum, short_repr
from irmx.toolkit import html_result, plural
from irmx_stream.population import Population
from irmx_stream.traces import Recorded, read_traces

if TYPE_CHECKING:
    import pandas as pd


_NODES, _WEIGHTS = np.polynomial.hermite.hermgauss(40)
_Z95 = 1.959963984540054
_WIDEST = 5.0
"""The largest sigma considered: a standard deviation of 268,000 means."""


@dataclass(frozen=True)
class PopulationFit:
    """Result of :func:`fit_population`.

    Attributes
    ----------
    population : Population
        The most likely population.
    intervals : dict of str to tuple
        The 95% interval of each fitted parameter.
    log_likelihood : float
        Log-likelihood of the times away and the durations, in seconds, under the population.
    users, sessions, times_away : int
        Number of each in the log.
    """

    population: Population
    intervals: dict[str, tuple[float, float]]
    log_likelihood: float
    users: int
    sessions: int
    times_away: int

    __repr__ = short_repr

    def _repr_html_(self) -> str:
        title = f"Population of {plural(self.users, 'user')} with {plural(self.sessions, 'session')}: {self.population}"
        rows = [{"parameter": name, "low": low, "high": high} for name, (low, high) in self.intervals.items()]
        return html_result(title, {"95% intervals": rows})


def fit_population(
    sessions: Recorded | pd.DataFrame | str | os.PathLike[str], end: float | None = None
) -> PopulationFit:
    r"""Return the population of users under which a log of visits is most likely.

    The model is that of :class:`Population`: a user's durations are exponential with the user's own mean, and these
    means are log-normal; likewise the times away, from the end of a session to the start of the user's next one.
    The likelihood of n times of a user with sum s is

    .. math:: \int \phi(z) \, m(z)^{-n} e^{-s/m(z)} \, dz, \qquad m(z) = e^{\mu + \sigma z},

    by adaptive Gauss-Hermite quadrature of 40 points around the largest value of the integrand. Mean and spread of both
    kinds of time are free; with the column ``speed``, ``speed_mu`` and ``speed_sigma`` are the mean and the standard
    deviation of the logarithm of the users' speeds, else those of the paper.

    Parameters
    ----------
    sessions : Recorded, DataFrame, str or Path
        The log: any source for :func:`read_traces`, or its result.
    end : float, optional
        End of the recording, in the seconds of the log. The time from a user's last session to it then counts as a
        censored time away, of at least this length. Without it only times between two sessions count, among which long
        ones are underrepresented.

    Returns
    -------
    PopulationFit
        Intervals are from the observed information, on the logarithmic scale. If users do not differ more than by chance,
        so that a spread of 0 is equally likely (and then the estimate) or not significantly less likely, the interval of
        the spread goes from 0 to the largest spread whose likelihood ratio is not significant at 5%, or to infinity if
        that of a sigma of 5 is not significant either.

    Raises
    ------
    irmx.DataError
        If there are fewer than two users with a session, or with a time away, so that the spread between users cannot be
        distinguished from that within one user; or if all times are 0.
    irmx.UsageError
        If ``end`` is not finite, or before the end of a session.

    References
    ----------
    .. [1] J. C. Pinheiro, D. M. Bates. Approximations to the Log-Likelihood Function in the Nonlinear Mixed-Effects Model.
       Journal of Computational and Graphical Statistics 4 (1), 1995.

    Examples
    --------
    >>> from irmx_stream.traces import Recorded
    >>> from irmx_stream.traces import simulate
    >>> users = Population(MA="6h", SA="3h").draw(200)
    >>> log = Recorded([str(u) for u in range(200)], simulate(users, "10d"), users.speed)
    >>> fit = fit_population(log, end=864000)
    >>> found = fit.population
    >>> round(found.MA), round(found.SA), round(found.MD), round(found.SD)
    (22916, 11565, 125, 62)
    """
    log = sessions if isinstance(sessions, Recorded) else read_traces(sessions)
    traces = log.traces
    user, users = traces.user, len(traces)
    ends = traces.start + traces.duration
    same = user[1:] == user[:-1]
    gap = (traces.start[1:] - ends[:-1])[same]
    n_away = np.bincount(user[1:][same], minlength=users)
    away = segment_sum(gap, user[1:][same], users)
    if end is not None:
        if not math.isfinite(end):
            raise UsageError(f"The end of the recording must be a finite number of seconds. Got {end} instead.")
        last = traces.offsets[1:][np.diff(traces.offsets) > 0] - 1
        if (ends[last] > end).any():
            late = last[ends[last] > end][0]
            raise UsageError(
                f"The recording cannot end at {end:.15g}: a session of the user {log.users[user[late]]!r} ends at "
                f"{ends[late]:.15g}."
            )
        away[user[last]] += end - ends[last]
    times_away = _fit(n_away, away, "a time away (between two sessions)")
    durations = _fit(np.bincount(user, minlength=users), segment_sum(traces.duration, user, users), "a session")
    values = {"MA": times_away.mean, "SA": times_away.spread, "MD": durations.mean, "SD": durations.spread}
    intervals = {
        "MA": times_away.mean_interval,
        "SA": times_away.spread_interval,
        "MD": durations.mean_interval,
        "SD": durations.spread_interval,
    }
    if log.gap:
        raise DataError(log.gap)
    if log.speeds is not None:
        speed = np.log(log.speeds)
        mu, sigma = float(speed.mean()), float(speed.std())
        values |= {"speed_mu": mu, "speed_sigma": sigma}
        se = sigma / math.sqrt(users)
        intervals["speed_mu"] = (mu - _Z95 * se, mu + _Z95 * se)
        factor = math.exp(_Z95 / math.sqrt(2 * users))
        intervals["speed_sigma"] = (sigma / factor, sigma * factor)
    return PopulationFit(
        Population(**values),
        intervals,
        times_away.log_likelihood + durations.log_likelihood,
        users,
        len(traces.start),
        int(n_away.sum()),
    )


@dataclass(frozen=True)
class _Fit:
    mean: float
    spread: float
    mean_interval: tuple[float, float]
    spread_interval: tuple[float, float]
    log_likelihood: float


def _fit(n: Ints, total: Floats, what: str) -> _Fit:
    """Return the log-normal distribution of means, fitted to the number and the sum of each user's times."""
    from scipy.optimize import minimize

    if (n > 0).sum() < 2:
        raise DataError(f"Fitting a population needs at least two users with {what}. The log has {int((n > 0).sum())}.")
    events = int(n.sum())
    pooled = float(total.sum()) / events
    if pooled == 0:
        raise DataError(f"All {events} times in the log are 0; no population can be fitted to users with {what}.")
    sums = total / pooled

    def loss(point: Floats) -> float:
        return -log_likelihood(float(point[0]), float(point[1]), n, sums)

    found = min(
        (
            minimize(loss, [-(sigma**2) / 2, sigma], method="L-BFGS-B", bounds=[(-30, 30), (0, _WIDEST)])
            for sigma in (0.1, 0.7, 2.0)
        ),
        key=lambda result: float(result.fun),
    )
    mu, sigma = map(float, found.x)
    if sigma > 0.99 * _WIDEST:
        raise DataError(
            f"The users of the log differ by more than those of a log-normal population with a sigma of {_WIDEST:g}: the "
            f"largest sum of a user's times is {total.max():g} seconds, the smallest {total.min():g}."
        )
    largest, none = -float(found.fun), log_likelihood(0.0, 0.0, n, sums)
    if largest - none < 1e-6:
        mu, sigma, largest, error = 0.0, 0.0, none, 1 / math.sqrt(events)
    else:
        covariance = np.linalg.inv(_information(mu, sigma, n, sums))
        slope = np.array([1.0, sigma])
        error = math.sqrt(slope @ covariance @ slope)
    mean = pooled * math.exp(mu + sigma**2 / 2)
    spread = mean * math.sqrt(math.expm1(sigma**2))
    if 2 * (largest - none) < _Z95**2:
        spread_interval = (0.0, pooled * _largest_spread(sigma, largest, n, sums))
    else:
        slope = np.array([1.0, sigma - sigma / math.expm1(-(sigma**2))])
        spread_interval = _around(spread, math.sqrt(slope @ covariance @ slope))
    return _Fit(mean, spread, _around(mean, error), spread_interval, largest - events * math.log(pooled))


def _around(value: float, error: float) -> tuple[float, float]:
    """Return the 95% interval of a value from the standard error of its logarithm."""
    factor = math.exp(_Z95 * error)
    return value / factor, value * factor


def log_likelihood(mu: float, sigma: float, n: Ints, total: Floats) -> float:
    """Return the log-likelihood of users with n exponential times of a given sum, whose means are log-normal.

    Parameters
    ----------
    mu, sigma : float
        Parameters of the logarithm of the means; sigma at least 0.
    n : int array, shape (users,)
        Number of times of each user.
    total : float array, shape (users,)
        Their sum, in the unit of the means.

    Examples
    --------
    >>> round(log_likelihood(0.0, 0.0, np.array([2]), np.array([3.0])), 6)
    -3.0
    >>> round(log_likelihood(0.0, 1.0, np.array([2]), np.array([3.0])), 6)
    -3.456143
    """
    if sigma == 0:
        return float(np.sum(-n * mu - total * math.exp(-mu)))
    from scipy.special import logsumexp, wrightomega

    with np.errstate(divide="ignore"):
        y = wrightomega(2 * math.log(sigma) + np.log(total) - mu + sigma**2 * n)
    mode, scale = y / sigma - sigma * n, np.sqrt(2 / (1 + y))
    z = mode[:, np.newaxis] + scale[:, np.newaxis] * _NODES
    log_mean = mu + sigma * z
    log_integrand = -n[:, np.newaxis] * log_mean - total[:, np.newaxis] * np.exp(-log_mean) - z**2 / 2
    terms = logsumexp(log_integrand + _NODES**2 + np.log(_WEIGHTS), axis=1)
    return float(np.sum(terms + np.log(scale)) - len(n) * math.log(2 * math.pi) / 2)


def _information(mu: float, sigma: float, n: Ints, total: Floats) -> Floats:
    """Return the observed information of mu and sigma: minus the second derivatives, by central differences."""
    h = np.array([1e-3, min(1e-3, sigma / 4)])

    def at(i: int, j: int) -> float:
        return log_likelihood(mu + i * h[0], sigma + j * h[1], n, total)

    mixed = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h[0] * h[1])
    here = 2 * at(0, 0)
    return -np.array(
        [[(at(1, 0) - here + at(-1, 0)) / h[0] ** 2, mixed], [mixed, (at(0, 1) - here + at(0, -1)) / h[1] ** 2]]
    )


def _largest_spread(fitted: float, largest: float, n: Ints, total: Floats) -> float:
    """Return the largest spread whose likelihood ratio against the fitted sigma is not significant at 5%."""
    from scipy.optimize import brentq, minimize_scalar

    def best(sigma: float) -> Any:
        return minimize_scalar(lambda mu: -log_likelihood(mu, sigma, n, total), bounds=(-30, 30), method="bounded")

    def excess(sigma: float) -> float:
        return 2 * (largest + float(best(sigma).fun)) - _Z95**2

    if excess(_WIDEST) < 0:
        return math.inf
    sigma = float(brentq(excess, max(fitted, 1e-6), _WIDEST))
    return math.exp(float(best(sigma).x) + sigma**2 / 2) * math.sqrt(math.expm1(sigma**2))
