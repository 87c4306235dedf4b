"""Populations: how often and how long users visit a stream, how fast they read, and the random numbers of each user."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats, short_repr
from irmx.toolkit import seconds

_NORMALS = 1
"""The spawn key of the random numbers drawn here, in addition to the seed; the traces have another."""

_WIDEST = 1e6
"""The largest standard deviation, in units of the mean; beyond it a log-normal population has no plausible typical user."""


MOST_USERS = 1_024_000
"""The maximum number of simulated users; beyond, standard errors are smaller than anything that could be told apart."""


@dataclass(frozen=True)
class Users:
    """Users drawn from a population, or observed ones.

    Attributes
    ----------
    away : float array, shape (users,)
        Mean time between two sessions of each user, in seconds.
    session : float array, shape (users,)
        Mean duration of a session of each user, in seconds.
    speed : float array, shape (users,)
        Reading speed of each user, in words per second.
    first : int
        The number of the first user, if these are part of a larger draw.
    """

    away: Floats
    session: Floats
    speed: Floats
    first: int = 0

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.away)

    def some(self, first: int, end: int) -> Users:
        """Return the users from ``first`` up to, but excluding, ``end``; they keep their random numbers."""
        here = slice(first, end)
        return Users(self.away[here], self.session[here], self.speed[here], self.first + first)


@dataclass(frozen=True)
class Population:
    """Users whose mean time away, mean session and reading speed are log-normal.

    For a mean M and a standard deviation S of the data, sigma^2 = log(1 + S^2/M^2) and mu = log(M) - sigma^2/2. A
    user's own times are exponential with the user's means (:func:`simulate`). The defaults are the paper's reasonable
    users.

    Parameters
    ----------
    MA, SA : float or str
        Mean and standard deviation over users of the time away, in seconds or as a string such as ``'1.5h'``. The mean is
        above 0, the deviation from 0 to a million means; with 0 every user has the mean.
    MD, SD : float or str
        The same for the duration of a session.
    speed_mu, speed_sigma : float
        Mean and standard deviation of the logarithm of the reading speed in words per second; sigma from 0 to 10. The defaults give
        a mean of 255 words a minute.

    Raises
    ------
    irmx.UsageError
        Where a value is not in its range.

    References
    ----------
    Baruah, G., Smucker, M. D., Clarke, C. L. A.: Evaluating Streams of Evolving News Events. SIGIR 2015, section 3.

    Examples
    --------
    >>> population = Population(MA="6h", SA="3h")
    >>> population.MA, population.SA, population.MD, population.SD
    (21600.0, 10800.0, 120.0, 60.0)
    >>> population.draw(2, seed=7).away.round()
    array([37463., 18806.])
    """

    MA: float = 10800.0
    SA: float = 5400.0
    MD: float = 120.0
    SD: float = 60.0
    speed_mu: float = 1.29
    speed_sigma: float = 0.558

    def __post_init__(self) -> None:
        for name in ("MA", "SA", "MD", "SD"):
            object.__setattr__(self, name, seconds(getattr(self, name)))
        for mean, spread, what in (("MA", "SA", "time away"), ("MD", "SD", "duration of a session")):
            m, s = getattr(self, mean), getattr(self, spread)
            if not m > 0:
                raise UsageError(f"{mean}, the mean {what} of a population, must be more than 0 seconds. Got {m:g}.")
            if not 0 <= s <= _WIDEST * m:
                raise UsageError(
                    f"{spread}, the standard deviation of the {what}, must be from 0 to {_WIDEST:g} times {mean} = {m:g} "
                    f"seconds. Got {s:g} seconds."
                )
        for name, low, high in (("speed_mu", -10.0, 10.0), ("speed_sigma", 0.0, 10.0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise UsageError(
                    f"{name}, of the logarithm of the words read in a second, must be a number in the range "
                    f"[{low:g}, {high:g}]. Got {value!r}."
                )

    def draw(self, users: int, seed: int = 0, sampling: str = "random") -> Users:
        """Return users of the population.

        User u's three standard normals depend only on the seed, the sampling and u: more users leave the first ones
        unchanged, and other parameters of the population shift the same users (common random numbers). For each user they
        are in the order away, session, speed, and equal ``standard_normal((users, 3))`` of numpy's ``PCG64`` seeded with
        ``SeedSequence(seed, spawn_key=(1,))``.

        Parameters
        ----------
        users : int
            Number of users, at least 1.
        seed : int
            At least 0.
        sampling : {'random', 'sobol'}
            ``'sobol'`` uses scrambled Sobol points, which cover the population more evenly: the mean over users of a
            smooth quantity has a smaller error. The scrambling comes from the seed.

        Raises
        ------
        irmx.UsageError
            Where an argument is not in its range.

        Examples
        --------
        >>> for sampling in ("random", "sobol"):
        ...     print(sampling, round(float(Population().draw(1000, sampling=sampling).session.mean()), 2))
        random 121.43
        sobol 120.13
        """
        away, session, speed = _standard_normals(_whole("users", users, 1), _whole("seed", seed, 0), sampling).T
        return Users(
            away=_log_normal(self.MA, self.SA, away),
            session=_log_normal(self.MD, self.SD, session),
            speed=np.exp(self.speed_mu + self.speed_sigma * speed),
        )


def _log_normal(mean: float, deviation: float, z: Floats) -> Floats:
    """Return exp(mu + sigma z), with the mean factored out so that a deviation of 0 gives it exactly."""
    variance = math.log1p((deviation / mean) ** 2)
    return np.asarray(mean * np.exp(math.sqrt(variance) * z - variance / 2))


def _standard_normals(users: int, seed: int, sampling: str) -> Floats:
    """Return standard normals, shape (users, 3), whose first rows do not depend on the number of users."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_NORMALS,))))
    if sampling == "random":
        return rng.standard_normal((users, 3))
    if sampling == "sobol":
        from scipy.special import ndtri
        from scipy.stats import qmc

        bits = 30
        points = qmc.Sobol(3, scramble=True, bits=bits, seed=rng).random_base2((users - 1).bit_length())[:users]
        return np.asarray(ndtri(points + 2.0 ** -(bits + 1)))
    raise UsageError(f"Users are drawn by 'random' or by 'sobol' sampling. Got {sampling!r}.")


