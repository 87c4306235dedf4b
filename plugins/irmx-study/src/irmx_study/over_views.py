"""What a comparison says over several views of a measure: for how many users a system is better, where that changes, ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from irmx.ragged import Array, Floats, Ints
from irmx_study.compared_systems import ComparedSystems
from irmx_study.pairs import signs_of
from irmx_study.view_groups import Group

_PLACES = 12
"""Differences of means are rounded to so many decimal places before their signs are compared."""


def signs(differences: Any) -> Floats:
    """Return the signs of differences of means, 0 for those that come from the rounding of sums."""
    return np.asarray(np.sign(np.round(np.asarray(differences, dtype=float), _PLACES)))


def counts_over(comparison: ComparedSystems) -> pd.DataFrame:
    """Return, for every measure with several views and pair, in how many of them a is better, worse or undecided."""
    rows = []
    systems, compared = comparison.scores.systems, comparison.compared
    for group in comparison.groups.several:
        of_group = comparison.better[list(group.views)]
        for i, (a, b) in enumerate(zip(compared.first.tolist(), compared.second.tolist(), strict=True)):
            won = {"better": of_group[:, i] > 0, "worse": of_group[:, i] < 0, "undecided": of_group[:, i] == 0}
            counts: dict[str, Any] = {name: int(some.sum()) for name, some in won.items()}
            shares = {f"share_{name}": math.fsum(group.shares[some]) for name, some in won.items()}
            rows.append(
                {"measure": group.name, "views": len(group.views), "a": systems[a], "b": systems[b], **counts, **shares}
            )
    return pd.DataFrame(rows)


def sentences_over(comparison: ComparedSystems) -> Iterator[str]:
    """Yield, for every measure with several views and pair, in how many which system is better; of a population, the shares."""
    weighted = {group.name: group.is_weighted for group in comparison.groups.several}
    settings = {group.name: _kind(group) for group in comparison.groups.several}
    for row in counts_over(comparison).itertuples():
        a, b = (comparison.names[name] for name in (row.a, row.b))
        if weighted[str(row.measure)]:
            better, worse, undecided = map(_percent, (row.share_better, row.share_worse, row.share_undecided))
            better += " of the users"
        else:
            better, worse, undecided = (
                f"{row.better} of {row.views} {settings[str(row.measure)]}",
                row.worse,
                row.undecided,
            )
        yield f"By {row.measure}, {a} is better for {better}, {b} for {worse}; undecided for {undecided}"


def _kind(group: Group) -> str:
    """Return what the views of a group are called: users, if they differ in parameters of the measure."""
    return "users" if all("." in parameter.column for parameter in group.parameters) else "views"


def _percent(share: Any) -> str:
    return f"{100 * share:.1f}%"


def borders(comparison: ComparedSystems) -> pd.DataFrame:
    """Return where the sign of the difference, or the significantly better system, changes between neighbouring views."""
    found: list[dict[str, Any]] = []
    columns = ["measure", "a", "b", "parameter", "lower", "upper"]
    others_of: list[str] = []
    rows, pairs = comparison.frame("views"), len(comparison.compared.first)
    for group in comparison.groups.several:
        names = [parameter.column for parameter in group.parameters]
        if len(names) > 1:
            others_of += [name for name in names if name not in others_of]
        for parameter in (one for one in group.parameters if one.positions is not None):
            others = [one for one in group.parameters if one is not parameter]
            lines: dict[tuple[Any, ...], list[int]] = {}
            for place in range(len(group.views)):
                lines.setdefault(tuple(one.cells[place] for one in others), []).append(place)
            for pair in range(pairs):
                for fixed, line in lines.items():
                    assert parameter.positions is not None
                    ordered = [line[i] for i in np.argsort(parameter.positions[line], kind="stable")]
                    for low, high in pairwise(ordered):
                        lower, upper = (rows.iloc[group.views[p] * pairs + pair] for p in (low, high))
                        sign = bool(signs(lower["difference"]) != signs(upper["difference"]))
                        significance = bool(lower["better"] != upper["better"])
                        if sign or significance:
                            found.append(
                                {
                                    "measure": group.name, "a": lower["a"], "b": lower["b"], "parameter": parameter.name,
                                    "lower": parameter.cells[low], "upper": parameter.cells[high],
                                    **dict(zip([one.column for one in others], fixed, strict=True)),
                                    "sign": sign, "significance": significance,
                                    **{f"{key}_lower": lower[key] for key in ("difference", "better")},
                                    **{f"{key}_upper": upper[key] for key in ("difference", "better")},
                                }
                            )  # fmt: skip
    ends = [f"{key}_{end}" for end in ("lower", "upper") for key in ("difference", "better")]
    return pd.DataFrame(found, columns=[*columns, *others_of, "sign", "significance", *ends])


def rank_bands(comparison: ComparedSystems) -> pd.DataFrame:
    """Return the best, median and worst rank of every system over the views of every measure with several."""
    from irmx_study.rankings import comparable_means

    scores, rows, means = comparison.scores, [], comparison.scores.means()
    for group in comparison.groups.several:
        views = list(group.views)
        of_group = scores.select(views=[scores.names[v] for v in views])
        values = comparable_means(of_group) * signs_of(of_group)
        ranks = ranks_of(values)
        for s, system in enumerate(scores.systems):
            best, worst = ranks[s].min(), ranks[s].max()
            highest = int(np.argmax(np.where(ranks[s] == best, values[s], -np.inf)))
            lowest = int(np.argmin(np.where(ranks[s] == worst, values[s], np.inf)))
            rows.append(
                {
                    "measure": group.name,
                    "system": system,
                    "best": int(best),
                    "best_value": means.iloc[s, views[highest]],
                    "median": weighted_median(ranks[s], group.shares),
                    "worst": int(worst),
                    "first": math.fsum(group.shares[ranks[s] == 1]),
                    "best_view": scores.names[views[highest]],
                    "worst_view": scores.names[views[lowest]],
                }
            )
    return pd.DataFrame(rows)


def ranks_of(means: Floats) -> Ints:
    """Return ranks of shape (systems, views): the largest mean has rank 1, equal means share the smallest of their ranks.

    >>> ranks_of(np.array([[3.0], [1.0], [3.0], [2.0]])).ravel().tolist()
    [1, 4, 1, 3]
    """
    from scipy.stats import rankdata

    ranks: Ints = rankdata(-means, method="min", axis=0).astype(int)
    return ranks


def weighted_median(values: Array, shares: Floats) -> float:
    """Return the median of values with shares that add up to 1: the mean of the two middle ones if half lies on either side.

    >>> weighted_median(np.array([3, 1, 2, 9]), np.full(4, 0.25)), weighted_median(np.array([3, 1]), np.array([0.9, 0.1]))
    (2.5, 3.0)
    """
    order = np.argsort(values, kind="stable")
    order = order[shares[order] > 0]
    below = np.cumsum(shares[order])
    first = int(np.searchsorted(below, 0.5 - 1e-9))
    second = first + (abs(below[first] - 0.5) < 1e-9)
    return float(values[order[[first, second]]].mean())
