"""Paired values: random draws of topics and signs, intervals, and p-values of permutations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from irmx.ragged import Array, Bools, Floats, Ints

if TYPE_CHECKING:
    from numpy.random import PCG64


# -- random draws over topics, from a stream of bits that numpy guarantees for all its versions ----------------------


_CHUNK = 2**19
"""How many numbers to draw at a time: a small fraction of a second."""


def _chunks(draws: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the length of consecutive draws of some numbers each."""
    most = max(1, min(1024, _CHUNK // size))
    for start in range(0, draws, most):
        yield start, min(most, draws - start)


def _stream(seed: int) -> PCG64:
    from numpy.random import PCG64  # the import takes longer than all of this module

    return PCG64(seed)


def all_signs(topics: int, draws: int) -> bool:
    """Return whether there are at most as many vectors of signs as draws, so that all of them can be used."""
    return topics < 63 and 2**topics <= draws


def sign_flips(topics: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield vectors of signs, each of -1.0 and 1.0 with the same probability; all 2^topics, once, if these are not more.

    Examples
    --------
    >>> [signs.tolist() for signs in sign_flips(2, 100, seed=0)]
    [[[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]]
    >>> [signs.astype(int).tolist() for signs in sign_flips(9, 2, seed=0)]
    [[[-1, -1, -1, -1, -1, 1, -1, 1, 1], [-1, 1, 1, 1, 1, -1, 1, 1, -1]]]
    """
    if all_signs(topics, draws):
        for start, count in _chunks(2**topics, topics):
            yield _signs(np.arange(start, start + count, dtype=np.uint64)[:, None], topics)
        return
    words, stream = -(-topics // 64), _stream(seed)
    for _, count in _chunks(draws, topics):
        yield _signs(stream.random_raw(count * words).reshape(count, words), topics)


def _signs(words: Array, topics: int) -> Floats:
    """Return the lowest bits of words as signs, the lowest first."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=topics, bitorder="little")
    signs: Floats = np.subtract(1.0, 2.0 * bits)
    return signs


def resampled_topics(topics: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield how often each topic is in samples of as many topics, drawn with replacement.

    Examples
    --------
    >>> [counts.astype(int).tolist() for counts in resampled_topics(4, 2, seed=0)]
    [[[2, 1, 1, 0], [0, 0, 2, 2]]]
    """
    stream = _stream(seed)
    for _, count in _chunks(draws, topics):
        # 53 bits are the largest number of which a float keeps every one
        fractions = (stream.random_raw(count * topics) >> np.uint64(11)) * 2.0**-53
        places = (fractions * topics).astype(np.int64) + np.repeat(np.arange(count) * topics, topics)
        yield np.bincount(places, minlength=count * topics).reshape(count, topics).astype(float)


def shuffled_systems(topics: int, systems: int, draws: int, seed: int) -> Iterator[Ints]:
    """Yield random orders of the systems, one for every topic and draw.

    Examples
    --------
    >>> [orders.tolist() for orders in shuffled_systems(2, 3, 1, seed=0)]
    [[[[2, 1, 0], [0, 1, 2]]]]
    """
    stream = _stream(seed)
    low = np.uint64((1 << max(1, (systems - 1).bit_length())) - 1)
    for _, count in _chunks(draws, topics * systems):
        # random words whose lowest bits are the place of the system: no two are equal, so that every sort orders them alike
        words = stream.random_raw(count * topics * systems).reshape(count, topics, systems)
        words &= ~low
        words |= np.arange(systems, dtype=np.uint64)
        words.sort(axis=-1)
        words &= low
        yield words.view(np.int64)


def random_words(count: int, draw: int, seed: int) -> Array:
    """Return the random words of one draw; no draw depends on which others are made.

    Examples
    --------
    >>> [random_words(2, draw, seed=0).tolist() for draw in range(2)]
    [[11749869230777074271, 4976686463289251617], [755828109848996024, 304881062738325533]]
    """
    stream = _stream(seed)
    stream.advance(count * draw)
    return np.asarray(stream.random_raw(count))


LIMIT = 2**27
"""How many bytes of orders are kept at most; 10,000 draws of 129 systems on 50 topics are half of it."""


class KeptOrders:
    """The draws of :func:`shuffled_systems`, kept for the next measure: drawing them takes longer than what follows.

    Examples
    --------
    >>> kept = KeptOrders(LIMIT)
    >>> first, second = ([orders.tolist() for orders in kept.draw(2, 3, 10, seed=0)] for _ in range(2))
    >>> first == second == [orders.tolist() for orders in shuffled_systems(2, 3, 10, seed=0)]
    True
    """

    def __init__(self, limit: int = 0) -> None:
        self._limit = limit
        self._kept: dict[tuple[int, int, int, int], list[Array]] = {}

    def draw(self, topics: int, systems: int, draws: int, seed: int) -> Iterator[Ints]:
        """Yield what :func:`shuffled_systems` yields; the caller may change the arrays."""
        key = (topics, systems, draws, seed)
        if key in self._kept:
            for orders in self._kept[key]:
                yield orders.astype(np.int64)
            return
        smallest = np.min_scalar_type(systems - 1)
        fits = topics * systems * draws * smallest.itemsize <= self._limit
        kept: list[Array] = []
        for orders in shuffled_systems(*key):
            if fits:
                kept.append(orders.astype(smallest))
            yield orders
        if fits:
            self._kept = {key: kept}


# -- the values of systems on the same topics ------------------------------------------------------------------------


_FLOATS = 2**18
"""How many differences to compute at a time: few enough for the cache."""

_ROUNDING = 1e-9
"""By how much, relatively, a difference may exceed the threshold of ties: 0.3 - 0.29 is a little more than 0.01 in floats."""


def without_rounding(values: Floats) -> Floats:
    """Return values of shape (topics, systems) in which those of a topic that differ by rounding alone are equal.

    >>> without_rounding(np.array([[0.1 + 0.2, 0.5, 0.3]])).tolist()
    [[0.3, 0.5, 0.3]]
    """
    near = [_near(some).any(axis=1) for some in np.array_split(values, -(-values.size // _FLOATS) or 1)]
    rows = np.flatnonzero(np.concatenate(near))
    if not len(rows):
        return values
    few = values[rows]
    order = np.argsort(few, axis=1)
    ascending = np.take_along_axis(few, order, axis=1)
    start = np.where(
        np.insert(~_near(few) & (np.diff(ascending, axis=1) > 0), 0, True, axis=1), np.arange(few.shape[1]), 0
    )
    same = np.take_along_axis(ascending, np.maximum.accumulate(start, axis=1), axis=1)
    np.put_along_axis(few, order, np.where(np.isnan(ascending), np.nan, same), axis=1)
    out: Floats = values.copy()
    out[rows] = few
    return out


def _near(values: Floats) -> Bools:
    """Return whether each value of a topic, from the second smallest on, differs from the one before by rounding alone."""
    ascending = np.sort(values, axis=1)
    gaps = np.diff(ascending, axis=1)
    return np.asarray((gaps > 0) & (gaps <= 4 * np.finfo(float).eps * np.abs(ascending[:, 1:])))


def p_of_equal_signs(topics: int) -> float:
    """Return the probability that random signs of all topics are equal, the p-value of equal differences.

    >>> p_of_equal_signs(3)
    0.25
    """
    return float(0.5 ** (topics - 1))


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The values of systems on the same topics, and the pairs of systems to compare.

    Attributes
    ----------
    values : float array
        The values of one measure, of shape (topics, systems).
    first, second : int array
        The columns of the systems of every pair, of shape (pairs,). Differences are first - second.
    draws : int
        How many random draws a test makes that resamples.
    seed : int
        The seed of the draws.
    tie_threshold : float
        The largest difference on a topic that counts as a tie.
    advance : callable
        To be called by long computations with the share of the work that is done since the last call, in draws.
    orders : KeptOrders
        Random orders of the systems, which the measures of a comparison share.
    """

    values: Floats
    first: Ints
    second: Ints
    draws: int = 10_000
    seed: int = 0
    tie_threshold: float = 0.0
    advance: Callable[[int], None] = field(default=lambda count: None)
    orders: KeptOrders = field(default_factory=KeptOrders)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.values)

    def largest(self, pairs: slice = slice(None)) -> Floats:
        """Return the largest size of a value of the two systems of some pairs, of shape (pairs,)."""
        of_systems = np.abs(self.values).max(axis=0)
        largest: Floats = np.maximum(of_systems[self.first[pairs]], of_systems[self.second[pairs]])
        return largest

    def chunks(self) -> Iterator[slice]:
        """Yield consecutive pairs, so many at a time that their differences take little memory."""
        size = max(1, _FLOATS // max(self.topics, 1))
        yield from (slice(start, start + size) for start in range(0, len(self), size))

    def differences(self, pairs: slice = slice(None)) -> Floats:
        """Return the differences of some pairs, by default of all, of shape (topics, pairs).

        Those of a pair are next to each other in memory, so that numpy adds them up as accurately as an array of one pair.
        """
        systems = np.ascontiguousarray(self.values.T)
        differences: Floats = (systems[self.first[pairs]] - systems[self.second[pairs]]).T
        return differences

    def mean_differences(self) -> Floats:
        """Return the differences of the means of the systems of every pair."""
        means = self.values.mean(axis=0)
        differences: Floats = means[self.first] - means[self.second]
        return differences

    def outcomes(self) -> tuple[Ints, Ints, Ints]:
        """Return on how many topics the first system of every pair wins, ties and loses.

        A tie is a difference of at most the threshold.
        """
        threshold = self.tie_threshold * (1 + _ROUNDING)
        wins, losses = np.zeros((2, len(self)), dtype=np.int64)
        for pairs in self.chunks():
            differences = self.differences(pairs)
            wins[pairs] = np.count_nonzero(differences > threshold, axis=0)
            losses[pairs] = np.count_nonzero(differences < -threshold, axis=0)
        return wins, self.topics - wins - losses, losses

    def select(self, pairs: Bools) -> PairedValues:
        """Return some of the pairs; the values of all systems stay."""
        return replace(self, first=self.first[pairs], second=self.second[pairs])

    def with_used_systems(self) -> PairedValues:
        """Return the pairs with the values of their own systems alone."""
        used, places = np.unique([self.first, self.second], return_inverse=True)
        first, second = places.reshape(2, -1)
        return replace(self, values=self.values[:, used], first=first, second=second)


_BITS = 52
"""Sums stay below 2^52, their differences below 2^53: whole numbers up to there are exact in a float."""

_TOLERATED = 4
"""A value is rounded by half a unit, a difference by one; what is compared are up to four such sums."""

_SUMS = 2**16
"""How many sums of pairs to compute at a time, few enough for the cache."""


@dataclass(frozen=True, eq=False)
class ExactValues:
    """The values of systems as whole numbers of a tiny unit, a power of two.

    Any sum of n of them, n the number of topics, is exact, in whatever order a matrix product adds them: on every machine,
    with every number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> paired = PairedValues(np.array([[0.5, 0.1], [0.2, 0.4]]), np.array([0]), np.array([1]))
    >>> exact = ExactValues.of(paired)
    >>> (exact.totals() * exact.unit).round(12).tolist()
    [0.2]
    """

    values: Floats
    unit: float
    first: Ints
    second: Ints

    @classmethod
    def of(cls, paired: PairedValues) -> ExactValues:
        """Return the values of systems in the smallest unit in which their sums are exact.

        They are taken from the middle of each topic, which changes no difference: where values are large and differ little, the
        unit is as small as the differences need.
        """
        middle = paired.values.max(axis=1, keepdims=True) / 2 + paired.values.min(axis=1, keepdims=True) / 2
        values: Floats = paired.values - middle
        power = _BITS - int(np.frexp(np.abs(values).max())[1]) - paired.topics.bit_length()
        return cls(np.rint(np.ldexp(values, power)), float(np.ldexp(1.0, -power)), paired.first, paired.second)

    @property
    def tolerance(self) -> float:
        """How much smaller a sum may be by rounding, and still reach another."""
        return float(_TOLERATED * len(self.values))

    def totals(self) -> Floats:
        """Return the sum of the differences of every pair, in units."""
        return self.of_pairs(self.values.sum(axis=0)[:, None])[:, 0]

    def of_pairs(self, sums: Floats, pairs: slice = slice(None)) -> Floats:
        """Return the differences of sums of systems, of shape (systems, draws), between the systems of some pairs."""
        differences: Floats = sums[self.first[pairs]]
        differences -= sums[self.second[pairs]]
        return differences

    def chunks(self, draws: int) -> list[slice]:
        """Return consecutive pairs, so many at a time that their sums for some draws fit into the cache."""
        size = max(1, _SUMS // max(draws, 1))
        return [slice(start, start + size) for start in range(0, len(self.first), size)]

    def count_reaching(self, sums: Floats, least: Floats, centres: Floats | None = None) -> Ints:
        """Return, for every pair, for how many draws the size of the difference reaches a number."""
        counts = np.empty(len(self.first), dtype=np.int64)
        for pairs in self.chunks(sums.shape[1]):
            differences = self.of_pairs(sums, pairs)
            if centres is not None:
                differences -= centres[pairs, None]
            np.abs(differences, out=differences)
            counts[pairs] = np.count_nonzero(differences >= least[pairs, None], axis=1)
        return counts


_CONSTANT = 1e-12
"""A standard deviation that is smaller, relative to the mean, comes from rounding alone."""


def mean_and_deviation(differences: Floats, largest: Floats | float = 0.0) -> tuple[Floats, Floats]:
    """Return the means of differences over topics, and their standard deviations.

    Examples
    --------
    >>> import numpy as np
    >>> mean, deviation = mean_and_deviation(np.array([[0.3 - 0.2, 0.0], [0.2 - 0.1, 2.0]]))
    >>> mean.round(3).tolist(), deviation.round(3).tolist()
    ([0.1, 1.0], [0.0, 1.414])
    """
    mean, deviation = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    rounding = np.maximum(_CONSTANT * np.abs(mean), 4 * np.finfo(float).eps * largest)
    return mean, np.where(deviation <= rounding, 0.0, deviation)


def mean_and_error(differences: Floats, largest: Floats | float = 0.0) -> tuple[Floats, Floats]:
    """Return the means over topics, and their standard errors."""
    mean, deviation = mean_and_deviation(differences, largest)
    return mean, deviation / np.sqrt(len(differences))


def freedom_of(*parts: tuple[float, int]) -> float:
    """Return the degrees of freedom of a sum of means of independent samples, given the variance and the size of each (Welch)."""
    whole = sum(variance for variance, _ in parts)
    return whole**2 / sum(v**2 / (n - 1) for v, n in parts) if whole > 0 else float(min(n for _, n in parts) - 1)


def two_sided_t(freedom: float, level: float) -> float:
    """Return the value of t that is exceeded, on either side together, with a probability of ``level``."""
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, level / 2))


def t_intervals(
    differences: Floats, level: float, largest: Floats | float = 0.0, reach: float | None = None
) -> tuple[Floats, Floats]:
    """Return the ends of the t intervals of the means over topics, with a coverage of 1 - level, or that reach so many errors.

    They are NaN where all differences are equal, but not 0, and too few to show anything at the level.
    """
    mean, error = mean_and_error(differences, largest)
    reach = two_sided_t(len(differences) - 1, level) if reach is None else reach
    half = np.multiply(reach, error, out=np.zeros_like(error), where=error > 0)
    if p_of_equal_signs(len(differences)) > level:
        half = np.where((error == 0) & (mean != 0), np.nan, half)
    return mean - half, mean + half


def paired_effects(differences: Floats, largest: Floats | float = 0.0) -> Floats:
    """Return the mean of the differences over their standard deviation, per pair; 0 where all are 0, infinite where all are equal."""
    mean, deviation = mean_and_deviation(differences, largest)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / deviation)


def residual_variance(values: Floats) -> float:
    """Return the residual variance of a two-way analysis of variance without replication, topics x systems.

    It is 0 where systems differ by constants, but for rounding.
    """
    topics, systems = values.shape
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    residuals[np.abs(residuals) <= 8 * np.finfo(float).eps * np.abs(values).max()] = 0
    return float((residuals**2).sum() / ((topics - 1) * (systems - 1)))


# -- bias-corrected and accelerated bootstrap intervals of mean differences ------------------------------------------


_MEANS = 2**20
"""How many means of resampled topics to sort at a time."""


def bca_intervals(paired: PairedValues, level: float) -> tuple[Floats, Floats]:
    """Return the ends of the BCa intervals of the mean differences, with a coverage of 1 - level.

    They are those of ``scipy.stats.bootstrap``, to rounding, for the same resamples. All pairs share them here, and the
    jackknife, which takes n x n numbers there, has a closed form for means.

    References
    ----------
    Efron: Better Bootstrap Confidence Intervals. JASA 1987.
    """
    exact = ExactValues.of(paired.with_used_systems())
    parts = []
    for samples in resampled_topics(paired.topics, paired.draws, paired.seed):
        parts.append(exact.values.T @ samples.T)
        paired.advance(len(samples))
    sums, totals = np.concatenate(parts, axis=1), exact.totals()
    ends = np.empty((2, len(paired)))
    size = max(1, _MEANS // paired.draws)
    for start in range(0, len(paired), size):
        pairs = slice(start, start + size)
        resampled = np.sort(exact.of_pairs(sums, pairs), axis=1)
        columns = totals[pairs, None]
        below = (resampled < columns - exact.tolerance).mean(axis=1)
        up_to = (resampled <= columns + exact.tolerance).mean(axis=1)
        ends[:, pairs] = _quantiles(resampled, _shares((below + up_to) / 2, paired.differences(pairs), level))
    low, high = ends * (exact.unit / paired.topics)
    return low, high


def _shares(below: Floats, differences: Floats, level: float) -> Floats:
    """Return which quantiles of the resampled sums are the ends, of shape (2, pairs).

    With z0 the normal quantile of the share ``below`` of resamples that are less than the estimate, a the acceleration from the jackknife, and z the
    normal quantile of level / 2 or 1 - level / 2, the share is Phi(z0 + (z0 + z) / (1 - a (z0 + z))).
    """
    from scipy.special import ndtr, ndtri

    bias = ndtri(below)
    deviations = differences - differences.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = (deviations**3).sum(axis=0) / (6 * (deviations**2).sum(axis=0) ** 1.5)
        moved = bias + np.array([[1.0], [-1.0]]) * ndtri(level / 2)
        shares = ndtr(bias + moved / (1 - acceleration * moved))
    # where all differences are the same, so are all resamples, and every share gives the same end
    return np.where(np.isnan(shares), 0.5, shares)


def _quantiles(ordered: Floats, shares: Floats) -> Floats:
    """Return the quantiles of rows in ascending order, with linear interpolation."""
    places = shares * (ordered.shape[1] - 1)
    below = np.floor(places).astype(np.int64)
    rows, above = np.arange(len(ordered)), np.minimum(below + 1, ordered.shape[1] - 1)
    at, after = ordered[rows, below], ordered[rows, above]
    quantiles: Floats = at + (after - at) * (places - below)
    return quantiles
