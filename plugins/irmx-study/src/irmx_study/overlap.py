"""Rank-biased overlap: how much two rankings share at every depth, of which the first count most."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from irmx import UsageError
from irmx.ragged import Array, Floats, Ints


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


TIES = ("w", "a", "b")
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
    number = items_at(_sizes(of_shorter) + unknown, _sizes(of_longer), depths, ties)
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
    if ties not in TIES:
        raise UsageError(
            f"The treatment of ties of rank-biased overlap is one of {', '.join(TIES)}. Got {ties!r} instead."
        )


def contributions(top: Array, size: Array, depths: Ints, ties: str) -> Floats:
    """Return how much of every item a ranking has at every depth."""
    ranks_inside = depths - top[:, None] + 1
    if ties == "w":
        return (ranks_inside > 0).astype(float)
    share: Floats = np.clip(ranks_inside / size[:, None], 0, 1)
    return share


def items_at(size_x: Floats, size_y: Floats, depths: Ints, ties: str) -> Floats:
    """Return how many items two rankings have at every depth, from the sums of the squares of their contributions."""
    if ties == "w":
        return (size_x + size_y) / 2
    if ties == "a":
        return depths.astype(float)
    number: Floats = np.sqrt(size_x * size_y)
    return number


def _sizes(of_ranking: Floats) -> Floats:
    sizes: Floats = (of_ranking**2).sum(axis=0)
    return sizes


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