def _whole(name: str, value: Any, low: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise UsageError(f"{name!r} must be a whole number of at least {low}. Got {value!r}.")
    return int(value)


_MOST_KEPT = 25_000_000
"""Maximum number of cached floats: 200 MB."""

_JUMP = 210306068529402873165736369884012333109
"""The number of steps of ``PCG64.jumped()``, according to numpy's documentation."""


class Exponentials:
    """Streams of unit exponentials by seed, purpose and user; every request returns the start of the same infinite stream.

    Examples
    --------
    >>> first, second = Exponentials().rows(seed=7, purpose=2, users=[0, 5], widths=[2, 2])
    >>> bits = np.random.PCG64(np.random.SeedSequence(7, spawn_key=(2,))).jumped(5)
    >>> bool((np.random.Generator(bits).standard_exponential(2) == second).all())
    True
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int, int], Floats] = {}
        self._size = 0

    def rows(self, seed: int, purpose: int, users: Iterable[int], widths: Iterable[int]) -> list[Floats]:
        """Return the first unit exponentials of each user, as many as the user's width."""
        bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(purpose,)))
        start, rng = bits.state, np.random.Generator(bits)
        out = []
        for user, width in zip(users, widths, strict=False):
            row = self._kept.get((seed, purpose, user))
            if row is None or len(row) < width:
                bits.state = start
                bits.advance(user * _JUMP)
                row = rng.standard_exponential(width)
                self._keep((seed, purpose, user), row)
            out.append(row[:width])
        return out

    def _keep(self, key: tuple[int, int, int], row: Floats) -> None:
        """Store a row instead of a shorter one; clear the cache if there are too many."""
        known = self._kept.get(key)
        self._size += len(row) - (0 if known is None else len(known))
        if self._size > _MOST_KEPT:
            self._kept, self._size = {}, len(row)
        self._kept[key] = row


EXPONENTIALS = Exponentials()
"""The streams of this process."""
