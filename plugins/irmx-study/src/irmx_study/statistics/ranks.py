"""How far rankings of the same systems agree: comparable means, tau-b, tau_AP, Spearman, Pearson."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irmx import DataError, DataWarning, Scores, UsageError
from irmx.ragged import Array, Bools, Floats, Ints

# -- how far rankings of the same systems agree ----------------------------------------------------------------------


_ONE_CORE = 2**17
"""Up to how many multiplications BLAS libraries do a product on one core."""

_FEWEST = 32


def product_of_columns(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the product x' y of two matrices with the same rows.

    To share a product of a few milliseconds among cores that others use, too, may take a hundred times as long as the product.

    Examples
    --------
    >>> x = np.arange(300.0).reshape(100, 3)
    >>> bool((product_of_columns(x, x) == x.T @ x).all())
    True
    """
    rows = max(_FEWEST, _ONE_CORE // max(1, x.shape[1] * y.shape[1]))
    whole = len(x) // rows * rows
    parts = np.matmul(
        x[:whole].reshape(-1, rows, x.shape[1]).transpose(0, 2, 1), y[:whole].reshape(-1, rows, y.shape[1])
    )
    product: npt.NDArray[Any] = parts.sum(axis=0) + x[whole:].T @ y[whole:]
    return product


DIGITS = 12
"""The significant digits to which means are compared, of the largest value of a measure."""


_SMALLEST = -290
"""Smaller values have fewer digits: their powers of ten are no floats."""

MOST_DECIMALS = 15
"""A float has no more decimal places than this, of values in [0, 1]."""


def check_decimals(decimals: int | None) -> None:
    """Raise a UsageError unless means can be rounded to so many decimal places."""
    is_number = isinstance(decimals, (int, np.integer)) and not isinstance(decimals, bool)
    if decimals is not None and not (is_number and 0 <= decimals <= MOST_DECIMALS):
        raise UsageError(
            f"Means are rounded to a number of decimal places in the range [0, {MOST_DECIMALS}]. Got {decimals!r} instead."
        )


def comparable_means(scores: Scores, decimals: int | None = None) -> Floats:
    """Return the mean of every system by every measure, rounded so that systems with the same values are tied.

    Sums of the same numbers in another order differ in their last digits, which would put equal systems into an order.

    Parameters
    ----------
    scores : Scores
        The scores.
    decimals : int, optional
        Round to this many decimal places, as studies that start from printed values do; by default to 12 significant digits of
        the largest value of the measure.

    Returns
    -------
    float array, shape (systems, measures)
        The means over topics, by each measure's own aggregator.

    Raises
    ------
    irmx.errors.UsageError
        If the decimal places are not a whole number from 0 to 15.
    irmx.errors.DataError
        If a system has no value of a measure.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> comparable_means(scores, decimals=4).ravel().tolist()
    [0.4986, 0.2252, 0.3302]
    """
    check_decimals(decimals)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # a system without a mean is an error here
        means: Floats = scores.means().to_numpy()
    for s, m in np.argwhere(~np.isfinite(means))[:1].tolist():
        kind = "no value" if np.isnan(means[s, m]) else "an infinite mean"
        raise DataError(f"{scores.systems[s]} has {kind} of {scores.measures[m]}, so that it has no rank.")
    return comparable(means, scores.values, decimals)


def comparable(means: Floats, values: Floats, decimals: int | None) -> Floats:
    """Return means of some values, rounded so that equal ones are tied."""
    if decimals is not None:
        return np.round(means, decimals)
    return rounded(means, np.nanmax(np.abs(values), axis=(0, 1), initial=0.0))


def rounded(values: Floats, largest: Floats | None = None) -> Floats:
    """Return values, rounded to 12 significant digits of a large value: by default of the largest of each column.

    >>> rounded(np.array([[0.1 + 0.2], [0.3]])).tolist()
    [[0.3], [0.3]]
    """
    if largest is None:
        largest = np.abs(values).max(axis=0, initial=0.0)
    with np.errstate(divide="ignore"):
        exponent = np.where(largest > 0, np.floor(np.log10(largest)), 0.0)
    exponent = np.maximum(exponent, _SMALLEST)
    steps: Floats = np.round(values * 10.0 ** (DIGITS - 1 - exponent))
    return steps / 10.0 ** (DIGITS - 1 - exponent)


def kendall_tau(x: Floats, y: Floats) -> float:
    r"""Return Kendall's tau-b between two rankings of the same systems.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_x)(P - T_y)}}

    of the :math:`P = n(n-1)/2` pairs of systems, C in the same order and D in opposite orders, and :math:`T_x`, :math:`T_y` tied in
    one of the rankings.

    Parameters
    ----------
    x, y : float array, shape (systems,)
        A value of every system; larger is better.

    Returns
    -------
    float
        In [-1, 1]; NaN if all values of one ranking are equal.

    Raises
    ------
    irmx.errors.UsageError
        If the rankings have different lengths.

    References
    ----------
    .. [1] M. G. Kendall. The treatment of ties in ranking problems. Biometrika 33 (3), 1945.

    Examples
    --------
    >>> kendall_tau(np.array([4, 3, 2, 1]), np.array([3, 4, 2, 1])), kendall_tau(np.array([2, 2, 1]), np.array([3, 2, 1])).__round__(6)
    (0.6666666666666666, 0.816497)
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise UsageError(f"A correlation needs two values of every system. Got the shapes {x.shape} and {y.shape}.")
    return float(kendall_taus(np.stack([x, y], axis=1))[0, 1])


def kendall_taus(values: Floats) -> Floats:
    """Return tau-b between all pairs of rankings.

    Examples
    --------
    >>> kendall_taus(np.array([[3, 3, 1], [2, 1, 1], [1, 2, 1]])).round(4).tolist()
    [[1.0, 0.3333, nan], [0.3333, 1.0, nan], [nan, nan, nan]]
    """
    signs = pair_signs(values)
    agreeing = product_of_columns(signs, signs)  # whole numbers, exact
    distinct = np.diagonal(agreeing)
    with np.errstate(invalid="ignore"):
        taus: Floats = agreeing / np.sqrt(np.outer(distinct, distinct))
    return taus


def pair_signs(values: Floats) -> Floats:
    """Return, for every pair of systems and every ranking, 1 if the first has the larger value, -1 if the second, 0 if none."""
    first, second = np.triu_indices(len(values), 1)
    return np.sign(values[first] - values[second], dtype=float)


_EXACT = 2**24
"""Whole numbers up to this are exact as 32-bit floats."""


def taus_of_samples(values: Floats, first: Ints, second: Ints) -> Floats:
    """Return, for every sample, tau-b of pairs of rankings.

    Examples
    --------
    >>> values = np.array([[[3, 3], [2, 2], [1, 1]], [[3, 2], [2, 3], [1, 1]], [[3, 2], [2, 2], [1, 2]]])
    >>> taus_of_samples(values, np.array([0]), np.array([1])).round(4).ravel().tolist()
    [1.0, 0.3333, nan]
    """
    above, below = np.triu_indices(values.shape[1], 1)
    exact = np.float32 if len(above) < _EXACT else np.float64
    taus: Floats = np.empty((len(values), len(first)))
    for sample, places in enumerate(places_of(values)):
        signs = np.clip(places[above] - places[below], -1, 1).astype(exact)
        agreeing = product_of_columns(signs, signs).astype(float)
        distinct = np.diagonal(agreeing)
        with np.errstate(invalid="ignore"):
            taus[sample] = agreeing[first, second] / np.sqrt(distinct[first] * distinct[second])
    return taus


def places_of(values: Floats) -> Array:
    """Return the places of values among the distinct values of their ranking, from 0 for the smallest.

    Differences of small whole numbers are faster than those of floats. A ranking with a NaN has the place 0 throughout.

    >>> places_of(np.array([[[0.5], [0.1], [0.5]]])).ravel().tolist()
    [1, 0, 1]
    """
    rankings = np.ascontiguousarray(np.swapaxes(values, 1, 2))
    order = np.argsort(rankings, axis=2)
    ascending = np.take_along_axis(rankings, order, axis=2)
    larger = np.zeros(rankings.shape, dtype=np.int16 if rankings.shape[2] < 2**14 else np.int32)
    larger[:, :, 1:] = ascending[:, :, 1:] > ascending[:, :, :-1]
    larger[np.isnan(ascending[:, :, -1])] = 0  # NaN is sorted last
    places = np.empty_like(larger)
    np.put_along_axis(places, order, np.cumsum(larger, axis=2, dtype=larger.dtype), axis=2)
    return np.ascontiguousarray(np.swapaxes(places, 1, 2))


def pearson_correlations(values: Floats) -> Floats:
    """Return Pearson's correlation between all pairs of columns.

    Examples
    --------
    >>> pearson_correlations(np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 1.0], [3.0, 3.0, 1.0]])).round(4).tolist()
    [[1.0, 0.5, nan], [0.5, 1.0, nan], [nan, nan, nan]]
    """
    deviations = values - values.mean(axis=0)
    deviations[:, values.max(axis=0) == values.min(axis=0)] = 0.0  # a mean may be rounded
    products = deviations.T @ deviations
    squares = np.diagonal(products)
    with np.errstate(invalid="ignore"):
        correlations: Floats = np.clip(products / np.sqrt(np.outer(squares, squares)), -1, 1)
    return correlations


def spearman_correlations(values: Floats) -> Floats:
    """Return Spearman's correlation between all pairs of columns: Pearson's of the ranks, tied values having their mean rank.

    Examples
    --------
    >>> spearman_correlations(np.array([[10, 1], [30, 2], [20, 3]])).round(4).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    return pearson_correlations(mean_ranks(values))


