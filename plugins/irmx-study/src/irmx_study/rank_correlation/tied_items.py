"""Rankings as lists of groups of tied items."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats


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

    Raises
    ------
    irmx.errors.UsageError
        If the ranking is a text, is empty, or has an empty group or an item twice.
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