def mean_ranks(values: Floats) -> Floats:
    """Return the ranks of values in their column, from 1 for the smallest; tied values have the mean of their ranks.

    >>> mean_ranks(np.array([[0.5], [0.1], [0.5]])).ravel().tolist()
    [2.5, 1.0, 2.5]
    """
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values, axis=0)
    return ranks


TIES = ("a", "b")
"""The treatments of ties."""

_CELLS = 4_000_000
"""Pairs of systems are compared in so many places at a time, which bounds the memory."""


def tau_ap(x: Floats, y: Floats, ties: str = "a") -> float:
    r"""Return the AP correlation of a ranking y of systems with a reference x.

    .. math:: \tau_{AP} = \frac{2}{N-1} \sum_{i=2}^{N} \frac{C(i)}{i-1} - 1

    where C(i) counts the systems above rank i in y that are above the system at rank i in x, too.

    Parameters
    ----------
    x : float array, shape (systems,)
        The reference: a value of every system; larger is better.
    y : float array, shape (systems,)
        The ranking that is read from the top.
    ties : {"a", "b"}
        The treatment of ties by Urbano and Marrero: the expected value over all orders of the tied systems (``"a"``), here of the
        reference, too; or the mean of both directions, which takes ties for equality (``"b"``).

    Returns
    -------
    float
        In [-1, 1]; NaN if all values of one ranking are equal; with ``ties="b"`` symmetric.

    Raises
    ------
    irmx.errors.UsageError
        If the rankings have different lengths or fewer than two systems, or for another treatment of ties.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, S. Robertson. A new rank correlation coefficient for information retrieval. SIGIR 2008.
    .. [2] J. Urbano, M. Marrero. The treatment of ties in AP correlation. ICTIR 2017.

    Examples
    --------
    >>> truth = np.array([4, 3, 2, 1])
    >>> round(tau_ap(truth, np.array([3, 4, 2, 1])), 6), round(tau_ap(truth, np.array([4, 3, 1, 2])), 6)
    (0.333333, 0.777778)
    >>> [round(tau_ap(truth, np.array([3, 2, 2, 1]), ties), 6) for ties in ("a", "b")]
    [0.833333, 0.833333]
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2:
        raise UsageError(
            f"A correlation needs two values of every system, and two systems. Got the shapes {x.shape} and {y.shape}."
        )
    if ties not in TIES:
        raise UsageError(f"The treatment of ties is one of {', '.join(TIES)}. Got {ties!r} instead.")
    return float(tau_aps(x[:, None], y[:, None], ties)[0, 0])


def tau_aps(references: Floats, rankings: Floats, ties: str = "a") -> Floats:
    """Return the AP correlation of many rankings with every reference.

    Examples
    --------
    >>> values = np.array([[4, 3], [3, 4], [2, 2], [1, 1]])
    >>> tau_aps(values, values).round(4).tolist()
    [[1.0, 0.3333], [0.3333, 1.0]]
    """
    at_once = max(1, _CELLS // len(rankings) ** 2)
    parts = [rankings[:, start : start + at_once] for start in range(0, rankings.shape[1], at_once)]
    x = _Order(references)
    if ties != "b":
        return np.concatenate([_expected(x, _Order(part)) for part in parts], axis=1)
    both = [(_one_way(x, y) + _one_way(y, x).T) / 2 for y in map(_Order, parts)]
    return np.concatenate(both, axis=1)


class _Order:
    """Which systems are above which in rankings of shape (systems, rankings), their ranks, and how many are tied."""

    def __init__(self, values: Floats) -> None:
        self.above: Bools = values[None, :, :] > values[:, None, :]
        self.rank: Ints = self.above.sum(axis=1) + 1
        self.tied: Ints = len(values) + 1 - self.rank - self.above.sum(axis=0)


def _agreeing(x: Array, y: _Order, weights: Floats) -> Floats:
    """Return, for every reference and ranking, the sum over systems of C(i) times the weight of the system i in the ranking.

    C(i) counts the systems above i in both; ``x`` is the probability that a system is above another one in the reference.
    """
    in_reference = x.reshape(-1, x.shape[2]).astype(float)
    weighted = (y.above * weights[:, None, :]).reshape(-1, y.above.shape[2])
    return product_of_columns(in_reference, weighted)


def _expected(x: _Order, y: _Order) -> Floats:
    """tau_AP,a: the mean over all orders of tied systems; systems tied with each other agree in half of them."""
    systems, rank, tied = len(y.rank), y.rank, y.tied
    steps = np.arange(1, systems)  # the number of systems above a rank from 2 on
    reciprocal = np.concatenate([[0.0, 0.0], np.cumsum(1 / steps)])  # of the ranks up to r, at the place r
    mean_weight = (reciprocal[rank + tied - 1] - reciprocal[rank - 1]) / tied
    # of k systems of the group above the rank p + k, on average half: k / (p + k - 1) = 1 - (p - 1) / (p + k - 1)
    within = (tied - 1) - (rank - 1) * (reciprocal[rank + tied - 1] - reciprocal[rank])
    constant = (within / (2 * tied)).sum(axis=0)
    above = (1.0 + x.above - x.above.transpose(1, 0, 2)) / 2
    taus: Floats = 2 / (systems - 1) * (_agreeing(above, y, mean_weight) + constant) - 1
    taus[x.above.sum(axis=(0, 1)) == 0] = np.nan
    taus[:, y.above.sum(axis=(0, 1)) == 0] = np.nan
    return taus


def _one_way(x: _Order, y: _Order) -> Floats:
    """One direction of tau_AP,b: tied systems of y are not compared with each other."""
    systems, rank = len(y.rank), y.rank
    top = np.where(rank == 1, y.tied, 0).max(axis=0)
    weights = np.where(rank > 1, 1 / np.maximum(rank - 1, 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        taus: Floats = 2 / (systems - top) * _agreeing(x.above, y, weights) - 1
    return taus


def p_values_of_tau(x: Floats, y: Floats, taus: Floats) -> Floats:
    """Return the two-sided p-values of tau-b, for rankings of shape (systems, pairs); the same ties and tau have the same."""
    from scipy.stats import kendalltau, rankdata

    known: dict[Any, float] = {}
    values = np.full(len(taus), np.nan)
    for place in np.flatnonzero(~np.isnan(taus)).tolist():
        pair = [rankdata(of[:, place], method="dense").astype(int) for of in (x, y)]
        sizes = [np.bincount(of) for of in pair]
        key = (round(float(taus[place]), 12), *(tuple(sorted(of[of > 1].tolist())) for of in sizes))
        if key not in known:
            known[key] = float(kendalltau(*pair).pvalue)
        values[place] = known[key]
    return values


# -- rank-biased overlap ---------------------------------------------------------------------------------------------


def tied_groups(values: Floats, names: Sequence[Hashable] | None = None) -> list[list[Any]]:
    """Return the ranking of systems by their values, as groups of tied systems, the best first.

    Parameters
    ----------
    values : float array, shape (systems,)
        A value of every system; larger is better. Values that differ by rounding only are not tied; see
        :func:`irmx_study.comparable_means`.
    names : sequence, optional
        The names of the systems; by default their places.

    Returns
    -------
    list of list
        The groups; :func:`irmx_study.rbo` takes such rankings.

    Raises
    ------
    irmx.errors.UsageError
        If a value is NaN, or there are not as many names as values.

    Examples
    --------
    >>> tied_groups([0.2, 0.4, 0.2], ["titles", "bm25", "recent"])
    [['bm25'], ['titles', 'recent']]
    """
    numbers = np.asarray(values, dtype=float)
    labels = list(range(len(numbers))) if names is None else list(names)
    if numbers.shape != (len(labels),):
        raise UsageError(
            f"A ranking needs one value per name. Got {len(labels)} names, values of shape {numbers.shape}."
        )
    if np.isnan(numbers).any():
        raise UsageError(f"{labels[int(np.isnan(numbers).argmax())]!r} has the value NaN, so that it has no rank.")
    groups: dict[float, list[Any]] = {}
    for place in np.argsort(-numbers, kind="stable").tolist():
        groups.setdefault(float(numbers[place]), []).append(labels[place])
    return list(groups.values())


def groups_of(ranking: Iterable[Any]) -> list[list[Hashable]]:
    """Return a ranking as groups of tied items: a list, tuple or set is a group, anything else one item.

    >>> groups_of(["a", {"c", "b"}])
    [['a'], ['b', 'c']]
    """
    if isinstance(ranking, str):
        raise UsageError(f"A ranking is a list of items or groups of items. Got the text {ranking!r} instead.")
    groups = [_group(element) for element in ranking]
    items = [item for group in groups for item in group]
    if not items or not all(groups):
        raise UsageError("A ranking needs at least one item, and each of its groups, too.")
    if len(set(items)) < len(items):
        seen: set[Hashable] = set()
        twice = next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]
        raise UsageError(f"The ranking has {twice!r} twice.")
    return groups


def _group(element: Any) -> list[Hashable]:
    if isinstance(element, (set, frozenset)):
        return sorted(element, key=str)  # the same order in every process, and so the same sums
    return list(element) if isinstance(element, (list, tuple)) else [element]


RBO_TIES = ("w", "a", "b")
"""The treatments of ties."""


class RankBiasedOverlap(NamedTuple):
    """The rank-biased overlap of two rankings that may go on below what is known of them.

    Attributes
    ----------
    extrapolated : float
        The overlap if the rankings go on agreeing as at the end of what is known.
    minimum, maximum : float
        The smallest and the largest overlap, whatever follows.
    residual : float
        The maximum less the minimum: the weight of what is not known.
    """

    extrapolated: Any
    minimum: Any
    maximum: Any
    residual: Any


def rbo(x: Iterable[Any], y: Iterable[Any], p: float = 0.9, ties: str = "b") -> RankBiasedOverlap:
    r"""Return the rank-biased overlap of two rankings, which may have ties, different lengths and different items.

    .. math:: RBO = \frac{1-p}{p} \sum_{d=1}^{\infty} p^d A_d, \qquad A_d = \frac{\sum_e c_x(e, d)\, c_y(e, d)}{n_d}

    where c(e, d) is how much of the item e a ranking has at depth d, and :math:`n_d` how many items the rankings have there. The
    treatments of ties differ in both. With a group of tied items at the ranks t to b, the depth d is inside the group if
    t <= d < b; then

    ``"w"``
        all items of the group count in full: c = 1. :math:`n_d` is the mean number of items of both rankings, which is d outside
        of groups. Tied items share a rank.
    ``"a"``
        each item counts by its share of the ranks: c = (d - t + 1) / (b - t + 1), and :math:`n_d` = d. This is the expected overlap
        if the tied items are put into random orders: their order exists, but is not known.
    ``"b"``
        as ``"a"``, but :math:`n_d = \sqrt{\sum_e c_x(e, d)^2 \sum_e c_y(e, d)^2}`, so that a ranking agrees fully with itself: there
        is no order of the tied items to know, as in Kendall's tau-b.

    Parameters
    ----------
    x, y : iterable of items or groups of items
        The rankings, the best first. A list, tuple or set is a group of tied items.
    p : float
        The persistence, in (0, 1): the weight of the depth d is proportional to p^d.
    ties : {"b", "a", "w"}
        The treatment of ties.

    Returns
    -------
    RankBiasedOverlap
        ``extrapolated``, ``minimum``, ``maximum`` and ``residual``, in [0, 1]. Without ties all treatments are the same.

    Raises
    ------
    irmx.errors.UsageError
        If a ranking is empty or has an item twice, p is outside (0, 1), or for another treatment of ties.

    Notes
    -----
    Let s be the length of the shorter ranking, l that of the longer one. At a depth d between them, the shorter ranking has d - s
    unknown items. The minimum takes them for items that the longer ranking does not have, the maximum for its first items that
    the shorter one lacks, and the extrapolation for a share :math:`A_s` of the items that only the longer ranking has at depth d,
    with their mean c. Below l, the minimum adds no common item, the maximum adds two with every depth until all items are
    common, and the extrapolation keeps the agreement of the depth l.

    References
    ----------
    .. [1] W. Webber, A. Moffat, J. Zobel. A similarity measure for indefinite rankings. ACM TOIS 28 (4), 2010.
    .. [2] M. Corsi, J. Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.

    Examples
    --------
    >>> overlap = rbo(["red", "blue", "green"], ["red", "green", "blue"], p=0.5)
    >>> round(overlap.extrapolated, 4), round(overlap.minimum, 4), round(overlap.residual, 4)
    (0.875, 0.8294, 0.0456)
    >>> [round(rbo(["red", ["blue", "green"]], ["red", "green"], 0.5, ties).extrapolated, 4) for ties in ("w", "a", "b")]
    [0.9333, 0.9167, 0.9553]
    """
    check_overlap(p, ties)
    shorter, longer = sorted((groups_of(x), groups_of(y)), key=lambda groups: sum(map(len, groups)))
    items = list(dict.fromkeys(item for groups in (longer, shorter) for group in groups for item in group))
    s, l = (sum(map(len, groups)) for groups in (shorter, longer))  # noqa: E741
    depths = np.arange(1, l + 1)
    unknown = np.maximum(depths - s, 0)
    of_shorter, of_longer = (contributions(*_ranks(groups, items), depths, ties) for groups in (shorter, longer))
    common = (of_shorter * of_longer).sum(axis=0)
    sizes = [(of_ranking**2).sum(axis=0) for of_ranking in (of_shorter, of_longer)]
    number = items_at(sizes[0] + unknown, sizes[1], depths, ties)
    weights = (1 - p) / p * p**depths

    only_longer = of_longer[of_shorter[:, -1] == 0]  # in the order of their ranks
    known = only_longer > 0
    mean = np.divide(only_longer.sum(axis=0), known.sum(axis=0), out=np.zeros(l), where=known.any(axis=0))
    extrapolated = (common + unknown * (common / number)[s - 1] * mean) / number
    first = np.where(np.arange(len(only_longer))[:, None] < unknown, only_longer, 0).sum(axis=0)
    largest = (common + first) / number

    in_both = common[-1]
    whole = s + l - round(in_both)  # the depth from which everything can be common
    below = np.arange(l + 1, whole + 1)
    rest = ((in_both + 2 * below - s - l) / below * p**below).sum() * (1 - p) / p + p**whole
    minimum = float((common / number) @ weights + in_both * _harmonic_tail(p, l))
    maximum = float(largest @ weights + rest)
    return RankBiasedOverlap(
        float(extrapolated @ weights + extrapolated[-1] * p**l), minimum, maximum, maximum - minimum
    )


def rank_biased_overlaps(values: Floats, p: float = 0.9, ties: str = "b") -> RankBiasedOverlap:
    """Return the rank-biased overlaps of all pairs of rankings of the same systems.

    Both rankings have all systems, so that they agree fully at their end: the extrapolated overlap is the maximum.

    Examples
    --------
    >>> rank_biased_overlaps(np.array([[3, 3], [2, 1], [1, 2]]), p=0.5).extrapolated.round(4).tolist()
    [[1.0, 0.875], [0.875, 1.0]]
    """
    check_overlap(p, ties)
    systems, rankings = values.shape
    depths = np.arange(1, systems + 1)
    above = (values[None, :, :] > values[:, None, :]).sum(axis=1)
    tied = (values[None, :, :] == values[:, None, :]).sum(axis=1)
    of_ranking = [contributions(above[:, r] + 1, tied[:, r], depths, ties) for r in range(rankings)]
    stacked = np.stack(of_ranking) if rankings else np.empty((0, systems, systems))
    sizes = (stacked**2).sum(axis=1)
    weights = (1 - p) / p * p**depths
    known = np.empty((rankings, rankings))
    for r in range(rankings):
        common = np.einsum("ed,red->rd", stacked[r], stacked)
        known[r] = (common / items_at(sizes[r], sizes, depths, ties)) @ weights
    known = (known + known.T) / 2  # the same sum in another order
    minimum = known + systems * _harmonic_tail(p, systems)
    maximum = known + p**systems
    return RankBiasedOverlap(maximum, minimum, maximum, maximum - minimum)


def check_overlap(p: float, ties: str) -> None:
    """Raise a UsageError if the parameters are not those of a rank-biased overlap."""
    if not 0 < p < 1:
        raise UsageError(f"The persistence p of rank-biased overlap is in the range (0, 1). Got {p!r} instead.")
    if ties not in RBO_TIES:
        raise UsageError(
            f"The treatment of ties of rank-biased overlap is one of {', '.join(RBO_TIES)}. Got {ties!r} instead."
        )


def contributions(top: Array, size: Array, depths: Ints, ties: str) -> Floats:
    """Return how much of every item a ranking has at every depth."""
    ranks_inside = depths - top[:, None] + 1
    if ties == "w":
        return (ranks_inside > 0).astype(float)
    return np.clip(ranks_inside / size[:, None], 0, 1)


def items_at(size_x: Floats, size_y: Floats, depths: Ints, ties: str) -> Floats:
    """Return how many items two rankings have at every depth, from the sums of the squares of their contributions."""
    if ties == "w":
        return (size_x + size_y) / 2
    if ties == "a":
        return depths.astype(float)
    return np.sqrt(size_x * size_y)


def _harmonic_tail(p: float, depth: int) -> float:
    """Return (1 - p)/p times the sum of p^d / d over the depths d below a depth: the weight of one common item there."""
    seen = np.arange(1, depth + 1)
    return float((1 - p) / p * (-np.log1p(-p) - (p**seen / seen).sum()))


def _ranks(groups: Sequence[Sequence[Hashable]], items: Sequence[Hashable]) -> tuple[Floats, Floats]:
    """Return the first rank and the size of the group of every item; infinity and 1 for those that the ranking lacks."""
    place = {item: i for i, item in enumerate(items)}
    top, size = np.full(len(items), np.inf), np.ones(len(items))
    rank = 1
    for group in groups:
        for item in group:
            top[place[item]], size[place[item]] = rank, len(group)
        rank += len(group)
    return top, size


# -- letters of systems that cannot be told apart --------------------------------------------------------------------


def letters_of(differ: Bools, order: Sequence[int]) -> list[str]:
    """Return letters for systems, such that two systems share one if and only if they cannot be told apart.

    A letter stands for a group of systems, no two of which differ. Few letters are readable, so groups are formed greedily, as
    covers of the edges of a graph by cliques: each is made of pairs that share no letter yet, and groups that others make
    superfluous are left out. The smallest possible number is hard to find (Gramm et al., 2007), and the method of insertion and
    absorption (Piepho, 2004), which lists all largest groups, gives a system of TREC-8 up to 800 letters.

    Examples
    --------
    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> letters_of(differ, [0, 1, 2])
    ['a', 'ab', 'b']
    """
    alike = ~differ[np.ix_(order, order)]
    np.fill_diagonal(alike, True)
    groups = _without_superfluous(_groups(alike), len(alike))
    groups.sort()
    letters = [""] * len(order)
    for number, group in enumerate(groups):
        turn, letter = divmod(number, len(ascii_letters))  # a to z, A to Z, a1 to z1 and so on
        for place in group:
            letters[order[place]] += ascii_letters[letter] + (str(turn) if turn else "")
    return letters


def _groups(alike: Bools) -> list[list[int]]:
    """Return groups in which no two places differ; every two places that do not differ share one. Places ascend in each."""
    unshared, groups = alike.copy(), []
    for place in range(len(alike)):
        while unshared[place].any():
            group, candidates, gain = [place], alike[place].copy(), unshared[place].astype(np.intp)
            candidates[place] = False
            while candidates.any():
                joining = int(
                    np.where(candidates, gain, -1).argmax()
                )  # the one with most new pairs; of these, the best
                group.append(joining)
                candidates &= alike[joining]
                candidates[joining] = False
                gain += unshared[joining]
            unshared[np.ix_(group, group)] = False
            groups.append(sorted(group))
    return groups


def _without_superfluous(groups: list[list[int]], systems: int) -> list[list[int]]:
    """Return the groups that contain a pair that no other does, the last ones left out first."""
    shared = np.zeros((systems, systems), dtype=np.intp)
    for group in groups:
        shared[np.ix_(group, group)] += 1
    kept = []
    for group in reversed(groups):
        pairs = np.ix_(group, group)
        if (shared[pairs] > 1).all():
            shared[pairs] -= 1
        else:
            kept.append(group)
    return kept


def ranks_alike(differ: Bools, order: Sequence[int]) -> list[str]:
    """Return the best and the worst rank of the systems that each cannot be told apart from, itself among them; some between may differ.

    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> ranks_alike(differ, [0, 1, 2])
    ['1-2', '1-3', '2-3']
    """
    alike = ~differ[np.ix_(order, order)]
    np.fill_diagonal(alike, True)
    texts = [""] * len(order)
    for place, row in enumerate(alike):
        ranks = np.flatnonzero(row) + 1
        texts[order[place]] = f"{ranks[0]}-{ranks[-1]}" if len(ranks) > 1 else str(ranks[0])
    return texts
